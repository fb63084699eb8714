/** Span backends: an OTLP receiver, or the host's OpenTelemetry SDK, which then decides ids and sampling. */
import { PlanError } from "stepgraph";
import { envelope, NonRecordingSpan, secondsOf, VERSION, RecordingSpan } from "./otlp.js";
import { isInPage, OtlpExporter } from "./otlp-exporter.js";
import { isSampled, type SpanContext, randomIds } from "./span-context.js";
import { type SpanStart, CLIENT, isSpan, type SpanBackend, type Span } from "./span.js";
import type {
  ApiAttributes,
  ApiContext,
  ApiOptions,
  ApiSpan,
  ApiTracer,
  Attributes,
  OtelApi,
  ReceiverOptions,
  TelemetryFailure,
} from "./types.js";

export class OtlpBackend implements SpanBackend {
  /** In a page, servers must first allow the headers (CORS). */
  readonly propagate = isInPage() ? "meta" : "all";
  readonly #exporter: OtlpExporter;
  readonly #ids: { traceId(): string; spanId(): string };
  readonly #sampling: number;

  constructor(options: ReceiverOptions, tell: (failure: TelemetryFailure) => void) {
    const { sampling = 1, ids = randomIds, resource = {} } = options;
    assertNumbers(options);
    this.#ids = ids;
    this.#sampling = sampling;
    const language = isInPage() ? "webjs" : "nodejs";
    const sdk = {
      "service.name": "stepgraph",
      "telemetry.sdk.name": "stepgraph",
      "telemetry.sdk.language": language,
      "telemetry.sdk.version": VERSION,
    };
    this.#exporter = new OtlpExporter(options, tracesUrl(options.url), envelope({ ...sdk, ...resource }), tell);
  }

