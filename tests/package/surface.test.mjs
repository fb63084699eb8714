// Tests the package's exports and declarations against a reviewed file, which `UPDATE=1` rewrites.
//
// Comments are not compared, but every declaration needs one, because editors show it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { declarations } from "../../scripts/lib/bundle.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
const golden = join(root, "tests/types/surface.txt");
const entries = [
  "node",
  "web",
  "module",
  "editor/node",
  "editor/web",
  "editor/module",
  "integrations/durable",
  "integrations/durable/node",
  "integrations/otel",
  "integrations/restate",
  "integrations/store/node",
  "integrations/workflows",
  "integrations/ai-sdk",
  "integrations/ag-ui",
  "integrations/audit/node",
  "integrations/audit/web",
  "integrations/node/loader/esbuild",
  "integrations/node/loader/vite",
  "integrations/node/loader/webpack",
];

const declarationFiles = declarations(dist)
  .sort()
  .map((name) => ({ name, text: readFileSync(join(dist, name), "utf8") }));
declarationFiles.push({ name: "embed/index.d.ts", text: readFileSync(join(root, "embed/index.d.ts"), "utf8") });
const COMMENTS = /^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm;

test("compilers of users read the public types and no internals", () => {
  const inside = [
    "engine-run",
    "program",
    "report",
    "handler-state",
    "trace-reader",
    "values",
    "host",
    "http",
    "stubs",
  ].map((name) => `${name}.d.ts`);
  assert.deepEqual(
    declarationFiles
      .filter(({ name }) => inside.includes(name) || !/^(\.|editor|embed|integrations(\/.+)?)$/.test(dirname(name)))
      .map(({ name }) => name),
    [],
  );
  // If there is no schema, a tool's function says which arguments it takes.
  for (const { name, text } of declarationFiles)
    assert.doesNotMatch(
      text.replace(COMMENTS, "").replace("<Args = any,", "").replace("unknown extends Args ? any :", ""),
      /wasm\.|stepgraph_(wasm|editor)|\bany\b/,
      name,
    );
});

test("every export and every member of a class has documentation", () => {
  const wanting = declarationFiles.flatMap(({ name, text }) => {
    const lines = text.split("\n");
    let ours = false;
    return lines.flatMap((line, index) => {
      if (/^\S/.test(line)) ours = /^export (declare )?(abstract )?class /.test(line);
      const named = /^export (declare|interface|type (?![{*])|class|const|function|enum)/.test(line);
      const member = ours && /^ {4}(?!private|constructor|#|\[|\*|\/\*| )/.test(line) && !line.includes("[Symbol.");
      const told = /\*\/\s*$/.test(lines[index - 1] ?? "");
      return (named || member) && !told ? [`${name}: ${line.trim()}`] : [];
    });
  });
  assert.deepEqual(wanting, []);
});

test("the exports match the recorded surface", async () => {
  const parts = [];
  for (const entry of entries) {
    const names = Object.keys(await import(`../../dist/${entry}.js`)).sort();
    parts.push(`// ${entry}.js exports ${names.join(", ")}\n`);
  }
  // The table of codes has its own check.
  for (const { name, text } of declarationFiles)
    if (name !== "codes.d.ts") parts.push(`// ${name}\n${text.replace(COMMENTS, "")}`);
  const actual = parts.join("\n");
  if (process.env.UPDATE) writeFileSync(golden, actual);
  assert.equal(actual, readFileSync(golden, "utf8"), "the surface has changed: look at it with UPDATE=1 and a diff");
});
