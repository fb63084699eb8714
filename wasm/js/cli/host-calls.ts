/**
 * Calls of user functions.
 *
 * Invariants: results and written outputs hold only JSON, so all commands and recordings see the same values. A call
 * that nothing can settle fails.
 */
import { CallError, isThenable, jsonFlaw } from "../package-internals.js";
import type { FunctionTools, Handler, Model, State } from "../types.js";

export interface HostCall {
  /** As in messages. */
  readonly what: string;
  /** Null outside of runs. */
  readonly node: string | null;
  readonly code: "handler/failed" | "tool/failed" | "model/failed";
  readonly sinceMs: number;
}

const open = new Map<HostCall, (error: CallError) => void>();
/** The call on the thread, until its first `await`. */
let running: HostCall | null = null;
let callLimitMs = Infinity;
let nodeLimitMs: (node: string | null) => number = () => Infinity;

export function limitHostCalls(ms: number): void {
  callLimitMs = ms;
}

/** The engine enforces the plan's limits, unless a call blocks the thread. */
export function setNodeLimits(limitOf: (node: string | null) => number): void {
  nodeLimitMs = limitOf;
}

/** Returns a call `graceMs` past its limit. If the blocking call is unknown, all must be overdue. */
export function overdueCall(graceMs: number): { call: HostCall; limitMs: number } | null {
  const calls = running === null ? [...open.keys()] : [running];
  const now = performance.now();
  const found = calls.map((call) => ({ call, limitMs: Math.min(callLimitMs, nodeLimitMs(call.node)) }));
  return found.every(({ call, limitMs }) => now - call.sinceMs > limitMs + graceMs) ? (found[0] ?? null) : null;
}

/** Call it when nothing can settle a call. */
export function failOpenCalls(): boolean {
  const hadAny = open.size > 0;
  for (const [{ what, code }, reject] of [...open])
    reject(new CallError(code, `${what} never settles: nothing is left that could settle its promise`));
  return hadAny;
}

export function guardHandlers(handlers: Record<string, Handler>): Record<string, Handler> {
  const guarded = Object.entries(handlers).map(([type, handler]): [string, Handler] => [
    type,
    (node, state) => {
      const call = newCall(`the handler \`${type}\``, node.id, "handler/failed");
      const of = `the handler \`${type}\` of node \`${node.id}\``;
      const check = (output: unknown) => {
        assertJson(`the result of ${of}`, output);
        return output;
      };
      return invoke(call, () => handler(node, new CheckedState(state, of)), check);
    },
  ]);
  return Object.fromEntries(guarded);
}

/** The library itself checks tool results. */
export function guardTools(tools: FunctionTools): FunctionTools {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const run = (...given: Parameters<typeof tool.run>) =>
      invoke(newCall(`the tool \`${name}\``, nodeOf(given[1]), "tool/failed"), () => tool.run(...given), identity);
    return [name, { ...tool, run }] as const;
  });
  return Object.fromEntries(guarded) as FunctionTools;
}

/** Clients such as `openai()` stay unchanged. */
export function guardModels(models: Record<string, Model>): Record<string, Model> {
  const guarded = Object.entries(models).map(([name, model]): [string, Model] => {
    if (typeof model !== "function") return [name, model];
    const chat = (...given: Parameters<typeof model>) =>
      invoke(newCall(`the model \`${name}\``, nodeOf(given[1]), "model/failed"), () => model(...given), identity);
    return [name, chat as typeof model];
  });
  return Object.fromEntries(guarded);
}

/** Parses `fan:1/pay:1:1`, or `agent:1:1/0` for an agent's call. */
function nodeOf({ call = "" }: { call?: string | undefined } = {}): string | null {
  const names = call.split("/").flatMap((part) => /^(.+):\d+:\d+$/s.exec(part)?.[1] ?? []);
  return names.at(-1)?.replaceAll("%2F", "/").replaceAll("%25", "%") ?? null;
}

function newCall(what: string, node: string | null, code: HostCall["code"]): HostCall {
  return { what, node, code, sinceMs: performance.now() };
}

function identity<T>(value: T): T {
  return value;
}

function invoke(call: HostCall, start: () => unknown, check: (output: unknown) => unknown): unknown {
  const around = running;
  running = call;
  let given: unknown;
  try {
    given = start();
  } finally {
    running = around;
  }
  return isThenable(given) ? settle(call, given, check) : check(given);
}

/** The timer keeps no process alive, so calls that nothing can settle fail at once. */
function settle(call: HostCall, given: PromiseLike<unknown>, check: (output: unknown) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    open.set(call, reject);
    const late = () =>
      reject(new CallError("node/timeout", `${call.what} took longer than ${callLimitMs} ms; raise \`--timeout\``));
    const timer = callLimitMs === Infinity ? undefined : setTimeout(late, callLimitMs).unref();
    const close = () => {
      open.delete(call);
      clearTimeout(timer);
    };
    Promise.resolve(given).then(check).finally(close).then(resolve, reject);
  });
}

function assertJson(what: string, value: unknown): void {
  const flaw = jsonFlaw(value);
  if (flaw !== null) throw new CallError("handler/not-json", `${what} can't be written as JSON: ${flaw}`);
}

class CheckedState implements State {
  readonly #state: State;

  constructor(state: State, of: string) {
    this.#state = state;
    // Handlers may destructure: `({ input }, { write }) => ...`.
    this.output = (name) => state.output(name);
    this.write = (name, value) => {
      assertJson(`the output \`${name}\` that ${of} writes`, value);
      state.write(name, value);
    };
  }

  readonly output: State["output"];
  readonly write: State["write"];

  get last(): unknown {
    return this.#state.last;
  }
  get input(): unknown {
    return this.#state.input;
  }
  get context(): State["context"] {
    return this.#state.context;
  }
  get signal(): AbortSignal {
    return this.#state.signal;
  }
}
