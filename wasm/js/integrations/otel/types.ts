/**
 * The shapes that `stepgraph/otel` shows.
 *
 * Of OpenTelemetry's own API only the few functions that are used are described, by their shape: the host hands its
 * modules in, and this package asks for none.
 */
import type { CallTrace, Fetch, ForkOptions, Node, PlanGraph, Report, RunOptions, RunStream } from "stepgraph";

/** What an attribute can hold. */
export type AttributeValue = string | number | boolean | readonly string[] | readonly number[] | readonly boolean[];
/** Attributes by their names. */
export type Attributes = Record<string, AttributeValue | undefined>;

/** A place in a trace, as W3C Trace Context writes it. */
export type TraceContext = Pick<CallTrace, "traceparent" | "tracestate">;

/** Something that kept spans from being told. The run goes on as if nothing had been. */
export interface TelemetryFailure {
  /**
   * What kind of failure it is, stable for ever: `otel/unreachable`, `otel/timeout`, `otel/unavailable`,
   * `otel/refused`, `otel/rejected`, `otel/warning`, `otel/too-large`, `otel/queue-full`, `otel/closed`,
   * `otel/invalid-parent`, `otel/failed`.
   */
  code: string;
  /** For people; it never holds a key. */
  message: string;
  /** How many spans are lost by it. */
  spans: number;
}

/**
 * Whom a call asks, for {@link OtelOptions.propagate}: a server of tools by its name, or a model by the name that plans
 * use.
 */
export interface CallTarget {
  kind: "tool" | "model";
  name: string;
}

/**
 * What goes out with a call: `meta` what MCP has in its messages, `all` the headers of HTTP requests, too, or `none` of
 * it.
 */
export type Propagate = "all" | "meta" | "none";

/** What both ways out have in common. */
export interface TracingOptions {
  /**
   * Whether values are told, too: inputs, outputs, arguments, messages. Without it none is; with it, secrets are taken
   * out by their names.
   */
  content?: boolean;
  /**
   * Whether the words of failures are told, not only their codes; a tool's own words may hold what it was asked. They
   * are where `content` is, unless this says otherwise.
   */
  messages?: boolean;
  /**
   * The longest text of a value or a message that is told, in UTF-16 units; 8192 unless given. What is longer is cut,
   * and ends with an ellipsis.
   */
  textLimit?: number;
  /** What goes out with calls; see the rules in the documentation. */
  propagate?: Propagate | ((asked: CallTarget) => Propagate);
  /** Is told what went wrong. Without it, the first failure of each kind is written to the console. */
  onError?: (failure: TelemetryFailure) => void;
}

/** Sends spans to a receiver by OTLP over HTTP, as JSON. */
export interface ReceiverOptions extends TracingOptions {
  /** The receiver's address, with or without `/v1/traces`: `http://127.0.0.1:4318`. */
  url: string;
  /** Sent with every request; a function is asked before each. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** What sends the spans: `service.name` and whatever else tells it from others. */
  resource?: Attributes;
  /** Which part of new traces is told, from 0 to 1; all unless given. A parent's decision goes before it. */
  sampling?: number;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /** How long a span may wait until others go with it; a second unless given. The end of a run does not wait. */
  delayMs?: number;
  /** How long one request may take; ten seconds unless given. */
  timeoutMs?: number;
  /**
   * How long a batch is tried in all, while the receiver can't be reached or says that it is busy; thirty seconds
   * unless given.
   */
  retryMs?: number;
  /** How many spans wait at most; 8192 unless given. Those that come when it is full are lost, and counted. */
  queue?: number;
  /** How many spans go in one request at most, and how many bytes; 512 and one million unless given. */
  batch?: { spans?: number; bytes?: number };
  /** Gives the ids of traces (32 hex digits) and spans (16); random unless given. */
  ids?: { traceId(): string; spanId(): string };
}

/** Hands spans to the SDK that the host has set up. */
export interface ApiOptions extends TracingOptions {
  /** The module `@opentelemetry/api`. The span that is active when a run begins is its parent. */
  api: OtelApi;
  /** Makes the spans; the API's own for the name `stepgraph` unless given. */
  tracer?: ApiTracer;
}

/** Where spans go, and what they tell. */
export type OtelOptions = ReceiverOptions | ApiOptions;

