/**
 * Code that users may write, and code that the compiler must reject. It never runs.
 *
 * Compiled against the published types with the strictest settings.
 */
import {
  anthropic,
  CallError,
  check,
  chromeModel,
  compareRun,
  flows,
  fork,
  functions,
  gemini,
  mcp,
  oauth,
  openai,
  openaiResponses,
  PlanError,
  PlanGraph,
  type readYaml,
  restartAt,
  review,
  Run,
  run,
  type runTests,
  testFromRun,
  testsOf,
  ToolLock,
} from "stepgraph";
import type {
  StandardSchema,
  Approval,
  Behaviour,
  PendingCall,
  CallOptions,
  CallUpdate,
  ChatDelta,
  ChatReply,
  ChatRequest,
  Clock,
  Code,
  Decision,
  Drift,
  DriftProblem,
  Diagnostic,
  Fetch,
  Fingerprint,
  FormQuestion,
  Handler,
  Limits,
  McpChange,
  McpClient,
  McpOptions,
  McpVersion,
  Message,
  Model,
  ModelClient,
  ModelOptions,
  NamedModelOptions,
  Node,
  OAuthStore,
  Outcome,
  Report,
  Review,
  RunOptions,
  RunStream,
  Snapshot,
  AuthorResult,
  Flow,
  FlowOptions,
  Gathered,
  PlanGatherRequest,
  PlanGatherResult,
  ReactResult,
  SearchQueryList,
  State,
  Step,
  Stubs,
  TestResult,
  ToolCall,
  ToolClient,
  ToolInfo,
  ToolResult,
  TraceEvent,
  Usage,
  ForkOptions,
} from "stepgraph";
import {
  executeCall,
  MemoryJournal,
  promiseJournal,
  runDurable,
  type Journal,
  type RemoteCall,
} from "stepgraph/durable";
import { toAgUi, type AgUiEvent, type AgUiInput } from "stepgraph/ag-ui";
import { aiSdk, decisionsOf, toUIMessageStream, type AiSdkModel, type UIMessageChunk } from "stepgraph/ai-sdk";
import { planWorkflow, type RestateSdk } from "stepgraph/restate";
import { approvalEvent, runPlan, type WorkflowStepLike } from "stepgraph/workflows";
import { audited, openAudit } from "stepgraph/audit";
import { stdio, type StdioOptions } from "stepgraph/node";
import type { AuditCode, Audited, AuditError, AuditSink, AuditStatus, AuditStore, EventPage } from "stepgraph/audit";
import { editPlan, formatPlan, PlanDocument, tokenKinds } from "stepgraph/editor";
import type { Completion, GraphEdit, PlanSymbol } from "stepgraph/editor";
import editorWasm from "stepgraph/editor.wasm";
import { init as initEditor } from "stepgraph/editor/web";
import * as module from "stepgraph/module";
import { otel, type Telemetry, type TraceContext } from "stepgraph/otel";
import wasm from "stepgraph/engine.wasm";
import { init } from "stepgraph/web";

/** Whether two types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const proved = <_T extends true>(): void => {};

/** The example of the README. */
/** As libraries have them. */
const NUMBER: StandardSchema<{ n: number }> = {
  "~standard": { version: 1, vendor: "x", validate: (value) => ({ value: value as { n: number } }) },
};
// @ts-expect-error A tool has a function.
functions({ double: { input: NUMBER } });

export async function tenLines(yaml: string, bytes: Uint8Array): Promise<Report | null> {
  const { graph, diagnostics } = PlanGraph.parse(yaml);
  const second: { graph: PlanGraph | null; diagnostics: Diagnostic[] } = PlanGraph.parse(bytes);
  if (!graph) return ignoreAll(diagnostics[0]?.message, second);
  const loaded: PlanGraph = PlanGraph.load(bytes, { name: "plan.yaml", format: "yaml" });
  loaded.free();
  const further: Diagnostic[] = check(graph, { tools: await mcp("http://127.0.0.1:3001/mcp").list() });
  return run(graph, {
    input: "hola",
    handlers: { log: (node, state) => node.input ?? state.last, later: async () => 1 },
    tools: [
      mcp("http://127.0.0.1:3001/mcp", { headers: { Authorization: "Bearer x" } }),
      functions({ double: { input: NUMBER, run: ({ n }) => n * 2 }, plain: { run: (args: { x: number }) => args.x } }),
    ],
    models: {
      default: openai({ baseUrl: "http://127.0.0.1:8080/v1", apiKey: "x", model: "m" }),
      mine: (request) => request.messages[0]?.content ?? "",
    },
    context: { user_email: "a@b.c", further },
    signal: new AbortController().signal,
    onEvent: (event) => ignoreAll(event.type),
  });
}

