/** Bundles scripts and styles into `playground/generated`. Invariant: a failed bundle changes nothing. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { UserError } from "./command.mjs";
import { root } from "./paths.mjs";

/** They load all others on demand. */
export const ENTRIES = ["boot", "bridge", "embed", "run-worker", "editor/worker", "signed-in"];
export const STYLES = ["page", "dialogs"];
/** For runs, for servers and models, for comparison and import. */
export const MODULES = ["stepgraph_wasm_bg.wasm", "stepgraph_wire_bg.wasm", "stepgraph_editor_bg.wasm"];
/** Scripts import plans of the gallery, their recordings, and styles of the editor as text. */
export const TEXT_LOADERS = { ".yaml": "text", ".ndjson": "text", ".css": "text" };
const PACKAGE_PARTS = ["dist/web.js", "dist/editor/web.js", ...MODULES.map((name) => `pkg/${name}`)];

export function missingParts(base = root) {
  return PACKAGE_PARTS.filter((name) => !existsSync(join(base, name)));
}

/** `quick` skips minifying. `deferred` is the module's deferred part. */
export async function bundlePage({ quick = false, deferred = "", base = root } = {}) {
  const generated = join(base, "playground", "generated");
  const next = join(generated, "next");
  rmSync(next, { recursive: true, force: true });
  mkdirSync(join(next, "js"), { recursive: true });
  const settings = { bundle: true, minify: !quick, charset: "utf8", legalComments: "none" };
  await bundle(base, { ...settings, ...scripts(base, deferred), outdir: join(next, "js") });
  const styles = STYLES.map((name) => join(base, "playground", "styles", `${name}.css`));
  await bundle(base, { ...settings, entryPoints: styles, outdir: next });
  for (const name of MODULES) copyFileSync(join(base, "pkg", name), join(next, "js", name));
  rmSync(join(generated, "js"), { recursive: true, force: true });
  for (const name of ["js", ...STYLES.map((name) => `${name}.css`)])
    renameSync(join(next, name), join(generated, name));
  rmSync(next, { recursive: true });
}

function scripts(base, deferred) {
  return {
    entryPoints: ENTRIES.map((name) => join(base, "playground", "js", `${name}.ts`)),
    chunkNames: "[name]-[hash]",
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["../stepgraph-playground.js"],
    define: { DEFERRED_FILE: JSON.stringify(deferred) },
    loader: TEXT_LOADERS,
    alias: bundlerAliases(base),
  };
}

export function bundlerAliases(base) {
  return {
    "stepgraph/editor/web": join(base, "dist", "editor", "web.js"),
    "stepgraph/web": join(base, "dist", "web.js"),
  };
}

async function bundle(base, options) {
  const { build } = createRequire(import.meta.url)("esbuild");
  try {
    await build({ ...options, absWorkingDir: base, logLevel: "silent" });
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    throw new UserError("Bundling the page failed.", error.errors.map(errorLine).join("\n"));
  }
}

/** Terminals and editors turn `file:line:column: text` into a link. */
function errorLine({ text, location }) {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
}
