// ZEN, the native engine: custom nodes call the handler, and switch nodes hold the conditions as ZEN expressions.
//
// `nodesInContext` is off. The default makes the cost of a node grow with the number of nodes before it.
import { overrideConfig, ZenEngine } from "@gorules/zen-engine";
import { edgesByNode } from "../conditions.mjs";
import { work } from "../workloads.mjs";
import { Unsupported } from "./index.mjs";

export async function prepare(workload) {
  if (workload.name.startsWith("loop")) throw new Unsupported("n/a: acyclic only");
  const { seen, handler } = work(workload);
  const wrap = workload.kind === "object" ? (output) => ({ output }) : (value) => ({ output: { value } });
  overrideConfig({ nodesInContext: false });
  const engine = new ZenEngine({ customHandler: async () => wrap(await handler()) });
  const decision = engine.createDecision(content(workload));
  return async () => {
    seen.calls = 0;
    await decision.evaluate({ value: "go" });
    return seen.calls;
  };
}

function content(workload) {
  const nodes = [
    { id: "in", type: "inputNode", name: "in" },
    { id: "out", type: "outputNode", name: "out" },
  ];
  const edges = [];
  const connect = (sourceId, targetId, sourceHandle) =>
    edges.push({ id: `e${edges.length}`, type: "edge", sourceId, targetId, sourceHandle });
  connect("in", workload.start);
  for (const [id, leaving] of edgesByNode(workload)) {
    nodes.push({ id, name: id, type: "customNode", content: { kind: "work", config: {} } });
    const conditional = leaving.filter((edge) => edge.condition);
    if (leaving.length === 0) connect(id, "out");
    for (const { condition, to } of leaving) if (!condition) connect(id, to);
    if (conditional.length === 0) continue;
    const statements = conditional.map(({ condition }, at) => ({
      id: `${id}-${at}`,
      condition: expression(condition, workload.kind),
    }));
    nodes.push({
      id: `${id}-switch`,
      name: `${id}-switch`,
      type: "switchNode",
      content: { hitPolicy: "first", statements },
    });
    connect(id, `${id}-switch`);
    conditional.forEach(({ to }, at) => connect(`${id}-switch`, to, statements[at].id));
  }
  return { nodes, edges };
}

function expression({ path, operator, literal, number }, kind) {
  const keys = kind === "object" ? path : ["value"];
  const read = keys.map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at > 0 ? `.${key}` : key)).join("");
  const wanted = Number.isNaN(number) ? JSON.stringify(literal) : literal;
  return operator === ".contains:" ? `contains(${read}, ${wanted})` : `${read} ${operator} ${wanted}`;
}
