/**
 * The entry `stepgraph/otel`: runs as OpenTelemetry traces, for a receiver or the host's SDK. Telemetry never changes a
 * run.
 */
import {
  fork,
  type ForkOptions,
  internals,
  type Node,
  type PlanGraph,
  PlanError,
  type Report,
  run,
  type RunOptions,
  type RunStream,
  type TraceEvent,
} from "stepgraph";
import type { Kinds } from "../options.js";
import { Redactor } from "../redact.js";
import { type CallTracing, withTracing } from "./otel/call-tracing.js";
import { planInfo } from "./otel/plan-info.js";
import { Content } from "./otel/genai.js";
import { RunObserver } from "./otel/observer.js";
import { type SpanContext, parseTraceContext, formatTraceContext } from "./otel/span-context.js";
import { ApiBackend, OtlpBackend } from "./otel/span-backends.js";
import type { SpanBackend } from "./otel/span.js";
import type {
  ApiOptions,
  TracingOptions,
  OtelOptions,
  ReceiverOptions,
  Telemetry,
  TelemetryFailure,
  TelemetryStats,
  TraceContext,
  RunTrace,
  TraceOptions,
} from "./otel/types.js";

export type * from "./otel/types.js";

/**
 * Creates a telemetry client, which turns runs into traces.
 *
 * @throws PlanError `otel/invalid-url` or `otel/invalid-option` for invalid options. Later errors go to `onError`.
 * @example
 * const telemetry = otel({ url: "http://127.0.0.1:4318", resource: { "service.name": "shop" } });
 * const report = await telemetry.run(graph, { input, tools, models });
 * await telemetry.close();
 */
export function otel(options: OtelOptions): Telemetry {
  internals.assertKind("otel", "options", options, "map");
  if (!("url" in options) && !("api" in options))
    throw new PlanError(
      "otel/invalid-option",
      "`otel` is given the `url` of a receiver, or `api`, the module `@opentelemetry/api`",
    );
  if ("api" in options) internals.assertOptions("otel", options, API);
  else internals.assertOptions("otel", options, RECEIVER);
  return new TelemetryClient(options);
}

const OBSERVED: Kinds<TracingOptions> = {
  content: "flag",
  messages: "flag",
  textLimit: "number",
  propagate: "function|=all|=meta|=none",
  onError: "function",
};
const RECEIVER: Kinds<ReceiverOptions> = {
  ...OBSERVED,
  url: "text",
  headers: "function|{}text",
  resource: "map",
  sampling: "number",
  fetch: "function",
  delayMs: "number",
  timeoutMs: "number",
  retryMs: "number",
  queue: "number",
  batch: { spans: "number", bytes: "number" },
  ids: ".traceId.spanId",
};
const API: Kinds<ApiOptions> = { ...OBSERVED, api: "map", tracer: ".startSpan" };
const TRACE: Kinds<TraceOptions> = { parent: "any", links: "list", attributes: "map", startMs: "number" };

const origin = performance.timeOrigin;
/** Since the epoch, by the clock of events. */
function platformNow(): number {
  return origin > 0 ? origin + performance.now() : Date.now();
}

interface TracedRun extends RunTrace {
  finish(report: Report): void;
  fail(error: unknown): void;
}

class TelemetryClient implements Telemetry {
  readonly #options: OtelOptions;
  readonly #backend: SpanBackend;
  readonly #contexts = new WeakMap<object, TraceContext>();
  readonly #warned = new Set<string>();

  constructor(options: OtelOptions) {
    this.#options = options;
    this.#backend =
      "api" in options ? new ApiBackend(options) : new OtlpBackend(options, (failure) => this.#reportFailure(failure));
  }

  async run(graph: PlanGraph, options: RunOptions = {}, trace: TraceOptions = {}): Promise<Report> {
    internals.assertRunOptions(options);
    return this.#drive(this.#traceRun(graph, options, trace, false), (options) => run(graph, options));
  }

  async fork(graph: PlanGraph, options: ForkOptions, trace: TraceOptions = {}): Promise<Report> {
    return this.#drive(this.#traceRun(graph, options, trace, false), (watchedOptions) =>
      fork(graph, { ...options, ...watchedOptions }),
    );
  }

  stream(graph: PlanGraph, options: RunOptions = {}, trace: TraceOptions = {}): RunStream {
    internals.assertRunOptions(options, "stream");
    const traced = this.#traceRun(graph, options, trace, false);
    const stream = run.stream(graph, traced.options);
    stream.report.then(traced.finish, traced.fail);
    return stream;
  }

  trace(graph: PlanGraph, options: RunOptions = {}, trace: TraceOptions = {}): RunTrace {
    internals.assertRunOptions(options, "trace");
    return this.#traceRun(graph, options, trace, true);
  }

