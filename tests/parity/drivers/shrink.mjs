/** Removes parts of a plan while it still fails in the same way. */

export async function shrink(one, fails, most = 300) {
  let [smallest, tried] = [one, 0];
  for (let isSmaller = true; isSmaller && tried < most; ) {
    isSmaller = false;
    for (const plan of smallerPlans(smallest.plan)) {
      if (plan === null) continue;
      if (++tried > most) break;
      const candidate = { ...smallest, plan };
      if (await fails(candidate)) {
        [smallest, isSmaller] = [candidate, true];
        break;
      }
    }
  }
  return smallest;
}

/** Removes the largest parts first. */
function* smallerPlans(plan) {
  for (const [at, ids] of graphs(plan)) {
    for (const id of ids) {
      yield changed(plan, at, (graph) => without(graph, id));
      yield changed(plan, at, (graph) => keepNode(graph, id));
    }
  }
  for (const [at, ids] of graphs(plan)) {
    for (const id of ids) {
      for (const key of ["retry", "timeout_ms", "with", "input"])
        yield changed(plan, at, (graph) => drop(graph.nodes[id], key));
      for (const key of ["tools", "schema", "concurrency", "model", "system", "conversation"])
        yield changed(plan, at, (graph) => drop(graph.nodes[id].with ?? {}, key));
      for (const branch of Object.keys(graphAt(plan, at).nodes[id].branches ?? {}))
        yield changed(plan, at, (graph) => drop(graph.nodes[id].branches, branch));
    }
    for (let i = graphAt(plan, at).edges.length - 1; i >= 0; i--)
      yield changed(plan, at, (graph) => graph.edges.splice(i, 1).length > 0);
  }
}

function graphs(graph, at = []) {
  const found = [[at, Object.keys(graph.nodes)]];
  for (const [id, node] of Object.entries(graph.nodes))
    for (const key of ["graph", "do"]) if (node[key]) found.push(...graphs(node[key], [...at, "nodes", id, key]));
  for (const [id, { branches = {} }] of Object.entries(graph.nodes))
    for (const name of Object.keys(branches))
      found.push(...graphs(branches[name], [...at, "nodes", id, "branches", name]));
  return found;
}

function graphAt(plan, at) {
  return at.reduce((value, key) => value[key], plan);
}

/** Null if the change does not apply. */
function changed(plan, at, change) {
  const copy = structuredClone(plan);
  return change(graphAt(copy, at)) ? copy : null;
}

function without(graph, id) {
  if (Object.keys(graph.nodes).length === 1) return false;
  delete graph.nodes[id];
  graph.edges = graph.edges.filter(({ from, to }) => from !== id && to !== id);
  if (graph.start === id) graph.start = Object.keys(graph.nodes)[0];
  return true;
}

function keepNode(graph, id) {
  if (Object.keys(graph.nodes).length === 1) return false;
  Object.assign(graph, { start: id, nodes: { [id]: graph.nodes[id] }, edges: [] });
  return true;
}

function drop(map, key) {
  return Object.hasOwn(map, key) && delete map[key];
}
