/** The synchronous machine for hosts that wait themselves. Durable engines must see equal commands on replay. */
import { engineError, inEngine, isUnusable } from "./engine.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { EMPTY_REGISTRY, hostCapabilities, indexTools, type ToolRegistry } from "./host.js";
import { withoutChangedTools } from "./host-clients.js";
import { MACHINE_OPTIONS, type MachineOptions, type Recording } from "./machine-options.js";
import { assertLimits, assertOptions } from "./options.js";
import { RecordingRun } from "./cassette.js";
import { EngineRun } from "./engine-run.js";
import { assertSnapshot } from "./snapshot-shape.js";
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
  Snapshot,
  State,
  TraceEvent,
} from "./types.js";

/** An event for a machine. `atMs` counts from any fixed moment. */
export type RunEvent =
  | { type: "start"; atMs: number }
  /** Open calls are requested again under the same names. */
  | { type: "resume"; atMs: number }
  | { type: "call-done"; call: string; output?: unknown; writes?: Record<string, unknown>; atMs: number }
  | { type: "call-done"; call: string; reply: ChatReply; atMs: number }
  | { type: "call-failed"; call: string; code: string; message: string; atMs: number }
  | { type: "decided"; call: string; decision: Decision; atMs: number }
  | { type: "timer-fired"; timer: string; atMs: number }
  /** Answers the command `continue`. */
  | { type: "continue"; atMs: number }
  | { type: "cancel"; atMs: number };

/** For the host to handle. */
export interface CallPolicy {
  retry?: Retry;
  timeoutMs?: number;
}

/** A command for the host. `call` and `timer` are stable on replay. `nodePath` is as in `fan/a/fetch`. */
export type Command =
  | ({ type: "call-handler"; call: string; node: string; nodePath: string; input: unknown } & CallPolicy)
  | ({ type: "call-tool"; call: string; node: string; nodePath: string; tool: string; arguments: unknown } & CallPolicy)
  | ({ type: "call-model"; call: string; node: string; nodePath: string; request: ChatRequest } & CallPolicy)
  /** If `tool` is present, `input` is `{tool, arguments}`. */
  | { type: "ask-approval"; call: string; node: string; nodePath: string; input: unknown; tool?: string }
  | { type: "set-timer"; timer: string; afterMs: number }
  | { type: "clear-timer"; timer: string }
  | { type: "abandon"; call: string }
  /** Check clock and cancellation, then feed `continue`. */
  | { type: "continue" }
  | { type: "finish"; outcome: Outcome };

/** Commands and events of a step. */
export interface Step {
  commands: Command[];
  trace: TraceEvent[];
}

/** Garbage collection must free the engine's tables. */
const registry = /* @__PURE__ */ new FinalizationRegistry<EngineRun>((run) => run.free());

/** A run: feed events, execute commands. */
export class Run {
  readonly #run: EngineRun;
  #freed = false;
  /** It left the engine in the middle of a step. */
  #failure: PlanError | undefined;
  /** Open calls and timers by name, and names by serial. */
  readonly #calls = new Map<string, Raw>();
  readonly #timers = new Map<string, Raw>();
  readonly #names = new Map<number, string>();
  #report: Report | null = null;
  readonly #hosted: boolean;

  constructor(graph: PlanGraph, options?: MachineOptions);
  /** @internal */
  constructor(graph: PlanGraph, options?: MachineOptions, recording?: Recording);
  constructor(graph: PlanGraph, options: MachineOptions = {}, recording?: Recording) {
    assertPlan("Run", graph);
    assertOptions("Run", options, MACHINE_OPTIONS);
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
      epochMs,
      ...given
    } = options;
    const { outputs, snapshot } = options;
    const host = { handlers: named(options.types), byId: named(options.ids), models: named(options.models), allow };
    const offer = hostCapabilities({ ...host, outputs, snapshot } as never, tools, retries === "host");
    this.#hosted = retries === "host";
    const program = graph.bind(offer);
    this.#run = recording
      ? new RecordingRun(graph, program, { ...given, ...recording, onEvent: () => {} }, offer, epochMs)
      : new EngineRun(graph, program, given, true, epochMs);
    this.#run.tools = tools;
    registry.register(this, this.#run, this);
  }

  /**
   * Feeds one event and returns its consequences.
   *
   * @throws PlanError `run/unknown-call`, `run/unknown-timer`, `run/finished`, `run/already-started`,
   * `run/not-started`, `api/freed` or `api/bad-event`. The run is then unchanged. In a page also `api/not-loaded`, if a
   * part of the engine can't be loaded in the middle of the step. The run then can't go on: each later call says so.
   */
  step(event: RunEvent): Step {
    if (this.#report !== null) throw new PlanError("run/finished", "the run is over");
    this.#assertHeld();
    assertEvent(event);
    try {
      return inEngine(() => this.#consequences(event));
    } catch (error) {
      throw this.#coded(error);
    }
  }

  #consequences(event: RunEvent): Step {
    const op = this.#feed(event);
    if (op === REFUSED)
      throw new PlanError(
        event.type === "start" ? "run/already-started" : "run/not-started",
        "the event makes no sense now",
      );
    const trace = this.#run.events();
    const commands = this.#run.commands().map((command) => this.#command(command, event.atMs));
    return { commands, trace };
  }

  #coded(failure: unknown): unknown {
    const error = engineError(failure);
    if (isUnusable(error)) this.#failure = error;
    return error;
  }

