/**
 * The workers of a server: few that are ready, more while they are needed.
 *
 * Decides who does what, and when another worker is worth its start. A worker has one task at a time: whatever a task
 * does to its worker, no other is harmed.
 *
 * Invariant: a task waits for a worker, never for the end of a task that has frozen.
 */
import type { WorkerSetup } from "./worker-messages.js";
import { BEAT_MS, WorkerProcess, type Host, type WorkerKind, KIND, type Task } from "./worker-process.js";
import { CallerError } from "./caller-error.js";

/** How many there may be at once: one for each run that may be under way, and some for what is quick. */
const MOST = 72;
/** How many start at the same time. */
const STARTING = 2;
/** How long a task waits for one of those that compute, before another is started, in milliseconds. */
const PATIENCE_MS = 25;
/** How long one is kept that nobody needs, in milliseconds. */
const IDLE_MS = 30_000;
/** How many may compute at once: each may have half a GiB of memory. */
const COMPUTING = 16;
/** How much longer than usual a worker may be silent where many share few processors. */
const SHARED = 2;
/** How often in a row a start may fail. */
const TRIES = 3;

interface QueuedTask {
  task: Task;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Workers for tasks. */
export class WorkerPool {
  readonly #all = new Set<WorkerProcess>();
  readonly #free: WorkerProcess[] = [];
  readonly #queue: QueuedTask[] = [];
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;
  #failures = 0;

  /** `warm` is how many are ready whatever happens. */
  constructor(
    readonly setup: WorkerSetup,
    readonly host: Host,
    readonly warm: number,
    readonly processors: number,
    readonly kind: WorkerKind = KIND,
  ) {}

  /** Starts those that are always there. */
  open(): void {
    while (!this.#closed && this.#all.size < this.warm) this.#hire();
  }

  /** Has a task done. Rejects with what went wrong with it, or with its worker. */
  run<T>(name: string, args: unknown, given: Omit<Task, "name" | "args"> = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new CallerError("serve/failed", "the server ends"));
    return new Promise<unknown>((resolve, reject) => {
      this.#queue.push({ task: { name, args, ...given }, resolve, reject });
      this.#dispatch();
    }) as Promise<T>;
  }

  /** Lets all of them go. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#soon);
    clearInterval(this.#timer);
    clearTimeout(this.#sweep);
    this.#refuse(new CallerError("serve/failed", "the server ends"));
    await Promise.allSettled([...this.#all].map((worker) => worker.end()));
  }

  #hire(): void {
    const worker = new WorkerProcess(this.setup, this.host, this.kind);
    this.#all.add(worker);
    worker.onFree = () => this.#freed(worker);
    worker.onGone = () => {
      this.#forget(worker);
      if (worker.started || ++this.#failures < TRIES) this.open();
      else this.#refuse(new CallerError("serve/failed", "no worker could be started"));
      this.#dispatch();
    };
  }

  #refuse(error: Error): void {
    this.#failures = 0;
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #freed(worker: WorkerProcess): void {
    this.#failures = 0;
    if (worker.heavy) this.#leave(worker);
    else this.#free.push(worker);
    this.open();
    this.#dispatch();
    this.#sweep ??= setTimeout(() => this.#tidy(), IDLE_MS).unref();
  }

  /** Lets those go that nobody has needed for a while. */
  #tidy(): void {
    this.#sweep = undefined;
    while (this.#free.length > 0 && this.#all.size > this.warm) this.#leave(this.#free[0]!);
  }

  #leave(worker: WorkerProcess): void {
    this.#forget(worker);
    void worker.end();
  }

  #forget(worker: WorkerProcess): void {
    this.#all.delete(worker);
    const at = this.#free.indexOf(worker);
    if (at !== -1) this.#free.splice(at, 1);
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#free.length > 0) {
      // The one that worked last has everything at hand.
      const worker = this.#free.pop()!;
      if (!worker.free) continue;
      const { task, resolve, reject } = this.#queue.shift()!;
      // Who is gone before it begins needs no answer; a run is written down all the same.
      if (task.signal?.aborted && task.name !== "run") {
        reject(new CallerError("serve/failed", "nobody wants it any more"));
        this.#free.push(worker);
        continue;
      }
      worker.begin(task).then(resolve, reject);
      this.#timer ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    }
    this.#grow();
  }

  /** Starts another worker where those there are can't come to what is waiting; `waited` has done so for a while. */
  #grow(queued?: QueuedTask): void {
    const starting = [...this.#all].filter((worker) => worker.starting).length;
    if (this.#closed || this.#queue.length <= starting || starting >= STARTING || this.#all.size >= MOST) return;
    const [first] = this.#queue;
    const computing = [...this.#all].filter((worker) => worker.busy && !worker.waits);
    const stuck = first === queued || computing.every((worker) => worker.silent);
    if (stuck && computing.length < COMPUTING) {
      this.#hire();
      return this.#grow();
    }
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#grow(first);
    }, PATIENCE_MS);
  }

  /** Asks those that work whether they are there. Where many compute, each has had a part of the time alone. */
  #beat(): void {
    const busy = [...this.#all].filter((worker) => worker.busy);
    const silent = busy.filter((worker) => worker.silent).length;
    const share = Math.min(1, Math.max(1 / SHARED, this.processors / Math.max(1, silent)));
    for (const worker of busy) worker.beat(share);
    if (busy.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
