/**
 * Runs the conformance suite with every driver of the npm package, and compares them.
 *
 * The Rust half is `tests/src`. The files' head comments describe the format.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { PlanGraph, readYaml, Run, run } from "../../dist/node.js";
import { canonical, canonicalText } from "./canonical.mjs";
import { Time } from "./drivers/virtual-time.mjs";
import { StubSet } from "./js-stubs.mjs";

const folder = new URL("../suite/", import.meta.url);
const flows = new URL("../../core/flows/", import.meta.url);

export function cases() {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort();
  return files.flatMap((file) => {
    const { value, diagnostics } = readYaml(readFileSync(new URL(file, folder), "utf8"));
    if (diagnostics.length > 0) throw new Error(`${file}: ${diagnostics[0].message}`);
    const all = [...(value.conditions ?? []).map(decision), ...(value.runs ?? [])];
    const caseName = (one) =>
      one.flow ? { ...one, source: readFileSync(new URL(`${one.flow}.yaml`, flows), "utf8") } : one;
    return all.map((one) => ({ ...caseName(one), suite: basename(file, ".yaml") }));
  });
}

function decision({ id, name, condition, last = null, outputs: { input = null, ...outputs } = {}, expect }) {
  const plan = {
    start: "probe",
    nodes: { probe: { type: "probe" }, yes: { type: "noop" }, no: { type: "noop" } },
    edges: [
      { from: "probe", to: "yes", condition },
      { from: "probe", to: "no" },
    ],
  };
  const expected = typeof expect === "string" ? { diagnostics: [expect] } : { path: ["probe", expect ? "yes" : "no"] };
  return { id, name, plan, input, outputs, stubs: { types: { probe: { return: last } } }, expect: expected };
}

function runOptions({ input = null, outputs = {}, memory, context }) {
  return { input, outputs, ...((memory ?? null) !== null && { memory }), ...(context && { context }) };
}

function driver(drive) {
  return async (one) => {
    const format = one.format === "json" ? "json" : "auto";
    const { graph, diagnostics } = PlanGraph.parse(one.source ?? JSON.stringify(one.plan ?? null), { format });
    if (!graph?.valid) return { diagnostics, report: null };
    const report = await drive(one, graph);
    const ran = report.outcome.code !== "run/invalid-plan";
    return { diagnostics: [...diagnostics, ...report.diagnostics], report: ran ? report : null };
  };
}

export const drivers = {
  "run with stubs": driver((one, graph) => timed(graph, { ...runOptions(one), stubs: one.stubs ?? {} }, new Time())),
  "Run by hand": driver(runManually),
  "run with handlers": driver((one, graph) => byHandlers(one, graph, delayedAnswer)),
  "run with handlers that answer later": driver((one, graph) => byHandlers(one, graph, answerLate)),
};

/** These cases pass a tool something other than a map, which stubs accept and tool servers do not. */
export const textual = ["run-04", "run-05", "run-11", "run-13", "run-26"];

export const FREE = { models: { "*": { input: 0, output: 0 } } };

function byHandlers(one, graph, timing, client = !textual.includes(one.id)) {
  const time = new Time();
  const host = new StubSet(graph, one.stubs).host((...answer) => timing(time, ...answer), { client });
  // A model needs a price under a limit in dollars. The replies of these cases have their own.
  const prices = one.plan?.limits?.usd === undefined ? {} : { prices: FREE };
  return timed(graph, { ...runOptions(one), ...host, ...prices }, time);
}

/** In real time several timers would be due at once on a busy machine, and fire in another order. */
function timed(graph, options, time) {
  return time.during(run(graph, { ...options, clock: time.clock }));
}

export const byClient = driver((one, graph) => byHandlers(one, graph, answerLate, true));

/** Other work that is due comes first, as with an answer over the network. */
async function answerLate(time, value, delay, failure) {
  await (delay > 0 ? new Promise((resolve) => time.after(delay, resolve)) : null);
  if (failure) throw failure;
  return value;
}

function delayedAnswer(time, value, delay, failure) {
  if (delay > 0) return answerLate(time, value, delay, failure);
  if (failure) throw failure;
  return value;
}

/** Simultaneous events keep their order of request. */
class Agenda {
  #due = new Map();
  #now = 0;

  note(command, answer) {
    if (command.type === "abandon") this.#due.delete(command.call);
    else if (command.type === "clear-timer") this.#due.delete(command.timer);
    else if (command.type === "set-timer")
      this.#due.set(command.timer, { type: "timer-fired", timer: command.timer, atMs: this.#now + command.afterMs });
    else if (command.type !== "finish") {
      const { delay, ...event } = answer(command);
      this.#due.set(command.call, { ...event, call: command.call, atMs: this.#now + delay });
    }
  }