  /** The output before a call's node. */
  last(call: string): unknown {
    return this.#run.last(this.#outstandingCall(call).scope);
  }

  /**
   * Returns the node of a call.
   *
   * @throws PlanError `run/unknown-call` if the call is not open, `api/freed` after `free`.
   */
  node(call: string): Node {
    const { node, input, visit, attempt, scope } = this.#outstandingCall(call);
    return new NodeCall(this.#run.program.nodes[node]!, input, visit, attempt, this.#run.pathOf(scope));
  }

  /** The state for a handler. Throws as `node` does. */
  state(call: string): Pick<State, "last" | "input" | "output"> {
    return this.#run.state(this.#outstandingCall(call), {});
  }

  /** @internal */
  action(call: string): Action {
    return this.#run.program.actions[this.#outstandingCall(call).node]!;
  }

  /** A call's approval, if any. Throws as `node` does. */
  approval(call: string): Approval | null {
    return this.#run.approval(this.#outstandingCall(call));
  }

  /** The run in progress as data. */
  snapshot(atMs: number): Snapshot | null {
    if (this.#report !== null) return null;
    this.#assertHeld();
    if (!Number.isFinite(atMs))
      throw new PlanError("api/bad-option", `\`snapshot\` takes milliseconds as a number, not ${String(atMs)}`);
    return this.#run.snapshot(atMs);
  }

  /** Null while the run continues. */
  get outcome(): Outcome | null {
    return this.#report?.outcome ?? null;
  }

  /** The report so far. */
  get report(): Report {
    if (this.#report !== null) return this.#report;
    this.#assertHeld();
    return this.#run.report({ type: "cancelled" });
  }

  /** @internal The report so far with a snapshot. The run waits or was interrupted. */
  paused(atMs: number): Report {
    const approvals = [...this.#calls.keys()].flatMap((call) => this.approval(call) ?? []);
    const [approval] = approvals;
    this.#run.markEnded(atMs);
    const outcome: Outcome = approval === undefined ? { type: "cancelled" } : { type: "paused", approval, approvals };
    const snapshot = this.#run.snapshot(atMs);
    const onlyDecisions = approvals.length > 0 && approvals.length === this.#calls.size && this.#timers.size === 0;
    if (this.#run instanceof RecordingRun && onlyDecisions) this.#run.recordEnd(outcome, snapshot);
    return this.#run.report(outcome, snapshot);
  }

  /** Frees the memory at once. A finished run keeps its report. */
  free(): void {
    this.#freed = true;
    registry.unregister(this);
    this.#run.free();
  }

  #outstandingCall(call: string): Raw {
    this.#assertHeld();
    return findOutstanding(this.#calls, call, "run/unknown-call", "call");
  }

  #assertHeld(): void {
    if (this.#freed) throw new PlanError("api/freed", "this run was freed");
    const { code, message } = this.#failure ?? {};
    if (code !== undefined)
      throw new PlanError(code, `this run can't go on, start another one: an earlier step failed: ${message}`);
  }

  [Symbol.dispose](): void {
    this.free();
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
    // A refused event must change nothing.
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
      if (run instanceof RecordingRun) run.recordEnd();
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

const ONE_CALL: ReadonlySet<string> = new Set(["id", "type", "tool", "llm"]);

function policyOf({ retry, timeoutMs }: CallPolicy): CallPolicy {
  return { ...(retry && { retry }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

function findOutstanding(known: ReadonlyMap<string, Raw>, name: string, code: string, what: string): Raw {
  const found = known.get(name);
  if (found === undefined) throw new PlanError(code, `${what} \`${String(name)}\` is not outstanding`);
  return found;
}

/** In plain JavaScript, invalid decisions must not count as approval. */
function assertEvent(event: RunEvent): void {
  const invalidEvent = (what: string) => new PlanError("api/bad-event", what);
  if (typeof event !== "object" || event === null)
    throw invalidEvent(`an event is an object, not ${event === null ? "null" : typeof event}`);
  if (!Number.isFinite(event.atMs))
    throw invalidEvent(`an event has \`atMs\`, milliseconds as a number, not ${String(event.atMs)}`);
  if (event.type === "decided" && !isDecision(event.decision))
    throw invalidEvent("a decision is `approved`, `rejected` or `{ value }`");
  if (event.type === "call-failed" && typeof event.code !== "string")
    throw invalidEvent("a call that failed has a `code`, which is text");
}
