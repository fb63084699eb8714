/**
 * Worker processes, one task each, so a task can only harm its own worker.
 *
 * Invariant: a task never waits for a frozen task to end.
 */
import type { WorkerSetup } from "./worker-messages.js";
import {
  CHECK_INTERVAL_MS,
  WorkerProcess,
  type Host,
  type WorkerKind,
  DEFAULT_KIND,
  type Task,
} from "./worker-process.js";
import { CallerError } from "./caller-error.js";

/** One per concurrent run, plus some for quick tasks. */
const MAX_WORKERS = 72;
const MAX_STARTING = 2;
/** A task's wait for a busy worker before another starts. */
const QUEUE_TIMEOUT_MS = 25;
const IDLE_MS = 30_000;
/** Each may use 512 MiB. */
const MAX_COMPUTING = 16;
/** Extends the silence limit on few processors. */
const MAX_TIME_FACTOR = 2;
/** Consecutive failed starts. */
const MAX_START_ATTEMPTS = 3;

interface QueuedTask {
  task: Task;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

export class WorkerPool {
  readonly #all = new Set<WorkerProcess>();
  readonly #free: WorkerProcess[] = [];
  readonly #queue: QueuedTask[] = [];
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;
  #failures = 0;

  constructor(
    readonly setup: WorkerSetup,
    readonly host: Host,
    readonly warm: number,
    readonly processors: number,
    readonly kind: WorkerKind = DEFAULT_KIND,
  ) {}

  open(): void {
    while (!this.#closed && this.#all.size < this.warm) this.#startWorker();
  }

  /** Rejects with the error of task or worker. */
  run<T>(name: string, args: unknown, given: Omit<Task, "name" | "args"> = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new CallerError("serve/failed", "the server is shutting down"));
    return new Promise<unknown>((resolve, reject) => {
      this.#queue.push({ task: { name, args, ...given }, resolve, reject });
      this.#dispatch();
    }) as Promise<T>;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#soon);
    clearInterval(this.#timer);
    clearTimeout(this.#sweep);
    this.#rejectQueue(new CallerError("serve/failed", "the server is shutting down"));
    await Promise.allSettled([...this.#all].map((worker) => worker.end()));
  }

  #startWorker(): void {
    const worker = new WorkerProcess(this.setup, this.host, this.kind);
    this.#all.add(worker);
    worker.onFree = () => this.#onFree(worker);
    worker.onGone = () => {
      this.#remove(worker);
      if (worker.started || ++this.#failures < MAX_START_ATTEMPTS) this.open();
      else this.#rejectQueue(new CallerError("serve/failed", "no worker could be started"));
      this.#dispatch();
    };
  }

  #rejectQueue(error: Error): void {
    this.#failures = 0;
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #onFree(worker: WorkerProcess): void {
    this.#failures = 0;
    if (worker.isHeavy) this.#onGone(worker);
    else this.#free.push(worker);
    this.open();
    this.#dispatch();
    this.#sweep ??= setTimeout(() => this.#endIdle(), IDLE_MS).unref();
  }

  #endIdle(): void {
    this.#sweep = undefined;
    while (this.#free.length > 0 && this.#all.size > this.warm) this.#onGone(this.#free[0]!);
  }

  #onGone(worker: WorkerProcess): void {
    this.#remove(worker);
    void worker.end();
  }

  #remove(worker: WorkerProcess): void {
    this.#all.delete(worker);
    const at = this.#free.indexOf(worker);
    if (at !== -1) this.#free.splice(at, 1);
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#free.length > 0) {
      // The most recently used worker has warm caches.
      const worker = this.#free.pop()!;
      if (!worker.isFree) continue;
      const { task, resolve, reject } = this.#queue.shift()!;
      // Even cancelled runs need an answer, because they are stored.
      if (task.signal?.aborted && task.name !== "run") {
        reject(new CallerError("serve/failed", "the task was cancelled"));
        this.#free.push(worker);
        continue;
      }
      worker.start(task).then(resolve, reject);
      this.#timer ??= setInterval(() => this.#checkWorkers(), CHECK_INTERVAL_MS).unref();
    }
    this.#grow();
  }

  /** `queued` has waited for {@link QUEUE_TIMEOUT_MS}. */
  #grow(queued?: QueuedTask): void {
    const starting = [...this.#all].filter((worker) => worker.isStarting).length;
    if (this.#closed || this.#queue.length <= starting || starting >= MAX_STARTING || this.#all.size >= MAX_WORKERS)
      return;
    const [first] = this.#queue;
    const computing = [...this.#all].filter((worker) => worker.isBusy && !worker.isWaiting);
    const stuck = first === queued || computing.every((worker) => worker.isSilent);
    if (stuck && computing.length < MAX_COMPUTING) {
      this.#startWorker();
      return this.#grow();
    }
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#grow(first);
    }, QUEUE_TIMEOUT_MS);
  }

  /** If many compute, each gets more time. */
  #checkWorkers(): void {
    const busy = [...this.#all].filter((worker) => worker.isBusy);
    const silent = busy.filter((worker) => worker.isSilent).length;
    const share = Math.min(1, Math.max(1 / MAX_TIME_FACTOR, this.processors / Math.max(1, silent)));
    for (const worker of busy) worker.check(share);
    if (busy.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
