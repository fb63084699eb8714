/** Language models over HTTP. WebAssembly implements the formats, this module the waiting. */
import type * as wasm from "../pkg/stepgraph_wire.js";
import { unlessAborted } from "./abort.js";
import { engineError, release } from "./engine.js";
import { CallError } from "./errors.js";
import { isInPage, pause, send } from "./http.js";
import type { HttpRequest } from "./http.js";
import { assertOptions, CHAT, type Kinds } from "./options.js";
import { SECRETS, secretTexts } from "./secrets.js";
import type { ChatDelta, ChatOptions, ChatReply, ChatRequest, Fetch, ModelClient } from "./types.js";
import { loadWire, PROVIDERS, REST } from "./wire.js";

/** Options of a model client. */
export interface ModelOptions {
  /** The address before the format's path, often with `/v1`. Default: the provider's. */
  baseUrl?: string | undefined;
  /** Never part of a message. */
  apiKey?: string | undefined;
  /** For requests that name none. Servers of one model accept any name. */
  model?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Sent with every request. In pages, CORS may forbid them. */
  headers?: Record<string, string> | undefined;
  /** Limit of an attempt in milliseconds. Default: 600 000, because models think long. */
  timeoutMs?: number | undefined;
}

/** Settings for providers of many models. */
export type NamedModelOptions = ModelOptions & { model: string };

/**
 * Creates a client for OpenAI's chat format: OpenAI, Ollama, llama.cpp, vLLM, OpenRouter and more.
 *
 * Streams if `onDelta` is set. Temporary errors (rate limit, overload, lost connection) get up to three attempts,
 * unless a delta was reported. Throws {@link CallError} without the key.
 *
 * @example
 * const local = openai({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3" });
 * const { text, usage } = await local.chat({ model: null, messages: [{ role: "user", content: "hi" }], schema: null,
 * max_tokens: 50 });
 */
export function openai(options: ModelOptions): ModelClient {
  return httpModel("openai", "openai", "https://api.openai.com/v1", options);
}

/** Creates a client for OpenAI's Responses format, without stored responses. See {@link openai}. */
export function openaiResponses(options: NamedModelOptions): ModelClient {
  return httpModel("openaiResponses", "openai-responses", "https://api.openai.com/v1", options);
}

/**
 * Creates a client for Anthropic's Messages format. In pages it sends the required header, and anyone can read the key.
 * See {@link openai}.
 */
export function anthropic(options: NamedModelOptions): ModelClient {
  return httpModel("anthropic", "anthropic", "https://api.anthropic.com/v1", options);
}

/** Creates a client for Gemini's format. See {@link openai}. */
export function gemini(options: NamedModelOptions): ModelClient {
  return httpModel("gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", options);
}

const TIMEOUT_MS = 600_000;

const OPTIONS: Kinds<ModelOptions> = {
  baseUrl: "text",
  apiKey: "text",
  model: "text",
  fetch: "function",
  headers: "{}text",
  timeoutMs: "ms",
};

function httpModel(of: string, format: string, origin: string, options: ModelOptions): ModelClient {
  assertOptions(of, options, OPTIONS);
  return new HttpModel(format, origin, options);
}

type Failed = { type: "failed"; code: string; message: string };
type Outcome = { type: "done"; value: ChatReply } | Failed;

class HttpModel implements ModelClient {
  readonly name: string;
  readonly provider: string;
  readonly #format: string;
  readonly #origin: string;
  readonly #options: ModelOptions;
  /** See `mcp.ts`. */
  declare readonly [SECRETS]: () => string[];

  constructor(format: string, origin: string, options: ModelOptions) {
    this.name = options.model ?? "default";
    this.provider = format === "openai-responses" ? "openai" : format;
    this.#format = format;
    this.#origin = origin;
    this.#options = options;
    Object.assign(this, { [SECRETS]: () => secretTexts(options.apiKey, options.headers) });
  }

  async chat(request: ChatRequest, options: ChatOptions = {}): Promise<ChatReply> {
    assertOptions("chat", options, CHAT);
    const { signal, onDelta, trace } = options;
    const wire = await unlessAborted(loadWire(this.#format === "openai" ? [] : [PROVIDERS]), signal);
    const { baseUrl = this.#origin, apiKey = null, headers = {} } = this.#options;
    const reached = {
      format: this.#format,
      base_url: baseUrl,
      model: this.name,
      key: apiKey,
      headers: Object.entries(headers),
      in_page: isInPage(),
    };
    const call = new wire.ModelCall(JSON.stringify(reached), JSON.stringify(request), onDelta !== undefined);
    try {
      for (let attempt = 1; ; attempt++) {
        signal?.throwIfAborted();
        const outcome = await this.#send(call, { signal, onDelta, trace });
        if (outcome.type === "done") return outcome.value;
        const delay = call.retry_after(attempt, Date.now());
        if (delay === undefined) throw new CallError(outcome.code, outcome.message);
        // Jitter spreads the retries.
        await pause(delay * (1 + Math.random() / 4), signal);
      }
    } catch (error) {
      throw engineError(error);
    } finally {
      release(call);
    }
  }

  async #send(
    call: wasm.ModelCall,
    { signal, onDelta, trace }: Pick<ChatOptions, "signal" | "onDelta" | "trace">,
  ): Promise<Outcome> {
    let outcome = "";
    // Not the server's error.
    let thrown: { error: unknown } | undefined;
    const reportDeltas = () => {
      const deltas = onDelta && call.deltas();
      try {
        if (deltas) for (const delta of JSON.parse(deltas) as ChatDelta[]) onDelta(delta);
      } catch (error) {
        thrown = { error };
      }
    };
    const listener = {
      head: (status: number, headers: string) => call.head(status, headers),
      chunk: (bytes: Uint8Array) => {
        const over = call.chunk(bytes);
        reportDeltas();
        return over || thrown !== undefined;
      },
      end: () => void (outcome = call.end()),
      failed: (timeout: boolean, message: string) => void (outcome = call.failed(timeout, message)),
    };
    const request = JSON.parse(call.request()) as HttpRequest | Failed;
    if ("code" in request) return request;
    const { fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    await send(request, listener, { fetch, timeoutMs, signal, trace, beforeRefusal: () => loadWire([REST]) });
    if (thrown) throw thrown.error;
    return JSON.parse(outcome) as Outcome;
  }
}
