/**
 * Sends spans in batches, with retries.
 *
 * Invariants: it never throws or rejects. The queue is limited, and one request runs at a time. Each lost span is
 * counted and reported without keys. Source: OpenTelemetry Protocol 1.9, "OTLP/HTTP": only 429, 502, 503 and 504 are
 * retried, not before `Retry-After`.
 */
import { REDACTED } from "../../redact.js";
import type { ReceiverOptions, TelemetryFailure, TelemetryStats } from "./types.js";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5000;
const MAX_RESPONSE_BYTES = 65_536;
/** A closing page still sends requests up to this size. */
const KEEPALIVE_BYTES = 60_000;
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

type ExportResult =
  | { type: "taken"; rejected: number; message: string }
  | { type: "again"; code: string; message: string; afterMs?: number | undefined }
  | { type: "too-large"; message: string }
  | { type: "refused"; code: string; message: string };

interface EncodedSpan {
  json: string;
  bytes: number;
}
interface FlushWaiter {
  target: number;
  resolve: () => void;
}

export class OtlpExporter {
  readonly stats: { -readonly [K in keyof TelemetryStats]: number } = { spans: 0, exported: 0, lost: 0, requests: 0 };
  readonly #options: ReceiverOptions;
  readonly #address: string;
  readonly #envelope: readonly [string, string];
  readonly #reportFailure: (failure: TelemetryFailure) => void;
  readonly #limits: { spans: number; bytes: number; queue: number };
  /** workerd forbids it while a module loads. */
  #stopper: AbortController | undefined;
  #queue: EncodedSpan[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #due = false;
  #closed = false;
  #received = 0;
  #settled = 0;
  #oversized = 0;
  #waiters: FlushWaiter[] = [];

  constructor(
    options: ReceiverOptions,
    address: string,
    around: readonly [string, string],
    tell: (failure: TelemetryFailure) => void,
  ) {
    this.#options = options;
    this.#address = address;
    this.#envelope = around;
    this.#reportFailure = tell;
    const { batch: { spans = 512, bytes = 1_000_000 } = {}, queue = 8192 } = options;
    // A batch larger than the queue would never fill.
    this.#limits = { spans: Math.min(spans, queue), bytes, queue };
  }

  get #stop(): AbortController {
    return (this.#stopper ??= new AbortController());
  }

