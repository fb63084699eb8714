/**
 * Runs one plan at a time, in a worker or on the page's thread.
 *
 * Invariants: each run ends with `ended` and the state `ended`, even on errors. After the next one starts, it sends
 * nothing more.
 */
import type * as Engine from "stepgraph/web";
import type { Approval, Decision, PlanGraph, PlanTest, Report, RunOptions, Stubs, TraceEvent } from "stepgraph/web";
import { truncate } from "./truncate.js";
import { toRunOutcome, planStepLimit, rejectedRun } from "./outcome.js";
import { GivenApprovals, type GuardedCall } from "./guarded-calls.js";
import { nodeDescription } from "./plan-nodes.js";
import { NodePaths } from "./node-paths.js";
import type { RunnerRequest, ForkChange, RunnerInput, RunnerOutput, StartOptions, RunnerMessage } from "./protocol.js";
import { RemoteHost } from "./remote-host.js";
import { EventRelay } from "./event-relay.js";
import { updateStubs } from "./stubs-file.js";
import { pagePrices, planCost } from "./plan-cost.js";
import { runPlanTests } from "./plan-tests.js";
import { testOfRun } from "./test-file.js";
import { CallUpdates } from "./updates.js";

/** Protects memory from loops. */
const MAX_STEPS = 100_000;
const MAX_FULL_VALUE = 1_000_000;

type BeginRequest = Extract<RunnerRequest, { type: "start" | "fork" | "replay" }>;
type ControlRequest = Exclude<
  RunnerRequest,
  BeginRequest | { type: "tests" | "stubs" | "value" | "file" | "cost" | "to-test" }
>;

interface CurrentRun {
  relay: EventRelay;
  stop: AbortController;
  /** Keyed by call. */
  pendingApprovals: Map<string, (decision: Decision) => void>;
  given: GivenApprovals;
  trace: TraceEvent[];
  graph: PlanGraph | null;
  report: Report | null;
}

export class Runner {
  readonly #engine: typeof Engine;
  readonly #post: (message: RunnerOutput) => void;
  readonly #remote: RemoteHost;
  #current: CurrentRun | null = null;

  constructor(engine: typeof Engine, post: (message: RunnerOutput) => void) {
    this.#engine = engine;
    this.#post = post;
    this.#remote = new RemoteHost(post);
  }

