/**
 * The driver: waits for what the engine asks, and decides nothing.
 *
 * A loop over numbers: a handler that answers at once costs no await, one that answers later exactly one. Objects are made
 * for handlers, and for listeners when there are any.
 */
import { words } from "./engine.js";
import { PlanError } from "./errors.js";
import { PlanGraph } from "./graph.js";
import { askModel, callTool, failureOf, handlersOf, listTools, NO_TOOLS, offerOf, type Tools } from "./host.js";
import type { Program } from "./program.js";
import { notRun } from "./report.js";
import { FINISHED, HANDLER, MODEL, Session, TOOL } from "./session.js";
import { valueAt } from "./trace.js";
import { callId, NodeCall, RunState } from "./state.js";
import type { ChatRequest, Diagnostic, Handler, Outcome, Report, RunOptions, TraceEvent } from "./types.js";

const origin = performance.timeOrigin > 0 ? performance.timeOrigin : Date.now() - performance.now();
/** @internal Milliseconds since the epoch, finer than a millisecond where the platform allows. */
export function now(): number {
  return origin + performance.now();
}

/**
 * Runs a plan to its end. Never rejects for a mistake in the plan or a failing call: those are outcomes.
 *
 * @example
 * const report = await run(graph, { input: "hola", handlers: { log: (node) => node.input } });
 */
export async function run(graph: PlanGraph, options: RunOptions = {}): Promise<Report> {
  const ready = options.tools?.length ? await prepareWithTools(graph, options) : prepare(graph, options, NO_TOOLS);
  if ("report" in ready) return ready.report;
  const driver = new Driver(graph, ready.program, ready.tools, options);
  return driver.drive();
}

interface Ready { program: Program; tools: Tools }
interface Refused { report: Report }

async function prepareWithTools(graph: PlanGraph, options: RunOptions): Promise<Ready | Refused> {
  try {
    return prepare(graph, options, await listTools(options.tools!, options.signal));
  } catch (error) {
    if (error instanceof PlanError) throw error;
    if (options.signal?.aborted) return refuse(graph, options, { type: "cancelled" });
    return refuse(graph, options, { type: "failed", ...failureOf(error, "tool/unreachable") });
  }
}

/** What is always the same for the same host, kept by the object that holds its handlers. */
const offers = new WeakMap<object, { offer: string; names: string[] }>();

function prepare(graph: PlanGraph, options: RunOptions, tools: Tools): Ready | Refused {
  if (options.signal?.aborted) return refuse(graph, options, { type: "cancelled" });
  if (options.planHash !== undefined && options.planHash !== graph.hash) {
    const message = "the plan is not the one that was asked for: its hash differs";
    return refuse(graph, options, { type: "failed", code: "run/plan-changed", message });
  }
  const program = graph.bind(offerFor(options, tools));
  if (program.ready) return { program, tools };
  const diagnostics = program.diagnostics;
  const first = diagnostics.find((problem) => problem.severity === "error");
  const message = `the plan can't run: ${first?.message ?? "it has errors"}`;
  return refuse(graph, options, { type: "failed", code: "run/invalid-plan", message, diagnostics }, diagnostics);
}

function offerFor(options: RunOptions, tools: Tools): string {
  // Tools may change from run to run; handlers given in one and the same object are looked at again only by their names.
  if (tools !== NO_TOOLS || options.stubs || options.byId || options.models) return offerOf(options, tools);
  const handlers = options.handlers ?? NOBODY;
  const known = offers.get(handlers);
  if (known !== undefined && sameNames(handlers, known.names)) return known.offer;
  const offer = offerOf(options, tools);
  offers.set(handlers, { offer, names: Object.keys(handlers) });
  return offer;
}

const NOBODY = {};

function sameNames(handlers: object, names: readonly string[]): boolean {
  let i = 0;
  for (const name in handlers) if (names[i++] !== name) return false;
  return i === names.length;
}

function refuse(graph: PlanGraph, options: RunOptions, outcome: Outcome, diagnostics: Diagnostic[] = []): Refused {
  return { report: notRun(graph, outcome, options.input ?? null, diagnostics) };
}

/** One run being driven. */
class Driver {
  readonly #session: Session;
  readonly #program: Program;
  readonly #tools: Tools;
  readonly #options: RunOptions;
  readonly #handlers: (Handler | undefined)[];
  readonly #state: RunState;
  /** Whether anybody will see when things happened. */
  readonly #timed: boolean;
  readonly #stubbed: boolean;
  /** Gives up what is waited for; the loop then sees that the signal was aborted. */
  #abandon: () => void = () => {};

