/** Finds expressions that mention a name. The checker reports no field that `has` or `??` may miss. */
import { isRecord, own } from "../records.js";
import type { DriftProblem } from "../lock-types.js";

export interface ExpressionPlace {
  /** Equals `placeId` of a problem there. */
  id: string;
  /** For an edge, the node it leaves. */
  node: string;
}

/** Keyed by word. */
export type Mentions = ReadonlyMap<string, ReadonlySet<ExpressionPlace>>;

const WORD = /[\p{L}\p{N}_$]+/gu;

export function mentionsOf(plan: unknown): Mentions {
  const found = new Map<string, Set<ExpressionPlace>>();
  collectGraph(plan, "", found);
  return found;
}

/** All words must occur. Too many places are better than too few. */
export function placesMentioning(name: string, mentions: Mentions): ExpressionPlace[] {
  const [first, ...others] = Array.from(name.matchAll(WORD), ([word]) => mentions.get(word) ?? new Set<never>());
  return first === undefined ? [] : [...first].filter((place) => others.every((set) => set.has(place as never)));
}

export function placeId(target: DriftProblem["target"]): string {
  if (target.type === "node") return target.node;
  return target.type === "edge" || target.type === "condition" ? edgeId(target.scope ?? "", target.edge) : "";
}

function edgeId(scope: string, index: number): string {
  return JSON.stringify([scope, index]);
}

type Found = Map<string, Set<ExpressionPlace>>;

function collectGraph(graph: unknown, scope: string, found: Found): void {
  if (!isRecord(graph)) return collectWords(graph, { id: scope, node: scope }, found);
  const inScope = (key: string) => (scope === "" ? key : `${scope}/${key}`);
  const nodes = own(graph, "nodes");
  for (const [key, node] of Object.entries(isRecord(nodes) ? nodes : {})) {
    const path = inScope(key);
    const { graph: inner, do: body, branches, ...parts } = isRecord(node) ? node : { node };
    collectWords(parts, { id: path, node: path }, found);
    for (const one of [inner, body]) collectGraph(one, path, found);
    if (!isRecord(branches)) collectWords(branches, { id: path, node: path }, found);
    else for (const [name, one] of Object.entries(branches)) collectGraph(one, `${path}/${name}`, found);
  }
  const edges = own(graph, "edges");
  for (const [index, edge] of (Array.isArray(edges) ? edges : []).entries()) {
    const from = String(own(edge, "from"));
    collectWords(edge, { id: edgeId(scope, index), node: inScope(from) }, found);
  }
  for (const [key, part] of Object.entries(graph))
    if (key !== "nodes" && key !== "edges" && key !== "tests") collectWords(part, { id: "", node: scope }, found);
}

function collectWords(value: unknown, place: ExpressionPlace, found: Found, key = ""): void {
  if (typeof value === "string" && (value.includes("${") || key === "condition" || key === "values"))
    for (const [word] of value.matchAll(WORD)) found.set(word, (found.get(word) ?? new Set()).add(place));
  else if (typeof value === "object" && value !== null)
    for (const [inner, part] of Object.entries(value)) collectWords(part, place, found, inner);
}