export async function events(graph: PlanGraph, options: RunOptions): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of run.stream(graph, { ...options, updates: true })) {
    if (event.type === "model-delta" && event.delta.type === "text") seen.push(event.delta.text);
    else if (event.type === "tool-progress") seen.push(`${event.tool}: ${event.progress}/${event.total ?? "?"}`);
  }
  for await (const event of run.stream(graph, options)) if (event.type === "node-completed") seen.push(event.node);
  return seen;
}

/** Narrows the unions in a `switch`. */
export function describe(outcome: Outcome, event: TraceEvent): string {
  switch (outcome.type) {
    case "completed":
      return outcome.reason;
    case "failed":
      return `${outcome.code}: ${outcome.message}`;
    case "paused":
      return outcome.approvals.map((approval) => approval.call).join();
    case "cancelled":
      return event.type === "edge-decided" ? event.verdicts.map((verdict) => verdict.condition).join() : "";
  }
}

/** `list` and `call` make a tool client. */
export const ownClient: ToolClient = {
  name: "own",
  list: async () => [{ name: "echo", input_schema: { type: "object" } }],
  call: async (_name, args) => ({ value: args, isError: false }),
  close: async () => {},
};

/** A handler may return any value. */
export const handler: Handler = (node) => ({ id: node.id });

export const ready: Promise<unknown> = init("stepgraph_wasm_bg.wasm");

/** Inferred types must never be `any`. */
export async function inferred(graph: PlanGraph, report: Report): Promise<void> {
  proved<Same<typeof report.last, unknown>>();
  proved<Same<typeof report.outputs, Record<string, unknown>>>();
  proved<Same<typeof report.path, string[]>>();
  proved<Same<typeof report.snapshot, Snapshot | null>>();
  proved<Same<Outcome["type"], "completed" | "failed" | "cancelled" | "paused">>();
  proved<Same<Diagnostic["code"], Code>>();
  proved<Same<Extract<TraceEvent, { type: "edge-decided" }>["to"], string | null>>();
  proved<Same<ReturnType<typeof run>, Promise<Report>>>();
  proved<Same<ReturnType<typeof run.stream>, RunStream>>();
  const watched = run.stream(graph, { updates: true });
  proved<Same<typeof watched, RunStream<TraceEvent | CallUpdate>>>();
  proved<Same<Extract<CallUpdate, { type: "tool-progress" }>["tool"], string>>();
  proved<Same<Extract<TraceEvent, { type: "model-replied" }>["reply"], ChatReply>>();
  proved<Same<ReturnType<typeof PlanGraph.parse>["graph"], PlanGraph | null>>();
  proved<Same<ReturnType<ToolClient["list"]>, Promise<ToolInfo[]>>>();
  proved<Same<ReturnType<typeof readYaml>["value"], unknown>>();
  proved<Same<Parameters<Handler>, [node: Node, state: State]>>();
  proved<Same<Awaited<ReturnType<typeof runTests>>, TestResult[]>>();
  const { tools, people }: Review = review(graph, { tools: [] });
  const effect: "reads" | "writes" | "destroys" | "unknown" | undefined = tools[0]?.effect;
  const print: Fingerprint = graph.fingerprint;
  ignoreAll(effect, people.join(), print.parts, testsOf(graph).length, graph.differences(print));
}