  export(graph: PlanGraph, report: Report, trace: TraceOptions = {}): TraceContext {
    const observer = this.#observer(graph, trace);
    const place = this.#guard(() => {
      const begunMs = report.trace[0]?.atMs ?? platformNow() - report.durationMs;
      observer.shiftMs = trace.startMs === undefined ? 0 : trace.startMs - begunMs;
      const { context } = observer.run(begunMs + observer.shiftMs);
      for (const event of report.trace) observer.event(event);
      observer.end(begunMs + observer.shiftMs + report.durationMs, report.outcome, report);
      return formatTraceContext(context);
    });
    return this.#remember(report, place);
  }

  contextOf(of: Report | Node): TraceContext | undefined {
    return this.#contexts.get(of);
  }

  flush(): Promise<void> {
    return this.#backend.flush();
  }

  async close(how: { timeoutMs?: number } = {}): Promise<void> {
    internals.assertOptions("close", how, { timeoutMs: "ms" });
    return this.#backend.close(how.timeoutMs ?? 10_000);
  }

  get stats(): TelemetryStats {
    return this.#backend.stats;
  }

  async #drive(traced: TracedRun, start: (options: RunOptions) => Promise<Report>): Promise<Report> {
    try {
      const report = await start(traced.options);
      traced.finish(report);
      return report;
    } catch (error) {
      traced.fail(error);
      throw error;
    }
  }

  /** A replay gets the recorded times. */
  #traceRun(graph: PlanGraph, given: RunOptions, trace: TraceOptions, alone: boolean): TracedRun {
    const content = new Content(this.#options, new Redactor(given.context, given));
    const observer = this.#observer(graph, trace, content);
    const { clock, replay, onEvent } = given;
    const recorded = replay !== undefined;
    const shiftMs = clock && !recorded ? platformNow() - clock.now() : 0;
    observer.shiftMs = shiftMs;
    const now = () => (recorded ? observer.lastMs : clock ? clock.now() + shiftMs : platformNow());
    if (!recorded) this.#guard(() => observer.run(now()));
    const tracing: CallTracing = {
      observer,
      backend: this.#backend,
      content,
      options: this.#options,
      now,
      guard: (call) => this.#guard(call),
      placed: (node, context) => this.#contexts.set(node, context),
    };
    let first = recorded && trace.startMs !== undefined;
    const listener = (event: TraceEvent) => {
      this.#guard(() => {
        if (first) observer.shiftMs = trace.startMs! - event.atMs;
        first = false;
        observer.event(event);
        if (alone && event.type === "run-ended") observer.end(event.atMs + observer.shiftMs);
      });
      return onEvent?.(event);
    };
    const context = () =>
      this.#guard(() => formatTraceContext(observer.run(now() || platformNow()).context)) ?? NO_CONTEXT;
    const finish = (report: Report) => {
      const place = context();
      this.#guard(() => observer.end(recorded ? observer.firstMs + report.durationMs : now(), report.outcome, report));
      this.#remember(report, place);
    };
    return {
      options: { ...withTracing(given, tracing), onEvent: listener },
      finish,
      end: finish,
      get context() {
        return context();
      },
      contextOf: (call) =>
        this.#guard(() =>
          observer.isOver ? undefined : formatTraceContext(observer.parentOf(call, now()).span.context),
        ),
      fail: (error) =>
        this.#guard(() => {
          observer.fail(observer.run(now()), internals.toFailure(error, "run/failed"), now());
          observer.end(now());
        }),
    };
  }

  #observer(graph: PlanGraph, trace: TraceOptions, content = new Content(this.#options)): RunObserver {
    internals.assertPlan("telemetry", graph);
    internals.assertOptions("telemetry", trace, TRACE);
    const { parent, links = [], attributes = {} } = trace;
    const read = (given: string | TraceContext): SpanContext[] => {
      const context = this.#guard(() => parseTraceContext(given));
      if (context === undefined)
        this.#reportFailure({
          code: "otel/invalid-parent",
          message: "the `traceparent` is invalid; its form is `00-<32 hex digits>-<16 hex digits>-01`",
          spans: 0,
        });
      return context === undefined ? [] : [context];
    };
    return new RunObserver({
      backend: this.#backend,
      plan: planInfo(graph),
      content,
      attributes,
      parent: parent === undefined ? undefined : read(parent)[0],
      links: links.flatMap(read),
    });
  }

  #remember(report: Report, place: TraceContext = NO_CONTEXT): TraceContext {
    if (place !== NO_CONTEXT) this.#contexts.set(report, place);
    return place;
  }

  #guard<T>(call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      this.#reportFailure({
        code: "otel/failed",
        message: internals.toFailure(error, "otel/failed").message,
        spans: 0,
      });
      return undefined;
    }
  }

  #reportFailure(failure: TelemetryFailure): void {
    try {
      const { onError } = this.#options;
      if (onError) return onError(failure);
      if (this.#warned.has(failure.code)) return;
      this.#warned.add(failure.code);
      console.warn(
        `stepgraph/otel: ${failure.code}: ${failure.message}${failure.spans > 0 ? ` (${failure.spans} spans lost)` : ""}`,
      );
    } catch {
      // A failing listener must not affect the run.
    }
  }
}

/** Context of a run that could not be traced. */
const NO_CONTEXT: TraceContext = { traceparent: `00-${"0".repeat(32)}-${"0".repeat(16)}-00` };