  receive(message: RunnerInput): void {
    if ("result" in message) return this.#remote.receive(message);
    switch (message.type) {
      case "start":
      case "fork":
      case "replay":
        return void this.#start(message);
      case "tests":
        return void runPlanTests(this.#engine, message).then((reply) => this.#send(reply));
      case "cost":
        return this.#send(planCost(this.#engine, message));
      case "to-test":
        return void testOfRun(this.#engine, message).then((reply) => this.#send(reply));
      case "stubs":
        return this.#send(updateStubs(this.#engine, message));
      case "value":
        return this.#sendValue(message.id, this.#current?.relay.fullValue(message.event));
      case "file":
        return this.#sendFile(message.which);
      default:
        if (this.#current !== null) controlRun(this.#current, message);
    }
  }

  #send(message: RunnerMessage): void {
    const isForScripts = message.type === "lines" || message.type === "file" || message.type === "ended";
    this.#post(isForScripts ? message : JSON.stringify(message));
  }

  async #start(request: BeginRequest): Promise<void> {
    this.#current?.stop.abort();
    const relay = new EventRelay((message) => this.#current === current && this.#send(message), request);
    const current: CurrentRun = {
      relay,
      stop: new AbortController(),
      pendingApprovals: new Map(),
      given: new GivenApprovals(),
      trace: [],
      report: null,
      graph: null,
    };
    this.#current = current;
    const { graph, diagnostics } = this.#engine.PlanGraph.parse(request.plan);
    try {
      if (!graph?.valid)
        return relay.send({ type: "ended", ...rejectedRun("run/invalid-plan", "the plan has errors", diagnostics) });
      const paths = new NodePaths(graph.nodes);
      relay.paths = paths;
      current.graph = graph;
      relay.state("running");
      current.report = await this.#run(request, graph, this.#options(request, graph, current, paths));
      // The report needs the hash after the plan is freed.
      void current.report.planHash;
      await relay.debug.whenDrained();
      relay.flush();
      relay.send({ type: "ended", ...toRunOutcome(current.report, paths) });
    } catch (error) {
      const { code, message } = Object(error) as { code?: unknown; message?: unknown };
      relay.flush();
      relay.send({
        type: "ended",
        ...rejectedRun(typeof code === "string" ? code : "run/refused", String(message ?? error)),
      });
    } finally {
      relay.send({ type: "state", state: "ended" });
      graph?.free();
    }
  }

  #run(request: BeginRequest, graph: PlanGraph, options: RunOptions): Promise<Report> {
    if (request.type === "start") return this.#engine.run(graph, options);
    // Forks and replays default to the recorded input.
    const { input: _input, ...rest } = options;
    const input = request.input === undefined ? {} : { input: request.input };
    if (request.type === "fork")
      return this.#engine.fork(graph, {
        ...rest,
        ...input,
        cassette: request.cassette,
        ...forkOptions(request.change),
      });
    return this.#replay(graph, request, input, rest);
  }

  /** At their times, after earlier events. */
  async #replay(
    graph: PlanGraph,
    { cassette }: Extract<BeginRequest, { type: "replay" }>,
    input: RunOptions,
    { onEvent, record, context }: RunOptions,
  ): Promise<Report> {
    const events: TraceEvent[] = [];
    const report = await this.#engine.run(graph, {
      ...input,
      ...(context && { context }),
      replay: cassette,
      onEvent: (event) => void events.push(event),
    });
    let next = 0;
    const until = (atMs: number) => {
      for (; next < events.length && events[next]!.atMs <= atMs; next++) onEvent?.(events[next]!);
    };
    for (const line of cassette.split("\n").filter((text) => text.trim() !== "")) {
      const at = lineTime(line);
      if (at !== undefined) until(at);
      record?.(line);
    }
    until(Infinity);
    return report;
  }

  #options(request: StartOptions, graph: PlanGraph, current: CurrentRun, paths: NodePaths): RunOptions {
    const { relay, stop } = current;
    const planTest = this.#planTest(request.test, graph);
    const { allow, limits } = request;
    // As elsewhere, a test calls only stubs. Otherwise its decisions would approve real calls.
    const { host = { tools: [], models: [] } } = planTest === undefined ? request : {};
    const stubs = planTest === undefined ? this.#parseStubs(request.stubs) : planTest.stubs;
    const steps = Math.min(limits?.steps ?? planStepLimit(graph) ?? MAX_STEPS, MAX_STEPS);
    const updates = new CallUpdates((message) => relay.send(message));
    return {
      ...initialValues(planTest ?? { input: request.input, context: request.context, memory: request.memory }),
      limits: { ...limits, steps },
      ...(stubs && { stubs }),
      ...(allow !== undefined && { allow }),
      signal: stop.signal,
      clock: relay.clock,
      ...(host.tools.length > 0 && { tools: host.tools.map((name) => this.#remote.toolClient(name)) }),
      ...(host.models.length > 0 && {
        models: Object.fromEntries(host.models.map((key) => [key, this.#remote.modelClient(key, host.names?.[key])])),
        prices: pagePrices(this.#engine),
      }),
      onEvent: (event) => {
        current.trace.push(event);
        relay.event(event);
      },
      onUpdate: (update) => updates.push(update),
      record: (line) => relay.line(line),
      onCall: ({ node, scope = "" }) => relay.debug.holdCall(scope, paths.nodePath(scope, node)),
      onApproval: (approval, signal) =>
        planTest?.decisions?.[approval.call] ??
        planTest?.decisions?.[approval.node] ??
        this.#askOnce(approval, signal, current, paths, (planTest ?? request).context),
    };
  }

  /** An approval of an `approve` node counts for the call that its question shows. */
  #askOnce(
    approval: Approval,
    signal: AbortSignal,
    current: CurrentRun,
    paths: NodePaths,
    context: Record<string, unknown> | undefined,
  ): Promise<Decision> {
    const nodePath = paths.nodePath(approval.scope, approval.node);
    let json: unknown;
    const plan = () => (json ??= current.graph?.toJSON());
    const run = { plan, paths, context, trace: current.trace, engine: this.#engine };
    return current.given.decide(approval, run, (guarded) =>
      requestApproval(approval, signal, current, { nodePath, plan: plan(), guarded }),
    );
  }

  #planTest(name: string | undefined, graph: PlanGraph): PlanTest | undefined {
    if (name === undefined) return undefined;
    const found = this.#engine.testsOf(graph).find((one) => one.name === name);
    if (found === undefined) throw new Error(`the plan has no test \`${name}\``);
    return found;
  }

  #parseStubs(text = ""): Stubs | undefined {
    if (text.trim() === "") return undefined;
    const { value, diagnostics } = this.#engine.readYaml(text);
    const wrong = diagnostics.find(({ severity }) => severity === "error");
    if (wrong)
      throw Object.assign(new Error(`the stubs can't be read: ${wrong.message}`), { code: "stub/wrong-shape" });
    return value === null ? undefined : (value as Stubs);
  }

  #sendValue(id: number, value: unknown): void {
    const { text, cut = false } = truncate(value, MAX_FULL_VALUE);
    this.#send({ type: "value", id, text, cut });
  }

  #sendFile(which: "report" | "trace"): void {
    if (this.#current === null) return;
    const { report, trace } = this.#current;
    const text =
      which === "report"
        ? `${JSON.stringify(report, null, 2)}\n`
        : trace.map((event) => `${JSON.stringify(event)}\n`).join("");
    const kind = which === "report" ? "application/json" : "application/x-ndjson";
    this.#send({ type: "file", name: which === "report" ? "report.json" : "trace.ndjson", kind, text });
  }
}

function controlRun({ relay, stop, pendingApprovals }: CurrentRun, request: ControlRequest): void {
  const { debug } = relay;
  switch (request.type) {
    case "pause":
      return debug.pause();
    case "resume":
      return debug.resume();
    case "step":
      return debug.step(request.over);
    case "run-to":
      return debug.runTo(request.nodePath);
    case "breakpoints":
      debug.breakpoints = request.nodePaths;
      return;
    case "pace":
      debug.pace = request.ms;
      return;
    case "decide":
      return pendingApprovals.get(request.call)?.(request.decision);
    case "stop":
      stop.abort();
      return debug.finish();
  }
}

/** Waits until earlier events are visible. */
function requestApproval(
  { call, scope, input, tool, metadata }: Approval,
  signal: AbortSignal,
  { relay, pendingApprovals }: CurrentRun,
  { nodePath, plan, guarded }: { nodePath: string; plan: unknown; guarded: GuardedCall | undefined },
): Promise<Decision> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      pendingApprovals.delete(call);
      relay.send({ type: "settled", call });
    };
    pendingApprovals.set(call, (decision) => (settle(), resolve(decision)));
    signal.addEventListener("abort", () => (settle(), reject(new Error("the call was abandoned"))), {
      once: true,
    });
    relay.flush();
    relay.send({
      type: "approval",
      call,
      nodePath,
      lane: scope,
      tool: tool ?? null,
      input: input ?? null,
      title: metadata.title ?? nodeDescription(plan, nodePath),
      next: guarded === undefined ? null : { tool: guarded.tool, arguments: guarded.arguments },
    });
  });
}

/** `undefined` without a time. */
function lineTime(line: string): number | undefined {
  try {
    const { atMs } = JSON.parse(line) as { atMs?: unknown };
    return typeof atMs === "number" ? atMs : undefined;
  } catch {
    return undefined;
  }
}

function forkOptions({ call, output, error, decision }: ForkChange): Record<string, unknown> {
  if (call === undefined) return {};
  return { at: call, ...(decision !== undefined ? { decision } : error !== undefined ? { error } : { output }) };
}

function initialValues({
  input,
  outputs,
  memory,
  context,
}: Pick<RunOptions, "input" | "outputs" | "memory" | "context">): RunOptions {
  const given = Object.entries({ outputs, memory, context }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return { input: input ?? null, ...Object.fromEntries(given) };
}
