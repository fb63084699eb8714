// Tests that the approval of an `approve` node counts for the call that its question shows, and for no other.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as engine from "../../dist/node.js";
import { scripts } from "./runner.mjs";

const { callAfter, GivenApprovals, RunnerClient } = await scripts("run/guarded-calls.ts", "run/client.ts");

const PLAN = {
  inputs: { order: { type: "string", default: "A-1" } },
  nodes: {
    ask: { type: "approve", input: "Refund it?" },
    refund: { type: "tool", tool: "refund", input: { order: "${input.order}", note: "for ${input.order}" } },
    keep: { type: "log", input: "kept" },
  },
  edges: [
    { from: "ask", to: "refund", condition: 'last == "approved"' },
    { from: "ask", to: "keep" },
  ],
};
const callsAfter = async (plan, path, input, outputs = {}) => {
  const found = await callAfter(plan, path.split("/"), { input, outputs }, engine);
  return typeof found === "object" ? [found] : [];
};
const planScope = (scope) => scope.replaceAll(/:\d+/g, "");
const paths = { planScope, nodePath: (scope, node) => [planScope(scope), node].filter(Boolean).join("/") };
const shown = { order: "A-1", note: "for A-1" };

test("the calls after an approval are known with the run's inputs", async () => {
  assert.deepEqual(await callsAfter(PLAN, "ask", null), [{ node: "refund", tool: "refund", arguments: shown }]);
  const [other] = await callsAfter(PLAN, "ask", { order: "A-2" });
  assert.deepEqual(other.arguments, { order: "A-2", note: "for A-2" });
  const edges = [
    { from: "ask", to: "keep", condition: 'last == "rejected"' },
    { from: "ask", to: "refund" },
  ];
  assert.equal((await callsAfter({ ...PLAN, edges }, "ask", null))[0].tool, "refund", "the way of all but a rejection");
  const toolsAfter = async (condition, { to = "refund", more = [], nodes = PLAN.nodes } = {}) => {
    const edge = { from: "ask", to, ...(condition && { condition }) };
    return (await callsAfter({ ...PLAN, nodes, edges: [edge, ...more] }, "ask")).map(({ tool }) => tool);
  };
  for (const condition of [
    undefined,
    "default",
    '"approved" == last',
    '(last == "approved")',
    'last in ["approved"] || false',
    'output["ask"] == "approved"',
    'output.ask != "rejected" && input.order == "A-1"',
  ])
    assert.deepEqual(await toolsAfter(condition), ["refund"], condition);
  for (const condition of ['last == "rejected"', 'last == "approved" && input.order == "A-2"', "memory.x == 1"])
    assert.deepEqual(await toolsAfter(condition), [], condition);
  const keep = { from: "ask", to: "keep", condition: 'last == "approved"' };
  assert.deepEqual(await toolsAfter("default", { more: [keep] }), []);
  const again = { from: "ask", to: "ask" };
  assert.deepEqual(await toolsAfter('last == "approved"', { more: [again] }), ["refund"]);
  assert.deepEqual(await toolsAfter('last == "rejected"', { more: [again] }), [], "it asks for ever");
  const log = { ...PLAN.nodes, log: { type: "tool", tool: "log", input: {} } };
  assert.deepEqual(await toolsAfter("default", { to: "log", nodes: log }), ["log"], "a tool with the name of a type");
  const nodes = { ...PLAN.nodes, write: { type: "write_file", input: {} } };
  assert.deepEqual(await toolsAfter("default", { to: "write", nodes }), ["write_file"], "a type is a tool's name");
  const inner = { nodes: { g: { type: "graph", graph: PLAN } } };
  const [nested] = await callsAfter(inner, "g/ask", { order: "A-2" });
  assert.deepEqual(nested.arguments, { order: "A-2", note: "for A-2" });
  const [empty] = await callsAfter(inner, "g/ask", {});
  assert.deepEqual(empty.arguments, PLAN.nodes.refund.input, "a graph inside has no defaults");
});

