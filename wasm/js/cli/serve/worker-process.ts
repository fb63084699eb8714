/**
 * A worker as the server sees it. A thread would start 0.1 s faster, but one large text in a thread with
 * `resourceLimits` ends the server (Node 20).
 *
 * Invariants: every task settles, whatever happens to the worker. Its open calls end with it. A killed worker is never
 * used again.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HostRequest, PlanIdentity, FromWorker, RunUpdate, WorkerSetup, ToWorker } from "./worker-messages.js";
import { toFailure } from "./worker-messages.js";
import { CallerError, type CallerErrorCode } from "./caller-error.js";

/** Applies to busy workers. */
export const CHECK_INTERVAL_MS = 250;
/** Computing without a pause. The largest allowed plan is checked in less. */
const FROZEN_TIMEOUT_MS = 5_000;
/** For a cancelled task, or after the run's deadline. */
const UNWANTED_TIMEOUT_MS = 1_000;
/** Heap limit, without the engine's memory. */
const MAX_MEMORY_MIB = 256;
/** A larger worker is not reused. */
const MAX_IDLE_BYTES = 200 * 1024 * 1024;
/** Time for pending telemetry. */
const EXIT_TIMEOUT_MS = 6_000;
const MAX_STDERR = 4_000;

export interface Task {
  name: string;
  args: unknown;
  signal?: AbortSignal | undefined;
  chat?: Chat | undefined;
  onBegun?: ((identity: PlanIdentity) => void) | undefined;
  onNews?: ((update: RunUpdate) => void) | undefined;
}

export type Chat = (asked: Extract<HostRequest, { kind: "model" }>, options: CallHooks) => Promise<unknown>;

export interface CallHooks {
  signal: AbortSignal;
  onRequest: (url: string, session?: string) => void;
}

export interface Host {
  answer(request: HostRequest, options: CallHooks, task: Task | null): Promise<unknown>;
  trouble(code: string, message: string): void;
}

export interface WorkerKind {
  script: string;
  frozenMs: number;
}

export const DEFAULT_KIND: WorkerKind = {
  script: fileURLToPath(new URL("./worker.js", import.meta.url)),
  frozenMs: FROZEN_TIMEOUT_MS,
};

interface CurrentTask {
  task: Task;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  unlisten: () => void;
  deadline: number;
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, AbortController>();
  #current: CurrentTask | null = null;
  #ready = false;
  /** It was ready before. */
  started = false;
  #gone = false;
  #checked = false;
  #silentMs = 0;
  #stderr = "";
  /** Called when free, and when ended. */
  onFree: () => void = () => {};
  onGone: () => void = () => {};
  isHeavy = false;

