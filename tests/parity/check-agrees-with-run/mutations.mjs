/**
 * Common errors in plans, each inserted at a random place.
 *
 * They name no diagnostics: `check` and `run` only have to agree.
 */

/** Yields the outermost graph first. */
function* graphs(graph) {
  yield graph;
  for (const node of Object.values(graph.nodes))
    for (const inner of [node.graph, node.do, ...Object.values(node.branches ?? {})]) if (inner) yield* graphs(inner);
}

const MUTATIONS = {
  "edge to nowhere": ({ graph, id }) => graph.edges.push({ from: id, to: "nowhere", condition: "last==1" }),
  "edge from nowhere": ({ graph, id }) => graph.edges.push({ from: "nowhere", to: id }),
  "start that is no node": ({ graph }) => (graph.start = "begin"),
  "no start": ({ graph }) => delete graph.start,
  "unknown key of a node": ({ node }) => (node.inputs = "x"),
  "unknown key of a plan": ({ plan }) => (plan.edge = []),
  "free key": ({ node }) => (node["x-mine"] = 1),
  "unknown limit": ({ plan }) => (plan.limits = { ...plan.limits, stepss: 5 }),
  "negative limit": ({ plan }) => (plan.limits = { ...plan.limits, steps: -1 }),
  "bad retry": ({ node, random }) => (node.retry = random.pick([{ attempts: "2" }, { attempt: 2 }, { attempts: 0 }])),
  "bad timeout": ({ node, random }) => (node.timeout_ms = random.pick(["5s", -1, 0, 1.5])),
  "bad setting": ({ node, random }) =>
    (node.with = {
      ...node.with,
      ...random.pick([{ joins: "all" }, { join: "some" }, { max_turns: "3" }, { attempts: 0 }]),
    }),
  "settings that are a text": ({ node }) => (node.with = "fast"),
  "empty settings": ({ node }) => (node.with = null),
  "unknown tool": ({ node }) => Object.assign(node, { type: "tool", tool: "buy" }),
  "tool of another server": ({ node }) => Object.assign(node, { type: "tool", tool: "sample.get" }),
  "no tool": ({ node }) => {
    node.type = "tool";
    delete node.tool;
  },
  "argument that nobody knows": ({ node }) => Object.assign(node, { type: "tool", tool: "put", input: { x: 1, z: 2 } }),
  "argument of another type": ({ node }) => Object.assign(node, { type: "tool", tool: "put", input: { x: "one" } }),
  "argument left out": ({ node }) => Object.assign(node, { type: "tool", tool: "put", input: {} }),
  "unknown type": ({ node }) => (node.type = "foo"),
  "misspelt type": ({ node, random }) => (node.type = random.pick(["agnet", "paralel", "lllm", "gret"])),
  "unknown model": ({ node }) => Object.assign(node, { type: "llm", with: { model: "huge" } }),
  "tools of an agent": ({ node }) =>
    Object.assign(node, { type: "agent", input: "go", with: { tools: ["get", "buy"] } }),
  "path that a tool does not give": ({ node, graph, random }) => {
    Object.assign(node, { type: "tool", tool: "put", input: { x: 1 } });
    const other = random.pick(Object.values(graph.nodes));
    if (other !== node) other.input = "${last.total}";
  },
  "reference to nobody": ({ node, random }) =>
    (node.input = random.pick(["${output.nobody}", "${output.nobody ?? 1}"])),
  "reference of no root": ({ node }) => (node.input = "${nobody.x}"),
  "reference that is not closed": ({ node }) => (node.input = "${last"),
  "given output": ({ node }) => (node.input = "${output.before}"),
  "condition of another language": ({ graph, id, random }) =>
    graph.edges.push({
      from: id,
      to: id,
      condition: random.pick(["last === 1", "last and input", "not last", "last = 1"]),
    }),
  "name without quotes": ({ graph, id }) => graph.edges.push({ from: id, to: id, condition: "last == input.name" }),
  "condition that is a map": ({ graph, id }) => graph.edges.push({ from: id, to: id, condition: { last: 1 } }),
  "the same edge again": ({ graph }) => graph.edges.length > 0 && graph.edges.push(graph.edges[0]),
  "loop without an end": ({ graph, id }) => graph.edges.push({ from: id, to: id }),
  "node that nobody reaches": ({ graph }) => (graph.nodes.alone = { type: "noop" }),
  "branches of none": ({ node }) => Object.assign(node, { type: "parallel", branches: {} }),
  "a map without a graph": ({ node }) => {
    node.type = "map";
    delete node.do;
  },
  "inputs of odd types": ({ plan, random }) =>
    (plan.inputs = random.pick([{ name: { type: "strin" } }, { name: { type: "string", pattern: "(" } }, { n: 1 }])),
  "schema that can't be read": ({ node }) => Object.assign(node, { type: "llm", with: { schema: { type: "odd" } } }),
};

export const NAMES = Object.keys(MUTATIONS);

export function applyMutation(plan, name, random) {
  const graph = random.pick([...graphs(plan)]);
  const [id, node] = random.pick(Object.entries(graph.nodes));
  MUTATIONS[name]({ plan, graph, id, node, random });
}
