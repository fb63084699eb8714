// Journals in SQLite on databases that are damaged or fail: flipped bits, cuts, changed rows. Every statement fails
// once or permanently, before or after it ran. The run gives the same result as without the fault, or a code.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beside } from "../servers/sqlite.mjs";
import { asking, assertMade, coded, essence, finished, host, parsed, PLAN, SMALL, tally } from "./faults.mjs";

const count = tally("databases");
setFlagsFromString("--expose-gc");
/** `libsql` holds a file until its statements are collected. */
const collect = runInNewContext("gc");
let place, durable, graph, small, undisturbed;
let files = 0;
const fresh = () => `runs-${++files}.db`;

before(async () => {
  place = await beside();
  durable = await import(new URL("integrations/durable/node.js", place.entry()).href);
  const library = await place.library();
  [graph, small] = [parsed(library, PLAN), parsed(library, SMALL)];
  undisturbed = essence((await went(fresh())).report);
});
after(() => place.remove());

/**
 * Runs a plan on a journal in a database. Returns the report, the calls that were finished before, and the calls made.
 */
async function went(name, { plan = graph, run = "r", from, ...options } = {}) {
  const { made, options: offered } = host();
  const journal = await durable.sqliteJournal(from ?? place.path(name), run, { ...asking, ...options });
  try {
    const before = finished(journal.lines);
    const report = await durable.runDurable(plan, journal, offered);
    return { report, made, before, lines: [...journal.lines] };
  } finally {
    await journal.close();
  }
}

/** Creates a small database that holds two finished runs. */
async function little(options = {}) {
  const name = fresh();
  const db = await place.database(name);
  db.exec("PRAGMA page_size = 512");
  for (const run of ["r", "s"]) await went(name, { plan: small, run, from: { db }, ...options });
  const { lines, report } = await went(name, { plan: small, from: { db }, ...options });
  db.close();
  return { name, lines, expected: essence(report), bytes: readFileSync(place.path(name)) };
}

/** Opens a damaged database. It must have the same lines or fail with a code. */
async function sameOrRefused(name, original, where, { from, ...options } = {}) {
  try {
    const journal = await durable.sqliteJournal(from ?? place.path(name), "r", { ...asking, ...options });
    try {
      assert.deepEqual(journal.lines, original.lines, where);
    } finally {
      await journal.close().catch((error) => coded(error, where));
    }
    return "same";
  } catch (error) {
    return coded(error, where);
  }
}

