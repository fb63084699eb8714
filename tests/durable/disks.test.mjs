// Tests disks that fail at any call of a file journal: the run ends with a code, then completes undisturbed, and no
// finished call repeats.

import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileJournal, MemoryJournal, runDurable } from "../../dist/integrations/durable/node.js";
import * as library from "../../dist/node.js";
import {
  journalOptions,
  assertMade,
  clock,
  assertCode,
  withoutTimes,
  finished,
  folder,
  host,
  parsed,
  PLAN,
  tally,
} from "./faults.mjs";

const graph = parsed(library, PLAN);
const tempFolder = folder();
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const count = tally("disks");
const undisturbed = withoutTimes(await runDurable(graph, new MemoryJournal(journalOptions), host().options));

/** `how` says how the call with number `at` fails. The result has `open`, the number of calls, and `heal`. */
function disk(at = Infinity, { code = "EIO", lasting = false, how = "before" } = {}) {
  const told = { calls: 0, names: [], healed: false };
  const failure = (name) => Object.assign(new Error(`${code}: the disk failed, ${name}`), { code, syscall: name });
  const ask = async (name, work, short) => {
    const number = told.calls++;
    told.names.push(name);
    const fails = !told.healed && (lasting ? number >= at : number === at);
    if (!fails) return work();
    if (how === "short") await short?.();
    // A file whose `open` fails after it ran could never be closed.
    if (how === "after" && name !== "open") await work();
    throw failure(name);
  };
  const wrapped = (handle) => ({
    readFile: () => ask("readFile", () => handle.readFile()),
    stat: (how) => ask("stat", () => handle.stat(how)),
    truncate: (length) => ask("truncate", () => handle.truncate(length)),
    datasync: () => ask("datasync", () => handle.datasync()),
    sync: () => ask("sync", () => handle.sync()),
    // The handle is closed even if the call reports an error.
    close: () =>
      ask(
        "close",
        () => handle.close(),
        () => handle.close(),
      ).finally(() => handle.close().catch(() => {})),
    write: (bytes, offset, length, position) =>
      ask(
        "write",
        () => handle.write(bytes, offset, length, position),
        () => handle.write(bytes, offset, length >> 1, position),
      ),
  });
  const opens = (...args) => ask("open", async () => wrapped(await open(...args)));
  return { open: opens, told, heal: () => (told.healed = true) };
}

async function retryUntilDone(where, work, onFailure = () => {}, times = 3) {
  for (let left = times; ; left--) {
    try {
      return await work();
    } catch (error) {
      assertCode(error, where, /^durable\/journal-failed$/);
      if (left === 1) throw error;
      await onFailure(left);
    }
  }
}

const healthyDisk = disk();
{
  const journal = await fileJournal(tempFolder("healthy"), { ...journalOptions, open: healthyDisk.open });
  await runDurable(graph, journal, host().options);
  await journal.close();
}
const CALLS = healthyDisk.told.names;
const FAULT_KINDS = [
  { code: "ENOSPC", how: "before" },
  { code: "ENOSPC", how: "short" },
  { code: "EIO", how: "after" },
  { code: "EDQUOT", how: "before" },
];

test("the table lists all calls that can fail", () => {
  const kinds = [...new Set(CALLS)].sort();
  assert.deepEqual(kinds, ["close", "datasync", "open", "readFile", "stat", "sync", "truncate", "write"]);
});

