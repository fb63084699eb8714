/**
 * The machine itself, synchronous: events in, commands and trace out. For hosts that wait in their own way, such as durable
 * engines, whose replay must meet the same commands again.
 */
import { PlanError } from "./errors.js";
import type { PlanGraph } from "./graph.js";
import { NO_TOOLS, offerOf, type Tools } from "./host.js";
import { FINISHED, MODEL, REFUSED, Session, TOOL } from "./session.js";
import { callId } from "./state.js";
import type { ChatReply, ChatRequest, Outcome, Report, RunOptions, ToolInfo, TraceEvent } from "./types.js";

/** Outside to run. `atMs` counts from any fixed moment. */
export type RunEvent =
  | { type: "start"; atMs: number }
  | { type: "call-done"; call: string; output?: unknown; writes?: Record<string, unknown>; atMs: number }
  | { type: "call-done"; call: string; reply: ChatReply; atMs: number }
  | { type: "call-failed"; call: string; code: string; message: string; atMs: number }
  | { type: "cancel"; atMs: number };

/** Run to outside. `call` is the same on every replay. */
export type Command =
  | { type: "call-handler"; call: string; node: string; input: unknown }
  | { type: "call-tool"; call: string; node: string; tool: string; arguments: unknown }
  | { type: "call-model"; call: string; node: string; request: ChatRequest }
  | { type: "abandon"; call: string }
  | { type: "finish"; outcome: Outcome };

/** All consequences of one event. */
export interface Step { commands: Command[]; trace: TraceEvent[] }

/** What the machine is given: what `run` is given, without what only a driver needs. */
export type MachineOptions = Pick<RunOptions, "input" | "outputs" | "memory" | "context" | "limits" | "trace"> & {
  /** The types, ids, tools and models that the host answers for. */
  types?: string[];
  ids?: string[];
  tools?: ToolInfo[];
  models?: string[];
};

/** A machine that nobody holds any more would keep its values for ever: they live in a table that the engine knows. */
const forgotten = new FinalizationRegistry<Session>((session) => session.free());

/** A run: feed it events, carry out its commands. */
export class Run {
  readonly #session: Session;
  #freed = false;
  #waiting: { id: string; call: number } | null = null;
  #report: Report | null = null;

  constructor(graph: PlanGraph, options: MachineOptions = {}) {
    const named = (names: string[] | undefined) => Object.fromEntries((names ?? []).map((name) => [name, () => null]));
    const tools: Tools = options.tools ? { list: options.tools, owners: new Map() } : NO_TOOLS;
    const { types: _types, ids: _ids, tools: _tools, models: _models, ...given } = options;
    const offer = offerOf({ handlers: named(options.types), byId: named(options.ids), models: named(options.models) as never }, tools);
    this.#session = new Session(graph, graph.bind(offer), given, true);
    forgotten.register(this, this.#session, this);
  }

  /**
   * Takes one event and gives all its consequences.
   *
   * @throws PlanError `run/unknown-call`, `run/finished`, `run/already-started` when the event makes no sense now, `api/freed` after `free`; nothing has changed then.
   */
  step(event: RunEvent): Step {
    if (this.#report !== null) throw new PlanError("run/finished", "the run is over");
    this.#assertHeld();
    const abandoned = event.type === "cancel" ? this.#waiting : null;
    const op = this.#feed(event);
    if (op === REFUSED) throw new PlanError(event.type === "start" ? "run/already-started" : "run/not-started", "the event makes no sense now");
    const commands: Command[] = abandoned ? [{ type: "abandon", call: abandoned.id }] : [];
    const trace = this.#session.events();
    commands.push(this.#command(op, event.atMs));
    return { commands, trace };
  }

  /** How it ended, if it did. */
  get outcome(): Outcome | null {
    return this.#report?.outcome ?? null;
  }

  /** What the run has left behind so far. */
  get report(): Report {
    if (this.#report !== null) return this.#report;
    this.#assertHeld();
    return this.#session.report({ type: "cancelled" });
  }

  /** Gives the memory back at once; the collector would in time. The report of a run that is over stays. */
  free(): void {
    this.#freed = true;
    forgotten.unregister(this);
    this.#session.free();
  }

  #assertHeld(): void {
    if (this.#freed) throw new PlanError("api/freed", "this run was freed");
  }

  [Symbol.dispose](): void {
    this.free();
  }

  #feed(event: RunEvent): number {
    const session = this.#session;
    if (event.type === "start") return session.start(event.atMs);
    if (event.type === "cancel") return session.cancel(event.atMs);
    const waiting = this.#waiting;
    if (waiting === null || waiting.id !== event.call) throw new PlanError("run/unknown-call", `call \`${event.call}\` is not outstanding`);
    if (event.type === "call-failed") return session.failed(waiting.call, `${event.code}`, `${event.message}`, event.atMs);
    if ("reply" in event) return session.replied(waiting.call, event.reply, event.atMs);
    const writes = Object.entries(event.writes ?? {});
    // All names first: an event that is refused must have changed nothing.
    for (const [name] of writes) session.assertWritable(name);
    for (const [name, value] of writes) session.write(name, value);
    session.values[session.answerSlot] = event.output === undefined ? null : event.output;
    return session.done(waiting.call, event.atMs);
  }

  #command(op: number, atMs: number): Command {
    const session = this.#session;
    this.#waiting = null;
    if (op === FINISHED) {
      session.ended(atMs);
      this.#report = session.close();
      return { type: "finish", outcome: this.#report.outcome };
    }
    const { id: node } = session.program.nodes[session.node]!;
    const call = callId(node, session.visit);
    this.#waiting = { id: call, call: session.call };
    if (op === TOOL) return { type: "call-tool", call, node, tool: session.program.actions[session.node]![1]!, arguments: session.callArguments };
    if (op === MODEL) return { type: "call-model", call, node, request: JSON.parse(session.request()) as ChatRequest };
    return { type: "call-handler", call, node, input: session.nodeInput };
  }
}
