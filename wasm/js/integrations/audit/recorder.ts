/**
 * Records one run: passes its events and cassette lines to a sink in batches.
 *
 * Invariants: the run waits only if the sink itself blocks. Unconfirmed data stays here or is spilled. The end is the
 * last write.
 */
import { internals, PlanGraph, type Report, type RunOptions, type TraceEvent } from "stepgraph";
import { Redactor } from "../../redact.js";
import { assertAudited, type AuditOptions } from "./options.js";
import { WriteQueue, type WriteSource } from "./write-queue.js";
import {
  AuditError,
  type AuditEnd,
  type AuditEvent,
  type AuditLine,
  type AuditBatch,
  type AuditRun,
  type AuditSink,
} from "./sink.js";

/** A recorded run. */
export interface Audited<Options extends RunOptions = RunOptions> {
  /** In the store. */
  readonly id: string;
  readonly options: Options;
  /** Records that were not written or spilled at the end. */
  readonly unwritten: AuditBatch | null;
  readonly spilledTo: readonly string[];
  /** Writes pending data. Returns whether all is written. */
  flush(): Promise<boolean>;
  /** Writes the outcome and returns the report. The sink's errors don't matter. */
  end(report: Report | PromiseLike<Report>): Promise<Report>;
}

/** @internal How often a silent run shows that it is alive. */
export const HEARTBEAT_MS = 10_000;
const MAX_RETRY_WAIT_MS = 5000;
/** A retry can't fix these. */
const PERMANENT_CODES = new Set([
  "audit/full",
  "audit/read-only",
  "audit/closed",
  "audit/unreadable",
  "audit/version",
  "audit/no-driver",
  "audit/not-opened",
  "audit/no-database",
]);

/**
 * Audits one run: returns the options to start it with.
 *
 * @example
 * const audit = audited(graph, { input: "hola", handlers }, await openAudit("audit.db"));
 * const report = await audit.end(run(graph, audit.options));
 */
export function audited<Options extends RunOptions>(
  graph: PlanGraph,
  options: Options,
  sink: AuditSink,
  about: AuditOptions = {},
): Audited<Options> {
  assertAudited(graph, options, sink, about);
  return new AuditRecorder(graph, options, sink, about);
}

class AuditRecorder<Options extends RunOptions> implements Audited<Options>, WriteSource {
  readonly options: Options;
  readonly spilledTo: string[] = [];
  readonly id = newId();
  readonly #sink: AuditSink;
  readonly #queue: WriteQueue;
  readonly #about: AuditOptions;
  readonly #graph: PlanGraph;
  readonly #redactor: Redactor;
  #run: AuditRun | null = null;
  #events: AuditEvent[] = [];
  #lines: AuditLine[] = [];
  #end: AuditEnd | null = null;
  #seq = 0;
  #line = 0;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #isWriteRequested = false;
  #lastError: AuditError | null = null;
  #waitMs = 0;
  #spilling: Promise<boolean> | null = null;
  #isOver = false;

  constructor(graph: PlanGraph, options: Options, sink: AuditSink, about: AuditOptions) {
    this.#graph = graph;
    this.#redactor = new Redactor(options.context, options);
    this.#sink = sink;
    this.#queue = WriteQueue.to(sink);
    this.#about = about;
    const { onEvent, record } = options;
    const tape =
      about.cassette === false
        ? record
        : (line: string) => {
            this.#takeLine(line);
            return record?.(line);
          };
    const listen = (event: TraceEvent) => {
      this.#takeEvent(event);
      return onEvent?.(event);
    };
    this.options = { ...options, onEvent: listen, ...(tape && { record: tape }) };
  }

  get unwritten(): AuditBatch | null {
    return this.#isOver && !this.#empty ? this.#nextPart() : null;
  }

  get isFailing(): boolean {
    return this.#lastError !== null;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async flush(): Promise<boolean> {
    if (this.#run === null || this.#isOver) return true;
    // The current write lacks the newest events.
    if (this.#queue.isWriting(this)) await this.#queue.writeNow(this);
    await this.#queue.writeNow(this);
    return this.#empty;
  }

  async end(report: Report | PromiseLike<Report>): Promise<Report> {
    try {
      const given = await report;
      internals.assertKind("end", "report", given, "map");
      const { outcome, durationMs, counts } = given;
      const plain = this.#redactor.plain({ outcome }) as Pick<AuditEnd, "outcome">;
      await this.#close({ ...plain, endedMs: Date.now(), durationMs, counts });
      return report;
    } catch (error) {
      // A run that never started leaves its request.
      const { code = "run/thrown", message = String(error) } = (error ?? {}) as { code?: string; message?: string };
      const begun = this.#run?.startedMs ?? Date.now();
      await this.#close({
        outcome: { type: "failed", code, message },
        endedMs: Date.now(),
        durationMs: Date.now() - begun,
        counts: { steps: 0, calls: 0, retries: 0 },
      });
      throw error;
    }
  }

  take(): AuditBatch {
    const part = this.#nextPart();
    this.#events = [];
    this.#lines = [];
    this.#end = null;
    this.#isWriteRequested = false;
    return part;
  }

