// Tests random runs moved to changed plans on an unchangeable journal, such as Restate's: they equal runs of the
// changed plan.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph } from "../../dist/node.js";
import { durable, inMemory } from "./drivers/durable.mjs";
import { generate } from "./drivers/generate.mjs";
import { Random } from "./drivers/random.mjs";
import { changePlan } from "./upgrade/change-plan.mjs";

const PLANS = 150;
const CHANGES = 6;
const accept = { acceptChangedPlan: "proved" };

const parsed = (plan) => {
  const { graph } = PlanGraph.parse(JSON.stringify(plan));
  return graph?.valid ? graph : null;
};

/** A journal in memory that poses as the one of an engine. */
const hosted = (lines) => (options, time, cutAfter) =>
  Object.assign(inMemory(lines)(options, time, cutAfter), { recordsWork: true });

const choicesOf = ({ lines }) =>
  lines.map((line) => JSON.parse(line)).flatMap(({ name, value }) => (name?.endsWith(".plan") ? [value.output] : []));

/** Null if the host can't run the plan, or the plan waits forever. */
async function drive(...args) {
  try {
    return await durable(...args);
  } catch (error) {
    if (error.code === "durable/host-changed" || /nothing is due/.test(error.message)) return null;
    throw error;
  }
}

/** An edge's index counts all edges of its plan. Branches may end in another order after the pause. */
const eventsOf = (trace) =>
  trace
    .replace(/"edge":\d+,/g, "")
    .split("\n")
    .sort();

async function continued(name, { old, graph, changed, whole, kept }) {
  const lines = whole.lines.slice(0, kept);
  const at = whole.log.times[kept];
  const asked = new Map([...whole.host.asked].filter(([, time]) => at === undefined || time <= at));
  const more = { ...accept, ...(at !== undefined && { at }), asked };
  const got = await drive([graph, old], changed, hosted([...lines]), more);
  if (got === null || !choicesOf(got).includes(graph.hash)) return false;
  const wanted = await drive(graph, changed, hosted([]), accept);
  if (wanted === null) return false;
  assert.equal(got.state, wanted.state, `${name}: the state`);
  assert.deepEqual(eventsOf(got.trace), eventsOf(wanted.trace), `${name}: the trace`);
  const edgesOf = ({ report }) => report.trace.map(({ type, scope, edge }) => `${type} ${scope ?? edge}`).sort();
  assert.deepEqual(edgesOf(got), edgesOf(wanted), name);
  const again = await drive([graph, old], changed, hosted([...got.lines]), accept);
  assert.deepEqual([again.state, again.host.made.length], [got.state, 0], `${name}: the replay`);
  return true;
}

test("a run on an engine's journal that moves equals a run of the changed plan", async () => {
  const counts = { compared: 0, moved: 0 };
  const plans = Math.ceil(PLANS * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  for (let seed = 1; seed <= plans; seed++) {
    const one = generate(seed);
    const old = parsed(one.plan);
    if (one.isRace || old === null) continue;
    const whole = await drive(old, one, hosted([]), accept);
    if (whole === null || choicesOf(whole).length === 0) continue;
    const random = new Random("hosted", seed);
    for (let at = 0; at < CHANGES; at++) {
      const plan = changePlan(one.plan, `${seed}/${at}`);
      const graph = parsed(plan);
      const kept = 2 + random.below(Math.max(1, whole.lines.length - 2));
      if (graph === null || graph.hash === old.hash) continue;
      counts.compared++;
      const parts = { old, graph, changed: { ...one, plan }, whole, kept };
      if (await continued(`seed ${seed}, change ${at}, ${kept} entries`, parts)) counts.moved++;
    }
  }
  console.log(counts);
  assert.ok(counts.moved > 0.05 * counts.compared, "few runs move");
});