for (const { code, how: faultText } of FAULT_KINDS) {
  test(`${code} ${faultText} the call, once: the same journal continues`, async () => {
    for (let at = 0; at < CALLS.length; at++) {
      const where = `call ${at} (${CALLS[at]}), ${code} ${faultText}`;
      const path = tempFolder();
      const { open: opens } = disk(at, { code, how: faultText });
      const { made, options } = host();
      const journal = await retryUntilDone(where, () => fileJournal(path, { ...journalOptions, open: opens }));
      const report = await retryUntilDone(where, () => runDurable(graph, journal, options));
      assert.deepEqual(withoutTimes(report), undisturbed, where);
      assertMade(made, [], where);
      await journal.close().catch((error) => assertCode(error, where));
      await assertWhole(path, where);
      count(`failed once: ${CALLS[at]}`);
    }
  });

  test(`${code} ${faultText} the call, from then on: refused until the disk is well`, async () => {
    for (let at = 0; at < CALLS.length; at++) {
      const where = `from call ${at} (${CALLS[at]}), ${code} ${faultText}`;
      const path = tempFolder();
      const faulty = disk(at, { code, how: faultText, lasting: true });
      const { made, options } = host();
      const healFault = (left) => left === 2 && faulty.heal();
      const journal = await retryUntilDone(
        where,
        () => fileJournal(path, { ...journalOptions, open: faulty.open }),
        healFault,
      );
      const report = await retryUntilDone(where, () => runDurable(graph, journal, options), healFault);
      assert.deepEqual(withoutTimes(report), undisturbed, where);
      assertMade(made, [], where);
      await journal.close().catch((error) => assertCode(error, where));
      await assertWhole(path, where);
      count(`failed from then on: ${CALLS[at]}`);
    }
  });

  test(`${code} ${faultText} the call, from then on: another process continues from the disk`, async () => {
    for (let at = 0; at < CALLS.length; at++) {
      const where = `from call ${at} (${CALLS[at]}), ${code} ${faultText}, reopened`;
      const path = tempFolder();
      const faulty = disk(at, { code, how: faultText, lasting: true });
      const runFailing = async () => {
        const journal = await fileJournal(path, { ...journalOptions, open: faulty.open });
        try {
          return await runDurable(graph, journal, host().options).finally(
            () => (runFailing.kept = finished(journal.lines)),
          );
        } finally {
          await journal.close();
        }
      };
      await runFailing().catch((error) => assertCode(error, where));
      await assertWhole(path, where, runFailing.kept);
      count("reopened");
    }
  });
}

async function assertWhole(path, where, kept = []) {
  for (const time of ["first", "second"]) {
    const journal = await fileJournal(path, journalOptions);
    const before = finished(journal.lines);
    for (const name of kept) assert.ok(before.includes(name), `${where}: ${name} is lost`);
    const { made, options } = host();
    assert.deepEqual(withoutTimes(await runDurable(graph, journal, options)), undisturbed, where);
    assertMade(made, before, where);
    if (time === "second") assert.equal(made.size, 0, where);
    await journal.close();
  }
}

test("the journal continues after short writes", async () => {
  for (const most of [1, 7, 100]) {
    const path = tempFolder();
    const opens = async (...args) => {
      const handle = await open(...args);
      const write = handle.write.bind(handle);
      handle.write = (bytes, offset, length, position) => write(bytes, offset, Math.min(most, length), position);
      return handle;
    };
    const journal = await fileJournal(path, { ...journalOptions, open: opens });
    assert.deepEqual(withoutTimes(await runDurable(graph, journal, host().options)), undisturbed);
    await journal.close();
    await assertWhole(path, `writes of ${most} bytes`);
  }
});

test("an unwritten answer and other pending calls are not requested again", async () => {
  const names = finished((await runOnFullDisk()).lines);
  for (let failing = 0; failing < names.length; failing++) {
    for (const failures of [1, 2, 3]) {
      const { made, options } = host();
      let left = failures;
      const journal = new MemoryJournal({
        ...journalOptions,
        append() {
          if (journal.lines.length === failing && left-- > 0) throw new Error("the disk is full");
        },
      });
      const where = `${names[failing]} could not be written`;
      for (let i = 0; i < failures; i++)
        await assert.rejects(runDurable(graph, journal, options), /the disk is full/, where);
      assert.deepEqual(withoutTimes(await runDurable(graph, journal, options)), undisturbed, where);
      assertMade(made, [], where);
      count("answers that were not written");
    }
  }
});

async function runOnFullDisk() {
  const journal = new MemoryJournal(journalOptions);
  await runDurable(graph, journal, host().options);
  return journal;
}

const TWO_CALLS = `
nodes:
  fan:
    type: parallel
    branches: {a: {nodes: {x: {type: slow}}}, b: {nodes: {y: {type: fast}}}}
`;

