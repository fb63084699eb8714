/** Helpers for tests of failing disks. The clock stands still, so the same run writes the same bytes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { canonical, canonicalText } from "../parity/canonical.mjs";

/** Eleven calls: tools, a model, handlers, two tries, parallel branches, a map, an approval. */
export const PLAN = `
start: get
nodes:
  get: {type: tool, tool: get, input: {of: "\${input}"}}
  shaky: {type: shaky, input: "\${last}", retry: {attempts: 2, backoff_ms: 5}}
  fan:
    type: parallel
    branches: {a: {nodes: {x: {type: slow, input: 1}}}, b: {nodes: {y: {type: tool, tool: get, input: {of: b}}}}}
  each: {type: map, input: [1, 2], do: {nodes: {one: {type: shout, input: "\${input}"}}}}
  say: {type: llm, input: "say \${output.shaky}"}
  ask: {type: approve, input: "\${last}"}
  keep: {type: keep, input: "\${output.ask}"}
  end: {type: log, input: "\${output.kept} \${output.say} \${output.each}"}
edges:
  - {from: get, to: shaky}
  - {from: shaky, to: fan}
  - {from: fan, to: each}
  - {from: each, to: say}
  - {from: say, to: ask}
  - {from: ask, to: keep}
  - {from: keep, to: end}
`;

export const CALLS = [
  "get:1:1",
  "shaky:1:1",
  "shaky:1:2",
  "fan:1/a/x:1:1",
  "fan:1/b/y:1:1",
  "each:1/0/one:1:1",
  "each:1/1/one:1:1",
  "say:1:1",
  "keep:1:1",
];

export const SMALL = `
start: get
nodes: {get: {type: tool, tool: get, input: {of: "\${input}"}}, keep: {type: keep, input: "\${last}"}}
edges: [{from: get, to: keep}]
`;

/** Timers fire immediately. */
export const clock = {
  now: () => 1_000_000,
  after(_ms, then) {
    const wait = setImmediate(then);
    return () => clearImmediate(wait);
  },
};

/** The library that parses must also run the plan. */
export function parsed({ PlanGraph }, text) {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
}

export function host() {
  const made = new Map();
  const count = (call) => made.set(call, (made.get(call) ?? 0) + 1);
  const countCalls = (work) => async (node, state) => {
    count(node.call);
    return work(node, state);
  };
  const tool = async (_name, { of }, { call }) => {
    count(call);
    return { value: `${of}!`, isError: false };
  };
  const options = {
    input: "é",
    runId: "r",
    now: clock.now,
    tools: [
      {
        name: "t",
        list: async () => [{ name: "get", input_schema: { type: "object" }, annotations: { readOnlyHint: true } }],
        call: tool,
        close: async () => {},
      },
    ],
    models: { default: (_request, { call }) => (count(call), "said") },
    handlers: {
      shaky: countCalls(({ attempt, input }) => {
        if (attempt === 1) throw Object.assign(new Error("not yet"), { code: "shop/closed" });
        return `${input}?`;
      }),
      slow: countCalls(async ({ input }) => {
        for (let i = 0; i < 20; i++) await null;
        return input;
      }),
      shout: countCalls(({ input }) => `${input}`),
      keep: countCalls(({ input }, state) => (state.write("kept", input), 1)),
    },
  };
  return { made, options };
}

export const journalOptions = { clock, onApproval: () => "approved" };

export function withoutTimes(report) {
  const { outcome, last, outputs, partial, counts, planHash, trace } = report;
  return {
    state: canonicalText({ outcome, last, outputs, partial, counts, planHash }),
    trace: canonical(trace).split("\n").sort(),
  };
}

export const finished = (lines) => lines.map((line) => JSON.parse(line).name);

export function assertCode(error, where, areas = /^(durable|run)\/[a-z-]+$/) {
  assert.match(String(error?.code), areas, `${where}: ${error?.stack ?? error}`);
  return error.code;
}

export function tally(what) {
  const counts = {};
  after(() => console.log(`${what}: ${JSON.stringify(counts)}`));
  return (name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
}

/** Returns a function that gives new paths. */
export function folder() {
  const place = mkdtempSync(join(tmpdir(), "stepgraph-faults-"));
  after(() => rmSync(place, { recursive: true, force: true }));
  let number = 0;
  return (name = `${++number}`) => join(place, name);
}

/** Calls without an entry in the journal ran once each, others never. */
export function assertMade(made, kept, where, calls = CALLS) {
  const expected = calls.filter((call) => !kept.includes(call));
  assert.deepEqual([...made.keys()].sort(), expected.sort(), where);
  for (const [call, times] of made) assert.equal(times, 1, `${where}: ${call}`);
}

/** An unhandled rejection ends the process, so no failure goes unnoticed. */
process.on("unhandledRejection", (error) => {
  throw error;
});
