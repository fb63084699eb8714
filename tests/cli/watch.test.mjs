// Tests when `--watch` starts a run again, cancels it and ends.

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { file, folder, start, stepgraph } from "./stepgraph.mjs";

const children = new Set();
after(() => {
  for (const child of children) child.kill("SIGKILL");
});

/**
 * `next` waits for a new text on standard error or standard output. Each has its own position, because two pipes have
 * no common order.
 */
function watching(args) {
  const { child, done } = start([...args, "--watch"]);
  children.add(child);
  const streams = [child.stderr, child.stdout].map((stream) => ({ stream, text: "", from: 0 }));
  let ended = false;
  let look = () => {};
  for (const one of streams)
    one.stream.on("data", (bytes) => {
      one.text += bytes;
      look();
    });
  void done.then(() => {
    children.delete(child);
    ended = true;
    look();
  });
  const next = (words) =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = streams.find(({ text, from }) => text.indexOf(words, from) >= 0);
        if (!found && !ended) return;
        look = () => {};
        if (!found)
          return reject(new Error(`it ended without "${words}":\n${streams.map(({ text }) => text).join("\n")}`));
        const at = found.text.indexOf(words, found.from);
        const between = found.text.slice(found.from, at);
        found.from = at + words.length;
        resolve(between);
      };
      look();
    });
  const interrupt = async () => {
    child.kill("SIGINT");
    return (await done).code;
  };
  return { child, done, next, interrupt };
}

/**
 * Editors rename a new file over the old one, which is one change. A file written directly changes twice, and may be
 * read half-written.
 */
function saveByRename(name, content) {
  writeFileSync(join(folder, `${name}.tmp`), content);
  renameSync(join(folder, `${name}.tmp`), join(folder, name));
}

const says = (text) => `nodes: {a: {type: log, input: "${text}"}}\n`;

test("`run` runs again after each way to save the plan, until Ctrl-C", async () => {
  const plan = file("saved.yaml", says("first run"));
  const { next, interrupt } = watching(["run", plan]);
  await next("first run");
  await next("watching saved.yaml; Ctrl-C ends");
  file("saved.yaml", says("second run"));
  await next("saved.yaml changed ──");
  await next("second run");
  await next("watching");
  saveByRename("saved.yaml", says("third run"));
  await next("saved.yaml changed ──");
  await next("third run");
  await next("watching");
  unlinkSync(join(folder, "saved.yaml"));
  await next("can't read `saved.yaml`: there is no such file");
  await next("watching");
  file("saved.yaml", says("fourth run"));
  await next("fourth run");
  await next("watching");
  assert.equal(await interrupt(), 130);
});

test("`run` watches every file that it reads: stubs, handlers, and files that the plan runs", async () => {
  mkdirSync(join(folder, "parts"), { recursive: true });
  const part = (type) => `nodes: {b: {type: ${type}, input: {}}}\n`;
  file("parts/one.yaml", part("shout"));
  const plan = file("all.yaml", "nodes: {a: {type: graph, graph: ./parts/one.yaml}}\n");
  const stubs = file("all.stubs.yaml", "types: {whisper: {return: whispered}}\n");
  const handlers = file("all.mjs", 'export const handlers = { shout: () => "SHOUTED" };');
  const { next, interrupt } = watching(["run", plan, "--stubs", stubs, "--handlers", handlers]);
  await next("SHOUTED");
  await next("watching all.stubs.yaml, all.mjs, all.yaml and 1 more file");
  saveByRename("all.mjs", 'export const handlers = { shout: () => "LOUDER" };');
  await next("all.mjs changed");
  await next("LOUDER");
  await next("watching");
  saveByRename("parts/one.yaml", part("whisper"));
  await next("parts/one.yaml changed");
  await next("whispered");
  await next("watching");
  saveByRename("all.stubs.yaml", "types: {whisper: {return: murmured}}\n");
  await next("all.stubs.yaml changed");
  await next("murmured");
  await next("watching");
  assert.equal(await interrupt(), 130);
});

const SLOW = "types: {price: {return: slowly, delay_ms: 600000}}\n";
const PRICE = "nodes: {a: {type: price, input: {}}}\n";

test("a change cancels the current run", async () => {
  const [plan, stubs] = [file("price.yaml", PRICE), file("price.stubs.yaml", SLOW)];
  const { next, interrupt } = watching(["run", plan, "--stubs", stubs, "--verbose"]);
  await next("receives {}");
  saveByRename("price.stubs.yaml", "types: {price: {return: at once}}\n");
  await next("cancelled");
  await next("price.stubs.yaml changed");
  assert.match(await next("watching"), /"at once"[^]*completed/);
  assert.equal(await interrupt(), 130);
});

test("Ctrl-C cancels the current run and ends the command", async () => {
  const [plan, stubs] = [file("long.yaml", PRICE), file("long.stubs.yaml", SLOW)];
  const { next, done, interrupt } = watching(["run", plan, "--stubs", stubs, "--verbose"]);
  await next("receives {}");
  assert.equal(await interrupt(), 130);
  const { err } = await done;
  assert.match(err, /cancelled/);
  assert.doesNotMatch(err, /watching|changed/);
});

test("a run that fails waits for the next change", async () => {
  const plan = file("broken.yaml", "nodes: [\n");
  const handlers = file("broken.mjs", "export const =");
  const { next, interrupt } = watching(["run", plan, "--handlers", handlers]);
  await next("can't load `broken.mjs`");
  await next("watching broken.mjs; Ctrl-C ends");
  saveByRename("broken.mjs", 'export const handlers = { price: () => "mended" };');
  await next("error[");
  await next("watching broken.mjs, broken.yaml; Ctrl-C ends");
  saveByRename("broken.yaml", PRICE);
  await next("mended");
  await next("watching");
  assert.equal(await interrupt(), 130);
});

