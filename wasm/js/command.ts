/** What a step of the engine asks for, in numbers: where they stand among its words, and what they are as an object. */

/** What a step asks for; the numbers are those of `wasm/engine/src/out.rs`. */
export const FINISHED = 0;
export const HANDLER = 1;
export const TOOL = 2;
export const MODEL = 3;
export const APPROVAL = 4;
export const ABANDON = 5;
export const SET_TIMER = 6;
export const CLEAR_TIMER = 7;
export const REFUSED = 9;
export const CONTINUE = 10;

/** Words of a step: how many commands there are and where, then where the events are and how many words they take. */
export const COUNT = 0;
export const COMMANDS = 1;
export const STEP_AT = 2;
export const STEP_LENGTH = 3;
/** Words of a command. */
export const STRIDE = 9;

/** Something to ask, or to ask no more, or a timer: all that the engine says of it. */
export interface Command {
  readonly op: number;
  readonly node: number;
  readonly input: unknown;
  readonly args: unknown;
  /** Where the answer goes. */
  readonly slot: number;
  readonly visit: number;
  readonly attempt: number;
  /** Who waits; together with the serial this is the engine's own name of it. */
  readonly scope: number;
  readonly serial: number;
  readonly afterMs: number;
  /** What a timer is for: 0 the run, 1 a try, 2 the wait before the next, from 3 on each of several calls of a node. */
  readonly purpose: number;
  /** What of a call's name is only its own among those that its node asks in one try. */
  readonly part: string;
  /** The tool that is called, or that a person is asked for. */
  readonly tool: string | null;
}

/** What a timer of the first of several calls is for. */
const FIRST_CALL = 3;

/** Returns the name of a timer, the same on every replay. `call` is the name of its try. */
export function timerName(purpose: number, call: string): string {
  if (purpose === 0) return "run";
  if (purpose >= FIRST_CALL) return `timeout:${call}/1/${purpose - FIRST_CALL}`;
  return `${purpose === 1 ? "timeout" : "retry"}:${call}`;
}
