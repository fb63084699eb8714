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
  fromExpressions(found, engine.readYaml?.(cases) ?? editor.readYaml(cases).value);
  return found.all;
}

class MessageSet {
  all = [];
  #seen = new Set();

  add(code, text, from) {
    const key = `${code}\0${text}`;
    if (typeof text !== "string" || text === "" || this.#seen.has(key)) return;
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
    const [message, ...helps] = rest.split(" | ");
    found.add(code, message, name);
    found.add(code, helps.join(" | "), name);
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
  const { input, stubs = {}, outputs, memory, context, decisions } = given;
  const options = Object.entries({ input, stubs, outputs, memory, context, decisions, trace: true });
  const set = Object.fromEntries(options.filter(([, one]) => one !== undefined));
  const outcome = await withVirtualClock((clock) => engine.run(graph, { ...set, clock })).catch((error) => error);
  for (const event of outcome.report?.trace ?? []) found.add(event.code ?? event.error?.code, event.message, name);
  if (outcome instanceof engine.RunError) found.add(outcome.code, outcome.message, name);
  for (const diagnostic of outcome.diagnostics ?? []) found.addDiagnostic(diagnostic, name);
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