  onWritten(part: AuditBatch, failure: { error: unknown } | null): void {
    if (failure === null) {
      this.#lastError = null;
      this.#waitMs = 0;
      if (!this.#isOver && this.#count > 0) this.#schedule();
      return;
    }
    this.#restore(part);
    const trouble = toAuditError(failure.error);
    if (trouble.code !== this.#lastError?.code) this.#reportError(trouble);
    this.#lastError = trouble;
    this.#waitMs = Math.min(MAX_RETRY_WAIT_MS, Math.max(50, this.#waitMs * 2));
    if (!this.#isOver) this.#requestWrite(this.#waitMs);
  }

  #takeEvent(event: TraceEvent): void {
    if (this.#isOver) return;
    this.#start();
    const { node = null, scope = null, visit = null } = event as { node?: string; scope?: string; visit?: number };
    this.#events.push({
      seq: this.#seq++,
      atMs: event.atMs,
      type: event.type,
      node,
      scope,
      visit,
      json: textOf(event, this.#redactor),
    });
    this.#schedule();
  }

  #takeLine(json: string): void {
    if (this.#isOver) return;
    this.#start();
    this.#lines.push({ seq: this.#line++, json });
    this.#schedule();
  }

  /** Unused options leave no trace in the store. */
  #start(): AuditRun {
    if (this.#run !== null) return this.#run;
    const { key = null, continues = null } = this.#about;
    this.#run = { id: this.id, key, continues, plan: planOf(this.#graph, this.#about), startedMs: Date.now() };
    this.#queue.runStarted();
    this.#heartbeat = setInterval(() => this.#requestWrite(0), HEARTBEAT_MS);
    unref(this.#heartbeat);
    this.#requestWrite(0);
    return this.#run;
  }

  #schedule(): void {
    const count = this.#count;
    const { maxPending = 20_000, batch = 500, delayMs = 100 } = this.#about;
    if (this.#lastError !== null && count >= maxPending) this.#overflow();
    else if (this.#lastError === null && count >= batch && !this.#queue.isWriting(this))
      void this.#queue.writeNow(this);
    if (!this.#isWriteRequested && this.#count > 0)
      this.#requestWrite(this.#lastError === null ? delayMs : this.#waitMs);
  }

  #requestWrite(ms: number): void {
    this.#isWriteRequested = true;
    this.#queue.schedule(this, ms);
  }

  get #count(): number {
    return this.#events.length + this.#lines.length;
  }

  get #empty(): boolean {
    return this.#count === 0 && this.#end === null;
  }

  #nextPart(): AuditBatch {
    return { run: this.#start(), events: this.#events, lines: this.#lines, end: this.#end };
  }

  #restore({ events, lines, end }: AuditBatch): void {
    this.#events = [...events, ...this.#events];
    this.#lines = [...lines, ...this.#lines];
    this.#end ??= end;
  }

  #reportError(error: AuditError): void {
    try {
      this.#about.onError?.(error, this.#count);
    } catch {
      // A failing listener must not affect the run.
    }
  }

  #overflow(): void {
    if (this.#sink.spill !== undefined && this.#spilling === null && !this.#queue.isWriting(this)) void this.#spill();
  }

  #spill(): boolean | Promise<boolean> {
    const part = this.take();
    const spilled = (place: string) => {
      this.spilledTo.push(place);
      return true;
    };
    const lost = (error: unknown) => {
      this.#restore(part);
      const why = toAuditError(error);
      this.#reportError(
        new AuditError("audit/not-kept", `unwritten entries could not be spilled either: ${why.message}`, why.help, {
          cause: error,
        }),
      );
      return false;
    };
    try {
      const given = this.#sink.spill!(part);
      if (typeof given === "string") return spilled(given);
      return (this.#spilling = given.then(spilled, lost).finally(() => (this.#spilling = null)));
    } catch (error) {
      return lost(error);
    }
  }

  async #close(end: AuditEnd): Promise<void> {
    if (this.#isOver) return;
    this.#start();
    await this.#spilling;
    this.#isOver = true;
    this.#end = end;
    clearInterval(this.#heartbeat);
    const until = performance.now() + (this.#about.flushTimeoutMs ?? 5000);
    for (let wait = 20; ; wait = Math.min(500, wait * 2)) {
      await this.#queue.writeSoon(this);
      if (this.#empty || PERMANENT_CODES.has(this.#lastError?.code ?? "") || performance.now() + wait > until) break;
      await new Promise<void>((done) => setTimeout(done, wait));
    }
    this.#queue.runEnded(this);
    if (this.#empty) return;
    if (this.#sink.spill !== undefined) await this.#spill();
    else
      this.#reportError(
        new AuditError(
          "audit/not-kept",
          `the end of the run could not be written: ${this.#lastError?.message ?? "the sink failed"}`,
          "take it from `unwritten`",
        ),
      );
  }
}

function toAuditError(error: unknown): AuditError {
  if (error instanceof AuditError) return error;
  const { message = String(error) } = (error ?? {}) as { message?: string };
  return new AuditError("audit/failed", message, "see the message of the sink", { cause: error });
}

/** If the whole has no JSON, keeps the fields that have one. */
function textOf(event: TraceEvent, redactor: Redactor): string {
  const text = redactor.text(event);
  if (text !== "null") return text;
  return JSON.stringify(
    Object.assign({}, ...Object.entries(event).map(([key, value]) => redactedField(key, value, redactor))),
  );
}

function redactedField(key: string, value: unknown, redactor: Redactor): object {
  return (redactor.plain({ [key]: value }) as object | null) ?? { [key]: null };
}

/** Printing a large plan takes longer than many runs. */
const plans = new WeakMap<PlanGraph, { name: string | null; text?: string }>();

function planOf(graph: PlanGraph, { name, plan }: AuditOptions): AuditRun["plan"] {
  let known = plans.get(graph);
  if (known === undefined) {
    const { id } = graph.toJSON() as { id?: unknown };
    plans.set(graph, (known = { name: typeof id === "string" ? id : null }));
  }
  const text = plan === false ? null : (plan ?? (known.text ??= PlanGraph.print(graph)));
  return { hash: graph.hash, name: known.name ?? name ?? null, text };
}

const ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";

/** 80 random bits, without look-alikes. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => ID_LETTERS[byte & 31]).join("");
}

function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
