/**
 * Interface to a durable engine.
 *
 * A journal guarantees: a replay returns recorded answers under the same names, in the same order. An answered step is
 * not executed again. `race` is the only wait.
 */
import type { Approval, ChatRequest, Node, Retry } from "stepgraph";

/**
 * A call as data, for `executeCall` in another process. It has `last` and `input` of a handler's state, but no other
 * outputs.
 */
export type RemoteCall = { call: string } & (
  | { type: "list-tools" }
  /** `client` is an index into `tools`. */
  | {
      type: "call-tool";
      client: number;
      tool: string;
      arguments: unknown;
      /** Id of the run, for the tool's server. */
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

/** A step for the journal. `name` is the same on every replay, and an idempotency key. */
export type JournalStep =
  /**
   * Work to execute. `work` returns JSON: the step's answer. If it throws, nothing was done: retry as `retry` says, or
   * without limit if there is none. `remote` returns the call as data for another process. Steps without it run where
   * the run is.
   */
  | { kind: "call"; name: string; work: () => Promise<unknown>; retry?: Retry; remote?: () => RemoteCall }
  /** Answer with any value after `afterMs` milliseconds. `dueMs` is that moment by recorded times. */
  | { kind: "timer"; name: string; afterMs: number; dueMs: number }
  /** Answer with `{ decision, atMs? }`, or `{ error }` if no decision will come. */
  | { kind: "approval"; name: string; approval: Approval };

/** Answer of a step. */
export interface JournalAnswer {
  name: string;
  /** Result of `work`, the decision, or `{ error: { code, message } }` if the host abandoned the step. */
  value: unknown;
}

/**
 * Record of a run: the three functions of a durable engine.
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
  /** Begins a step without waiting. A step with a recorded answer is not executed. */
  begin(step: JournalStep): void;
  /**
   * Waits for the first answer, on a replay the same one. Returns null to cancel the run. Returns `paused` to end
   * `runDurable` with the outcome `paused`, or `cancelled` if no approval is open. The next one continues the run.
   */
  race(pending: readonly string[]): Promise<JournalAnswer | null | "paused">;
  /**
   * Drops a step, whose answer is no longer used. `cutOff`: `runDurable` failed, and the next may begin the step again.
   */
  abandon(name: string, cutOff?: boolean): void;
  /** Set by engines that record the result of `work` once. `acceptChangedPlan` then stores its choices as steps. */
  readonly recordsWork?: boolean;
}

const STEP_ERROR = /^([a-z][a-z0-9-]*\/[a-z0-9-]+): ([\s\S]*)$/;

/**
 * Converts the last error of a failed step to its answer. Hosts may lose an error's code, so `work` repeats it in the
 * message.
 */
export function stepError(error: unknown): { error: { code: string; message: string } } {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, rest] = STEP_ERROR.exec(message) ?? [];
  return { error: code === undefined ? { code: "durable/gave-up", message } : { code, message: rest! } };
}
