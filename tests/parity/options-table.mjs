/**
 * All public functions, ready to be called with some options, and all that take none.
 *
 * `now` functions throw on invalid options, `lateCall` ones reject. `free` lists options that accept any value or have
 * their own codes, `nested` those that are maps of options. No call reaches a network or disk.
 */
import * as library from "stepgraph";
import * as agUi from "stepgraph/ag-ui";
import * as aiSdk from "stepgraph/ai-sdk";
import * as audit from "stepgraph/audit";
import * as durable from "stepgraph/durable";
import * as editor from "stepgraph/editor";
import * as telemetry from "stepgraph/otel";
import * as restate from "stepgraph/restate";
import * as keeper from "stepgraph/store";
import * as reviews from "stepgraph/review";
import * as workflows from "stepgraph/workflows";

export const ENTRIES = { library, agUi, aiSdk, audit, durable, editor, keeper, reviews, telemetry, restate, workflows };

const { PlanGraph, run } = library;
export const { graph } = PlanGraph.parse("nodes: {a: {type: log, input: hi}}");
const TEXT = "nodes: {a: {type: log, input: hi}}";
const cassette = [];
await run(graph, { record: (line) => cassette.push(line) });
const report = await run(graph);
const pausedGraph = PlanGraph.load("nodes: {ask: {type: approve}}");
const pausedRun = await run(pausedGraph, { key: "k" });

const rejectAlways = async () => Promise.reject(new Error("nobody is there"));
const client = library.mcp("http://127.0.0.1:9/mcp", { fetch: rejectAlways });
const model = library.openai({ fetch: rejectAlways });
const chrome = library.chromeModel();
const sdkModel = { specificationVersion: "v4", doGenerate: rejectAlways, doStream: rejectAlways };
const sdkClient = aiSdk.aiSdk(sdkModel);
const teller = telemetry.otel({ url: "http://127.0.0.1:9", fetch: rejectAlways, retryMs: 0, onError() {} });
export const RETURNED_OBJECTS = {
  "mcp()": client,
  "openai()": model,
  "chromeModel()": chrome,
  "aiSdk()": sdkClient,
  "otel()": teller,
};

const NO_WORLD = { place: "here", pid: 0, now: () => 0, alive: () => true, left: () => [], taken() {} };
const noDatabase = { exec: () => void 0, prepare: () => ({ all: () => [], run: () => void 0 }) };
const store = new audit.AuditStore(noDatabase, "nowhere", NO_WORLD);
/** The run is new, and always the caller's. */
const row = { version: 1, epoch: 1, plan: graph.hash, given: "{}" };
const keptRuns = await keeper.openStore({ db: { exec() {}, prepare: () => ({ all: () => [row], run() {} }) } });
const step = { do: rejectAlways, sleep: rejectAlways, waitForEvent: async () => ({}) };
const request = { model: null, messages: [], schema: null, max_tokens: null };
/** The parts of `@opentelemetry/api` that the package checks. */
const API = { trace: { getTracer: () => ({ startSpan() {} }) }, context: { active() {} } };
const MISSING_PATH = "/nowhere/at/all";

/** Functions must refuse values that are no map of options. */
const withBase = (base, options) =>
  Object.getPrototypeOf(options ?? []) === Object.prototype ? { ...base, ...options } : options;
/** Two options of `mapNodes` are required. */
const withRequired = (options) =>
  Object.prototype.toString.call(options) === "[object Object]"
    ? { from: pausedGraph, editPlan: editor.editPlan, ...options }
    : options;

const now = (call, more = {}) => ({ call, later: false, free: [], nested: [], ...more });
const lateCall = (call, more = {}) => ({ ...now(call, more), later: true });

const RUN = { free: ["input", "memory", "snapshot"], nested: ["limits"] };
const FLOW = { free: ["memory", "snapshot"], nested: ["limits"] };
const DURABLE = { free: ["input", "memory", "snapshot"], nested: ["limits"] };
const OTEL = { free: ["parent"] };
const flow = (name) => ({
  [`flows.${name}`]: lateCall((options) => library.flows[name]("hi", options), FLOW),
  [`flows.${name}.graph`]: now((options) => library.flows[name].graph(options), FLOW),
});
const name = { model: "m" };
const agUiInput = { input: { threadId: "t", runId: "r", messages: [] } };

