/**
 * OpenTelemetry traces of runs, which never delay or fail a run.
 *
 * Sources: "Environment variable specification", "Environment variables as context propagation carriers".
 */
import type { OtelOptions, Telemetry, TraceOptions } from "../integrations/otel.js";
import {
  fork,
  type ForkOptions,
  PlanError,
  type PlanGraph,
  type Report,
  run,
  type RunOptions,
} from "../package-internals.js";
import type { Fetch } from "../types.js";
import { renderOptions, type Io } from "./io.js";
import { type Arguments, UsageError } from "./options.js";
import { visible } from "../terminal/text.js";

export interface Runner {
  /** `parent` replaces the command's trace context. */
  run(graph: PlanGraph, options: RunOptions, parent?: TraceOptions["parent"]): Promise<Report>;
  fork(graph: PlanGraph, options: ForkOptions): Promise<Report>;
  end(): Promise<void>;
}

/** Values that allow message content. */
const CONTENT_VALUES = new Set(["true", "span_only", "span_and_event"]);
const FLUSH_TIMEOUT_MS = 5000;

export interface TraceSettings {
  url: string;
  headers: Record<string, string>;
  resource: Record<string, string>;
  content: boolean;
  trace: TraceOptions;
}

export interface TelemetryHooks {
  fetch?: Fetch;
  onError: NonNullable<OtelOptions["onError"]>;
}

export async function createRunner(args: Arguments, io: Io): Promise<Runner> {
  const problems = new TraceErrors();
  const runner = await tracedRunner(traceSettings(args, io), { onError: (failure) => problems.note(failure) });
  const end = async () => {
    await runner.end();
    problems.write(io);
  };
  return { ...runner, end };
}

/** Null if it is off. */
export function traceSettings(args: Arguments, io: Io): TraceSettings | null {
  const url = receiverOf(args, io);
  if (url === undefined) return null;
  return {
    url,
    headers: pairsOf(io.env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? io.env.OTEL_EXPORTER_OTLP_HEADERS),
    resource: resourceOf(io.env),
    content: CONTENT_VALUES.has(io.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() ?? ""),
    trace: parentOf(io.env),
  };
}

/** Throws {@link UsageError} for an invalid URL. */
export async function tracedRunner(traces: TraceSettings | null, { fetch, onError }: TelemetryHooks): Promise<Runner> {
  if (traces === null) return { run, fork, end: async () => {} };
  const { otel } = await import("../integrations/otel.js");
  const { url, headers, resource, content, trace } = traces;
  const telemetry = startTelemetry(() =>
    otel({ url, headers, resource, content, onError, ...(fetch ? { fetch } : {}) }),
  );
  return {
    run: (graph, options, parent) => telemetry.run(graph, options, parent ? { parent } : trace),
    fork: (graph, options) => telemetry.fork(graph, options, trace),
    end: () => telemetry.close({ timeoutMs: FLUSH_TIMEOUT_MS }).then(() => undefined),
  };
}

export class TraceErrors {
  readonly #all = new Map<string, string>();

  note({ code, message, spans = 0 }: { code: string; message: string; spans?: number }): void {
    if (!this.#all.has(code)) this.#all.set(code, `${code}: ${message}${spans > 0 ? `; ${spans} spans are lost` : ""}`);
  }

  write(io: Io): void {
    const { style } = renderOptions(io.err, io);
    for (const text of this.#all.values()) io.err.write(`${style.yellow("traces")}: ${visible(text)}\n`);
  }
}

/** A replay sends traces only with `--otlp`. */
function receiverOf(args: Arguments, { env }: Io): string | undefined {
  const named = args.single("otlp");
  if (named !== undefined) return named;
  const off =
    env.OTEL_SDK_DISABLED?.toLowerCase() === "true" ||
    env.OTEL_TRACES_EXPORTER === "none" ||
    env.OTEL_EXPORTER_OTLP_PROTOCOL === "grpc";
  return off || args.has("replay")
    ? undefined
    : env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined;
}

function startTelemetry(start: () => Telemetry): Telemetry {
  try {
    return start();
  } catch (error) {
    if (error instanceof PlanError)
      throw new UsageError(
        "cli/bad-value",
        "the URL of the trace receiver is invalid",
        "write `--otlp http://127.0.0.1:4318`, or set OTEL_EXPORTER_OTLP_ENDPOINT to that",
      );
    throw error;
  }
}

function resourceOf({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME }: Io["env"]): Record<string, string> {
  return { ...pairsOf(OTEL_RESOURCE_ATTRIBUTES), ...(OTEL_SERVICE_NAME ? { "service.name": OTEL_SERVICE_NAME } : {}) };
}

function parentOf({ TRACEPARENT, TRACESTATE }: Io["env"]): TraceOptions {
  if (!TRACEPARENT) return {};
  return { parent: { traceparent: TRACEPARENT, ...(TRACESTATE ? { tracestate: TRACESTATE } : {}) } };
}

/** Percent-encoded. Skips invalid pairs, as the specification requires. */
function pairsOf(text = ""): Record<string, string> {
  const pairs = text
    .split(",")
    .map((pair) => pair.split("="))
    .filter(([key, ...rest]) => key?.trim() && rest.length > 0);
  return Object.fromEntries(
    pairs.map(([key, ...rest]) => [percentDecode(key!.trim()), percentDecode(rest.join("=").trim())]),
  );
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