test("a database with any one bit flipped gives the same, or is refused", async () => {
  const original = await little();
  const name = fresh();
  const path = place.path(name);
  const step = Number(process.env.EVERY_BIT ?? 7);
  let opened = 0;
  // The first page holds the schema, so the test flips each of its bits.
  for (let bit = 0; bit < original.bytes.length * 8; bit += bit < 512 * 8 ? 1 : step) {
    const bytes = Buffer.from(original.bytes);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    writeFileSync(path, bytes);
    for (const beside of ["-journal", "-wal", "-shm"]) rmSync(path + beside, { force: true });
    // Waiting for the disk would take most of the time.
    const db = await place.database(name);
    try {
      db.exec("PRAGMA synchronous = OFF");
    } catch {
      // The journal reports the same error later.
    }
    count(`flips: ${await sameOrRefused(name, original, `bit ${bit}`, { from: { db } })}`);
    db.close();
    if (++opened % 200 === 0) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
});

test("a database that was cut at any page, or in one, is refused or gives the same", async () => {
  const original = await little();
  const name = fresh();
  for (let end = 0; end <= original.bytes.length; end += 64) {
    const bytes = original.bytes.subarray(0, end);
    writeFileSync(place.path(name), bytes);
    // SQLite treats an empty file as a new database.
    const code = await sameOrRefused(name, end === 0 ? { lines: [] } : original, `cut after ${end} bytes`);
    count(`cuts: ${code}`);
  }
});

test("rows that were changed, lost, swapped or forged are refused", async () => {
  const original = await little({ key: "secret" });
  const text = "UPDATE journal_entries SET text = ";
  const moved = (from, to) => `UPDATE journal_entries SET number = ${to} WHERE run = 'r' AND number = ${from}`;
  for (const sql of [
    `${text} replace(text, '"allow":false', '"allow":true') WHERE number = 1`,
    `${text} replace(text, '!', '?') WHERE number = 3`,
    "DELETE FROM journal_entries WHERE run = 'r' AND number = 4",
    "DELETE FROM journal_entries WHERE run = 'r' AND number = 2",
    "DELETE FROM journal_entries WHERE run = 'r'",
    "DELETE FROM journal_runs WHERE run = 'r'",
    "DROP TABLE journal_runs",
    "DROP TABLE journal_entries",
    "UPDATE journal_runs SET entries = entries - 1 WHERE run = 'r'",
    "UPDATE journal_runs SET sum = '' WHERE run = 'r'",
    `${moved(3, 9)};${moved(4, 3)};${moved(9, 4)}`,
    "INSERT INTO journal_entries SELECT run, 5, sum, text FROM journal_entries WHERE run = 'r' AND number = 4",
    `INSERT INTO journal_entries VALUES ('r', 5, '${"0".repeat(32)}', '{"name":"ask:1:1","value":{"decision":"approved"}}');
     UPDATE journal_runs SET entries = 5, sum = '${"0".repeat(32)}' WHERE run = 'r'`,
    // Replaces all rows of this run with those of another run.
    "DELETE FROM journal_entries WHERE run = 'r'; UPDATE journal_entries SET run = 'r' WHERE run = 's';" +
      "DELETE FROM journal_runs WHERE run = 'r'; UPDATE journal_runs SET run = 'r'",
    "UPDATE journal_version SET version = 2",
  ]) {
    const name = fresh();
    writeFileSync(place.path(name), original.bytes);
    const db = await place.database(name);
    db.exec(sql);
    db.close();
    const code = await sameOrRefused(name, original, sql, { key: "secret" });
    assert.match(code, /^durable\/(bad-entry|entry-version)$/, sql);
    count("rows");
  }
  for (const [made, opened] of [
    ["secret", undefined],
    ["secret", "other"],
    [undefined, "secret"],
  ]) {
    const { name, ...rest } = await little(made && { key: made });
    assert.equal(await sameOrRefused(name, rest, "key", opened && { key: opened }), "durable/bad-entry");
  }
});

/** Wraps a database so that the statement with number `at` fails. */
function failing(db, at, { how = "before", lasting = false } = {}) {
  const told = { calls: 0, names: [], healed: false };
  const ask = (sql, work) => {
    // SQLite itself rolls back a failed transaction, whatever the disk does.
    if (sql === "ROLLBACK") return work();
    const number = told.calls++;
    told.names.push(sql.trim().split(/\s+/).slice(0, 2).join(" "));
    const fails = !told.healed && (lasting ? number >= at : number === at);
    // `BEGIN` never runs and then fails: its transaction could never be ended.
    if (fails && how === "after" && !sql.startsWith("BEGIN")) work();
    if (fails) throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
    return work();
  };
  return {
    told,
    heal: () => (told.healed = true),
    db: {
      exec: (sql) => ask(sql, () => db.exec(sql)),
      prepare: (sql) => ({
        all: (...values) => ask(sql, () => db.prepare(sql).all(...values)),
        run: (...values) => ask(sql, () => db.prepare(sql).run(...values)),
      }),
      close: () => {},
    },
  };
}

async function tried(where, work, onFailure = () => {}, times = 3) {
  for (let left = times; ; left--) {
    try {
      return await work();
    } catch (error) {
      coded(error, where, /^durable\/(journal-failed|locked)$/);
      if (left === 1) throw error;
      await onFailure(left);
    }
  }
}

for (const [how, lasting] of [
  ["before", false],
  ["after", false],
  ["before", true],
  ["after", true],
]) {
  test(`statements that fail ${how} they are carried out, ${lasting ? "from then on" : "once"}`, async () => {
    const name = fresh();
    const db = await place.database(name);
    let calls = Infinity;
    for (let at = 0; at < calls; at++) {
      const where = `statement ${at}, ${how}, ${lasting}`;
      const faulty = failing(db, at, { how, lasting });
      const heal = (left) => lasting && left === 2 && faulty.heal();
      const run = `run ${at}`;
      const { made, options } = host();
      // The journal takes over a lock whose acquisition reported an error. No other process holds it.
      const open = () => durable.sqliteJournal(faulty, run, { ...asking, takeOver: true });
      const journal = await tried(where, open, heal);
      const report = await tried(where, () => durable.runDurable(graph, journal, options), heal);
      assert.deepEqual(essence(report), undisturbed, where);
      assertMade(made, [], where);
      await journal.close().catch((error) => coded(error, where));
      calls = faulty.told.calls;
      const again = await went(name, { from: { db }, run, takeOver: true });
      assert.deepEqual([essence(again.report), again.made.size], [undisturbed, 0], where);
      count(`failed ${lasting ? "from then on" : "once"}: ${faulty.told.names[at]}`);
    }
    db.close();
  });
}

test("a database that fails for good: another process goes on with what it has", async () => {
  const name = fresh();
  const db = await place.database(name);
  let calls = Infinity;
  for (let at = 0; at < calls; at += 1) {
    const where = `statement ${at}, reopened`;
    const faulty = failing(db, at, { how: at % 2 ? "after" : "before", lasting: true });
    const run = `run ${at}`;
    let kept = [];
    const failed = async () => {
      const journal = await durable.sqliteJournal(faulty, run, asking);
      const ended = durable.runDurable(graph, journal, host().options);
      await ended.finally(() => (kept = finished(journal.lines)));
    };
    await failed().catch((error) => coded(error, where));
    calls = Math.max(faulty.told.calls, at + (faulty.told.calls > at ? 2 : 0));
    const { report, made, before } = await went(name, { from: { db }, run, takeOver: true });
    for (const one of kept) assert.ok(before.includes(one), `${where}: ${one} is lost`);
    assert.deepEqual(essence(report), undisturbed, where);
    assertMade(made, before, where);
    count("reopened");
  }
  db.close();
});

test("an entry that somebody else wrote meanwhile is seen", async () => {
  const name = fresh();
  const db = await place.database(name);
  const journal = await durable.sqliteJournal({ db }, "r", { ...asking, onApproval: undefined });
  const { options } = host();
  const running = durable.runDurable(graph, journal, options);
  while (journal.approvals.length === 0) await new Promise(setImmediate);
  db.exec("UPDATE journal_runs SET entries = entries - 1");
  journal.decide("ask:1:1", "approved");
  await assert.rejects(running, { code: "durable/journal-failed" });
  db.close();
});

test("files that are no databases, and places where none can be, are refused and left as they are", async () => {
  const folder = place.path("folder");
  mkdirSync(folder);
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");
  for (const [name, bytes, code] of [
    ["plan.yaml", PLAN, "durable/not-a-journal"],
    ["image.png", Buffer.concat([png, Buffer.alloc(600)]), "durable/not-a-journal"],
    ["folder", undefined, "durable/journal-failed"],
    ["missing/runs.db", undefined, "durable/journal-failed"],
  ]) {
    if (bytes !== undefined) writeFileSync(place.path(name), bytes);
    await assert.rejects(durable.sqliteJournal(place.path(name), "r"), { code }, name);
    if (bytes !== undefined) assert.deepEqual(readFileSync(place.path(name)), Buffer.from(bytes));
    count("no databases");
  }
  await assert.rejects(durable.sqliteJournal(place.path(fresh()), "r", { takeover: true }), {
    code: "api/unknown-option",
  });
});

test("the database is for its owner only, and one in memory makes no file", async () => {
  const umask = process.umask(0);
  const cwd = process.cwd();
  try {
    const name = fresh();
    await went(name);
    assert.equal(statSync(place.path(name)).mode & 0o777, 0o600);
    process.chdir(place.folder);
    const journal = await durable.sqliteJournal(":memory:", "r");
    await journal.close();
    assert.ok(!existsSync(place.path(":memory:")));
  } finally {
    process.umask(umask);
    process.chdir(cwd);
  }
});
