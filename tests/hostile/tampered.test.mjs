// Tests that forged snapshots, cassettes and journals need approvals in the current process, and that a host with a key
// rejects them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileJournal, MemoryJournal, runDurable } from "../../dist/integrations/durable/node.js";
import { fork, PlanError, run } from "../../dist/node.js";
import { broken, calling, destroys, parsed, reads, table, tool, worldOf } from "./attack-world.mjs";

const { plans, snapshots, cassettes, journals } = table("tampered.yaml");
const graphs = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, parsed(plan)]));
const isDestructive = ({ tool: name }) => name !== "read";

const createWorld = (decide) =>
  worldOf({
    servers: {
      shop: [
        ...["wipe", "burn"].map((name) => tool(name, { annotations: destroys })),
        tool("read", { annotations: reads }),
      ],
    },
    say: [calling({ name: "wipe", arguments: { id: "one" } }), "done"],
    decide: decide ?? (() => "approved"),
  });

function changed(value, at, to) {
  const copy = structuredClone(value);
  const keys = at.split(".");
  let inside = copy;
  for (const key of keys.slice(0, -1)) {
    assert.ok(inside[key] !== undefined, `nothing stands at ${at}`);
    inside = inside[key];
  }
  inside[keys.at(-1)] = to;
  return copy;
}

async function paused(plan, options = {}) {
  const report = await run(graphs[plan], { ...createWorld().host, ...options });
  assert.equal(report.outcome.type, "paused");
  return JSON.parse(JSON.stringify(report.snapshot));
}

async function resumed(plan, snapshot, decide, options = {}) {
  const there = createWorld(decide);
  try {
    await run(graphs[plan], { ...there.host, onApproval: there.onApproval, snapshot, ...options });
  } catch (error) {
    assert.ok(error instanceof PlanError && error.code === "snapshot/unusable", error.stack);
  }
  return there;
}

for (const { plan, what, at, to } of snapshots)
  test(`a snapshot of \`${plan}\` with ${what}`, async () => {
    const snapshot = await paused(plan);
    const given = { ...snapshot, state: changed(snapshot.state, at, to) };
    assert.deepEqual(broken(await resumed(plan, given), isDestructive), []);
    const refused = await resumed(plan, given, () => "rejected");
    assert.deepEqual(refused.called.filter(isDestructive), []);
    const signed = await paused(plan, { key: "secret" });
    const forged = { ...signed, state: changed(signed.state, at, to) };
    await assert.rejects(run(graphs[plan], { ...createWorld().host, snapshot: forged, key: "secret" }), {
      code: "snapshot/unusable",
    });
  });

function* leaves(value, path = []) {
  if (path.length > 0) yield [path.join("."), value];
  if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
}

test("a snapshot with any value in the place of any other grants nothing", async () => {
  let tried = 0;
  for (const plan of Object.keys(plans)) {
    const snapshot = await paused(plan);
    for (const [at, old] of leaves(snapshot.state))
      for (const to of [false, true, null, 0, 1, 2, 99, -1, "", "approved", [], {}, { call: 1 }, "start"]) {
        if (to === old) continue;
        const given = { ...snapshot, state: changed(snapshot.state, at, to) };
        const there = await resumed(plan, given, ({ tool: named }) => (named === undefined ? "approved" : "rejected"));
        assert.deepEqual(there.called.filter(isDestructive), [], `${plan}: ${at} = ${JSON.stringify(to)}`);
        tried++;
      }
  }
  assert.ok(tried > 3000, `${tried} changes`);
});

test("a permission that the host removes before a resume is gone", async () => {
  const allowed = await paused("later", { allow: ["wipe"] });
  const decisions = { "ask:1:1": "approved" };
  for (const [allow, asked] of [
    [undefined, 1],
    [[], 1],
    [["burn"], 1],
    [["wipe"], 0],
  ]) {
    const there = await resumed("later", allowed, undefined, { decisions, ...(allow && { allow }) });
    assert.deepEqual([there.asked.length, there.called.length], [asked, 1], JSON.stringify(allow));
  }
});

test("a decision on other arguments than the shown ones is detected only with a key", async () => {
  // Another process, which showed `one`, received the decision. Only a key binds them.
  const snapshot = await paused("tool", { key: "secret" });
  const at = "scope_states.0.wait.conversation.wait.tools.0.arguments";
  const forged = { ...snapshot, state: changed(snapshot.state, at, { id: "all" }) };
  const decisions = { "a:1:1/approval": "approved" };
  await assert.rejects(run(graphs.tool, { ...createWorld().host, snapshot: forged, key: "secret", decisions }), {
    code: "snapshot/unusable",
  });
  const there = createWorld();
  await run(graphs.tool, { ...there.host, snapshot, key: "secret", decisions });
  assert.deepEqual(
    there.called.map(({ args }) => args),
    [{ id: "one" }],
  );
});