test("arguments are filled in as if the question was approved", async () => {
  const filled = async (input, output = { find: { id: 7, tags: ["a}"] } }) => {
    const refund = { ...PLAN.nodes.refund, input };
    return (await callsAfter({ ...PLAN, nodes: { ...PLAN.nodes, refund } }, "ask", null, output))[0].arguments;
  };
  for (const [written, expected] of [
    ["${output.find.id}", 7],
    ["${output.find}", { id: 7, tags: ["a}"] }],
    ["no. ${output.find.id + 1} of ${input.order}", "no. 8 of A-1"],
    ["${output.ask.total ?? output.find.id}", 7],
    ["${last} ${{\"k}\": 5}['k}']}", "approved 5"],
    [{ deep: ["${output.find.tags}"] }, { deep: [["a}"]] }],
    ["tags: ${output.find.tags}", 'tags: ["a}"]'],
    ["$${output.find.id}", "${output.find.id}"],
    ["no error in item ${output.find.id}", "no error in item 7"],
    ['${output.find.error ?? "error"}', "error"],
    ["${ {'a': 1}.a + memory.x }", "${ {'a': 1}.a + memory.x }"],
    // Nothing is known of these, so that the call asks again.
    ["${output.later.id}", "${output.later.id}"],
    ["${memory.id ?? output.find.id}", "${memory.id ?? output.find.id}"],
    ["${output.find.id", "${output.find.id"],
  ])
    assert.deepEqual(await filled(written), expected, JSON.stringify(written));
  const whole = {
    ...PLAN,
    inputs: undefined,
    nodes: { ...PLAN.nodes, refund: { ...PLAN.nodes.refund, input: "${input}" } },
  };
  for (const input of ["x", 5, [1], { a: 1 }])
    assert.deepEqual((await callsAfter(whole, "ask", input))[0].arguments, input);
  const named = {
    ...PLAN,
    nodes: {
      ask: { ...PLAN.nodes.ask, id: "answer" },
      refund: { ...PLAN.nodes.refund, id: "paid", input: "${output.answer} by ${context.user_email}" },
    },
    edges: [{ from: "ask", to: "refund", condition: 'output.answer == "approved"' }],
  };
  const known = { input: null, context: { user_email: "a@b.example" }, outputs: {} };
  assert.deepEqual(await callAfter(named, ["ask"], known, engine), {
    node: "paid",
    tool: "refund",
    arguments: "approved by a@b.example",
  });
  const text = { ...PLAN.nodes.refund, input: "${input.order}", with: { templates: false } };
  const [asWritten] = await callsAfter({ ...PLAN, nodes: { ...PLAN.nodes, refund: text } }, "ask", null);
  assert.equal(asWritten.arguments, "${input.order}");
});

test("an approval counts once, for the tool and the arguments that were shown, right after the question", async () => {
  const ended = (type, node) => ({ type, node, output: 1 });
  const afterAsk = [ended("node-completed", "ask")];
  const approved = async (more = {}, { decision = "approved", trace = afterAsk, again = false } = {}) => {
    const given = new GivenApprovals();
    const run = (trace) => ({ plan: () => PLAN, paths, trace, engine });
    const ask = { scope: "", node: "ask", input: "Refund it?" };
    await given.decide(ask, run([]), async () => decision);
    if (again) await given.decide(ask, run(trace), async () => "rejected");
    const call = { scope: "", node: "refund", tool: "refund", input: { arguments: shown }, ...more };
    const decide = () => given.decide(call, run(trace), async () => "asked");
    return [await decide(), await decide()];
  };
  const { note, order } = shown;
  assert.deepEqual(await approved(), ["approved", "asked"], "once");
  assert.deepEqual(await approved({ input: { arguments: { note, order } } }), ["approved", "asked"], "in any order");
  for (const more of [
    { scope: "fan:1" },
    { node: "other" },
    { tool: "delete" },
    { input: { arguments: { ...shown, order: "A-9" } } },
  ])
    assert.deepEqual(await approved(more), ["asked", "asked"], JSON.stringify(more));
  for (const [why, state] of Object.entries({
    "it was rejected": { decision: "rejected" },
    "another value was given": { decision: { value: 1 } },
    "a later visit was rejected": { again: true },
    "another node ran meanwhile": { trace: [...afterAsk, ended("node-completed", "other")] },
    "another node failed meanwhile": { trace: [...afterAsk, ended("node-failed", "other")] },
  }))
    assert.deepEqual(await approved({}, state), ["asked", "asked"], why);
});

