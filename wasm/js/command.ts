/** Commands of an engine step, in memory and as objects. */

/** As in `wasm/engine/src/step_output.rs`. A test compares them. */
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

/** Number and address of commands, address and length of events. */
export const COUNT = 0;
export const COMMANDS = 1;
export const STEP_AT = 2;
export const STEP_LENGTH = 3;
export const STRIDE = 9;
/** After a report: its address, length and number of texts, then the trace's. */
export const REPORT = 4;
export const TRACE = 7;

export interface Command {
  readonly op: number;
  readonly node: number;
  readonly input: unknown;
  readonly args: unknown;
  /** Index in the run's values. */
  readonly slot: number;
  readonly visit: number;
  readonly attempt: number;
  /** Scope and serial identify a call or timer. */
  readonly scope: number;
  readonly serial: number;
  readonly afterMs: number;
  /**
   * Timers: 0 limits the run, 1 an attempt, 2 delays the next one, 3 is a `wait` node, from 4 on one of several calls.
   */
  readonly purpose: number;
  /** Suffix of the name within an attempt. */
  readonly part: string;
  readonly tool: string | null;
}

const FIRST_CALL = 4;
const TIMER_KINDS = ["run", "timeout", "retry", "wait"];

/** `call` names the attempt. */
export function timerName(purpose: number, call: string): string {
  if (purpose === 0) return "run";
  if (purpose >= FIRST_CALL) return `timeout:${call}/1/${purpose - FIRST_CALL}`;
  return `${TIMER_KINDS[purpose]}:${call}`;
}

const halves = new Int32Array(2);
const float = new Float64Array(halves.buffer);

const BLANK = { input: null, args: null, slot: -1, visit: 0, attempt: 0, afterMs: 0, purpose: 0, part: "", tool: null };

/** Calls of handlers have no part and tool. */
export const NO_PART = ["", null] as const;

/** `value` finds values by address, `part` the name and tool of a call. */
export function readCommand(
  heap: Int32Array,
  at: number,
  value: (word: number) => unknown,
  part: (scope: number, serial: number) => readonly [string, string | null],
): Command {
  const op = heap[at]!;
  const [scope, serial] = [heap[at + 7]! >>> 0, heap[at + 8]!];
  if (op === SET_TIMER) {
    halves[0] = heap[at + 1]!;
    halves[1] = heap[at + 2]!;
    const [node, visit, attempt, purpose] = [heap[at + 3]!, heap[at + 4]!, heap[at + 5]!, heap[at + 6]!];
    return { ...BLANK, op, node, visit, attempt, scope, serial, afterMs: float[0]!, purpose };
  }
  if (op < HANDLER || op > APPROVAL) return { ...BLANK, op, node: 0, scope, serial };
  const [node, slot, visit, attempt] = [heap[at + 1]!, heap[at + 4]!, heap[at + 5]!, heap[at + 6]!];
  const [input, args] = [value(heap[at + 2]!), value(heap[at + 3]!)];
  const [suffix, tool] = op === HANDLER ? NO_PART : part(scope, serial);
  return { op, node, input, args, slot, visit, attempt, scope, serial, afterMs: 0, purpose: 0, part: suffix, tool };
}
