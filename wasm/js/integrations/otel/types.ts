/** Types of `stepgraph/otel`, with the used part of OpenTelemetry's API. */
import type { CallTrace, Fetch, ForkOptions, Node, PlanGraph, Report, RunOptions, RunStream } from "stepgraph";

/** An attribute's value. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[];
/** Attributes by name. */
export type Attributes = Record<string, AttributeValue | undefined>;

/** A span's context (W3C Trace Context). */
export type TraceContext = Pick<CallTrace, "traceparent" | "tracestate">;

/** A failed export. The run goes on. */
export interface TelemetryFailure {
  /**
   * `otel/unreachable`, `otel/timeout`, `otel/unavailable`, `otel/refused`, `otel/rejected`, `otel/warning`,
   * `otel/too-large`, `otel/queue-full`, `otel/closed`, `otel/invalid-parent`, `otel/failed`.
   */
  code: string;
  /** Never contains a key. */
  message: string;
  /** Lost spans. */
  spans: number;
}

/** A tool server by name, or a model by its name in plans. */
export interface CallTarget {
  kind: "tool" | "model";
  name: string;
}

/** How the trace context travels: `meta` in MCP messages, `all` also in HTTP headers. */
export type Propagate = "all" | "meta" | "none";

/** Common options. */
export interface TracingOptions {
  /** Exports inputs, outputs, arguments and messages, secrets redacted by name. Default false. */
  content?: boolean;
  /** Exports failures' messages, which may quote arguments. Default: `content`. */
  messages?: boolean;
  /** Longer values and messages are cut (UTF-16 units). Default 8192. */
  textLimit?: number;
  /** Default `all`, or `meta` in pages and with `api`. */
  propagate?: Propagate | ((asked: CallTarget) => Propagate);
  /** Default: the console gets the first failure of each code. */
  onError?: (failure: TelemetryFailure) => void;
}

/** Sends spans by OTLP over HTTP, as JSON. */
export interface ReceiverOptions extends TracingOptions {
  /** Such as `http://127.0.0.1:4318`, with or without `/v1/traces`. */
  url: string;
  /** Called before each request. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Such as `service.name`. */
  resource?: Attributes;
  /** Sampled part of new traces. Default 1. A parent's decision wins. */
  sampling?: number;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** Longest wait for a batch. Default 1000. A run's end sends at once. */
  delayMs?: number;
  /** Default 10000. */
  timeoutMs?: number;
  /** Limit of retries. Default 30000. */
  retryMs?: number;
  /** Limit of waiting spans. Default 8192. Others are lost and counted. */
  queue?: number;
  /** Limits of a request. Default 512 and 1000000. */
  batch?: { spans?: number; bytes?: number };
  /** Creates 32 and 16 hex digits. Default random. */
  ids?: { traceId(): string; spanId(): string };
}

/** Sends spans to the host's SDK. */
export interface ApiOptions extends TracingOptions {
  /** `@opentelemetry/api`. Its active span becomes the run's parent. */
  api: OtelApi;
  /** Default: the tracer `stepgraph`. */
  tracer?: ApiTracer;
}

/** Options of `otel`. */
export type OtelOptions = ReceiverOptions | ApiOptions;

/** A run's relations to other traces. */
export interface TraceOptions {
  /** An invalid `traceparent` goes to `onError` and starts a new trace. */
  parent?: string | TraceContext | undefined;
  /** Such as that of the run that this one resumes. */
  links?: readonly (string | TraceContext)[];
  /** Added to the run's span. */
  attributes?: Attributes;
  /** Start of a replay or an ended run, since the epoch. Default: as recorded. */
  startMs?: number;
}

/** Counters. {@link ApiOptions} count only `spans`. */
export interface TelemetryStats {
  spans: number;
  /** Accepted spans. */
  exported: number;
  lost: number;
  requests: number;
}

/** A trace of a run that you start. */
export interface RunTrace {
  /** For one run only. */
  readonly options: RunOptions;
  /** Context of the run's span. */
  readonly context: TraceContext;
  /** Returns the context of a call's attempt or node. Undefined after the run's end. */
  contextOf(call: string): TraceContext | undefined;
  /** Ends the trace of a run that is paused or never starts. */
  end(report: Report): void;
}

/** Turns runs into traces. */
export interface Telemetry {
  /** As `run`. */
  run(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): Promise<Report>;
  /** As `run.stream`. */
  stream(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): RunStream;
  /** As `fork`. */
  fork(graph: PlanGraph, options: ForkOptions, trace?: TraceOptions): Promise<Report>;
  /** For runs that you start. */
  trace(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): RunTrace;
  /** Exports an ended run from its report. Calls outside agents have no spans. */
  export(graph: PlanGraph, report: Report, trace?: TraceOptions): TraceContext;
  /** Returns a run's context by its report, or a node's in its handler. */
  contextOf(of: Report | Node): TraceContext | undefined;
  /** Resolves when all ended spans are sent or lost. */
  flush(): Promise<void>;
  /** Flushes and stops. After `timeoutMs` (default 10000), spans are lost. */
  close(how?: { timeoutMs?: number }): Promise<void>;
  readonly stats: TelemetryStats;
}

/** The API's `TraceState`. */
export interface ApiTraceState {
  set(key: string, value: string): ApiTraceState;
  unset(key: string): ApiTraceState;
  get(key: string): string | undefined;
  serialize(): string;
}
/** The API's `SpanContext`. */
export interface ApiSpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
  traceState?: ApiTraceState;
}
/** The API's `Context`. */
export interface ApiContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): ApiContext;
  deleteValue(key: symbol): ApiContext;
}
/** The API's `Attributes`. */
export type ApiAttributes = Record<string, string | number | boolean | string[] | number[] | boolean[]>;
/** The API's `Span`. */
export interface ApiSpan {
  spanContext(): ApiSpanContext;
  setAttributes(attributes: ApiAttributes): unknown;
  addEvent(name: string, attributes: ApiAttributes, time: [number, number]): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(time: [number, number]): void;
}
/** The API's `Tracer`. */
export interface ApiTracer {
  startSpan(
    name: string,
    options: {
      kind: number;
      startTime: [number, number];
      attributes: ApiAttributes;
      links: { context: ApiSpanContext }[];
    },
    context: ApiContext,
  ): ApiSpan;
}
/** The used part of the API. */
export interface OtelApi {
  trace: {
    getTracer(name: string, version?: string): ApiTracer;
    setSpan(context: ApiContext, span: ApiSpan): ApiContext;
    setSpanContext(context: ApiContext, span: ApiSpanContext): ApiContext;
  };
  context: { active(): ApiContext; with<T>(context: ApiContext, call: () => T): T };
  createTraceState?(text: string): ApiTraceState;
}
