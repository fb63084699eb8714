// Tests `stepgraph diff` and `stepgraph merge`, alone and as git's diff and merge drivers.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { example, file, folder, program, stepgraph } from "./stepgraph.mjs";

const BASE = "nodes:\n  a: {type: log, input: hi} # greets\n  b: {type: noop}\nedges: [{from: a, to: b}]\n";
const page = fileURLToPath(new URL("../../docs/diff-and-merge.md", import.meta.url));

for (const name of readdirSync(example("versions"))) copyFileSync(example(`versions/${name}`), join(folder, name));

test("the page shows the output of the commands for both versions", async () => {
  let text = readFileSync(page, "utf8");
  const shown = /```console\n\$ stepgraph (.*)\n[^]*?```/g;
  const runs = [...text.matchAll(shown)];
  assert.equal(runs.length, 2);
  for (const [block, line] of runs) {
    const { out, err } = await stepgraph(line.split(" "));
    const real = `\`\`\`console\n$ stepgraph ${line}\n${out}${err}\`\`\``;
    if (!process.env.UPDATE) assert.equal(block, real, "run this test with UPDATE=1 and look at what changes");
    text = text.replace(block, () => real);
  }
  if (process.env.UPDATE) writeFileSync(page, text);
});

test("diff: another word in a condition is another meaning", async () => {
  const plan = (word) =>
    `nodes: {a: {type: noop}, b: {type: noop}, c: {type: noop}}\nedges: [{from: a, to: b, condition: last==${word}}, {from: a, to: c}]\n`;
  file("yes.yaml", plan("yes"));
  file("no.yaml", plan("no"));
  const done = await stepgraph(["diff", "yes.yaml", "no.yaml"]);
  assert.equal(done.code, 1, done.out);
  assert.match(done.out, /`last == no` instead of when `last == yes`/);
});

test("diff exits with 0 for the same meaning, 1 for a difference and 2 for an invalid plan", async () => {
  file("base.yaml", BASE);
  file("same.yaml", "# another\nedges:\n  - from: a\n    to: b\nnodes: {b: {type: noop}, a: {input: hi, type: log}}\n");
  file("other.yaml", BASE.replace("hi", "ho"));
  file("bad.yaml", "nodes: {a: {}}\n");
  file("none.yaml", "");
  for (const [second, code, words] of [
    ["base.yaml", 0, /^both are the same text\n$/],
    ["same.yaml", 0, /^same meaning; only layout, comments or formatting differ\n$/],
    ["other.yaml", 1, /^node a\n {2}~ `input` of `a` is `ho` instead of `hi` other\.yaml:2\n\n1 change\n$/],
  ]) {
    const done = await stepgraph(["diff", "base.yaml", second]);
    assert.deepEqual([done.code, done.err], [code, ""], second);
    assert.match(done.out, words);
    const json = await stepgraph(["diff", "base.yaml", second, "--json"]);
    const told = JSON.parse(json.out);
    assert.deepEqual([json.code, told.same, told.before], [code, code === 0, "base.yaml"]);
  }
  const bad = await stepgraph(["diff", "base.yaml", "bad.yaml"]);
  assert.deepEqual([bad.code, bad.out], [2, ""]);
  assert.match(bad.err, /graph\/missing-type[^]*not compared: bad\.yaml has 1 error\n$/);
  const json = JSON.parse((await stepgraph(["diff", "base.yaml", "bad.yaml", "--json"])).out);
  assert.deepEqual([json.same, json.diagnostics.after.length], [null, 1]);
  const none = await stepgraph(["diff", "none.yaml", "base.yaml"]);
  assert.deepEqual([none.code, none.err], [2, "none.yaml is empty\n"]);
  assert.equal((await stepgraph(["diff", "base.yaml"])).code, 2);
  assert.equal((await stepgraph(["diff", "-", "-"])).code, 2);
  const piped = await stepgraph(["diff", "-", "other.yaml"], { input: BASE });
  assert.equal(piped.code, 1);
});

test("diff: places are those of JavaScript's strings", async () => {
  file("wide.yaml", "# 😀\nnodes: {a: {type: log, input: ä}}\n");
  file("wider.yaml", "# 😀😀\nnodes: {a: {type: log, input: ö}}\n");
  const { changes } = JSON.parse((await stepgraph(["diff", "wide.yaml", "wider.yaml", "--json"])).out);
  const text = (name, span) => readFileSync(join(folder, name), "utf8").slice(span.start, span.end);
  assert.deepEqual(
    [text("wide.yaml", changes[0].spans.before), text("wider.yaml", changes[0].spans.after)],
    ["ä", "ö"],
  );
});

