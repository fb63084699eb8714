/**
 * Executes a durable run's calls, in this or another process.
 *
 * Invariants: work throws only if the host must retry. Other failures are answers. Each call carries its name.
 */
import {
  CallError,
  internals,
  PlanError,
  type Command,
  type Node,
  type Retry,
  type Run,
  type RunOptions,
  type State,
} from "stepgraph";
import type { Kinds } from "../../options.js";
import { encodeEntry, type EntryEncoding, type ResultStore, type ToolsEntry } from "./journal-entry.js";
import type { RemoteCall } from "./journal.js";

/** @internal */
export type CallCommand = Extract<Command, { type: "call-handler" | "call-tool" | "call-model" }>;

/** Functions that answer calls. */
export type CallHost = Pick<RunOptions, "handlers" | "byId" | "models" | "tools" | "context" | "onUpdate">;

/** Options of `executeCall`. */
export interface ExecuteCallOptions extends CallHost {
  /** Aborted when the answer is not needed. */
  signal?: AbortSignal;
  maxResultBytes?: number;
  store?: ResultStore;
  now?: () => number;
}

const { handlers, byId, models, tools, context, onUpdate, signal } = internals.runKinds;
const EXECUTE_OPTIONS: Kinds<ExecuteCallOptions> = {
  ...{ handlers, byId, models, tools, context, onUpdate, signal },
  maxResultBytes: "amount",
  store: ".put.get",
  now: "function",
};

type ReadableState = Pick<State, "last" | "input" | "output">;
type SendUpdate = (update: object) => void;

const FALLBACK_CODES = {
  "call-handler": "handler/failed",
  "call-tool": "tool/failed",
  "call-model": "model/failed",
} as const;

interface CallsOptions {
  id: string | undefined;
  tools: ReturnType<typeof internals.toolRegistry>;
  encoding: EntryEncoding;
  now: () => number;
}

/** @internal */
export class Calls {
  readonly #run: Run;
  readonly #id: string | undefined;
  readonly #host: CallHost;
  readonly #tools: ReturnType<typeof internals.toolRegistry>;
  readonly #encoding: EntryEncoding;
  readonly #now: () => number;

  constructor(run: Run, host: CallHost, { id, tools, encoding, now }: CallsOptions) {
    this.#run = run;
    this.#host = host;
    this.#id = id;
    this.#tools = tools;
    this.#encoding = encoding;
    this.#now = now;
  }

