// Tests the review of fifty requests of nine kinds: with the demonstration model, and with its plans made worse.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { count, demo, judge, planRequest, requests } from "./measure-requests.mjs";

let records = [];

before(async () => {
  records = await Promise.all(
    requests.map(async (one) => ({ ...one, record: await planRequest(one.request, { default: demo }) })),
  );
});

const planOf = ({ record }) => (record.status === "partial_solution" ? record.partial : record);

test("the demonstration model's plans have all approvals, and no unmet sentence is green", () => {
  assert.equal(records.length, 50);
  assert.deepEqual(count(records.map((one) => judge(one.record, one))), {
    plans: 42,
    green: 42,
    "green plans with a sentence unmet": 0,
    sentences: 89,
    met: 72,
    "false green": 0,
    "false red": 0,
    "approvals asked": 10,
    "approvals in the plan": 10,
    "approvals missing and not red": 0,
  });
});

test("each request without a plan says why", () => {
  for (const one of records.filter((one) => planOf(one).status !== "planned")) {
    assert.equal(one.record.status, "impossible_requirements", one.request);
    assert.ok(one.record.missing_capabilities.length > 0, one.request);
  }
  const partial = records.filter(({ record }) => record.status === "partial_solution");
  for (const { record } of partial) assert.ok(record.missing_capabilities.length > 0, record.request);
});

/** Each returns a worse plan, or null if it changes nothing. The planner still claims that its nodes meet all. */
const MUTATIONS = {
  "without the person": (plan) => without(plan, ({ type }) => type === "approve"),
  "with a person who can't refuse": (plan) => {
    const edges = plan.edges.map((edge) => ({ ...edge, condition: "always" }));
    return plan.edges.some(({ condition }) => condition !== undefined) ? { ...plan, edges } : null;
  },
  "with the person at the end": (plan) => {
    const [id, node] = Object.entries(plan.nodes).find(([, { type }]) => type === "approve") ?? [];
    const rest = id === undefined ? null : without(plan, ({ type }) => type === "approve");
    const last = rest && Object.keys(rest.nodes).at(-1);
    return rest && { ...rest, nodes: { ...rest.nodes, [id]: node }, edges: [...rest.edges, { from: last, to: id }] };
  },
  "with a model for each changing tool": (plan) =>
    changed(plan, isChanging, ({ metadata }) => ({ type: "llm", input: "${last}", metadata })),
  "without its last node": (plan) => {
    const last = Object.keys(plan.nodes).at(-1);
    return Object.keys(plan.nodes).length > 1 ? without(plan, (_, id) => id === last) : null;
  },
  "to somebody else": (plan) =>
    changed(
      plan,
      ({ tool }) => tool === "send_message",
      (node) => ({ ...node, input: { ...node.input, to: "eve@example.net" } }),
    ),
  "of another order": (plan) =>
    changed(
      plan,
      ({ input }) => input?.order_id,
      (node) => ({ ...node, input: { ...node.input, order_id: "A-9999" } }),
    ),
  "with a refund more": (plan) => added(plan, { type: "tool", tool: "refund_order", input: { order_id: "A-1001" } }),
  "with a deletion more": (plan) => added(plan, { type: "tool", tool: "delete_file", input: { path: "notes/x.md" } }),
  "with a message more": (plan) =>
    added(plan, { type: "tool", tool: "send_message", input: { to: "eve", text: "${last}" } }),
};

const isChanging = ({ tool }) => /refund|delete|send|write|create/.test(tool ?? "");

function without(plan, drops) {
  const nodes = Object.fromEntries(Object.entries(plan.nodes).filter(([id, node]) => !drops(node, id)));
  const ids = Object.keys(nodes);
  if (ids.length === Object.keys(plan.nodes).length) return null;
  return { ...plan, start: ids[0], nodes, edges: ids.slice(1).map((to, at) => ({ from: ids[at], to })) };
}

function changed(plan, picks, change) {
  const nodes = Object.fromEntries(
    Object.entries(plan.nodes).map(([id, node]) => [id, picks(node) ? change(node) : node]),
  );
  return Object.values(plan.nodes).some(picks) ? { ...plan, nodes } : null;
}

function added(plan, node) {
  const last = Object.keys(plan.nodes).at(-1);
  const metadata = plan.nodes[last].metadata;
  return {
    ...plan,
    nodes: { ...plan.nodes, more: { ...node, metadata } },
    edges: [...plan.edges, { from: last, to: "more" }],
  };
}

for (const [name, mutate] of Object.entries(MUTATIONS))
  test(`a plan ${name} is not green if it misses a sentence`, () => {
    let missed = 0;
    for (const one of records.filter((one) => planOf(one).status === "planned")) {
      const workflow = mutate(planOf(one).workflow);
      if (workflow === null) continue;
      const plan = { ...planOf(one), workflow };
      const record = one.record === planOf(one) ? { ...one.record, ...plan } : { ...one.record, partial: plan };
      const { green, sentences } = judge(record, one);
      const unmet = sentences.filter(({ met, shown }) => !met && shown !== "left out");
      if (unmet.length > 0) missed++;
      const isWrong = unmet.some(({ shown }) => shown !== "red") || (green && unmet.length > 0);
      assert.ok(!isWrong, `${one.request}\n${JSON.stringify(unmet)}\n${JSON.stringify(workflow)}`);
    }
    assert.ok(missed > 0, "the change breaks some plan");
  });
