// Tests that the library's reference, which `npm run docs` writes, has every entry that programs import.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENTRIES } from "../../scripts/lib/api-pages.mjs";

const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
/** Entries that repeat another for one platform, hold WebAssembly or an element, or are settings of a bundler. */
const WITHOUT_PAGE = /\/(web|standalone|module|embed|vite|webpack|esbuild|register)$|\.(wasm|json)$/;

test("the reference has each entry of the package, by its own declarations", () => {
  const entries = Object.entries(exports)
    .map(([path, own]) => [path.replace(/^\./, "stepgraph"), own.types])
    .filter(([path]) => !WITHOUT_PAGE.test(path));
  const described = Object.entries(ENTRIES).map(([path, name]) => {
    const file = name === "integrations/node" ? `${name}/index` : name;
    return [path, `./dist/${file}.d.ts`];
  });
  assert.deepEqual(described.toSorted(), entries.toSorted());
});
