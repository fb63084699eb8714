// Tests that a run has one writer, in files and in a database, until that closes the journal or is killed.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createSqliteFolder } from "../servers/sqlite.mjs";
import { tally } from "./faults.mjs";

const count = tally("locks");
const holder = fileURLToPath(new URL("lock-holder.mjs", import.meta.url));
let fixture, entry, durable;
let files = 0;
before(async () => {
  fixture = await createSqliteFolder();
  entry = new URL("integrations/durable/node.js", fixture.entry()).href;
  durable = await import(entry);
});
after(() => fixture.remove());

function newFilePath() {
  const folder = fixture.path(`locks-${++files}`);
  mkdirSync(folder);
  return join(folder, "j");
}

/** It prints one line for each command. */
async function process_(kind, file, run = "r") {
  const child = spawn(process.execPath, [holder, entry, kind, file, run], { stdio: ["pipe", "pipe", "inherit"] });
  const heard = [];
  let [wake, text] = [() => {}, ""];
  child.stdout.on("data", (bytes) => {
    text += bytes;
    const lines = text.split("\n");
    text = lines.pop();
    heard.push(...lines);
    wake();
  });
  const gone = new Promise((resolve) => child.on("close", () => (resolve(), wake())));
  const next = async () => {
    while (heard.length === 0) {
      assert.equal(child.exitCode, null, "it has ended");
      await new Promise((resolve) => (wake = resolve));
    }
    return heard.shift();
  };
  assert.equal(await next(), "ready");
  const sendCommand = (word) => (child.stdin.write(`${word}\n`), next());
  const kill = () => (child.kill("SIGKILL"), gone);
  return { tell: sendCommand, kill, end: () => (child.stdin.end(), gone), pid: child.pid };
}

const opened = (kind, file, options) =>
  kind === "file" ? durable.fileJournal(file, options) : durable.sqliteJournal(file, "r", options);

for (const kind of ["file", "sqlite"]) {
  test(`${kind}: one of two processes opens the journal, and the other after a close or a kill`, async () => {
    const file = newFilePath();
    const [one, other] = await Promise.all([process_(kind, file), process_(kind, file)]);
    assert.equal(await one.tell("open"), "holds");
    assert.equal(await other.tell("open"), "durable/locked");
    assert.equal(await one.tell("write"), "written");
    await assert.rejects(opened(kind, file), (error) => {
      assert.deepEqual([error.code, error.message.includes(`process ${one.pid}`)], ["durable/locked", true]);
      return true;
    });
    assert.equal(await one.tell("close"), "closed");
    assert.equal(await other.tell("open"), "holds");
    assert.equal(await one.tell("open"), "durable/locked");
    await other.kill();
    assert.equal(await one.tell("open"), "holds", "the holder was killed");
    await one.end();
    const journal = await opened(kind, file);
    assert.equal(journal.lines.length, 1);
    await assert.rejects(opened(kind, file), { code: "durable/locked", message: /this process/ });
    await journal.close();
    await (await opened(kind, file)).close();
    if (kind === "file") assert.deepEqual(readdirSync(join(file, "..")), ["j"]);
  });

  test(`${kind}: exactly one of several concurrent processes opens the journal`, async () => {
    const file = newFilePath();
    const others = await Promise.all(Array.from({ length: 4 }, () => process_(kind, file)));
    for (let round = 0; round < 50; round++) {
      const said = await Promise.all(others.map((one) => one.tell("open")));
      const holders = others.filter((_, i) => said[i] === "holds");
      assert.deepEqual(said.sort(), [...Array(3).fill("durable/locked"), "holds"].sort(), `round ${round}`);
      count(`${kind}: rounds of four processes`);
      // The next processes find the lock of a killed process.
      if (round % 10 === 9) {
        await holders[0].kill();
        others.splice(others.indexOf(holders[0]), 1, await process_(kind, file));
      } else await holders[0].tell("close");
    }
    await Promise.all(others.map((one) => one.end()));
  });

  test(`${kind}: hundreds of concurrent opens in one process never succeed twice`, async () => {
    const file = newFilePath();
    let [holding, most, got] = [0, 0, 0];
    const one = async () => {
      try {
        const journal = await opened(kind, file);
        most = Math.max(most, ++holding);
        await null;
        got++;
        holding--;
        await journal.close();
      } catch (error) {
        assert.equal(error.code, "durable/locked", error.stack);
      }
      count(`${kind}: lockers that race`);
    };
    for (let wave = 0; wave < 4; wave++) await Promise.all(Array.from({ length: 100 }, one));
    assert.equal(most, 1);
    assert.ok(got >= 4, "each wave has one at least");
  });
}

const lockOf = (file, said) => writeFileSync(`${file}.lock-1`, typeof said === "string" ? said : JSON.stringify(said));
const readOwnLock = async (file) => {
  const journal = await durable.fileJournal(file);
  const [name] = readdirSync(join(file, "..")).filter((name) => name.includes(".lock-"));
  const said = JSON.parse(readFileSync(join(file, "..", name), "utf8"));
  await journal.close();
  return said;
};

