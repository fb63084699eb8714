// PocketFlow: a node's `post` names the action, and actions name successors. It does not store outputs.
import { Flow, Node } from "pocketflow";
import { createEdgeChooser, edgesByNode } from "../conditions.mjs";
import { work } from "../workloads.mjs";

class Work extends Node {
  constructor(handler, choose) {
    super();
    this.handler = handler;
    this.choose = choose;
  }

  exec() {
    return this.handler();
  }

  async post(shared, _input, output) {
    shared.last = output;
    return this.choose(output) ?? undefined;
  }
}

export async function prepare(workload) {
  const { seen, handler } = work(workload);
  const nodes = new Map();
  const leaving = edgesByNode(workload);
  for (const id of workload.ids) nodes.set(id, new Work(handler, createEdgeChooser(leaving.get(id))));
  for (const id of workload.ids) {
    for (const to of new Set(leaving.get(id).map((edge) => edge.to))) nodes.get(id).on(to, nodes.get(to));
  }
  // PocketFlow warns at the end of every loop that no successor has the action, which would take most of the time.
  console.warn = () => {};
  const flow = new Flow(nodes.get(workload.start));
  return async () => {
    seen.calls = 0;
    await flow.run({ last: null });
    return seen.calls;
  };
}
