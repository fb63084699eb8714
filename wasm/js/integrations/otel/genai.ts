/**
 * Calls of models and tools in the words of OpenTelemetry's conventions.
 *
 * Decides which attributes a call has. Source: semantic conventions 1.41.1, "GenAI spans", "GenAI agent and framework
 * spans" and "Model Context Protocol": the last release that has them. What is said there to be opt-in stands here
 * under `content`.
 */
import type { ChatReply, ChatRequest, Message } from "stepgraph";
import { Redactor } from "../../redact.js";
import type { Attributes, TracingOptions } from "./types.js";

/** How values are told, if at all. */
export class Content {
  readonly #isIncluded: boolean;
  readonly #messages: boolean;
  readonly #limit: number;
  readonly #redactor: Redactor;

  /** `redactor` knows the secrets of the run that is told. */
  constructor({ content = false, messages = content, textLimit = 8192 }: TracingOptions, redactor = new Redactor()) {
    this.#redactor = redactor;
    this.#isIncluded = content;
    this.#messages = messages;
    this.#limit = textLimit;
  }

  /** Attributes with values, or none. */
  of(values: () => Record<string, unknown>): Attributes {
    if (!this.#isIncluded) return {};
    return Object.fromEntries(
      Object.entries(values()).map(([key, value]) => [key, value === undefined ? undefined : this.text(value)]),
    );
  }

  get isIncluded(): boolean {
    return this.#isIncluded;
  }

  /** A value as text without secrets. */
  text(value: unknown): string {
    const { value: plain } = this.#redactor.plain({ value }) as { value: unknown };
    return this.#clip(typeof plain === "string" ? plain : JSON.stringify(plain));
  }

  /** As much of a failure's words as may be told. */
  failureMessage(message: string): string | undefined {
    return this.#messages ? this.text(message) : undefined;
  }

  #clip(text: string): string {
    return text.length > this.#limit ? `${text.slice(0, Math.max(this.#limit - 1, 0))}…` : text;
  }
}

/** What is asked of a model; `model` is what the host calls it. */
export function chatAttributes(
  { messages, tools, schema, max_tokens, temperature }: ChatRequest,
  model: string | undefined,
  content: Content,
): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": model,
    "gen_ai.request.max_tokens": max_tokens ?? undefined,
    "gen_ai.request.temperature": temperature,
    "gen_ai.output.type": schema ? "json" : undefined,
    ...content.of(() => ({
      ...messagesOf(messages),
      "gen_ai.tool.definitions": tools?.length
        ? tools.map(({ name, description, input_schema }) => ({
            type: "function",
            name,
            description,
            parameters: input_schema,
          }))
        : undefined,
    })),
  };
}

/** Messages in the conventions' shape: what rules the model apart from what was said. */
export function messagesOf(messages: readonly Message[]): Record<string, unknown> {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => ({ type: "text", content }));
  return {
    "gen_ai.system_instructions": system.length > 0 ? system : undefined,
    "gen_ai.input.messages": messages
      .filter(({ role }) => role !== "system")
      .map((message) => ({ role: message.role, parts: partsOf(message) })),
  };
}

function partsOf({
  role,
  content,
  tool_calls = [],
  call_id,
}: Pick<Message, "role" | "content" | "tool_calls" | "call_id">): unknown[] {
  if (role === "tool") return [{ type: "tool_call_response", id: call_id ?? null, response: parseJson(content) }];
  const text = content === "" ? [] : [{ type: "text", content }];
  return [
    ...text,
    ...tool_calls.map(({ id, name, arguments: given }) => ({ type: "tool_call", id, name, arguments: given })),
  ];
}

/** What a tool gave is told to models as text; as a value its secrets can be found. */
function parseJson(text: string): unknown {
  try {
    return /^[{[]/.test(text) ? (JSON.parse(text) as unknown) : text;
  } catch {
    return text;
  }
}

const FINISH_REASONS: Record<ChatReply["finish"], string> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  filtered: "content_filter",
  other: "other",
};

/** What came of it. */
export function replyAttributes({ text, tool_calls, finish, usage }: ChatReply, content: Content): Attributes {
  const reason = FINISH_REASONS[finish] ?? "other";
  return {
    "gen_ai.response.finish_reasons": [reason],
    "gen_ai.usage.input_tokens": usage?.input,
    "gen_ai.usage.output_tokens": usage?.output,
    "gen_ai.usage.cache_read.input_tokens": usage?.cached_input || undefined,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cache_write_input || undefined,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoning_output || undefined,
    ...content.of(() => ({
      "gen_ai.output.messages": [
        {
          role: "assistant",
          parts: partsOf({ role: "assistant", content: text, ...(tool_calls && { tool_calls }) }),
          finish_reason: reason === "tool_calls" ? "tool_call" : reason,
        },
      ],
    })),
  };
}

/** A call of a tool; `isMcp` says whether a server of tools is asked. */
export function toolAttributes(tool: string, args: unknown, isMcp: boolean, content: Content): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    ...(isMcp ? { "mcp.method.name": "tools/call" } : { "gen_ai.tool.type": "function" }),
    ...content.of(() => ({ "gen_ai.tool.call.arguments": args ?? {} })),
  };
}

/** Where a request goes. */
export function serverAttributes(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return {
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": Number(port) || (protocol === "http:" ? 80 : 443),
  };
}

/**
 * By the way they are asked, providers' formats are told from each other; who stands behind it only the address knows.
 */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/\/(chat\/completions|responses)$/, "openai"],
  [/\/messages$/, "anthropic"],
  [/:(generateContent|streamGenerateContent)$/, "gcp.gemini"],
];

/** The provider whose format is spoken. */
export function providerOf(url: string): string | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : "";
  return PROVIDERS.find(([pattern]) => pattern.test(path))?.[1];
}
