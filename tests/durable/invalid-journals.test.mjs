// Tests that old, cut, damaged or foreign journals, unfit results and changed hosts have a code and lose no data.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanError, PlanGraph, run } from "../../dist/node.js";

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};

const PLAN = `
start: get
nodes:
  get: {type: tool, tool: get, input: {of: "\${input}"}}
  say: {type: llm, input: "say \${last}"}
  keep: {type: keep, input: "\${last}"}
  ask: {type: approve, input: "\${last}"}
  end: {type: log, input: "\${output.kept} \${output.ask}"}
edges: [{from: get, to: say}, {from: say, to: keep}, {from: keep, to: ask}, {from: ask, to: end}]
`;
const graph = parse(PLAN);
const client = (call) => ({
  name: "t",
  list: async () => [{ name: "get", input_schema: { type: "object" } }],
  call,
  close: async () => {},
});
const host = {
  input: "it",
  tools: [client(async (_name, { of }) => ({ value: `${of}!`, isError: false }))],
  models: { default: () => "said" },
  handlers: { keep: (node, state) => (state.write("kept", node.input), 1) },
};
const approving = (more = {}) => new MemoryJournal({ onApproval: () => "approved", ...more });

const approvingJournal = approving();
const report = await runDurable(graph, approvingJournal, host);
const lines = [...approvingJournal.lines];
const entries = lines.map((line) => JSON.parse(line));
const code = (expected, place) => (error) => {
  assert.ok(error instanceof PlanError, error?.stack);
  assert.equal(error.code, expected);
  if (place) assert.match(error.message, place);
  return true;
};

test("a complete journal returns the report again and makes no call", async () => {
  const nobody = {
    ...host,
    tools: [client(() => assert.fail("asked"))],
    models: { default: () => assert.fail("asked") },
    handlers: { keep: () => assert.fail("asked") },
  };
  assert.deepEqual(
    entries.map(({ name }) => name),
    ["head", "tools", "get:1:1", "say:1:1", "keep:1:1", "ask:1:1"],
  );
  const again = await runDurable(graph, new MemoryJournal({ lines }), nobody);
  assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(report)), "times and all");
  assert.equal(again.last, "said approved");
});

const changedJournal = (at, change) =>
  lines.map((line, i) => (i === at ? JSON.stringify(change(structuredClone(entries[i]))) : line));
const without = (names) => ({ ...host, ...Object.fromEntries(names.map((name) => [name, undefined])) });
const CASES = [
  [
    "of another version",
    changedJournal(0, (entry) => ((entry.value.format = 2), entry)),
    host,
    "durable/entry-version",
    /version 2.*version 1/,
  ],
  [
    "of no version",
    changedJournal(0, (entry) => (delete entry.value.format, entry)),
    host,
    "durable/entry-version",
    /unknown/,
  ],
  [
    "without a plan",
    changedJournal(0, (entry) => (delete entry.value.plan, entry)),
    host,
    "durable/bad-entry",
    /`head`/,
  ],
  [
    "without tools",
    changedJournal(1, (entry) => (delete entry.value.tools, entry)),
    host,
    "durable/bad-entry",
    /`tools`/,
  ],
  [
    "with tools that are none",
    changedJournal(1, (entry) => ((entry.value.tools = [[null]]), entry)),
    host,
    "durable/bad-entry",
    /`tools`/,
  ],
  ["whose head is no map", changedJournal(0, (entry) => ({ ...entry, value: 7 })), host, "durable/bad-entry", /`head`/],
  ["whose line is no JSON", [lines[0], '{"name": "get', ...lines.slice(2)], host, "durable/bad-entry", /line 2/],
  ["whose line has no name", [lines[0], "[]"], host, "durable/bad-entry", /line 2/],
  [
    "whose answer is none",
    changedJournal(2, (entry) => ({ ...entry, value: {} })),
    host,
    "durable/bad-entry",
    /get:1:1/,
  ],
  [
    "whose answer is null",
    changedJournal(2, (entry) => ({ ...entry, value: null })),
    host,
    "durable/bad-entry",
    /get:1:1/,
  ],
  [
    "whose time is none",
    changedJournal(2, (entry) => ((entry.value.atMs = "now"), entry)),
    host,
    "durable/bad-entry",
    /get:1:1/,
  ],
  [
    "whose reply is none",
    changedJournal(3, (entry) => ((entry.value.reply = { finish: "stop" }), entry)),
    host,
    "durable/bad-entry",
    /say:1:1/,
  ],
  ["that answers what nobody asked", [lines[0], lines[1], lines[3]], host, "durable/diverged", /say:1:1.*get:1:1/],
  ["that lacks its head", lines.slice(1), host, "durable/diverged", /tools.*head/],
  ["of another input", lines, { ...host, input: "other" }, "durable/diverged", /input/],
  ["whose host has no such handler", lines, without(["handlers"]), "durable/host-changed", /handler `keep`/],
  ["whose host has no such model", lines, without(["models"]), "durable/host-changed", /model `default`/],
  ["whose host has no tools", lines, without(["tools"]), "durable/host-changed", /1 of 1 tool clients/],
  [
    "whose answer is kept where nobody looks",
    changedJournal(2, (entry) => ({ ...entry, value: { kept: "x", atMs: 1 } })),
    host,
    "durable/value-lost",
    /get:1:1/,
  ],
];

