// Tests damaged file journals: the run gives the undisturbed result, or a code, and repeats no recorded call.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileJournal, MemoryJournal, runDurable } from "../../dist/integrations/durable/node.js";
import * as library from "../../dist/node.js";
import { FIRST_CHECKSUM_INPUT, checksum } from "../../wasm/dist/integrations/durable/node/checksum.js";
import {
  journalOptions,
  assertMade,
  CALLS,
  assertCode,
  withoutTimes,
  finished,
  folder,
  host,
  parsed,
  PLAN,
  SMALL,
  tally,
} from "./faults.mjs";

const graph = parsed(library, PLAN);
const small = parsed(library, SMALL);
const tempFolder = folder();
const count = tally("files");
const FAST_OPTIONS = { ...journalOptions, fsync: false };

async function runJournaled(path, { plan = graph, given = {}, ...options } = {}) {
  const { made, options: offered } = host();
  const journal = await fileJournal(path, { ...FAST_OPTIONS, ...options });
  try {
    const before = finished(journal.lines);
    const report = await runDurable(plan, journal, { ...offered, ...given });
    return { report, made, before, lines: [...journal.lines] };
  } finally {
    await journal.close();
  }
}

async function runToEnd(plan, options = {}) {
  const path = tempFolder();
  const { report, made, lines } = await runJournaled(path, { plan, ...options });
  const bytes = readFileSync(path);
  const again = await runJournaled(path, { plan, ...options });
  assert.deepEqual(withoutTimes(again.report), withoutTimes(report));
  assert.equal(again.made.size, 0, "a whole journal asks nobody");
  assert.deepEqual(readFileSync(path), bytes);
  return { bytes, lines, made, expected: withoutTimes(report), text: bytes.toString() };
}

const fullJournal = await runToEnd(graph);
const smallRun = await runToEnd(small);
const keyed = await runToEnd(small, { key: "secret" });

/** Its own folder shows leftover files. */
function file(bytes) {
  const around = tempFolder();
  mkdirSync(around);
  const path = join(around, "j");
  writeFileSync(path, bytes);
  return path;
}

async function assertSameOrError(bytes, original, where, { plan = small, ...options } = {}) {
  const path = file(bytes);
  let code = "same";
  try {
    const { report, made, lines } = await runJournaled(path, { plan, ...options });
    assert.deepEqual(lines, original.lines, where);
    assert.deepEqual(withoutTimes(report), original.expected, where);
    assert.equal(made.size, 0, where);
  } catch (error) {
    code = assertCode(error, where);
    assert.deepEqual(readFileSync(path), Buffer.from(bytes), `${where}: a refused file was changed`);
  }
  assert.deepEqual(readdirSync(dirname(path)), ["j"], `${where}: something is left`);
  rmSync(dirname(path), { recursive: true });
  return code;
}

test("the plan makes all its calls, each once", () => {
  assertMade(fullJournal.made, [], "whole");
  assert.match(fullJournal.expected.state, /completed/);
});

test("a run continues from a file cut at any byte, twice", async () => {
  for (let end = 0; end <= fullJournal.bytes.length; end++) {
    const path = tempFolder();
    writeFileSync(path, fullJournal.bytes.subarray(0, end));
    const where = `cut after ${end} bytes`;
    const { report, made, before } = await runJournaled(path);
    assert.deepEqual(withoutTimes(report), fullJournal.expected, where);
    assertMade(made, before, where);
    // Only the cut entries are missing. One that lacks only its line end counts.
    const ends =
      fullJournal.text.slice(0, Buffer.from(fullJournal.bytes.subarray(0, end)).toString().length).split("\n").length -
      2;
    assert.ok(before.length >= ends, where);
    const again = await runJournaled(path);
    assert.deepEqual(
      [withoutTimes(again.report), again.made.size],
      [fullJournal.expected, 0],
      `${where}, opened again`,
    );
    rmSync(path);
    count("cuts");
  }
});

test("a run whose file is cut, continued and cut again has the same result", async () => {
  for (let end = 1; end < fullJournal.bytes.length; end += 97) {
    const path = tempFolder();
    const truncateFile = (bytes) => writeFileSync(path, bytes.subarray(0, end));
    truncateFile(fullJournal.bytes);
    await runJournaled(path);
    truncateFile(readFileSync(path));
    assert.deepEqual(withoutTimes((await runJournaled(path)).report), fullJournal.expected);
    count("second cuts");
  }
});

