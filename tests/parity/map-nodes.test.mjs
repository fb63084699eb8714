// Tests that renaming nodes of a paused run equals pausing a run of the renamed plan, and can be undone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRun, mapNodes, PlanGraph, run } from "../../dist/node.js";
import { editPlan } from "../../dist/editor/node.js";
import { comparableResult } from "./drivers/comparable.mjs";
import { generate } from "./drivers/generate.mjs";
import { driveManually } from "./drivers/manual-driver.mjs";
import { Random } from "./drivers/random.mjs";

const PLANS = 150;

const parsed = (text) => {
  const { graph } = PlanGraph.parse(text);
  return graph?.valid ? graph : null;
};

/** Null if the plan can't run on this host, or waits forever. */
function drive(...args) {
  try {
    return driveManually(...args);
  } catch (error) {
    if (error.code === "api/invalid-plan" || /nothing is due/.test(error.message)) return null;
    throw error;
  }
}

const placeOf = ({ plan, state }) => JSON.stringify([plan, state.graphs, state.path]);

/** A failure with another name is another value. Printing may move keys. */
function withValues({ plan: _plan, values, state, ...rest }) {
  const [root, ...scopes] = state.scope_states;
  const error = root.error === null ? null : values[root.error];
  return { ...rest, state: { ...state, scope_states: [{ ...root, error }, ...scopes] } };
}

test("a run with renamed nodes stands where a run of the renamed plan stands", () => {
  const counts = { compared: 0, equal: 0 };
  const plans = Math.ceil(PLANS * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  for (let seed = 1; seed <= plans; seed++) {
    const one = generate(seed);
    const old = parsed(JSON.stringify(one.plan));
    if (one.isRace || old === null) continue;
    const steps = drive(old, one, {})?.steps ?? 0;
    if (steps < 2) continue;
    const random = new Random("names", seed);
    const cancelAt = 1 + random.below(steps - 1);
    const first = drive(old, one, { cancelAt });
    if (!first?.snapshot) continue;
    const keys = old.nodes.flatMap(({ key, scope }) => (scope === undefined ? [key] : []));
    const node = keys[random.below(keys.length)];
    const snapshot = JSON.parse(JSON.stringify(first.snapshot));
    const name = `renamed ${node}`;
    let mapped;
    try {
      mapped = mapNodes(snapshot, { [node]: name }, { from: old, editPlan });
    } catch (error) {
      assert.match(error.message, /can't have these names|can't keep|may come from the name/);
      continue;
    }
    counts.compared++;
    assert.deepEqual(compareRun(mapped.from, mapped.snapshot), { proved: true, conflicts: [] });
    const back = mapNodes(mapped.snapshot, { [name]: node }, { from: mapped.from, editPlan });
    assert.equal(back.from.hash, old.hash, `seed ${seed}`);
    assert.deepEqual(withValues(back.snapshot), withValues(snapshot), `seed ${seed}`);
    // A random host may answer a renamed node otherwise.
    const own = drive(mapped.from, { ...one, plan: mapped.from.toJSON() }, { cancelAt });
    if (own?.snapshot && placeOf(own.snapshot) === placeOf(mapped.snapshot)) counts.equal++;
  }
  console.log(counts);
  assert.ok(counts.equal > 0.7 * counts.compared, "few renamed runs stand at the same place");
});

const load = (text) => PlanGraph.load(text);
const FAN = `
nodes:
  first: {type: fails, input: x}
  fan: {type: parallel, branches: {a: {nodes: {ask: {type: approve}}}, b: {nodes: {say: {type: log, input: b}}}}}
  end: {type: log, input: '\${output.fan.a} \${output.first ?? error.node ?? "none"}'}
edges: [{from: first, to: fan, condition: error.node == first}, {from: fan, to: end}]
start: first
`;

test("open approvals and failures have the new names", async () => {
  const handlers = {
    fails: () => {
      throw new Error("no");
    },
  };
  const paused = await run(load(FAN), { input: "in", handlers });
  const names = { first: "begin", fan: "a fan" };
  const { from, snapshot } = mapNodes(paused.snapshot, names, { from: load(FAN), editPlan });
  const renamed = FAN.replaceAll("first", "begin")
    .replace("  fan:", '  "a fan":')
    .replaceAll("from: fan", 'from: "a fan"');
  const changed = load(renamed.replace("to: fan", 'to: "a fan"').replaceAll("output.fan.", 'output["a fan"].'));
  assert.deepEqual(compareRun(changed, snapshot, { from }), { proved: true, conflicts: [] });
  const decisions = { "a fan:1/a/ask:1:1": "approved" };
  const report = await run(changed, { snapshot, handlers, decisions, acceptChangedPlan: "proved" });
  assert.deepEqual([report.outcome.type, report.path], ["completed", ["begin", "a fan", "end"]]);
  const whole = await run(changed, { input: "in", handlers, decisions });
  assert.equal(comparableResult(report).state, comparableResult(whole).state);
});

test("a conversation that is named like a node keeps its name", async () => {
  const text = (name) => `
nodes:
  ${name}: {type: llm, input: q, with: {conversation: a}}
  ask: {type: approve}
  b: {type: llm, input: r, with: {conversation: a}}
edges: [{from: ${name}, to: ask}, {from: ask, to: b}]
`;
  const models = {
    default: async ({ messages }) => ({ text: messages.map(({ content }) => content).join("|"), finish: "stop" }),
  };
  const paused = await run(load(text("a")), { models });
  const { from, snapshot } = mapNodes(paused.snapshot, { a: "c" }, { from: load(text("a")), editPlan });
  assert.ok(compareRun(load(text("c")), snapshot, { from }).proved);
  const decisions = { "ask:1:1": "approved" };
  const options = { models, decisions };
  const report = await run(load(text("c")), { snapshot, ...options, acceptChangedPlan: "proved" });
  assert.equal(report.last, (await run(load(text("c")), options)).last);
});

test("a run whose data may hold the name of a node can't be renamed", async () => {
  const handlers = {
    bad: () => {
      throw new Error("no");
    },
  };
  const fan = load(`
nodes:
  fan: {type: parallel, with: {join: settled}, branches: {a: {nodes: {q: {type: bad}}}}}
  ask: {type: approve}
edges: [{from: fan, to: ask}]
`);
  const paused = await run(fan, { handlers });
  assert.throws(() => mapNodes(paused.snapshot, { fan: "other" }, { from: fan, editPlan }), {
    code: "api/bad-option",
    message: /the run has the value "fan:1\/a", which may come from the name of `fan`/,
  });
});

test("wrong names are refused", async () => {
  const { snapshot } = await run(load(FAN), { input: "in", handlers: { fails: () => "ok" } });
  const { snapshot: open } = await run(load("nodes: {ask: {type: approve}}"), {});
  assert.equal(snapshot, null);
  const from = load("nodes: {ask: {type: approve}}");
  const map = (names, options = { from, editPlan }) => mapNodes(open, names, options);
  assert.throws(() => map({ aks: "x" }), { code: "api/unknown-node", message: /did you mean `ask`\?/ });
  assert.throws(() => map({ ask: 1 }), { code: "api/bad-option" });
  assert.throws(() => map({ ask: "" }), { code: "api/bad-option", message: /can't have these names/ });
  assert.throws(() => map({ ask: "x" }, { from: load(FAN), editPlan }), { code: "api/bad-option" });
  assert.throws(() => map({ ask: "x" }, { from }), { code: "api/bad-option" });
});