for (const [what, given, options, expected, place] of CASES) {
  test(`a journal ${what}: ${expected}, and nothing is lost`, async () => {
    const journal = approving({ lines: given });
    await assert.rejects(runDurable(graph, journal, options), code(expected, place));
    assert.deepEqual(journal.lines, given);
    assert.equal((await runDurable(graph, approving({ lines }), host)).last, report.last);
  });
}

test("a changed plan is refused with its differences, and a run of the older plan continues", async () => {
  const changed = parse(PLAN.replace("say ${last}", "tell ${last}"));
  await assert.rejects(
    runDurable(changed, approving({ lines: lines.slice(0, 2) }), host),
    code("run/plan-changed", /say/),
  );
  const { last, planHash } = await runDurable([changed, graph], approving({ lines: lines.slice(0, 2) }), host);
  assert.deepEqual([last, planHash], [report.last, graph.hash]);
  assert.equal((await runDurable([changed, graph], approving(), host)).planHash, changed.hash);
});

test("a run continues from the last whole line of a truncated file", async () => {
  const text = lines.map((line) => `${line}\n`).join("");
  for (let end = 0; end < text.length; end += 7) {
    const kept = MemoryJournal.lines(text.slice(0, end));
    assert.equal(kept.length, text.slice(0, end).split("\n").length - 1);
    assert.equal((await runDurable(graph, approving({ lines: kept }), host)).last, report.last);
  }
});

function* nestedPaths(value, path = []) {
  if (path.length > 0) yield path;
  if (typeof value === "object" && value !== null)
    for (const key of Object.keys(value)) yield* nestedPaths(value[key], [...path, key]);
}

function setAt(value, path, change) {
  const copy = structuredClone(value);
  const around = path.slice(0, -1).reduce((inner, key) => inner[key], copy);
  if (change === undefined) delete around[path.at(-1)];
  else around[path.at(-1)] = change;
  return copy;
}

test("a journal changed at any position has a code or is another journal", async () => {
  let tried = 0;
  for (const [at, entry] of entries.entries()) {
    for (const path of nestedPaths(entry)) {
      for (const change of [undefined, null, 0, "", "x", [], {}, [null]]) {
        const given = lines.map((line, i) => (i === at ? JSON.stringify(setAt(entry, path, change)) : line));
        tried++;
        await runDurable(graph, approving({ lines: given }), host).catch(
          code2(`${at} ${path.join(".")} ${JSON.stringify(change)}`),
        );
      }
    }
  }
  assert.ok(tried > 300, `${tried}`);
});

