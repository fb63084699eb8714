/** Positions of nodes, edges and limits. */
import { PlanDocument } from "../editor/node.js";
import type { CoveragePart, PlanGraph } from "../node.js";
import { Source } from "../terminal/diagnostics.js";

/** `file` is a path from the plan. */
export interface PartPlace {
  file?: string;
  line: number;
  column: number;
}

const START: PartPlace = { line: 1, column: 1 };
const LIMITS = ["visits", "steps", "calls"];

export type PlaceOf = (part: Pick<CoveragePart, "scope" | "node" | "edge" | "limit">) => PartPlace;

const keyOf = (scope: string, part: string | number) => JSON.stringify([scope, part]);

/** Edges in other files have their source's position. */
export function placesIn(graph: PlanGraph, text: string, format: "auto" | "json"): PlaceOf {
  const edges = new Map<string, PartPlace>();
  const source = new Source("", text);
  const document = new PlanDocument(text, { format });
  const limits = new Map<string, PartPlace>();
  const placeOf = (offset: number) => {
    const line = source.lineAt(offset);
    return { line, column: offset - source.lineSpan(line).start + 1 };
  };
  for (const limit of LIMITS) {
    // The change of a value tells where it is.
    const { changes } = document.edit([{ op: "set_plan", path: ["limits", limit], value: -1 }]);
    if (changes[0]) limits.set(limit, placeOf(changes[0].span.start));
  }
  for (const { scope, index, fromSpan } of document.diagram()?.edges ?? []) {
    const line = source.lineAt(fromSpan.start);
    edges.set(keyOf(scope, index), { line, column: fromSpan.start - source.lineSpan(line).start + 1 });
  }
  document.free();
  const nodes = new Map<string, number>();
  for (const [index, { key, scope = "" }] of graph.nodes.entries()) nodes.set(keyOf(scope, key), index);
  return ({ scope, node, edge, limit }) => {
    if (node === undefined && limit !== undefined) return limits.get(limit) ?? START;
    const known = edge === undefined ? undefined : edges.get(keyOf(scope, edge));
    const index = nodes.get(keyOf(scope, node ?? ""));
    return known ?? (index === undefined ? null : graph.placeOf(index)) ?? START;
  };
}