export async function later(graph: PlanGraph, kept: string, lines: readonly string[]): Promise<Report> {
  const snapshot = JSON.parse(kept) as Snapshot;
  const decision: Decision = { value: { total: 5 } };
  const limits: Limits = { steps: 10, timeout_ms: 1000 };
  await run(graph, {
    snapshot,
    decisions: { "ask:1:1": decision, "ask:2:1": "approved" },
    limits,
    acceptChangedPlan: true,
  });
  const { proved, conflicts } = compareRun(graph, snapshot, { from: graph });
  const [first] = conflicts;
  if (!proved && first !== undefined) ignoreAll(first.line ?? 0, first.code === "upgrade/node-gone");
  await run(graph, { snapshot: restartAt(graph, snapshot, "look"), acceptChangedPlan: "proved" });
  await run(graph, {
    replay: lines,
    planHash: graph.fingerprint,
    trace: false,
    record: (line) => ignoreAll(line.length),
  });
  const made = await testFromRun(graph, lines, { name: "one", expect: ["outcome", "outputs.look"], context: {} });
  ignoreAll(made.name, made.expect.outcome ?? "completed");
  return fork(graph, { cassette: lines, at: "look:1:1", output: [] });
}

export async function locked(graph: PlanGraph, client: ToolClient): Promise<Report> {
  const lock = ToolLock.parse(ToolLock.create([graph], await client.list()).print());
  const { changes, plans, breaks }: Drift = lock.drift(await client.list(), [graph]);
  const problems: DriftProblem[] = plans.flat();
  ignoreAll(breaks, changes.length, problems[0]?.fix?.type, check(graph, { tools: lock.tools }));
  // @ts-expect-error: a lock is no text
  await run(graph, { lock: lock.print() });
  return run(graph, { lock, tools: [client] });
}

/** The signal aborts at the end of the run. */
export const approvalOptions: RunOptions = {
  onApproval: async (approval: Approval, signal: AbortSignal) =>
    signal.aborted ? "rejected" : { value: approval.input },
};

export const callHookOptions: RunOptions = {
  onCall: async ({ call, kind, attempt, tool }: PendingCall, signal) =>
    ignoreAll(call, kind, attempt, tool ?? "", signal.aborted),
  clock: { now: () => 0, after: (_ms, then) => (queueMicrotask(then), () => {}) } satisfies Clock,
};

/** A function, or an object that reports every delta. */
export const models: Record<string, Model> = {
  plain: () => "always this",
  whole: async ({ messages, tools }: ChatRequest): Promise<ChatReply> => ({
    text: messages.map(({ content }: Message) => content).join(),
    tool_calls: [{ id: "1", name: tools?.[0]?.name ?? "none", arguments: {} } satisfies ToolCall],
    finish: "tool_calls",
    usage: { input: 1, output: 1, cached_input: 0 } satisfies Usage,
  }),
  pieces: {
    name: "mine",
    chat: async (_request, { onDelta, signal } = {}) => {
      const piece: ChatDelta = { type: "text", text: "hi" };
      if (!signal?.aborted) onDelta?.(piece);
      return { text: "hi", finish: "stop", usage: null };
    },
  } satisfies ModelClient,
};

export const stubs: Stubs = {
  nodes: {
    a: "echo",
    b: { return: 1, writes: { c: 2 }, delay_ms: 5 },
    d: { sequence: [{ fail: "no", code: "x/y" }, "last"] },
  },
  tools: { find: "input" satisfies Behaviour },
};

/** Optional options also accept `undefined`. */
export function clients(key: string | undefined, own: Fetch): [ToolClient, ModelClient] {
  const reached: McpOptions = {
    name: "shop",
    headers: { "X-Team": "a" },
    fetch: own,
    timeoutMs: 100,
    ...(key ? { key } : {}),
  };
  const asked: ModelOptions = { fetch: (url, init) => fetch(url, init), headers: {}, ...(key ? { apiKey: key } : {}) };
  return [mcp("http://127.0.0.1:1/mcp", reached), openai(asked)];
}

export async function hosting(
  store: OAuthStore,
  ask: (question: FormQuestion) => Record<string, unknown> | null,
): Promise<McpClient> {
  const authorize = async (url: string, { signal }: { signal: AbortSignal }): Promise<string> =>
    signal.aborted ? "" : `${url}&code=1`;
  const client: McpClient = mcp("https://shop.example/mcp", {
    version: "2025-11-25",
    auth: oauth({ redirectUri: "http://127.0.0.1:1/back", scopes: ["read"], store, authorize }),
    roots: [{ uri: "file:///a", name: "a" }],
    sampling: ({ messages }) => ({ role: "assistant", content: messages[0]?.content, model: "mine" }),
    elicitation: {
      form: (question) => {
        const content = ask(question);
        return content ? { action: "accept", content } : { action: "decline" };
      },
      url: async ({ url }, signal) => (signal.aborted || url === "" ? { action: "cancel" } : { action: "accept" }),
    },
  });
  const resources: unknown = await client.request("resources/list", {}, { pages: true });
  await client.watch((change) => ignoreAll(change.what === "resource" ? change.uri : change.what), {
    resources: ["file:///a"],
  });
  ignoreAll(resources, client.about().version satisfies McpVersion | null);
  return client;
}

