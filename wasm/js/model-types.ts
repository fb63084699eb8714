/** Types of language models: messages, requests and replies. */
import type { CallTrace } from "./tool-types.js";

/** A call that a model requests. `arguments` is an object, or the model's text if it wrote something else. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

/** A message of a conversation. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** Requested calls of an assistant message. */
  tool_calls?: ToolCall[];
  /** The answered call and its tool, in a tool message. */
  call_id?: string;
  tool?: string;
  /** Whether the tool failed. `content` is then the error. */
  is_error?: boolean;
  /** Opaque data to return to the provider unchanged. */
  provider?: unknown;
  /** Cache breakpoint: later requests repeat all messages up to this one. */
  cache?: boolean;
}

/** A tool as a model sees it. */
export interface ToolSpec {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
}

/** Whether a model may, must not or must request calls. */
export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** A request to a model. */
export interface ChatRequest {
  /** The model that the node names, or null for the client's default. */
  model: string | null;
  messages: Message[];
  tools?: ToolSpec[];
  tool_choice?: ToolChoice;
  /** JSON Schema of the answer. */
  schema: Record<string, unknown> | null;
  /** The longest answer, or null for the provider's limit. */
  max_tokens: number | null;
  /** From 0 up. Default: the provider's. Some models reject it. */
  temperature?: number;
  /** Shared by requests with the same prefix, for provider caches. */
  cache_key?: string;
}

/**
 * Tokens of a call. `input` includes `cached_input` (read from the provider's cache) and `cache_write_input` (written
 * to it). `output` includes `reasoning_output`.
 */
export interface Usage {
  input: number;
  output: number;
  cached_input: number;
  cache_write_input?: number;
  reasoning_output?: number;
  /** What the call cost in millionths of a US dollar, if its price is known. */
  micro_usd?: number;
}

/** The reply of a model. */
export interface ChatReply {
  text: string;
  /** Calls that the model requests. */
  tool_calls?: ToolCall[];
  /** `length`: the limit was reached. `filtered`: the provider refused. */
  finish: "stop" | "length" | "tool_calls" | "filtered" | "other";
  usage: Usage | null;
  /** See {@link Message.provider}. */
  provider?: unknown;
}

/** A part of a streamed answer. The full reply follows. */
export type ChatDelta =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; index: number; id?: string; name?: string; arguments?: string };

/** A replacement of the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of one model call. */
export interface ChatOptions {
  signal?: AbortSignal;
  /** The call's name, the same on every replay. */
  call?: string;
  /** Receives deltas of the answer. */
  onDelta?: (delta: ChatDelta) => void;
  /** The host's trace context. */
  trace?: CallTrace;
}

/** A client of a model. */
export interface ModelClient {
  readonly name: string;
  /** The provider, such as `anthropic`, for prices. */
  readonly provider?: string;
  /** Returns the reply. The `code` of a thrown error becomes the call's error code. */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatReply>;
}

/** A client, or a function that returns text or a reply. */
export type Model =
  | ModelClient
  | ((request: ChatRequest, options?: ChatOptions) => string | ChatReply | Promise<string | ChatReply>);
