/** Random changes of plans, which leave the given plan as it is. */
import { Random } from "../drivers/random.mjs";

function graphsOf(graph, found = []) {
  found.push(graph);
  for (const node of Object.values(graph.nodes))
    for (const inner of [node.graph, node.do, ...Object.values(node.branches ?? {})]) if (inner) graphsOf(inner, found);
  return found;
}

const CHANGES = {
  input: (graph, random) => void (nodeOf(graph, random).input = random.pick(["hello", "${input}", "${last}", "new"])),
  settings(graph, random) {
    const node = nodeOf(graph, random);
    node.retry = { attempts: 1 + random.below(3), backoff_ms: random.below(9) };
  },
  timeout: (graph, random) => void (nodeOf(graph, random).timeout_ms = 10 + random.below(200)),
  description: (graph, random) => void (nodeOf(graph, random).description = "says more"),
  condition(graph, random) {
    if (graph.edges.length === 0) return;
    const edge = random.pick(graph.edges);
    if (random.chance(0.3)) delete edge.condition;
    else edge.condition = random.pick(["last.exists", "!error.exists", "error.exists", "1 == 2"]);
  },
  edge(graph, random) {
    const [from, to] = [0, 1].map(() => random.pick(Object.keys(graph.nodes)));
    const edge = { from, to, condition: random.pick(["last.exists", "error.exists", "1 == 2"]) };
    graph.edges.splice(random.below(graph.edges.length + 1), 0, edge);
  },
  dropEdge: (graph, random) => void graph.edges.splice(random.below(graph.edges.length), 1),
  orderOfEdges: (graph) => void graph.edges.reverse(),
  orderOfBranches(graph) {
    for (const node of Object.values(graph.nodes))
      if (node.branches) node.branches = Object.fromEntries(Object.entries(node.branches).reverse());
  },
  node(graph, random) {
    const id = `new${random.below(1000)}`;
    graph.nodes[id] = { type: random.pick(["log", "noop", "greet"]), input: random.pick(["x", "${last}"]) };
    graph.edges.push({ from: random.pick(Object.keys(graph.nodes)), to: id });
  },
  dropNode(graph, random) {
    const id = random.pick(Object.keys(graph.nodes));
    delete graph.nodes[id];
    graph.edges = graph.edges.filter(({ from, to }) => from !== id && to !== id);
  },
  type: (graph, random) => void (nodeOf(graph, random).type = random.pick(["log", "noop", "greet", "approve"])),
  start: (graph, random) => void (graph.start = random.pick(Object.keys(graph.nodes))),
};

const LIMITS = {
  visits: (random) => 1 + random.below(5),
  steps: (random) => 1 + random.below(20),
  calls: (random) => 1 + random.below(10),
  tokens: (random) => 10 + random.below(100),
  output_bytes: (random) => 50 + random.below(500),
  timeout_ms: (random) => 50 + random.below(20_000),
};

function nodeOf(graph, random) {
  return random.pick(Object.values(graph.nodes));
}

export function changePlan(plan, seed) {
  const random = new Random("change", seed);
  const changed = structuredClone(plan);
  for (let left = 1 + random.below(2); left > 0; left--) {
    if (random.chance(0.08)) {
      const name = random.pick(Object.keys(LIMITS));
      if (random.chance(0.3)) delete changed.limits[name];
      else changed.limits[name] = LIMITS[name](random);
      continue;
    }
    const graphs = graphsOf(changed);
    const graph = random.chance(0.6) ? changed : random.pick(graphs);
    if (Object.keys(graph.nodes).length > 0) random.pick(Object.values(CHANGES))(graph, random);
  }
  return changed;
}