test("a file with any flipped bit returns the same entries, or is refused and unchanged", async () => {
  for (const [original, options] of [
    [smallRun, {}],
    [keyed, { key: "secret" }],
  ]) {
    for (let bit = 0; bit < original.bytes.length * 8; bit += original === smallRun ? 1 : 7) {
      const bytes = Buffer.from(original.bytes);
      bytes[bit >> 3] ^= 1 << (bit & 7);
      count(`flips: ${await assertSameOrError(bytes, original, `bit ${bit}`, options)}`);
    }
  }
});

test("a file with any byte removed, doubled or zeroed returns the same entries or is refused", async () => {
  const { bytes } = smallRun;
  for (let at = 0; at < bytes.length; at++) {
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
    for (const middle of [[], [bytes[at], bytes[at]], [0]]) {
      const given = Buffer.concat([head, Buffer.from(middle), tail]);
      count(`bytes: ${await assertSameOrError(given, smallRun, `byte ${at} as [${middle}]`)}`);
    }
  }
});

test("doubled, swapped, lost or foreign lines are refused", async () => {
  const lines = fullJournal.text.split("\n").slice(0, -1);
  const other = (await runToEnd(small, { given: { runId: "other" } })).text.split("\n");
  const spoilt = [];
  for (let i = 0; i < lines.length; i++) {
    spoilt.push([`line ${i + 1} doubled`, lines.toSpliced(i, 0, lines[i])]);
    // A journal that lacks the last line is valid, of an earlier moment.
    if (i < lines.length - 1) spoilt.push([`line ${i + 1} lost`, lines.toSpliced(i, 1)]);
    for (let j = i + 1; j < lines.length; j++) spoilt.push([`${i + 1} and ${j + 1}`, swapLines(lines, i, j)]);
    if (i > 0) spoilt.push([`line ${i + 1} of another`, lines.toSpliced(i, 1, other[i % 3 || 1])]);
  }
  for (const [where, given] of spoilt) {
    const text = given.map((line) => `${line}\n`).join("");
    const code = await assertSameOrError(text, fullJournal, where, { plan: graph });
    assert.match(code, /^durable\/(bad-entry|not-a-journal)$/, where);
    count("lines");
  }
});

function swapLines(lines, i, j) {
  const copy = [...lines];
  [copy[i], copy[j]] = [copy[j], copy[i]];
  return copy;
}

test("the remains of a crash, an empty or zeroed block, are removed", async () => {
  const { bytes, expected } = fullJournal;
  const last = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  for (const tail of [Buffer.alloc(1), Buffer.alloc(4096), bytes.subarray(last, -5), Buffer.from("�€\u0000")]) {
    const path = file(Buffer.concat([bytes.subarray(0, last), tail]));
    const { report, made } = await runJournaled(path);
    assert.deepEqual(withoutTimes(report), expected);
    assert.deepEqual([...made.keys()], ["keep:1:1"]);
    assert.deepEqual(readFileSync(path), bytes);
  }
});

test("a journal with a key refuses entries without it, and the reverse", async () => {
  const key = "a secret of the host";
  const path = tempFolder();
  const forge = (name, change) => {
    const lines = fullJournal.lines.map((line) => JSON.parse(line));
    change(lines);
    return [name, lines.map((line) => JSON.stringify(line))];
  };
  const forged = [
    forge("leave for everything", ([head]) => (head.value.host.allow = true)),
    forge("another result", (lines) => (lines[2].value.output = "mine")),
    forge("a decision", (lines) => lines.splice(5, 0, { name: "ask:1:1", value: { decision: "approved" } })),
    forge("nothing", () => {}),
  ];
  for (const [what, lines] of forged) {
    // An attacker without the key may know the format.
    for (const keyedHeader of [true, false]) {
      const header = JSON.stringify({ journal: "stepgraph", version: 1, keyed: keyedHeader });
      let sum = FIRST_CHECKSUM_INPUT;
      const bytes = [header, ...lines].map((line) => `${(sum = checksum(sum, line, undefined))} ${line}\n`).join("");
      const code = await assertSameOrError(bytes, fullJournal, what, { plan: graph, key });
      assert.equal(code, "durable/bad-entry", what);
      count("forged");
    }
  }
  await runJournaled(path, { key });
  const bytes = readFileSync(path);
  for (const other of [undefined, "another", new TextEncoder().encode("a secret of the hosT")])
    assert.equal(
      await assertSameOrError(bytes, fullJournal, "another key", { plan: graph, ...(other && { key: other }) }),
      "durable/bad-entry",
    );
  const header = bytes.subarray(0, bytes.indexOf(10) + 1);
  const added = Buffer.concat([header, Buffer.from(`${"0".repeat(32)} ${fullJournal.lines[0]}\n`)]);
  assert.equal(await assertSameOrError(added, fullJournal, "appended", { plan: graph, key }), "durable/bad-entry");
  assert.equal((await runJournaled(path, { key: new TextEncoder().encode(key) })).made.size, 0, "bytes are a key, too");
  for (const none of ["", new Uint8Array(), 7, null])
    await assert.rejects(fileJournal(tempFolder(), { key: none }), { code: "durable/bad-key" });
});

