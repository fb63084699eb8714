/**
 * Attributes of model and tool calls.
 *
 * Source: OpenTelemetry's semantic conventions 1.41.1 ("GenAI spans", "GenAI agent and framework spans", "Model Context
 * Protocol"), the last release that has them. Opt-in attributes need the option `content`.
 */
import type { ChatReply, ChatRequest, Message } from "stepgraph";
import { Redactor } from "../../redact.js";
import type { Attributes, TracingOptions } from "./types.js";

export class Content {
  readonly #isIncluded: boolean;
  readonly #messages: boolean;
  readonly #limit: number;
  readonly #redactor: Redactor;

  /** Knows the run's secrets. */
  constructor({ content = false, messages = content, textLimit = 8192 }: TracingOptions, redactor = new Redactor()) {
    this.#redactor = redactor;
    this.#isIncluded = content;
    this.#messages = messages;
    this.#limit = textLimit;
  }

  /** Empty unless `content` is set. */
  of(values: () => Record<string, unknown>): Attributes {
    if (!this.#isIncluded) return {};
    return Object.fromEntries(
      Object.entries(values()).map(([key, value]) => [key, value === undefined ? undefined : this.text(value)]),
    );
  }

  get isIncluded(): boolean {
    return this.#isIncluded;
  }

  /** Removes secrets. */
  text(value: unknown): string {
    const { value: plain } = this.#redactor.plain({ value }) as { value: unknown };
    return this.#clip(typeof plain === "string" ? plain : JSON.stringify(plain));
  }

  /** Needs `messages`. */
  failureMessage(message: string): string | undefined {
    return this.#messages ? this.text(message) : undefined;
  }

  #clip(text: string): string {
    return text.length > this.#limit ? `${text.slice(0, Math.max(this.#limit - 1, 0))}…` : text;
  }
}

/** `model` is the host's name. */
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

/** The conventions separate system instructions. */
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

/** The redactor finds secrets only in values. */
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

export function replyAttributes({ text, tool_calls, finish, usage }: ChatReply, content: Content): Attributes {
  const reason = FINISH_REASONS[finish] ?? "other";
  return {
    "gen_ai.response.finish_reasons": [reason],
    "gen_ai.usage.input_tokens": usage?.input,
    "gen_ai.usage.output_tokens": usage?.output,
    "gen_ai.usage.cache_read.input_tokens": usage?.cached_input || undefined,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cache_write_input || undefined,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoning_output || undefined,
    // The conventions have none for costs.
    "stepgraph.usage.usd": usage?.micro_usd === undefined ? undefined : usage.micro_usd / 1e6,
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

/** `isMcp`: the server speaks MCP. */
export function toolAttributes(tool: string, args: unknown, isMcp: boolean, content: Content): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    ...(isMcp ? { "mcp.method.name": "tools/call" } : { "gen_ai.tool.type": "function" }),
    ...content.of(() => ({ "gen_ai.tool.call.arguments": args ?? {} })),
  };
}

export function serverAttributes(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return {
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": Number(port) || (protocol === "http:" ? 80 : 443),
  };
}

/** The path shows the format, only the address the company. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/\/(chat\/completions|responses)$/, "openai"],
  [/\/messages$/, "anthropic"],
  [/:(generateContent|streamGenerateContent)$/, "gcp.gemini"],
];

export function providerOf(url: string): string | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : "";
  return PROVIDERS.find(([pattern]) => pattern.test(path))?.[1];
}
