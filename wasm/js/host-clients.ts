/** Lists the tools of a run's clients, and calls tools and models. */
import { CallError } from "./errors.js";
import { indexTools, type ToolRegistry } from "./host.js";
import { jsonFlaw } from "./json-values.js";
import { normalizeTool, withoutTwins } from "./normalize-tools.js";
import { SKIP, Timers } from "./timers.js";
import type {
  CallOptions,
  ChatOptions,
  ChatReply,
  ChatRequest,
  Model,
  RunOptions,
  Snapshot,
  ToolClient,
  ToolInfo,
  ToolResult,
} from "./types.js";
import { shortHash } from "./value-hash.js";

export async function listTools(
  clients: readonly ToolClient[],
  options: RunOptions,
  mostMs?: number,
): Promise<ToolRegistry> {
  const { signal, clock } = options;
  // No run waits yet, so the clock of tests stands still.
  const timers = new Timers(clock && SKIP in clock ? undefined : clock);
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    const failWithTimeout = () => reject(new CallError("run/timeout", `the run took longer than ${mostMs} ms`));
    if (mostMs !== undefined) timers.set(0, mostMs, failWithTimeout);
  });
  try {
    const lists = Promise.all(clients.map((client) => client.list(signal)));
    return toolRegistry(clients, await Promise.race([lists, stopped]));
  } finally {
    signal?.removeEventListener("abort", stop);
    timers.clearAll();
  }
}

export function toolRegistry(clients: readonly ToolClient[], lists: readonly (readonly ToolInfo[])[]): ToolRegistry {
  const all = clients.flatMap((client, i) =>
    // A client cannot list tools for another server.
    withoutTwins((lists[i] ?? []).map((tool) => ({ ...normalizeTool(tool), server: client.name }))).map((tool) => ({
      client,
      tool,
    })),
  );
  const list = all.map(({ tool }) => tool);
  const servers = clients.map(({ name }) => name);
  return { list, clients: all.map(({ client }) => client), servers, indexes: indexTools(list, servers) };
}

/** Requires approval for tools with changed annotations, whose risk the user has not seen. */
export function withoutChangedTools(tools: ToolRegistry, snapshot: Snapshot | undefined): ToolRegistry {
  const changed = new Set<number>();
  for (const { tool, says } of Object.values(snapshot?.asked ?? {})) {
    const place = tool === undefined ? undefined : tools.indexes.get(tool);
    if (place !== undefined && shortHash(tools.list[place]!.annotations) !== says) changed.add(place);
  }
  if (changed.size === 0) return tools;
  const withDestructiveHint = (tool: ToolInfo) => ({
    ...Object(tool.annotations),
    readOnlyHint: false,
    destructiveHint: true,
  });
  const list = tools.list.map((tool, place) =>
    changed.has(place) ? { ...tool, annotations: withDestructiveHint(tool) } : tool,
  );
  return { ...tools, list };
}

export async function callTool(
  tools: ToolRegistry,
  name: string,
  args: unknown,
  options: CallOptions,
): Promise<unknown> {
  const place = tools.indexes.get(name);
  if (place === undefined) throw new CallError("tool/unknown", `no server offers a tool \`${name}\``);
  return callClient(tools.clients[place]!, tools.list[place]!.name, args, options);
}

/** By the name in the client's list. */
export async function callClient(
  client: ToolClient,
  name: string,
  args: unknown,
  options: CallOptions,
): Promise<unknown> {
  const input = args === null || args === undefined ? {} : args;
  if (typeof input !== "object" || Array.isArray(input)) {
    throw new CallError(
      "tool/invalid-arguments",
      `tool \`${name}\` expects a map of arguments, not ${Array.isArray(input) ? "a list" : typeof input}`,
    );
  }
  const given: unknown = await client.call(name, input as Record<string, unknown>, options);
  const result = (typeof given === "object" && given !== null ? given : {}) as Partial<ToolResult>;
  if (!("value" in result) && !result.isError)
    throw new CallError("tool/bad-reply", `the client of tool \`${name}\` returned no \`{value, isError}\``);
  if (result.isError) throw new CallError("tool/failed", result.message ?? `tool \`${name}\` failed`);
  const reason = jsonFlaw(result.value);
  if (reason !== null)
    throw new CallError("tool/invalid-result", `the result of tool \`${name}\` can't be written as JSON: ${reason}`);
  return result.value;
}

export async function callModel(
  models: Record<string, Model>,
  request: ChatRequest,
  options: ChatOptions,
): Promise<ChatReply> {
  const named = request.model !== null && Object.hasOwn(models, request.model) ? models[request.model] : undefined;
  const model = named ?? models.default;
  if (model === undefined)
    throw new CallError("model/unknown", `the run has no model \`${request.model ?? "default"}\``);
  const ownRequest = named ? { ...request, model: null } : request;
  const reply = await (typeof model === "function" ? model(ownRequest, options) : model.chat(ownRequest, options));
  return typeof reply === "string" ? { text: reply, finish: "stop", usage: null } : reply;
}
