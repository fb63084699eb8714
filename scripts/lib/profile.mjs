/**
 * Runs typical plans and writes the part of each function. The build tool calls it.
 *
 * Usage: `node profile.mjs MODULE ADDRESS COUNT RESULT`. `ADDRESS` is where the counters are.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { groups } from "./profile-plans.mjs";
import { root } from "./paths.mjs";

/** As in the build tool. */
const DID_NOT_RUN = 255;

const [modulePath, address, count, result] = process.argv.slice(2);

/** Bundles the glue just written. */
async function bundleLibrary(folder) {
  const { build } = createRequire(import.meta.url)("esbuild");
  const source = join(root, "wasm", "js");
  const sources = {
    name: "sources",
    setup: ({ onResolve }) => {
      // Compiled files do not exist yet.
      onResolve({ filter: /^\.\.\/dist\// }, ({ path }) => ({
        path: join(source, `${path.slice("../dist/".length, -".js".length)}.ts`),
      }));
      onResolve({ filter: /stepgraph_wire/ }, ({ path }) => ({ path, external: true }));
    },
  };
  const outfile = join(folder, "library.mjs");
  await build({
    entryPoints: [join(source, "package-internals.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [sources],
    logLevel: "silent",
  });
  return import(pathToFileURL(outfile).href);
}

// The profile must not depend on time: a long run would do more, such as giving way to timers.
let time = 1_700_000_000_000;
Date.now = () => time;
performance.now = () => (time += 0.125) - 1_700_000_000_000;

const folder = mkdtempSync(join(tmpdir(), "stepgraph-profile-"));
try {
  const library = await bundleLibrary(folder);
  library.startSync(readFileSync(modulePath));
  const counters = () => new Uint8Array(library.words().buffer, Number(address), Number(count)).slice();
  const parts = new Uint8Array(Number(count)).fill(DID_NOT_RUN);
  for (const [part, group] of groups.entries()) {
    await group(library);
    counters().forEach((ran, at) => {
      if (ran && parts[at] > part) parts[at] = part;
    });
  }
  writeFileSync(result, parts);
} finally {
  rmSync(folder, { recursive: true });
}
