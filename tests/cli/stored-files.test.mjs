// Tests the files that the command writes: permissions, content, and no accidental overwrites.

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { file, folder, start, stepgraph } from "./stepgraph.mjs";

const path = (name) => join(folder, name);
const read = (name) => readFileSync(path(name), "utf8");
const mode = (name) => statSync(path(name)).mode & 0o777;
const drafts = () => readdirSync(folder).filter((name) => name.endsWith(".draft"));

const PLAN = `
nodes:
  login: { type: login, input: { user: "\${context.user}", password: "\${input.password}" } }
  work: { type: work, input: "with \${last.session_id}, for \${context.user}" }
  ask: { type: approve, input: go on? }
edges: [{ from: login, to: work }, { from: work, to: ask }]
`;
const plan = file("kept.yaml", PLAN);
const stubs = file(
  "kept.stubs.yaml",
  "types: { login: { return: { session_id: id-of-the-session } }, work: { return: 1, delay_ms: 1 } }\n",
);
const RUN = ["run", plan, "--stubs", stubs, "--input", "password=hunter2", "--context", "user=marker-4711"];
const RESUME = ["run", plan, "--stubs", stubs, "--context", "user=marker-4711", "--resume"];
const SECRETS = ["hunter2", "marker-4711", "id-of-the-session"];

test("files of a run are readable only by their owner, and contain secrets only in snapshots", async () => {
  const files = { "a.ndjson": "--audit", "r.ndjson": "--record", "s.json": "--snapshot" };
  const flags = Object.entries(files).flatMap(([name, option]) => [option, name]);
  for (const before of ["none", "wide"]) {
    if (before === "wide") for (const name of Object.keys(files)) chmodSync(path(name), 0o644);
    const { code, err } = await stepgraph([...RUN, ...flags]);
    assert.equal(code, 4, err);
    for (const name of Object.keys(files)) assert.equal(mode(name), 0o600, `${name}, ${before}`);
  }
  for (const name of Object.keys(files).filter((name) => name !== "s.json"))
    for (const secret of SECRETS) assert.ok(!read(name).includes(secret), `${secret} in ${name}`);
  const done = await stepgraph([...RESUME, "s.json", "--approve", "ask:1:1"]);
  assert.equal(done.code, 0, done.err);
  const again = await stepgraph(["run", plan, "--replay", "r.ndjson", "--context", "user=marker-4711"]);
  assert.equal(again.code, 4, again.err);
  assert.deepEqual(drafts(), []);
});