test("diff: colours, and many changes of one kind", async () => {
  const nodes = Array.from({ length: 40 }, (_, at) => `n${at}`);
  const plan = (more) =>
    `start: n0\nnodes:\n${nodes.map((name) => `  ${name}: {type: log, input: x}\n`).join("")}edges:\n${nodes
      .slice(1)
      .map((name, at) => `  - {from: n${at}, to: ${name}}\n`)
      .join("")}${more}`;
  file("long.yaml", plan(""));
  file("short.yaml", plan("  - {from: n0, to: n39, condition: last==skip}\n"));
  const { out } = await stepgraph(["diff", "long.yaml", "short.yaml"], { env: { FORCE_COLOR: "1" } });
  assert.match(
    out,
    /\x1b\[1mnode n0\x1b\[0m\n {2}\x1b\[32m\+\x1b\[0m the edge `n0` → `n39` is new, taken when `last == skip`/,
  );
  assert.match(out, /a run may now complete without `n1`: `n0` → `n39`/);
  assert.match(out, /… and 33 more of this kind/);
  assert.match(out, /1 change, 38 changes in what runs may do/);
});

test("merge applies the changes of theirs to ours, reports conflicts and keeps ours", async () => {
  file("base.yaml", BASE);
  file("ours.yaml", BASE.replace("hi}", "hello}"));
  file(
    "theirs.yaml",
    "nodes:\n  a: {type: log, input: hi, timeout_ms: 5}\n  end: {type: noop}\nedges: [{from: a, to: end}]\n",
  );
  const clean = await stepgraph(["merge", "base.yaml", "ours.yaml", "theirs.yaml"]);
  assert.deepEqual([clean.code, clean.err], [0, ""]);
  assert.equal(
    clean.out,
    "nodes:\n  a: {type: log, input: hello, timeout_ms: 5} # greets\n  end: {type: noop}\nedges: [{from: a, to: end}]\n",
  );
  file("theirs.yaml", BASE.replace("hi}", "ho, timeout_ms: 5}"));
  const args = ["merge", "base.yaml", "ours.yaml", "theirs.yaml", "-o", "merged.yaml"];
  const told = await stepgraph([...args, "--name", "plan.yaml"]);
  assert.deepEqual([told.code, told.out], [1, ""]);
  assert.equal(
    told.err,
    "conflict[field]: `input` of `a` was `hi`, is `hello` in ours and `ho` in theirs\n  --> base line 2, ours line 2, theirs line 2\nplan.yaml: 1 conflict; ours is kept where they are\n",
  );
  assert.equal(readFileSync(join(folder, "merged.yaml"), "utf8"), BASE.replace("hi}", "hello, timeout_ms: 5}"));
  const { conflicts } = JSON.parse((await stepgraph([...args, "--json"])).out);
  assert.deepEqual(
    conflicts.map(({ kind, node, field, ours }) => [kind, node, field, ours]),
    [["field", "a", "input", "hello"]],
  );
  file("theirs.yaml", "nodes: {");
  assert.equal((await stepgraph(args)).code, 2);
  assert.equal((await stepgraph(["merge", "base.yaml", "ours.yaml"])).code, 2);
});

test("git uses the command for merges and diffs", () => {
  const home = join(folder, "repository");
  mkdirSync(home);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const git = (...args) => execFileSync("git", args, { cwd: home, env, encoding: "utf8", stdio: "pipe" });
  const command = `"${process.execPath}" "${program}"`;
  const plan = join(home, "p.plan.yaml");
  git("init", "-q", "-b", "main");
  git("config", "merge.stepgraph.driver", `${command} merge %O %A %B -o %A --name %P`);
  git("config", "diff.stepgraph.command", `${command} diff --git`);
  writeFileSync(join(home, ".gitattributes"), "*.plan.yaml merge=stepgraph diff=stepgraph\n");
  const save = (text, words) => {
    writeFileSync(plan, text);
    git("add", "-A");
    git("commit", "-qm", words);
  };
  save(BASE, "base");
  git("checkout", "-qb", "theirs");
  save("nodes:\n  a: {type: log, input: hi, visits: 3}\n  end: {type: noop}\nedges: [{from: a, to: end}]\n", "theirs");
  git("checkout", "-q", "main");
  save(BASE.replace("hi}", "hello}"), "ours");
  // Git alone reports a conflict here.
  git("merge", "-q", "--no-edit", "theirs");
  assert.equal(
    readFileSync(plan, "utf8"),
    "nodes:\n  a: {type: log, input: hello, visits: 3} # greets\n  end: {type: noop}\nedges: [{from: a, to: end}]\n",
  );
  assert.match(
    git("diff", "HEAD~1", "HEAD"),
    /^node a\n {2}~ a run may visit `a` 3 times instead of 25 b\/p\.plan\.yaml:2\n/m,
  );
  git("checkout", "-qb", "further", "HEAD~2");
  save(BASE.replace("hi}", "hey}"), "further");
  const failed = spawnSync("git", ["merge", "main"], { cwd: home, env, encoding: "utf8" });
  assert.equal(failed.status, 1);
  assert.match(
    failed.stderr + failed.stdout,
    /conflict\[field\]: `input` of `a` was `hi`, is `hey` in ours and `hello` in theirs[^]*p\.plan\.yaml: 1 conflict/,
  );
  assert.match(git("status", "--porcelain"), /^UU p\.plan\.yaml$/m);
});
