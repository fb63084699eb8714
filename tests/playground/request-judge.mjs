// Judges by hand-made needs whether a plan does what a sentence asks. Shares no code with the page's review.

const APPROVING = /==\s*"?approved|!=\s*"?rejected/;

/** All graphs of a plan, nested ones after the graph around them. */
function graphsOf(graph) {
  const inner = Object.values(graph.nodes ?? {}).flatMap((node) =>
    [node.graph, node.do, ...Object.values(node.branches ?? {})].filter((one) => one?.nodes !== undefined),
  );
  return [graph, ...inner.flatMap(graphsOf)];
}

const isCallOf = (node, tool) =>
  [node.tool, ...(node.type === "agent" ? [node.with?.tools].flat() : []), node.type].some(
    (name) => name === tool || name === `demo.${tool}`,
  );

function reachable(graph, keeps) {
  const ids = Object.keys(graph.nodes ?? {});
  const edges = graph.edges ?? [];
  const found = new Set([graph.start ?? ids.find((id) => !edges.some(({ to }) => to === id)) ?? ids[0]]);
  for (const id of found) for (const edge of edges) if (edge.from === id && keeps(edge)) found.add(edge.to);
  return found;
}

const innerGraphs = (node) => graphsOf({ nodes: { node } }).slice(1);

/** Whether every call of the tool, or some node if none is named, needs an edge that `keeps` drops. */
function isBehind(plan, tool, keeps) {
  let calls = 0;
  const isReachable = (graph) => {
    const open = reachable(graph, keeps(graph));
    const all = reachable(graph, () => true);
    return Object.entries(graph.nodes ?? {}).some(([id, node]) => {
      if (tool === undefined) return all.has(id) && !open.has(id);
      const inner = [node.graph, node.do, ...Object.values(node.branches ?? {})].filter((one) => one?.nodes);
      if (innerGraphs(node).some((one) => Object.values(one.nodes ?? {}).some((call) => isCallOf(call, tool)))) calls++;
      if (isCallOf(node, tool)) calls++;
      // What is inside a node behind the edge is behind it, too.
      return open.has(id) && (isCallOf(node, tool) || inner.some(isReachable));
    });
  };
  const found = isReachable(plan);
  if (tool === undefined) return found;
  if (found) return false;
  // Without any call the person must still be asked before something.
  return calls > 0 || (keeps === withoutApproving && isBehind(plan, undefined, keeps));
}

const withoutApproving = (graph) => (edge) =>
  graph.nodes[edge.from]?.type !== "approve" || !APPROVING.test(edge.condition ?? "");

const withoutFailures = () => (edge) => !/^error\b/.test(edge.condition ?? "");

const withoutChoices = (graph) => {
  const chooses = (id) =>
    graph.nodes[id]?.type !== "approve" &&
    graph.edges.some(
      ({ from, condition = "default" }) => from === id && !/^(default|always)$|^error\b/.test(condition),
    );
  return (edge) => !chooses(edge.from);
};

function hasCycle(graph) {
  return Object.keys(graph.nodes).some((id) => {
    const after = new Set((graph.edges ?? []).filter(({ from }) => from === id).map(({ to }) => to));
    for (const next of after) for (const { from, to } of graph.edges ?? []) if (from === next) after.add(to);
    return after.has(id);
  });
}

/** Whether each call of the second tool comes after a call of the first. `wait` is a node type. */
function isAfter(graphs, first, second) {
  return graphs.every((graph) => {
    const ids = Object.keys(graph.nodes ?? {});
    const of = (name) => ids.filter((id) => isCallOf(graph.nodes[id], name));
    return of(second).every((id) => of(first).some((before) => leadsTo(graph, before, id)));
  });
}

function leadsTo(graph, from, to) {
  const found = new Set([from]);
  for (const id of found) for (const edge of graph.edges ?? []) if (edge.from === id) found.add(edge.to);
  return from !== to && found.has(to);
}

const textOf = (value) => (JSON.stringify(value) ?? "").toLowerCase();

/** `params` are the values that the planner found in the request. */
export function isMet(needs, plan, params) {
  const graphs = graphsOf(plan);
  const nodes = graphs.flatMap((graph) => Object.values(graph.nodes ?? {}));
  const isOf = (...types) => nodes.some(({ type }) => types.includes(type));
  const text = textOf([plan, params]);
  return needs.every((need) => {
    const [word, ...more] = need.split(" ");
    const rest = more.length > 0 ? more.join(" ") : undefined;
    if (word === "impossible") return false;
    if (word === "model" || word === "said") return isOf("llm", "agent");
    if (word === "wait") return isOf("wait");
    if (word === "parallel") return isOf("parallel", "map");
    if (word === "has") return text.includes(rest.toLowerCase());
    if (word === "never") return !nodes.some((node) => isCallOf(node, rest));
    const isTo = (one) =>
      isCallOf(one, "send_message") && rest.split("|").some((who) => textOf(one.input).includes(who));
    if (word === "to") return nodes.some(isTo);
    if (word === "reads")
      return nodes.some((one) => {
        const input = textOf(one.input).replace(/\$\{input\.(\w+)\}/g, (_, name) => params?.[name]);
        return isCallOf(one, "read_file") && input.includes(rest);
      });
    if (word === "never-to") return !nodes.some(isTo);
    if (word === "before") return isAfter(graphs, ...more);
    if (word === "guarded") return !nodes.some((one) => isCallOf(one, rest)) || isBehind(plan, rest, withoutApproving);
    if (word === "approval") return isBehind(plan, rest, withoutApproving);
    if (word === "failure") return isBehind(plan, rest, withoutFailures);
    if (word === "condition") return isBehind(plan, rest, withoutChoices);
    if (word !== "repeat") return nodes.some((node) => isCallOf(node, word));
    const tools = needs.filter((one) => nodes.some((node) => isCallOf(node, one)));
    return (
      isOf("map") ||
      graphs.some(hasCycle) ||
      tools.some((tool) => nodes.filter((node) => isCallOf(node, tool)).length > 1)
    );
  });
}