test("run never overwrites its input files, by any path", async () => {
  file("stay.json", "{}");
  file("tape.ndjson", "a cassette\n");
  symlinkSync(path(plan), path("link.yaml"));
  linkSync(path(plan), path("hard.yaml"));
  symlinkSync(path("not-there-yet"), path("dangling"));
  mkdirSync(path("sub"));
  for (const [flags, words] of [
    [["--record", plan], /`--record` would write over the plan, `kept\.yaml`\n.*name another file/],
    [["--snapshot", plan], /`--snapshot` would write over the plan/],
    [["--audit", plan], /`--audit` would write over the plan/],
    [["--audit", `./${plan}`], /the plan, `kept\.yaml`, which is `\.\/kept\.yaml`, too/],
    [["--record", "link.yaml"], /would write over the plan/],
    [["--snapshot", "hard.yaml"], /would write over the plan/],
    [["--audit", `sub/../${plan}`], /would write over the plan/],
    [["--record", stubs], /would write over the file of `--stubs`/],
    [["--fork", "tape.ndjson", "--record", "tape.ndjson"], /`--record` would write over the file of `--fork`/],
    [["--replay", "tape.ndjson", "--audit", "tape.ndjson"], /would write over the file of `--replay`/],
    [["--record", "new.ndjson", "--audit", "./new.ndjson"], /`--audit` and `--record` name the same file/],
    [["--record", "dangling", "--snapshot", "not-there-yet"], /`--record` and `--snapshot` name the same file/],
    [["--audit", "a1.ndjson", "--audit", "a1.ndjson"], /`--audit` names the same file twice/],
    [["--snapshot", "sub"], /can't write `sub`: it is a folder/],
    [["--snapshot", "no/where.json"], /can't write `no\/where\.json`: there is no such file/],
    [["--record", "no/where.json"], /can't write/],
  ]) {
    const { code, out, err } = await stepgraph([...RUN, ...flags]);
    assert.deepEqual([code, out], [2, ""], `${flags}: ${err}`);
    assert.match(err, words, `${flags}`);
  }
  assert.equal(read(plan), PLAN);
  assert.equal(read("tape.ndjson"), "a cassette\n");
  assert.ok(!existsSync(path("new.ndjson")) && !existsSync(path("not-there-yet")));
  assert.deepEqual(drafts(), []);
});

test("other commands never overwrite their input files", async () => {
  const flow = file("flow.mmd", "flowchart LR\n  a --> b\n");
  for (const [args, words] of [
    [["import", flow, "--output", flow], /`--output` would write over the workflow, `flow\.mmd`/],
    [["runs", "export", "--db", "a.db", "--output", "a.db"], /`--output` would write over the database, `a\.db`/],
    [["plan", "do it", "--stubs", stubs, "--force", "--output", stubs], /would write over the file of `--stubs`/],
  ]) {
    const { code, out, err } = await stepgraph(args);
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, words);
  }
});

test("run may overwrite the snapshot that it resumes from", async () => {
  const first = await stepgraph([...RUN, "--snapshot", "same.json"]);
  assert.equal(first.code, 4, first.err);
  const args = [...RESUME, "same.json", "--snapshot", "same.json"];
  assert.equal((await stepgraph(args)).code, 4);
  assert.equal((await stepgraph([...args, "--approve", "ask:1:1"])).code, 0);
});

test("a cassette is written next to the file and replaces it when the run ends", async () => {
  file("old.ndjson", "the old one\n");
  const slow = file(
    "slow.stubs.yaml",
    "types: { login: { return: { session_id: 1 } }, work: { return: 1, delay_ms: 600000 } }\n",
  );
  const args = ["run", plan, "--stubs", slow, ...RUN.slice(4), "--record", "old.ndjson", "-v"];
  const killed = start(args);
  await killed.until("▸ work");
  assert.equal(read("old.ndjson"), "the old one\n");
  killed.child.kill("SIGKILL");
  await killed.done;
  assert.equal(read("old.ndjson"), "the old one\n");
  const [draft] = drafts();
  assert.match(draft, /^old\.ndjson\.[0-9a-f]{8}\.draft$/);
  assert.equal(mode(draft), 0o600);
  assert.match(read(draft), /"call":"work:1:1"/);
  rmSync(path(draft));
  const twice = start(args);
  await twice.until("▸ work");
  twice.child.kill("SIGINT");
  assert.equal((await twice.done).code, 130);
  assert.match(read("old.ndjson"), /"outcome":"cancelled"/);
  assert.deepEqual(drafts(), []);
});

test("a run that never started leaves the files unchanged", async () => {
  file("before.ndjson", "mine\n");
  const { code } = await stepgraph(["run", plan, "--record", "before.ndjson", "--snapshot", "before.json"]);
  assert.equal(code, 2);
  assert.equal(read("before.ndjson"), "mine\n");
  assert.ok(!existsSync(path("before.json")));
  assert.deepEqual(drafts(), []);
});

/** Removes the output folder as soon as `work` starts. */
async function runAndRemoveFolder(env) {
  mkdirSync(path("gone"), { recursive: true });
  const slow = file(
    "wait.stubs.yaml",
    "types: { login: { return: { session_id: 1 } }, work: { return: 1, delay_ms: 3000 } }\n",
  );
  const { done, until } = start(["run", plan, "--stubs", slow, ...RUN.slice(4), "--snapshot", "gone/s.json", "-v"], {
    env,
  });
  await until("▸ work");
  rmSync(path("gone"), { recursive: true });
  return done;
}

test("an unwritable snapshot is saved to another folder at the end", async () => {
  mkdirSync(path("tmp"));
  const { code, err } = await runAndRemoveFolder({ TMPDIR: path("tmp") });
  assert.equal(code, 4, err);
  const [, kept] =
    /can't write `gone\/s\.json`: there is no such file\n.*it was saved in `([^`]+)` instead/.exec(err) ?? [];
  assert.ok(kept?.startsWith(path("tmp")), err);
  assert.equal(JSON.parse(readFileSync(kept, "utf8")).type, "snapshot");
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  assert.match(err, /--resume \S*tmp\/stepgraph-\S+\/snapshot\.json --approve ask:1:1/);
});

test("a snapshot that can't be saved anywhere is printed", async () => {
  const { code, err } = await runAndRemoveFolder({ TMPDIR: path("nowhere") });
  assert.equal(code, 4, err);
  assert.match(err, /can't be saved elsewhere either/);
  const line = err.split("\n").find((line) => line.startsWith('{"'));
  writeFileSync(path("printed.json"), line);
  const done = await stepgraph([...RESUME, "printed.json", "--approve", "ask:1:1"]);
  assert.equal(done.code, 0, done.err);
});

test("a full disk ends no run", { skip: !existsSync("/dev/full") }, async () => {
  for (const option of ["--audit", "--record"]) {
    const { code, err } = await stepgraph([...RUN, option, "/dev/full"]);
    assert.equal(code, 4, err);
    assert.match(err, /error\[cli\/unwritable-file\]: can't write `\/dev\/full`: the disk is full/);
  }
  const devices = await stepgraph([...RUN, "--audit", "/dev/null", "--record", "/dev/null", "--snapshot", "/dev/null"]);
  assert.equal(devices.code, 4, devices.err);
});