export const FUNCTIONS = {
  run: lateCall((options) => run(graph, options), RUN),
  "run.stream": now((options) => run.stream(graph, options), RUN),
  fork: lateCall((options) => library.fork(graph, withBase({ cassette }, options)), {
    free: ["input", "memory", "snapshot", "output"],
    nested: ["limits", "error"],
  }),
  Run: now((options) => new library.Run(graph, options).free(), RUN),
  functions: now((options) => library.functions({}, options)),
  check: now((options) => library.check(graph, options)),
  formatDiagnostics: now((options) => library.formatDiagnostics([], options)),
  checkToolPlan: now((options) => library.checkToolPlan({ tool_calls: [] }, [], options)),
  review: now((options) => library.review(graph, options)),
  estimateCost: now((options) => library.estimateCost(graph, options)),
  compareRun: now((options) => library.compareRun(graph, pausedRun.snapshot, options), { free: ["from"] }),
  mapNodes: now((options) => library.mapNodes(pausedRun.snapshot, {}, withRequired(options)), { free: ["from"] }),
  restartAt: now((options) => library.restartAt(pausedGraph, pausedRun.snapshot, "ask", options)),
  testFromRun: lateCall((options) => library.testFromRun(graph, cassette, options)),
  runTests: lateCall((options) => library.runTests(graph, options)),
  testMutants: now((options) => library.testMutants(graph, [], options)),
  "PlanGraph.load": now((options) => PlanGraph.load(TEXT, options)),
  "PlanGraph.parse": now((options) => PlanGraph.parse(TEXT, options)),
  "PlanGraph.print": now((options) => PlanGraph.print({ nodes: {} }, options)),
  mcp: now((options) => library.mcp("http://127.0.0.1:9", options), { free: ["version"], nested: ["elicitation"] }),
  "mcp().call": lateCall((options) => client.call("price", {}, options)),
  "mcp().request": lateCall((options) => client.request("resources/list", {}, options)),
  "mcp().watch": lateCall((options) => client.watch(() => {}, options)),
  openai: now((options) => library.openai(options)),
  openaiResponses: now((options) => library.openaiResponses(withBase(name, options))),
  anthropic: now((options) => library.anthropic(withBase(name, options))),
  gemini: now((options) => library.gemini(withBase(name, options))),
  "openai().chat": lateCall((options) => model.chat(request, withBase({ signal: AbortSignal.abort() }, options))),
  chromeModel: now((options) => library.chromeModel(options)),
  "chromeModel().chat": lateCall((options) => chrome.chat(request, options)),
  aiSdk: now((options) => aiSdk.aiSdk(sdkModel, options)),
  "aiSdk().chat": lateCall((options) => sdkClient.chat(request, options)),
  toUIMessageStream: now((options) => aiSdk.toUIMessageStream([], options)),
  toUIMessageStreamResponse: now((options) => aiSdk.toUIMessageStreamResponse([], options)),
  toAgUi: now((options) => agUi.toAgUi([], withBase(agUiInput, options))),
  toAgUiResponse: now((options) => agUi.toAgUiResponse([], withBase(agUiInput, options))),
  oauth: now(
    (options) => library.oauth(withBase({ authorize: () => "", redirectUri: "http://127.0.0.1:9" }, options)),
    {
      nested: ["enterprise"],
    },
  ),
  diagnose: lateCall(
    (options) => library.diagnose("http://127.0.0.1:9/mcp", withBase({ fetch: rejectAlways }, options)),
    {
      free: ["error"],
    },
  ),
  ...flow("planGather"),
  ...flow("react"),
  ...flow("author"),
  runDurable: lateCall((options) => durable.runDurable(graph, new durable.MemoryJournal(), options), DURABLE),
  compareJournal: lateCall((options) => durable.compareJournal(graph, [], options), {
    ...DURABLE,
    free: [...DURABLE.free, "from"],
  }),
  MemoryJournal: now((options) => new durable.MemoryJournal(options)),
  // An invalid key has its own code.
  fileJournal: lateCall((options) => durable.fileJournal(MISSING_PATH, options), { free: ["key"] }),
  sqliteJournal: lateCall((options) => durable.sqliteJournal(MISSING_PATH, "run", options), { free: ["key"] }),
  executeCall: lateCall((options) => durable.executeCall({ type: "list-tools", call: "tools" }, options)),
  remoteHost: now((options) => durable.remoteHost(options)),
  promiseJournal: now((options) => durable.promiseJournal(withBase({ answer: rejectAlways }, options))),
  restateJournal: now((options) => restate.restateJournal({}, {}, options)),
  planWorkflow: now((options) => restate.planWorkflow({}, withBase({ name: "order", plan: graph }, options))),
  workflowsJournal: now((options) => workflows.workflowsJournal(step, options), { nested: ["step"] }),
  runPlan: lateCall((options) => workflows.runPlan({ payload: null }, step, graph, options), {
    ...DURABLE,
    nested: ["limits", "step"],
  }),
  "RunStore.run": lateCall((options) => keptRuns.run(graph, options), DURABLE),
  "RunStore.runs": lateCall((options) => keptRuns.runs(options)),
  "RunStore.events": lateCall((options) => keptRuns.events("x", options)),
  "RunStore.cassette": lateCall((options) => keptRuns.cassette("x", options)),
  "RunStore.snapshot": lateCall((options) => keptRuns.snapshot("x", options)),
  "RunStore.replayed": lateCall((options) => keptRuns.replayed("x", options)),
  openStore: lateCall((options) => keeper.openStore(`${MISSING_PATH}.db`, withBase({ create: false }, options))),
  "RunStore.approvals": lateCall((options) => keptRuns.approvals(options)),
  openAudit: lateCall((options) => audit.openAudit(`${MISSING_PATH}.db`, withBase({ create: false }, options))),
  audited: now((options) => audit.audited(graph, {}, { write() {} }, options)),
  "AuditStore.runs": now((options) => store.runs(options), { free: ["since", "until", "limit"] }),
  "AuditStore.events": now((options) => store.events("x", options), { free: ["limit", "after"] }),
  "AuditStore.trace": now((options) => [...store.trace("x", options)], { free: ["limit", "after"] }),
  "AuditStore.prune": now((options) => store.prune(withBase({ key: "k" }, options)), {
    free: ["since", "until", "limit"],
  }),
  otel: now((options) => telemetry.otel(withBase({ url: "http://127.0.0.1:9", fetch: rejectAlways }, options)), {
    nested: ["batch"],
  }),
  "otel().run": lateCall((options) => teller.run(graph, {}, options), OTEL),
  "otel().fork": lateCall((options) => teller.fork(graph, { cassette }, options), OTEL),
  "otel().stream": now((options) => teller.stream(graph, {}, options), OTEL),
  "otel().trace": now((options) => teller.trace(graph, {}, options), OTEL),
  "otel().export": now((options) => teller.export(graph, report, options), OTEL),
  "otel().close": lateCall((options) => teller.close(options)),
  PlanDocument: now((options) => new editor.PlanDocument(TEXT, options).free()),
  "PlanDocument.setHost": now((options) => new editor.PlanDocument(TEXT).setHost(options)),
  comparePlans: now((options) => editor.comparePlans(TEXT, TEXT, options)),
  reviewChange: lateCall((options) =>
    reviews.reviewChange({ text: TEXT }, null, withBase({ file: "a.yaml" }, options)),
  ),
  reviewMarkdown: now((options) => reviews.reviewMarkdown([], options), { nested: ["versions"] }),
  mergePlans: now((options) => editor.mergePlans(TEXT, TEXT, TEXT, options)),
  editPlan: now((options) => editor.editPlan(TEXT, [], options)),
  formatPlan: now((options) => editor.formatPlan(TEXT, options)),
  mutants: now((options) => editor.mutants(TEXT, options)),
  toMermaid: now((options) => editor.toMermaid(TEXT, options)),
  toDot: now((options) => editor.toDot(TEXT, options)),
  importPlan: now((options) => editor.importPlan("flowchart LR", options)),
};

