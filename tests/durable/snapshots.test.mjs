// Tests that invalid or changed snapshots fail with a code and never bypass an approval.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanError, PlanGraph, Run, run } from "../../dist/node.js";
import { tally } from "./faults.mjs";

const count = tally("snapshots");
const { graph } = PlanGraph.parse(`
start: wipe
nodes: {wipe: {type: tool, tool: wipe, input: {all: true}}, end: {type: log, input: "\${last}"}}
edges: [{from: wipe, to: end}]
`);

function host() {
  const told = { asked: 0, called: 0, unasked: 0 };
  const tools = [
    {
      name: "t",
      list: async () => [
        { name: "wipe", input_schema: { type: "object" }, annotations: { destructiveHint: true, readOnlyHint: false } },
      ],
      call: async () => {
        told.called++;
        if (told.asked < told.called) told.unasked++;
        return { value: 1, isError: false };
      },
      close: async () => {},
    },
  ];
  const onApproval = () => (told.asked++, "approved");
  return { told, tools, onApproval };
}

const { snapshot, outcome } = await run(graph, { tools: host().tools, runId: "r" });
assert.equal(outcome.type, "paused");

const round = {};
round.round = round;
const GARBAGE = [
  ...[null, 0, 1, "", "x", true, false, 10n, Symbol("x"), () => 1, [], {}, new Date(0), new Map(), round],
  ...["snapshot", "{}", JSON.stringify(snapshot), [snapshot], { snapshot }],
  ...[0, 2, "1", null, undefined].map((format) => ({ ...snapshot, format })),
  ...[null, 7, "x", [], {}, { hash: 1, parts: 2 }, { ...snapshot.plan, round }].map((plan) => ({ ...snapshot, plan })),
  ...[null, 7, "x", [], {}, round, { a: 1n }, { format: 1 }].map((state) => ({ ...snapshot, state })),
  ...[null, 7, "x", {}, { length: 3 }, []].map((values) => ({ ...snapshot, values })),
  ...[null, 7, {}].map((run) => ({ ...snapshot, run })),
  {
    get format() {
      throw new RangeError("no");
    },
  },
  new Proxy(
    {},
    {
      get() {
        throw new TypeError("no");
      },
    },
  ),
];

for (const [name, take] of [
  ["run", (given) => run(graph, { tools: host().tools, snapshot: given })],
  ["runDurable", (given) => runDurable(graph, new MemoryJournal(), { tools: host().tools, snapshot: given })],
  ["Run", async (given) => new Run(graph, { tools: [{ name: "wipe", input_schema: {} }], snapshot: given })],
]) {
  test(`${name} rejects values that are no snapshots`, async () => {
    for (const [i, given] of GARBAGE.entries()) {
      await assert.rejects(take(given), (error) => {
        assert.ok(error instanceof PlanError, `${i}: ${error?.stack}`);
        assert.equal(error.code, "snapshot/unusable", `${i}`);
        return true;
      });
      count("garbage");
    }
  });
}

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

/** Returns the code or the outcome. No tool is ever called without approval. */
async function after(given, where) {
  for (const [decision, options] of [
    ["approved", {}],
    [null, { onApproval: undefined }],
  ]) {
    const { told, tools, onApproval } = host();
    const code = await run(graph, { tools, onApproval, snapshot: given, ...options, limits: { steps: 50 } }).then(
      ({ outcome }) => outcome.code ?? outcome.type,
      (error) => {
        assert.ok(error instanceof PlanError, `${where}: ${error?.stack}`);
        return error.code;
      },
    );
    assert.match(code, /^([a-z]+\/[a-z-]+|completed|paused)$/, where);
    assert.equal(told.unasked, 0, `${where}: called unasked`);
    if (decision === null) assert.equal(told.called, 0, `${where}: nobody was there to ask`);
    count(`tampered: ${code}`);
  }
}

const CHANGES = [undefined, null, 0, 1, 99, -1, "", "x", true, false, [], {}, { call: 99 }, { call: 1 }, 0.5];

test("a snapshot that was changed anywhere never calls a destructive tool unasked", async () => {
  for (const path of nestedPaths(snapshot))
    for (const change of CHANGES)
      await after(setAt(snapshot, path, change), `${path.join(".")} = ${JSON.stringify(change)}`);
});

test("a forged snapshot with an approval or a pending call still asks for approval", async () => {
  const at = ["state", "scope_states", "0", "wait"];
  const stage = [...at, "conversation", "wait"];
  assert.equal(snapshot.state.scope_states[0].wait.conversation.wait.tools[0].approval, true);
  for (const [path, change] of [
    [[...stage, "tools", "0", "approval"], false],
    [[...stage, "tools", "0", "approval"], "approved"],
    [[...stage, "tools", "0", "call"], 99],
    [[...stage, "tools"], []],
    [stage, "model"],
    [
      stage,
      {
        tools: [
          { call: 1, approval: false, arguments: {} },
          { call: 2, approval: false, arguments: {} },
        ],
      },
    ],
    [at, { call: 99 }],
    [at, { call: 1 }],
    [at, { retry: 0 }],
    [at, null],
    [["state", "scope_states", "0", "node"], 1],
    [["state", "serial"], 99],
  ])
    await after(setAt(snapshot, path, change), `${path.join(".")} = ${JSON.stringify(change)}`);
});

test("a truncated snapshot or one with a flipped bit is refused, or asks for approval", async () => {
  const text = Buffer.from(JSON.stringify(snapshot));
  for (let bit = 0; bit < text.length * 8; bit += 11) {
    const bytes = Buffer.from(text);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    let given;
    try {
      given = JSON.parse(bytes.toString());
    } catch {
      continue;
    }
    await after(given, `bit ${bit}`);
  }
});
