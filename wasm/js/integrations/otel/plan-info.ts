/**
 * What spans need to know of a plan that the events of a run do not say: types of nodes, whether they are tried again,
 * and graphs inside them.
 */
import type { PlanGraph } from "stepgraph";

/** One graph of a plan. */
export type GraphFacts = ReadonlyMap<string, NodeFacts>;

/** One node. */
export interface NodeFacts {
  readonly type: string;
  readonly tool: string | undefined;
  /** Whether a try that fails may be followed by another. */
  readonly retried: boolean;
  /** The graphs inside it: by the names of branches, or one that all elements and visits share. */
  readonly branches: Readonly<Record<string, GraphFacts>> | undefined;
  readonly inner: GraphFacts | undefined;
}

/** A whole plan. */
export interface PlanFacts {
  readonly id: string | undefined;
  readonly hash: string;
  readonly graph: GraphFacts;
}

interface WrittenGraph {
  id?: unknown;
  nodes?: Record<string, WrittenNode>;
}
interface WrittenNode {
  id?: unknown;
  type?: unknown;
  tool?: unknown;
  metadata?: { tool?: unknown };
  retry?: { attempts?: unknown };
  branches?: Record<string, WrittenGraph>;
  do?: WrittenGraph;
  graph?: WrittenGraph;
}

const known = new WeakMap<PlanGraph, PlanFacts>();

/** What is to be known of a plan; looked up once. */
export function factsOf(graph: PlanGraph): PlanFacts {
  const found = known.get(graph);
  if (found !== undefined) return found;
  const plan = graph.toJSON() as WrittenGraph;
  const facts = { id: text(plan.id), hash: graph.hash, graph: graphOf(plan) };
  known.set(graph, facts);
  return facts;
}

function graphOf({ nodes = {} }: WrittenGraph): GraphFacts {
  return new Map(Object.entries(nodes).map(([key, node]) => [text(node.id) ?? key, nodeOf(node)]));
}

function nodeOf({ type, tool, metadata, retry, branches, do: element, graph }: WrittenNode): NodeFacts {
  const inner = element ?? graph;
  return {
    type: text(type) ?? "",
    tool: text(tool) ?? text(metadata?.tool),
    retried: Number(retry?.attempts ?? 1) > 1,
    branches: branches && Object.fromEntries(Object.entries(branches).map(([name, branch]) => [name, graphOf(branch)])),
    inner: inner && graphOf(inner),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
