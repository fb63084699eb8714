/** The shapes of language models: messages, what is asked, and what is answered. */
import type { CallTrace } from "./tool-types.js";

/**
 * A call that a model asks for. `arguments` is an object, or, when the model wrote something else, the text that it
 * wrote.
 */
export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

/** One message of a conversation. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** What the model wants to have called; only of an assistant. */
  tool_calls?: ToolCall[];
  /** Which call this answers, and the tool of that call; only of a tool. */
  call_id?: string;
  tool?: string;
  /** Whether the tool failed; `content` then says how. */
  is_error?: boolean;
  /** What the provider wants to get back with this message, unread and unchanged. */
  provider?: unknown;
  /** Everything up to and with this message will be sent again as it is, so that it is worth caching. */
  cache?: boolean;
}

/** A tool that a model may ask to have called. */
export interface ToolSpec {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
}

/** Whether a model may, must or must not ask for calls. */
export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** What a node asks of a model. */
export interface ChatRequest {
  /** The model that the node names; null for the client's own. */
  model: string | null;
  messages: Message[];
  /** What it may ask to have called. */
  tools?: ToolSpec[];
  tool_choice?: ToolChoice;
  /** JSON Schema that the answer must be JSON of. */
  schema: Record<string, unknown> | null;
  /** The longest answer; null for the provider's own limit. */
  max_tokens: number | null;
  /** How freely the model may choose its words, from 0 on; without, as the provider has it. Some models refuse any. */
  temperature?: number;
  /** What requests that begin alike have in common: some providers find what they have cached by it. */
  cache_key?: string;
}

/**
 * How many tokens a call took. `cached_input` (read from the provider's cache) and `cache_write_input` (put there at a
 * price of its own) are parts of `input`, `reasoning_output` is a part of `output`.
 */
export interface Usage {
  input: number;
  output: number;
  cached_input: number;
  cache_write_input?: number;
  reasoning_output?: number;
}

/** What a model answered. */
export interface ChatReply {
  text: string;
  /** What it wants to have called before it goes on. */
  tool_calls?: ToolCall[];
  /** Why it ended: `length` is the longest answer reached, `filtered` the provider's refusal. */
  finish: "stop" | "length" | "tool_calls" | "filtered" | "other";
  usage: Usage | null;
  /** See {@link Message.provider}. */
  provider?: unknown;
}

/** A piece of an answer, as it comes. The whole answer follows all the same. */
export type ChatDelta =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; index: number; id?: string; name?: string; arguments?: string };

/** A `fetch` to be used instead of the global one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a model may use while it answers. */
export interface ChatOptions {
  signal?: AbortSignal;
  /** The name of the call, the same on every replay. */
  call?: string;
  /** Is told of every piece of the answer as it comes, if somebody listens. */
  onDelta?: (delta: ChatDelta) => void;
  /** Where the call stands in a trace of the host's. */
  trace?: CallTrace;
}

/** A language model. A function is one, too. */
export interface ModelClient {
  readonly name: string;
  /** Answers. What it throws with a `code` is told by that code. */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatReply>;
}

/** A client, or a function that answers with text or a whole reply. */
export type Model =
  | ModelClient
  | ((request: ChatRequest, options?: ChatOptions) => string | ChatReply | Promise<string | ChatReply>);
