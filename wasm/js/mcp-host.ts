/** Requests of a server to the host. */

/** A form of strings, numbers, booleans and choices. */
export interface FormQuestion {
  mode?: "form";
  message: string;
  /** Schema of the answer. Missing properties get their `default`. */
  requestedSchema: {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
    [key: string]: unknown;
  };
}

/** An address to visit. Show it verbatim and ask before opening it. */
export interface UrlQuestion {
  mode: "url";
  message: string;
  url: string;
  elicitationId?: string;
}

/** `content` holds the form's values. */
export type ElicitationAnswer =
  | { action: "accept"; content?: Record<string, unknown> }
  | { action: "decline" }
  | { action: "cancel" };

/** In the shape of MCP's `sampling/createMessage`. */
export interface SamplingQuestion {
  messages: { role: "user" | "assistant"; content: unknown }[];
  maxTokens: number;
  systemPrompt?: string;
  [key: string]: unknown;
}

/** An answer to a sampling request. */
export interface SamplingAnswer {
  role: "user" | "assistant";
  content: unknown;
  model: string;
  stopReason?: string;
}

/** A location for the server to work in. */
export interface McpRoot {
  uri: string;
  name?: string;
}

/** Callbacks for a server's requests. Only these are advertised. */
export interface McpHost {
  /** If absent, tools that ask fail with `mcp/input-required`. */
  elicitation?: {
    form?: (question: FormQuestion, signal: AbortSignal) => ElicitationAnswer | Promise<ElicitationAnswer>;
    url?: (question: UrlQuestion, signal: AbortSignal) => ElicitationAnswer | Promise<ElicitationAnswer>;
  };
  /** Ask the user first: the server writes the prompt. */
  sampling?: (question: SamplingQuestion, signal: AbortSignal) => SamplingAnswer | Promise<SamplingAnswer>;
  roots?: readonly McpRoot[] | ((signal: AbortSignal) => readonly McpRoot[] | Promise<readonly McpRoot[]>);
}

/** @internal */
export interface ServerRequest {
  method: string;
  params?: unknown;
}

/** @internal */
export function clientCapabilities({ elicitation, sampling, roots }: McpHost): Record<string, unknown> {
  const modes = Object.entries(elicitation ?? {}).filter(([, ask]) => ask !== undefined);
  return {
    ...(modes.length > 0 && { elicitation: Object.fromEntries(modes.map(([mode]) => [mode, {}])) }),
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** @internal Only requests with a callback get here. */
export async function answerRequest(
  host: McpHost,
  { method, params }: ServerRequest,
  signal: AbortSignal,
): Promise<unknown> {
  if (method === "roots/list")
    return { roots: typeof host.roots === "function" ? await host.roots(signal) : host.roots };
  if (method === "sampling/createMessage") return host.sampling!(params as SamplingQuestion, signal);
  const question = params as FormQuestion | UrlQuestion;
  if (question.mode === "url") return host.elicitation!.url!(question, signal);
  const answer = await host.elicitation!.form!(question, signal);
  return answer.action === "accept" ? { ...answer, content: applyDefaults(question, answer.content) } : answer;
}

function applyDefaults(
  { requestedSchema }: FormQuestion,
  content: Record<string, unknown> = {},
): Record<string, unknown> {
  const open = Object.entries(requestedSchema?.properties ?? {}).filter(
    ([key, schema]) => !Object.hasOwn(content, key) && "default" in schema,
  );
  return { ...Object.fromEntries(open.map(([key, schema]) => [key, schema.default])), ...content };
}
