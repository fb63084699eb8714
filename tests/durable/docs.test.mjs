// Runs the examples of docs/durable.md twice each, on the same journal.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/lib/paths.mjs";
import { createSqliteFolder } from "../servers/sqlite.mjs";

const page = await readFile(join(root, "docs/durable.md"), "utf8");
const [, first] = /```js[^\n]*\n([\s\S]*?)```/.exec(page);

test("the first example works as described and makes no call the second time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "durable-"));
  const env = { ...process.env, JOURNAL: join(folder, "run.journal") };
  const runExample = async (code) =>
    (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: root, env })).stdout;
  try {
    assert.equal(await runExample(first), "HELLO, IT\n");
    const [head, ...lines] = (await readFile(env.JOURNAL, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line.slice(33)));
    assert.deepEqual(head, { journal: "stepgraph", version: 1, keyed: false });
    assert.deepEqual(
      lines.map(({ name }) => name),
      ["head", "greet:1:1", "shout:1:1"],
    );
    assert.equal(await runExample(first.replace("hello,", "changed,")), "HELLO, IT\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the database example works as described", async () => {
  const [, section] = page.split("\n## Files and databases\n");
  const [, example] = /```js[^\n]*\n([\s\S]*?)```/.exec(section);
  const place = await createSqliteFolder();
  try {
    const before = `
      import { runDurable } from "stepgraph/durable";
      import { PlanGraph } from "stepgraph";
      const { graph } = PlanGraph.parse("nodes: {a: {type: say}}");
      const [input, handlers] = ["it", { say: () => process.stdout.write("asked ") }];`;
    writeFileSync(place.path("example.mjs"), before + example);
    for (const expected of ["asked completed\n", "completed\n"]) {
      const { code, out, err } = await place.node(["example.mjs"]).done;
      assert.deepEqual([code, out], [0, expected], err);
    }
    assert.ok(existsSync(place.path("runs.db")));
  } finally {
    place.remove();
  }
});

test("all codes that journals throw are on the page", async () => {
  const folder = join(root, "wasm/js/integrations/durable");
  const files = [
    "driver.ts",
    "start-run.ts",
    "journal-entry.ts",
    "memory-journal.ts",
    "node/checksum.ts",
    "node/file-journal.ts",
    "node/lock.ts",
  ];
  const texts = await Promise.all(
    [...files, "node/sqlite-journal.ts"].map((file) => readFile(join(folder, file), "utf8")),
  );
  const codes = new Set(texts.join("\n").match(/"durable\/[a-z-]+"/g));
  assert.ok(codes.size > 10);
  for (const code of codes) assert.ok(page.includes(`\`${code.slice(1, -1)}\``), code);
});
