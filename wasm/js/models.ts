/** Language models over HTTP. The wire formats live in WebAssembly; here is what waits for the network. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";
import { CallError } from "./errors.js";
import { pause, send } from "./http.js";
import type { HttpRequest } from "./http.js";
import type { ChatReply, ChatRequest, Fetch, ModelClient } from "./types.js";

/** Where models are when nobody says otherwise. */
const OPENAI = "https://api.openai.com/v1";

/** Where a model is and how it is reached. */
export interface OpenaiOptions {
  /** The address before `/chat/completions`; most often it ends in `/v1`. OpenAI's own unless given. */
  baseUrl?: string;
  /** Sent as a bearer token. */
  apiKey?: string;
  /** The provider's name of the model, unless a request names another. Servers of a single model take any name. */
  model?: string;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /** Sent with every request. Pages of the web may be refused for headers that the provider does not expect. */
  headers?: Record<string, string>;
  /** How long one try may take; a minute unless given. */
  timeoutMs?: number;
}

/**
 * A model behind OpenAI's chat format: OpenAI itself, Ollama, llama.cpp, vLLM, OpenRouter and many more.
 *
 * What is likely to pass (too many requests, an overloaded server, a lost connection) is tried up to three times.
 * Failures are thrown as {@link CallError}.
 */
export function openai(options: OpenaiOptions): ModelClient {
  return new OpenaiClient(options);
}

/** How much of an answer is taken. */
const LIMIT_BYTES = 16 * 1024 * 1024;

type Outcome = { type: "done"; value: ChatReply } | { type: "failed"; code: string; message: string };

/** What came of one try. */
interface Try { outcome: Outcome; status: number; headers: string; timeout: boolean }

class OpenaiClient implements ModelClient {
  readonly name: string;
  readonly #options: OpenaiOptions;
  /** Made at the first use: the module need not be ready before. */
  #format: wasm.OpenaiChat | undefined;

  constructor(options: OpenaiOptions) {
    this.#options = options;
    this.name = options.model ?? "default";
  }

  async chat(request: ChatRequest, { signal }: { signal?: AbortSignal } = {}): Promise<ChatReply> {
    assertStarted();
    const { baseUrl = OPENAI, model = "default", apiKey = null, headers = {} } = this.#options;
    const options = { base_url: baseUrl, model, key: apiKey, headers: Object.entries(headers) };
    const format = (this.#format ??= new wasm.OpenaiChat(JSON.stringify(options)));
    const http = JSON.parse(format.request(JSON.stringify(request))) as HttpRequest;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const { outcome, status, headers, timeout } = await this.#once(format, http, signal);
      if (outcome.type === "done") return outcome.value;
      // The time of a try is what the caller was ready to wait: another one would make it a multiple.
      const delay = timeout ? undefined : wasm.retry_after(status, headers, attempt, Date.now());
      if (delay === undefined) throw new CallError(outcome.code, outcome.message);
      // Never sooner than asked for, and not all clients at the same moment.
      await pause(delay * (1 + Math.random() / 4), signal);
    }
  }

  async #once(format: wasm.OpenaiChat, request: HttpRequest, signal: AbortSignal | undefined): Promise<Try> {
    const result: Try = { outcome: { type: "failed", code: "", message: "" }, status: 0, headers: "[]", timeout: false };
    const parts: Uint8Array[] = [];
    let size = 0;
    const listener = {
      head: (status: number, headers: string) => void Object.assign(result, { status, headers }),
      chunk: (bytes: Uint8Array) => {
        parts.push(bytes);
        return (size += bytes.length) > LIMIT_BYTES;
      },
      end: () => {
        const json = size > LIMIT_BYTES ? format.too_large(LIMIT_BYTES) : format.reply(result.status, joined(parts, size));
        result.outcome = JSON.parse(json) as Outcome;
      },
      failed: (timeout: boolean, message: string) => {
        const outcome = JSON.parse(format.failed(timeout, message)) as Outcome;
        Object.assign(result, { outcome, timeout, status: 0 });
      },
    };
    await send(request, listener, { ...this.#options, signal });
    return result;
  }
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
