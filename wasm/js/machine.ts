/**
 * The machine itself, synchronous: events in, commands and trace out. For hosts that wait in their own way, such as
 * durable engines, whose replay must meet the same commands again.
 */
import { engineError } from "./engine.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { EMPTY_REGISTRY, hostCapabilities, indexTools, withoutChangedTools, type ToolRegistry } from "./host.js";
import { assertLimits, assertOptions, type Kinds, RUN } from "./options.js";
import { EngineRun } from "./engine-run.js";
import { assertSnapshot } from "./run-settings.js";
import {
  ABANDON,
  APPROVAL,
  CLEAR_TIMER,
  type Command as Raw,
  CONTINUE,
  FINISHED,
  MODEL,
  REFUSED,
  SET_TIMER,
  TOOL,
} from "./command.js";
import type { Action } from "./program.js";
import { NodeCall } from "./handler-state.js";
import { isDecision } from "./guards.js";
import type {
  Approval,
  ChatReply,
  ChatRequest,
  Decision,
  Node,
  Outcome,
  Report,
  Retry,
  RunOptions,
  Snapshot,
  State,
  ToolInfo,
  TraceEvent,
} from "./types.js";

/** Outside to run. `atMs` counts from any fixed moment. */
export type RunEvent =
  | { type: "start"; atMs: number }
  /** The first event of a run from a snapshot: what was outstanding is asked again, under the same names. */
  | { type: "resume"; atMs: number }
  | { type: "call-done"; call: string; output?: unknown; writes?: Record<string, unknown>; atMs: number }
  | { type: "call-done"; call: string; reply: ChatReply; atMs: number }
  | { type: "call-failed"; call: string; code: string; message: string; atMs: number }
  | { type: "decided"; call: string; decision: Decision; atMs: number }
  | { type: "timer-fired"; timer: string; atMs: number }
  /** Answers the command `continue`. */
  | { type: "continue"; atMs: number }
  | { type: "cancel"; atMs: number };

/**
 * How a call is tried again and how long a try may take, as its node has it; only where that is the host's business.
 */
export interface CallPolicy {
  retry?: Retry;
  timeoutMs?: number;
}

/**
 * Run to outside. `call` and `timer` are the same on every replay; `nodePath` is the node's place in the plan:
 * `fan/a/fetch`.
 */
export type Command =
  | ({ type: "call-handler"; call: string; node: string; nodePath: string; input: unknown } & CallPolicy)
  | ({ type: "call-tool"; call: string; node: string; nodePath: string; tool: string; arguments: unknown } & CallPolicy)
  | ({ type: "call-model"; call: string; node: string; nodePath: string; request: ChatRequest } & CallPolicy)
  /** `tool` is there when leave is asked for a call of it; `input` is then `{tool, arguments}`. */
  | { type: "ask-approval"; call: string; node: string; nodePath: string; input: unknown; tool?: string }
  | { type: "set-timer"; timer: string; afterMs: number }
  | { type: "clear-timer"; timer: string }
  | { type: "abandon"; call: string }
  /** The step did much at once and there is more: look at the clock and at whoever cancels, then feed `continue`. */
  | { type: "continue" }
  | { type: "finish"; outcome: Outcome };

/** All consequences of one event. */
export interface Step {
  commands: Command[];
  trace: TraceEvent[];
}

/** What the machine is given: what `run` is given, without what only a driver needs. */
export type MachineOptions = Pick<
  RunOptions,
  "input" | "outputs" | "memory" | "context" | "limits" | "trace" | "snapshot"
> & {
  /** The types, ids, tools and models that the host answers for. */
  types?: string[];
  ids?: string[];
  tools?: ToolInfo[];
  /** The names of the servers of tools, also of those that list nothing: `shop.pay` is a tool of `shop` alone. */
  servers?: readonly string[];
  models?: string[];
  /** Tools that need no leave of a person, whatever they say of themselves. */
  allow?: RunOptions["allow"];
  /**
   * Who tries calls again and ends those that take too long: `plan`, unless given, for which the machine sets timers;
   * `host`, to which commands then tell what the plan says. What is more than one call, such as an agent, and what asks
   * a person stays the plan's.
   */
  retries?: "plan" | "host";
};

const { input, outputs, memory, context, limits, trace, snapshot, allow } = RUN;
const OPTIONS: Kinds<MachineOptions> = {
  ...{ input, outputs, memory, context, limits, trace, snapshot, allow },
  types: "[]text",
  ids: "[]text",
  tools: "[]map",
  servers: "[]text",
  models: "[]text",
  retries: "=plan|=host",
};

