// Tests that forks of forged cassettes need approvals for destructive calls, with random changes and ones that once
// bypassed them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, run } from "../../dist/node.js";
import { broken, calling, destroys, parsed, reads, table, tool, worldOf } from "./attack-world.mjs";

const { plans, changes } = table("forks.yaml");
const graphs = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, parsed(plan)]));
const isDestructive = ({ tool: name }) => name === "wipe";

const createWorld = (decide = () => "approved") =>
  worldOf({
    servers: { shop: [tool("wipe", { annotations: destroys }), tool("read", { annotations: reads })] },
    say: [
      calling({ name: "read", arguments: { id: "one" } }, { name: "wipe", arguments: { id: "one" } }),
      calling({ name: "wipe", arguments: { id: "two" } }),
      "done",
    ],
    decide,
  });

async function recorded(plan, decide) {
  const lines = [];
  const there = createWorld(decide);
  const report = await run(graphs[plan], {
    ...there.host,
    onApproval: there.onApproval,
    record: (line) => lines.push(line),
  });
  assert.equal(report.outcome.type, "completed", report.outcome.message);
  return lines;
}

/** Fails if the fork never ends. */
async function forked(plan, cassette, there, more = {}) {
  const running = fork(graphs[plan], { cassette, ...there.host, ...more });
  // A hanging fork must not block all tests.
  const late = new Promise((giveUp) => setTimeout(giveUp, 5000, null).unref());
  const report = await Promise.race([running, late]);
  assert.ok(report, `it hangs:\n${cassette.join("\n")}`);
  return report.outcome.code ?? report.outcome.type;
}

for (const plan of Object.keys(plans))
  for (const decide of [() => "approved", () => ({ value: { id: "other" } })])
    test(`an untouched cassette of \`${plan}\` makes no call and asks for no approval (${JSON.stringify(decide())})`, async () => {
      const there = createWorld();
      const lines = await recorded(plan, decide);
      assert.equal(await forked(plan, lines, there, { onApproval: there.onApproval }), "completed");
      assert.deepEqual([there.called, there.asked], [[], []]);
    });

for (const { what, plan = "tool", line: text, to = null, ends = "paused" } of changes)
  test(`a cassette with ${what}`, async () => {
    const lines = await recorded(plan);
    const at = lines.findIndex((line) => line.includes(text));
    assert.ok(at > 0, `no line has ${text}`);
    const [from, into] = to ?? [];
    const cassette = lines.flatMap((line, i) => (i !== at ? [line] : to === null ? [] : [line.replace(from, into)]));
    assert.notDeepEqual(cassette, lines);
    const alone = createWorld();
    assert.equal(await forked(plan, cassette, alone), ends);
    assert.deepEqual(alone.called.filter(isDestructive), []);
    const there = createWorld();
    await forked(plan, cassette, there, { onApproval: there.onApproval });
    assert.deepEqual(broken(there, isDestructive), []);
  });

function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const NAMES = /"approved"|"wipe"|"read"|"tool"|"approval"|"done"|"decided"|"one"|"two"|:1:1|\/1/g;
const INTO = ['"approved"', '"wipe"', '"read"', '"tool"', '"done"', '"decided"', '"one"', ":1:2", "/0", "/2", ":1:1"];

/** Removes, changes, swaps, doubles or corrupts one to three lines. */
function mutated(lines, below) {
  const own = [...lines];
  for (let left = 1 + below(3); left > 0 && own.length > 1; left--) {
    const [x, y] = [below(own.length), below(own.length)];
    const at = below(own[x].length);
    const ways = [
      () => own.splice(x, 1),
      () => (own[x] = own[x].replace(NAMES, (name) => (below(2) ? name : INTO[below(INTO.length)]))),
      () => ([own[x], own[y]] = [own[y], own[x]]),
      () => own.splice(x, 0, lines[below(lines.length)]),
      () => (own[x] = `${own[x].slice(0, at)}${'x1"}{,'[below(6)]}${own[x].slice(at + 1)}`),
    ];
    ways[below(ways.length)]();
  }
  return own;
}

test("4000 random changes of cassettes call nothing without leave in this run", async () => {
  const below = random(5);
  const names = Object.keys(plans);
  const taped = Object.fromEntries(await Promise.all(names.map(async (plan) => [plan, await recorded(plan)])));
  const ends = {};
  for (let round = 0; round < 4000; round++) {
    const plan = names[round % names.length];
    const cassette = mutated(taped[plan], below);
    const there = createWorld();
    const end = await forked(plan, cassette, there, round % 3 === 0 ? { onApproval: there.onApproval } : {});
    assert.deepEqual(broken(there, isDestructive), [], cassette.join("\n"));
    ends[end] = (ends[end] ?? 0) + 1;
  }
  assert.ok(ends.paused > 300 && ends.completed > 300, JSON.stringify(ends));
});

test("a fork rejects options that it ignores", async () => {
  const cassette = await recorded("tool");
  for (const more of [{ key: "secret" }, { replay: cassette }])
    await assert.rejects(fork(graphs.tool, { cassette, ...more }), { code: "api/unknown-option" });
  await assert.rejects(fork(graphs.tool, { cassette, at: "a:1:1", decision: "approved" }), { code: "fork/no-change" });
});
