/**
 * Runs plans for the page: takes what it asks and tells what happens, on whichever thread.
 *
 * Decides nothing about a run: the engine does, and the cursor says what of it is shown. One run at a time; a new one
 * ends the one before. Invariants: each run ends with `ended`, whatever went wrong; nothing of an earlier run is told
 * after a new one began.
 */
import type * as Engine from "stepgraph/web";
import type { Approval, Decision, PlanGraph, PlanTest, Report, RunOptions, Stubs, TraceEvent } from "stepgraph/web";
import { brief } from "./truncate.js";
import { ended, planned, refused } from "./outcome.js";
import { NodePaths } from "./node-paths.js";
import type {
  RunnerRequest,
  ForkChange,
  HostResponse,
  HostRequest,
  PostLine,
  StartOptions,
  RunnerMessage,
} from "./protocol.js";
import { RemoteHost } from "./remote-host.js";
import { EventRelay } from "./event-relay.js";
import { standIns } from "./stubs-file.js";
import { tested } from "./plan-tests.js";
import { CallUpdates } from "./updates.js";

/** How many nodes a run visits at most unless plan or page want fewer: a loop must not fill the memory. */
const STEPS = 100_000;
/** The longest value that is told in full. */
const WHOLE = 1_000_000;

type BeginRequest = Extract<RunnerRequest, { type: "start" | "fork" | "replay" }>;
type ControlRequest = Exclude<RunnerRequest, BeginRequest | { type: "tests" | "stubs" | "value" | "file" }>;

/** The run under way, or the last. */
interface CurrentRun {
  stage: EventRelay;
  stop: AbortController;
  /** What people are asked, by call. */
  open: Map<string, (decision: Decision) => void>;
  trace: TraceEvent[];
  report: Report | null;
}

/** A runner: `take` is what it is told, `post` what it says. */
export class Runner {
  readonly #engine: typeof Engine;
  readonly #post: PostLine;
  readonly #remote: RemoteHost;
  #current: CurrentRun | null = null;

  constructor(engine: typeof Engine, post: PostLine) {
    this.#engine = engine;
    this.#post = post;
    this.#remote = new RemoteHost((need: HostRequest) => post(JSON.stringify(need)));
  }

  /** Takes a line of the page. */
  take(line: string): void {
    const said = JSON.parse(line) as RunnerRequest | HostResponse;
    if ("given" in said) return this.#remote.give(said);
    switch (said.type) {
      case "start":
      case "fork":
      case "replay":
        return void this.#begin(said);
      case "tests":
        return void tested(this.#engine, said).then((told) => this.#tell(told));
      case "stubs":
        return this.#tell(standIns(this.#engine, said));
      case "value":
        return this.#value(said.id, this.#current?.stage.whole(said.event));
      case "file":
        return this.#file(said.which);
      default:
        if (this.#current !== null) steer(this.#current, said);
    }
  }

  #tell(told: RunnerMessage): void {
    this.#post(JSON.stringify(told));
  }

  async #begin(asked: BeginRequest): Promise<void> {
    this.#current?.stop.abort();
    const stage = new EventRelay((told) => this.#current === current && this.#tell(told), asked);
    const current: CurrentRun = { stage, stop: new AbortController(), open: new Map(), trace: [], report: null };
    this.#current = current;
    const { graph, diagnostics } = this.#engine.PlanGraph.parse(asked.plan);
    try {
      if (!graph?.valid)
        return stage.tell({ type: "ended", ...refused("run/invalid-plan", "the plan has errors", diagnostics) });
      const places = new NodePaths(graph.nodes);
      stage.places = places;
      stage.state("running");
      current.report = await this.#drive(asked, graph, this.#options(asked, graph, current, places));
      // The report asks the plan for its hash when it is written; known once, it is known without the plan.
      void current.report.planHash;
      await stage.cursor.drained();
      stage.flush();
      stage.tell({ type: "ended", ...ended(current.report, places) });
    } catch (error) {
      const { code, message } = Object(error) as { code?: unknown; message?: unknown };
      stage.flush();
      stage.tell({
        type: "ended",
        ...refused(typeof code === "string" ? code : "run/refused", String(message ?? error)),
      });
    } finally {
      stage.tell({ type: "state", state: "ended" });
      graph?.free();
    }
  }

  #drive(asked: BeginRequest, graph: PlanGraph, options: RunOptions): Promise<Report> {
    if (asked.type === "start") return this.#engine.run(graph, options);
    // A fork and a replay have the recorded input, unless they are given another.
    const { input: _input, ...rest } = options;
    const given = asked.input === undefined ? {} : { input: asked.input };
    if (asked.type === "fork")
      return this.#engine.fork(graph, { ...rest, ...given, cassette: asked.cassette, ...changeOf(asked.change) });
    return this.#replay(graph, asked, given, rest);
  }

