/** The graphs of a plan, by the scopes of traces. */
import { escapeId, unescapeId } from "./scope-names.js";
export interface OutlineNode {
  readonly key: string;
  readonly type: string;
  readonly visits: number | null;
  /** Including the first. */
  readonly attempts: number | null;
  /** Keyed by branch. A lone graph has the empty name. */
  readonly graphs: ReadonlyMap<string, OutlineGraph>;
  /** Whether nested scopes have a segment after the node's. */
  readonly numbered: boolean;
}

export interface OutlineEdge {
  readonly from: string;
  readonly to: string;
  /** Empty for a fallback. */
  readonly condition: string;
}

export interface OutlineGraph {
  /** As in `fan/a`. Empty for the plan's own graph. */
  readonly path: string;
  readonly owner: { readonly graph: OutlineGraph; readonly node: string } | null;
  /** Keyed by the name in traces. */
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  readonly edges: readonly OutlineEdge[];
  /** Null if it is the only node without an edge to it. */
  readonly start: string | null;
}

export interface RawNode {
  type?: string;
  id?: string;
  visits?: number;
  retry?: { attempts?: number };
  graph?: RawGraph | string;
  do?: RawGraph | string;
  branches?: Record<string, RawGraph | string>;
}

export interface RawGraph {
  start?: string;
  nodes?: Record<string, RawNode>;
  /** YAML may read a condition as `true` or a number. */
  edges?: { from: string; to: string; condition?: string | number | boolean | null }[];
  limits?: Record<string, number>;
}

/** Nested graphs follow in document order. Leaves out other files. */
export function outlineOf(plan: RawGraph): OutlineGraph[] {
  const all: OutlineGraph[] = [];
  readGraph(plan, "", null, all);
  return all;
}

function isGraph(graph: RawGraph | string | undefined): graph is RawGraph {
  return typeof graph === "object" && graph !== null;
}

function readGraph(raw: RawGraph, path: string, owner: OutlineGraph["owner"], all: OutlineGraph[]): OutlineGraph {
  const nodes = new Map<string, OutlineNode>();
  const edges = (raw.edges ?? []).map(({ from, to, condition }) => {
    return { from, to, condition: isFallback(condition) ? "" : String(condition) };
  });
  const read: OutlineGraph = { path, owner, nodes, edges, start: raw.start ?? null };
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

export function graphsOf({ graph, do: body, branches = {} }: RawNode): [string, RawGraph][] {
  const named = (graph ?? body) ? [["", graph ?? body] as const] : Object.entries(branches);
  return named.flatMap(([name, nested]) => (isGraph(nested) ? [[name, nested] as [string, RawGraph]] : []));
}

/** A run takes such an edge if no condition holds. */
export function isFallback(condition: string | number | boolean | null | undefined): boolean {
  return /^\s*(default|always)?\s*$/.test(String(condition ?? ""));
}

/** Finds the graph of a scope such as `fan:1/a`. */
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

export function nodeAt(graph: OutlineGraph, id: string): OutlineNode | undefined {
  return graph.nodes.get(escapeId(id));
}
