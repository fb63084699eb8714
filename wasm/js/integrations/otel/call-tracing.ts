/**
 * A run's options with everything wrapped that calls somebody: a span for each call, and its place in the trace handed
 * on.
 *
 * Decides nothing of the run: what a tool, a model, a handler or a person answers goes on untouched, and so does what
 * they throw. Invariant: whatever goes wrong here, the call is made as if nobody watched.
 */
import {
  type CallOptions,
  type CallTrace,
  type ChatOptions,
  type ChatReply,
  type ChatRequest,
  type Decision,
  type Handler,
  inner,
  type McpClient,
  type Model,
  type Node,
  type RunOptions,
  type ToolClient,
  type ToolInfo,
  type ToolResult,
} from "stepgraph";
import {
  chatAttributes,
  type Content,
  providerOf,
  replyAttributes,
  serverAttributes,
  toolAttributes,
} from "./genai.js";
import type { RunObserver } from "./observer.js";
import type { OpenCall } from "./open-spans.js";
import { type SpanContext, writePlace } from "./span-context.js";
import { discreetAs } from "../../secrets.js";
import { CLIENT, INTERNAL, type SpanBackend, type Span } from "./span.js";
import type { Asked, Attributes, ObservedOptions, TraceContext } from "./types.js";

/** What a watched run is told by. */
export interface CallTracing {
  observer: RunObserver;
  sink: SpanBackend;
  content: Content;
  options: ObservedOptions;
  now(): number;
  /** Does it, unless it throws: then that is told, and there is nothing. */
  guard<T>(call: () => T): T | undefined;
  /** Remembers where a node's span is. */
  placed(node: Node, context: TraceContext): void;
}

/** The options with everything wrapped. */
export function watched(given: RunOptions, watch: CallTracing): RunOptions {
  const { tools, models, handlers, byId, onApproval } = given;
  const each = <V>(group: Record<string, V>, wrap: (value: V, name: string) => V) =>
    Object.fromEntries(Object.entries(group).map(([name, value]) => [name, wrap(value, name)]));
  return {
    ...given,
    ...(tools && { tools: tools.map((client) => watchedTools(client, watch)) }),
    ...(models && { models: each(models, (model, name) => watchedModel(model, name, watch)) }),
    ...(handlers && { handlers: each(handlers, (handler) => watchedHandler(handler, watch)) }),
    ...(byId && { byId: each(byId, (handler) => watchedHandler(handler, watch)) }),
    ...(onApproval && { onApproval: watchedApproval(onApproval, watch) }),
  };
}

function watchedHandler(handler: Handler, watch: CallTracing): Handler {
  return (node, state) => {
    const span = watch.guard(() => {
      const { span } = watch.observer.at(node.call, watch.now());
      watch.placed(node, writePlace(span.place));
      return span;
    });
    return span === undefined ? handler(node, state) : span.within(() => handler(node, state));
  };
}

function watchedTools(client: ToolClient, watch: CallTracing): ToolClient {
  const isMcp = typeof (client as Partial<McpClient>).about === "function";
  return {
    ...discreetAs(client),
    get name() {
      return client.name;
    },
    list: (signal) => listed(client, isMcp, signal, watch),
    call: (name, args, options) => called(client, isMcp, name, args, options, watch),
    close: () => client.close(),
  };
}

async function listed(
  client: ToolClient,
  isMcp: boolean,
  signal: AbortSignal | undefined,
  watch: CallTracing,
): Promise<ToolInfo[]> {
  const span = watch.guard(() => {
    const startMs = watch.now();
    return watch.sink.begin({
      name: "tools/list",
      kind: isMcp ? CLIENT : INTERNAL,
      startMs,
      parent: watch.observer.run(startMs),
      attributes: { "mcp.method.name": isMcp ? "tools/list" : undefined, "stepgraph.server": client.name },
    });
  });
  if (span === undefined) return client.list(signal);
  try {
    const tools = await span.within(() => client.list(signal));
    watch.guard(() => span.set({ "stepgraph.tools": tools.length, ...versionOf(client) }));
    return tools;
  } catch (error) {
    watch.guard(() => watch.observer.fail(span, inner.failureOf(error, "tool/unreachable"), watch.now()));
    throw error;
  } finally {
    watch.guard(() => span.end(watch.now()));
  }
}

async function called(
  client: ToolClient,
  isMcp: boolean,
  name: string,
  args: Record<string, unknown>,
  options: CallOptions = {},
  watch: CallTracing,
): Promise<ToolResult> {
  const { call } = options;
  const open =
    call === undefined
      ? undefined
      : watch.guard(() =>
          watch.observer.call(call, watch.now(), {
            name: isMcp ? `tools/call ${name}` : `execute_tool ${name}`,
            kind: isMcp ? CLIENT : INTERNAL,
            attributes: { ...toolAttributes(name, args, isMcp, watch.content), "stepgraph.server": client.name },
          }),
        );
  if (open === undefined) return client.call(name, args, options);
  const trace = watch.guard(() =>
    traceFor({ kind: "tool", name: client.name }, open.span, watch, (url, session) => ({
      ...serverAttributes(url),
      "network.protocol.name": "http",
      "network.transport": "tcp",
      "mcp.session.id": session,
    })),
  );
  try {
    const result = await open.span.within(() => client.call(name, args, trace ? { ...options, trace } : options));
    watch.guard(() => answered(open, client, result, watch));
    return result;
  } catch (error) {
    watch.guard(() => open.failed(watch.now(), inner.failureOf(error, "tool/failed"), versionOf(client)));
    throw error;
  }
}

