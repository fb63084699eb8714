/**
 * When what runs have told is written: the runs that go to one sink share their writes, where the sink takes several
 * parts at once.
 *
 * A thousand runs at a time would otherwise be a thousand transactions in every tenth of a second. Invariants: of a run
 * one part is under way at most; a part is given back to its run if it was not written; a part that spoils the others'
 * write is tried by itself.
 */
import { isThenable } from "../../guards.js";
import type { AuditBatch, AuditSink } from "./sink.js";

/** A run that has something to be written. */
export interface WriteSource {
  /** What has come so far; what comes from now on belongs to the next part. */
  take(): AuditBatch;
  /** That it was written, or why not; then it has the part again. */
  onWritten(part: AuditBatch, failure: { error: unknown } | null): void;
  /** Whether the last write failed: then its next is worth waiting for, but not early. */
  readonly isFailing: boolean;
  /** Whether its run is over: then somebody waits for it. */
  readonly isOver: boolean;
}

/** A timer of Node's, which a browser's is not. */
interface Timer {
  ref?: () => void;
  unref?: () => void;
}

/** Whether a process should stay for it. */
function keepsProcessAlive({ isFailing, isOver }: WriteSource): boolean {
  return isOver || !isFailing;
}

/** What tells nothing of the sink: it may be the part. */
const PART_ERRORS = new Set<unknown>([undefined, "audit/failed"]);

const queues = new WeakMap<AuditSink, WriteQueue>();

/** Takes parts to one sink. */
export class WriteQueue {
  readonly #sink: AuditSink;
  /** When each is to be written, by the platform's clock. */
  readonly #due = new Map<WriteSource, number>();
  readonly #writing = new Map<WriteSource, Promise<void>>();
  /** Who waits for the next writes. */
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;
  /** How many runs are under way. */
  #open = 0;

  private constructor(sink: AuditSink) {
    this.#sink = sink;
  }

  /** The one that goes there. */
  static to(sink: AuditSink): WriteQueue {
    let queue = queues.get(sink);
    if (queue === undefined) queues.set(sink, (queue = new WriteQueue(sink)));
    return queue;
  }

  /** A run begins. */
  runStarted(): void {
    this.#open++;
  }

  /** A run is over, and nothing of it is left to be written. */
  runEnded(source: WriteSource): void {
    this.#open--;
    this.#due.delete(source);
  }

  /** Whether a part of it is under way. */
  isWriting(source: WriteSource): boolean {
    return this.#writing.has(source);
  }

  /** Writes what it has, so long from now at the latest. */
  schedule(source: WriteSource, ms: number): void {
    const at = performance.now() + ms;
    this.#due.set(source, Math.min(at, this.#due.get(source) ?? Infinity));
    if (at < this.#at) this.#arm(at);
    else if (keepsProcessAlive(source)) (this.#timer as Timer).ref?.();
  }

  /** Writes what it has at once; a sink that answers at once costs no promise. */
  writeNow(source: WriteSource): void | Promise<void> {
    return this.#writing.has(source) ? this.#whenWritten(source) : this.#send([source]);
  }

  /** The same, together with others that are there at this moment. */
  async writeSoon(source: WriteSource): Promise<void> {
    await this.#whenWritten(source);
    if (this.#open < 2 || this.#sink.writeAll === undefined) return this.writeNow(source);
    this.schedule(source, 0);
    while (this.#due.has(source)) await new Promise<void>((done) => this.#waiting.push(done));
    return this.#whenWritten(source);
  }

  /** Waits until nothing of it is under way: what was tried with others may be tried once more by itself. */
  async #whenWritten(source: WriteSource): Promise<void> {
    for (let under: Promise<unknown> | undefined; (under = this.#writing.get(source)) !== undefined; ) await under;
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, at - performance.now()));
    // A sink that is out of reach must not keep a process alive that has nothing else to do.
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

  /** Sets the clock for the next that is not under way; that one is seen to when it has settled. */
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
    // What a sink gives at once, such as the length of a list, says nothing.
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
