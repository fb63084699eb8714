// Tests build stamps: a step runs again if an input or output changed, or an output is missing.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runIfChanged } from "../../scripts/lib/stamps.mjs";
import { isTool } from "../../scripts/lib/tools.mjs";

function temporary(context) {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-stamps-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const DAMAGES = {
  "an output is missing": (folder) => rmSync(join(folder, "deep", "b.js")),
  "an output is empty": (folder) => writeFileSync(join(folder, "a.js"), ""),
  "an output is another": (folder) => writeFileSync(join(folder, "a.js"), "B"),
  "an output is left from before": (folder) => writeFileSync(join(folder, "c.js"), ""),
  "all outputs are missing": (folder) => rmSync(folder, { recursive: true }),
  "the stamp is missing": (folder) => rmSync(`${folder}.stamp`),
  "the stamp is of an older kind": (folder) => writeFileSync(`${folder}.stamp`, "key"),
};

test("a step runs again when an input or an output has changed", async (context) => {
  const folder = join(temporary(context), "out");
  let made = 0;
  const runOnce = (key = "key") =>
    runIfChanged({ file: `${folder}.stamp`, key, folder }, () => {
      made++;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, "deep"), { recursive: true });
      writeFileSync(join(folder, "a.js"), "A");
      writeFileSync(join(folder, "deep", "b.js"), "B");
    });
  for (const [why, spoil] of Object.entries(DAMAGES)) {
    await runOnce();
    made = 0;
    await runOnce();
    assert.equal(made, 0, why);
    spoil(folder);
    await runOnce();
    assert.equal(made, 1, why);
  }
  await runOnce("another key");
  assert.equal(made, 2);
});

test("without a folder only the inputs count", async (context) => {
  const file = join(temporary(context), ".stamp");
  let made = 0;
  for (const key of ["key", "key", "next", "next"]) await runIfChanged({ file, key }, () => made++);
  assert.equal(made, 2);
});

test("a step that fails leaves no stamp", async (context) => {
  const folder = join(temporary(context), "out");
  const stamp = { file: `${folder}.stamp`, key: "key", folder };
  await runIfChanged(stamp, () => mkdirSync(folder));
  await assert.rejects(
    runIfChanged({ ...stamp, key: "next" }, () => Promise.reject(new Error("it broke"))),
    /it broke/,
  );
  let made = 0;
  await runIfChanged(stamp, () => made++);
  assert.equal(made, 1);
});

const skip = process.platform === "win32" && "the stand-ins are scripts of a shell";

test("a cached tool is used only if it reports its version", { skip }, async (context) => {
  const folder = temporary(context);
  const cases = [
    ["good", "#!/bin/sh\necho stepgraph-tools 0.1.0\n", 0o755, true],
    ["empty", "", 0o755, false],
    ["not executable", "#!/bin/sh\necho stepgraph-tools 0.1.0\n", 0o644, false],
    ["truncated", "\x7fELF\x02\x01\x01", 0o755, false],
    ["failing", "#!/bin/sh\necho stepgraph-tools 0.1.0\nexit 1\n", 0o755, false],
    ["another program", "#!/bin/sh\necho cargo 1.0\n", 0o755, false],
  ];
  for (const [name, text, mode, expected] of cases) {
    const file = join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    assert.equal(await isTool(file), expected, name);
  }
  assert.equal(await isTool(join(folder, "missing")), false);
});
