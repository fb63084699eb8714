/**
 * Errors of AI SDK's models: codes and retries, by the rules of `wasm/wire/src/model/provider_error.rs` and `retry.rs`.
 *
 * Names identify errors, because an app may have several copies of `@ai-sdk/provider`.
 */
import { CallError } from "stepgraph";

interface ApiCallError {
  statusCode?: number;
  responseHeaders?: Record<string, string | undefined>;
  responseBody?: string;
}

const NAMES: Record<string, string> = {
  AI_LoadAPIKeyError: "model/unauthorized",
  AI_NoSuchModelError: "model/not-found",
  AI_NoSuchProviderError: "model/not-found",
  AI_InvalidArgumentError: "model/refused",
  AI_InvalidPromptError: "model/refused",
  AI_LoadSettingError: "model/refused",
  AI_UnsupportedFunctionalityError: "model/refused",
  AI_EmptyResponseBodyError: "model/bad-reply",
  AI_InvalidResponseDataError: "model/bad-reply",
  AI_JSONParseError: "model/bad-reply",
  AI_NoContentGeneratedError: "model/bad-reply",
  AI_TypeValidationError: "model/bad-reply",
};

/** They distinguish errors with the same status. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /context[_ ]length|exceed_context_size|context window|prompt is too long|maximum number of tokens/,
    "context-length",
  ],
  [/exceeds the available context size/, "context-length"],
  [/insufficient_quota|credit balance|billing_error|insufficient credits/, "quota"],
  [/api_key_invalid|api key not valid|invalid_api_key/, "unauthorized"],
  [/model_not_found|deploymentnotfound/, "not-found"],
];

const SLUG = /^[a-z][a-z0-9-]*\/[a-z0-9-]+$/;

/** Errors with a code such as `model/quota` keep it. */
export function toCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  const { name, message, code } = Object(error) as { name?: unknown; message?: unknown; code?: unknown };
  const text = typeof message === "string" ? message : typeof error === "string" ? error : "it gave no reason";
  if (typeof code === "string" && SLUG.test(code)) return new CallError(code, text, { cause: error });
  const found = name === "AI_APICallError" ? codeOfApiError(error as ApiCallError, text) : NAMES[String(name)];
  const isLost = error instanceof TypeError || (typeof code === "string" && /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code));
  return new CallError(found ?? (isLost ? "model/unreachable" : "model/failed"), `the model failed: ${text}`, {
    cause: error,
  });
}

function codeOfApiError({ statusCode, responseBody = "" }: ApiCallError, message: string): string {
  if (statusCode === undefined) return "model/unreachable";
  const said = `${message} ${responseBody}`.toLowerCase();
  const named = statusCode < 500 ? WORDS.find(([words]) => words.test(said))?.[1] : undefined;
  return `model/${named ?? kindOfStatus(statusCode)}`;
}

function kindOfStatus(status: number): string {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 402) return "quota";
  if (status === 404) return "not-found";
  if (status === 408 || status === 504) return "timeout";
  if (status === 413) return "context-length";
  if (status === 429) return "rate-limited";
  if (status === 503 || status === 529) return "overloaded";
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "bad-reply";
}

const MAX_RETRIES = 2;
const MAX_WAIT_MS = 60_000;

/** `attempt` counts from 1. `undefined` means no retry. */
export function retryDelay({ cause, code }: CallError, attempt: number, nowMs: number): number | undefined {
  if (attempt > MAX_RETRIES) return undefined;
  const { statusCode = 0, responseHeaders = {} } = Object(cause) as ApiCallError;
  const headers = new Map(Object.entries(responseHeaders).map(([name, value]) => [name.toLowerCase(), value]));
  const should = headers.get("x-should-retry");
  const isLost = code === "model/unreachable";
  const isTransient = statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500;
  if (should === "false" || (should !== "true" && !isLost && !isTransient)) return undefined;
  const wish = requestedDelay(headers.get("retry-after-ms"), headers.get("retry-after"), nowMs);
  const delay = wish !== undefined && wish > 0 ? wish : 500 * 2 ** (attempt - 1);
  return delay <= MAX_WAIT_MS ? delay : undefined;
}

function requestedDelay(ms: string | undefined, after: string | undefined, nowMs: number): number | undefined {
  const exact = Number(ms ?? Number.NaN);
  if (exact >= 0) return exact;
  if (after === undefined) return undefined;
  const seconds = Number(after);
  return Number.isNaN(seconds) ? Date.parse(after) - nowMs : seconds * 1000;
}