function answered(
  open: OpenCall,
  client: ToolClient,
  { isError, message, value }: ToolResult,
  watch: CallTracing,
): void {
  const version = versionOf(client);
  // The conventions have a name for what a tool itself failed at.
  if (isError) open.failed(watch.now(), { code: "tool_error", message: message ?? "the tool failed" }, version);
  else open.done(watch.now(), { ...version, ...watch.content.of(() => ({ "gen_ai.tool.call.result": value })) });
}

function versionOf(client: ToolClient): Attributes {
  return { "mcp.protocol.version": (client as Partial<McpClient>).about?.().version ?? undefined };
}

function watchedModel(model: Model, name: string, watch: CallTracing): Model {
  if (typeof model === "function")
    return (request, options) =>
      asked(async (options) => model(request, options), request, undefined, name, options, watch);
  return {
    ...discreetAs(model),
    name: model.name,
    chat: (request, options) =>
      asked((options) => model.chat(request, options), request, model.name, name, options, watch) as Promise<ChatReply>,
  };
}

async function asked(
  chat: (options?: ChatOptions) => Promise<string | ChatReply>,
  request: ChatRequest,
  model: string | undefined,
  name: string,
  options: ChatOptions = {},
  watch: CallTracing,
): Promise<string | ChatReply> {
  const { call, onDelta } = options;
  const startMs = watch.now();
  // What plans call it is better than nothing, unless it is what they call any.
  const of = request.model ?? model ?? (name === "default" ? undefined : name);
  const open =
    call === undefined
      ? undefined
      : watch.guard(() =>
          watch.observer.call(call, startMs, {
            name: of === undefined ? "chat" : `chat ${of}`,
            kind: CLIENT,
            attributes: {
              ...chatAttributes(request, of, watch.content),
              "gen_ai.request.stream": onDelta ? true : undefined,
            },
          }),
        );
  if (open === undefined) return chat(options);
  let requests = 0;
  const trace = watch.guard(() =>
    traceFor({ kind: "model", name }, open.span, watch, (url) => ({
      ...serverAttributes(url),
      "gen_ai.provider.name": providerOf(url),
      "stepgraph.requests": ++requests > 1 ? requests : undefined,
    })),
  );
  const heard: ChatOptions["onDelta"] =
    onDelta &&
    ((delta) => {
      watch.guard(() => (firstAt ??= watch.now()));
      onDelta(delta);
    });
  let firstAt: number | undefined;
  try {
    const reply = await open.span.within(() =>
      chat({ ...options, ...(trace && { trace }), ...(heard && { onDelta: heard }) }),
    );
    watch.guard(() =>
      open.done(watch.now(), {
        ...replyAttributes(
          typeof reply === "string" ? { text: reply, finish: "stop", usage: null } : reply,
          watch.content,
        ),
        "gen_ai.response.time_to_first_chunk": firstAt === undefined ? undefined : (firstAt - startMs) / 1000,
      }),
    );
    return reply;
  } catch (error) {
    watch.guard(() => open.failed(watch.now(), inner.failureOf(error, "model/failed")));
    throw error;
  }
}

function watchedApproval(
  onApproval: NonNullable<RunOptions["onApproval"]>,
  watch: CallTracing,
): NonNullable<RunOptions["onApproval"]> {
  return async (approval, signal) => {
    const { call, node, tool } = approval;
    const open = watch.guard(() =>
      watch.observer.call(call, watch.now(), {
        name: `approval ${node}`,
        kind: INTERNAL,
        attributes: { "gen_ai.tool.name": tool, ...watch.content.of(() => ({ "stepgraph.input": approval.input })) },
      }),
    );
    const ask = () => onApproval(approval, signal);
    if (open === undefined) return ask();
    try {
      const decision = await open.span.within(ask);
      watch.guard(() => open.done(watch.now(), { "stepgraph.decision": wordOf(decision) }));
      return decision;
    } catch (error) {
      watch.guard(() => open.failed(watch.now(), inner.failureOf(error, "approval/failed")));
      throw error;
    }
  };
}

function wordOf(decision: Decision): string {
  return typeof decision === "string" ? decision : "edited";
}

/** What a call hands on, if it is to hand on anything. */
function traceFor(
  asked: Asked,
  span: Span,
  { options, sink }: CallTracing,
  told: (url: string, session?: string) => Attributes,
): CallTrace | undefined {
  const { propagate = sink.propagate } = options;
  const mode = typeof propagate === "function" ? propagate(asked) : propagate;
  if (mode === "none" || !isReal(span.place)) return undefined;
  return {
    ...writePlace(span.place),
    headers: mode === "all",
    onRequest: (url, session) => span.set(told(url, session)),
  };
}

/** An SDK that is not set up gives places that are none. */
function isReal({ traceId, spanId }: SpanContext): boolean {
  return /[^0]/.test(traceId) && /[^0]/.test(spanId);
}
