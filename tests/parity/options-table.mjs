/**
 * All public functions that take options, ready to be called with some, and all that take none.
 *
 * `now` marks functions that throw on invalid options, and `later` those that reject. `free` lists options that accept
 * any value or have codes of their own. `nested` lists options that are maps of options. These calls never reach a
 * network or a disk.
 */
import * as library from "stepgraph";
import * as audit from "stepgraph/audit";
import * as durable from "stepgraph/durable";
import * as editor from "stepgraph/editor";
import * as telemetry from "stepgraph/otel";
import * as restate from "stepgraph/restate";
import * as workflows from "stepgraph/workflows";

/** The entries of the package that export functions. */
export const ENTRIES = { library, audit, durable, editor, telemetry, restate, workflows };

const { PlanGraph, run } = library;
export const { graph } = PlanGraph.parse("nodes: {a: {type: log, input: hi}}");
const TEXT = "nodes: {a: {type: log, input: hi}}";
const cassette = [];
await run(graph, { record: (line) => cassette.push(line) });
const report = await run(graph);

const nobody = async () => Promise.reject(new Error("nobody is there"));
const client = library.mcp("http://127.0.0.1:9/mcp", { fetch: nobody });
const model = library.openai({ fetch: nobody });
const chrome = library.chromeModel();
const teller = telemetry.otel({ url: "http://127.0.0.1:9", fetch: nobody, retryMs: 0, onError() {} });
/** Returned objects that have functions of their own. */
export const GIVEN = { "mcp()": client, "openai()": model, "chromeModel()": chrome, "otel()": teller };

const NO_WORLD = { place: "here", pid: 0, now: () => 0, alive: () => true, left: () => [], taken() {} };
const noDatabase = { exec: () => void 0, prepare: () => ({ all: () => [], run: () => void 0 }) };
const store = new audit.AuditStore(noDatabase, "nowhere", NO_WORLD);
const step = { do: nobody, sleep: nobody, waitForEvent: async () => ({}) };
const request = { model: null, messages: [], schema: null, max_tokens: null };
/** The part of `@opentelemetry/api` that the package checks. */
const API = { trace: { getTracer: () => ({ startSpan() {} }) }, context: { active() {} } };
const NOWHERE = "/nowhere/at/all";

/** Adds required options. Passes values that are no map of options unchanged, because functions must refuse them. */
const over = (base, options) =>
  Object.getPrototypeOf(options ?? []) === Object.prototype ? { ...base, ...options } : options;
const now = (call, more = {}) => ({ call, later: false, free: [], nested: [], ...more });
const later = (call, more = {}) => ({ ...now(call, more), later: true });

const RUN = { free: ["input", "memory", "snapshot"], nested: ["limits"] };
const FLOW = { free: ["memory", "snapshot"], nested: ["limits"] };
const DURABLE = { free: ["input", "memory", "snapshot"], nested: ["limits"] };
const OTEL = { free: ["parent"] };
const flow = (name) => ({
  [`flows.${name}`]: later((options) => library.flows[name]("hi", options), FLOW),
  [`flows.${name}.graph`]: now((options) => library.flows[name].graph(options), FLOW),
});
const name = { model: "m" };