const code2 = (where) => (error) => {
  assert.ok(error instanceof PlanError && /^(durable|run|api)\//.test(error.code), `${where}: ${error?.stack}`);
};

test("a snapshot that was cut or spoilt anywhere has a code, or is another snapshot", async () => {
  const { snapshot } = await run(graph, host);
  const text = JSON.stringify(snapshot);
  const parseHalf = () => JSON.parse(text.slice(0, text.length / 2));
  assert.throws(parseHalf, SyntaxError);
  for (const path of nestedPaths(snapshot)) {
    for (const change of [undefined, null, 0, "", [], {}]) {
      const given = setAt(snapshot, path, change);
      const ends = [
        run(graph, { ...host, snapshot: given, onApproval: () => "approved" }),
        runDurable(graph, approving(), { ...host, snapshot: given }),
      ];
      for (const end of ends) {
        const { outcome } = await end.catch((error) => {
          assert.ok(error instanceof PlanError, `${path.join(".")} ${JSON.stringify(change)}: ${error?.stack}`);
          return { outcome: { type: "failed", code: error.code } };
        });
        assert.ok(
          outcome.type === "completed" || /^[a-z]+\/[a-z-]+$/.test(outcome.code),
          `${path.join(".")}: ${JSON.stringify(outcome)}`,
        );
      }
    }
  }
  const resumed = await runDurable(graph, approving(), { ...host, snapshot });
  assert.deepEqual([resumed.outcome.type, resumed.last], ["completed", report.last]);
});

const bigPlan = parse(`
start: get
nodes: {get: {type: get}, end: {type: log, input: fits}, instead: {type: log, input: "\${error.code}"}}
edges: [{from: get, to: end}, {from: get, to: instead, condition: error.exists}]
`);

test("an oversized result fails its call, and the plan continues", async () => {
  for (const [give, expected] of [
    [() => "é".repeat(600), "durable/result-too-large"],
    [() => "x".repeat(500), "fits"],
    [() => 10n, "durable/not-json"],
    [
      () => {
        const round = {};
        round.round = round;
        return round;
      },
      "durable/not-json",
    ],
    [() => () => 1, "durable/not-json"],
    [() => Symbol("x"), "durable/not-json"],
    [() => ({ toJSON: () => undefined }), "durable/not-json"],
    [
      () => ({
        get bad() {
          throw new Error("no");
        },
      }),
      "durable/not-json",
    ],
  ]) {
    const journal = approving();
    const { outcome, last } = await runDurable(bigPlan, journal, { handlers: { get: give }, maxResultBytes: 1000 });
    assert.deepEqual([outcome.type, last], ["completed", expected]);
    assert.equal(journal.lines.length, 2);
    const again = new MemoryJournal({ lines: journal.lines });
    assert.equal(
      (await runDurable(bigPlan, again, { handlers: { get: () => 1 }, maxResultBytes: 1000 })).last,
      expected,
    );
  }
});

test("an invalid model reply fails its call, and the journal can continue", async () => {
  const ask = parse("nodes: {m: {type: llm, input: hi}}");
  for (const reply of [() => () => 1, () => 5, () => ({}), () => null]) {
    const journal = approving();
    const { outcome } = await runDurable(ask, journal, { models: { default: async () => reply() } });
    assert.equal(outcome.code, "durable/not-json", JSON.stringify(outcome));
    const again = new MemoryJournal({ lines: journal.lines });
    assert.equal((await runDurable(ask, again, { models: { default: () => "mended" } })).outcome.code, outcome.code);
  }
});

test("an oversized result is kept in the store and read back", async () => {
  const bucket = new Map();
  const store = { put: async (call, text) => (bucket.set(call, text), call), get: async (call) => bucket.get(call) };
  const options = { handlers: { get: () => ["x".repeat(2000)] }, maxResultBytes: 1000, store };
  const journal = approving();
  const first = await runDurable(bigPlan, journal, options);
  assert.equal(first.outputs.get[0].length, 2000);
  assert.ok(journal.lines[1].length < 100);
  const again = await runDurable(bigPlan, new MemoryJournal({ lines: journal.lines }), options);
  assert.deepEqual(again.outputs, first.outputs);
  for (const get of [async () => "{", async () => undefined, async () => assert.fail("gone")]) {
    await assert.rejects(
      runDurable(bigPlan, new MemoryJournal({ lines: journal.lines }), { ...options, store: { ...store, get } }),
      ({ code }) => code === "durable/value-lost" || code === "durable/bad-entry",
    );
  }
  const failing = await runDurable(bigPlan, approving(), {
    ...options,
    store: {
      ...store,
      put: async () => {
        throw new Error("full");
      },
    },
  });
  assert.equal(failing.last, "durable/store-failed");
});

test("an unexpected decision is refused, and an invalid one fails its call", async () => {
  const journal = new MemoryJournal({ lines: lines.slice(0, 5) });
  const running = runDurable(graph, journal, host);
  while (journal.approvals.length === 0) await new Promise(setImmediate);
  assert.throws(() => journal.decide("nobody:1:1", "approved"), code("durable/unknown-approval"));
  journal.decide("ask:1:1", "perhaps");
  assert.throws(() => journal.decide("ask:1:1", "approved"), code("durable/unknown-approval"));
  assert.deepEqual((({ code, node }) => ({ code, node }))((await running).outcome), {
    code: "approval/failed",
    node: "ask",
  });
});

test("an unwritable journal ends the attempt, and the next attempt continues", async () => {
  const full = approving({
    lines: lines.slice(0, 2),
    append: () => {
      throw new Error("the disk is full");
    },
  });
  await assert.rejects(runDurable(graph, full, host), /the disk is full/);
  assert.deepEqual(full.lines, lines.slice(0, 2));
  assert.equal((await runDurable(graph, approving({ lines: full.lines }), host)).last, report.last);
});

test("a cancelled run ends with its outputs and stays cancelled", async () => {
  const journal = new MemoryJournal({ lines: lines.slice(0, 5) });
  const running = runDurable(graph, journal, host);
  while (journal.approvals.length === 0) await new Promise(setImmediate);
  journal.cancel();
  const cancelled = await running;
  assert.deepEqual([cancelled.outcome.type, cancelled.outputs.kept], ["cancelled", "said"]);
  assert.deepEqual((await runDurable(graph, approving({ lines: journal.lines }), host)).outcome.type, "cancelled");
  const early = new MemoryJournal();
  early.cancel();
  assert.equal((await runDurable(graph, early, host)).outcome.type, "cancelled");
});
