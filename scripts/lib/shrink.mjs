/**
 * Makes the built page small: its module is optimized and split into what the page begins with and what it loads when
 * somebody is there; its glue is minified.
 *
 * Invariants: what became of a module is kept as long as the module, and how it is made, are the same.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { withoutIdleClasses, withoutIdleExports } from "./glue.mjs";
import { arrange, optimize, prune, recipe } from "./optimize.mjs";
import { waiting } from "./rest.mjs";
import { split } from "./split.mjs";

const OF = " of the page";

/** Shrinks the page in a folder; what became of its module is kept in another. */
export async function shrink(page, kept) {
  const [module, rest, glue] = [
    "stepgraph-playground_bg.wasm",
    "stepgraph-playground_rest.wasm",
    "stepgraph-playground.js",
  ].map((name) => join(page, name));
  const key = hash([readFileSync(module), readFileSync(glue), ...recipe()]);
  if (existsSync(join(kept, key)))
    for (const file of [module, rest, glue]) copyFileSync(join(kept, basename(file)), file);
  else {
    await make(module, rest, glue, join(kept, "whole.wasm"));
    for (const file of [module, rest, glue]) copyFileSync(file, join(kept, basename(file)));
    writeFileSync(join(kept, key), "");
  }
  return `${gzipped(module)} kB to begin with, ${gzipped(rest)} kB when somebody is there, and ${gzipped(glue)} kB of glue, gzipped`;
}

/**
 * `named` is where the optimized module is put before it is split, with the names of its functions: for those who look
 * for bytes.
 */
async function make(module, rest, glue, named) {
  rmSync(join(named, ".."), { recursive: true, force: true });
  mkdirSync(join(named, ".."), { recursive: true });
  const script = withoutIdleClasses(readFileSync(glue, "utf8"));
  writeFileSync(module, withoutIdleExports(readFileSync(module), script));
  await optimize(module, { of: OF, named: true, small: true });
  copyFileSync(module, named);
  const whole = readFileSync(module);
  const parts = split(whole, waiting(whole), { from: "./js/bridge.js", load: "loadRest" });
  for (const [file, bytes] of [
    [module, parts.first],
    [rest, parts.rest],
  ]) {
    writeFileSync(file, bytes);
    await prune(file, OF);
    await arrange(file, OF);
  }
  const { transform } = createRequire(import.meta.url)("esbuild");
  // The second part is handed what the first one exports.
  const whoCanReachIt = `${script}\nexport { wasm };\n`;
  writeFileSync(
    glue,
    (await transform(whoCanReachIt, { minify: true, format: "esm", target: "es2022", legalComments: "none" })).code,
  );
}

function hash(parts) {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part).update("\0");
  return sum.digest("hex");
}

function gzipped(file) {
  return Math.round(gzipSync(readFileSync(file), { level: 9 }).length / 1000);
}
