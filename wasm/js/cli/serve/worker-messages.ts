/**
 * What the server and its workers tell each other.
 *
 * Decides what may cross: names, schemas and data. Keys, connections and clients stay with the server. Whatever a plan
 * made crosses as JSON that the worker wrote: values that stand in several places at once would be small here and
 * endless there.
 */
import type { Limits, Stubs } from "../../types.js";
import type { TraceSettings } from "../telemetry.js";

/** What every task of a worker goes by: the person's own settings, as far as they are data. */
export interface WorkerSetup {
  /** The names of the tool servers, in their order. */
  servers: string[];
  stubs: Stubs | null;
  context: Record<string, unknown>;
  allow: boolean | readonly string[];
  limits: Limits;
  traces: Omit<TraceSettings, "headers"> | null;
}

/** A trace as it goes out with a call. */
export interface OutgoingTrace {
  traceparent: string;
  tracestate?: string;
  headers?: boolean;
}

/** What a worker has the server do. */
export type HostRequest =
  | { kind: "list"; server: number }
  | { kind: "tool"; server: number; name: string; args: string; call?: string; run?: string; trace?: OutgoingTrace }
  | { kind: "model"; request: string; call?: string; trace?: OutgoingTrace }
  /** A request to the receiver of traces, whose headers may be secret. */
  | { kind: "send"; url: string; method: string; headers: Record<string, string>; body: unknown };

/** To a worker. Ids are of what the worker asked. */
export type ToWorker =
  | { type: "setup"; setup: WorkerSetup }
  | { type: "begin"; task: string; args: unknown }
  | { type: "abort" }
  | { type: "beat" }
  | { type: "answer"; id: number; value: unknown }
  | { type: "refusal"; id: number; code: string | null; message: string }
  | { type: "requested"; id: number; url: string; session: string | null }
  /** Ends it, when what it still has to send is sent. */
  | { type: "end" };

/** What has happened in a run since it was told last. */
export interface RunUpdate {
  /** The events as JSON, without the brackets around them. */
  events: string;
  count: number;
  /** What is told of them while the run is under way. */
  progress: string[];
}

/** What is known of a run once its plan is read. */
export interface PlanIdentity {
  planHash: string;
  name: string | null;
  timeoutMs: number | null;
}

/** From a worker. */
export type FromWorker =
  | { type: "ready" }
  | { type: "beat" }
  | { type: "ask"; id: number; request: HostRequest }
  | { type: "drop"; id: number }
  | ({ type: "begun" } & PlanIdentity)
  | ({ type: "news" } & RunUpdate)
  | { type: "trouble"; code: string; message: string }
  /** `held` is how much memory it has now, in bytes. */
  | { type: "done"; value: unknown; held: number }
  | { type: "failed"; code: string | null; message: string; help: string | null; held: number };

/** A failure as it crosses. */
export function toFailure(error: unknown): { code: string | null; message: string; help: string | null } {
  const { code, message, help } = Object(error) as { code?: unknown; message?: unknown; help?: unknown };
  return {
    code: typeof code === "string" ? code : null,
    message: typeof message === "string" ? message : String(error),
    help: typeof help === "string" ? help : null,
  };
}