/** Answers all questions, and returns them with the calls that were made. */
async function runWith(plan, answer, start = {}) {
  const called = [];
  const tools = [
    {
      name: "page",
      list: async () => [{ name: "refund", input_schema: { type: "object" }, annotations: { destructiveHint: true } }],
      close: async () => {},
      call: async (_name, args) => (called.push(args), { value: { done: true }, isError: false }),
    },
  ];
  const questions = [];
  let done;
  const over = new Promise((resolve) => (done = resolve));
  const client = new RunnerClient({ worker: new URL("none:"), wasm: new URL("none:") }, (line) => {
    const message = JSON.parse(line);
    if (message.type === "approval") {
      questions.push([message.nodePath, message.next?.tool ?? null]);
      client.send({ type: "decide", call: message.call, decision: answer });
    }
    if (message.type === "ended") done();
  });
  client.send({ type: "start", plan: JSON.stringify(plan), ...start }, { tools, models: {} });
  await over;
  return { questions, called };
}

test("a run asks once for an approved call, and again for one whose arguments were unknown", async () => {
  assert.deepEqual(await runWith(PLAN, "approved"), { questions: [["ask", "refund"]], called: [shown] });
  assert.deepEqual(await runWith(PLAN, "rejected"), { questions: [["ask", "refund"]], called: [] });
  const refund = { ...PLAN.nodes.refund, input: { order: "${output.find}" } };
  const computed = {
    start: "find",
    nodes: { find: { type: "log", input: "A-7" }, ask: PLAN.nodes.ask, refund, keep: PLAN.nodes.keep },
    edges: [{ from: "find", to: "ask" }, ...PLAN.edges],
  };
  const known = await runWith(computed, "approved");
  assert.deepEqual(known, { questions: [["ask", "refund"]], called: [{ order: "A-7" }] });
  computed.nodes.refund = { ...refund, input: { order: "${[output.find]}" } };
  computed.nodes.refund.input.note = "n ${output.find ?? output.ask} ${[1]}";
  const once = await runWith(computed, "approved");
  assert.deepEqual(once, { questions: [["ask", "refund"]], called: [{ order: ["A-7"], note: "n A-7 [1]" }] });
  computed.nodes.refund.input.note = "${memory.note ?? output.find}";
  const { questions, called } = await runWith(computed, "approved");
  assert.deepEqual(questions, [
    ["ask", "refund"],
    ["refund", null],
  ]);
  assert.deepEqual(called, [{ order: ["A-7"], note: "A-7" }]);
});

