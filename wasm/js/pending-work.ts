/**
 * Executes commands: calls, timers and approvals.
 *
 * Invariants: a call is answered at most once. Abandoned calls are aborted at once. All work ends with the run.
 */
import { toFailure, type ToolRegistry } from "./host.js";
import { loadClients } from "./later.js";
import type { Program } from "./program.js";
import type { EngineRun } from "./engine-run.js";
import {
  ABANDON,
  APPROVAL,
  CLEAR_TIMER,
  type Command,
  CONTINUE,
  FINISHED,
  HANDLER,
  MODEL,
  REFUSED,
  SET_TIMER,
  TOOL,
} from "./command.js";
import type { RecordedAnswers } from "./fork.js";
import { decisionFlaw, decisionOf, isThenable } from "./guards.js";
import { NodeCall } from "./handler-state.js";
import { acceptsDecision } from "./run-settings.js";
import { nextTurn, Timers } from "./timers.js";
import type { Approval, PendingCall, CallUpdate, ChatDelta, Handler, RunOptions, ToolProgress } from "./types.js";

/** Returns the next kind of command. */
export type Completion = (atMs: number) => number;

type UpdateData = { type: "model-delta"; delta: ChatDelta } | ({ type: "tool-progress"; tool: string } & ToolProgress);

class OpenCall {
  /** A stub answers it when a timer fires. */
  isDelayed = false;
  #controller: AbortController | undefined;
  #aborted = false;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

export class PendingWork {
  readonly #run: EngineRun;
  readonly #program: Program;
  readonly #options: RunOptions;
  readonly #tools: ToolRegistry;
  readonly #handlers: readonly (Handler | undefined)[];
  readonly #open = new Map<number, OpenCall>();
  readonly #timers: Timers;
  /** Approvals without `onApproval`. */
  readonly #undecided = new Map<number, Approval>();
  /** Answers of an earlier run, some waiting. */
  readonly #recorded: RecordedAnswers | undefined;
  #recalled: { serial: number; order: number; completion: Completion }[] = [];
  #turns = 0;
  #queue: Completion[] = [];
  #head = 0;
  #wake: () => void = () => {};

  constructor(
    run: EngineRun,
    options: RunOptions,
    tools: ToolRegistry,
    handlers: readonly (Handler | undefined)[],
    recorded?: RecordedAnswers,
  ) {
    this.#recorded = recorded;
    this.#run = run;
    this.#program = run.program;
    this.#options = options;
    this.#tools = tools;
    this.#handlers = handlers;
    this.#timers = new Timers(options.clock);
  }

  get isIdle(): boolean {
    return (
      this.#open.size === 0 &&
      this.#turns === 0 &&
      this.#timers.size === 0 &&
      this.#head >= this.#queue.length &&
      this.#undecided.size === 0
    );
  }

  get approvals(): Approval[] {
    return [...this.#undecided.values()];
  }

  /** Returns true at the end. */
  execute(commands: readonly Command[]): boolean {
    let over = false;
    for (const command of commands) {
      if (command.op === FINISHED) over = true;
      else if (command.op === SET_TIMER) this.#setTimer(command);
      else if (command.op === CLEAR_TIMER) this.#clearTimer(command.serial);
      else if (command.op === ABANDON) this.#abandon(command.serial);
      else if (command.op === CONTINUE) this.#continueLater();
      else this.#call(command);
    }
    return over;
  }

  next(): Completion | undefined {
    if (this.#recalled.length > 0) return this.#recall();
    if (this.#head >= this.#queue.length) return undefined;
    const completion = this.#queue[this.#head++];
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return completion;
  }

  /** The recorded order decides joins. */
  #recall(): Completion {
    const next = this.#recalled.reduce((first, one) => (one.order < first.order ? one : first));
    this.#forget(next.serial);
    this.#open.delete(next.serial);
    return next.completion;
  }

  #forget(serial: number): void {
    if (this.#recalled.length > 0) this.#recalled = this.#recalled.filter((one) => one.serial !== serial);
  }

  get isStuck(): boolean {
    return this.#open.size === 0 && this.#turns === 0 && this.#undecided.size > 0;
  }

  wait(): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#timers.areVirtual ? this.#waitOnClock(woken) : woken;
  }

  async #waitOnClock(woken: Promise<void>): Promise<void> {
    const isIdle = [...this.#open.values()].every(({ isDelayed }) => isDelayed);
    // The next step takes no time.
    if (isIdle && this.#turns > 0) return woken;
    const stop = this.#timers.wait(isIdle);
    await woken;
    stop();
  }

  wake(): void {
    this.#wake();
  }

  close(): void {
    this.#timers.clearAll();
    for (const open of this.#open.values()) open.abort();
    this.#open.clear();
  }

  #push(completion: Completion): void {
    this.#queue.push(completion);
    this.#wake();
  }

  #abandon(serial: number): void {
    this.#forget(serial);
    this.#undecided.delete(serial);
    const open = this.#open.get(serial);
    this.#open.delete(serial);
    open?.abort();
    this.#clearTimer(serial);
  }

  /** Due timers and aborts come first. */
  #continueLater(): void {
    this.#turns++;
    nextTurn(() => {
      this.#turns--;
      this.#push((atMs) => this.#run.continueStep(atMs));
    });
  }

