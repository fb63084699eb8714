/** Finds the tools that a plan uses, and how. */
import type { PlanGraph } from "../graph.js";
import { indexTools } from "../host.js";
import { review } from "../review.js";
import type { NodeInfo, ToolInfo } from "../types.js";
import { isRecord, own } from "../records.js";

export interface ToolUse {
  /** As the plan names the tool. */
  name: string;
  /** Index in `nodes`. */
  index: number;
  node: NodeInfo;
  path: string;
  /** Otherwise the node itself calls the tool. */
  byModel: boolean;
  /** Whether the node may call all tools. */
  ofAll: boolean;
  /** As written, if any. */
  input: unknown;
}

/** Includes tools that a model may call. */
export function usedNames(graph: PlanGraph, tools: readonly ToolInfo[]): string[] {
  return [...new Set(toolUses(graph, tools).map(({ name }) => name))];
}

/** Nodes that may call all tools use each. */
export function toolUses(graph: PlanGraph, tools: readonly ToolInfo[]): ToolUse[] {
  const inputs = writtenInputs(graph.toJSON(), "");
  const all = placesOf(graph, null).get("*") ?? [];
  const callable = all.length > 0 ? callableNames(tools) : [];
  const users = new Map<string, string[]>(all.map((place) => [place, callable]));
  for (const [name, places] of placesOf(graph, tools))
    for (const place of places) if (!all.includes(place)) users.set(place, [...(users.get(place) ?? []), name]);
  return graph.nodes.flatMap((node, index) => {
    const [place, path] = [node.id, node.key].map((end) => (node.scope === undefined ? end : `${node.scope}/${end}`));
    const names = users.get(place!) ?? [];
    const calls = names.length === 1 && !all.includes(place!) && (node.type === "tool" || names[0] === node.type);
    const use = { index, node, path: path!, byModel: !calls, ofAll: all.includes(place!), input: inputs.get(path!) };
    return names.map((name): ToolUse => ({ name, ...use }));
  });
}

/** Keyed by tool. If there is no list, `*` is all tools. */
function placesOf(graph: PlanGraph, tools: readonly ToolInfo[] | null): Map<string, string[]> {
  return new Map(review(graph, { tools }).tools.map(({ name, nodes }) => [name, nodes]));
}

/** The qualified name if several servers have the tool. */
function callableNames(tools: readonly ToolInfo[]): string[] {
  const names = new Map<number, string>();
  for (const [name, place] of indexTools(tools))
    if (name === tools[place]!.name || !names.has(place)) names.set(place, name);
  return [...names].filter(([place]) => tools[place]!.unavailable === undefined).map(([, name]) => name);
}

function writtenInputs(plan: unknown, scope: string, found = new Map<string, unknown>()): Map<string, unknown> {
  const nodes = own(plan, "nodes");
  for (const [key, node] of Object.entries(isRecord(nodes) ? nodes : {})) {
    const path = scope === "" ? key : `${scope}/${key}`;
    found.set(path, own(node, "input"));
    for (const inner of ["graph", "do"]) if (isRecord(own(node, inner))) writtenInputs(own(node, inner), path, found);
    const branches = own(node, "branches");
    for (const [branch, graph] of Object.entries(isRecord(branches) ? branches : {}))
      writtenInputs(graph, `${path}/${branch}`, found);
  }
  return found;
}
