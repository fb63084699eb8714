/**
 * Decides when runs write to their sink. If the sink has `writeAll`, concurrent runs share writes: a thousand runs
 * would otherwise need a thousand transactions in each tenth of a second.
 *
 * Invariants: each run has at most one batch in progress. A run gets its batch back if the write fails. If one batch
 * makes a shared write fail, each batch is retried alone.
 */
import { isThenable } from "../../guards.js";
import type { AuditBatch, AuditSink } from "./sink.js";

/** A run with data to write. */
export interface WriteSource {
  /** Returns the pending data. Later data belongs to the next batch. */
  take(): AuditBatch;
  /** Reports the result of a write. After a failure the source owns the batch again. */
  onWritten(part: AuditBatch, failure: { error: unknown } | null): void;
  /** Whether the last write failed. The next write then waits for its own time. */
  readonly isFailing: boolean;
  /** Whether the run has ended. A caller then waits for the write. */
  readonly isOver: boolean;
}

/** A timer of Node. Browsers' timers lack these methods. */
interface Timer {
  ref?: () => void;
  unref?: () => void;
}

/** Whether the process should stay alive for this source. */
function keepsProcessAlive({ isFailing, isOver }: WriteSource): boolean {
  return isOver || !isFailing;
}

/** Error codes that may be the batch's fault rather than the sink's. */
const PART_ERRORS = new Set<unknown>([undefined, "audit/failed"]);

const queues = new WeakMap<AuditSink, WriteQueue>();

/** Queue of the writes to one sink. */
export class WriteQueue {
  readonly #sink: AuditSink;
  /** Due time of each source, by the platform's clock. */
  readonly #due = new Map<WriteSource, number>();
  readonly #writing = new Map<WriteSource, Promise<void>>();
  /** Callers that wait for the next writes. */
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;
  /** Number of running runs. */
  #open = 0;

  private constructor(sink: AuditSink) {
    this.#sink = sink;
  }

  /** Returns the queue of a sink. */
  static to(sink: AuditSink): WriteQueue {
    let queue = queues.get(sink);
    if (queue === undefined) queues.set(sink, (queue = new WriteQueue(sink)));
    return queue;
  }

  /** Counts a started run. */
  runStarted(): void {
    this.#open++;
  }

  /** Removes an ended run that has nothing left to write. */
  runEnded(source: WriteSource): void {
    this.#open--;
    this.#due.delete(source);
  }

  /** Whether a batch of this source is in progress. */
  isWriting(source: WriteSource): boolean {
    return this.#writing.has(source);
  }

  /** Writes the source's data after `ms` milliseconds at the latest. */
  schedule(source: WriteSource, ms: number): void {
    const at = performance.now() + ms;
    this.#due.set(source, Math.min(at, this.#due.get(source) ?? Infinity));
    if (at < this.#at) this.#arm(at);
    else if (keepsProcessAlive(source)) (this.#timer as Timer).ref?.();
  }

  /** Writes the source's data at once. A synchronous sink costs no promise. */
  writeNow(source: WriteSource): void | Promise<void> {
    return this.#writing.has(source) ? this.#whenWritten(source) : this.#send([source]);
  }

  /** Writes the source's data together with that of other runs. */
  async writeSoon(source: WriteSource): Promise<void> {
    await this.#whenWritten(source);
    if (this.#open < 2 || this.#sink.writeAll === undefined) return this.writeNow(source);
    this.schedule(source, 0);
    while (this.#due.has(source)) await new Promise<void>((done) => this.#waiting.push(done));
    return this.#whenWritten(source);
  }

  /** Waits until no write of the source is in progress. A failed shared write may be followed by one of its own. */
  async #whenWritten(source: WriteSource): Promise<void> {
    for (let under: Promise<unknown> | undefined; (under = this.#writing.get(source)) !== undefined; ) await under;
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, at - performance.now()));
    // An unreachable sink must not keep an otherwise idle process alive.
    for (const source of this.#due.keys()) if (keepsProcessAlive(source)) return;
    (this.#timer as Timer).unref?.();
  }

  #fire(): void {
    this.#timer = undefined;
    this.#at = Infinity;
    const until = performance.now() + 1;
    const together = this.#sink.writeAll !== undefined;
    const ready = [...this.#due]
      .filter(([sender, at]) => !this.#writing.has(sender) && (at <= until || (together && !sender.isFailing)))
      .map(([sender]) => sender);
    if (together && ready.length > 0) void this.#send(ready);
    else for (const source of ready) void this.#send([source]);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
    this.#rearm();
  }

  /** Sets the timer for the next source. A source with a write in progress is scheduled when that settles. */
  #rearm(): void {
    let next = Infinity;
    for (const [sender, at] of this.#due) if (at < next && !this.#writing.has(sender)) next = at;
    if (next < this.#at) this.#arm(next);
  }

  #send(sources: readonly WriteSource[]): void | Promise<void> {
    const parts = sources.map((source) => source.take());
    for (const source of sources) this.#due.delete(source);
    const settle = (failure: { error: unknown } | null): void | Promise<void> => {
      const alone =
        failure !== null && sources.length > 1 && PART_ERRORS.has((failure.error as { code?: unknown } | null)?.code);
      for (const [index, sender] of sources.entries()) sender.onWritten(parts[index]!, failure);
      if (alone) for (const source of sources) void this.writeNow(source);
    };
    let given: void | Promise<void>;
    try {
      given = parts.length === 1 ? this.#sink.write(parts[0]!) : this.#sink.writeAll!(parts);
    } catch (error) {
      return settle({ error });
    }
    // A synchronous return value, such as the length of a list, has no meaning.
    if (!isThenable(given)) return settle(null);
    const under = Promise.resolve(given)
      .then(
        () => null,
        (error: unknown) => ({ error }),
      )
      .then((failure) => {
        for (const source of sources) this.#writing.delete(source);
        const more = settle(failure);
        this.#rearm();
        return more;
      });
    for (const source of sources) this.#writing.set(source, under);
    return under;
  }
}