for (const { what, add = [], change } of cassettes)
  test(`a cassette with ${what}`, async () => {
    const lines = [];
    await run(graphs.tool, { ...createWorld().host, record: (line) => lines.push(JSON.parse(line)) });
    const own = change
      ? lines.map((line, at) => (at === change.line ? changed(line, change.at, change.to) : line))
      : lines;
    const cassette = [...own.slice(0, -1), ...add, own.at(-1)].map((line) => JSON.stringify(line));
    for (const answer of ["approved", "rejected"]) {
      const there = createWorld(() => answer);
      const report = await fork(graphs.tool, { cassette, ...there.host, onApproval: there.onApproval });
      assert.deepEqual(broken(there, isDestructive), []);
      if (answer === "rejected") assert.deepEqual(there.called, []);
      const known = ["completed", "replay/unusable", "tool/refused", "run/plan-changed"];
      assert.ok(known.includes(report.outcome.code ?? report.outcome.type), JSON.stringify(report.outcome));
      const before = there.called.length;
      await run(graphs.tool, { replay: cassette, ...there.host });
      assert.equal(there.called.length, before);
    }
  });

test("a fork of a whole run asks for approval of each repeated destructive call", async () => {
  for (const result of [{ access_token: "abc" }, { ok: true }]) {
    const lines = [];
    const there = createWorld();
    there.clients[0].call = async () => ({ value: result, isError: false });
    await run(graphs.tool, { ...there.host, onApproval: there.onApproval, record: (line) => lines.push(line) });
    const again = createWorld();
    await fork(graphs.tool, { cassette: lines, ...again.host, onApproval: again.onApproval });
    assert.deepEqual(broken(again, isDestructive), []);
    assert.equal(again.asked.length, "ok" in result ? 0 : 1);
  }
});

async function waiting(open) {
  const journal = await open();
  const there = createWorld();
  const running = runDurable(graphs.tool, journal, there.host);
  while (journal.approvals.length === 0) await new Promise(setImmediate);
  const lines = [...journal.lines];
  journal.cancel();
  await running;
  return lines;
}

function forgedLines(lines, { change, add }) {
  const own = lines.map((line, at) =>
    at === change?.entry ? JSON.stringify(changed(JSON.parse(line), change.at, change.to)) : line,
  );
  return add ? [...own, JSON.stringify(add)] : own;
}

/** The person rejects. Returns the error code or null, and the calls. */
async function tried(journal) {
  const there = createWorld(() => "rejected");
  let code = null;
  try {
    await runDurable(graphs.tool, journal, there.host);
  } catch (error) {
    code = error.code;
  }
  return { code, called: there.called };
}

for (const { what, code = null, needs, ...attack } of journals)
  test(`a journal with ${what}`, async () => {
    const lines = await waiting(() => new MemoryJournal());
    if (needs === undefined) {
      const memory = await tried(
        new MemoryJournal({ lines: forgedLines(lines, attack), onApproval: () => "rejected" }),
      );
      assert.deepEqual(memory, { code, called: [] });
    }
    await inFile({ lines, attack, keyed: true }, async (open) => {
      await assert.rejects(open(), { code: "durable/bad-entry" });
    });
    if (needs === "key") return;
    await inFile({ lines, attack, keyed: false }, async (open) => {
      const journal = await open();
      assert.deepEqual(await tried(journal), { code, called: [] });
      await journal.close();
    });
  });

/** The attacker knows everything but the key. */
async function inFile({ lines, attack, keyed }, use) {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  const path = join(folder, "run.journal");
  const given = { fsync: false, ...(keyed && { key: "secret" }) };
  try {
    const first = await fileJournal(path, given);
    await waiting(() => first);
    await first.close();
    const [header] = readFileSync(path, "utf8").split("\n");
    const texts = [header.slice(33), ...forgedLines(lines, attack)];
    let sum = "stepgraph journal 1";
    const entries = texts.map((text) => {
      sum = createHash("sha256").update(`${sum}\n${text}`).digest("hex").slice(0, 32);
      return `${sum} ${text}\n`;
    });
    // The original header matches the key. The attacker's entries cannot.
    if (keyed) [entries[0], sum] = [`${header}\n`, header.slice(0, 32)];
    writeFileSync(path, entries.join(""));

    await use(() => fileJournal(path, { ...given, onApproval: () => "rejected" }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