test("without a key, a head that allows more than the host is refused", async () => {
  const lines = smallRun.lines.map((line) => JSON.parse(line));
  for (const allow of [true, ["*"], ["get"]]) {
    lines[0].value.host.allow = allow;
    const journal = new MemoryJournal({ lines: lines.map((line) => JSON.stringify(line)) });
    await assert.rejects(runDurable(small, journal, host().options), { code: "durable/host-changed" });
  }
});

test("files that are no journals are refused and stay unchanged", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");
  const others = {
    plan: PLAN,
    png,
    "one line": "hello\n",
    "no line": "hello",
    lines: fullJournal.lines.join("\n"),
    json: "{}",
  };
  for (const [name, bytes] of Object.entries(others)) {
    assert.equal(await assertSameOrError(bytes, fullJournal, name), "durable/not-a-journal", name);
    count("no journals");
  }
  const around = tempFolder();
  mkdirSync(join(around, "folder"), { recursive: true });
  symlinkSync("/dev/zero", join(around, "device"));
  symlinkSync(join(around, "nowhere"), join(around, "broken"));
  const before = readdirSync(around);
  for (const [name, code] of [
    ["folder", "durable/not-a-journal"],
    ["device", "durable/not-a-journal"],
    ["broken", "durable/journal-failed"],
    ["missing/j", "durable/journal-failed"],
    ["", "durable/not-a-journal"],
    ["folder/\0", "api/bad-option"],
  ]) {
    await assert.rejects(fileJournal(join(around, name), FAST_OPTIONS), { code }, name);
    count("no journals");
  }
  assert.deepEqual(readdirSync(around), before, "something is left");
});

test("a folder or a file that can't be written is refused with a code", async () => {
  const isRoot = process.getuid?.() === 0;
  const path = file(fullJournal.bytes);
  chmodSync(dirname(dirname(path)), 0o755);
  for (const [target, mode] of [
    [path, 0o444],
    [dirname(path), 0o555],
  ]) {
    chmodSync(dirname(path), 0o777);
    chmodSync(target, mode);
    // Root can write everywhere.
    if (isRoot) process.seteuid(65534);
    try {
      await assert.rejects(fileJournal(path, FAST_OPTIONS), { code: "durable/journal-failed" });
    } finally {
      if (isRoot) process.seteuid(0);
    }
    assert.deepEqual([readdirSync(dirname(path)), readFileSync(path)], [["j"], fullJournal.bytes]);
  }
});

test("an empty file is a journal that has not begun", async () => {
  const { report, made } = await runJournaled(file(""));
  assert.deepEqual(withoutTimes(report), fullJournal.expected);
  assertMade(made, [], "empty");
});

test("the journal and its lock are readable only by their owner, and closing removes the lock", async () => {
  const around = tempFolder();
  mkdirSync(around);
  const before = process.umask(0);
  try {
    const journal = await fileJournal(join(around, "j"), journalOptions);
    const modes = readdirSync(around).map((name) => statSync(join(around, name)).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o600]);
    await journal.close();
    await journal.close();
    assert.deepEqual(readdirSync(around), ["j"]);
  } finally {
    process.umask(before);
  }
});

test("runDurable rejects unknown options", async () => {
  const path = tempFolder();
  await assert.rejects(fileJournal(path, { onAproval: () => "approved" }), { code: "api/unknown-option" });
  assert.ok(!readdirSync(dirname(path)).includes(basename(path)));
});

test("initial values that are not JSON are rejected before anything runs", async () => {
  const round = {};
  round.round = round;
  for (const [given, code] of [
    [{ input: 10n }, "durable/not-json"],
    [{ input: round }, "durable/not-json"],
    [{ snapshot: { format: 1 } }, "snapshot/unusable"],
    [{ signal: AbortSignal.abort() }, "api/unknown-option"],
  ]) {
    const journal = new MemoryJournal();
    await assert.rejects(runDurable(small, journal, { ...host().options, ...given }), { code });
    assert.deepEqual(journal.lines, []);
  }
  assert.equal(CALLS.length, fullJournal.made.size);
});
