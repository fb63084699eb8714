// Runs the built command as a separate process, in its own folder.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const folder = mkdtempSync(join(tmpdir(), "stepgraph-"));
after(() => rmSync(folder, { recursive: true, force: true }));

export const example = (name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

export function file(name, content) {
  writeFileSync(join(folder, name), content);
  return name;
}

/** `until` waits for a text on standard error. */
export function start(args, { cwd = folder, env = {}, input = "" } = {}) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes) => {
    out += bytes;
  });
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  child.stdin.end(input);
  const done = new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
  const stderrIncludes = (words) =>
    new Promise((resolve) => child.stderr.on("data", () => err.includes(words) && resolve()));
  const failOnExit = (words) => done.then(() => assert.fail(`it ended without saying "${words}":\n${err}`));
  const until = (words) => Promise.race([stderrIncludes(words), failOnExit(words)]);
  return { child, done, until };
}

export const stepgraph = (args, options) => start(args, options).done;
