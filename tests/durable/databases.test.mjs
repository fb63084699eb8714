// Tests damaged journals and failing statements in SQLite: a run gives the undisturbed result, or a code.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSqliteFolder } from "../servers/sqlite.mjs";
import {
  journalOptions,
  assertMade,
  assertCode,
  withoutTimes,
  finished,
  host,
  parsed,
  PLAN,
  SMALL,
  tally,
} from "./faults.mjs";

const count = tally("databases");
setFlagsFromString("--expose-gc");
/** `libsql` holds a file until its statements are collected. */
const collect = runInNewContext("gc");
let fixture, durable, graph, small, undisturbed;
let files = 0;
const newFileName = () => `runs-${++files}.db`;

before(async () => {
  fixture = await createSqliteFolder();
  durable = await import(new URL("integrations/durable/node.js", fixture.entry()).href);
  const library = await fixture.library();
  [graph, small] = [parsed(library, PLAN), parsed(library, SMALL)];
  undisturbed = withoutTimes((await runJournaled(newFileName())).report);
});
after(() => fixture.remove());

async function runJournaled(name, { plan = graph, run = "r", from, ...options } = {}) {
  const { made, options: offered } = host();
  const journal = await durable.sqliteJournal(from ?? fixture.path(name), run, { ...journalOptions, ...options });
  try {
    const before = finished(journal.lines);
    const report = await durable.runDurable(plan, journal, offered);
    return { report, made, before, lines: [...journal.lines] };
  } finally {
    await journal.close();
  }
}

async function createSmallDatabase(options = {}) {
  const name = newFileName();
  const db = await fixture.database(name);
  db.exec("PRAGMA page_size = 512");
  for (const run of ["r", "s"]) await runJournaled(name, { plan: small, run, from: { db }, ...options });
  const { lines, report } = await runJournaled(name, { plan: small, from: { db }, ...options });
  db.close();
  return { name, lines, expected: withoutTimes(report), bytes: readFileSync(fixture.path(name)) };
}

async function assertSameOrError(name, original, where, { from, ...options } = {}) {
  try {
    const journal = await durable.sqliteJournal(from ?? fixture.path(name), "r", { ...journalOptions, ...options });
    try {
      assert.deepEqual(journal.lines, original.lines, where);
    } finally {
      await journal.close().catch((error) => assertCode(error, where));
    }
    return "same";
  } catch (error) {
    return assertCode(error, where);
  }
}

test("a database with any flipped bit returns the same entries or is refused", async () => {
  const original = await createSmallDatabase();
  const name = newFileName();
  const path = fixture.path(name);
  const step = Number(process.env.EVERY_BIT ?? 7);
  let opened = 0;
  // The first page holds the schema.
  for (let bit = 0; bit < original.bytes.length * 8; bit += bit < 512 * 8 ? 1 : step) {
    const bytes = Buffer.from(original.bytes);
    bytes[bit >> 3] ^= 1 << (bit & 7);
    writeFileSync(path, bytes);
    for (const beside of ["-journal", "-wal", "-shm"]) rmSync(path + beside, { force: true });
    // Waiting for the disk would take most of the time.
    const db = await fixture.database(name);
    try {
      db.exec("PRAGMA synchronous = OFF");
    } catch {
      // The journal reports this error later.
    }
    count(`flips: ${await assertSameOrError(name, original, `bit ${bit}`, { from: { db } })}`);
    db.close();
    if (++opened % 200 === 0) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
});

test("a database cut at or inside any page returns the same entries or is refused", async () => {
  const original = await createSmallDatabase();
  const name = newFileName();
  for (let end = 0; end <= original.bytes.length; end += 64) {
    const bytes = original.bytes.subarray(0, end);
    writeFileSync(fixture.path(name), bytes);
    // SQLite treats an empty file as a new database.
    const code = await assertSameOrError(name, end === 0 ? { lines: [] } : original, `cut after ${end} bytes`);
    count(`cuts: ${code}`);
  }
});

test("changed, lost, swapped or forged rows are refused", async () => {
  const original = await createSmallDatabase({ key: "secret" });
  const text = "UPDATE journal_entries SET text = ";
  const renumberEntry = (from, to) => `UPDATE journal_entries SET number = ${to} WHERE run = 'r' AND number = ${from}`;
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
    `${renumberEntry(3, 9)};${renumberEntry(4, 3)};${renumberEntry(9, 4)}`,
    "INSERT INTO journal_entries SELECT run, 5, sum, text FROM journal_entries WHERE run = 'r' AND number = 4",
    `INSERT INTO journal_entries VALUES ('r', 5, '${"0".repeat(32)}', '{"name":"ask:1:1","value":{"decision":"approved"}}');
     UPDATE journal_runs SET entries = 5, sum = '${"0".repeat(32)}' WHERE run = 'r'`,
    // These rows belong to another run.
    "DELETE FROM journal_entries WHERE run = 'r'; UPDATE journal_entries SET run = 'r' WHERE run = 's';" +
      "DELETE FROM journal_runs WHERE run = 'r'; UPDATE journal_runs SET run = 'r'",
    "UPDATE journal_version SET version = 2",
  ]) {
    const name = newFileName();
    writeFileSync(fixture.path(name), original.bytes);
    const db = await fixture.database(name);
    db.exec(sql);
    db.close();
    const code = await assertSameOrError(name, original, sql, { key: "secret" });
    assert.match(code, /^durable\/(bad-entry|entry-version)$/, sql);
    count("rows");
  }
  for (const [made, opened] of [
    ["secret", undefined],
    ["secret", "other"],
    [undefined, "secret"],
  ]) {
    const { name, ...rest } = await createSmallDatabase(made && { key: made });
    assert.equal(await assertSameOrError(name, rest, "key", opened && { key: opened }), "durable/bad-entry");
  }
});

