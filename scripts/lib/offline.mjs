/** Writes the service worker with the hashes of the page's files. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./paths.mjs";

const WORKER = "sw.js";

/** Omits the worker. */
export function hashesOf(folder) {
  const names = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name !== WORKER && statSync(join(folder, name)).isFile());
  return Object.fromEntries(names.sort().map((name) => [name, shortHash(readFileSync(join(folder, name)))]));
}

/** Reproducible. */
export async function writeWorker(folder) {
  const files = hashesOf(folder);
  const { build } = createRequire(import.meta.url)("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(root, "playground", "js", "sw.ts")],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    minify: true,
    write: false,
    define: { FILES: JSON.stringify(files), VERSION: JSON.stringify(shortHash(JSON.stringify(files))) },
    logLevel: "silent",
  });
  writeFileSync(join(folder, WORKER), outputFiles[0].contents);
}

function shortHash(content) {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}