test("a folder that disappears and comes back", async () => {
  mkdirSync(join(folder, "branch"));
  const plan = file("branch/plan.yaml", says("before"));
  const { next, interrupt } = watching(["run", plan]);
  await next("before");
  await next("watching");
  rmSync(join(folder, "branch"), { recursive: true });
  await next("can't read");
  await next("watching");
  mkdirSync(join(folder, "branch"));
  file("branch/plan.yaml", says("after"));
  await next("after");
  await next("watching");
  assert.equal(await interrupt(), 130);
});

test("the target of a link", { skip: process.platform === "win32" }, async () => {
  mkdirSync(join(folder, "real"));
  file("real/target.yaml", says("before"));
  symlinkSync("real/target.yaml", join(folder, "link.yaml"));
  const { next, interrupt } = watching(["run", "link.yaml"]);
  await next("before");
  await next("watching");
  saveByRename("real/target.yaml", says("after"));
  await next("after");
  await next("watching");
  assert.equal(await interrupt(), 130);
});

test("other files of the folder start nothing", async () => {
  const plan = file("alone.yaml", says("run"));
  const { next, done, interrupt } = watching(["run", plan, "--audit", "alone.ndjson"]);
  await next("watching");
  for (const text of ["once", "twice"]) file("other.yaml", says(text));
  saveByRename("alone.yaml", says("run again"));
  await next("run again");
  await next("watching");
  assert.equal(await interrupt(), 130);
  assert.equal((await done).err.match(/ changed ──/g).length, 1);
});

test("with --json each run is a line, and standard error stays empty", async () => {
  const plan = file("lines.yaml", says("one"));
  const { next, done, interrupt } = watching(["run", plan, "--json"]);
  await next("}\n");
  saveByRename("lines.yaml", says("two"));
  await next("}\n");
  assert.equal(await interrupt(), 130);
  const { out, err } = await done;
  assert.equal(err, "");
  const reports = out.trimEnd().split("\n").map(JSON.parse);
  assert.deepEqual(
    reports.map(({ last }) => last),
    ["one", "two"],
  );
});

test("with --json a run that can't start is a line, too", async () => {
  const plan = file("stubbed.yaml", says("one"));
  file("watched.stubs.yaml", "types: {}\n");
  const { next, done, interrupt } = watching(["run", plan, "--json", "--stubs", "watched.stubs.yaml"]);
  await next("}\n");
  unlinkSync(join(folder, "watched.stubs.yaml"));
  await next("}\n");
  saveByRename("watched.stubs.yaml", "types: {}\n");
  await next("}\n");
  assert.equal(await interrupt(), 130);
  const reports = (await done).out.trimEnd().split("\n").map(JSON.parse);
  assert.deepEqual(
    reports.map(({ outcome, last }) => outcome.code ?? last),
    ["one", "cli/unreadable-file", "one"],
  );
});

test("`test` and `check` watch, too", async () => {
  const tested = (text) => `${says("x")}tests: [{name: it, expect: {last: ${text}}}]\n`;
  const plan = file("tested.yaml", tested("y"));
  const tests = watching(["test", plan]);
  await tests.next("0 passed, 1 failed");
  await tests.next("watching");
  saveByRename("tested.yaml", tested("x"));
  await tests.next("1 passed, 0 failed");
  await tests.next("watching");
  assert.equal(await tests.interrupt(), 130);

  const checks = watching(["check", plan]);
  await checks.next("no problems");
  await checks.next("watching");
  saveByRename("tested.yaml", "nodes: {a: {type: log}}\nedges: [{from: a, to: b}]\n");
  await checks.next("graph/unknown-node");
  await checks.next("watching");
  assert.equal(await checks.interrupt(), 130);
});

test("Ctrl-C ends `test` during a test", async () => {
  const plan = file("hangs.yaml", `${PRICE}tests: [{name: it, expect: {outcome: completed}}]\n`);
  const module = 'export const handlers = { price: () => new Promise(() => console.error("hanging")) };';
  const { next, interrupt } = watching(["test", plan, "--handlers", file("hangs.mjs", module)]);
  await next("hanging");
  assert.equal(await interrupt(), 130);
});

const refused = [
  [["run", "p.yaml", "--resume", "x"], /`--watch` and `--resume` can't be combined: a snapshot belongs to one run/],
  [["run", "p.yaml", "--snapshot", "x"], /`--watch` and `--snapshot` can't be combined/],
  [["run", "p.yaml", "--record", "x"], /`--watch` and `--record` can't be combined/],
  [["run", "p.yaml", "--replay", "x"], /`--watch` and `--replay` can't be combined/],
  [["run", "p.yaml", "--fork", "x"], /`--watch` and `--fork` can't be combined/],
  [["run", "p.yaml", "--plan-hash", "x"], /`--plan-hash` can't be combined: it rejects a plan that has changed/],
  [["run", "-"], /can't read standard input again/],
  [["run", "p.yaml", "--prompt", "-"], /can't read standard input again/],
  [["test", "p.yaml", "--output", "junit"], /`--watch` and `--output junit` can't be combined/],
  [["check", "p.yaml", "--output", "sarif"], /`--watch` and `--output sarif` can't be combined/],
  [["run"], /needs a plan/],
  [["run", "p.yaml", "--limit", "visits=x"], /error/],
  [["run", "p.yaml", "--at", "a:1:1"], /change a recorded run/],
];
for (const [args, message] of refused)
  test(`refused: ${args.join(" ")} --watch`, async () => {
    file("p.yaml", says("never"));
    const { code, out, err } = await stepgraph([...args, "--watch"]);
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, message);
    assert.match(err, /help/);
  });
