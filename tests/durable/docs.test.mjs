// The first example of docs/durable.md, run as it stands: twice, with a journal between.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/lib/places.mjs";

test("the first example does what it says, and asks nobody the second time", async () => {
  const [, example] = /```js\n([\s\S]*?)```/.exec(await readFile(join(root, "docs/durable.md"), "utf8"));
  const folder = await mkdtemp(join(tmpdir(), "durable-"));
  const env = { ...process.env, JOURNAL: join(folder, "run.ndjson") };
  const ran = async (code) =>
    (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: root, env })).stdout;
  try {
    assert.equal(await ran(example), "HELLO, IT\n");
    const lines = (await readFile(env.JOURNAL, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ name }) => name),
      ["head", "greet:1:1", "shout:1:1"],
    );
    assert.equal(await ran(example.replace("hello,", "changed,")), "HELLO, IT\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});