  start(start: SpanStart): Span {
    const context = this.#contextFor(start.parent && isSpan(start.parent) ? start.parent.context : start.parent);
    return context.sampled
      ? new RecordingSpan(start, context, (json) => this.#exporter.push(json))
      : new NonRecordingSpan(context);
  }

  #contextFor(parent: SpanContext | undefined): SpanContext {
    const spanId = this.#ids.spanId();
    if (parent !== undefined) return { ...parent, spanId };
    const traceId = this.#ids.traceId();
    return { traceId, spanId, sampled: isSampled(traceId, this.#sampling), state: "" };
  }

  get stats() {
    return { ...this.#exporter.stats };
  }

  exportSoon(): void {
    this.#exporter.exportSoon();
  }

  flush(): Promise<void> {
    return this.#exporter.flush();
  }

  close(timeoutMs: number): Promise<void> {
    return this.#exporter.close(timeoutMs);
  }
}

function assertNumbers({ sampling, textLimit, delayMs, timeoutMs, retryMs, queue, batch }: ReceiverOptions): void {
  if (sampling !== undefined && !(sampling >= 0 && sampling <= 1))
    throw new PlanError("otel/invalid-option", `\`sampling\` is a number from 0 to 1, not ${String(sampling)}`);
  const least = {
    textLimit: [textLimit, 1],
    delayMs: [delayMs, 0],
    timeoutMs: [timeoutMs, 1],
    retryMs: [retryMs, 0],
    queue: [queue, 1],
    "batch.spans": [batch?.spans, 1],
    "batch.bytes": [batch?.bytes, 1],
  } as const;
  for (const [name, [value, from]] of Object.entries(least)) {
    if (value !== undefined && !(value >= from))
      throw new PlanError("otel/invalid-option", `\`${name}\` is a number from ${from} on, not ${String(value)}`);
  }
}

function tracesUrl(url: string): string {
  const given = URL.canParse(url) ? new URL(url) : undefined;
  if (given?.username || given?.password)
    throw new PlanError(
      "otel/invalid-url",
      "`url` contains a name or a password; send them as `headers: { authorization: ... }`",
    );
  if (given === undefined || !/^https?:$/.test(given.protocol))
    throw new PlanError("otel/invalid-url", "`url` is no address of a receiver; write it as `http://127.0.0.1:4318`");
  if (!given.pathname.endsWith("/v1/traces")) given.pathname = `${given.pathname.replace(/\/+$/, "")}/v1/traces`;
  return given.href;
}

/** Unlike OTLP's. */
const API_CLIENT = 2;
const API_ERROR = 2;

export class ApiBackend implements SpanBackend {
  /** The SDK may add the headers, and a duplicate is invalid. */
  readonly propagate = "meta";
  readonly stats = { spans: 0, exported: 0, lost: 0, requests: 0 };
  readonly #api: OtelApi;
  readonly #tracer: ApiTracer;

  constructor({ api, tracer }: ApiOptions) {
    if (typeof api.trace?.getTracer !== "function" || typeof api.context?.active !== "function") {
      throw new PlanError(
        "otel/invalid-option",
        "`api` is the module `@opentelemetry/api`, with its `trace` and `context`",
      );
    }
    this.#api = api;
    this.#tracer = tracer ?? api.trace.getTracer("stepgraph", VERSION);
  }

  start({ name, kind, startMs, parent, attributes, links = [] }: SpanStart): Span {
    const context = this.#contextFor(parent);
    const options = {
      kind: kind === CLIENT ? API_CLIENT : 0,
      startTime: secondsOf(startMs),
      attributes: definedAttributes(attributes),
      links: links.map((context) => ({ context: this.#apiSpanContext(context) })),
    };
    const span = this.#tracer.startSpan(name, options, context);
    return new ApiSpanAdapter(
      this.#api,
      span,
      this.#api.trace.setSpan(context, span),
      startMs,
      () => this.stats.spans++,
    );
  }

  #contextFor(parent: Span | SpanContext | undefined): ApiContext {
    const { trace, context } = this.#api;
    if (parent === undefined) return context.active();
    return parent instanceof ApiSpanAdapter
      ? parent.apiContext
      : trace.setSpanContext(context.active(), this.#apiSpanContext(isSpan(parent) ? parent.context : parent));
  }

  #apiSpanContext({ traceId, spanId, sampled, state }: SpanContext) {
    const traceState = state === "" ? undefined : this.#api.createTraceState?.(state);
    return { traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote: true, ...(traceState && { traceState }) };
  }

  exportSoon(): void {}
  async flush(): Promise<void> {}
  async close(): Promise<void> {}
}

class ApiSpanAdapter implements Span {
  readonly context: SpanContext;
  readonly apiContext: ApiContext;
  readonly #api: OtelApi;
  readonly #span: ApiSpan;
  readonly #startMs: number;
  #ended: (() => void) | undefined;

  constructor(api: OtelApi, span: ApiSpan, apiContext: ApiContext, startMs: number, ended: () => void) {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    this.context = { traceId, spanId, sampled: (traceFlags & 1) === 1, state: traceState?.serialize() ?? "" };
    this.apiContext = apiContext;
    this.#api = api;
    this.#span = span;
    this.#startMs = startMs;
    this.#ended = ended;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(definedAttributes(attributes));
  }

  event(name: string, ms: number, attributes: Attributes): void {
    this.#span.addEvent(name, definedAttributes(attributes), secondsOf(ms));
  }

  fail(message: string | undefined): void {
    this.#span.setStatus({ code: API_ERROR, ...(message !== undefined && { message }) });
  }

  end(ms: number): void {
    if (this.#ended === undefined) return;
    this.#ended();
    this.#ended = undefined;
    this.#span.end(secondsOf(Math.max(ms, this.#startMs)));
  }

  within<T>(call: () => T): T {
    return this.#api.context.with(this.apiContext, call);
  }
}

function definedAttributes(attributes: Attributes): ApiAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as ApiAttributes;
}