test("a failure of an interrupted run is not recorded as its answer", async () => {
  const tries = [];
  const handlers = {
    fast: () => "fast",
    slow: (_node, { signal }) =>
      new Promise((resolve, reject) => {
        tries.push(signal);
        // Resolves after the first try has rejected.
        if (tries.length > 1)
          return void nextTurn()
            .then(nextTurn)
            .then(() => resolve("slow"));
        signal.addEventListener("abort", async () => {
          await nextTurn();
          reject(Object.assign(new Error("aborted"), { code: "shop/aborted" }));
        });
      }),
  };
  let full = true;
  const journal = new MemoryJournal({
    clock,
    append() {
      if (journal.lines.length === 1 && full) throw new Error("the disk is full");
    },
  });
  const two = parsed(library, TWO_CALLS);
  await assert.rejects(runDurable(two, journal, { handlers }), /full/);
  full = false;
  const { outcome, last } = await runDurable(two, journal, { handlers });
  assert.deepEqual([outcome.type, last, tries.length], ["completed", { a: "slow", b: "fast" }, 2]);
  assert.ok(tries[0].aborted && !tries[1].aborted);
});

test("an unwritten decision is not requested again", async () => {
  const plan = parsed(
    library,
    "nodes: {fan: {type: parallel, branches: {a: {nodes: {x: {type: approve}}}, b: {nodes: {y: {type: approve}}}}}}",
  );
  let [full, asked] = [true, 0];
  const journal = new MemoryJournal({
    clock,
    onApproval: () => (asked++, "approved"),
    append() {
      if (journal.lines.length === 1 && full) throw new Error("the disk is full");
    },
  });
  await assert.rejects(runDurable(plan, journal, {}), /full/);
  full = false;
  assert.equal((await runDurable(plan, journal, {})).outcome.type, "completed");
  assert.equal(asked, 2);
});

test("one of two runs on one journal is refused at every moment", async () => {
  const { lines } = await runOnFullDisk();
  for (let kept = 0; kept <= lines.length; kept++) {
    const journal = new MemoryJournal({ ...journalOptions, lines: lines.slice(0, kept) });
    const { made, options } = host();
    let after = 0;
    const ended = [];
    const first = runDurable(graph, journal, options).finally(() => ended.push("first"));
    const others = [];
    while (ended.length === 0) {
      const other = runDurable(graph, journal, options);
      others.push(
        other.then(
          () => "made",
          (error) => assertCode(error, `after ${after} turns`, /^durable\/locked$/),
        ),
      );
      for (let turns = 0; turns < 3; turns++) await null;
      if (++after % 50 === 0) await nextTurn();
    }
    assert.deepEqual(withoutTimes(await first), undisturbed);
    // One that started after the first run's end finds all its entries.
    for (const came of await Promise.all(others)) count(`second runs: ${came}`);
    assertMade(made, finished(lines.slice(0, kept)), `kept ${kept}`);
  }
});

test("a closed journal rejects entries, and a removed lock fences its writer", async () => {
  const path = tempFolder();
  const { made, options } = host();
  const journal = await fileJournal(path, { ...journalOptions, onApproval: () => new Promise(() => {}) });
  const running = runDurable(graph, journal, options);
  while (journal.approvals.length === 0) await nextTurn();
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(`${basename(path)}.lock-`)) rmSync(join(dirname(path), name));
  const next = await fileJournal(path, journalOptions);
  const report = runDurable(graph, next, options);
  journal.decide("ask:1:1", "rejected");
  await assert.rejects(running, { code: "durable/fenced" });
  assert.deepEqual(withoutTimes(await report), undisturbed);
  await journal.close();
  await assert.rejects(
    fileJournal(path, journalOptions),
    { code: "durable/locked" },
    "the lock of the next one is not its own",
  );
  await next.close();
  await assertWhole(path, "fenced");
  assertMade(made, [], "fenced");
});

test("a run on a journal that was closed meanwhile ends with a code", async () => {
  const path = tempFolder();
  const { options } = host();
  const journal = await fileJournal(path, { ...journalOptions, onApproval: undefined });
  const running = runDurable(graph, journal, options);
  while (journal.approvals.length === 0) await nextTurn();
  await journal.close();
  journal.decide("ask:1:1", "approved");
  await assert.rejects(running, { code: "durable/journal-failed" });
  await assertWhole(path, "closed");
});