  constructor(
    setup: WorkerSetup,
    readonly host: Host,
    readonly kind: WorkerKind = DEFAULT_KIND,
  ) {
    this.#child = fork(kind.script, [], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // The environment contains keys, which workers must not see.
      env: process.platform === "win32" ? { SystemRoot: process.env.SystemRoot } : {},
      execArgv: [`--max-old-space-size=${MAX_MEMORY_MIB}`],
    });
    this.#child.stderr!.setEncoding("utf8").on("data", (part: string) => {
      this.#stderr = (this.#stderr + part).slice(-MAX_STDERR);
    });
    this.#child.on("message", (message) => this.#receive(message as FromWorker));
    this.#child.on("error", () => this.#kill("serve/failed", "the worker could not be started"));
    // `close` comes after the last output, `exit` maybe before.
    this.#child.on("close", (code, signal) => this.#onExit(code, signal));
    this.#send({ type: "setup", setup });
  }

  get isFree(): boolean {
    return this.#ready && !this.#gone && this.#current === null;
  }

  get isStarting(): boolean {
    return !this.#ready && !this.#gone;
  }

  get isBusy(): boolean {
    return this.#current !== null;
  }

  /** Waits for the server, computes nothing. */
  get isWaiting(): boolean {
    return this.#calls.size > 0 && this.#silentMs === 0;
  }

  get isSilent(): boolean {
    return this.#silentMs > 0;
  }

  start(task: Task): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const abort = () => this.#send({ type: "abort" });
      const unlisten = () => task.signal?.removeEventListener("abort", abort);
      this.#current = { task, resolve, reject, unlisten, deadline: Infinity };
      [this.#checked, this.#silentMs] = [false, 0];
      this.#send({ type: "begin", task: task.name, args: task.args });
      task.signal?.addEventListener("abort", abort);
      if (task.signal?.aborted) abort();
    });
  }

  /** Checks, or counts silence. `share` is the worker's fraction of a processor. */
  check(share: number): void {
    if (this.#current === null || this.#gone) return;
    if (!this.#checked) {
      [this.#checked, this.#silentMs] = [true, 0];
      return this.#send({ type: "beat" });
    }
    this.#silentMs += CHECK_INTERVAL_MS * share;
    const { task, deadline } = this.#current;
    const { frozenMs } = this.kind;
    const late = performance.now() > deadline;
    if (this.#silentMs < (late || task.signal?.aborted ? Math.min(UNWANTED_TIMEOUT_MS, frozenMs) : frozenMs)) return;
    const why = late ? " when its time was over" : "";
    const seconds = (this.#silentMs / 1000).toFixed(1);
    this.#kill("serve/frozen", `it computed for ${seconds} s without a pause${why}, and was ended`);
  }

  /** At once if busy, else after pending telemetry. */
  async end(): Promise<void> {
    if (this.#gone) return;
    const closed = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), EXIT_TIMEOUT_MS);
    if (this.#current !== null || !this.#ready) this.#child.kill("SIGKILL");
    else this.#send({ type: "end" });
    this.#ready = false;
    await closed;
    clearTimeout(timer);
  }

  #send(message: ToWorker): void {
    // The `close` event reports a lost worker.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(message: FromWorker): void {
    if (this.#gone) return;
    switch (message.type) {
      case "ready":
        this.#ready = this.started = true;
        return this.onFree();
      case "beat":
        [this.#checked, this.#silentMs] = [false, 0];
        return;
      case "ask":
        return void this.#answer(message.id, message.request);
      case "drop":
        return this.#calls.get(message.id)?.abort();
      case "begun":
        if (message.timeoutMs !== null && this.#current) this.#current.deadline = performance.now() + message.timeoutMs;
        return this.#current?.task.onBegun?.(message);
      case "news":
        return this.#current?.task.onNews?.(message);
      case "trouble":
        return this.host.trouble(message.code, message.message);
      default:
        this.isHeavy = message.held > MAX_IDLE_BYTES;
        return this.#settle(message);
    }
  }

  async #answer(id: number, request: HostRequest): Promise<void> {
    const stop = new AbortController();
    this.#calls.set(id, stop);
    const onRequest = (url: string, session?: string) =>
      this.#send({ type: "requested", id, url, session: session ?? null });
    try {
      const value = await this.host.answer(request, { signal: stop.signal, onRequest }, this.#current?.task ?? null);
      this.#send({ type: "answer", id, value });
    } catch (error) {
      const { code, message } = toFailure(error);
      this.#send({ type: "refusal", id, code, message });
    } finally {
      this.#calls.delete(id);
    }
  }

  #settle(message: Extract<FromWorker, { type: "done" | "failed" }>): void {
    const current = this.#current;
    this.#current = null;
    current?.unlisten();
    if (message.type === "done") current?.resolve(message.value);
    else current?.reject(failureOf(message));
    this.onFree();
  }

  /** Also rejects its task. */
  #kill(code: CallerErrorCode, message: string): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#child.kill("SIGKILL");
    for (const call of this.#calls.values()) call.abort();
    const current = this.#current;
    this.#current = null;
    current?.unlisten();
    current?.reject(new CallerError(code, message));
    this.onGone();
  }

  /** Usually it ran out of memory. */
  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    const memory =
      /out of memory|heap limit|memory access out of bounds|unreachable/i.test(this.#stderr) ||
      ["SIGABRT", "SIGKILL", "SIGTRAP"].includes(signal ?? "") ||
      code === 134;
    if (memory) this.#kill("serve/out-of-memory", `it needed more than ${MAX_MEMORY_MIB} MiB of memory, and was ended`);
    else this.#kill("serve/failed", `the worker ended with ${signal ?? code}: ${this.#stderr.slice(0, 300)}`);
  }
}

function failureOf({ code, message, help }: { code: string | null; message: string; help: string | null }): Error {
  return help === null
    ? Object.assign(new Error(message), code === null ? {} : { code })
    : new CallerError(code as CallerErrorCode, message, help);
}
