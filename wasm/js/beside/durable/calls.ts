/**
 * How the calls of a run are carried out: by handlers, tools and models, as `run` does.
 *
 * Decides which failures are the host's to try again; all others are answers. Invariant: the name of a call goes out with it, so that
 * whoever is asked twice can tell.
 */
import { CallError, inner, PlanError, type Command, type Retry, type Run, type RunOptions, type State } from "stepgraph";
import { packed, type Packing } from "./entry.js";

/** A command that asks for an answer of the host's. */
export type CallCommand = Extract<Command, { type: "call-handler" | "call-tool" | "call-model" }>;

/** What calls are answered with. */
export type CallHost = Pick<RunOptions, "handlers" | "byId" | "models" | "context" | "onUpdate">;

const FALLBACKS = { "call-handler": "handler/failed", "call-tool": "tool/failed", "call-model": "model/failed" } as const;

/** Carries out the calls of one run. */
export class Calls {
  readonly #run: Run;
  readonly #host: CallHost;
  readonly #tools: ReturnType<typeof inner.toolsOf>;
  readonly #packing: Packing;
  readonly #now: () => number;

  constructor(run: Run, host: CallHost, tools: ReturnType<typeof inner.toolsOf>, packing: Packing, now: () => number) {
    this.#run = run;
    this.#host = host;
    this.#tools = tools;
    this.#packing = packing;
    this.#now = now;
  }

  /** The work of a call: gives its entry, and throws only what is to be tried again. */
  work(command: CallCommand, signal: AbortSignal): () => Promise<unknown> {
    const { call, retry, timeoutMs } = command;
    const ask = this.#asking(command);
    return async () => {
      let entry: object;
      try {
        entry = await (timeoutMs === undefined ? ask(signal) : within(timeoutMs, command.node, signal, ask));
      } catch (error) {
        const failure = inner.failureOf(error, FALLBACKS[command.type]);
        if (retry !== undefined && retry.attempts > 1 && covers(retry, failure.code)) throw new CallError(failure.code, `${failure.code}: ${failure.message}`, { cause: error });
        entry = { error: failure };
      }
      return packed(call, { ...entry, atMs: this.#now() }, this.#packing);
    };
  }

  #asking(command: CallCommand): (signal: AbortSignal) => Promise<object> {
    const { call, node } = command;
    const tell = this.#teller(node, call);
    switch (command.type) {
      case "call-tool": {
        const { tool } = command;
        const onProgress = tell && ((progress: object) => tell({ type: "tool-progress", tool, ...progress }));
        return async (signal) => ({ output: given(await inner.callTool(this.#tools, tool, command.arguments, { signal, call, ...(onProgress && { onProgress }) })) });
      }
      case "call-model": {
        const onDelta = tell && ((delta: object) => tell({ type: "model-delta", delta }));
        return async (signal) => ({ reply: await inner.askModel(this.#host.models ?? {}, command.request, { signal, call, ...(onDelta && { onDelta }) }) });
      }
      default:
        return this.#handling(command);
    }
  }

  #handling({ call }: CallCommand): (signal: AbortSignal) => Promise<object> {
    const node = this.#run.node(call);
    const seen = this.#run.state(call);
    const handler = this.#run.handler(call, this.#host);
    if (handler === undefined) throw new PlanError("durable/host-changed", `nobody answers for node \`${node.id}\` of type \`${node.type}\``);
    return async (signal) => {
      const writes: Record<string, unknown> = {};
      const state = new CallState(seen, writes, this.#host.context ?? {}, signal);
      const output = given(await handler(node, state));
      state.closed = true;
      return Object.keys(writes).length > 0 ? { output, writes } : { output };
    };
  }

  #teller(node: string, call: string): ((update: object) => void) | undefined {
    const { onUpdate } = this.#host;
    return onUpdate && ((update) => onUpdate({ ...update, node, call } as Parameters<typeof onUpdate>[0]));
  }
}

/** What a handler may read and write; what it writes is a part of its answer. */
class CallState implements State {
  closed = false;
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly #seen: Pick<State, "last" | "input" | "output">;
  readonly #writes: Record<string, unknown>;

  constructor(seen: Pick<State, "last" | "input" | "output">, writes: Record<string, unknown>, context: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    this.#seen = seen;
    this.#writes = writes;
    this.context = context;
    this.signal = signal;
  }

  get last(): unknown {
    return this.#seen.last;
  }

  get input(): unknown {
    return this.#seen.input;
  }

  output(name: string): unknown {
    return this.#seen.output(name);
  }

  write(name: string, value: unknown): void {
    if (this.closed) throw new PlanError("run/answered", `the call was answered or abandoned; \`${name}\` can't be written any more`);
    if (name === "input" || name === "memory") throw new PlanError("graph/reserved-id", `\`${name}\` names what the run was given`);
    this.#writes[name] = given(value);
  }
}

function given(value: unknown): unknown {
  return value === undefined ? null : value;
}

/** Whether a failure of that code is tried again; as the engine decides it. */
function covers({ on }: Retry, code: string): boolean {
  return on.length === 0 || on.some((pattern) => pattern === code || (pattern.endsWith("/*") && code.startsWith(pattern.slice(0, -1))));
}

/** Ends a try that takes too long where the host times tries. */
async function within<T>(ms: number, node: string, outer: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  outer.addEventListener("abort", abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CallError("node/timeout", `node \`${node}\` took longer than ${ms} ms`));
      controller.abort();
    }, ms);
  });
  try {
    return await Promise.race([ask(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", abort);
  }
}
