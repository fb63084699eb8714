// Compiles TypeScript against the built library.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folder } from "./stepgraph.mjs";

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Fails with the compiler's errors, except those of one code. */
export function compile(files, { except = "none" } = {}) {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    allowArbitraryExtensions: true,
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    types: [],
    paths: { stepgraph: [path("dist/node.d.ts")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  try {
    execFileSync(process.execPath, [path("node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch ({ stdout }) {
    const errors = stdout.split("\n").filter((line) => line.includes("error TS") && !line.includes(`error ${except}:`));
    assert.deepEqual(errors, [], stdout);
  }
}
