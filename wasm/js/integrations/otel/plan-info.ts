/** Facts that a run's events lack: types of nodes, retries and nested graphs. */
import type { PlanGraph } from "stepgraph";

export type GraphInfo = ReadonlyMap<string, NodeInfo>;

export interface NodeInfo {
  readonly type: string;
  readonly tool: string | undefined;
  readonly retried: boolean;
  /** One for each branch, or `inner` for all elements and visits. */
  readonly branches: Readonly<Record<string, GraphInfo>> | undefined;
  readonly inner: GraphInfo | undefined;
}

export interface PlanInfo {
  readonly id: string | undefined;
  readonly hash: string;
  readonly graph: GraphInfo;
}

interface RawGraph {
  id?: unknown;
  nodes?: Record<string, RawNode>;
}
interface RawNode {
  id?: unknown;
  type?: unknown;
  tool?: unknown;
  metadata?: { tool?: unknown };
  retry?: { attempts?: unknown };
  branches?: Record<string, RawGraph>;
  do?: RawGraph;
  graph?: RawGraph;
}

const planInfos = new WeakMap<PlanGraph, PlanInfo>();

export function planInfo(graph: PlanGraph): PlanInfo {
  const found = planInfos.get(graph);
  if (found !== undefined) return found;
  const plan = graph.toJSON() as RawGraph;
  const facts = { id: textOrUndefined(plan.id), hash: graph.hash, graph: graphInfo(plan) };
  planInfos.set(graph, facts);
  return facts;
}

function graphInfo({ nodes = {} }: RawGraph): GraphInfo {
  return new Map(Object.entries(nodes).map(([key, node]) => [textOrUndefined(node.id) ?? key, nodeInfo(node)]));
}

function nodeInfo({ type, tool, metadata, retry, branches, do: element, graph }: RawNode): NodeInfo {
  const inner = element ?? graph;
  return {
    type: textOrUndefined(type) ?? "",
    tool: textOrUndefined(tool) ?? textOrUndefined(metadata?.tool),
    retried: Number(retry?.attempts ?? 1) > 1,
    branches:
      branches && Object.fromEntries(Object.entries(branches).map(([name, branch]) => [name, graphInfo(branch)])),
    inner: inner && graphInfo(inner),
  };
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
