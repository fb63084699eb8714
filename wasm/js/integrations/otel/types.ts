/**
 * Types of `stepgraph/otel`.
 *
 * The used part of OpenTelemetry's API is described here, because the host passes the module in.
 */
import type { CallTrace, Fetch, ForkOptions, Node, PlanGraph, Report, RunOptions, RunStream } from "stepgraph";

/** Value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[];
/** Attributes by name. */
export type Attributes = Record<string, AttributeValue | undefined>;

/** Span context in W3C Trace Context form. */
export type TraceContext = Pick<CallTrace, "traceparent" | "tracestate">;

/** A failure to export spans. It does not affect the run. */
export interface TelemetryFailure {
  /**
   * Stable error code: `otel/unreachable`, `otel/timeout`, `otel/unavailable`, `otel/refused`, `otel/rejected`,
   * `otel/warning`, `otel/too-large`, `otel/queue-full`, `otel/closed`, `otel/invalid-parent`, `otel/failed`.
   */
  code: string;
  /** Text for users. It never contains a key. */
  message: string;
  /** Number of lost spans. */
  spans: number;
}

/** Target of a call, for {@link OtelOptions.propagate}: a tool server by name, or a model by its name in plans. */
export interface CallTarget {
  kind: "tool" | "model";
  name: string;
}

/** Propagation of the trace context: `meta` in MCP messages, `all` also in HTTP headers, or `none`. */
export type Propagate = "all" | "meta" | "none";

/** Common options of {@link ReceiverOptions} and {@link ApiOptions}. */
export interface TracingOptions {
  /** Exports values: inputs, outputs, arguments and messages. Secrets are redacted by name. Default false. */
  content?: boolean;
  /**
   * Exports the messages of failures, not only their codes. A tool's message may quote its arguments. Default:
   * `content`.
   */
  messages?: boolean;
  /**
   * Maximum length of a value or a message in UTF-16 units. Default 8192. Longer texts are cut and end with an
   * ellipsis.
   */
  textLimit?: number;
  /** Propagation of the trace context. Default `all`, or `meta` in pages and with `api`. */
  propagate?: Propagate | ((asked: CallTarget) => Propagate);
  /** Receives failures. Default: the console gets the first of each code. */
  onError?: (failure: TelemetryFailure) => void;
}

/** Sends spans to a receiver by OTLP over HTTP, as JSON. */
export interface ReceiverOptions extends TracingOptions {
  /** Address of the receiver, with or without `/v1/traces`: `http://127.0.0.1:4318`. */
  url: string;
  /** Headers of every request. A function is called before each. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Attributes of the sender, such as `service.name`. */
  resource?: Attributes;
  /** Sampled part of new traces, from 0 to 1. Default 1. A parent's decision wins. */
  sampling?: number;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** How long a span may wait for a batch, in milliseconds. Default 1000. The end of a run sends at once. */
  delayMs?: number;
  /** Time limit of a request in milliseconds. Default 10000. */
  timeoutMs?: number;
  /** How long to retry a batch while the receiver is unreachable or busy, in milliseconds. Default 30000. */
  retryMs?: number;
  /** Maximum number of waiting spans. Default 8192. Further spans are lost and counted. */
  queue?: number;
  /** Maximum spans and bytes of a request. Default 512 and 1000000. */
  batch?: { spans?: number; bytes?: number };
  /** Creates ids: 32 hex digits for traces, 16 for spans. Default random. */
  ids?: { traceId(): string; spanId(): string };
}

/** Sends spans to the host's OpenTelemetry SDK. */
export interface ApiOptions extends TracingOptions {
  /** The module `@opentelemetry/api`. The active span becomes the run's parent. */
  api: OtelApi;
  /** Default: the API's tracer `stepgraph`. */
  tracer?: ApiTracer;
}

/** Destination and content of spans. */
export type OtelOptions = ReceiverOptions | ApiOptions;

/** Relations of one run to other traces. */
export interface TraceOptions {
  /** Parent of the run. An invalid `traceparent` goes to `onError` and starts a new trace. */
  parent?: string | TraceContext | undefined;
  /** Related traces, for example of the run that this one resumes. */
  links?: readonly (string | TraceContext)[];
  /** Additional attributes of the run's span. */
  attributes?: Attributes;
  /** Start time for replays and ended runs, in milliseconds since the epoch. Default: the recorded time. */
  startMs?: number;
}

/** Counters. {@link ApiOptions} count only `spans`. */
export interface TelemetryStats {
  /** Ended spans. */
  spans: number;
  /** Spans that the receiver accepted. */
  exported: number;
  /** Lost spans. */
  lost: number;
  /** Sent requests. */
  requests: number;
}

/** Trace of a run that you start yourself. */
export interface RunTrace {
  /** Options with traced callbacks. Use them for one run only. */
  readonly options: RunOptions;
  /** Context of the run's span. */
  readonly context: TraceContext;
  /**
   * Returns the context of the attempt or node that makes a call, by the call's name. Undefined after the run's end.
   */
  contextOf(call: string): TraceContext | undefined;
  /** Ends the trace. Runs that end report it themselves: call this if a run is paused or never starts. */
  end(report: Report): void;
}

/** Client that turns runs into traces. */
export interface Telemetry {
  /** Runs a plan as `run` does, and traces it. */
  run(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): Promise<Report>;
  /** As `run.stream`. */
  stream(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): RunStream;
  /** As `fork`. */
  fork(graph: PlanGraph, options: ForkOptions, trace?: TraceOptions): Promise<Report>;
  /** For runs that you start in another way. */
  trace(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): RunTrace;
  /** Exports an ended run from the trace in its report. Calls outside agents have no spans then. */
  export(graph: PlanGraph, report: Report, trace?: TraceOptions): TraceContext;
  /** Returns the context of a run's span by its report, or of a node's span in its handler. */
  contextOf(of: Report | Node): TraceContext | undefined;
  /** Resolves when all ended spans are sent or lost. Never rejects. */
  flush(): Promise<void>;
  /** Flushes and stops the export. Spans not sent within `timeoutMs` (default 10000 milliseconds) are lost. */
  close(how?: { timeoutMs?: number }): Promise<void>;
  /** Counters so far. */
  readonly stats: TelemetryStats;
}

/** `TraceState` of the API. */
export interface ApiTraceState {
  set(key: string, value: string): ApiTraceState;
  unset(key: string): ApiTraceState;
  get(key: string): string | undefined;
  serialize(): string;
}
/** `SpanContext` of the API. */
export interface ApiSpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
  traceState?: ApiTraceState;
}
/** `Context` of the API. */
export interface ApiContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): ApiContext;
  deleteValue(key: symbol): ApiContext;
}
/** `Attributes` of the API. */
export type ApiAttributes = Record<string, string | number | boolean | string[] | number[] | boolean[]>;
/** `Span` of the API. */
export interface ApiSpan {
  spanContext(): ApiSpanContext;
  setAttributes(attributes: ApiAttributes): unknown;
  addEvent(name: string, attributes: ApiAttributes, time: [number, number]): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(time: [number, number]): void;
}
/** `Tracer` of the API. */
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
/** The used part of `@opentelemetry/api`. */
export interface OtelApi {
  trace: {
    getTracer(name: string, version?: string): ApiTracer;
    setSpan(context: ApiContext, span: ApiSpan): ApiContext;
    setSpanContext(context: ApiContext, span: ApiSpanContext): ApiContext;
  };
  context: { active(): ApiContext; with<T>(context: ApiContext, call: () => T): T };
  createTraceState?(text: string): ApiTraceState;
}
