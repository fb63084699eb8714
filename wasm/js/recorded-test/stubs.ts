/** Makes stubs of a cassette's answers, in the order of calls. */
import type { CallLine, Cassette, EventLine } from "../cassette.js";
import type { PlanGraph } from "../graph.js";
import { isMap } from "../guards.js";
import { review } from "../review.js";
import { sortedText } from "../value-hash.js";
import type { Stubs, ToolInfo } from "../types.js";

type Group = keyof Stubs;
type Stub = Record<string, unknown>;

/** Later tests are longer and more exact. */
export interface Exactness {
  /** Declares schemas and annotations. */
  declares: boolean;
  /** A stub without annotations asks when a model calls it, like a client's tool, but also when a node names it. */
  asks: boolean;
  /** Stubs of nodes instead of types, so that branches don't mix answers. */
  byNode: boolean;
  /** Factor of recorded delays. Zero: none. */
  delays: number;
}

/** `tookMs` is null without an answer. */
interface RecordedCall {
  group: Group;
  name: string;
  stub: Stub;
  tookMs: number | null;
}

/** Longer than the call waited, so that it gets no answer again. */
const LATER_MS = 1000;

/** Needed but uncalled names answer null. */
export function recordedStubs(graph: PlanGraph, cassette: Cassette, exactness: Exactness): Stubs {
  const stubs: Record<string, Record<string, unknown>> = {};
  const calls = recordedCalls(graph, cassette, exactness);
  for (const { group, name } of [...calls, ...neededNames(graph, cassette)]) {
    const named = (stubs[group] ??= {});
    if (Object.hasOwn(named, name)) continue;
    const own = calls.filter((call) => call.group === group && call.name === name);
    const declared = group === "tools" ? declarationOf(cassette, name, exactness) : {};
    named[name] = { ...declared, ...behaviour(own.map((call) => timed(call, exactness))) };
  }
  return stubs as Stubs;
}

function timed({ stub, tookMs }: RecordedCall, { delays }: Exactness): Stub {
  const delay = tookMs === null ? null : Math.round(tookMs * delays);
  return delay === null || delay === 0 ? stub : { ...stub, delay_ms: delay };
}

/** A sequence repeats its last answer. */
function behaviour(stubs: readonly Stub[]): Stub {
  const texts = stubs.map(sortedText);
  let end = stubs.length;
  while (end > 1 && texts[end - 1] === texts[end - 2]) end--;
  if (end <= 1) return stubs[0] ?? { return: null };
  return { sequence: stubs.slice(0, end) };
}

function recordedCalls(graph: PlanGraph, { head, lines }: Cassette, { byNode }: Exactness): RecordedCall[] {
  const calls: RecordedCall[] = [];
  const names = stubNames(graph, { head });
  let now = 0;
  for (const [at, line] of lines.entries()) {
    if (line.type !== "asked") now = line.atMs;
    else if (line.kind !== "approval") {
      const answer = answerOf(line, lines.slice(at + 1) as EventLine[]);
      const stub =
        answer === undefined ? { return: null, delay_ms: unansweredMs(line, lines, now) } : stubOf(answer, line, names);
      const tookMs = answer === undefined ? null : answer.atMs - now;
      const { group, name } = placeOf(graph, head.host, line, byNode);
      calls.push({ group, name: group === "tools" ? (names.get(name) ?? name) : name, stub, tookMs });
    }
  }
  return calls;
}

type Answer = Extract<EventLine, { call: string }>;

function answerOf({ call }: CallLine, after: readonly EventLine[]): Answer | undefined {
  return after.find(
    (line): line is Answer => "call" in line && (line.type as string) !== "asked" && line.call === call,
  );
}

/** Until the time limit or the end. */
function unansweredMs({ call }: CallLine, lines: Cassette["lines"], since: number): number {
  const fired = lines.find((line) => line.type === "fired" && call.startsWith(line.timer.replace(/^timeout:/, "")));
  const until = fired ?? lines.at(-1)!;
  return Math.max(0, Math.round(("atMs" in until ? until.atMs : since) - since)) + LATER_MS;
}

/** Omits its time and what no plan reads. */
export function essence(line: Answer, asked: CallLine | undefined, names: StubNames): unknown {
  const { type } = line;
  return type === "decided" ? line.decision : stubOf(line, asked, names);
}

/** Tools that the plan names with their server, by their recorded names. */
export type StubNames = ReadonlyMap<string, string>;

/** A stub has no server, so its name contains it. */
export function stubNames(graph: PlanGraph, { head }: Pick<Cassette, "head">): StubNames {
  const { tools } = Object(head.host) as { tools?: ToolInfo[] | null };
  const planned = new Set(review(graph).tools.map(({ name }) => name));
  const qualified = (tools ?? []).flatMap(({ name, server }): [string, string][] =>
    server !== undefined && planned.has(`${server}.${name}`) && !planned.has(name) ? [[name, `${server}.${name}`]] : [],
  );
  return new Map(qualified);
}

