/** The graphs of a plan, by the scopes that traces name. */
import { escapeId, unescapeId } from "./scope-names.js";
/** A node, as the plan writes it. */
export interface OutlineNode {
  readonly key: string;
  readonly type: string;
  /** Its own limit of visits. */
  readonly visits: number | null;
  /** The number of attempts, including the first. */
  readonly attempts: number | null;
  /** Its nested graphs by branch. A node with one graph has it under the empty name. */
  readonly graphs: ReadonlyMap<string, OutlineGraph>;
  /** Whether the scope of a nested graph has a segment after the node's. */
  readonly numbered: boolean;
}

/** An edge, as the plan writes it. */
export interface OutlineEdge {
  readonly from: string;
  readonly to: string;
  /** Empty for a fallback. */
  readonly condition: string;
}

/** One graph of a plan: its own or a nested one. */
export interface OutlineGraph {
  /** Keys of nodes and names of branches: `fan/a`. Empty for the plan's own graph. */
  readonly path: string;
  readonly owner: { readonly graph: OutlineGraph; readonly node: string } | null;
  /** By the name that traces use. */
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  readonly edges: readonly OutlineEdge[];
}

/** A node in the JSON of a plan. */
export interface RawNode {
  type?: string;
  id?: string;
  visits?: number;
  retry?: { attempts?: number };
  graph?: RawGraph | string;
  do?: RawGraph | string;
  branches?: Record<string, RawGraph | string>;
}

/** A graph in the JSON of a plan. */
export interface RawGraph {
  nodes?: Record<string, RawNode>;
  edges?: { from: string; to: string; condition?: string | null }[];
  limits?: Record<string, number>;
}

/** Returns the graphs of a plan: its own, then the nested ones in document order. Leaves out graphs in other files. */
export function outlineOf(plan: RawGraph): OutlineGraph[] {
  const all: OutlineGraph[] = [];
  readGraph(plan, "", null, all);
  return all;
}

/** Whether a graph is in the plan, and not the path of a file. */
function isGraph(graph: RawGraph | string | undefined): graph is RawGraph {
  return typeof graph === "object" && graph !== null;
}

function readGraph(raw: RawGraph, path: string, owner: OutlineGraph["owner"], all: OutlineGraph[]): OutlineGraph {
  const nodes = new Map<string, OutlineNode>();
  const edges = (raw.edges ?? []).map(({ from, to, condition }) => ({
    from,
    to,
    condition: isFallback(condition ?? "") ? "" : condition!,
  }));
  const read: OutlineGraph = { path, owner, nodes, edges };
  all.push(read);
  for (const [key, node] of Object.entries(raw.nodes ?? {})) {
    const inner = (name: string, nested: RawGraph) => {
      const place = [path, key, name].filter((part) => part !== "").join("/");
      return [name, readGraph(nested, place, { graph: read, node: key }, all)] as const;
    };
    const graphs = graphsOf(node).map(([name, nested]) => inner(name, nested));
    nodes.set(escapeId(node.id ?? key), {
      key,
      type: node.type ?? "",
      visits: node.visits ?? null,
      attempts: node.retry?.attempts ?? null,
      graphs: new Map(graphs),
      numbered: node.graph === undefined,
    });
  }
  return read;
}

/** Returns the nested graphs of a node by branch. One without a name has the empty one. */
export function graphsOf({ graph, do: body, branches = {} }: RawNode): [string, RawGraph][] {
  const named = (graph ?? body) ? [["", graph ?? body] as const] : Object.entries(branches);
  return named.flatMap(([name, nested]) => (isGraph(nested) ? [[name, nested] as [string, RawGraph]] : []));
}

/** Whether an edge is taken only if no condition holds. */
export function isFallback(condition: string): boolean {
  return /^\s*(default|always)?\s*$/.test(condition);
}

/** Finds the graph of a scope in a trace, such as `fan:1/a`. Null if the plan has no such graph. */
export function graphAt(root: OutlineGraph, scope: string): OutlineGraph | null {
  if (scope === "") return root;
  const parts = scope.split("/");
  let graph: OutlineGraph = root;
  for (let at = 0; at < parts.length; ) {
    const node = graph.nodes.get(parts[at]!.replace(/:\d+$/, ""));
    if (node === undefined) return null;
    const branch = node.numbered ? unescapeId(parts[at + 1] ?? "") : "";
    const inner = node.graphs.get("") ?? node.graphs.get(branch);
    if (inner === undefined) return null;
    graph = inner;
    at += node.numbered ? 2 : 1;
  }
  return graph;
}

/** Returns a node of an event by its id. */
export function nodeAt(graph: OutlineGraph, id: string): OutlineNode | undefined {
  return graph.nodes.get(escapeId(id));
}
