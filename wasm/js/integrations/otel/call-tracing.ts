/**
 * Wraps a run's options: each call gets a span and carries the trace context. Tracing changes no answer and prevents no
 * call.
 */
import {
  type CallOptions,
  type CallTrace,
  type ChatOptions,
  type ChatReply,
  type ChatRequest,
  type Decision,
  type Handler,
  internals,
  type McpClient,
  type Model,
  type Node,
  priceModels,
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
import { type SpanContext, formatTraceContext } from "./span-context.js";
import { withSecretsOf } from "../../secrets.js";
import { CLIENT, INTERNAL, type SpanBackend, type Span } from "./span.js";
import type { CallTarget, Attributes, TracingOptions, TraceContext } from "./types.js";

export interface CallTracing {
  observer: RunObserver;
  backend: SpanBackend;
  content: Content;
  options: TracingOptions;
  now(): number;
  /** Undefined if `call` throws, after a report. */
  guard<T>(call: () => T): T | undefined;
  placed(node: Node, context: TraceContext): void;
}

export function withTracing(given: RunOptions, tracing: CallTracing): RunOptions {
  const tools = internals.toolClients(given.tools);
  const { prices, handlers, byId, onApproval } = given;
  // Spans show costs. The run keeps these prices.
  const models = given.models && prices ? priceModels(given.models, prices) : given.models;
  const each = <V>(group: Record<string, V>, wrap: (value: V, name: string) => V) =>
    Object.fromEntries(Object.entries(group).map(([name, value]) => [name, wrap(value, name)]));
  return {
    ...given,
    ...(tools && { tools: tools.map((client) => tracedTools(client, tracing)) }),
    ...(models && { models: each(models, (model, name) => tracedModel(model, name, tracing)) }),
    ...(handlers && { handlers: each(handlers, (handler) => tracedHandler(handler, tracing)) }),
    ...(byId && { byId: each(byId, (handler) => tracedHandler(handler, tracing)) }),
    ...(onApproval && { onApproval: tracedApproval(onApproval, tracing) }),
  };
}

function tracedHandler(handler: Handler, tracing: CallTracing): Handler {
  return (node, state) => {
    const span = tracing.guard(() => {
      const { span } = tracing.observer.parentOf(node.call, tracing.now());
      tracing.placed(node, formatTraceContext(span.context));
      return span;
    });
    return span === undefined ? handler(node, state) : span.within(() => handler(node, state));
  };
}

function tracedTools(client: ToolClient, tracing: CallTracing): ToolClient {
  return {
    ...withSecretsOf(client),
    get name() {
      return client.name;
    },
    list: (signal) => traceList(client, signal, tracing),
    call: (name, args, options) => traceCall(client, name, args, options, tracing),
    close: () => client.close(),
  };
}

function isMcpClient(client: ToolClient): boolean {
  return typeof (client as Partial<McpClient>).about === "function";
}

async function traceList(
  client: ToolClient,
  signal: AbortSignal | undefined,
  tracing: CallTracing,
): Promise<ToolInfo[]> {
  const isMcp = isMcpClient(client);
  const span = tracing.guard(() => {
    const startMs = tracing.now();
    return tracing.backend.start({
      name: "tools/list",
      kind: isMcp ? CLIENT : INTERNAL,
      startMs,
      parent: tracing.observer.run(startMs),
      attributes: { "mcp.method.name": isMcp ? "tools/list" : undefined, "stepgraph.server": client.name },
    });
  });
  if (span === undefined) return client.list(signal);
  try {
    const tools = await span.within(() => client.list(signal));
    tracing.guard(() => span.set({ "stepgraph.tools": tools.length, ...versionOf(client) }));
    return tools;
  } catch (error) {
    tracing.guard(() => tracing.observer.fail(span, internals.toFailure(error, "tool/unreachable"), tracing.now()));
    throw error;
  } finally {
    tracing.guard(() => span.end(tracing.now()));
  }
}

async function traceCall(
  client: ToolClient,
  name: string,
  args: Record<string, unknown>,
  options: CallOptions = {},
  tracing: CallTracing,
): Promise<ToolResult> {
  const { call } = options;
  const isMcp = isMcpClient(client);
  const open =
    call === undefined
      ? undefined
      : tracing.guard(() =>
          tracing.observer.call(call, tracing.now(), {
            name: isMcp ? `tools/call ${name}` : `execute_tool ${name}`,
            kind: isMcp ? CLIENT : INTERNAL,
            attributes: { ...toolAttributes(name, args, isMcp, tracing.content), "stepgraph.server": client.name },
          }),
        );
  if (open === undefined) return client.call(name, args, options);
  const trace = tracing.guard(() =>
    traceFor({ kind: "tool", name: client.name }, open.span, tracing, (url, session) => ({
      ...serverAttributes(url),
      "network.protocol.name": "http",
      "network.transport": "tcp",
      "mcp.session.id": session,
    })),
  );
  try {
    const result = await open.span.within(() => client.call(name, args, trace ? { ...options, trace } : options));
    tracing.guard(() => recordAnswer(open, client, result, tracing));
    return result;
  } catch (error) {
    tracing.guard(() => open.failed(tracing.now(), internals.toFailure(error, "tool/failed"), versionOf(client)));
    throw error;
  }
}

function recordAnswer(
  open: OpenCall,
  client: ToolClient,
  { isError, message, value }: ToolResult,
  tracing: CallTracing,
): void {
  const version = versionOf(client);
  // The conventions' code for failures of the tool itself.
  if (isError) open.failed(tracing.now(), { code: "tool_error", message: message ?? "the tool failed" }, version);
  else open.done(tracing.now(), { ...version, ...tracing.content.of(() => ({ "gen_ai.tool.call.result": value })) });
}

function versionOf(client: ToolClient): Attributes {
  return { "mcp.protocol.version": (client as Partial<McpClient>).about?.().version ?? undefined };
}

function tracedModel(model: Model, name: string, tracing: CallTracing): Model {
  if (typeof model === "function")
    return (request, options) =>
      traceChat(async (options) => model(request, options), { name }, request, options, tracing);
  return {
    // If prices were missing, a limit in US dollars would refuse the run.
    ...model,
    ...withSecretsOf(model),
    chat: (request, options) =>
      traceChat(
        (options) => model.chat(request, options),
        { name, ownName: model.name },
        request,
        options,
        tracing,
      ) as Promise<ChatReply>,
  };
}

/** `name` is the plan's, `ownName` the model's. */
async function traceChat(
  chat: (options?: ChatOptions) => Promise<string | ChatReply>,
  { name, ownName }: { name: string; ownName?: string | undefined },
  request: ChatRequest,
  options: ChatOptions = {},
  tracing: CallTracing,
): Promise<string | ChatReply> {
  const { call, onDelta } = options;
  const startMs = tracing.now();
  const of = request.model ?? ownName ?? (name === "default" ? undefined : name);
  const open =
    call === undefined
      ? undefined
      : tracing.guard(() =>
          tracing.observer.call(call, startMs, {
            name: of === undefined ? "chat" : `chat ${of}`,
            kind: CLIENT,
            attributes: {
              ...chatAttributes(request, of, tracing.content),
              "gen_ai.request.stream": onDelta ? true : undefined,
            },
          }),
        );
  if (open === undefined) return chat(options);
  let requests = 0;
  const trace = tracing.guard(() =>
    traceFor({ kind: "model", name }, open.span, tracing, (url) => ({
      ...serverAttributes(url),
      "gen_ai.provider.name": providerOf(url),
      "stepgraph.requests": ++requests > 1 ? requests : undefined,
    })),
  );
  const tracedDelta: ChatOptions["onDelta"] =
    onDelta &&
    ((delta) => {
      tracing.guard(() => (firstAt ??= tracing.now()));
      onDelta(delta);
    });
  let firstAt: number | undefined;
  try {
    const reply = await open.span.within(() =>
      chat({ ...options, ...(trace && { trace }), ...(tracedDelta && { onDelta: tracedDelta }) }),
    );
    tracing.guard(() =>
      open.done(tracing.now(), {
        ...replyAttributes(
          typeof reply === "string" ? { text: reply, finish: "stop", usage: null } : reply,
          tracing.content,
        ),
        "gen_ai.response.time_to_first_chunk": firstAt === undefined ? undefined : (firstAt - startMs) / 1000,
      }),
    );
    return reply;
  } catch (error) {
    tracing.guard(() => open.failed(tracing.now(), internals.toFailure(error, "model/failed")));
    throw error;
  }
}

function tracedApproval(
  onApproval: NonNullable<RunOptions["onApproval"]>,
  tracing: CallTracing,
): NonNullable<RunOptions["onApproval"]> {
  return async (approval, signal) => {
    const { call, node, tool } = approval;
    const open = tracing.guard(() =>
      tracing.observer.call(call, tracing.now(), {
        name: `approval ${node}`,
        kind: INTERNAL,
        attributes: { "gen_ai.tool.name": tool, ...tracing.content.of(() => ({ "stepgraph.input": approval.input })) },
      }),
    );
    const requestDecision = () => onApproval(approval, signal);
    if (open === undefined) return requestDecision();
    try {
      const decision = await open.span.within(requestDecision);
      tracing.guard(() => open.done(tracing.now(), { "stepgraph.decision": decisionName(decision) }));
      return decision;
    } catch (error) {
      tracing.guard(() => open.failed(tracing.now(), internals.toFailure(error, "approval/failed")));
      throw error;
    }
  };
}

function decisionName(decision: Decision): string {
  return typeof decision === "string" ? decision : "edited";
}

/** Undefined without a context. */
function traceFor(
  target: CallTarget,
  span: Span,
  { options, backend }: CallTracing,
  requestAttributes: (url: string, session?: string) => Attributes,
): CallTrace | undefined {
  const { propagate = backend.propagate } = options;
  const mode = typeof propagate === "function" ? propagate(target) : propagate;
  if (mode === "none" || !isValidContext(span.context)) return undefined;
  return {
    ...formatTraceContext(span.context),
    headers: mode === "all",
    onRequest: (url, session) => span.set(requestAttributes(url, session)),
  };
}

/** An SDK without setup returns zero ids. */
function isValidContext({ traceId, spanId }: SpanContext): boolean {
  return /[^0]/.test(traceId) && /[^0]/.test(spanId);
}