/** A machine that nobody holds any more would keep its values for ever: they live in a table that the engine knows. */
const registry = new FinalizationRegistry<EngineRun>((run) => run.free());

/** A run: feed it events, carry out its commands. */
export class Run {
  readonly #run: EngineRun;
  #freed = false;
  /** What is outstanding: calls and timers by name, and their names by number. */
  readonly #calls = new Map<string, Raw>();
  readonly #timers = new Map<string, Raw>();
  readonly #names = new Map<number, string>();
  #report: Report | null = null;
  readonly #hosted: boolean;

  constructor(graph: PlanGraph, options: MachineOptions = {}) {
    assertPlan("Run", graph);
    assertOptions("Run", options, OPTIONS);
    assertLimits(options.limits, "Run");
    const named = (names: string[] | undefined) => Object.fromEntries((names ?? []).map((name) => [name, () => null]));
    assertSnapshot(options.snapshot);
    const { tools: list, servers = [] } = options;
    const tools: ToolRegistry = list
      ? withoutChangedTools({ list, servers, clients: [], indexes: indexTools(list, servers) }, options.snapshot)
      : EMPTY_REGISTRY;
    const {
      types: _types,
      ids: _ids,
      tools: _tools,
      servers: _servers,
      models: _models,
      allow,
      retries,
      ...given
    } = options;
    const { outputs, snapshot } = options;
    const host = { handlers: named(options.types), byId: named(options.ids), models: named(options.models), allow };
    const offer = hostCapabilities({ ...host, outputs, snapshot } as never, tools, retries === "host");
    this.#hosted = retries === "host";
    this.#run = new EngineRun(graph, graph.bind(offer), given, true);
    this.#run.tools = tools;
    registry.register(this, this.#run, this);
  }

  /**
   * Takes one event and gives all its consequences.
   *
   * @throws PlanError `run/unknown-call`, `run/unknown-timer`, `run/finished`, `run/already-started` when the event
   * makes no sense now, `api/freed` after `free`, `api/bad-event` for what is no event, such as a decision that is
   * none; nothing has changed then.
   */
  step(event: RunEvent): Step {
    if (this.#report !== null) throw new PlanError("run/finished", "the run is over");
    this.#assertHeld();
    assertEvent(event);
    const op = this.#fed(event);
    if (op === REFUSED)
      throw new PlanError(
        event.type === "start" ? "run/already-started" : "run/not-started",
        "the event makes no sense now",
      );
    const trace = this.#run.events();
    const commands = this.#run.commands().map((command) => this.#command(command, event.atMs));
    return { commands, trace };
  }

  /** The output before the node that made a call, in its own scope. */
  last(call: string): unknown {
    return this.#run.last(this.#asked(call).scope);
  }

  /**
   * What a handler is told of the node that it answers for.
   *
   * @throws PlanError `run/unknown-call` when no such call is outstanding, `api/freed` after `free`.
   */
  node(call: string): Node {
    const { node, input, visit, attempt, scope } = this.#asked(call);
    return new NodeCall(this.#run.program.nodes[node]!, input, visit, attempt, this.#run.pathOf(scope));
  }

  /** What a handler may read of the run; as it stands when it is read. Throws as `node` does. */
  state(call: string): Pick<State, "last" | "input" | "output"> {
    return this.#run.state(this.#asked(call), {});
  }

  /** @internal Who answers a call: `["id" | "type", name]` of a handler. */
  action(call: string): Action {
    return this.#run.program.actions[this.#asked(call).node]!;
  }

  /** What a person is asked by a call; null when it asks none. Throws as `node` does. */
  approval(call: string): Approval | null {
    return this.#run.approval(this.#asked(call));
  }

  /** The run as data, while it is under way: between any two events. */
  snapshot(atMs: number): Snapshot | null {
    if (this.#report !== null) return null;
    this.#assertHeld();
    return this.#run.snapshot(atMs);
  }

  /** How it ended, if it did. */
  get outcome(): Outcome | null {
    return this.#report?.outcome ?? null;
  }

  /** What the run has left behind so far. */
  get report(): Report {
    if (this.#report !== null) return this.#report;
    this.#assertHeld();
    return this.#run.report({ type: "cancelled" });
  }

  /** Gives the memory back at once; the collector would in time. The report of a run that is over stays. */
  free(): void {
    this.#freed = true;
    registry.unregister(this);
    this.#run.free();
  }

  #asked(call: string): Raw {
    this.#assertHeld();
    return findOutstanding(this.#calls, call, "run/unknown-call", "call");
  }

  #assertHeld(): void {
    if (this.#freed) throw new PlanError("api/freed", "this run was freed");
  }

  [Symbol.dispose](): void {
    this.free();
  }

  #fed(event: RunEvent): number {
    try {
      return this.#feed(event);
    } catch (error) {
      throw engineError(error);
    }
  }

  #feed(event: RunEvent): number {
    const run = this.#run;
    switch (event.type) {
      case "start":
        return run.start(event.atMs);
      case "resume":
        return run.resume(event.atMs);
      case "cancel":
        return run.cancel(event.atMs);
      case "continue":
        return run.continueStep(event.atMs);
      case "timer-fired": {
        const timer = findOutstanding(this.#timers, event.timer, "run/unknown-timer", "timer");
        this.#forget(timer.serial);
        return run.fireTimer(timer, event.atMs);
      }
      default:
        return this.#answer(event);
    }
  }

  #answer(event: Extract<RunEvent, { call: string }>): number {
    const run = this.#run;
    const call = findOutstanding(this.#calls, event.call, "run/unknown-call", "call");
    const writes = event.type === "call-done" && "writes" in event ? Object.entries(event.writes ?? {}) : [];
    // All names first: an event that is refused must have changed nothing.
    for (const [name] of writes) run.assertWritable(name);
    this.#forget(call.serial);
    if (event.type === "call-failed") return run.failCall(call, `${event.code}`, `${event.message}`, event.atMs);
    if (event.type === "decided") return run.decideApproval(call, event.decision, event.atMs);
    if ("reply" in event) return run.completeModelCall(call, event.reply, event.atMs);
    for (const [name, value] of writes) run.write(call.scope, call.serial, name, value);
    return run.completeCall(call, event.output, event.atMs);
  }

  #forget(serial: number): string {
    const name = this.#names.get(serial) ?? "";
    this.#names.delete(serial);
    this.#calls.delete(name);
    this.#timers.delete(name);
    return name;
  }

  #command(command: Raw, atMs: number): Command {
    const run = this.#run;
    if (command.op === FINISHED) {
      run.markEnded(atMs);
      this.#report = run.close();
      return { type: "finish", outcome: this.#report.outcome };
    }
    if (command.op === CONTINUE) return { type: "continue" };
    if (command.op === ABANDON) return { type: "abandon", call: this.#forget(command.serial) };
    if (command.op === CLEAR_TIMER) return { type: "clear-timer", timer: this.#forget(command.serial) };
    const name = run.nameOf(command);
    this.#names.set(command.serial, name);
    (command.op === SET_TIMER ? this.#timers : this.#calls).set(name, command);
    const { id: node, scope } = run.program.nodes[command.node]!;
    const nodePath = scope === undefined ? node : `${scope}/${node}`;
    const policy =
      this.#hosted && ONE_CALL.has(run.program.actions[command.node]![0])
        ? policyOf(run.program.nodes[command.node]!)
        : undefined;
    switch (command.op) {
      case SET_TIMER:
        return { type: "set-timer", timer: name, afterMs: command.afterMs };
      case TOOL:
        return {
          type: "call-tool",
          call: name,
          node,
          nodePath,
          tool: command.tool!,
          arguments: command.args,
          ...policy,
        };
      case MODEL:
        return { type: "call-model", call: name, node, nodePath, request: run.request(command), ...policy };
      case APPROVAL:
        return {
          type: "ask-approval",
          call: name,
          node,
          nodePath,
          input: command.input,
          ...(command.tool !== null && { tool: command.tool }),
        };
      default:
        return { type: "call-handler", call: name, node, nodePath, input: command.input, ...policy };
    }
  }
}

/** What a node does that is one call: those the engine leaves to a host that tries again itself. */
const ONE_CALL: ReadonlySet<string> = new Set(["id", "type", "tool", "llm"]);

function policyOf({ retry, timeoutMs }: CallPolicy): CallPolicy {
  return { ...(retry && { retry }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

function findOutstanding(known: ReadonlyMap<string, Raw>, name: string, code: string, what: string): Raw {
  const found = known.get(name);
  if (found === undefined) throw new PlanError(code, `${what} \`${name}\` is not outstanding`);
  return found;
}

/** What plain JavaScript may get wrong. A decision above all: what is none must never count as leave. */
function assertEvent(event: RunEvent): void {
  const bad = (what: string) => new PlanError("api/bad-event", what);
  if (!Number.isFinite(event.atMs))
    throw bad(`an event has \`atMs\`, milliseconds as a number, not ${String(event.atMs)}`);
  if (event.type === "decided" && !isDecision(event.decision))
    throw bad("a decision is `approved`, `rejected` or `{ value }`");
  if (event.type === "call-failed" && typeof event.code !== "string")
    throw bad("a call that failed has a `code`, which is text");
}
