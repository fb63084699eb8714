/** Answers questions about the paths of a plan, to review a request. A nested node counts as the node around it. */

export interface PlanNode {
  type?: unknown;
  tool?: unknown;
  with?: unknown;
  retry?: unknown;
  metadata?: unknown;
  graph?: unknown;
  do?: unknown;
  branches?: unknown;
}

interface PlanEdge {
  from?: unknown;
  to?: unknown;
  condition?: unknown;
}

interface PlanGraphJson {
  start?: unknown;
  nodes?: Record<string, PlanNode>;
  edges?: PlanEdge[];
}

/** A node with what its graph and the graphs around it say about it. */
export interface PlacedNode {
  /** As in the planner's `coverage`: `outer/inner`. */
  path: string;
  node: PlanNode;
  type: string;
  /** The tools that it calls, or may call. `*`: all. */
  tools: string[];
  /** Runs only after a person agreed. */
  isGuarded: boolean;
  /** Runs on some paths only. */
  isConditional: boolean;
  /** In a cycle or a `map`. */
  isRepeated: boolean;
  isParallel: boolean;
  /** A person's rejection changes what runs. */
  isGuard: boolean;
}

interface Around {
  path: string;
  isGuarded: boolean;
  isConditional: boolean;
  isRepeated: boolean;
  isParallel: boolean;
}

const ROOT: Around = { path: "", isGuarded: false, isConditional: false, isRepeated: false, isParallel: false };

export function placedNodes(plan: unknown): PlacedNode[] {
  return nodesIn(plan, ROOT);
}

function nodesIn(graph: unknown, around: Around): PlacedNode[] {
  const { nodes = {}, edges: written = [], start } = Object(graph) as PlanGraphJson;
  const edges = takenEdges(written);
  const ids = Object.keys(nodes);
  const first = typeof start === "string" ? start : (ids.find((id) => !edges.some(({ to }) => to === id)) ?? ids[0]);
  const typeOf = (id: unknown) => String(nodes[String(id)]?.type ?? "");
  const isApproving = ({ from, condition }: PlanEdge) => typeOf(from) === "approve" && approves(condition, from);
  const next = following(edges);
  const reached = reach(first, next);
  const unguarded = reach(first, following(edges.filter((edge) => !isApproving(edge))));
  const isAvoidable = avoidance(first, edges, isApproving);
  // What no path reaches does nothing.
  return ids
    .filter((id) => reached.has(id))
    .flatMap((id) => {
      const node = nodes[id]!;
      const type = typeOf(id);
      const own: PlacedNode = {
        path: `${around.path}${id}`,
        node,
        type,
        tools: toolsOf(node, type),
        isGuarded: around.isGuarded || !unguarded.has(id),
        isConditional: around.isConditional || isAvoidable(id),
        isRepeated: around.isRepeated || type === "map" || reach(id, next, false).has(id),
        isParallel: around.isParallel || type === "parallel" || type === "map",
        isGuard: type === "approve" && edges.some((edge) => edge.from === id && isApproving(edge)),
      };
      const inner = { ...own, path: `${own.path}/` };
      const branches = Object.entries(Object(node.branches) as Record<string, unknown>);
      return [
        own,
        ...[node.graph, node.do].flatMap((one) => (one === undefined ? [] : nodesIn(one, inner))),
        ...branches.flatMap(([name, one]) => nodesIn(one, { ...inner, path: `${own.path}/${name}/` })),
      ];
    });
}

/**
 * Tells whether a run may reach the second node after it has reached the first. Nodes of different branches never do. A
 * node around others does.
 */
export function reachability(plan: unknown): (first: string, then: string) => boolean {
  const graphs = new Map<string, Following>();
  collectEdges(plan, "", graphs);
  return (first, then) => {
    const shared = [...graphs.keys()]
      .filter((prefix) => first.startsWith(prefix) && then.startsWith(prefix))
      .reduce((best, prefix) => (prefix.length > best.length ? prefix : best), "");
    const [from, to] = [first, then].map((path) => path.slice(shared.length).split("/")[0]);
    if (from === to) return first.startsWith(then) || then.startsWith(first);
    return reach(from, graphs.get(shared)!, false).has(to);
  };
}