export const providers: Record<string, Model> = {
  responses: openaiResponses({ apiKey: "x", model: "m" }),
  claude: anthropic({ apiKey: "x", model: "m", timeoutMs: 1000 }),
  google: gemini({ apiKey: "x", model: "m", headers: { "X-Team": "a" } }),
  page: chromeModel(),
};

export async function conversation(key: string | undefined): Promise<ChatReply> {
  const named: NamedModelOptions = { model: "m", apiKey: key, timeoutMs: undefined };
  const all: ModelClient[] = [
    openaiResponses(named),
    anthropic(named),
    gemini(named),
    chromeModel({ languages: ["en"], onDownload: (part) => ignoreAll(part.toFixed()) }),
  ];
  // @ts-expect-error a provider of many models wants to know which
  anthropic({ apiKey: "x" });
  const tools = [
    {
      name: "weather",
      description: "of a city",
      input_schema: { type: "object", properties: { city: { type: "string" } } },
    },
  ];
  const first: Message[] = [
    { role: "system", content: "Be brief.", cache: true },
    { role: "user", content: "How is Oslo?" },
  ];
  const request: ChatRequest = {
    model: null,
    messages: first,
    tools,
    tool_choice: { name: "weather" },
    schema: null,
    max_tokens: 100,
    cache_key: "weather",
  };
  const reply = await all[0]!.chat(request, {
    onDelta: (delta) =>
      delta.type === "tool-call"
        ? ignoreAll(delta.index, delta.id, delta.name, delta.arguments)
        : ignoreAll(delta.text),
  });
  // The reply goes back unchanged, with the provider's own data.
  const { text: content, tool_calls = [], provider } = reply;
  const said: Message = { role: "assistant", content, tool_calls, provider };
  const answers = tool_calls.map(({ id, name }): Message => ({ role: "tool", content: "-4", call_id: id, tool: name }));
  const { finish, usage } = await all[1]!.chat({
    ...request,
    tool_choice: "auto",
    messages: [...first, said, ...answers],
  });
  proved<Same<typeof finish, "stop" | "length" | "tool_calls" | "filtered" | "other">>();
  ignoreAll((usage?.cached_input ?? 0) / (usage?.input ?? 1), usage?.cache_write_input, usage?.reasoning_output);
  return reply;
}

export async function progress(client: ToolClient, signal: AbortSignal): Promise<ToolResult> {
  const options: CallOptions = {
    signal,
    call: "a:1:1",
    onProgress: ({ progress, total, message }) => ignoreAll(progress.toFixed(), total?.toFixed(), message),
  };
  return client.call("find", { q: "tea" }, options);
}

/** The package's errors have a code. */
export function caught(error: unknown): string {
  if (error instanceof CallError || error instanceof PlanError) return `${error.code}: ${error.message}`;
  throw error;
}

/** For hosts that drive the machine themselves. */
export function machine(graph: PlanGraph): Step {
  using run = new Run(graph);
  return run.step({ type: "start", atMs: 0 });
}

/** Every source that bundlers produce. */
export async function started(response: Promise<Response>, bytes: Uint8Array): Promise<void> {
  for (const source of ["a.wasm", new URL("http://127.0.0.1/a.wasm"), response, bytes, bytes.buffer, wasm])
    await init(source);
  module.init(bytes);
  module.init(wasm);
}

