// A short run leaves its parts in the engine to the next run of its plan. No run may notice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, run } from "../../dist/node.js";

const PLAN = `
start: first
nodes:
  first: {type: work}
  second: {type: work, input: "\${output.first}"}
  third: {type: work}
edges:
  - {from: first, to: second, condition: last.n > 1}
  - {from: first, to: third}
  - {from: second, to: third}
`;

/** Of the reports of two runs, only the times differ. */
function plain(report) {
  return JSON.parse(
    JSON.stringify(report, (key, value) => (key === "atMs" || key === "durationMs" ? undefined : value)),
  );
}

/** Options of runs that differ in whatever the engine keeps of a run. */
function variants() {
  const answer = (node) => ({ n: Number(node.input?.n ?? node.input ?? 0) + 1, of: node.id });
  const handlers = { work: async (node) => answer(node) };
  const fails = { work: () => Promise.reject(new Error("no")) };
  return {
    plain: { handlers, input: 1 },
    "the other branch": { handlers, input: -5 },
    "without a trace": { handlers, input: 1, trace: false },
    "two visits at most": { handlers, input: 1, limits: { steps: 2 } },
    "one call at most": { handlers, input: 1, limits: { calls: 1 } },
    "another input": { handlers, input: { n: "7" } },
    "a failed handler": { handlers: fails, input: 1 },
    memory: { handlers, input: 1, memory: { seen: [1, 2] } },
    "a context": { handlers, input: 1, context: { user: "ada" } },
    outputs: { handlers, input: 1, outputs: { earlier: 3 } },
    stubs: { input: 1, stubs: { types: { work: { return: 5 } } } },
    "a plain function": { handlers: { work: answer }, input: 1 },
    "further outputs": { handlers: { work: (node, state) => state.write(`${node.id}-more`, node.input) }, input: 1 },
  };
}

async function fresh(options) {
  const graph = PlanGraph.load(PLAN);
  const report = plain(await run(graph, options));
  graph.free();
  return report;
}

test("a run equals the first run of its plan, whatever ran before", async () => {
  const graph = PlanGraph.load(PLAN);
  const all = Object.entries(variants());
  const expected = new Map(await Promise.all(all.map(async ([name, options]) => [name, await fresh(options)])));
  for (const [before, first] of all)
    for (const [name, options] of all) {
      await run(graph, first);
      assert.deepEqual(plain(await run(graph, options)), expected.get(name), `${name} after ${before}`);
    }
});

test("listeners of a run get its events alone", async () => {
  const graph = PlanGraph.load(PLAN);
  const { plain: options } = variants();
  for (let round = 0; round < 3; round++) {
    const events = [];
    const report = await run(graph, { ...options, onEvent: (event) => events.push(event) });
    await run(graph, options);
    assert.deepEqual(plain(events), plain(report.trace));
  }
});

test("a report keeps its values and trace while later runs reuse its parts", async () => {
  const graph = PlanGraph.load(PLAN);
  const { plain: options } = variants();
  const reports = [];
  for (let input = 0; input < 20; input++) reports.push(await run(graph, { ...options, input }));
  for (const [input, report] of reports.entries())
    assert.deepEqual(plain(report), await fresh({ ...options, input }), `input ${input}`);
});

test("the state of an ended run reaches no later run", async () => {
  const graph = PlanGraph.load(PLAN);
  const states = [];
  const handlers = {
    work: async (node, state) => {
      states.push(state);
      return node.input;
    },
  };
  await run(graph, { handlers, input: "secret of the first" });
  const [old] = states.splice(0);
  let seen;
  const late = {
    work: async (node) => {
      seen = [old.last, old.input, old.output("first")];
      assert.throws(() => old.write("first", "forged"), { code: "run/finished" });
      return node.input;
    },
  };
  const report = await run(graph, { handlers: late, input: "secret of the second" });
  assert.deepEqual(seen, [undefined, undefined, undefined]);
  assert.equal(report.last, "secret of the second");
});

test("runs at once do not share their parts", async () => {
  const graph = PlanGraph.load(PLAN);
  const { plain: options } = variants();
  const inputs = Array.from({ length: 40 }, (_, at) => at);
  for (let round = 0; round < 3; round++) {
    const reports = await Promise.all(inputs.map((input) => run(graph, { ...options, input })));
    for (const [input, report] of reports.entries())
      assert.deepEqual(plain(report), await fresh({ ...options, input }), `input ${input}`);
  }
});

test("a run started within a handler of another works", async () => {
  const graph = PlanGraph.load(PLAN);
  const { plain: options } = variants();
  const inner = [];
  const handlers = {
    work: async (node) => {
      if (inner.length < 6) inner.push(await run(graph, options));
      return options.handlers.work(node);
    },
  };
  await run(graph, options);
  const outer = await run(graph, { handlers, input: 1 });
  assert.deepEqual(plain(outer), await fresh(options));
  for (const report of inner) assert.deepEqual(plain(report), await fresh(options));
});

test("a plan that is freed during a run ends the run as usual", async () => {
  const graph = PlanGraph.load(PLAN);
  const { plain: options } = variants();
  await run(graph, options);
  const handlers = {
    work: async (node) => {
      graph.free();
      return options.handlers.work(node);
    },
  };
  const report = await run(graph, { handlers, input: 1 });
  assert.equal(report.outcome.type, "completed");
  await assert.rejects(run(graph, options), { code: "api/freed" });
});
