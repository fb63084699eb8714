/** Converts requests to calls of AI SDK's models. */
import type { ChatRequest, Message, ToolChoice } from "stepgraph";
import { restoredParts } from "./provider-data.js";
import type { CallSettings, PromptMessage, PromptPart } from "./call-types.js";
import type { AiSdkModel, ProviderOptions } from "./types.js";

export function toCall(
  { provider }: AiSdkModel,
  request: ChatRequest,
  own: ProviderOptions = {},
): Omit<CallSettings, "abortSignal"> {
  const { messages, tools = [], tool_choice, schema, max_tokens, temperature, cache_key } = request;
  const options = mergeOptions(providerDefaults(provider, schema, cache_key), own);
  return {
    prompt: toPrompt(messages, provider),
    ...(max_tokens !== null && { maxOutputTokens: max_tokens }),
    ...(temperature !== undefined && { temperature }),
    ...(schema !== null && { responseFormat: { type: "json" as const, schema, name: "answer" } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input_schema }) => ({
        type: "function" as const,
        name,
        ...(description !== undefined && { description }),
        inputSchema: input_schema,
      })),
      ...(tool_choice !== undefined && { toolChoice: toToolChoice(tool_choice) }),
    }),
    ...(Object.keys(options).length > 0 && { providerOptions: options }),
  };
}

function toToolChoice(choice: ToolChoice): NonNullable<CallSettings["toolChoice"]> {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function toPrompt(messages: readonly Message[], provider: string): PromptMessage[] {
  const breakpoints = provider.includes("anthropic") ? cacheBreakpoints(messages) : new Set<number>();
  const prompt: PromptMessage[] = [];
  for (const [at, message] of messages.entries()) {
    const marked = breakpoints.has(at) ? CACHE : undefined;
    const converted = toMessage(message, provider);
    const last = prompt.at(-1);
    // Providers expect one reply's results together.
    if (message.role === "tool" && last?.role === "tool") {
      (last.content as PromptPart[]).push(...(converted.content as PromptPart[]));
      if (marked) last.providerOptions = marked;
    } else prompt.push({ ...converted, ...(marked && { providerOptions: marked }) });
  }
  return prompt;
}

function toMessage(message: Message, provider: string): PromptMessage {
  const { role, content } = message;
  switch (role) {
    case "system":
      return { role, content };
    case "user":
      return { role, content: [{ type: "text", text: content }] };
    case "assistant":
      return { role, content: restoredParts(message, provider) ?? toParts(message) };
    case "tool":
      return { role, content: [toResult(message)] };
  }
}

function toParts({ content, tool_calls = [] }: Message): PromptPart[] {
  const text: PromptPart[] = content === "" ? [] : [{ type: "text", text: content }];
  return [...text, ...tool_calls.map(({ id, name, arguments: input }) => toCallPart(id, name, input))];
}

/** Some providers accept only objects. */
export function toCallPart(toolCallId: string, toolName: string, input: unknown): PromptPart {
  return { type: "tool-call", toolCallId, toolName, input: typeof input === "string" ? { not_json: input } : input };
}

function toResult({ content, call_id = "", tool = "", is_error }: Message): PromptPart {
  const output = { type: is_error ? ("error-text" as const) : ("text" as const), value: content };
  return { type: "tool-result", toolCallId: call_id, toolName: tool, output };
}

const CACHE: ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
/** Anthropic accepts four. */
const LAST_BREAKPOINTS = 3;

function cacheBreakpoints(messages: readonly Message[]): Set<number> {
  const marked = messages.flatMap(({ cache }, at) => (cache ? [at] : []));
  return new Set([...marked.slice(0, 1), ...marked.slice(-LAST_BREAKPOINTS)]);
}

function providerDefaults(provider: string, schema: object | null, cacheKey: string | undefined): ProviderOptions {
  if (!provider.startsWith("openai")) return {};
  const openai = {
    ...(cacheKey !== undefined && { promptCacheKey: cacheKey }),
    // OpenAI's strict mode rejects schemas that don't qualify.
    ...(schema !== null && !isStrict(schema) && { strictJsonSchema: false }),
  };
  return Object.keys(openai).length > 0 ? { openai } : {};
}

/** Each object must be closed and need all properties. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== "object" || schema === null) return true;
  const { properties, required, additionalProperties, type } = schema as Record<string, unknown>;
  const isObject = type === "object" || properties !== undefined;
  const names = Object.keys(Object(properties));
  const needed = new Set(Array.isArray(required) ? required : []);
  if (isObject && (additionalProperties !== false || !names.every((name) => needed.has(name)))) return false;
  return Object.values(schema).every(isStrict);
}

/** The host's settings win. */
function mergeOptions(defaults: ProviderOptions, own: ProviderOptions): ProviderOptions {
  const merged = { ...defaults };
  for (const [name, settings] of Object.entries(own)) merged[name] = { ...merged[name], ...settings };
  return merged;
}