  #setTimer(command: Command): void {
    const { serial, afterMs } = command;
    const fired: Completion = (atMs) => this.#run.fireTimer(command, atMs);
    const order = this.#recorded?.timer(this.#run, command);
    if (order === undefined) return this.#delay(serial, afterMs, () => fired);
    this.#recalled.push({ serial, order, completion: fired });
  }

  #delay(serial: number, ms: number, event: () => Completion): void {
    this.#timers.set(serial, ms, () => this.#push(event()));
  }

  #clearTimer(serial: number): void {
    this.#forget(serial);
    this.#timers.clear(serial);
  }

  #call(command: Command): void {
    const open = new OpenCall();
    this.#open.set(command.serial, open);
    const known = this.#recorded?.recall(this.#run, command);
    if (known !== undefined) {
      if (known.ready !== undefined)
        this.#recalled.push({ serial: command.serial, order: known.order, completion: known.ready });
      return;
    }
    if (this.#options.onCall === undefined) return this.#startCall(command, open);
    this.#callWhenReleased(command, open, this.#options.onCall);
  }

  #callWhenReleased(command: Command, open: OpenCall, onCall: NonNullable<RunOptions["onCall"]>): void {
    const { serial } = command;
    const refuse = (error: unknown) => this.#open.get(serial) === open && this.#fail(command, error);
    const go = () => {
      if (this.#open.get(serial) === open) this.#startCall(command, open);
    };
    try {
      const released = onCall(this.#pendingCall(command), open.signal);
      if (isThenable(released)) void Promise.resolve(released).then(go).then(undefined, refuse);
      else go();
    } catch (error) {
      refuse(error);
    }
  }

  #pendingCall(command: Command): PendingCall {
    const { op, node, visit, attempt, tool, scope } = command;
    return {
      call: this.#run.nameOf(command),
      kind: CALL_KINDS[op]!,
      node: this.#program.nodes[node]!.id,
      visit,
      attempt,
      ...(tool !== null && { tool }),
      ...(scope !== 0 && { scope: this.#run.raw.path_of(scope) }),
    };
  }

  #startCall(command: Command, open: OpenCall): void {
    if (this.#options.stubs !== undefined && this.#callStub(command, open)) return;
    switch (command.op) {
      case HANDLER:
        return this.#callHandler(command, open);
      case APPROVAL:
        return this.#askApproval(command, open);
      default:
        this.#settle(command, this.#request(command, open));
    }
  }

  #callStub(command: Command, open: OpenCall): boolean {
    const { serial } = command;
    const delay = this.#run.stubDelay(command);
    if (delay < 0) return false;
    const answer: Completion = (atMs) => this.#run.completeStub(command, atMs);
    if (delay === 0) this.#complete(serial, answer);
    else {
      open.isDelayed = true;
      this.#delay(serial, delay, () => (this.#open.delete(serial) ? answer : () => REFUSED));
    }
    return true;
  }

  #complete(serial: number, completion: Completion): void {
    if (this.#open.delete(serial)) this.#push(completion);
  }

  #callHandler(command: Command, open: OpenCall): void {
    const { node, input, visit, attempt, scope, serial } = command;
    const path = scope === 0 ? "" : this.#run.raw.path_of(scope);
    try {
      const call = new NodeCall(this.#program.nodes[node]!, input, visit, attempt, path);
      const handler = this.#handlers[node]!;
      const given = handler(call, this.#run.state(command, this.#options, open));
      if (isThenable(given)) this.#settle(command, given);
      else this.#complete(serial, (atMs) => this.#run.completeCall(command, given, atMs));
    } catch (error) {
      this.#fail(command, error);
    }
  }

  async #request(command: Command, open: OpenCall): Promise<unknown> {
    const call = this.#run.nameOf(command);
    const { signal } = open;
    const { onUpdate } = this.#options;
    const report = onUpdate && this.#updateListener(command, open, call, onUpdate);
    const loading = loadClients();
    const { callModel, callTool } = loading instanceof Promise ? await loading : loading;
    if (command.op === TOOL) {
      const tool = command.tool!;
      const onProgress = (progress: ToolProgress) => report!({ type: "tool-progress", tool, ...progress });
      const run = this.#run.runId;
      return callTool(
        this.#tools,
        tool,
        command.args,
        report ? { signal, call, run, onProgress } : { signal, call, run },
      );
    }
    const onDelta = (delta: ChatDelta) => report!({ type: "model-delta", delta });
    return callModel(
      this.#options.models ?? {},
      this.#run.request(command),
      report ? { signal, call, onDelta } : { signal, call },
    );
  }

  /** A listener's error ends the run, not the call. */
  #updateListener(
    { node, scope, serial }: Command,
    open: OpenCall,
    call: string,
    listener: (update: CallUpdate) => void,
  ): (update: UpdateData) => void {
    const where = {
      node: this.#program.nodes[node]!.id,
      call,
      ...(scope !== 0 && { scope: this.#run.raw.path_of(scope) }),
    };
    return (update) => {
      if (this.#open.get(serial) !== open) return;
      try {
        listener({ ...update, ...where } as CallUpdate);
      } catch (error) {
        this.#push(() => {
          throw error;
        });
      }
    };
  }

  #settle(command: Command, given: PromiseLike<unknown>): void {
    const { op, serial } = command;
    const run = this.#run;
    // A thenable may return another promise.
    Promise.resolve(given).then(
      (value) =>
        this.#complete(serial, (atMs) =>
          op === MODEL ? run.completeModelCall(command, value, atMs) : run.completeCall(command, value, atMs),
        ),
      (error: unknown) => this.#fail(command, error),
    );
  }

  #fail(command: Command, error: unknown): void {
    const { code, message } = toFailure(error, FALLBACK_CODES[command.op] ?? "handler/failed");
    this.#complete(command.serial, (atMs) => {
      this.#run.keepError(command.scope, command.node, message, error);
      return this.#run.failCall(command, code, message, atMs);
    });
  }

  #askApproval(command: Command, open: OpenCall): void {
    const { onApproval, decisions, snapshot } = this.#options;
    const approval = this.#run.approval(command)!;
    const known = decisions && Object.hasOwn(decisions, approval.call) && acceptsDecision(snapshot, approval);
    const decided = known ? decisions[approval.call] : undefined;
    const decide = (given: unknown): void => {
      const decision = decisionOf(given);
      const flaw = decisionFlaw(decision, command.tool);
      if (decision === undefined || flaw !== "") return this.#fail(command, new TypeError(flaw));
      this.#complete(command.serial, (atMs) => this.#run.decideApproval(command, decision, atMs));
    };
    if (decided !== undefined) return decide(decided);
    const defer = () => {
      if (!this.#open.delete(command.serial)) return;
      this.#undecided.set(command.serial, approval);
      this.#wake();
    };
    if (onApproval === undefined) return defer();
    const requestDecision = async (): Promise<unknown> => onApproval(approval, open.signal);
    const take = (given: unknown) => (given === LATER ? defer() : decide(given));
    requestDecision().then(take, (error: unknown) => this.#fail(command, error));
  }
}

/** @internal The answer of an `onApproval` that leaves the decision open: the run pauses. */
export const LATER = Symbol("later");

const CALL_KINDS: Record<number, PendingCall["kind"]> = {
  [HANDLER]: "handler",
  [TOOL]: "tool",
  [MODEL]: "model",
  [APPROVAL]: "approval",
};
const FALLBACK_CODES: Record<number, string> = {
  [TOOL]: "tool/failed",
  [MODEL]: "model/failed",
  [APPROVAL]: "approval/failed",
};