export const SECOND_OPTIONS = {
  "otel().run": lateCall((options) => teller.run(graph, options), RUN),
  "otel().fork": lateCall((options) => teller.fork(graph, withBase({ cassette }, options)), FUNCTIONS.fork),
  "otel().stream": now((options) => teller.stream(graph, options), RUN),
  "otel().trace": now((options) => teller.trace(graph, options), RUN),
  otel: now((options) => telemetry.otel(withBase({ api: API }, options)), { free: ["api"] }),
};

export const WITHOUT_OPTIONS = new Set(
  `ToolLock ToolLock.create ToolLock.parse ToolLock.print ToolLock.drift ToolLock.refusal
  CallError PlanError RunError AuditError ExpressionError evaluate checkExpression AuditStore init readYaml effectOf priceModels stubTools testsOf coverage drawCoverage approvalEvent stepError planSchema decisionsOf
  PlanGraph PlanGraph.differences PlanGraph.parseWith PlanGraph.readFor PlanGraph.placeOf PlanGraph.decisionError PlanGraph.toJSON PlanGraph.check PlanGraph.bind PlanGraph.free
  Run.step Run.last Run.node Run.state Run.action Run.approval Run.snapshot Run.paused Run.free
  mcp().about mcp().list mcp().close otel().contextOf otel().flush
  MemoryJournal.lines MemoryJournal.decide MemoryJournal.cancel MemoryJournal.fail MemoryJournal.begin MemoryJournal.abandon MemoryJournal.interrupt MemoryJournal.movePlan
  MemoryJournal.race AuditStore.write AuditStore.writeAll AuditStore.get AuditStore.find AuditStore.continuations
  AuditStore.cassette AuditStore.plan AuditStore.delete AuditStore.close AuditStore.importSpills
  PlanDocument.change PlanDocument.setText PlanDocument.diagnostics PlanDocument.diagram PlanDocument.complete
  PlanDocument.hover PlanDocument.definition PlanDocument.references PlanDocument.prepareRename PlanDocument.rename
  PlanDocument.symbols PlanDocument.actions PlanDocument.tokens PlanDocument.folding PlanDocument.format
  PlanDocument.edit PlanDocument.fileLinks PlanDocument.missingFiles PlanDocument.setFiles PlanDocument.free
  fromMermaid fromServerlessWorkflow
  RunStore RunStore.get RunStore.compare RunStore.journal RunStore.limits RunStore.refusal RunStore.plan RunStore.decide RunStore.delete RunStore.close`.split(
    /\s+/,
  ),
);