function stubOf(answer: Answer, asked: CallLine | undefined, names: StubNames): Stub {
  switch (answer.type) {
    case "failed":
      return { fail: answer.message, code: answer.code };
    case "replied":
      return asked !== undefined && answersWithJson(asked)
        ? parsedReply(answer.reply)
        : { return: plainReply(answer.reply, names) };
    case "done":
      return { return: answer.output, ...(Object.keys(answer.writes ?? {}).length > 0 && { writes: answer.writes }) };
    default:
      return { return: null };
  }
}

/** An `llm` node's stub holds the JSON value, an agent's the reply. */
function answersWithJson({ call, request }: CallLine): boolean {
  return /:\d+:\d+$/.test(call) && (Object(request).schema ?? null) !== null;
}

/** The engine parses real replies, but not stubs. */
function parsedReply(reply: unknown): Stub {
  try {
    return { return: JSON.parse(String(Object(reply).text)) as unknown };
  } catch {
    return { fail: "the model was asked for JSON and answered something else", code: "model/bad-reply" };
  }
}

/** Drops what no plan reads. */
function plainReply(reply: unknown, names: StubNames): unknown {
  if (!isMap(reply)) return reply;
  const { text, tool_calls: calls } = reply as { text?: unknown; tool_calls?: unknown };
  const isText = typeof text === "string" && (calls === undefined || (Array.isArray(calls) && calls.length === 0));
  if (isText) return text;
  const renamed = Array.isArray(calls) ? calls.map((call) => renamedCall(call, names)) : calls;
  return { ...(text !== undefined && text !== "" && { text }), tool_calls: renamed };
}

/** Models know tools by names without dots. */
function renamedCall(call: unknown, names: StubNames): unknown {
  const { name } = Object(call) as { name?: unknown };
  const stub = typeof name === "string" ? names.get(name) : undefined;
  return stub === undefined ? call : { ...(call as object), name: stub.replace(/[^\w-]/g, "_") };
}

function placeOf(graph: PlanGraph, host: unknown, line: CallLine, byNode: boolean): { group: Group; name: string } {
  if (line.kind === "tool") return { group: "tools", name: line.tool! };
  if (line.kind === "model") {
    const { model } = Object(line.request) as { model?: unknown };
    return { group: "models", name: typeof model === "string" ? model : "default" };
  }
  const id = nodeOf(graph, line.call);
  const types = new Set(graph.nodes.filter((node) => node.id === id).map(({ type }) => type));
  const { ids = [] } = Object(host) as { ids?: unknown };
  const isById = Array.isArray(ids) && ids.includes(id);
  return types.size === 1 && !isById && !byNode
    ? { group: "types", name: [...types][0]! }
    : { group: "nodes", name: id };
}

/** An id may contain the separators. */
function nodeOf({ nodes }: PlanGraph, call: string): string {
  const attempt = call.replace(/:\d+:\d+$/, "");
  const found = nodes.filter(({ id }) => attempt === id || attempt.endsWith(`/${id}`));
  return found.reduce((longest, { id }) => (id.length > longest.length ? id : longest), "");
}

/** A plan needs a stub for each tool, model and type. */
function neededNames(graph: PlanGraph, { head }: Cassette): { group: Group; name: string }[] {
  const { tools, models, handlers } = review(graph);
  const { tools: listed } = Object(head.host) as { tools?: ToolInfo[] | null };
  const isTool = (type: string) => (listed ?? []).some(({ name }) => name === type);
  return [
    ...tools.filter(({ name }) => name !== "*").map(({ name }) => ({ group: "tools" as const, name })),
    ...models.map(({ name }) => ({ group: "models" as const, name })),
    ...handlers.map(({ type }) => ({ group: isTool(type) ? ("tools" as const) : ("types" as const), name: type })),
  ];
}

/** A tool that asked for approval must ask again. */
function declarationOf({ head, lines }: Cassette, name: string, { declares, asks }: Exactness): Stub {
  const { tools = [] } = Object(head.host) as { tools?: ToolInfo[] | null };
  const info = (tools ?? []).find((tool) => tool.name === name || `${tool.server}.${tool.name}` === name);
  if (info === undefined) return {};
  const isAsked = lines.some(
    (line) =>
      line.type === "asked" &&
      line.kind === "approval" &&
      [name, info.name].includes(String((Object(line.input) as Stub).tool)),
  );
  const { input_schema, output_schema, annotations } = info;
  return {
    ...(declares && input_schema && { input_schema }),
    ...(declares && output_schema && { output_schema }),
    ...((declares || isAsked) && annotations && { annotations }),
    ...(isAsked && asks && !annotations && { annotations: { destructiveHint: true } }),
  };
}
