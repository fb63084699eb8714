/**
 * Messages between server and workers. Keys, connections and clients stay in the server. Values cross as JSON:
 * structured clone would keep shared references that are huge when encoded.
 */
import type { Prices } from "../../prices.js";
import type { Limits, Stubs } from "../../types.js";
import type { TraceSettings } from "../telemetry.js";

export interface WorkerSetup {
  /** Requests use their index. */
  servers: string[];
  stubs: Stubs | null;
  context: Record<string, unknown>;
  allow: boolean | readonly string[];
  limits: Limits;
  /** The server's, as prices know it. The client's has no price. */
  model: { name: string; provider?: string } | null;
  prices: Prices;
  /** Even without a limit in US dollars. */
  countsCosts: boolean;
  traces: Omit<TraceSettings, "headers"> | null;
  /** Their handlers are in the server. */
  types: string[];
}

export interface OutgoingTrace {
  traceparent: string;
  tracestate?: string;
  headers?: boolean;
}

export type HostRequest =
  | { kind: "list"; server: number }
  | { kind: "tool"; server: number; name: string; args: string; call?: string; run?: string; trace?: OutgoingTrace }
  | { kind: "model"; request: string; call?: string; trace?: OutgoingTrace }
  | { kind: "handler"; type: string; args: string }
  /** The server adds its headers, which may be secret. */
  | { kind: "send"; url: string; method: string; headers: Record<string, string>; body: unknown };

export type ToWorker =
  | { type: "setup"; setup: WorkerSetup }
  | { type: "begin"; task: string; args: unknown }
  | { type: "abort" }
  | { type: "beat" }
  | { type: "answer"; id: number; value: unknown }
  | { type: "refusal"; id: number; code: string | null; message: string }
  | { type: "requested"; id: number; url: string; session: string | null }
  /** Sends pending telemetry first. */
  | { type: "end" };

/** Since the previous update. */
export interface RunUpdate {
  /** JSON without the list's brackets. */
  events: string;
  count: number;
  progress: string[];
}

/** Known once the plan is parsed. */
export interface PlanIdentity {
  planHash: string;
  name: string | null;
  timeoutMs: number | null;
}

export type FromWorker =
  | { type: "ready" }
  | { type: "beat" }
  | { type: "ask"; id: number; request: HostRequest }
  | { type: "drop"; id: number }
  | ({ type: "begun" } & PlanIdentity)
  | ({ type: "news" } & RunUpdate)
  | { type: "trouble"; code: string; message: string }
  /** `held` memory in bytes. */
  | { type: "done"; value: unknown; held: number }
  | { type: "failed"; code: string | null; message: string; help: string | null; held: number };

export function toFailure(error: unknown): { code: string | null; message: string; help: string | null } {
  const { code, message, help } = Object(error) as { code?: unknown; message?: unknown; help?: unknown };
  return {
    code: typeof code === "string" ? code : null,
    message: typeof message === "string" ? message : String(error),
    help: typeof help === "string" ? help : null,
  };
}
