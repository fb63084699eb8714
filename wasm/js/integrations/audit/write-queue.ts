/**
 * Schedules writes to a sink. Runs share them by `writeAll`: a thousand runs would need as many transactions in a tenth
 * of a second.
 *
 * Invariants: each run has one batch in progress at most, and gets it back on failure. After a failed shared write,
 * each batch is retried alone.
 */
import { isThenable } from "../../guards.js";
import type { AuditBatch, AuditSink } from "./sink.js";

export interface WriteSource {
  take(): AuditBatch;
  /** After a failure the source owns the batch again. */
  onWritten(part: AuditBatch, failure: { error: unknown } | null): void;
  readonly isFailing: boolean;
  readonly isOver: boolean;
}

/** Browsers' timers lack these. */
interface Timer {
  ref?: () => void;
  unref?: () => void;
}

function keepsProcessAlive({ isFailing, isOver }: WriteSource): boolean {
  return isOver || !isFailing;
}

/** Maybe the batch's fault. */
const PART_ERRORS = new Set<unknown>([undefined, "audit/failed"]);

const queues = new WeakMap<AuditSink, WriteQueue>();

export class WriteQueue {
  readonly #sink: AuditSink;
  /** Times of the platform's clock. */
  readonly #due = new Map<WriteSource, number>();
  readonly #writing = new Map<WriteSource, Promise<void>>();
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;
  #open = 0;

  private constructor(sink: AuditSink) {
    this.#sink = sink;
  }

  static to(sink: AuditSink): WriteQueue {
    let queue = queues.get(sink);
    if (queue === undefined) queues.set(sink, (queue = new WriteQueue(sink)));
    return queue;
  }

  runStarted(): void {
    this.#open++;
  }

  runEnded(source: WriteSource): void {
    this.#open--;
    this.#due.delete(source);
  }

  isWriting(source: WriteSource): boolean {
    return this.#writing.has(source);
  }

  /** Within `ms`. */
  schedule(source: WriteSource, ms: number): void {
    const at = performance.now() + ms;
    this.#due.set(source, Math.min(at, this.#due.get(source) ?? Infinity));
    if (at < this.#at) this.#arm(at);
    else if (keepsProcessAlive(source)) (this.#timer as Timer).ref?.();
  }

  writeNow(source: WriteSource): void | Promise<void> {
    return this.#writing.has(source) ? this.#whenWritten(source) : this.#send([source]);
  }

  /** Shared with other runs. */
  async writeSoon(source: WriteSource): Promise<void> {
    await this.#whenWritten(source);
    if (this.#open < 2 || this.#sink.writeAll === undefined) return this.writeNow(source);
    this.schedule(source, 0);
    while (this.#due.has(source)) await new Promise<void>((done) => this.#waiting.push(done));
    return this.#whenWritten(source);
  }

  async #whenWritten(source: WriteSource): Promise<void> {
    for (let under: Promise<unknown> | undefined; (under = this.#writing.get(source)) !== undefined; ) await under;
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, at - performance.now()));
    // An unreachable sink must not keep an idle process alive.
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
