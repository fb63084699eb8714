// What the package shows of itself: the names that each entry exports, and every declaration that its users' compilers read.
//
// Both are compared with files that people review; `UPDATE=1` writes them anew.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const golden = join(root, "tests/types/surface.txt");
const entries = ["node", "web", "module"];

/** A declaration file without its comments, and the names of those it reads. */
function declarations(name) {
  const text = readFileSync(join(root, "dist", name), "utf8").replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, "");
  const reads = [...text.matchAll(/from "(\.[^"]+)\.js"/g)].map(([, path]) => posix.join(posix.dirname(name), `${path}.d.ts`));
  return { text, reads };
}

/** Every declaration file that an entry leads to, by name. */
function reachable() {
  const found = new Map();
  const queue = entries.map((name) => `${name}.d.ts`);
  for (let name = queue.shift(); name; name = queue.shift()) {
    if (found.has(name)) continue;
    const { text, reads } = declarations(name);
    found.set(name, text);
    queue.push(...reads);
  }
  return found;
}

test("users' compilers read what is meant for users, and nothing of the inside", () => {
  const inside = ["session", "program", "report", "state", "trace", "values", "host", "http", "stubs"].map((name) => `${name}.d.ts`);
  const names = [...reachable().keys()];
  assert.deepEqual(names.filter((name) => inside.includes(name) || dirname(name) !== "."), []);
  for (const [name, text] of reachable()) assert.doesNotMatch(text, /wasm\.|stepgraph_wasm|\bany\b/, name);
});

test("what is exported is what was agreed", async () => {
  const parts = [];
  for (const entry of entries) {
    const names = Object.keys(await import(`../../dist/${entry}.js`)).sort();
    parts.push(`// ${entry}.js exports ${names.join(", ")}\n`);
  }
  // The codes have a table of their own, which is checked where it is made.
  for (const [name, text] of [...reachable()].sort()) if (name !== "codes.d.ts") parts.push(`// ${name}\n${text}`);
  const actual = parts.join("\n");
  if (process.env.UPDATE) writeFileSync(golden, actual);
  assert.equal(actual, readFileSync(golden, "utf8"), "the surface has changed: look at it with UPDATE=1 and a diff");
});
