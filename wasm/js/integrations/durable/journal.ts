/**
 * Interface to a durable engine. `race` is its only wait.
 *
 * A replay returns recorded answers under the same names, in the same order. An answered step does not run again.
 */
import type { Approval, ChatRequest, Node, Retry } from "stepgraph";

/** A call as data, for `executeCall` in another process. Its state has `last` and `input`, but no other outputs. */
export type RemoteCall = { call: string } & (
  | { type: "list-tools" }
  /** `client` is an index into `tools`. */
  | {
      type: "call-tool";
      client: number;
      tool: string;
      arguments: unknown;
      /** For the tool's server. */
      run?: string;
      node: string;
      timeoutMs?: number;
      retry?: Retry;
    }
  | { type: "call-model"; request: ChatRequest; node: string; timeoutMs?: number; retry?: Retry }
  | {
      type: "call-handler";
      handler: { by: "id" | "type"; name: string };
      about: Node;
      last: unknown;
      input: unknown;
      node: string;
      timeoutMs?: number;
      retry?: Retry;
    }
);

/** A step. Its `name` is the same on every replay, and an idempotency key. */
export type JournalStep =
  /**
   * Work that returns JSON. If it throws, nothing was done: retry as `retry` says, else without limit. `remote` returns
   * the call as data for another process. Otherwise the step runs where the run is.
   */
  | { kind: "call"; name: string; work: () => Promise<unknown>; retry?: Retry; remote?: () => RemoteCall }
  /** Answer with any value after `afterMs`. `dueMs` is that moment by recorded times. */
  | { kind: "timer"; name: string; afterMs: number; dueMs: number }
  /** Answer with `{ decision, atMs? }`, or `{ error }` if none will come. */
  | { kind: "approval"; name: string; approval: Approval };

/** A step's answer. */
export interface JournalAnswer {
  name: string;
  /** Result of `work`, decision, or `{ error: { code, message } }` of an abandoned step. */
  value: unknown;
}

/**
 * A run's record: the three functions of a durable engine.
 *
 * @example
 * // A complete journal without storage:
 * const open = new Map();
 * const journal = {
 *   begin: (step) => void open.set(step.name, step.work().then((value) => ({ name: step.name, value }))),
 *   race: async (pending) => Promise.race(pending.map((name) => open.get(name))),
 *   abandon: (name) => void open.delete(name),
 * };
 */
export interface Journal {
  /** Begins a step without waiting. An answered step does not run. */
  begin(step: JournalStep): void;
  /**
   * Waits for the first answer. Null cancels the run. `paused` ends `runDurable` as `paused`, or as `cancelled` if no
   * approval is open.
   */
  race(pending: readonly string[]): Promise<JournalAnswer | null | "paused">;
  /** Drops a step. After `cutOff`, the next `runDurable` may begin it again. */
  abandon(name: string, cutOff?: boolean): void;
  /** Set by engines that record `work` once. `acceptChangedPlan` then stores its choices as steps. */
  readonly recordsWork?: boolean;
}

const STEP_ERROR = /^([a-z][a-z0-9-]*\/[a-z0-9-]+): ([\s\S]*)$/;

/** Hosts may lose an error's code, so `work` repeats it in the message. */
export function stepError(error: unknown): { error: { code: string; message: string } } {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, rest] = STEP_ERROR.exec(message) ?? [];
  return { error: code === undefined ? { code: "durable/gave-up", message } : { code, message: rest! } };
}
