/** Types of language models. */
import type { CallTrace } from "./tool-types.js";

/** A requested call. `arguments` is text if the model wrote no object. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

/** A message of a conversation. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  /** In an assistant message. */
  tool_calls?: ToolCall[];
  /** In a tool message. */
  call_id?: string;
  tool?: string;
  /** The error is in `content`. */
  is_error?: boolean;
  /** Opaque data for the provider. */
  provider?: unknown;
  /** Later requests repeat the messages so far. */
  cache?: boolean;
}

/** A tool as a model sees it. */
export interface ToolSpec {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
}

/** Whether a model may or must request calls. */
export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** A request to a model. */
export interface ChatRequest {
  /** Null for the client's default. */
  model: string | null;
  messages: Message[];
  tools?: ToolSpec[];
  tool_choice?: ToolChoice;
  /** JSON Schema of the answer. */
  schema: Record<string, unknown> | null;
  /** Null for the provider's limit. */
  max_tokens: number | null;
  /** At least 0. Some models reject it. */
  temperature?: number;
  /** Shared by requests with a common prefix. */
  cache_key?: string;
}

/** Tokens of a call. `input` includes those read from and written to the cache, `output` includes reasoning. */
export interface Usage {
  input: number;
  output: number;
  cached_input: number;
  cache_write_input?: number;
  reasoning_output?: number;
  /** Cost in millionths of a US dollar, if known. */
  micro_usd?: number;
}

/** The reply of a model. */
export interface ChatReply {
  text: string;
  tool_calls?: ToolCall[];
  /** `length`: too long. `filtered`: refused. */
  finish: "stop" | "length" | "tool_calls" | "filtered" | "other";
  usage: Usage | null;
  /** See {@link Message.provider}. */
  provider?: unknown;
}

/** A part of a streamed answer. */
export type ChatDelta =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call"; index: number; id?: string; name?: string; arguments?: string };

/** A replacement of the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of a model call. */
export interface ChatOptions {
  signal?: AbortSignal;
  /** The call's name, the same on every replay. */
  call?: string;
  onDelta?: (delta: ChatDelta) => void;
  trace?: CallTrace;
}

/** A client of a model. */
export interface ModelClient {
  readonly name: string;
  /** For prices, such as `anthropic`. */
  readonly provider?: string;
  /** The `code` of an error becomes the call's. */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatReply>;
}

/** A client, or a function that returns text or a reply. */
export type Model =
  | ModelClient
  | ((request: ChatRequest, options?: ChatOptions) => string | ChatReply | Promise<string | ChatReply>);