/** How one run stands among others. */
export interface TraceOptions {
  /**
   * What the run is a part of: a `traceparent`, or that with its `tracestate`. One that is none is told to `onError`,
   * and a new trace begins.
   */
  parent?: string | TraceContext | undefined;
  /** Other traces that it has to do with, such as that of the run which it resumes. */
  links?: readonly (string | TraceContext)[];
  /** Further attributes of the run's span. */
  attributes?: Attributes;
  /**
   * Milliseconds since the epoch at which what was recorded is to have begun; when it did unless given. Only for
   * replays and finished runs.
   */
  startMs?: number;
}

/** How much was told so far. Only the first counts for {@link ApiOptions}. */
export interface TelemetryStats {
  /** Spans that ended. */
  spans: number;
  /** Those that a receiver has taken. */
  exported: number;
  /** Those that are lost. */
  lost: number;
  /** Requests that were sent. */
  requests: number;
}

/** A run that is driven by others, and told all the same. */
export interface RunTrace {
  /** What the run is to be given: the options with everything wrapped that calls somebody. For one run only. */
  readonly options: RunOptions;
  /** Where the run's own span is. */
  readonly context: TraceContext;
  /** Where a call's span is, by the call's name, or that of the node which makes it; nothing when it has none. */
  contextOf(call: string): TraceContext | undefined;
  /**
   * Says that the run is over. One that came to its end has told so itself; of one that paused or never began nobody
   * else knows.
   */
  end(report: Report): void;
}

/** Turns runs into traces. */
export interface Telemetry {
  /** As `run`, and tells of it. Whatever happens to the telemetry, the run is the same. */
  run(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): Promise<Report>;
  /** As `run.stream`. */
  stream(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): RunStream;
  /** As `fork`. */
  fork(graph: PlanGraph, options: ForkOptions, trace?: TraceOptions): Promise<Report>;
  /** For whoever drives runs in another way. */
  trace(graph: PlanGraph, options?: RunOptions, trace?: TraceOptions): RunTrace;
  /**
   * Tells of a run that is over, by its trace. Calls of single nodes have no spans then: only of agents their calls are
   * in it.
   */
  export(graph: PlanGraph, report: Report, trace?: TraceOptions): TraceContext;
  /**
   * Where a run's span is, by its report; or, for a handler that calls others itself, that of the node which it answers
   * for.
   */
  contextOf(of: Report | Node): TraceContext | undefined;
  /** Settles when all that has ended so far was sent or is lost. Never rejects. */
  flush(): Promise<void>;
  /** The same, and tells a receiver of nothing more. What has not been sent after `timeoutMs` (ten seconds) is lost. */
  close(how?: { timeoutMs?: number }): Promise<void>;
  /** How much was told so far. */
  readonly stats: TelemetryStats;
}

/** What other vendors have to say of a trace, as the API has it. */
export interface ApiTraceState {
  set(key: string, value: string): ApiTraceState;
  unset(key: string): ApiTraceState;
  get(key: string): string | undefined;
  serialize(): string;
}
/** A span's place, as the API has it. */
export interface ApiSpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
  traceState?: ApiTraceState;
}
/** What the API keeps for what runs now. */
export interface ApiContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): ApiContext;
  deleteValue(key: symbol): ApiContext;
}
/** Attributes, as the API has them. */
export type ApiAttributes = Record<string, string | number | boolean | string[] | number[] | boolean[]>;
/** A span of the API. */
export interface ApiSpan {
  spanContext(): ApiSpanContext;
  setAttributes(attributes: ApiAttributes): unknown;
  addEvent(name: string, attributes: ApiAttributes, time: [number, number]): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(time: [number, number]): void;
}
/** What makes spans of the API. */
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
/** The part of `@opentelemetry/api` that is used. */
export interface OtelApi {
  trace: {
    getTracer(name: string, version?: string): ApiTracer;
    setSpan(context: ApiContext, span: ApiSpan): ApiContext;
    setSpanContext(context: ApiContext, span: ApiSpanContext): ApiContext;
  };
  context: { active(): ApiContext; with<T>(context: ApiContext, call: () => T): T };
  createTraceState?(text: string): ApiTraceState;
}
