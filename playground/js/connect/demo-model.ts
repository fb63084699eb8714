/**
 * A rule-based program that answers like a language model, offline and reproducibly.
 *
 * Unlike a recording, it lets visitors without a key run their own plans. With the demo server it costs 23 kB,
 * gzipped, after the first interaction.
 */
import type { ChatDelta, ChatOptions, ChatReply, ChatRequest, Message, ModelClient, ToolCall } from "stepgraph/web";
import { stageAnswer } from "./demo-author.js";
import { normalize } from "../../../wasm/js/request-review/normalize.js";
import type { Lang } from "./demo-data.js";
import { fillSchema } from "./demo-structured-output.js";
import { describe, extractJson } from "./demo-sentences.js";
import { isMutating, topic, requestedCalls } from "./demo-intents.js";
import { detectLanguage } from "../../../wasm/js/request-review/language.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";
import type { OfferedTool, RequestedCall } from "./demo-intents.js";

export interface DemoModelOptions {
  /** A factor for delays. 0: none. */
  pace?: number;
}

const THINKING_MS = 350;
const WORD_MS = 12;

export function demoModel({ pace = 1 }: DemoModelOptions = {}): ModelClient {
  return {
    name: "demo",
    chat: async (request, options = {}) => {
      await wait(THINKING_MS * pace, options.signal);
      const reply = answer(request);
      await streamText(reply.text, pace, options);
      return {
        ...reply,
        usage: {
          input: estimateTokens(request.messages.map(({ content }) => content).join("")),
          output: estimateTokens(reply.text) + 20 * (reply.tool_calls?.length ?? 0),
          cached_input: 0,
        },
      };
    },
  };
}

function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