/** Functions by their name in the entry. */
export const TAKES = {
  run: later((options) => run(graph, options), RUN),
  "run.stream": now((options) => run.stream(graph, options), RUN),
  fork: later((options) => library.fork(graph, over({ cassette }, options)), {
    free: ["input", "memory", "snapshot", "output"],
    nested: ["limits", "error"],
  }),
  Run: now((options) => new library.Run(graph, options).free(), RUN),
  check: now((options) => library.check(graph, options)),
  formatDiagnostics: now((options) => library.formatDiagnostics([], options)),
  checkToolPlan: now((options) => library.checkToolPlan({ tool_calls: [] }, [], options)),
  review: now((options) => library.review(graph, options)),
  runTests: later((options) => library.runTests(graph, options)),
  "PlanGraph.load": now((options) => PlanGraph.load(TEXT, options)),
  "PlanGraph.parse": now((options) => PlanGraph.parse(TEXT, options)),
  "PlanGraph.print": now((options) => PlanGraph.print({ nodes: {} }, options)),
  mcp: now((options) => library.mcp("http://127.0.0.1:9", options), { free: ["version"], nested: ["elicitation"] }),
  "mcp().call": later((options) => client.call("price", {}, options)),
  "mcp().request": later((options) => client.request("resources/list", {}, options)),
  "mcp().watch": later((options) => client.watch(() => {}, options)),
  openai: now((options) => library.openai(options)),
  openaiResponses: now((options) => library.openaiResponses(over(name, options))),
  anthropic: now((options) => library.anthropic(over(name, options))),
  gemini: now((options) => library.gemini(over(name, options))),
  "openai().chat": later((options) => model.chat(request, over({ signal: AbortSignal.abort() }, options))),
  chromeModel: now((options) => library.chromeModel(options)),
  "chromeModel().chat": later((options) => chrome.chat(request, options)),
  oauth: now((options) => library.oauth(over({ authorize: () => "", redirectUri: "http://127.0.0.1:9" }, options)), {
    nested: ["enterprise"],
  }),
  diagnose: later((options) => library.diagnose("http://127.0.0.1:9/mcp", over({ fetch: nobody }, options)), {
    free: ["error"],
  }),
  ...flow("planGather"),
  ...flow("react"),
  ...flow("author"),
  runDurable: later((options) => durable.runDurable(graph, new durable.MemoryJournal(), options), DURABLE),
  MemoryJournal: now((options) => new durable.MemoryJournal(options)),
  // An invalid key has its own code.
  fileJournal: later((options) => durable.fileJournal(NOWHERE, options), { free: ["key"] }),
  sqliteJournal: later((options) => durable.sqliteJournal(NOWHERE, "run", options), { free: ["key"] }),
  executeCall: later((options) => durable.executeCall({ type: "list-tools", call: "tools" }, options)),
  remoteHost: now((options) => durable.remoteHost(options)),
  promiseJournal: now((options) => durable.promiseJournal(over({ answer: nobody }, options))),
  restateJournal: now((options) => restate.restateJournal({}, {}, options)),
  planWorkflow: now((options) => restate.planWorkflow({}, over({ name: "order", plan: graph }, options))),
  workflowsJournal: now((options) => workflows.workflowsJournal(step, options), { nested: ["step"] }),
  runPlan: later((options) => workflows.runPlan({ payload: null }, step, graph, options), {
    ...DURABLE,
    nested: ["limits", "step"],
  }),
  openAudit: later((options) => audit.openAudit(`${NOWHERE}.db`, over({ create: false }, options))),
  audited: now((options) => audit.audited(graph, {}, { write() {} }, options)),
  "AuditStore.runs": now((options) => store.runs(options), { free: ["since", "until", "limit"] }),
  "AuditStore.events": now((options) => store.events("x", options), { free: ["limit", "after"] }),
  "AuditStore.trace": now((options) => [...store.trace("x", options)], { free: ["limit", "after"] }),
  "AuditStore.prune": now((options) => store.prune(over({ key: "k" }, options)), { free: ["since", "until", "limit"] }),
  otel: now((options) => telemetry.otel(over({ url: "http://127.0.0.1:9", fetch: nobody }, options)), {
    nested: ["batch"],
  }),
  "otel().run": later((options) => teller.run(graph, {}, options), OTEL),
  "otel().fork": later((options) => teller.fork(graph, { cassette }, options), OTEL),
  "otel().stream": now((options) => teller.stream(graph, {}, options), OTEL),
  "otel().trace": now((options) => teller.trace(graph, {}, options), OTEL),
  "otel().export": now((options) => teller.export(graph, report, options), OTEL),
  "otel().close": later((options) => teller.close(options)),
  PlanDocument: now((options) => new editor.PlanDocument(TEXT, options).free()),
  "PlanDocument.setHost": now((options) => new editor.PlanDocument(TEXT).setHost(options)),
  comparePlans: now((options) => editor.comparePlans(TEXT, TEXT, options)),
  mergePlans: now((options) => editor.mergePlans(TEXT, TEXT, TEXT, options)),
  editPlan: now((options) => editor.editPlan(TEXT, [], options)),
  formatPlan: now((options) => editor.formatPlan(TEXT, options)),
  toMermaid: now((options) => editor.toMermaid(TEXT, options)),
  toDot: now((options) => editor.toDot(TEXT, options)),
  importPlan: now((options) => editor.importPlan("flowchart LR", options)),
};

/** Functions with a second argument of options. */
export const TAKES_TOO = {
  "otel().run": later((options) => teller.run(graph, options), RUN),
  "otel().fork": later((options) => teller.fork(graph, over({ cassette }, options)), TAKES.fork),
  "otel().stream": now((options) => teller.stream(graph, options), RUN),
  "otel().trace": now((options) => teller.trace(graph, options), RUN),
  otel: now((options) => telemetry.otel(over({ api: API }, options)), { free: ["api"] }),
};

/** Functions that take no options. */
export const TAKES_NONE = new Set(
  `CallError PlanError AuditError ExpressionError evaluate checkExpression AuditStore init readYaml effectOf stubTools testsOf approvalEvent stepError planSchema
  PlanGraph PlanGraph.differences PlanGraph.parseWith PlanGraph.readFor PlanGraph.decisionError PlanGraph.toJSON PlanGraph.check PlanGraph.bind PlanGraph.free
  Run.step Run.last Run.node Run.state Run.action Run.approval Run.snapshot Run.free
  mcp().about mcp().list mcp().close otel().contextOf otel().flush
  MemoryJournal.lines MemoryJournal.decide MemoryJournal.cancel MemoryJournal.begin MemoryJournal.abandon
  MemoryJournal.race AuditStore.write AuditStore.writeAll AuditStore.get AuditStore.find AuditStore.continuations
  AuditStore.cassette AuditStore.plan AuditStore.delete AuditStore.close AuditStore.importSpills
  PlanDocument.change PlanDocument.setText PlanDocument.diagnostics PlanDocument.diagram PlanDocument.complete
  PlanDocument.hover PlanDocument.definition PlanDocument.references PlanDocument.prepareRename PlanDocument.rename
  PlanDocument.symbols PlanDocument.actions PlanDocument.tokens PlanDocument.folding PlanDocument.format
  PlanDocument.edit PlanDocument.fileLinks PlanDocument.missingFiles PlanDocument.setFiles PlanDocument.free
  fromMermaid fromServerlessWorkflow`.split(/\s+/),
);
