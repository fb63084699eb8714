/**
 * The demonstration's model: a program that answers as a language model would, where there is no network and no key.
 *
 * Decides what it answers by rules: calls of tools that the words of the question ask for, answers put together from
 * what tools gave, JSON by its schema, plans by the tools there are. It understands no more than that, says so when it
 * has nothing to say, and always gives the same answer to the same question.
 */
import type { ChatDelta, ChatOptions, ChatReply, ChatRequest, Message, ModelClient, ToolCall } from "stepgraph/web";
import { stage } from "./demo-author.js";
import { plain } from "./demo-data.js";
import type { Lang } from "./demo-data.js";
import { fill } from "./demo-structured-output.js";
import { say, values } from "./demo-sentences.js";
import { changes, clauses, langOf, topic, wanted } from "./demo-intents.js";
import type { OfferedTool, RequestedCall } from "./demo-intents.js";

/** How the model is set up. */
export interface DemoModelOptions {
  /** How long things take, as a factor: 0 for at once. */
  pace?: number;
}

const THINKING_MS = 350;
const WORD_MS = 12;

/** The demonstration's model. */
export function demoModel({ pace = 1 }: DemoModelOptions = {}): ModelClient {
  return {
    name: "demo",
    chat: async (request, options = {}) => {
      await wait(THINKING_MS * pace, options.signal);
      const reply = answer(request);
      await told(reply.text, pace, options);
      return {
        ...reply,
        usage: {
          input: tokens(request.messages.map(({ content }) => content).join("")),
          output: tokens(reply.text) + 20 * (reply.tool_calls?.length ?? 0),
          cached_input: 0,
        },
      };
    },
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Gives the answer in pieces, if somebody listens. */
async function told(text: string, pace: number, { signal, onDelta }: ChatOptions): Promise<void> {
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

const text = (said: string): ChatReply => ({ text: said, finish: "stop", usage: null });

/** What is answered. */
function answer(request: ChatRequest): ChatReply {
  const staged = stage(request);
  if (staged !== null) return text(staged);
  const properties = (request.schema?.properties ?? {}) as Record<
    string,
    { items?: { properties?: Record<string, unknown> } }
  >;
  if (properties.tool_calls?.items?.properties?.tool_name !== undefined)
    return text(JSON.stringify(planned(request.messages)));
  const at = request.messages.findLastIndex(({ role }) => role === "user");
  const [question, since] = [request.messages[at]?.content ?? "", request.messages.slice(at + 1)];
  const tools = request.tool_choice === "none" ? [] : (request.tools ?? []);
  const calls = called(question, tools, since);
  if (calls.length > 0) {
    const made = calls.map((call, index): ToolCall => ({ id: `call_${request.messages.length}_${index}`, ...call }));
    return { text: "", tool_calls: made, finish: "tool_calls", usage: null };
  }
  const said = composed(question, since, request.messages.slice(0, at));
  if (!request.schema) return text(said);
  const source = [question, ...since.filter(({ role }) => role === "tool").map(({ content }) => content)].join("\n");
  return text(JSON.stringify(fill(request.schema, { text: source, lang: langOf(question), answer: said })));
}

/**
 * The next calls: what has to be known first, then what changes something, then, where it is offered, the plan of what
 * to look up.
 */
function called(question: string, tools: readonly OfferedTool[], since: readonly Message[]): RequestedCall[] {
  if (tools.length === 0) return [];
  const made = new Set(
    since
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map(({ name, arguments: given }) => JSON.stringify([name, given])),
  );
  const open = asked(question, tools).filter(({ name, arguments: given }) => !made.has(JSON.stringify([name, given])));
  const writes = new Set(tools.filter(changes).map(({ name }) => name));
  const reads = open.filter(({ name }) => !writes.has(name));
  if (reads.length > 0) return reads;
  const submit = tools.find(({ name }) => name === "SubmitPlan");
  if (submit && researches(question)) {
    const filled = fill(submit.input_schema, { text: subject(question), lang: langOf(question), answer: "" }) as Record<
      string,
      unknown
    >;
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
  const facts = given(since)
    .flatMap((value) => say(value, langOf(question)))
    .join(" ");
  return open
    .map(({ name, arguments: given }) => ({
      name,
      arguments: { ...given, ...(given.text === "" && { text: facts || topic(question) }) },
    }))
    .filter(({ name, arguments: given }) => !made.has(JSON.stringify([name, given])));
}

/** Calls that the question asks for; the help pages are asked when nothing else fits and they are there. */
function asked(question: string, tools: readonly OfferedTool[]): RequestedCall[] {
  const calls = wanted(question, tools);
  const docs = tools.find(({ name }) => name.endsWith("search_docs"));
  if (calls.length > 0 || docs === undefined || tools.some(({ name }) => name === "SubmitPlan")) return calls;
  return [{ name: docs.name, arguments: { query: topic(plain(question)) } }];
}

function researches(question: string): boolean {
  return /compare|research|find out|look up|investigate|compar|investig|averigu|busca informacion|consult/.test(
    plain(question),
  );
}

/** What a question is about, without the words that ask for it. */
function subject(question: string): string {
  return question.replace(
    /^.*?(?:research|find out|look up|investigate|compare|investiga|averigua|compara|consulta)\s*:?\s*/iu,
    "",
  );
}

/** What a model that plans calls answers. */
function planned(messages: readonly Message[]): unknown {
  const tools = (messages[0]?.content ?? "")
    .split("\n")
    .filter((line) => line.startsWith('{"') && line.includes('"input_schema"'))
    .map((line) => JSON.parse(line) as OfferedTool);
  const question = (messages.find(({ role }) => role === "user")?.content ?? "").split("\n\n`")[0]!;
  const es = langOf(question) === "es";
  const calls = wanted(question, tools);
  const why = (name: string) => (es ? `la petición pide lo que da ${name}` : `the request asks for what ${name} gives`);
  return {
    plan:
      calls.length > 0
        ? calls.map(({ name }) => name).join(", ")
        : es
          ? "no hace falta ninguna herramienta"
          : "no tool is needed",
    tool_calls: calls.map(({ name, arguments: parameters }) => ({ tool_name: name, parameters, reasoning: why(name) })),
    reasoning: es ? "por las palabras de la petición" : "by the words of the request",
    response_strategy: es ? "decir en dos frases lo que se ha averiguado" : "say in two sentences what was found out",
  };
}

/** What tools have given since. */
function given(since: readonly Message[]): unknown[] {
  return since.filter(({ role, is_error }) => role === "tool" && !is_error).map(({ content }) => parsed(content));
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}

/** An answer from what is there: what tools gave, the data in the question, or what was said before. */
function composed(question: string, since: readonly Message[], before: readonly Message[]): string {
  const lang = langOf(question);
  const es = lang === "es";
  const wrong = since
    .filter(({ role, is_error }) => role === "tool" && is_error)
    .map(({ tool, content }) => (es ? `${tool} no ha funcionado: ${content}` : `${tool} did not work: ${content}`));
  const facts = [...given(since).flatMap((value) => say(value, lang)), ...wrong];
  const { found, rest } = values(question);
  if (facts.length === 0) facts.push(...found.flatMap((value) => say(value, lang)));
  const system = before.find(({ role }) => role === "system")?.content ?? "";
  if (facts.length === 0) return plainly(rest, system, before, lang);
  return [opened(system + rest, lang), ...new Set(facts), closed(system + rest, facts.join(" "), lang)]
    .filter(Boolean)
    .join(" ");
}

/** How a letter begins, when one is asked for. */
function opened(asked: string, lang: Lang): string {
  const low = plain(asked);
  if (/apolog|sorry|disculp/.test(low))
    return lang === "es" ? "Sentimos las molestias." : "We are sorry for the trouble.";
  if (/friendly|amable|cordial/.test(low))
    return lang === "es" ? "Gracias por escribirnos." : "Thank you for writing to us.";
  return "";
}

/** What is added, when the question wants advice. */
function closed(asked: string, facts: string, lang: Lang): string {
  if (!/wear|coat|pack|ropa|abrigo|ponerme|me pongo|maleta/.test(plain(asked))) return "";
  const coldest = Math.min(...[...facts.matchAll(/(-?\d+) °C/g)].map(([, degrees]) => Number(degrees)));
  if (!Number.isFinite(coldest)) return "";
  const [cold, mild] = [coldest < 8, coldest < 18];
  if (lang === "es")
    return cold ? "Lleve un abrigo de verdad." : mild ? "Una chaqueta basta." : "No hace falta abrigo.";
  return cold ? "Take a proper coat." : mild ? "A jacket will do." : "No coat is needed.";
}

/**
 * An answer to a question without data: a text is summed up, another draft says more, and else it is said what this is.
 */
function plainly(rest: string, system: string, before: readonly Message[], lang: Lang): string {
  const es = lang === "es";
  const body = rest.includes(":") ? rest.slice(rest.indexOf(":") + 1).trim() : "";
  const low = plain(system + rest);
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
    ? `(Demostración) Aquí respondería un modelo de lenguaje a: «${rest.trim().slice(0, 160)}»`
    : `(Demonstration) A language model would answer here: "${rest.trim().slice(0, 160)}"`;
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
