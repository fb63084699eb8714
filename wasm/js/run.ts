/**
 * The driver: executes the engine's commands and feeds back answers.
 *
 * The loop works on numbers: only handlers and listeners need objects, and only promises cost an await.
 */
import { unlessAborted } from "./abort.js";
import type { RecordingRun } from "./cassette.js";
import { engineError, hasGrown, inEngine, words } from "./engine.js";
import { PlanError } from "./errors.js";
import type { RecordedAnswers } from "./fork.js";
import { withOwnDecisions } from "./assert-decisions.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { EMPTY_REGISTRY, handlersOf, toFailure } from "./host.js";
import { Listeners } from "./listeners.js";
import { assertRunOptions } from "./options.js";
import { loadClients, loadHistory, loadPrices, type Loading, type RunClients, type RunHistory } from "./later.js";
import { COMMON, HISTORY, OPEN_CALLS, preload } from "./parts.js";
import { needsPrices } from "./priced.js";
import { partsOf, prepare, type PreparedRun, rejectRun } from "./prepare-run.js";
import { EngineRun } from "./engine-run.js";
import { type Command, COMMANDS, FINISHED, HANDLER, REFUSED } from "./command.js";
import { NodeCall, RunState } from "./handler-state.js";
import { valueAt } from "./trace-reader.js";
import { hasTools } from "./tool-sources.js";
import type { Handler, Outcome, Report, RunOptions, Snapshot, TraceEvent } from "./types.js";
import { isThenable } from "./guards.js";
import { nextTurn, TurnScheduler } from "./timers.js";
import { PendingWork } from "./pending-work.js";

const clock: Performance | undefined = globalThis.performance;
const origin = clock?.timeOrigin ?? 0;
/** @internal Milliseconds, with fractions if possible. workerd has no time origin, sandboxes only `Date`. */
export function now(): number {
  return origin > 0 ? origin + clock!.now() : Date.now();
}

/**
 * Runs a plan. Errors of the plan and of calls are outcomes, never rejections.
 *
 * @example
 * const report = await run(graph, { input: "hola", handlers: { log: (node) => node.input } });
 */
