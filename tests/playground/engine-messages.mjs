// Collects what the engine says about the fixtures of the suite: messages, helps and titles, each with its code.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as editor from "../../dist/editor/node.js";
import * as engine from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";
import { withVirtualClock } from "./virtual-clock.mjs";

const SUITE = join(root, "tests", "suite");
/** Texts for a person, as the fixtures' comments have them. */
const EXPECTED =
  /(?:error|warning|hint)\[([a-z]+\/[a-z-]+)\](?: "(?:[^"\\]|\\.)*")?(?: => (?:"(?:[^"\\]|\\.)*"|[^:]*))?: (.*)$/gm;
/** The plan's text, with an expression where each kind of expression stands. */
const HOLDERS = [
  (text) => ({ nodes: { a: { type: "log", input: `\${${text}}` } } }),
  (text) => ({ nodes: { a: { type: "noop" }, b: { type: "noop" } }, edges: [{ from: "a", to: "b", condition: text }] }),
];

/** Returns `{ code, text, from }`, each text of a code once. */
export async function engineMessages() {
  const found = new MessageSet();
  const files = readdirSync(SUITE, { recursive: true }).filter((name) => /\.(yaml|json|expect)$/.test(name));
  for (const name of files) await fromFile(found, name, readFileSync(join(SUITE, name), "utf8"));
  for (const [name, text] of importedTexts()) fromImport(found, name, text);
  const cases = readFileSync(join(root, "core", "expression", "tests", "cases.yaml"), "utf8");
  fromExpressions(found, editor.readYaml(cases).value);
  fromExtremes(found);
  return found.all;
}

class MessageSet {
  all = [];
  /** What stubs of the fixtures say. */
  stubTexts = new Set();
  #seen = new Set();

