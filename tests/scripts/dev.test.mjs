// Tests the development server: which change needs which build, and that builds never overlap.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../scripts/lib/command.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { buildScheduler, failureText, buildKind, readiness, WATCHED } from "../../scripts/dev.mjs";

test("a change needs the build of its folder", () => {
  const cases = [
    ["playground/js/boot.ts", "scripts"],
    ["playground\\styles\\page.css", "scripts"],
    ["playground/index.html", "scripts"],
    ["playground/src/page.rs", "module"],
    ["core/src/graph.rs", "module"],
    ["core/flows/react.yaml", "module"],
    ["Cargo.toml", "module"],
    ["examples/gallery/index.json", "scripts"],
    ["examples/hello.yaml", undefined],
    ["wasm/js/run.ts", "package"],
    ["wasm/engine/src/lib.rs", "package"],
    ["docs/cli.md", undefined],
    ["playground/generated/js/boot.js", undefined],
  ];
  for (const [path, kind] of cases) assert.equal(buildKind(path), kind, path);
});

test("temporary files of editors need no build", () => {
  for (const name of ["boot.ts~", ".boot.ts.swp", "4913", ".#boot.ts", "boot.ts.swx"])
    assert.equal(buildKind(`playground/js/${name}`), undefined, name);
});

test("every watched folder exists and has a build", () => {
  for (const [path, kind] of WATCHED) {
    assert.equal(buildKind(path), kind, path);
    assert.ok(existsSync(join(root, path)), path);
  }
});

/** The test releases the builds of two kinds. */
function watched() {
  const log = [];
  const waits = [];
  let onMessage = () => {};
  const note = (line) => {
    log.push(line);
    onMessage();
  };
  const work = (kind) => async () => {
    note(`${kind} begins`);
    await new Promise((resolve, reject) => waits.push({ resolve, reject }));
  };
  const told = {
    done: (kinds) => note(`done: ${kinds.join(", ")}`),
    failed: (kind, error) => note(`failed: ${kind}: ${error.message}`),
  };
  const changed = buildScheduler({ module: work("module"), scripts: work("scripts") }, told);
  const until = async (line) => {
    while (!log.includes(line))
      await new Promise((resolve) => {
        onMessage = resolve;
      });
  };
  return { log, waits, changed, until };
}

test("simultaneous changes start one build each, in the order of the builds", async () => {
  const { log, waits, changed, until } = watched();
  for (const kind of ["scripts", "module", "scripts"]) changed(kind);
  await until("module begins");
  waits.shift().resolve();
  await until("scripts begins");
  waits.shift().resolve();
  await until("done: module, scripts");
  assert.deepEqual(log, ["module begins", "scripts begins", "done: module, scripts"]);
});

test("a change during a build starts one more build after it", async () => {
  const { log, waits, changed, until } = watched();
  changed("module");
  await until("module begins");
  changed("scripts");
  changed("scripts");
  waits.shift().resolve();
  await until("scripts begins");
  waits.shift().resolve();
  await until("done: scripts");
  assert.deepEqual(log, ["module begins", "done: module", "scripts begins", "done: scripts"]);
});

test("a failed build does not stop the others", async () => {
  const { log, waits, changed, until } = watched();
  for (const kind of ["scripts", "module"]) changed(kind);
  await until("module begins");
  waits.shift().reject(new Error("a semicolon is missing"));
  await until("scripts begins");
  waits.shift().resolve();
  await until("done: scripts");
  assert.equal(log[1], "failed: module: a semicolon is missing");
});

test("a failed build is reported, and the next change builds again", async () => {
  const { log, waits, changed, until } = watched();
  changed("scripts");
  await until("scripts begins");
  waits.shift().reject(new Error("a comma is missing"));
  await until("failed: scripts: a comma is missing");
  changed("scripts");
  await until("scripts begins");
  assert.equal(log[1], "failed: scripts: a comma is missing");
});

test("the page is not replaced before its module and its scripts have been built", () => {
  const cases = [
    [
      [["module"], false],
      [["module"], false],
      [["scripts"], true],
      [["module"], true],
    ],
    [
      [["scripts"], false],
      [["package"], false],
      [["module"], true],
    ],
    [
      [["package"], false],
      [["module"], true],
    ],
    [[["module", "scripts"], true]],
  ];
  for (const steps of cases) {
    const isReady = readiness();
    for (const [kinds, expected] of steps) assert.equal(isReady(kinds), expected, `${kinds} of ${steps.join(" ")}`);
  }
});

test("a failure shows the program's output, or the position in our script", () => {
  assert.equal(failureText(new UserError("It failed.", "a.ts:1:2: why")), "a.ts:1:2: why\nIt failed.");
  assert.match(failureText(new Error("a mistake of ours")), /a mistake of ours\n +at /);
});