/** Narrows each result in a `switch`. */
export async function planners(options: FlowOptions): Promise<string | null> {
  const gathered: PlanGatherResult = await flows.planGather(
    { user_query: "Where?" },
    { ...options, settings: { plan: { attempts: 1 } } },
  );
  switch (gathered.status) {
    case "answered":
      proved<Same<typeof gathered.gathered, Gathered>>();
      ignoreAll(gathered.answer.length, gathered.toolPlan.tool_calls[0]?.tool_name, gathered.gathered.jobs_data);
      for (const result of gathered.results) ignoreAll(result.success ? result.data : result.error.code);
      break;
    case "no_plan":
      return gathered.error.message;
    case "unfinished":
      return gathered.outcome.type === "paused" ? gathered.outcome.approval.call : gathered.toolPlan && "planned";
  }
  const reasoned = await flows.react("What?", { ...options, maxTurns: 3 });
  proved<Same<typeof reasoned, ReactResult>>();
  if (reasoned.status === "answered" && reasoned.route === "web_research")
    proved<Same<typeof reasoned.plan, SearchQueryList>>();
  const steps = await flows.react<{ steps: string[] }>("What?", {
    plan: { type: "object" },
    models: { default: () => "", search: () => "" },
  });
  if (steps.plan) ignoreAll(steps.plan.steps.join());
  const made: AuthorResult = await flows.author(
    { user_input: "Label issues", workflows: [{ name: "label", description: "labels" }], partial: "ask" },
    options,
  );
  if (made.status === "planned") return JSON.stringify(made.workflow);
  if (made.status === "found") return made.workflow_name;
  if (made.status !== "unfinished") return made.message;
  proved<Same<typeof flows.planGather, Flow<PlanGatherRequest, FlowOptions, PlanGatherResult>>>();
  await run(flows.react.graph({ maxTurns: 3 }), { input: "What?", ...options });
  return flows.author.source;
}

/** The compiler must find an error in every line. */
export async function refused(graph: PlanGraph): Promise<void> {
  // @ts-expect-error the input of a flow is its request
  await flows.react("What?", { input: "hola" });
  // @ts-expect-error a result that was not looked at may have no answer
  (await flows.planGather("Where?")).answer.length;
  // @ts-expect-error only `flows.react` has turns
  await flows.planGather("Where?", { maxTurns: 3 });
  // @ts-expect-error a plan that did not parse can't be run
  await run(PlanGraph.parse("").graph);
  // @ts-expect-error an option that is not there
  await run(graph, { promt: "hola" });
  // @ts-expect-error handlers are functions
  await run(graph, { handlers: { log: "hola" } });
  // @ts-expect-error a report is read, not written
  (await run(graph)).path = [];
  // @ts-expect-error an outcome has its reason only when it completed
  (await run(graph)).outcome.reason;
  // @ts-expect-error a run's output may be anything, so check it first
  (await run(graph)).last.length;
  // @ts-expect-error `PlanGraph.parse` makes plans
  new PlanGraph();
  // @ts-expect-error there is no such stub
  await run(graph, { stubs: { nodes: { a: "repeat" } } });
  // @ts-expect-error a decision is a word of two, or a value
  await run(graph, { decisions: { "ask:1:1": "maybe" } });
  // @ts-expect-error a format that there is not
  PlanGraph.parse("", { format: "toml" });
  // @ts-expect-error a code that there is not
  const code: Code = "graph/unknown-nod";
  // @ts-expect-error a tool needs a schema of its arguments
  check(graph, { tools: [{ name: "find" }] });
  // @ts-expect-error a model answers with text or a whole reply
  await run(graph, { models: { default: () => ({ text: "hi" }) } });
  // @ts-expect-error a revision that there is not
  mcp("http://127.0.0.1:1/mcp", { version: "2025-01-01" });
  // @ts-expect-error an answer has the user's action
  mcp("http://127.0.0.1:1/mcp", { elicitation: { form: () => ({ content: {} }) } });
  // @ts-expect-error a key is text
  mcp("http://127.0.0.1:1/mcp", { key: 1 });
  // @ts-expect-error a provider of many models needs a model
  anthropic({ apiKey: "x" });
  // @ts-expect-error without `updates` there are only events
  for await (const event of run.stream(graph)) ignoreAll(event.type === "model-delta");
  // @ts-expect-error a revision that there is not
  mcp("http://127.0.0.1:1/mcp", { version: "2027-01-01" });
  // @ts-expect-error an answer to a question is one of three
  mcp("http://127.0.0.1:1/mcp", { elicitation: { form: () => ({ action: "maybe" }) } });
  // @ts-expect-error a client of models is no source of tools
  await run(graph, { tools: [openai({})] });
  await run(graph, {
    handlers: {
      log: (node) => {
        // @ts-expect-error a handler only reads its context
        node.input = 1;
      },
    },
  });
  // @ts-expect-error the engine starts from an address or from bytes, not from a number
  await init(5);
  ignoreAll(code);
}