  add(code, text, from) {
    const key = `${code}\0${text}`;
    if (typeof text !== "string" || text === "" || this.#seen.has(key) || this.stubTexts.has(text)) return;
    this.#seen.add(key);
    this.all.push({ code, text, from });
  }

  addDiagnostic({ code, message, help, labels = [] }, from) {
    this.add(code, message, from);
    this.add(code, help, from);
    for (const label of labels) this.add(code, label.message, from);
  }
}

async function fromFile(found, name, text) {
  if (/^diagnostics|\.expect$/.test(name)) fromComments(found, name, text);
  if (name.endsWith(".expect")) return;
  const host = /^# host: (.*)$/m.exec(text)?.[1];
  if (name.startsWith("diagnostics")) fromText(found, name, text, hostOf(JSON.parse(host ?? "{}")));
  const { value } = editor.readYaml(text);
  for (const said of stubTexts(value)) found.stubTexts.add(said);
  if (name === join("author", "validator.yaml")) await fromGeneratedPlans(found, name, value);
  if (name.startsWith("toolplans")) await fromToolPlans(found, name, value);
  await fromValue(found, name, value, value);
}

/** A fixture may name a tool only. */
function hostOf({ types, tools, ids, models }) {
  const named = tools?.map((tool) => (typeof tool === "string" ? { name: tool } : tool));
  return Object.fromEntries(Object.entries({ types, tools: named, ids, models }).filter(([, one]) => one));
}

/** The test of the diagnostics keeps these true. */
function fromComments(found, name, text) {
  for (const [, code, rest] of text.matchAll(EXPECTED)) {
    const [message, ...helps] = rest.replace(/^\S+:\d+:\d+: /, "").split(" | ");
    found.add(code, message, name);
    // The file's tests shorten one help.
    if (helps[0] !== "stepgraph check") found.add(code, helps.join(" | "), name);
  }
}

function fromText(found, name, text, host = {}) {
  const document = new editor.PlanDocument(text, host);
  for (const diagnostic of document.diagnostics()) {
    found.addDiagnostic(diagnostic, name);
    if (diagnostic.span) for (const { title } of document.actions(diagnostic.span)) found.add("title", title, name);
  }
  document.free?.();
}

/** Any plan in a file, as a text, a run or the start of edits. */
async function fromValue(found, name, value, file) {
  if (typeof value === "string") fromComments(found, name, value.trim());
  if (Array.isArray(value)) for (const one of value) await fromValue(found, name, one, file);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  if (typeof value.text === "string") fromCase(found, name, value, file);
  if (typeof value.condition === "string" && value.id) fromExpression(found, name, value.condition);
  if (value.flow === "author") await fromRequest(found, name, value.input, { stubs: value.stubs });
  if (value.plan?.nodes || typeof value.source === "string") await fromRun(found, name, value);
  for (const inner of Object.values(value)) if (inner !== null) await fromValue(found, name, inner, file);
}

function fromCase(found, name, value, { tools, types, models } = {}) {
  const text = value.text.replaceAll("¦", "");
  fromText(found, name, text, name.startsWith("language") ? hostOf({ tools, types, models }) : {});
  const mark = value.text.indexOf("¦");
  if (mark >= 0)
    for (const { title } of new editor.PlanDocument(text).actions({ start: mark, end: mark }))
      found.add("title", title, name);
  if (!Array.isArray(value.edits)) return;
  try {
    const { refused } = editor.editPlan(text, value.edits);
    if (refused) found.addDiagnostic(refused, name);
  } catch (error) {
    found.add("edit/bad-edit", error.diagnostics?.[0]?.message ?? error.message, name);
  }
}

function fromExpression(found, name, text) {
  for (const holder of HOLDERS) fromText(found, name, JSON.stringify(holder(text)));
}

async function fromRun(found, name, { plan, source, format, ...given }) {
  const text = source ?? JSON.stringify(plan);
  fromText(found, name, text);
  const { graph } = engine.PlanGraph.parse(text, format ? { format } : {});
  if (!graph?.valid) return;
  const { input, stubs = {}, tools, outputs, memory, context, decisions } = given;
  const options = Object.entries({ input, stubs, tools, outputs, memory, context, decisions, trace: true });
  const set = Object.fromEntries(options.filter(([, one]) => one !== undefined));
  const report = await withVirtualClock((clock) => engine.run(graph, { ...set, clock }));
  for (const { code, message } of [report.outcome, ...(report.trace ?? [])]) found.add(code, message, name);
  for (const diagnostic of report.diagnostics) found.addDiagnostic(diagnostic, name);
}

async function fromRequest(found, name, input, host) {
  const made = await withVirtualClock((clock) => engine.flows.author(input, { ...host, clock })).catch(() => undefined);
  for (const error of made?.errors ?? []) found.addDiagnostic(error, name);
  for (const warning of made?.warnings ?? []) found.add("author/warning", warning.message ?? warning, name);
}

/** One answer for each stage of the planner, and the plan as the last one. */
async function fromGeneratedPlans(found, name, { cases, tools, browsed }) {
  for (const { answer, plan, ...given } of cases) {
    const node_ids = given.browsed ?? browsed;
    const answers = [
      { parameters: [] },
      { is_clear: true, clarification_needed: null, steps: ["Do it"], estimated_nodes: 1, required_capabilities: [] },
      { node_ids, workflow_names: [], reasoning: "all" },
      "## Plan\nAs it is.\n\n**Status:** FEASIBLE\n**Node Chain:** llm\n",
      answer ?? JSON.stringify(plan),
    ];
    const sequence = answers.map((value) => ({ return: value }));
    const host = { tools: clients(given.tools ?? tools), stubs: { models: { default: { sequence } } } };
    await fromRequest(found, name, { user_input: "Do it" }, host);
  }
}

async function fromToolPlans(found, name, { cases, tools }) {
  for (const { answer, plan, context, trusted, ...given } of cases) {
    const node = { type: "plan", input: "go", with: { attempts: 1, ...(trusted && { trusted }) } };
    const stubs = { models: { default: { return: answer ?? JSON.stringify(plan) } } };
    await fromRun(found, name, {
      plan: { nodes: { plan: node } },
      stubs,
      tools: clients(given.tools ?? tools),
      context,
    });
  }
}

/** One client for each server. */
function clients(tools) {
  const names = new Set(tools.map(({ server = "tools" }) => server));
  return [...names].map((name) => ({
    name,
    list: async () => tools.filter(({ server = "tools" }) => server === name),
    call: async () => ({ value: null, isError: true }),
    close: async () => {},
  }));
}

function stubTexts(value) {
  if (value === null || typeof value !== "object") return [];
  const own = typeof value.fail === "string" ? [value.fail] : [];
  return [...own, ...Object.values(value).flatMap(stubTexts)];
}

/** Texts beyond the limits. */
function fromExtremes(found) {
  const node = (input) => `nodes: {a: {type: log, input: ${JSON.stringify(input)}}}`;
  const texts = [
    node(`\${${"(".repeat(200)}1${")".repeat(200)}}`),
    node(`\${${"1 + ".repeat(9_000)}1}`),
    `nodes: ${"[".repeat(200)}${"]".repeat(200)}`,
    `a: &a [${"1, ".repeat(999)}1]\nb: &b [${"*a, ".repeat(999)}*a]\nc: [${"*b, ".repeat(999)}*b]`,
    `nodes: {a: {type: log}}\n${Array.from({ length: 200 }, (_, at) => `key-${at}: 1`).join("\n")}`,
    `# ${"x".repeat(2 ** 24)}`,
  ];
  for (const text of texts) fromText(found, "extremes", text);
  for (const one of engine.PlanGraph.parse(new Uint8Array([0xff])).diagnostics) found.addDiagnostic(one, "extremes");
}

function* importedTexts() {
  for (const folder of ["mermaid", "serverless"])
    for (const name of readdirSync(join(SUITE, "interop", folder)))
      if (!name.endsWith(".expect"))
        yield [join("interop", folder, name), readFileSync(join(SUITE, "interop", folder, name), "utf8")];
}

function fromImport(found, name, text) {
  const read = name.includes("mermaid") ? editor.fromMermaid : editor.fromServerlessWorkflow;
  for (const finding of read(text).findings) found.addDiagnostic(finding, name);
}

function fromExpressions(found, { scope, ...groups }) {
  const texts = JSON.stringify(groups)
    .match(/"(?:[^"\\]|\\.)*"/g)
    .map((text) => JSON.parse(text));
  for (const text of texts) {
    try {
      for (const one of engine.checkExpression(text).diagnostics) found.addDiagnostic(one, "expressions");
      engine.evaluate(text, scope);
    } catch (error) {
      if (error.diagnostic) found.addDiagnostic(error.diagnostic, "expressions");
    }
  }
}
