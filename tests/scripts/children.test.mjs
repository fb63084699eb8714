// Tests that ending one of the project's programs also ends its descendants.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { root } from "../../scripts/lib/paths.mjs";
import { attempt } from "../../scripts/lib/command.mjs";

const turn = () =>
  new Promise((go) => {
    setImmediate(go);
  });

const CHILDREN = pathToFileURL(join(root, "scripts", "lib", "children.mjs"));
const ENDLESS_PROGRAM = "setInterval(() => {}, 1000);";
/** Starts another program, like cargo, and prints its process id. */
const NESTED = `
  const inner = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(ENDLESS_PROGRAM)}]);
  console.log(inner.pid);
  ${ENDLESS_PROGRAM}`;

/** Returns the program and the innermost process id. */
async function nested(extra = "") {
  const script = `
    import { start } from ${JSON.stringify(CHILDREN.href)};
    ${extra}
    start(process.execPath, ["-e", ${JSON.stringify(NESTED)}], { stdio: ["ignore", "inherit", "inherit"] });`;
  const outer = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [bytes] = await once(outer.stdout, "data");
  return { outer, pid: Number(bytes) };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    // In a container, an orphan may stay as a zombie, because no parent collects its exit status.
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function isGone(pid) {
  for (const began = Date.now(); isAlive(pid) && Date.now() - began < 20_000; ) await turn();
  return !isAlive(pid);
}

const skip = process.platform === "win32" && "Windows has no signals";

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
  test(`${signal} ends the child programs, too, and the exit status shows the signal`, { skip }, async () => {
    const { outer, pid } = await nested();
    outer.kill(signal);
    assert.deepEqual(await once(outer, "exit"), [null, signal]);
    assert.ok(await isGone(pid));
  });

test("a program that handles a signal itself ends the others when it ends", { skip }, async () => {
  const { outer, pid } = await nested('process.on("SIGTERM", () => setTimeout(() => process.exit(7), 50));');
  outer.kill("SIGTERM");
  assert.deepEqual(await once(outer, "exit"), [7, null]);
  assert.ok(await isGone(pid));
});

test("a program that exceeds its time is killed with all its children", { skip }, async () => {
  const { code, out } = await attempt(process.execPath, ["-e", NESTED], { limitMs: 3000 });
  assert.equal(code, "signal SIGKILL");
  assert.ok(await isGone(Number(out)));
});