function ignoreAll(..._anything: unknown[]): null {
  return null;
}

export async function server(ask: (text: string) => Promise<boolean>, signal: AbortSignal): Promise<unknown> {
  const client: McpClient = mcp("http://127.0.0.1:1/mcp", {
    version: "2026-07-28",
    maxTimeoutMs: 1000,
    elicitation: {
      form: async ({ message, requestedSchema }, aborted) => ({
        action: "accept",
        content: { yes: await ask(message), requestedSchema, aborted },
      }),
      url: ({ url }) => ({ action: url.startsWith("https:") ? "accept" : "decline" }),
    },
    sampling: ({ messages }) => ({ role: "assistant", content: messages.length, model: "mine" }),
    roots: [{ uri: "file:///project" }],
  });
  const changes: McpChange[] = [];
  await client.watch((change) => changes.push(change), { signal, resources: ["file:///a"] });
  const uri = changes.map((change) => (change.what === "resource" ? change.uri : change.what));
  const { value } = await client.call(
    "a",
    {},
    { signal, onProgress: ({ progress, total = 0 }) => ignoreAll(progress / total) },
  );
  const name: string | undefined = client.about().server?.name;
  return [
    uri,
    value,
    name,
    await client.request("resources/read", { uri: "file:///a" }, { fresh: true, timeoutMs: 5, signal }),
  ];
}

export const startEditor = (): Promise<void> => initEditor(editorWasm);

export function editing(text: string, tools: ToolInfo[]): PlanSymbol[] {
  const document = new PlanDocument(text, { tools, types: ["send"], format: "yaml" });
  const edits: GraphEdit[] = [
    { op: "add_node", node: "a", value: { type: "log" } },
    { op: "set_setting", edge: 0, path: ["condition"], value: null },
    { op: "move_nodes", places: { a: [1, 2], b: null }, scope: "fan/a" },
  ];
  // @ts-expect-error there is no such operation
  edits.push({ op: "remove", node: "a" });
  // @ts-expect-error a setting is of a node or of an edge
  edits.push({ op: "set_setting", path: "x", value: 1 });
  const { changes, undo, refused } = document.edit(edits);
  const why: string | undefined = refused?.message;
  document.change([...changes, ...undo, { span: { start: 0, end: 1 }, text: why ?? "" }]);
  const list: Completion[] = document.complete(3);
  const first: "yaml" | "json" = document.language;
  const key: string | undefined =
    document.diagram()?.nodes[0]?.key ?? document.hover(1)?.markdown ?? list[0]?.snippet ?? first;
  const kind: (typeof tokenKinds)[number] = tokenKinds[document.tokens()[2] ?? 0] ?? "key";
  document.setText(`${key}${kind}${formatPlan(text).text}${editPlan(text, edits, { format: "json" }).text}`);
  document[Symbol.dispose]();
  return document.symbols();
}

/** Every journal and every workflow engine that has an entry. */
export async function survives(
  graph: PlanGraph,
  sdk: RestateSdk,
  step: WorkflowStepLike,
  call: RemoteCall,
): Promise<unknown[]> {
  const journal: Journal = promiseJournal({
    answer: async (asked) =>
      asked.kind === "call" ? asked.work() : asked.kind === "timer" ? asked.dueMs : { decision: asked.approval.input },
  });
  const report: Report = await runDurable([graph, graph], journal, {
    input: 1,
    retries: "host",
    maxResultBytes: 1000,
    store: { put: async (call) => call, get: async (at) => at },
  });
  const memory = new MemoryJournal({ lines: MemoryJournal.lines(""), onApproval: () => "approved" });
  memory.decide("ask:1:1", { value: 1 });
  // @ts-expect-error a decision is `approved`, `rejected` or `{ value }`
  memory.decide("ask:1:1", "perhaps");
  // @ts-expect-error stubs are no business of a durable run
  await runDurable(graph, memory, { stubs: {} });
  return [
    report,
    planWorkflow(sdk, { name: "order", plan: graph }).handlers.run,
    await runPlan({ payload: 1 }, step, graph),
    approvalEvent("ask:1:1"),
    await executeCall(call, {}),
  ];
}