  next() {
    let [name, first] = [null, undefined];
    for (const [key, event] of this.#due)
      if (first === undefined || event.atMs < first.atMs) [name, first] = [key, event];
    this.#due.delete(name);
    this.#now = first?.atMs ?? this.#now;
    return first;
  }
}

function runManually(one, graph) {
  const stand = new StubSet(graph, one.stubs);
  // The machine does not report that a plan cannot run.
  const refused = stand.refusal();
  if (refused) return refused;
  const machine = new Run(graph, { ...runOptions(one), ...stand.offer(), epochMs: 1_600_000_000_000 });
  const trace = [];
  const agenda = new Agenda();
  for (let event = { type: "start", atMs: 0 }; event; event = agenda.next()) {
    const step = machine.step(event);
    trace.push(...step.trace);
    // A finished run has abandoned all its calls.
    if (machine.outcome) break;
    for (const command of step.commands) agenda.note(command, (call) => stand.answer(call, machine.last(call.call)));
  }
  const report = machine.report.toJSON();
  if (!isDeepStrictEqual(report.trace, trace)) throw new Error("the steps' traces are not the report's");
  return report;
}

export function differences({ diagnostics, report }, expect) {
  const found = [];
  const compare = (what, expected, actual) => {
    if (!isDeepStrictEqual(plain(expected), plain(actual)))
      found.push(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  };
  const codes = (severity) =>
    diagnostics.filter((problem) => problem.severity === severity).map((problem) => problem.code);
  compare("diagnostics", expect.diagnostics ?? [], codes("error"));
  if (expect.warnings) compare("warnings", expect.warnings, codes("warning"));
  if (report === null) return found;
  const { outcome, path, outputs, trace } = report;
  compare("outcome", expect.outcome ?? "completed", outcome.type);
  for (const what of ["node", "code", "scope"]) if (what in expect) compare(what, expect[what], outcome[what]);
  for (const [what, count] of Object.entries(expect.counts ?? {})) compare(what, count, report.counts[what]);
  if (expect.partial) compare("partial", expect.partial, report.partial);
  if (expect.path) compare("path", expect.path, path);
  if ("last" in expect) compare("last", expect.last, report.last);
  for (const [key, value] of Object.entries(expect.last_has ?? {})) compare(key, value, report.last?.[key]);
  for (const [call, wanted] of Object.entries(expect.asked ?? {})) {
    const event = trace.find((event) => event.type === "model-asked" && event.call === call);
    const told = event?.messages.map(({ content }) => content).join("\n") ?? "";
    for (const text of wanted.has ?? []) compare(`${call} has ${text}`, true, told.includes(text));
    for (const text of wanted.lacks ?? []) compare(`${call} lacks ${text}`, false, told.includes(text));
  }
  if (expect.audit) compare("audit", expect.audit, audit(trace));
  if (expect.said)
    compare(
      "said",
      expect.said,
      trace.flatMap((event) => formatEvent(event)),
    );
  for (const [name, value] of Object.entries(expect.outputs ?? {})) compare(name, value, outputs[name] ?? null);
  for (const [id, visits] of Object.entries(expect.visits ?? {}))
    compare(id, visits, path.filter((node) => node === id).length);
  const decisions = trace.filter((event) => event.type === "edge-decided");
  (expect.decisions ?? []).forEach((expected, i) => {
    const actual = decisions[i] ?? {};
    compare(
      `decision ${i}`,
      expected,
      Object.fromEntries(Object.keys(expected).map((key) => [key, actual[key] ?? null])),
    );
  });
  return found;
}

function formatEvent({ type, call, messages, reply, tool, arguments: args, output, error }) {
  const message = ({ role, is_error: failed, content }) => `${role}${failed ? "!" : ""}: ${content}`;
  const replied = () => [
    ...(reply.text ? [reply.text] : []),
    ...(reply.tool_calls ?? []).map((one) => `${one.name}(${JSON.stringify(one.arguments)})`),
  ];
  const what = {
    "model-asked": () => `? ${messages.map(message).join(" | ")}`,
    "model-replied": () => `= ${replied().join(" ")}`,
    "tool-asked": () => `> ${tool} ${JSON.stringify(args)}`,
    "tool-answered": () => `< ${error ? error.code : JSON.stringify(output)}`,
  }[type];
  return what ? [`${call} ${what()}`] : [];
}

function plain(value) {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

/** `id:status`, as in the requirement documents. */
function audit(trace) {
  return trace.flatMap(({ type, node }) => (type.startsWith("node-") ? [`${node}:${type.slice("node-".length)}`] : []));
}

export function comparableParts({ report }) {
  if (report === null) return { trace: "", state: null };
  const {
    outcome,
    last,
    outputs,
    path,
    partial,
    counts: { steps, calls, retries, tokens = 0, usd, unreported },
  } = report;
  const left = Object.keys(partial).length > 0 ? { partial } : {};
  return {
    trace: canonical(report.trace),
    state: canonicalText({
      outcome,
      last,
      outputs,
      path,
      ...left,
      counts: { steps, calls, retries, tokens, ...(usd && { usd }), ...(unreported && { unreported }) },
    }),
  };
}
