// The unit of all ratios: the engine that a good developer would write in an afternoon. Nodes, handlers and outputs are
// in Maps. Conditions are parsed beforehand. The number of steps is limited.
//
// `audit` adds two events a node with a timestamp each. If `sync` is set, the engine awaits a handler's value only if
// it is a promise, as a careful author would.
import { edgesByNode, evaluateCondition } from "../conditions.mjs";
import { listener, work } from "../workloads.mjs";

export async function prepare(workload, { audit = false, sync = false } = {}) {
  const { seen, handler } = work(workload, { sync });
  const engine = build(workload, new Map([["work", handler]]));
  const { onEvent } = listener();
  const walk = audit ? walkAudited : walkPlain;
  if (workload.fan)
    return async () => {
      seen.calls = 0;
      await each(workload.fan, handler);
      return seen.calls;
    };
  return async () => {
    seen.calls = 0;
    await walk(engine, { input: "go", maxSteps: workload.calls, onEvent });
    return seen.calls;
  };
}

function build(workload, handlers) {
  const leaving = edgesByNode(workload);
  const nodes = new Map(workload.ids.map((id) => [id, { id, type: "work", input: undefined, edges: leaving.get(id) }]));
  return { nodes, handlers, start: workload.start };
}

async function walkPlain({ nodes, handlers, start }, { input, maxSteps }) {
  const outputs = new Map([["input", input]]);
  let last = input;
  let id = start;
  for (let steps = 0; id !== null; steps++) {
    if (steps === maxSteps) throw new Error("too many steps");
    const node = nodes.get(id);
    const answer = handlers.get(node.type)(node.input ?? last, node);
    last = answer instanceof Promise ? await answer : answer;
    outputs.set(id, last);
    id = chooseEdge(node.edges, last, outputs);
  }
  return { last, outputs };
}

async function walkAudited({ nodes, handlers, start }, { input, maxSteps, onEvent }) {
  const outputs = new Map([["input", input]]);
  let last = input;
  let id = start;
  for (let steps = 0; id !== null; steps++) {
    if (steps === maxSteps) throw new Error("too many steps");
    const node = nodes.get(id);
    const given = node.input ?? last;
    onEvent({ type: "node-started", atMs: Date.now(), node: id, input: given });
    const answer = handlers.get(node.type)(given, node);
    last = answer instanceof Promise ? await answer : answer;
    outputs.set(id, last);
    onEvent({ type: "node-completed", atMs: Date.now(), node: id, output: last });
    id = chooseEdge(node.edges, last, outputs);
  }
  return { last, outputs };
}

// Runs `concurrency` workers. Each takes the next element.
async function each({ list, concurrency }, handler) {
  const outputs = new Array(list.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < list.length; at = next++) outputs[at] = await handler(list[at]);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, list.length) }, worker));
  return outputs;
}

// Takes the first condition that holds, else the first edge without a condition, else the run ends.
function chooseEdge(edges, last, outputs) {
  let fallback = null;
  for (const { condition, to } of edges) {
    if (condition === null) fallback ??= to;
    else if (evaluateCondition(condition, last, outputs)) return to;
  }
  return fallback;
}
