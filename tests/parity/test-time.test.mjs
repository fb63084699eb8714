// Tests that plan tests skip waits, keep the order of timers, and give functions of the host their real time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, runTests } from "../../dist/node.js";

const HOUR = 3_600_000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function parse(text) {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph?.valid, JSON.stringify(diagnostics));
  return graph;
}

async function results(text, options) {
  const all = await runTests(parse(text), options);
  for (const { name, differences } of all) assert.deepEqual(differences, [], name);
  return all;
}

test("a test waits for no day, and its report has the day", async () => {
  const [{ report, durationMs }] = await results(`
start: pause
nodes: {pause: {type: wait, with: {ms: 24h}}, later: {type: wait, with: {until: "2126-01-01T00:00:00Z"}}}
edges: [{from: pause, to: later}]
tests: [{name: both, input: 7, expect: {path: [pause, later], last: 7}}]
`);
  assert.ok(report.durationMs > 24 * HOUR, String(report.durationMs));
  assert.ok(durationMs < HOUR, String(durationMs));
  assert.ok(Math.abs(report.trace[0].atMs - Date.now()) < HOUR, "the run begins now");
});

test("the first of several waits ends first", async () => {
  const race = (a, b) => `
nodes:
  race:
    type: parallel
    with: {join: any}
    branches:
      a: {start: w, nodes: {w: {type: wait, with: {ms: ${a}}}, v: {type: set, with: {values: {won: a}}}}, edges: [{from: w, to: v}]}
      b: {start: w, nodes: {w: {type: wait, with: {ms: ${b}}}, v: {type: set, with: {values: {won: b}}}}, edges: [{from: w, to: v}]}
`;
  for (const [a, b, won] of [
    [HOUR, HOUR + 1, "a"],
    [HOUR + 1, HOUR, "b"],
    [HOUR, HOUR, "a"],
  ]) {
    const [{ report }] = await runTests(parse(`${race(a, b)}tests: [{name: race, expect: {}}]`));
    assert.equal(report.outcome.type, "completed");
    assert.match(JSON.stringify(report.last), new RegExp(`"won":"${won}"`));
  }
});

test("delays of stubs, time limits and pauses between attempts are times of the same clock", async () => {
  const slow = (delay) => `{tools: {get: {return: 1, delay_ms: ${delay}}}}`;
  const [, late, retried] = await results(`
start: get
nodes:
  get: {type: tool, tool: get, input: {}, timeout_ms: ${HOUR}, retry: {attempts: 2, backoff_ms: 1000}}
tests:
  - {name: in time, stubs: ${slow(HOUR - 1)}, expect: {last: 1}}
  - {name: late, stubs: ${slow(HOUR + 1)}, expect: {code: node/timeout}}
  - {name: second attempt, stubs: {tools: {get: {sequence: [{fail: no}, {return: 2}]}}}, expect: {last: 2}}
`);
  assert.equal(late.report.durationMs, 2 * HOUR + 1000);
  assert.equal(retried.report.durationMs, 1000);
});

test("no time is skipped while a function of the host works, and time limits hold for it", async () => {
  const handlers = {
    slow: async () => {
      for (let turn = 0; turn < 50; turn++) await nextTurn();
      return "done";
    },
    never: () => new Promise(() => {}),
  };
  await results(
    `
nodes: {call: {type: slow, timeout_ms: ${HOUR}}}
tests: [{name: slow, expect: {last: done}}]
`,
    { handlers },
  );
  await results(
    `
nodes: {call: {type: never, timeout_ms: 5}}
tests: [{name: never, expect: {code: node/timeout}}]
`,
    { handlers },
  );
  await results(
    `
nodes:
  both:
    type: parallel
    branches: {a: {nodes: {call: {type: slow}}}, b: {nodes: {pause: {type: wait, with: {ms: ${HOUR}}}}}}
limits: {timeout_ms: ${2 * HOUR}}
tests: [{name: both, input: 1, expect: {outputs: {both: {a: done, b: 1}}}}]
`,
    { handlers },
  );
});

test("a run that has something to do comes to no time limit", async () => {
  const [{ report }] = await results(`
start: count
limits: {visits: 20000, timeout_ms: 1000}
nodes: {count: {type: set, with: {values: {n: "\${last.n + 1}"}}}}
edges: [{from: count, to: count, condition: last.n < 15000}]
tests: [{name: counts, input: {n: 0}, expect: {last: {n: 15000}}}]
`);
  assert.equal(report.durationMs, 0);
});
