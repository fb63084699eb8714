/**
 * What a durable engine is to a run: three functions.
 *
 * Decides nothing. Invariants that a journal keeps: a step's answer, once given, is given again on every replay, under
 * the same name and in the same order among the others; a step that was answered is not carried out again; `race` is
 * the only wait.
 */
import type { Approval, ChatRequest, Node, Retry } from "stepgraph";

/**
 * A call as data, for hosts that carry out calls in another process, by `executeCall`. Of a handler's state `last` and
 * `input` go with it, and its other outputs do not.
 */
export type RemoteCall = { call: string } & (
  | { type: "list-tools" }
  /** `client` is the position of its source among the host's. */
  | {
      type: "call-tool";
      client: number;
      tool: string;
      arguments: unknown;
      /** The id of the run, for the tool's server. */
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

/** Something that a run asks its journal to see to. `name` is the same on every replay, and an idempotency key. */
export type JournalStep =
  /**
   * Work to be carried out: a call, or what the run writes down of itself. What `work` gives is JSON, and the step's
   * answer. It throws only where trying again may help: as `retry` says, or without one for as long as the host likes;
   * then nothing was done. `remote` gives the same as data for another process; without it the work needs nothing but
   * the run, and is done where the run is.
   */
  | { kind: "call"; name: string; work: () => Promise<unknown>; retry?: Retry; remote?: () => RemoteCall }
  /**
   * To be answered, with anything, after so many milliseconds; `dueMs` is when that is by the times that the journal
   * has recorded.
   */
  | { kind: "timer"; name: string; afterMs: number; dueMs: number }
  /** To be answered with `{ decision, atMs? }` when a person has decided, or `{ error }` when nobody will. */
  | { kind: "approval"; name: string; approval: Approval };

/** The answer of one step. */
export interface JournalAnswer {
  name: string;
  /** What the work gave, what was decided, or `{ error: { code, message } }` of a step that the host has given up. */
  value: unknown;
}

/**
 * Where a run keeps what has happened to it: what a durable engine offers, in three functions.
 *
 * @example
 * // The whole of one that forgets:
 * const open = new Map();
 * const journal = {
 *   begin: (step) => void open.set(step.name, step.work().then((value) => ({ name: step.name, value }))),
 *   race: async (pending) => Promise.race(pending.map((name) => open.get(name))),
 *   abandon: (name) => void open.delete(name),
 * };
 */
export interface Journal {
  /** Begins a step, and does not wait. One that the journal has an answer to is not carried out. */
  begin(step: JournalStep): void;
  /**
   * Waits for the first answer to one of these, all begun before; null when the run is to be cancelled. On a replay the
   * same one is the first.
   */
  race(pending: readonly string[]): Promise<JournalAnswer | null>;
  /**
   * Nobody waits for that step any more. It may go on or not; its answer is not asked for. `cutOff` tells that this
   * attempt failed: the next one may ask for the step again.
   */
  abandon(name: string, cutOff?: boolean): void;
}

const STEP_ERROR = /^([a-z][a-z0-9-]*\/[a-z0-9-]+): ([\s\S]*)$/;

/**
 * The answer to a step that a host has given up, from what it threw last. Hosts keep the message of an error and not
 * always its code: work that throws has both there.
 */
export function stepError(error: unknown): { error: { code: string; message: string } } {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, rest] = STEP_ERROR.exec(message) ?? [];
  return { error: code === undefined ? { code: "durable/gave-up", message } : { code, message: rest! } };
}