function collectEdges(graph: unknown, prefix: string, graphs: Map<string, Following>): void {
  const { nodes = {}, edges = [] } = Object(graph) as PlanGraphJson;
  graphs.set(prefix, following(edges));
  for (const [id, node] of Object.entries(nodes)) {
    for (const one of [node.graph, node.do]) if (one !== undefined) collectEdges(one, `${prefix}${id}/`, graphs);
    for (const [name, one] of Object.entries(Object(node.branches) as object))
      collectEdges(one, `${prefix}${id}/${name}/`, graphs);
  }
}

type Following = ReadonlyMap<unknown, readonly unknown[]>;

function following(edges: readonly PlanEdge[]): Following {
  const found = new Map<unknown, unknown[]>();
  for (const { from, to } of edges) {
    const known = found.get(from);
    if (known === undefined) found.set(from, [to]);
    else known.push(to);
  }
  return found;
}

/** Ids on the paths from `from`. Without `itself` only a cycle leads to it. */
function reach(from: string | undefined, next: Following, itself = true): Set<unknown> {
  const found = new Set<unknown>(itself ? [from] : next.get(from));
  for (const id of found) for (const to of next.get(id) ?? []) found.add(to);
  return found;
}

/** Tells whether a run can end without a node, if all people approve and nothing fails. */
function avoidance(
  first: string | undefined,
  edges: readonly PlanEdge[],
  isApproving: (edge: PlanEdge) => boolean,
): (id: string) => boolean {
  const asked = new Set(edges.filter(isApproving).map(({ from }) => from));
  const usual = edges.filter((edge) => !isErrorEdge(edge) && (!asked.has(edge.from) || isApproving(edge)));
  const continues = new Set(usual.filter((edge) => !tests(edge) || isApproving(edge)).map(({ from }) => from));
  // A cycle may also stay away from a node that only a test leads to.
  const isTested = (id: string) => {
    const entering = usual.filter(({ to }) => to === id);
    return entering.length > 0 && entering.every((edge) => tests(edge) && !isApproving(edge));
  };
  return (avoided) => {
    if (first === avoided) return false;
    const without = following(usual.filter(({ to }) => to !== avoided));
    const found = reach(first, without);
    for (const id of found) if (!continues.has(id)) return true;
    return isTested(avoided) && [...found].some((id) => reach(String(id), without, false).has(id));
  };
}

/** Without those after a node's first edge without a condition, which no run takes. */
function takenEdges(edges: readonly PlanEdge[]): PlanEdge[] {
  const fallbacks = new Set<unknown>();
  return edges.filter((edge) => {
    if (tests(edge)) return true;
    const isFirst = !fallbacks.has(edge.from);
    fallbacks.add(edge.from);
    return isFirst;
  });
}

/** Whether a rejection by the person at `from` never takes an edge with this condition. */
export function approves(condition: unknown, from: unknown): boolean {
  const text = String(condition ?? "").replaceAll(" ", "");
  const [, of] = /(?:^|&&)(last|output\.[\w-]+)(?:=="?'?approved\b|!="?'?rejected\b)/.exec(text) ?? [];
  return (of === "last" || of === `output.${String(from)}`) && !text.includes("||");
}

function isErrorEdge({ condition }: PlanEdge): boolean {
  return /^!?\s*error\b/.test(String(condition ?? "").trim());
}

function tests({ condition }: PlanEdge): boolean {
  return !/^(?:default|always|)$/.test(String(condition ?? "").trim());
}

function toolsOf(node: PlanNode, type: string): string[] {
  if (type === "agent") {
    const { tools } = Object(node.with) as { tools?: unknown };
    return Array.isArray(tools) ? tools.map(String) : ["*"];
  }
  const { tool } = Object(node.metadata) as { tool?: unknown };
  return [node.tool ?? tool ?? type].map(String);
}