async function streamText(text: string, pace: number, { signal, onDelta }: ChatOptions): Promise<void> {
  if (!onDelta || text === "") return;
  for (const piece of text.match(/\S+\s*/g) ?? []) {
    await wait(WORD_MS * pace, signal);
    onDelta({ type: "text", text: piece } satisfies ChatDelta);
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => (clearTimeout(timer), reject(signal?.reason as Error));
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

const text = (content: string): ChatReply => ({ text: content, finish: "stop", usage: null });

function answer(request: ChatRequest): ChatReply {
  const staged = stageAnswer(request);
  if (staged !== null) return text(staged);
  const properties = (request.schema?.properties ?? {}) as Record<
    string,
    { items?: { properties?: Record<string, unknown> } }
  >;
  if (properties.tool_calls?.items?.properties?.tool_name !== undefined)
    return text(JSON.stringify(planCalls(request.messages)));
  const at = request.messages.findLastIndex(({ role }) => role === "user");
  const [question, since] = [request.messages[at]?.content ?? "", request.messages.slice(at + 1)];
  const tools = request.tool_choice === "none" ? [] : (request.tools ?? []);
  const calls = nextCalls(question, tools, since);
  if (calls.length > 0) {
    const toolCalls = calls.map(
      (call, index): ToolCall => ({ id: `call_${request.messages.length}_${index}`, ...call }),
    );
    return { text: "", tool_calls: toolCalls, finish: "tool_calls", usage: null };
  }
  const reply = composeAnswer(question, since, request.messages.slice(0, at));
  if (!request.schema) return text(reply);
  const source = [question, ...since.filter(({ role }) => role === "tool").map(({ content }) => content)].join("\n");
  return text(
    JSON.stringify(fillSchema(request.schema, { text: source, lang: detectLanguage(question), answer: reply })),
  );
}

/** Reads come before writes, the research plan last. */
function nextCalls(question: string, tools: readonly OfferedTool[], since: readonly Message[]): RequestedCall[] {
  if (tools.length === 0) return [];
  const done = new Set(
    since
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map(({ name, arguments: args }) => JSON.stringify([name, args])),
  );
  const open = callsAskedFor(question, tools).filter(
    ({ name, arguments: args }) => !done.has(JSON.stringify([name, args])),
  );
  const writes = new Set(tools.filter(isMutating).map(({ name }) => name));
  const reads = open.filter(({ name }) => !writes.has(name));
  if (reads.length > 0) return reads;
  const submit = tools.find(({ name }) => name === "SubmitPlan");
  if (submit && asksForResearch(question)) {
    const filled = fillSchema(submit.input_schema, {
      text: subject(question),
      lang: detectLanguage(question),
      answer: "",
    }) as Record<string, unknown>;
    return [
      {
        name: "SubmitPlan",
        arguments: {
          ...filled,
          ...("rationale" in filled && { rationale: "each part of the question is looked up by itself" }),
        },
      },
    ];
  }
  const facts = toolResults(since)
    .flatMap((value) => describe(value, detectLanguage(question)))
    .join(" ");
  return open
    .map(({ name, arguments: args }) => ({
      name,
      arguments: { ...args, ...(args.text === "" && { text: facts || topic(question) }) },
    }))
    .filter(({ name, arguments: args }) => !done.has(JSON.stringify([name, args])));
}

/** Falls back to a help search. */
function callsAskedFor(question: string, tools: readonly OfferedTool[]): RequestedCall[] {
  const calls = requestedCalls(question, tools);
  const docs = tools.find(({ name }) => name.endsWith("search_docs"));
  if (calls.length > 0 || docs === undefined || tools.some(({ name }) => name === "SubmitPlan")) return calls;
  return [{ name: docs.name, arguments: { query: topic(normalize(question)) } }];
}

function asksForResearch(question: string): boolean {
  return /compare|research|find out|look up|investigate|compar|investig|averigu|busca informacion|consult/.test(
    normalize(question),
  );
}

function subject(question: string): string {
  return question.replace(
    /^.*?(?:research|find out|look up|investigate|compare|investiga|averigua|compara|consulta)\s*:?\s*/iu,
    "",
  );
}

function planCalls(messages: readonly Message[]): unknown {
  const tools = (messages[0]?.content ?? "")
    .split("\n")
    .filter((line) => line.startsWith('{"') && line.includes('"input_schema"'))
    .map((line) => JSON.parse(line) as OfferedTool);
  const question = (messages.find(({ role }) => role === "user")?.content ?? "").split("\n\n`")[0]!;
  const es = detectLanguage(question) === "es";
  const calls = requestedCalls(question, tools);
  const reasonText = (name: string) =>
    es ? `la petición pide lo que da ${name}` : `the request asks for what ${name} gives`;
  return {
    plan:
      calls.length > 0
        ? calls.map(({ name }) => name).join(", ")
        : es
          ? "no hace falta ninguna herramienta"
          : "no tool is needed",
    tool_calls: calls.map(({ name, arguments: parameters }) => ({
      tool_name: name,
      parameters,
      reasoning: reasonText(name),
    })),
    reasoning: es ? "por las palabras de la petición" : "by the words of the request",
    response_strategy: es ? "decir en dos frases lo que se ha averiguado" : "say in two sentences what was found out",
  };
}

function toolResults(since: readonly Message[]): unknown[] {
  return since.filter(({ role, is_error }) => role === "tool" && !is_error).map(({ content }) => parseJson(content));
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}

/** Uses tool results, else the question's data, else earlier messages. */
function composeAnswer(question: string, since: readonly Message[], before: readonly Message[]): string {
  const lang = detectLanguage(question);
  const es = lang === "es";
  const errors = since
    .filter(({ role, is_error }) => role === "tool" && is_error)
    .map(({ tool, content }) => (es ? `${tool} no ha funcionado: ${content}` : `${tool} did not work: ${content}`));
  const facts = [...toolResults(since).flatMap((value) => describe(value, lang)), ...errors];
  const { found, rest } = extractJson(question);
  if (facts.length === 0) facts.push(...found.flatMap((value) => describe(value, lang)));
  const system = before.find(({ role }) => role === "system")?.content ?? "";
  if (facts.length === 0) return plainAnswer(rest, system, before, lang);
  return [greeting(system + rest, lang), ...new Set(facts), advice(system + rest, facts.join(" "), lang)]
    .filter(Boolean)
    .join(" ");
}

function greeting(prompt: string, lang: Lang): string {
  const low = normalize(prompt);
  if (/apolog|sorry|disculp/.test(low))
    return lang === "es" ? "Sentimos las molestias." : "We are sorry for the trouble.";
  if (/friendly|amable|cordial/.test(low))
    return lang === "es" ? "Gracias por escribirnos." : "Thank you for writing to us.";
  return "";
}

function advice(prompt: string, facts: string, lang: Lang): string {
  if (!/wear|coat|pack|ropa|abrigo|ponerme|me pongo|maleta/.test(normalize(prompt))) return "";
  const coldest = Math.min(...[...facts.matchAll(/(-?\d+) °C/g)].map(([, degrees]) => Number(degrees)));
  if (!Number.isFinite(coldest)) return "";
  const [cold, mild] = [coldest < 8, coldest < 18];
  if (lang === "es")
    return cold ? "Lleve un abrigo de verdad." : mild ? "Una chaqueta basta." : "No hace falta abrigo.";
  return cold ? "Take a proper coat." : mild ? "A jacket will do." : "No coat is needed.";
}

/** Summarizes, improves a draft, or explains the demo. */
function plainAnswer(rest: string, system: string, before: readonly Message[], lang: Lang): string {
  const es = lang === "es";
  const body = rest.includes(":") ? rest.slice(rest.indexOf(":") + 1).trim() : "";
  const low = normalize(system + rest);
  const earlier = before.filter(({ role }) => role === "user").map(({ content }) => content);
  if (/describ|advert|anuncio|draft|borrador|slogan|lema/.test(low))
    return draft(body || topic(rest), !/none yet|todavia ninguno/.test(low), lang);
  if (/remember|did i|earlier|again|recuerd|antes|dije/.test(low) && earlier.length > 0)
    return es ? `Antes dijo: «${earlier.at(-1)}»` : `Before that you said: "${earlier.at(-1)}"`;
  if (body.length > 0)
    return clauses(body)
      .slice(0, 2)
      .map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`)
      .join(" ");
  return es
    ? `(Demo) Aquí respondería un modelo de lenguaje a: «${rest.trim().slice(0, 160)}»`
    : `(Demo) A language model would answer here: "${rest.trim().slice(0, 160)}"`;
}

function draft(about: string, again: boolean, lang: Lang): string {
  const what = (clauses(about)[0] ?? about).slice(0, 60);
  const short = lang === "es" ? `${what}: para quien se toma su tiempo.` : `${what}: for those who take their time.`;
  if (!again) return short;
  return lang === "es"
    ? `${short} Se enjuaga con agua, dura toda la vida y cuesta menos de lo que parece. ` +
        "El regalo para la tarde de un domingo de lluvia, y para todas las que vengan después; desde 34 €."
    : `${short} It is rinsed with plain water, lasts a lifetime, and costs less than it looks. ` +
        "A gift for a rainy Sunday afternoon, and for all those that come after it; from 34 euros.";
}