test("a graph inside knows its own input, and an element of a list itself", async () => {
  const graph = { start: "ask", nodes: PLAN.nodes, edges: PLAN.edges };
  const inner = { start: "g", nodes: { g: { type: "graph", input: { order: "A-3" }, graph } } };
  assert.deepEqual(await runWith(inner, "approved"), {
    questions: [["g/ask", "refund"]],
    called: [{ order: "A-3", note: "for A-3" }],
  });
  const around = {
    start: "who",
    nodes: {
      who: { type: "log", input: "A-8" },
      g: {
        type: "graph",
        graph: {
          ...graph,
          nodes: { ...PLAN.nodes, refund: { ...PLAN.nodes.refund, input: { o: "${output.who ?? 1}" } } },
        },
      },
    },
    edges: [{ from: "who", to: "g" }],
  };
  assert.deepEqual(await runWith(around, "approved"), { questions: [["g/ask", "refund"]], called: [{ o: "A-8" }] });
  // A node of the graph hides the one around it, also before it runs.
  const own = { ...around.nodes.g.graph.nodes, who: { type: "log", input: "A-9" } };
  const edges = [...PLAN.edges, { from: "refund", to: "who" }];
  const hidden = {
    ...around,
    nodes: { ...around.nodes, g: { type: "graph", graph: { ...graph, nodes: own, edges } } },
  };
  assert.deepEqual(await runWith(hidden, "approved"), { questions: [["g/ask", "refund"]], called: [{ o: 1 }] });
  const later = { from: "ask", to: "refund", condition: 'output.who == "A-8"' };
  hidden.nodes.g.graph.edges = [later, { from: "ask", to: "keep" }, { from: "keep", to: "who" }];
  assert.deepEqual(await runWith(hidden, "approved"), { questions: [["g/ask", null]], called: [] });
  const note = "${index}: ${output.find.text} of ${input}";
  const each = {
    start: "find",
    nodes: {
      find: { type: "log", input: { text: "$${n}" } },
      ...PLAN.nodes,
      refund: { ...PLAN.nodes.refund, input: { order: "${item}", note } },
    },
    edges: [{ from: "find", to: "ask" }, ...PLAN.edges],
  };
  const map = { type: "map", input: ["A-4", "A-5"], with: { concurrency: 1 }, do: each };
  assert.deepEqual(await runWith({ start: "m", nodes: { m: map } }, "approved"), {
    questions: Array(2).fill(["m/ask", "refund"]),
    called: ["A-4", "A-5"].map((order, at) => ({ order, note: `${at}: \${n} of ${order}` })),
  });
});

test("an approval at the end of a graph counts for the call after the graph", async () => {
  const graph = { start: "ask", nodes: { ask: PLAN.nodes.ask } };
  const outside = {
    ...PLAN,
    start: "box",
    nodes: {
      ...PLAN.nodes,
      box: { type: "graph", graph: { start: "inner", nodes: { inner: { type: "graph", graph } } } },
    },
    edges: PLAN.edges.map((edge) => ({ ...edge, from: "box" })),
  };
  const questions = [["box/inner/ask", "refund"]];
  assert.deepEqual(await runWith(outside, "approved"), { questions, called: [shown] });
  assert.deepEqual(await runWith(outside, "rejected"), { questions, called: [] });

  const given = new GivenApprovals();
  const run = (trace) => ({ plan: () => outside, paths, trace, engine });
  const ask = (visit) => ({ scope: `box:${visit}/inner:1`, node: "ask", input: "?" });
  const call = { scope: "", node: "refund", tool: "refund", input: { arguments: shown } };
  const ended = [{ type: "node-completed", node: "box", output: "approved" }];
  await given.decide(ask(1), run([]), async () => "approved");
  await given.decide(ask(2), run(ended), async () => "rejected");
  assert.equal(await given.decide(call, run(ended), async () => "asked"), "asked", "the later visit was rejected");
  await given.decide(ask(3), run(ended), async () => "approved");
  assert.equal(await given.decide(call, run(ended), async () => "asked"), "approved");
});

test("an approval does not outlast another way of the run", async () => {
  const ask = { type: "approve", input: "Refund it?" };
  const elsewhere = {
    start: "ask",
    nodes: { ask, again: { ...ask, input: "After all?" }, n: { type: "noop" }, refund: PLAN.nodes.refund },
    inputs: PLAN.inputs,
    edges: [
      { from: "ask", to: "refund", condition: 'last == "approved" && input.order == "none"' },
      { from: "ask", to: "again" },
      { from: "again", to: "n", condition: 'last == "approved"' },
      { from: "n", to: "refund" },
    ],
  };
  const { questions } = await runWith(elsewhere, "approved");
  assert.deepEqual(
    questions.map(([node]) => node),
    ["ask", "again", "refund"],
  );
});

test("a test calls no tool, so its decisions approve none", async () => {
  const tests = [{ name: "t", decisions: { refund: "approved" }, expect: { outcome: "completed" } }];
  const plan = { start: "refund", nodes: { refund: { ...PLAN.nodes.refund, input: {} } }, tests };
  assert.deepEqual(await runWith(plan, "rejected", { test: "t" }), { questions: [], called: [] });
});
