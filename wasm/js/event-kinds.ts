/** Trace events and their numbers in the engine's packed words. Generated from `core/src/trace_json/event_kind.rs`. */
export const RUN_STARTED = 0;
export const NODE_STARTED = 1;
export const NODE_COMPLETED = 2;
export const NODE_FAILED = 3;
export const LOGGED = 4;
export const EDGE_DECIDED = 5;
export const RUN_ENDED = 6;
export const NODE_RETRIED = 7;
export const SCOPE_STARTED = 8;
export const SCOPE_ENDED = 9;
export const RUN_RESUMED = 10;
export const CONVERSATION = 11;

/** The value of `type` of all events. */
export type EventName =
  | "run-started"
  | "node-started"
  | "node-completed"
  | "node-failed"
  | "logged"
  | "edge-decided"
  | "run-ended"
  | "node-retried"
  | "scope-started"
  | "scope-ended"
  | "run-resumed"
  | "model-asked"
  | "model-replied"
  | "tool-asked"
  | "tool-answered";

export const TRANSITION_REASONS = ["condition", "fallback", "no-match", "terminal"] as const;

export const SCOPE_STATUSES = ["completed", "failed", "abandoned"] as const;
