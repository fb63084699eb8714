/**
 * What a server may ask of the host, and how the host's answers go back.
 *
 * Decides nothing of when: the protocol hands over each question and sends each answer. Invariant: a server is told of
 * those capabilities only that have a callback here.
 */

/** What a server may ask a person in a form: an object whose properties are strings, numbers, booleans or choices. */
export interface FormQuestion {
  mode?: "form";
  message: string;
  /** JSON Schema of the answer. What has a `default` and is not answered gets it. */
  requestedSchema: {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
    [key: string]: unknown;
  };
}

/**
 * An address that a server wants a person to visit: to log in, to pay. Show it as it is, and open it only if the person
 * agrees.
 */
export interface UrlQuestion {
  mode: "url";
  message: string;
  url: string;
  elicitationId?: string;
}

/** What a person made of a question. `content` is what a form holds. */
export type ElicitationAnswer =
  | { action: "accept"; content?: Record<string, unknown> }
  | { action: "decline" }
  | { action: "cancel" };

/** What a server wants a model of the host to write. Its shape is the protocol's `sampling/createMessage`. */
export interface SamplingQuestion {
  messages: { role: "user" | "assistant"; content: unknown }[];
  maxTokens: number;
  systemPrompt?: string;
  [key: string]: unknown;
}

/** What the model wrote. */
export interface SamplingAnswer {
  role: "user" | "assistant";
  content: unknown;
  model: string;
  stopReason?: string;
}

/** A folder, or another place, that a server may work in. */
export interface McpRoot {
  uri: string;
  name?: string;
}

/** What the host answers when a server asks. A server is told of what is given here, and of nothing else. */
export interface McpHost {
  /** Asks a person. Without it, a call whose tool asks fails with `mcp/input-required`. */
  elicitation?: {
    form?: (question: FormQuestion, signal: AbortSignal) => ElicitationAnswer | Promise<ElicitationAnswer>;
    url?: (question: UrlQuestion, signal: AbortSignal) => ElicitationAnswer | Promise<ElicitationAnswer>;
  };
  /** Asks a model. Ask a person first: the server decides what the model is told. */
  sampling?: (question: SamplingQuestion, signal: AbortSignal) => SamplingAnswer | Promise<SamplingAnswer>;
  /** Where the server may work. */
  roots?: readonly McpRoot[] | ((signal: AbortSignal) => readonly McpRoot[] | Promise<readonly McpRoot[]>);
}

/** @internal What a server asked. */
export interface ServerRequest {
  method: string;
  params?: unknown;
}

/** @internal What of the protocol's capabilities the host has callbacks for. */
export function clientCapabilities({ elicitation, sampling, roots }: McpHost): Record<string, unknown> {
  const modes = Object.entries(elicitation ?? {}).filter(([, ask]) => ask !== undefined);
  return {
    ...(modes.length > 0 && { elicitation: Object.fromEntries(modes.map(([mode]) => [mode, {}])) }),
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** @internal The host's answer to one question. Only questions for which it has a callback get here. */
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

/** The content of a form with the defaults of what was left open. */
function applyDefaults(
  { requestedSchema }: FormQuestion,
  content: Record<string, unknown> = {},
): Record<string, unknown> {
  const open = Object.entries(requestedSchema?.properties ?? {}).filter(
    ([key, schema]) => !Object.hasOwn(content, key) && "default" in schema,
  );
  return { ...Object.fromEntries(open.map(([key, schema]) => [key, schema.default])), ...content };
}