function failingDatabase(db, at, { how = "before", lasting = false } = {}) {
  const told = { calls: 0, names: [], healed: false };
  const ask = (sql, work) => {
    // SQLite itself rolls back a failed transaction, whatever the disk does.
    if (sql === "ROLLBACK") return work();
    const number = told.calls++;
    told.names.push(sql.trim().split(/\s+/).slice(0, 2).join(" "));
    const fails = !told.healed && (lasting ? number >= at : number === at);
    // A `BEGIN` that fails after it ran would leave a transaction that nothing ends.
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

async function retryUntilDone(where, work, onFailure = () => {}, times = 3) {
  for (let left = times; ; left--) {
    try {
      return await work();
    } catch (error) {
      assertCode(error, where, /^durable\/(journal-failed|locked)$/);
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
    const name = newFileName();
    const db = await fixture.database(name);
    let calls = Infinity;
    for (let at = 0; at < calls; at++) {
      const where = `statement ${at}, ${how}, ${lasting}`;
      const faulty = failingDatabase(db, at, { how, lasting });
      const healFault = (left) => lasting && left === 2 && faulty.heal();
      const run = `run ${at}`;
      const { made, options } = host();
      // The journal takes over a lock that reported an error and that no process holds.
      const open = () => durable.sqliteJournal(faulty, run, { ...journalOptions, takeOver: true });
      const journal = await retryUntilDone(where, open, healFault);
      const report = await retryUntilDone(where, () => durable.runDurable(graph, journal, options), healFault);
      assert.deepEqual(withoutTimes(report), undisturbed, where);
      assertMade(made, [], where);
      await journal.close().catch((error) => assertCode(error, where));
      calls = faulty.told.calls;
      const again = await runJournaled(name, { from: { db }, run, takeOver: true });
      assert.deepEqual([withoutTimes(again.report), again.made.size], [undisturbed, 0], where);
      count(`failed ${lasting ? "from then on" : "once"}: ${faulty.told.names[at]}`);
    }
    db.close();
  });
}

test("a database that fails permanently: another process continues with its entries", async () => {
  const name = newFileName();
  const db = await fixture.database(name);
  let calls = Infinity;
  for (let at = 0; at < calls; at += 1) {
    const where = `statement ${at}, reopened`;
    const faulty = failingDatabase(db, at, { how: at % 2 ? "after" : "before", lasting: true });
    const run = `run ${at}`;
    let kept = [];
    const runFailing = async () => {
      const journal = await durable.sqliteJournal(faulty, run, journalOptions);
      const ended = durable.runDurable(graph, journal, host().options);
      await ended.finally(() => (kept = finished(journal.lines)));
    };
    await runFailing().catch((error) => assertCode(error, where));
    calls = Math.max(faulty.told.calls, at + (faulty.told.calls > at ? 2 : 0));
    const { report, made, before } = await runJournaled(name, { from: { db }, run, takeOver: true });
    for (const one of kept) assert.ok(before.includes(one), `${where}: ${one} is lost`);
    assert.deepEqual(withoutTimes(report), undisturbed, where);
    assertMade(made, before, where);
    count("reopened");
  }
  db.close();
});

test("the journal detects an entry that another process wrote", async () => {
  const name = newFileName();
  const db = await fixture.database(name);
  const journal = await durable.sqliteJournal({ db }, "r", { ...journalOptions, onApproval: undefined });
  const { options } = host();
  const running = durable.runDurable(graph, journal, options);
  while (journal.approvals.length === 0) await new Promise(setImmediate);
  db.exec("UPDATE journal_runs SET entries = entries - 1");
  journal.decide("ask:1:1", "approved");
  await assert.rejects(running, { code: "durable/journal-failed" });
  db.close();
});

test("files and paths that are no databases are refused and stay unchanged", async () => {
  const folder = fixture.path("folder");
  mkdirSync(folder);
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");
  for (const [name, bytes, code] of [
    ["plan.yaml", PLAN, "durable/not-a-journal"],
    ["image.png", Buffer.concat([png, Buffer.alloc(600)]), "durable/not-a-journal"],
    ["folder", undefined, "durable/journal-failed"],
    ["missing/runs.db", undefined, "durable/journal-failed"],
  ]) {
    if (bytes !== undefined) writeFileSync(fixture.path(name), bytes);
    await assert.rejects(durable.sqliteJournal(fixture.path(name), "r"), { code }, name);
    if (bytes !== undefined) assert.deepEqual(readFileSync(fixture.path(name)), Buffer.from(bytes));
    count("no databases");
  }
  await assert.rejects(durable.sqliteJournal(fixture.path(newFileName()), "r", { takeover: true }), {
    code: "api/unknown-option",
  });
});

test("the database is readable only by its owner, and an in-memory one creates no file", async () => {
  const umask = process.umask(0);
  const cwd = process.cwd();
  try {
    const name = newFileName();
    await runJournaled(name);
    assert.equal(statSync(fixture.path(name)).mode & 0o777, 0o600);
    process.chdir(fixture.folder);
    const journal = await durable.sqliteJournal(":memory:", "r");
    await journal.close();
    assert.ok(!existsSync(fixture.path(":memory:")));
  } finally {
    process.umask(umask);
    process.chdir(cwd);
  }
});
