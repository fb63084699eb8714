/** Usage of recorded runs by node, from calls and usages in cassettes. */
import { readCassette, type CallLine, type EventLine } from "../cassette.js";
import { PlanError } from "../errors.js";
import { isMap } from "../guards.js";
import type { ChatReply, Usage } from "../model-types.js";
import { costOf, type Prices } from "../prices.js";
import {
  childrenOf,
  idOf,
  type ModelNames,
  plannedModel,
  type RawGraph,
  type RawNode,
  type RawPlan,
} from "./plan-tree.js";

/** `unknown` has reasons for missing tokens or dollars. */
export interface Used {
  toolCalls: number;
  modelTurns: number;
  inputTokens: number;
  outputTokens: number;
  usd: number;
  unknown: { tokens?: string; usd?: string };
}

export const NOTHING: Used = { toolCalls: 0, modelTurns: 0, inputTokens: 0, outputTokens: 0, usd: 0, unknown: {} };

interface Priced {
  prices?: Prices | undefined;
  models?: ModelNames | undefined;
}

/** Keyed by node. */
export type RecordedUse = Map<string, Used>;

/** Throws `cost/unusable-run` unless the text is a cassette of this plan. */
export function recordedUse(plan: RawPlan, cassette: string | readonly string[], priced: Priced): RecordedUse {
  const read = readCassette(cassette);
  if (typeof read === "string") throw new PlanError("cost/unusable-run", `this is no recorded run: ${read}`);
  const found: RecordedUse = new Map();
  const open = new Map<string, { line: CallLine; path: string }>();
  for (const line of read.lines) {
    if (line.type === "asked") {
      const path = nodePath(plan, line.call);
      if (path === null) throw unknownNode(line.call);
      if (line.kind === "tool" || line.kind === "model") open.set(line.call, { line, path });
      if (line.kind === "tool") addTo(found, path, toolUse(line.tool ?? "", priced.prices));
      if (line.kind === "model") addTo(found, path, { ...NOTHING, modelTurns: 1 });
    } else if ("call" in line) {
      const asked = open.get(line.call);
      open.delete(line.call);
      if (asked?.line.kind === "model") addTo(found, asked.path, replyUse(asked.line, line, priced));
    }
  }
  // The provider counts abandoned calls, too.
  for (const { line, path } of open.values())
    if (line.kind === "model") addTo(found, path, withoutUsage("a model call has no recorded answer"));
  return found;
}

function unknownNode(call: string): PlanError {
  return new PlanError("cost/unusable-run", `the run calls \`${call}\`, and the plan has no such node: it has changed`);
}

function addTo(found: RecordedUse, path: string, more: Used): void {
  found.set(path, sum(found.get(path) ?? NOTHING, more));
}

export function sum(a: Used, b: Used): Used {
  return {
    toolCalls: a.toolCalls + b.toolCalls,
    modelTurns: a.modelTurns + b.modelTurns,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    usd: a.usd + b.usd,
    unknown: { ...b.unknown, ...a.unknown },
  };
}

function toolUse(tool: string, prices: Prices | undefined): Used {
  const price = Object.hasOwn(prices?.tools ?? {}, tool) ? prices!.tools![tool]! : 0;
  return { ...NOTHING, toolCalls: 1, usd: price };
}

function withoutUsage(reason: string): Used {
  return { ...NOTHING, unknown: { tokens: reason, usd: reason } };
}

function replyUse(asked: CallLine, line: EventLine, priced: Priced): Used {
  if (line.type !== "replied")
    return withoutUsage(line.type === "done" ? "a stub answered for a model" : "a model call failed");
  const usage = usageOf(line.reply);
  if (usage === null) return withoutUsage("a reply has no usage");
  const used = { ...NOTHING, inputTokens: usage.input, outputTokens: usage.output };
  if (usage.micro_usd !== undefined) return { ...used, usd: usage.micro_usd / 1e6 };
  const { model = null } = (asked.request ?? {}) as { model?: string | null };
  const { price, label } = plannedModel(model, priced.models, priced.prices);
  if (price === null) return { ...used, unknown: { usd: `there is no price for the model \`${label}\`` } };
  return { ...used, usd: costOf(usage, price) / 1e6 };
}

/** Hand-written cassettes may have wrong counts. */
function usageOf(reply: unknown): Usage | null {
  const { usage } = (reply ?? {}) as Partial<ChatReply>;
  if (!isMap(usage)) return null;
  const { input, output, cached_input = 0, cache_write_input = 0, micro_usd } = usage as Partial<Usage>;
  const counts = [input, output, cached_input, cache_write_input, micro_usd ?? 0];
  if (!counts.every((count) => typeof count === "number" && count >= 0)) return null;
  const known = { input: input!, output: output!, cached_input, cache_write_input };
  return micro_usd === undefined ? known : { ...known, micro_usd };
}

/** `fan:1/a/ask:2:1/1/0` is a call of `fan/a/ask`. */
export function nodePath(plan: RawGraph, call: string): string | null {
  const path: string[] = [];
  let graph: RawGraph | undefined = plan;
  const segments = call.split("/");
  for (let at = 0; graph !== undefined; ) {
    const named = nodeOf(graph, segments[at++] ?? "");
    if (named === null) return null;
    const [id, node] = named;
    path.push(id);
    const children = childrenOf(node);
    if (children.length === 0) return path.join("/");
    // Branches and elements add a segment, graphs do not.
    const inner: string | null = node.type === "graph" ? null : (segments[at++] ?? "");
    const child =
      node.type === "parallel" ? children.find(({ branch }) => encode(branch ?? "") === inner) : children[0];
    if (node.type === "parallel" && child) path.push(child.branch!);
    graph = child?.graph;
  }
  return null;
}

function nodeOf({ nodes }: RawGraph, segment: string): [string, RawNode] | null {
  const name = segment.replace(/(?::\d+){1,2}$/, "");
  const names = [name, segment.replace(/:\d+$/, "")];
  for (const [key, node] of Object.entries(nodes)) {
    const id = idOf(key, node);
    if (names.includes(encode(id))) return [id, node];
  }
  return null;
}

function encode(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}