export function run(graph: PlanGraph, options: RunOptions = {}): Promise<Report> {
  // Each `async` function costs as much as a step.
  try {
    assertPlan("run", graph);
    assertRunOptions(options);
    return inEngine(() => (needsPrices(graph, options) ? runPriced(graph, options) : runChecked(graph, options)));
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Runs at once if nothing is missing. An abort does not wait for what is. */
function runLoaded<T>(
  graph: PlanGraph,
  options: RunOptions,
  loading: Loading<T>,
  go: (loaded: T) => Promise<Report>,
): Promise<Report> {
  if (!(loading instanceof Promise)) return go(loading);
  return unlessAborted(loading, options.signal).then(go, (error: unknown) => {
    if (options.signal?.aborted) return rejectRun(graph, options, { type: "cancelled" }).report;
    throw error;
  });
}

function runPriced(graph: PlanGraph, given: RunOptions): Promise<Report> {
  return runLoaded(graph, given, loadPrices(), ({ assertPrices, rejectUnpriced, withPricedModels }) => {
    if (given.prices !== undefined) assertPrices("run", given.prices);
    const options = withPricedModels(graph, given);
    const rejected = rejectUnpriced(graph, options);
    return rejected === null ? runChecked(graph, options) : Promise.resolve(rejected);
  });
}

function runChecked(graph: PlanGraph, options: RunOptions): Promise<Report> {
  if (options.store !== undefined) return runStored(graph, options);
  return options.replay === undefined ? runFrom(graph, options) : runReplay(graph, options);
}

function runReplay(graph: PlanGraph, options: RunOptions): Promise<Report> {
  const parts = preload(() => [...partsOf(graph, options), COMMON, HISTORY, OPEN_CALLS]);
  const history = parts === undefined ? loadHistory() : Promise.all([loadHistory(), parts]).then(([script]) => script);
  return runLoaded(graph, options, history, ({ replay }) => Promise.resolve(replay(graph, options)));
}

function runStored(graph: PlanGraph, { store, ...options }: RunOptions): Promise<Report> {
  return store!.run(graph, options);
}

/** A listener or handler may start a run, which may do the same. A full stack would stop the engine in a step. */
const MAX_NESTED = 100;
let nested = 0;

/** @internal */
export function runFrom(graph: PlanGraph, options: RunOptions, recorded?: RecordedAnswers): Promise<Report> {
  const mustWait = hasGrown() || nested >= MAX_NESTED;
  const loading = preload(() => partsOf(graph, options)) ?? (mustWait ? new Promise<void>(nextTurn) : undefined);
  const scripts = scriptsFor(options);
  if (loading !== undefined || scripts !== NO_SCRIPTS) {
    const all = loading === undefined ? scripts : Promise.all([scripts, loading]).then(([loaded]) => loaded);
    return runLoaded(graph, options, all, (loaded) => runPrepared(graph, options, recorded, loaded));
  }
  nested++;
  try {
    const ready = prepare(graph, options, EMPTY_REGISTRY);
    if ("report" in ready) return Promise.resolve(ready.report);
    return new Driver(graph, ready, options, recorded, undefined).drive();
  } finally {
    nested--;
  }
}

interface Scripts {
  readonly history: RunHistory | undefined;
  readonly clients: RunClients | undefined;
}

const NO_SCRIPTS: Scripts = { history: undefined, clients: undefined };

function scriptsFor(options: RunOptions): Loading<Scripts> {
  const hasHistory = options.snapshot !== undefined || options.record !== undefined;
  if (!hasHistory && !hasTools(options)) return NO_SCRIPTS;
  const history = hasHistory ? loadHistory() : undefined;
  const clients = hasTools(options) ? loadClients() : undefined;
  if (!(history instanceof Promise || clients instanceof Promise)) return { history, clients };
  return Promise.all([history, clients]).then(([history, clients]) => ({ history, clients }));
}

async function runPrepared(
  graph: PlanGraph,
  options: RunOptions,
  recorded: RecordedAnswers | undefined,
  { history, clients }: Scripts,
): Promise<Report> {
  if (options.snapshot !== undefined) {
    history!.assertSnapshot(options.snapshot);
    if (options.key !== undefined) await history!.verifySnapshot(options.snapshot, options.key);
  }
  const ready =
    clients === undefined
      ? prepare(graph, options, EMPTY_REGISTRY, history)
      : await clients.prepareWithTools(graph, options, history);
  if ("report" in ready) return ready.report;
  return new Driver(graph, ready, options, recorded, history).drive();
}

const COMMAND_BATCH = 256;

class Driver {
  readonly #run: EngineRun;
  /** The run, if it is recorded. */
  readonly #recording: RecordingRun | undefined;
  readonly #options: RunOptions;
  readonly #handlers: (Handler | undefined)[];
  /** Absent while each call is a lone handler. */
  #work: PendingWork | undefined;
  readonly #recorded: RecordedAnswers | undefined;
  readonly #needsTimes: boolean;
  /** Taken before cancelling, which ends the state. */
  #snapshot: Snapshot | null = null;
  #cancelled = false;
  /** The loop then sees the abort. */
  #abandonWait: () => void = NOTHING;

  readonly #callsHandlersDirectly: boolean;
  readonly #now: () => number;
  readonly #listeners: Listeners;
  readonly #turns = new TurnScheduler();

  constructor(
    graph: PlanGraph,
    { program, tools, capabilities }: PreparedRun,
    given: RunOptions,
    recorded: RecordedAnswers | undefined,
    history: RunHistory | undefined,
  ) {
    this.#listeners = new Listeners(given, ({ message }, error) => {
      // A cassette's first line comes before the run.
      if (this.#run === undefined) early = { message, error };
      else this.#run.keepError(0, undefined, message, error);
      this.#stop();
    });
    let early: { message: string; error: unknown } | undefined;
    const options = withOwnDecisions(this.#listeners.options);
    const { clock } = options;
    // The platform's clock counts from 1970.
    const epochMs = clock === undefined ? 0 : clock.epochMs;
    this.#recording = options.record && new history!.RecordingRun(graph, program, options, capabilities, epochMs);
    this.#run = this.#recording ?? new EngineRun(graph, program, options, options.onEvent !== undefined, epochMs);
    if (early !== undefined) this.#run.keepError(0, undefined, early.message, early.error);
    this.#run.tools = tools;
    this.#callsHandlersDirectly =
      options.stubs === undefined &&
      options.record === undefined &&
      options.onCall === undefined &&
      recorded === undefined;
    this.#now = clock === undefined ? now : () => clock.now();
    this.#options = options;
    this.#handlers = handlersOf(program, options);
    this.#recorded = recorded;
    this.#needsTimes = options.onEvent !== undefined || options.trace !== false || program.timed;
  }

  /** Awaits a lone handler here, because each further promise costs as much again. */
  async drive(): Promise<Report> {
    const run = this.#run;
    const { values, program, raw, io } = run;
    const { nodes } = program;
    const options = this.#options;
    const { onEvent, signal, snapshot } = options;
    const listeners = this.#listeners;
    const handlers = this.#handlers;
    const timed = this.#needsTimes;
    const plain = this.#callsHandlersDirectly;
    const now = this.#now;
    // Whether a handler is the only open call, until another command.
    let alone = plain;
    const turns = this.#turns;
    const quiet = this.#listen();
    try {
      let op = snapshot ? run.resume(now()) : run.start(now());
      for (;;) {
        // After a late answer, the words are still those of the previous step.
        if (onEvent !== undefined && op !== REFUSED) this.#notify(onEvent);
        if (op === FINISHED) break;
        if ((signal?.aborted || listeners.failure) && !this.#cancelled) {
          // Recorded but not executed, because a replay reaches them too. A step may end the run and clear a timer.
          if (op !== REFUSED && run.commands().some(isEnd)) break;
          op = await this.#cancel();
          continue;
        }
        if (op === HANDLER && alone) {
          const heap = words();
          const at = heap[io + COMMANDS]! >>> 2;
          const node = heap[at + 1]!;
          const slot = heap[at + 4]!;
          const scope = heap[at + 7]!;
          const serial = heap[at + 8]!;
          try {
            const input = valueAt(heap[at + 2]!, values, program);
            const visit = heap[at + 5]!;
            const attempt = heap[at + 6]!;
            // This may move the words.
            const path = scope === 0 ? "" : raw.path_of(scope);
            const call = new NodeCall(nodes[node]!, input, visit, attempt, path);
            // As a method, `this` would be our list.
            const handler = handlers[node]!;
            const given = handler(call, new RunState(run, options, scope, serial));
            const value = isThenable(given)
              ? await (signal === undefined && !listeners.isAsync ? given : this.#unlessAborted(given))
              : given;
            if (value === ABORTED) {
              op = await this.#cancel();
              continue;
            }
            // Yield before the answer: another run may step in between.
            if (turns.isDue) await turns.yieldTurn();
            values[slot] = value === undefined ? null : value;
            op = raw.done(scope, serial, timed ? now() : 0);
          } catch (error) {
            const { code, message } = toFailure(error, "handler/failed");
            run.keepError(scope, node, message, error);
            op = raw.failed(scope, serial, code, message, timed ? now() : 0);
          }
          continue;
        }
        const work = this.#pendingWork();
        if (op !== REFUSED) {
          const commands = run.commands();
          if (commands.length > COMMAND_BATCH ? await this.#execute(commands) : work.execute(commands)) break;
        }
        const next = await this.#next(work);
        if (next === undefined) return await this.#pause();
        op = next;
        alone = plain && work.isIdle;
      }
      // A listener's promise may have failed, which shows a turn later.
      if (listeners.isAsync) await turns.yieldTurn();
      run.markEnded(now());
      if (this.#snapshot === null && this.#recording === undefined)
        return this.#work === undefined ? run.closeForReuse(listeners.failure) : run.close(listeners.failure);
      return await this.#close(undefined, this.#snapshot);
    } catch (error) {
      throw engineError(error);
    } finally {
      quiet();
      this.#work?.close();
      run.free();
    }
  }

  /** Aborts take effect between batches. */
  async #execute(commands: readonly Command[]): Promise<boolean> {
    let over = false;
    const ends = commands.some(isEnd);
    for (let at = 0; at < commands.length && (ends || !this.#options.signal?.aborted); at += COMMAND_BATCH) {
      over = this.#pendingWork().execute(commands.slice(at, at + COMMAND_BATCH)) || over;
      if (this.#turns.isLate) await this.#turns.yieldTurn();
    }
    return over;
  }

  /** Undefined if only an approval can continue the run. */
  async #next(work: PendingWork): Promise<number | undefined> {
    if (this.#turns.isDue) await this.#turns.yieldTurn();
    for (;;) {
      if ((this.#options.signal?.aborted || this.#listeners.failure) && !this.#cancelled) return this.#cancel();
      const completion = work.next();
      if (completion !== undefined) return completion(this.#now());
      if (work.isStuck) return undefined;
      await work.wait();
    }
  }

  async #cancel(): Promise<number> {
    this.#cancelled = true;
    const at = this.#now();
    this.#snapshot = await this.#takeSnapshot(at);
    return this.#run.cancel(at);
  }

  async #takeSnapshot(atMs: number): Promise<Snapshot | null> {
    const [{ Redactor }] = await Promise.all([loadHistory(), preload(() => [COMMON, HISTORY, OPEN_CALLS])]);
    const redactor = new Redactor(undefined, this.#options);
    const snapshot = this.#run.snapshot(atMs, (value) => redactor.value(value));
    return snapshot && redactor.snapshot(snapshot);
  }

  async #pause(): Promise<Report> {
    const approvals = this.#pendingWork().approvals;
    const at = this.#now();
    this.#run.markEnded(at);
    const snapshot = await this.#takeSnapshot(at);
    return this.#close({ type: "paused", approval: approvals[0]!, approvals }, snapshot);
  }

  /** The report has all calls, even after a failed listener or signature. */
  async #close(outcome: Outcome | undefined, snapshot: Snapshot | null): Promise<Report> {
    const run = this.#run;
    this.#recording?.recordEnd(outcome, snapshot);
    try {
      const signed = snapshot && (await (await loadHistory()).signSnapshot(snapshot, this.#options.key));
      return run.close(this.#listeners.failure ?? outcome, signed);
    } catch (error) {
      if (error instanceof PlanError) throw error;
      const message = `the snapshot can't be signed: ${toFailure(error, "").message}`;
      return run.close({ type: "failed", code: "snapshot/not-json", message });
    }
  }

  #notify(listener: (event: TraceEvent) => void): void {
    for (const event of this.#run.events()) listener(event);
  }

  /** A never-settling promise would keep every `Promise.race`. */
  #unlessAborted<T>(given: PromiseLike<T>): PromiseLike<T | typeof ABORTED> {
    return new Promise((resolve, reject) => {
      this.#abandonWait = () => resolve(ABORTED);
      // The handler itself may have aborted.
      if (this.#options.signal?.aborted || this.#listeners.failure) resolve(ABORTED);
      given.then(resolve, reject);
    });
  }

  #pendingWork(): PendingWork {
    return (this.#work ??= new PendingWork(this.#run, this.#options, this.#run.tools, this.#handlers, this.#recorded));
  }

  #stop(): void {
    this.#abandonWait();
    this.#work?.wake();
  }

  #listen(): () => void {
    const { signal } = this.#options;
    if (signal === undefined) return NOTHING;
    const abort = () => this.#stop();
    signal.addEventListener("abort", abort, { once: true });
    return () => signal.removeEventListener("abort", abort);
  }
}

function isEnd({ op }: Command): boolean {
  return op === FINISHED;
}

const ABORTED = Symbol("aborted");
const NOTHING = () => {};
