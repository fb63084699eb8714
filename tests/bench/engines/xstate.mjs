// XState: a state per node that invokes a promise actor. Conditions are guards of `onDone`.
import { assign, createActor, createMachine, fromPromise, toPromise } from "xstate";
import { edgesByNode, evaluateCondition } from "../conditions.mjs";
import { work } from "../workloads.mjs";

export async function prepare(workload) {
  const { seen, handler } = work(workload);
  const leaving = edgesByNode(workload);
  const keep = assign({ last: ({ event }) => event.output });
  const transition = ({ condition, to }) => {
    if (!condition) return { target: to, actions: keep };
    const local = { ...condition, node: null };
    return { target: to, actions: keep, guard: ({ event }) => evaluateCondition(local, event.output) };
  };
  const states = { end: { type: "final" } };
  for (const id of workload.ids) {
    const onDone = [...leaving.get(id).map(transition), { target: "end", actions: keep }];
    states[id] = { invoke: { src: "work", onDone } };
  }
  const machine = createMachine(
    { context: { last: null }, initial: workload.start, states },
    { actors: { work: fromPromise(handler) } },
  );
  return async () => {
    seen.calls = 0;
    const actor = createActor(machine);
    const done = toPromise(actor);
    actor.start();
    await done;
    return seen.calls;
  };
}