test("the lock of an ended process is free, and a lock of an unknown process is held", async () => {
  const file = newFilePath();
  const { pid, since, place: here } = await readOwnLock(file);
  const ended = await process_("file", file);
  await ended.end();
  for (const [said, held, what] of [
    [{ pid: ended.pid, since: "1", place: here }, false, "of a process that has ended"],
    [{ pid: ended.pid, place: here }, false, "without a start"],
    [{ pid, since, place: here }, true, "of this process"],
    [{ pid, since: `${since}0`, place: here }, false, "of an earlier process of this number, as in a container"],
    [{ pid: 1, since: "never", place: here }, process.platform !== "linux", "of a number that is another's now"],
    [{ pid, since, place: "elsewhere boot pid" }, true, "of another host"],
    [{ pid: ended.pid, since, place: `${here} other` }, true, "of another container"],
    [{ pid: 0, place: here }, true, "of no process"],
    [{ pid: -1, place: here }, true, "of all processes"],
    [{ place: here }, true, "without a process"],
    ["", true, "empty"],
    ["null", true, "of nothing"],
    ["{", true, "cut"],
  ]) {
    lockOf(file, said);
    if (held) {
      await assert.rejects(durable.fileJournal(file), { code: "durable/locked" }, what);
      assert.deepEqual(readdirSync(join(file, "..")), ["j", "j.lock-1"], what);
    } else {
      await (await durable.fileJournal(file)).close();
      assert.deepEqual(readdirSync(join(file, "..")), ["j"], what);
    }
    count("locks of others");
  }
});

test("an unreadable lock is held", async () => {
  const file = newFilePath();
  mkdirSync(`${file}.lock-1`);
  await assert.rejects(durable.fileJournal(file), { code: "durable/locked" });
  assert.equal(statSync(`${file}.lock-1`).isDirectory(), true);
});

test("a journal has one lock for all of its paths", async () => {
  const file = newFilePath();
  const journal = await durable.fileJournal(file);
  symlinkSync(file, `${file}-link`);
  symlinkSync(join(file, ".."), fixture.path(`link-${files}`));
  for (const name of [`${file}-link`, join(fixture.path(`link-${files}`), "j"), join(file, "..", ".", "j")])
    await assert.rejects(durable.fileJournal(name), { code: "durable/locked" }, name);
  await journal.close();
  await (await durable.fileJournal(`${file}-link`)).close();
});

test("another thread of the process counts as another holder", async () => {
  const file = newFilePath();
  const journal = await durable.fileJournal(file);
  const program = `
    const { parentPort, workerData: [entry, file] } = require("node:worker_threads");
    import(entry).then(({ fileJournal }) => fileJournal(file)).then(() => "holds", ({ code }) => code)
      .then((said) => parentPort.postMessage(said));`;
  const worker = new Worker(program, { eval: true, workerData: [entry, file] });
  const said = await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  assert.equal(said, "durable/locked");
  await worker.terminate();
  await journal.close();
});

test("taking over a run in a database fences its former holder, and other runs stay free", async () => {
  const file = newFilePath();
  const first = await process_("sqlite", file);
  assert.equal(await first.tell("open"), "holds");
  const other = await durable.sqliteJournal(file, "another");
  await other.close();
  const taken = await durable.sqliteJournal(file, "r", { takeOver: true });
  assert.equal(await first.tell("write"), "durable/fenced");
  assert.equal(await first.tell("write"), "durable/fenced");
  assert.equal(await first.tell("close"), "closed");
  await assert.rejects(durable.sqliteJournal(file, "r"), { code: "durable/locked" }, "closing frees what is its own");
  assert.equal(taken.lines.length, 0);
  await taken.close();
  await (await durable.sqliteJournal(file, "r")).close();
  await first.end();
});

test("a run held by a process of another machine is taken over only on request", async () => {
  const file = newFilePath();
  await (await durable.sqliteJournal(file, "r")).close();
  const db = await fixture.database(file.slice(fixture.folder.length + 1));
  const pid = process.pid;
  for (const [row, code] of [
    [[pid, "1", "elsewhere boot"], "durable/locked"],
    [[pid, null, "elsewhere boot"], "durable/locked"],
    [[pid, "1", null], "durable/locked"],
    [[null, null, null], "same"],
  ]) {
    db.prepare("UPDATE journal_runs SET pid = ?, since = ?, place = ?").run(...row);
    const said = await durable.sqliteJournal(file, "r").then(
      (journal) => (journal.close(), "same"),
      (error) => error.code,
    );
    assert.equal(said, code, `${row}`);
    await (await durable.sqliteJournal(file, "r", { takeOver: true })).close();
    count("rows of others");
  }
  db.close();
});