  /** What was recorded is told as if it happened now: each line at its time, after the events of that time. */
  async #replay(
    graph: PlanGraph,
    { cassette }: Extract<BeginRequest, { type: "replay" }>,
    given: RunOptions,
    { onEvent, record, context }: RunOptions,
  ): Promise<Report> {
    const events: TraceEvent[] = [];
    const report = await this.#engine.run(graph, {
      ...given,
      ...(context && { context }),
      replay: cassette,
      onEvent: (event) => void events.push(event),
    });
    let next = 0;
    const until = (atMs: number) => {
      for (; next < events.length && events[next]!.atMs <= atMs; next++) onEvent?.(events[next]!);
    };
    for (const line of cassette.split("\n").filter((text) => text.trim() !== "")) {
      const at = atOf(line);
      if (at !== undefined) until(at);
      record?.(line);
    }
    until(Infinity);
    return report;
  }

  #options(asked: StartOptions, graph: PlanGraph, current: CurrentRun, places: NodePaths): RunOptions {
    const { stage, stop } = current;
    const beside = this.#beside(asked.test, graph);
    const { host = { tools: [], models: [] }, allow, limits } = asked;
    const stubs = beside === undefined ? this.#stubs(asked.stubs) : beside.stubs;
    const steps = Math.min(limits?.steps ?? planned(graph) ?? STEPS, STEPS);
    const updates = new CallUpdates((told) => stage.tell(told));
    return {
      ...givenBy(beside ?? { input: asked.input, context: asked.context, memory: asked.memory }),
      limits: { ...limits, steps },
      ...(stubs && { stubs }),
      ...(allow !== undefined && { allow }),
      signal: stop.signal,
      clock: stage.clock,
      ...(host.tools.length > 0 && { tools: host.tools.map((name) => this.#remote.tools(name)) }),
      ...(host.models.length > 0 && {
        models: Object.fromEntries(host.models.map((name) => [name, this.#remote.model(name)])),
      }),
      onEvent: (event) => {
        current.trace.push(event);
        stage.event(event);
      },
      onUpdate: (update) => updates.take(update),
      record: (line) => stage.line(line),
      onCall: ({ node, scope = "" }) => stage.cursor.hold(scope, places.node(scope, node)),
      onApproval: (approval, signal) =>
        beside?.decisions?.[approval.call] ??
        beside?.decisions?.[approval.node] ??
        approve(approval, signal, current, places),
    };
  }

  #beside(name: string | undefined, graph: PlanGraph): PlanTest | undefined {
    if (name === undefined) return undefined;
    const found = this.#engine.testsOf(graph).find((one) => one.name === name);
    if (found === undefined) throw new Error(`the plan has no test \`${name}\``);
    return found;
  }

  #stubs(text = ""): Stubs | undefined {
    if (text.trim() === "") return undefined;
    const { value, diagnostics } = this.#engine.readYaml(text);
    const wrong = diagnostics.find(({ severity }) => severity === "error");
    if (wrong)
      throw Object.assign(new Error(`the stand-ins can't be read: ${wrong.message}`), { code: "stub/wrong-shape" });
    return value === null ? undefined : (value as Stubs);
  }

  #value(id: number, value: unknown): void {
    const { text, cut = false } = brief(value, WHOLE);
    this.#tell({ type: "value", id, text, cut });
  }

  #file(which: "report" | "trace"): void {
    if (this.#current === null) return;
    const { report, trace } = this.#current;
    const text =
      which === "report"
        ? `${JSON.stringify(report, null, 2)}\n`
        : trace.map((event) => `${JSON.stringify(event)}\n`).join("");
    const kind = which === "report" ? "application/json" : "application/x-ndjson";
    this.#tell({ type: "file", name: which === "report" ? "report.json" : "trace.ndjson", kind, text });
  }
}

/** Whatever moves a run that is there. */
function steer({ stage, stop, open }: CurrentRun, said: ControlRequest): void {
  const { cursor } = stage;
  switch (said.type) {
    case "pause":
      return cursor.pause();
    case "resume":
      return cursor.resume();
    case "step":
      return cursor.step(said.over);
    case "to":
      return cursor.to(said.place);
    case "breakpoints":
      cursor.breakpoints = said.places;
      return;
    case "pace":
      cursor.pace = said.ms;
      return;
    case "decide":
      return open.get(said.call)?.(said.decision);
    case "stop":
      stop.abort();
      return cursor.finish();
  }
}

/** Asks a person, who takes time: everything that led there is shown first. */
function approve(
  { call, node, scope, input, tool, metadata }: Approval,
  signal: AbortSignal,
  { stage, open }: CurrentRun,
  places: NodePaths,
): Promise<Decision> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      open.delete(call);
      stage.tell({ type: "settled", call });
    };
    open.set(call, (decision) => (settle(), resolve(decision)));
    signal.addEventListener("abort", () => (settle(), reject(new Error("nobody waits for it any more"))), {
      once: true,
    });
    stage.flush();
    stage.tell({
      type: "approval",
      call,
      place: places.node(scope, node),
      lane: scope,
      tool: tool ?? null,
      input: input ?? null,
      title: metadata.title ?? null,
    });
  });
}

/** When the line of a cassette happened; nothing for what only follows from another, and for what is no line. */
function atOf(line: string): number | undefined {
  try {
    const { atMs } = JSON.parse(line) as { atMs?: unknown };
    return typeof atMs === "number" ? atMs : undefined;
  } catch {
    return undefined;
  }
}

function changeOf({ call, output, error, decision }: ForkChange): Record<string, unknown> {
  if (call === undefined) return {};
  return { at: call, ...(decision !== undefined ? { decision } : error !== undefined ? { error } : { output }) };
}

function givenBy({
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
