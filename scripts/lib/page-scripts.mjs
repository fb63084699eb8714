/**
 * Bundles the page's scripts and styles into `playground/generated`.
 *
 * Invariant: a bundle that fails changes nothing. All files are built beside the old ones and replace them together at
 * the end, so an open page and the next assembly still find the last good ones.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { UserError } from "./command.mjs";
import { root } from "./paths.mjs";

/** The scripts that the page begins with, and those that run beside it. They load all others when they need them. */
export const ENTRIES = ["boot", "bridge", "embed", "run-worker", "editor/worker", "signed-in"];
/** The style of the page, and that of its dialogs. */
export const STYLES = ["page", "dialogs"];
/** The modules of the package, which the page loads when something is run, compared or imported. */
const MODULES = ["stepgraph_wasm_bg.wasm", "stepgraph_editor_bg.wasm"];
/** The files of the package that the page contains. */
const PACKAGE_PARTS = ["dist/web.js", "dist/editor/web.js", ...MODULES.map((name) => `pkg/${name}`)];

/** Returns the files of the package that the page needs and that no build has made yet. */
export function missingParts(base = root) {
  return PACKAGE_PARTS.filter((name) => !existsSync(join(base, name)));
}

/**
 * Bundles everything for a page whose module has the deferred part `deferred`. `quick` skips minifying. `base` is the
 * root of the checkout.
 */
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

/** The settings of the scripts alone. */
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
    // Plans of the gallery, and their recordings, are their text.
    loader: { ".yaml": "text", ".ndjson": "text" },
    alias: {
      "stepgraph/editor/web": join(base, "dist", "editor", "web.js"),
      "stepgraph/web": join(base, "dist", "web.js"),
    },
  };
}

/** Calls esbuild. Its errors become the output of a {@link UserError}. */
async function bundle(base, options) {
  const { build } = createRequire(import.meta.url)("esbuild");
  try {
    await build({ ...options, absWorkingDir: base, logLevel: "silent" });
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    throw new UserError("Bundling the page failed.", error.errors.map(errorLine).join("\n"));
  }
}

/** One error as `file:line:column: text`, which terminals and editors turn into a link. */
function errorLine({ text, location }) {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
}