  execute(command: CallCommand, signal: AbortSignal): () => Promise<unknown> {
    const ask = this.#remoteCall(command);
    return async () => encodeEntry(command.call, await attempt(command, signal, ask, this.#now), this.#encoding);
  }

  toRemoteCall(command: CallCommand): RemoteCall {
    const { call, node, retry, timeoutMs } = command;
    const common = { call, node, ...(retry && { retry }), ...(timeoutMs !== undefined && { timeoutMs }) };
    if (command.type === "call-model") return { type: "call-model", request: command.request, ...common };
    if (command.type === "call-tool") {
      const { indexes, clients, list } = this.#tools;
      const place = indexes.get(command.tool) ?? -1;
      return {
        type: "call-tool",
        client: internals.toolClients(this.#host.tools)?.indexOf(clients[place]!) ?? -1,
        tool: list[place]?.name ?? command.tool,
        arguments: command.arguments,
        ...(this.#id !== undefined && { run: this.#id }),
        ...common,
      };
    }
    const [by, name] = this.#run.action(call) as ["id" | "type", string];
    const { last, input } = this.#run.state(call);
    const about = this.#run.node(call);
    return {
      type: "call-handler",
      handler: { by, name },
      about: { ...about, call: about.call },
      last,
      input,
      ...common,
    };
  }

  #remoteCall(command: CallCommand): (signal: AbortSignal) => Promise<object> {
    const { call, node } = command;
    const sendUpdate = updateSender(this.#host, node, call);
    if (command.type === "call-tool") {
      const { tool } = command;
      const named = { call, ...(this.#id !== undefined && { run: this.#id }) };
      return async (signal) => ({
        output: orNull(
          await internals.callTool(this.#tools, tool, command.arguments, {
            signal,
            ...named,
            ...progressOptions(sendUpdate, tool),
          }),
        ),
      });
    }
    if (command.type === "call-model")
      return (signal) => callModel(this.#host, command.request, call, signal, sendUpdate);
    const handler = internals.handlerOf(this.#run.action(call), this.#host);
    const about = this.#run.node(call);
    const state = this.#run.state(call);
    return (signal) => callHandler(handler, about, state, this.#host, signal);
  }
}

/** @internal */
export async function toolsEntry({
  tools,
  now = internals.now,
  signal,
}: Pick<ExecuteCallOptions, "tools" | "now" | "signal">): Promise<ToolsEntry & { atMs: number }> {
  try {
    const lists = await Promise.all((internals.toolClients(tools) ?? []).map((client) => client.list(signal)));
    return { tools: lists, atMs: now() };
  } catch (error) {
    return { error: internals.toFailure(error, "tool/unreachable"), atMs: now() };
  }
}

/**
 * Executes a call in another process, such as an activity, and returns the answer for the journal.
 *
 * If it throws, the host retries as `call.retry` says. Other failures are answers. `onUpdate` is not called again after
 * it throws.
 *
 * @example
 * // activities.js
 * export const runCall = (call) => executeCall(call, { tools, models, handlers });
 */
export async function executeCall(call: RemoteCall, host: ExecuteCallOptions): Promise<unknown> {
  internals.assertOptions("executeCall", host, EXECUTE_OPTIONS);
  const { now = internals.now, signal = new AbortController().signal, maxResultBytes = Infinity, store } = host;
  const packing = { maxBytes: maxResultBytes, store };
  if (call.type === "list-tools") return encodeEntry(call.call, await toolsEntry(host), packing);
  const guarded = new internals.Listeners<ExecuteCallOptions>(host, () => {}).options;
  return encodeEntry(
    call.call,
    await attempt(call, signal, (signal) => callRemote(call, guarded, signal), now),
    packing,
  );
}

async function callRemote(
  asking: Exclude<RemoteCall, { type: "list-tools" }>,
  host: CallHost,
  signal: AbortSignal,
): Promise<object> {
  const { call, node } = asking;
  const sendUpdate = updateSender(host, node, call);
  if (asking.type === "call-model") return callModel(host, asking.request, call, signal, sendUpdate);
  if (asking.type === "call-tool") {
    const { client: at, tool } = asking;
    const client = internals.toolClients(host.tools)?.[at];
    if (client === undefined) throw new CallError("tool/unknown", `no server offers a tool \`${tool}\``);
    const { run } = asking;
    const options = { signal, call, ...(run !== undefined && { run }), ...progressOptions(sendUpdate, tool) };
    return { output: orNull(await internals.callClient(client, tool, asking.arguments, options)) };
  }
  const { by, name } = asking.handler;
  const output = (wanted: string): never => {
    throw new PlanError(
      "durable/not-here",
      `a handler in another process does not see the output \`${wanted}\`: give it what it needs as its node's input`,
    );
  };
  return callHandler(
    internals.handlerOf([by, name], host),
    asking.about,
    { last: asking.last, input: asking.input, output },
    host,
    signal,
  );
}

async function attempt(
  command: { type: keyof typeof FALLBACK_CODES; call: string; node: string; retry?: Retry; timeoutMs?: number },
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<object>,
  now: () => number,
): Promise<{ atMs: number }> {
  const { retry, timeoutMs, node } = command;
  try {
    const entry = await (timeoutMs === undefined ? ask(signal) : withTimeout(timeoutMs, node, signal, ask));
    return { ...entry, atMs: now() };
  } catch (error) {
    const failure = internals.toFailure(error, FALLBACK_CODES[command.type]);
    if (retry !== undefined && retry.attempts > 1 && isRetryable(retry, failure.code))
      throw new CallError(failure.code, `${failure.code}: ${failure.message}`, { cause: error });
    return { error: failure, atMs: now() } as { atMs: number };
  }
}

async function callModel(
  host: CallHost,
  request: Parameters<typeof internals.callModel>[1],
  call: string,
  signal: AbortSignal,
  sendUpdate: SendUpdate | undefined,
): Promise<object> {
  const onDelta = sendUpdate && ((delta: object) => sendUpdate({ type: "model-delta", delta }));
  return {
    reply: await internals.callModel(host.models ?? {}, request, { signal, call, ...(onDelta && { onDelta }) }),
  };
}

async function callHandler(
  handler: ReturnType<typeof internals.handlerOf>,
  about: Node,
  readable: ReadableState,
  host: CallHost,
  signal: AbortSignal,
): Promise<object> {
  if (handler === undefined)
    throw new PlanError("durable/host-changed", `no handler executes node \`${about.id}\` of type \`${about.type}\``);
  const writes: Record<string, unknown> = {};
  const state = new CallState(readable, writes, host.context ?? {}, signal);
  const output = orNull(await handler(about, state));
  state.closed = true;
  return Object.keys(writes).length > 0 ? { output, writes } : { output };
}

function progressOptions(
  sendUpdate: SendUpdate | undefined,
  tool: string,
): { onProgress?: (progress: object) => void } {
  return sendUpdate ? { onProgress: (progress) => sendUpdate({ type: "tool-progress", tool, ...progress }) } : {};
}

function updateSender({ onUpdate }: CallHost, node: string, call: string): SendUpdate | undefined {
  return onUpdate && ((update) => onUpdate({ ...update, node, call } as Parameters<typeof onUpdate>[0]));
}

class CallState implements State {
  closed = false;
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly #readable: ReadableState;
  readonly #writes: Record<string, unknown>;

  constructor(
    readable: ReadableState,
    writes: Record<string, unknown>,
    context: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) {
    this.#readable = readable;
    this.#writes = writes;
    this.context = context;
    this.signal = signal;
  }

  get last(): unknown {
    return this.#readable.last;
  }

  get input(): unknown {
    return this.#readable.input;
  }

  /** Bound, so that handlers can destructure the state. */
  readonly output: State["output"] = (name) => this.#readable.output(name);

  readonly write: State["write"] = (name, value) => {
    if (this.closed)
      throw new PlanError("run/answered", `the call was answered or abandoned; \`${name}\` can't be written any more`);
    if (name === "input" || name === "memory")
      throw new PlanError("graph/reserved-id", `\`${name}\` is the name of an initial value of the run`);
    this.#writes[name] = orNull(value);
  };
}

function orNull(value: unknown): unknown {
  return value === undefined ? null : value;
}

/** The engine's rule. */
function isRetryable({ on }: Retry, code: string): boolean {
  return (
    on.length === 0 ||
    on.some((pattern) => pattern === code || (pattern.endsWith("/*") && code.startsWith(pattern.slice(0, -1))))
  );
}

async function withTimeout<T>(
  ms: number,
  node: string,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  outer.addEventListener("abort", abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CallError("node/timeout", `node \`${node}\` took longer than ${ms} ms`));
      controller.abort();
    }, ms);
  });
  try {
    return await Promise.race([ask(controller.signal), timedOut]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", abort);
  }
}

/**
 * Declares tools, models and handlers that another process executes.
 *
 * @example
 * runDurable(plan, journal, { input, ...remoteHost({ tools: ["crm"], models: ["default"], types: ["note"] }) });
 */
export function remoteHost(names: {
  tools?: string[];
  models?: string[];
  types?: string[];
  ids?: string[];
}): Required<Pick<CallHost, "tools" | "models" | "handlers" | "byId">> {
  internals.assertOptions("remoteHost", names, { tools: "[]text", models: "[]text", types: "[]text", ids: "[]text" });
  const { tools = [], models = [], types = [], ids = [] } = names;
  const failUnavailable = (): never => {
    throw new PlanError(
      "durable/not-here",
      "this host carries its calls out in another process: its journal has to ask `step.remote`",
    );
  };
  const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, failUnavailable]));
  const clients = tools.map((name) => ({
    name,
    list: async () => failUnavailable(),
    call: async () => failUnavailable(),
    close: async () => {},
  }));
  return { tools: clients, models: named(models), handlers: named(types), byId: named(ids) };
}