  constructor(graph: PlanGraph, program: Program, tools: Tools, options: RunOptions) {
    this.#session = new Session(graph, program, options, options.onEvent !== undefined);
    this.#program = program;
    this.#tools = tools;
    this.#options = options;
    this.#handlers = handlersOf(program, options);
    this.#timed = options.onEvent !== undefined || options.trace !== false;
    this.#stubbed = options.stubs !== undefined;
    this.#state = new RunState(this.#session, options);
  }

  /** The loop. A handler's answer is awaited here and nowhere deeper: every further promise would cost as much again. */
  async drive(): Promise<Report> {
    const session = this.#session;
    const { values, program, io } = session;
    const { nodes } = program;
    const { onEvent, signal } = this.#options;
    const handlers = this.#handlers;
    const state = this.#state;
    const timed = this.#timed;
    const quiet = this.#listen();
    try {
      let op = session.start(now());
      if (onEvent !== undefined) this.#tell(onEvent);
      while (op !== FINISHED) {
        const heap = words();
        const call = heap[io + 5]!;
        if (signal?.aborted) {
          op = session.cancel(now());
        } else if (op === HANDLER && !this.#stubbed) {
          const slot = heap[io + 3]!;
          const node = heap[io]!;
          try {
            const input = valueAt(heap[io + 1]!, values, program);
            const given = handlers[node]!(new NodeCall(nodes[node]!, input, heap[io + 4]!), state);
            const value = isThenable(given) ? await this.#unlessAborted(given) : given;
            if (value === ABORTED) continue;
            values[slot] = value === undefined ? null : value;
            op = session.done(call, timed ? now() : 0);
          } catch (error) {
            const { code, message } = failureOf(error, "handler/failed");
            op = session.failed(call, code, message, timed ? now() : 0);
          }
        } else {
          const next = await this.#ask(op, call);
          // Nothing has happened since the last step, so there is nothing to tell of.
          if (next === ABORTED) continue;
          op = next;
        }
        if (onEvent !== undefined) this.#tell(onEvent);
      }
      session.ended(now());
      return session.close();
    } finally {
      quiet();
      session.free();
    }
  }

  #tell(listener: (event: TraceEvent) => void): void {
    for (const event of this.#session.events()) listener(event);
  }

  /** Answers a call that takes more than a handler: a stub, a tool, a model. */
  async #ask(op: number, call: number): Promise<number | typeof ABORTED> {
    const session = this.#session;
    if (this.#stubbed) {
      const delay = session.stub();
      if (delay > 0 && (await this.#wait(delay)) === ABORTED) return ABORTED;
      if (delay >= 0) return session.stubDone(call, now());
    }
    const slot = session.answerSlot;
    try {
      const answer = await this.#unlessAborted(this.#answer(op));
      if (answer === ABORTED) return ABORTED;
      if (op === MODEL) return session.replied(call, answer, now());
      session.values[slot] = answer === undefined ? null : answer;
      return session.done(call, now());
    } catch (error) {
      const { code, message } = failureOf(error, op === TOOL ? "tool/failed" : op === MODEL ? "model/failed" : "handler/failed");
      return session.failed(call, code, message, now());
    }
  }

  async #answer(op: number): Promise<unknown> {
    const session = this.#session;
    const { signal } = this.#options;
    const node = session.node;
    const info = this.#program.nodes[node]!;
    const id = callId(info.id, session.visit);
    if (op === TOOL) return callTool(this.#tools, this.#program.actions[node]![1]!, session.callArguments, signal, id);
    if (op === MODEL) return askModel(this.#options.models ?? {}, JSON.parse(session.request()) as ChatRequest, signal, id);
    return this.#handlers[node]!(new NodeCall(info, session.nodeInput, session.visit), this.#state);
  }

  /** A timer that outlives its run would keep the whole program from ending. */
  async #wait(ms: number): Promise<void | typeof ABORTED> {
    const { promise, resolve } = deferred<void>();
    const timer = setTimeout(resolve, ms);
    try {
      return await this.#unlessAborted(promise);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Not `Promise.race`: a promise that never settles would remember every race of a run of a million steps. */
  #unlessAborted<T>(given: PromiseLike<T>): PromiseLike<T | typeof ABORTED> {
    if (this.#options.signal === undefined) return given;
    return new Promise((resolve, reject) => {
      this.#abandon = () => resolve(ABORTED);
      given.then(resolve, reject);
    });
  }

  /** Listens for the signal; gives what ends that. */
  #listen(): () => void {
    const { signal } = this.#options;
    if (signal === undefined) return () => {};
    const abort = () => this.#abandon();
    signal.addEventListener("abort", abort, { once: true });
    return () => signal.removeEventListener("abort", abort);
  }
}

const ABORTED = Symbol("aborted");

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value instanceof Promise || (typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function");
}

/** @internal A promise and what settles it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
