/**
 * Adapts Chrome's language model, which writes tool calls as JSON, to `ModelClient`. Source: the Prompt API explainer
 * of the Web Machine Learning group.
 */
import { CallError } from "./errors.js";
import { assertOptions, CHAT } from "./options.js";
import type { ChatOptions, ChatReply, ChatRequest, Message, ModelClient, ToolSpec } from "./types.js";

/** Settings of Chrome's model. */
export interface ChromeModelOptions {
  /** BCP 47 tags of the answers. Default: English. */
  languages?: string[];
  /** Receives the downloaded fraction. Downloads need a click on the page. */
  onDownload?: (part: number) => void;
}

interface Prompt {
  role: "system" | "user" | "assistant";
  content: string;
}
interface PromptOptions {
  signal?: AbortSignal;
  responseConstraint?: unknown;
}
interface Session {
  prompt(input: Prompt[], options: PromptOptions): Promise<string>;
  promptStreaming(input: Prompt[], options: PromptOptions): ReadableStream<string>;
  destroy(): void;
}
interface LanguageModel {
  availability(options: object): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  create(options: object): Promise<Session>;
}

/**
 * Chrome's language model, which runs on the user's machine, in windows but not in workers.
 *
 * It counts no tokens and ignores `max_tokens`. Throws {@link CallError}: `model/unreachable` if the browser has no
 * model, `model/context-length` if the conversation is too long.
 */
export function chromeModel(options: ChromeModelOptions = {}): ModelClient {
  assertOptions("chromeModel", options, { languages: "[]text", onDownload: "function" });
  return { name: "chrome", chat: (request, chat = {}) => sendPrompt(options, request, chat) };
}

async function sendPrompt(
  { languages = ["en"], onDownload }: ChromeModelOptions,
  request: ChatRequest,
  chat: ChatOptions,
): Promise<ChatReply> {
  assertOptions("chat", chat, CHAT);
  const { signal, onDelta } = chat;
  const expected = { expectedOutputs: [{ type: "text", languages }] };
  const calls = request.tools?.length && request.tool_choice !== "none" ? request.tools : [];
  const prompts = toPrompts(request.messages, calls);
  const constraint = calls.length > 0 ? replySchema(request, calls) : request.schema;
  let session: Session | undefined;
  try {
    signal?.throwIfAborted();
    const model = await availableModel(expected);
    const monitor = onDownload && {
      monitor: (target: EventTarget) =>
        target.addEventListener("downloadprogress", (event) => onDownload((event as ProgressEvent).loaded)),
    };
    session = await model.create({
      ...expected,
      ...monitor,
      ...(signal && { signal }),
      initialPrompts: prompts.slice(0, -1),
    });
    const options = { ...(signal && { signal }), ...(constraint && { responseConstraint: constraint }) };
    const last = prompts.slice(-1);
    // Deltas would be raw JSON while tools are offered.
    const text =
      onDelta && calls.length === 0
        ? await readStream(session.promptStreaming(last, options), onDelta)
        : await session.prompt(last, options);
    return calls.length > 0 ? parseReply(text, request) : { text, finish: "stop", usage: null };
  } catch (error) {
    signal?.throwIfAborted();
    throw toError(error);
  } finally {
    session?.destroy();
  }
}

async function availableModel(expected: object): Promise<LanguageModel> {
  const model = (globalThis as { LanguageModel?: LanguageModel }).LanguageModel;
  if (model === undefined) throw new CallError("model/unreachable", "this browser brings no language model along");
  if ((await model.availability(expected)) === "unavailable")
    throw new CallError("model/unreachable", "the browser's language model is not available on this device");
  return model;
}

async function readStream(
  stream: ReadableStream<string>,
  onDelta: NonNullable<ChatOptions["onDelta"]>,
): Promise<string> {
  const reader = stream.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    onDelta({ type: "text", text: value });
  }
}

/** Tool results become user messages. */
function toPrompts(messages: Message[], tools: ToolSpec[]): Prompt[] {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  if (tools.length > 0) system.push(toolInstructions(tools));
  const prompts = messages.filter(({ role }) => role !== "system").map(toPrompt);
  return [...(system.length > 0 ? [{ role: "system" as const, content: system.join("\n\n") }] : []), ...prompts];
}

function toPrompt({ role, content, tool_calls, tool, is_error }: Message): Prompt {
  if (role === "tool")
    return {
      role: "user",
      content: `${is_error ? "The call failed" : "The result"} of \`${tool ?? ""}\`:\n${content}`,
    };
  if (!tool_calls?.length) return { role: role === "assistant" ? "assistant" : "user", content };
  return {
    role: "assistant",
    content: JSON.stringify({
      tool_calls: tool_calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    }),
  };
}

function toolInstructions(tools: ToolSpec[]): string {
  const lines = tools.map(
    ({ name, description, input_schema }) =>
      `- ${name}: ${description ?? ""} Arguments: ${JSON.stringify(input_schema)}`,
  );
  return (
    `You can have these tools called:\n${lines.join("\n")}\n` +
    'Answer with {"tool_calls": [{"name": ..., "arguments": ...}]} to have some called; you will be told the results. ' +
    'Answer with {"answer": ...} when you need no further call.'
  );
}

function replySchema({ schema, tool_choice }: ChatRequest, tools: ToolSpec[]): object {
  const chosen = typeof tool_choice === "object" ? tools.filter(({ name }) => name === tool_choice.name) : tools;
  const call = ({ name, input_schema }: ToolSpec) => objectSchema({ name: { const: name }, arguments: input_schema });
  const called = objectSchema({ tool_calls: { type: "array", minItems: 1, items: { anyOf: chosen.map(call) } } });
  if (tool_choice === "required" || typeof tool_choice === "object") return called;
  return { anyOf: [called, objectSchema({ answer: schema ?? { type: "string" } })] };
}

function objectSchema(properties: Record<string, object>): object {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** Other text is the answer itself. */
function parseReply(text: string, { messages }: ChatRequest): ChatReply {
  const done = (parsed: string): ChatReply => ({ text: parsed, finish: "stop", usage: null });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return done(text);
  }
  const { tool_calls, answer } = (value ?? {}) as { tool_calls?: unknown; answer?: unknown };
  if (Array.isArray(tool_calls)) {
    const calls = tool_calls.map(({ name, arguments: given }: { name?: unknown; arguments?: unknown }, at) => ({
      id: `call_${messages.length}_${at}`,
      name: String(name),
      arguments: given ?? {},
    }));
    return { text: "", tool_calls: calls, finish: "tool_calls", usage: null };
  }
  return done(typeof answer === "string" ? answer : answer === undefined ? text : JSON.stringify(answer));
}

const CODES: Record<string, string> = {
  QuotaExceededError: "model/context-length",
  NotSupportedError: "model/refused",
  NotAllowedError: "model/refused",
};

function toError(error: unknown): unknown {
  if (error instanceof CallError || !(error instanceof Error || error instanceof DOMException)) return error;
  return new CallError(CODES[error.name] ?? "model/failed", `the browser's language model failed: ${error.message}`, {
    cause: error,
  });
}