export async function tracedRun(graph: PlanGraph, options: RunOptions): Promise<TraceContext | undefined> {
  const telemetry: Telemetry = otel({
    url: "http://127.0.0.1:4318",
    headers: async () => ({ authorization: "Bearer" }),
    resource: { "service.name": "a", sizes: [1, 2] },
    propagate: ({ kind }) => (kind === "tool" ? "all" : "meta"),
  });
  // @ts-expect-error there is neither a receiver nor an SDK
  otel({ content: true });
  const report: Report = await telemetry.run(graph, options, {
    parent: "00-",
    links: [{ traceparent: "00-" }],
    attributes: { a: true },
  });
  for await (const event of telemetry.stream(graph, options)) if (event.type === "run-ended") break;
  const traced = telemetry.trace(graph, options);
  traced.end(await run(graph, traced.options));
  await telemetry.close({ timeoutMs: 5 });
  const lost: number = telemetry.stats.lost;
  return lost > 0 ? telemetry.export(graph, report) : telemetry.contextOf(report);
}

export async function programs(graph: PlanGraph): Promise<Report> {
  const how: StdioOptions = { command: "npx", args: ["-y", "server"], env: { KEY: "x" }, cwd: "/", name: "memory" };
  const memory = stdio({ ...how, roots: [{ uri: "file:///project" }], timeoutMs: 1000 });
  const report = await run(graph, { tools: [memory] });
  await memory.close();
  // @ts-expect-error: a program has no key.
  stdio({ command: "npx", key: "x" });
  return report;
}

export async function auditing(
  graph: PlanGraph,
  db: {
    exec(sql: string): void;
    prepare(sql: string): {
      run(...values: (string | number | null)[]): unknown;
      all(...values: (string | number | null)[]): unknown[];
    };
    close(): void;
  },
): Promise<string[]> {
  const store: AuditStore = await openAudit({ db }, { waitMs: 10 });
  const options: ForkOptions = { cassette: [] };
  const audit: Audited<ForkOptions> = audited(graph, options, store, {
    key: "order-1",
    onError: ({ code, help }: AuditError, kept) => console.log(code satisfies AuditCode, help, kept),
  });
  const report: Report = await audit.end(fork(graph, audit.options));
  const { runs, next } = store.runs({
    status: ["failed", "unfinished"],
    plan: graph.hash,
    since: Date.now() - 1000,
    limit: 5,
  });
  // @ts-expect-error there is no such status
  store.runs({ status: "dead" });
  const sink: AuditSink = {
    write: async ({ run, events, end }) => console.log(run.key ?? run.id, events[0]?.json, end?.outcome.type),
  };
  audited(graph, { input: 1 }, sink).options.input satisfies number;
  // @ts-expect-error a sink writes
  audited(graph, {}, { spill: () => "" });
  const status: AuditStatus | undefined = runs[0]?.status;
  const { events }: EventPage = store.events(audit.id, { type: "node-failed" });
  return [report.outcome.type, status ?? "", next ?? "", events[0]?.type ?? "", ...store.cassette(audit.id)];
}

export async function chatting(graph: PlanGraph, model: AiSdkModel, input: AgUiInput): Promise<string[]> {
  const models = { default: aiSdk(model, { providerOptions: { openai: { reasoningEffort: "low" } } }) };
  const message = { id: "m", role: "assistant", parts: [{ type: "text", text: "hi" }] };
  const decisions = decisionsOf(message);
  const stream: ReadableStream<UIMessageChunk> = toUIMessageStream(
    run.stream(graph, { models, decisions, updates: true }),
    { message, errorText: ({ message: text }) => text },
  );
  // @ts-expect-error there is no such option
  toUIMessageStream([], { nodes: [] });
  // @ts-expect-error a name is no model
  aiSdk("gpt-5");
  const types: string[] = [];
  const { value: chunk } = await stream.getReader().read();
  if (chunk?.type === "text-delta") types.push(chunk.delta);
  const events: AsyncIterable<AgUiEvent> = toAgUi(run.stream(graph, { models, updates: true }), { input });
  for await (const event of events) if (event.type === "RUN_ERROR") types.push(event.code);
  return types;
}