  push(json: string): void {
    this.stats.spans++;
    if (this.#closed) return this.#drop("otel/closed", "a span ended after the telemetry was closed", 1);
    if (this.#queue.length >= this.#limits.queue) {
      this.stats.lost++;
      this.#oversized++;
      return;
    }
    this.#received++;
    this.#queue.push({ json, bytes: bytesOf(json) });
    if (this.#queue.length >= this.#limits.spans) this.#start();
    else this.#timer ??= setTimeout(() => this.exportSoon(), this.#options.delayMs ?? 1000);
  }

  exportSoon(): void {
    this.#due = true;
    if (!this.#running) setTimeout(() => this.#start(), 0);
  }

  flush(): Promise<void> {
    if (this.#settled >= this.#received) return Promise.resolve();
    this.#due = true;
    const target = this.#received;
    const settled = new Promise<void>((resolve) => this.#waiters.push({ target, resolve }));
    this.#start();
    return settled;
  }

  async close(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), timeoutMs);
    await this.flush();
    clearTimeout(timer);
    clearTimeout(this.#timer);
    this.#closed = true;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running) return;
    this.#running = true;
    void this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0 && (this.#due || this.#queue.length >= this.#limits.spans)) {
      const batch = this.#nextBatch();
      await this.#deliver(batch);
      this.#settled += batch.length;
      if (this.#oversized > 0) this.#overflowed();
      this.#waiters = this.#waiters.filter(({ target, resolve }) => this.#settled < target || resolve());
    }
    this.#running = false;
    if (this.#queue.length === 0) this.#due = false;
    else this.#timer ??= setTimeout(() => this.exportSoon(), this.#options.delayMs ?? 1000);
  }

  #overflowed(): void {
    const spans = this.#oversized;
    this.#oversized = 0;
    this.#reportFailure({
      code: "otel/queue-full",
      message: `${spans} spans exceeded the queue of ${this.#limits.queue} for the receiver`,
      spans,
    });
  }

  #nextBatch(): EncodedSpan[] {
    let [count, bytes] = [0, 0];
    while (count < this.#queue.length && count < this.#limits.spans) {
      bytes += this.#queue[count]!.bytes + 1;
      // The receiver may accept a single large span.
      if (bytes > this.#limits.bytes && count > 0) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #deliver(batch: EncodedSpan[]): Promise<void> {
    const until = Date.now() + (this.#options.retryMs ?? 30_000);
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      const result = await this.#post(batch);
      if (result.type === "taken") return this.#accepted(batch, result);
      if (result.type === "too-large" && batch.length > 1) {
        const half = batch.length >> 1;
        await this.#deliver(batch.slice(0, half));
        return this.#deliver(batch.slice(half));
      }
      if (result.type === "too-large") return this.#drop("otel/too-large", result.message, 1);
      if (result.type === "refused") return this.#drop(result.code, result.message, batch.length);
      // Jitter never shortens `Retry-After`.
      const ms = result.afterMs ?? wait * (0.5 + Math.random() / 2);
      if (Date.now() + ms > until || !(await this.#wait(ms)))
        return this.#drop(result.code, result.message, batch.length);
    }
  }

  #accepted(batch: EncodedSpan[], { rejected, message }: Extract<ExportResult, { type: "taken" }>): void {
    const lost = Math.min(rejected, batch.length);
    this.stats.exported += batch.length - lost;
    if (lost > 0)
      this.#drop("otel/rejected", `the receiver accepted the rest, with the message: ${message || "nothing"}`, lost);
    else if (message !== "")
      this.#reportFailure({
        code: "otel/warning",
        message: `the receiver accepted all, with the message: ${message}`,
        spans: 0,
      });
  }

  #drop(code: string, message: string, spans: number): void {
    this.stats.lost += spans;
    this.#reportFailure({ code, message, spans });
  }

  /** False if the exporter was stopped. */
  #wait(ms: number): Promise<boolean> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const stop = () => (clearTimeout(timer), resolve(false));
      const timer = setTimeout(() => (signal.removeEventListener("abort", stop), resolve(true)), ms);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  async #post(batch: EncodedSpan[]): Promise<ExportResult> {
    const { fetch: custom, headers = {}, timeoutMs = 10_000 } = this.#options;
    const body = this.#envelope[0] + batch.map(({ json }) => json).join(",") + this.#envelope[1];
    const place = displayUrl(this.#address);
    let hidden = secretRemover(this.#address, {});
    const timer = new AbortController();
    const clear = this.#limit(timer, timeoutMs);
    try {
      const own = typeof headers === "function" ? await headers() : headers;
      hidden = secretRemover(this.#address, own);
      const init: RequestInit = {
        method: "POST",
        headers: { ...own, "content-type": "application/json" },
        body,
        signal: timer.signal,
        // A redirect would get the key. In pages the status is 0.
        redirect: "manual",
        ...(isInPage() && body.length < KEEPALIVE_BYTES && { keepalive: true }),
      };
      this.stats.requests++;
      const response = await (custom ? custom(this.#address, init) : globalThis.fetch(this.#address, init));
      return toExportResult(place, response, hidden(await readBeginning(response)));
    } catch (error) {
      if (this.#stop.signal.aborted)
        return {
          type: "refused",
          code: "otel/timeout",
          message: `${place} had not accepted everything when the telemetry was closed`,
        };
      if (timer.signal.aborted)
        return { type: "again", code: "otel/timeout", message: `${place} did not answer within ${timeoutMs} ms` };
      const allow = isInPage() ? "; a page's receiver must allow its origin and the header content-type" : "";
      return {
        type: "again",
        code: "otel/unreachable",
        message: `${place} can't be reached: ${errorReason(error, hidden)}${allow}`,
      };
    } finally {
      clear();
    }
  }

  #limit(timer: AbortController, ms: number): () => void {
    const abort = () => timer.abort();
    const timeout = setTimeout(abort, ms);
    this.#stop.signal.addEventListener("abort", abort, { once: true });
    if (this.#stop.signal.aborted) abort();
    return () => (clearTimeout(timeout), this.#stop.signal.removeEventListener("abort", abort));
  }
}

function toExportResult(place: string, { ok, status, headers }: Response, text: string): ExportResult {
  const body = JSON.parse(text.startsWith("{") ? validJson(text) : "{}") as {
    message?: unknown;
    partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown } | null;
  };
  if (ok) {
    const { rejectedSpans = 0, errorMessage = "" } = body.partialSuccess ?? {};
    return { type: "taken", rejected: Number(rejectedSpans) || 0, message: clipMessage(String(errorMessage)) };
  }
  if (status === 0 || (status >= 300 && status < 400))
    return { type: "refused", code: "otel/refused", message: `${place} sends to another address; use that one` };
  const words = clipMessage(typeof body.message === "string" ? body.message : text);
  const message = `${place} answers with status ${status}${words === "" ? "" : `: ${words}`}`;
  if (RETRYABLE_STATUSES.has(status))
    return { type: "again", code: "otel/unavailable", message, afterMs: retryAfterMs(headers.get("retry-after")) };
  return status === 413 ? { type: "too-large", message } : { type: "refused", code: "otel/refused", message };
}

function validJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return "{}";
  }
}

/** Seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

async function readBeginning({ body }: Response): Promise<string> {
  if (body === null) return "";
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || text.length > MAX_RESPONSE_BYTES) return text;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function clipMessage(text: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, " ").trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

/** Node puts the reason into the cause. */
function errorReason(error: unknown, hidden: (text: string) => string): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "something was thrown";
  const { code } = cause as Error & { code?: unknown };
  return clipMessage(hidden(cause.message || (typeof code === "string" ? code : cause.name)));
}

/** A receiver may quote a rejected key. */
function secretRemover(address: string, headers: Record<string, string>): (text: string) => string {
  const sent = [...Object.values(headers), ...new URL(address).searchParams.values()]
    .flatMap((value) => String(value).split(/\s+/))
    .filter((word) => word.length > 3 && !/^(Bearer|Basic)$/i.test(word));
  return (text) => sent.reduce((rest, word) => rest.replaceAll(word, REDACTED), text);
}

function displayUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  return `\`${origin}${pathname}\``;
}

function bytesOf(text: string): number {
  // eslint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text) ? text.length : new TextEncoder().encode(text).length;
}

/** Also in a page's worker. */
export function isInPage(): boolean {
  return typeof (globalThis as { location?: unknown }).location === "object";
}
