/**
 * Builds the page into `playground/dist`: its scripts and styles by esbuild, its module by the build tool.
 *
 * `--quick` skips optimizing and splitting, for development. `--scripts` builds only scripts and styles: the hook in
 * `Trunk.toml` calls it.
 *
 * The build does without trunk. Installing trunk compiles for four minutes, and its work here is to copy the files that
 * `index.html` names. `assemble` copies them too. `index.html` keeps trunk's syntax, so `trunk serve` still works.
 */
import {
  cpSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "./build.mjs";
import { writeWorker } from "./lib/offline.mjs";
import { root } from "./lib/places.mjs";
import { fail, step } from "./lib/progress.mjs";
import { runTool } from "./lib/tools.mjs";
import { setUp } from "./setup.mjs";

const folder = join(root, "playground");
const generated = join(folder, "generated", "js");
/** Where the build tool leaves the page's module: split, or in one piece. */
const builtIn = (quick) => join(folder, "generated", quick ? "quick" : "module");
/** Where the page is when it is built. */
export const page = join(folder, "dist");

const GLUE = "stepgraph-playground.js";

/**
 * What the page begins with, and what runs beside it; everything else its scripts load when they need it.
 */
const ENTRIES = ["boot", "bridge", "embed", "run-worker", "editor/worker", "signed-in"];
/** How the page looks, and how its rooms do. */
const STYLES = ["page", "rooms"];
/** The modules of the package, which the page loads when something is run, compared or imported. */
const MODULES = ["stepgraph_wasm_bg.wasm", "stepgraph_editor_bg.wasm"];

/** Builds the page; the package has to have been built. */
export async function buildPage({ quick = false } = {}) {
  await step("the page's module", async (say) => {
    say("compiling, two minutes the first time");
    await runTool(quick ? "page-quick" : "page");
    return quick ? "" : sizes();
  });
  await step("the page's scripts", () => bundleScripts(quick));
  await step("the page", () => assemble(quick));
  return page;
}

/** The name of the lazy part in a folder; empty if there is none. */
export function lazyPart(place = page) {
  return readdirSync(place).find((name) => /_rest-\w+\.wasm$/.test(name)) ?? "";
}

/** Bundles the page's scripts and styles into `playground/generated`. */
export async function bundleScripts(quick) {
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  const { build } = createRequire(import.meta.url)("esbuild");
  await build({
    entryPoints: ENTRIES.map((name) => join(folder, "js", `${name}.ts`)),
    outdir: generated,
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    minify: !quick,
    logLevel: "silent",
    external: ["../stepgraph-playground.js"],
    define: { REST: JSON.stringify(quick ? "" : lazyPart(builtIn(quick))) },
    // Plans of the gallery, and their recordings, are their text.
    loader: { ".yaml": "text", ".ndjson": "text" },
    alias: {
      "stepgraph/editor/web": join(root, "dist", "editor", "web.js"),
      "stepgraph/web": join(root, "dist", "web.js"),
    },
  });
  const styles = STYLES.map((name) => join(folder, "styles", `${name}.css`));
  await build({
    entryPoints: styles,
    outdir: dirname(generated),
    bundle: true,
    minify: !quick,
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  for (const name of MODULES) copyFileSync(join(root, "pkg", name), join(generated, name));
}

/**
 * Writes the page: the files that `index.html` names, the parts of the module and the service worker. The old page
 * stays until the new one is complete.
 */
export async function assemble(quick) {
  const built = builtIn(quick);
  const next = `${page}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  const document = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(
    join(next, "index.html"),
    document.replaceAll(/^.*<link data-trunk .*>\n/gm, (line) => placed(line, next)),
  );
  for (const name of readdirSync(built).filter((name) => name.endsWith(".wasm")))
    copyFileSync(join(built, name), join(next, name));
  const glue = readFileSync(join(built, GLUE), "utf8");
  writeFileSync(join(next, GLUE), quick ? glue : await minified(glue));
  await writeWorker(next);
  rmSync(page, { recursive: true, force: true });
  renameSync(next, page);
}

/** Copies the file or folder of a `data-trunk` line, and returns the line that replaces it. */
function placed(line, to) {
  const attribute = (name) => new RegExp(` ${name}="([^"]*)"`).exec(line)?.[1];
  const [rel, href] = [attribute("rel"), attribute("href")];
  if (rel === "rust") return "";
  const name = basename(href);
  cpSync(join(folder, href), join(to, name), { recursive: true });
  const kinds = { css: "stylesheet", icon: "icon" };
  return kinds[rel] ? `    <link rel="${kinds[rel]}" href="./${name}">\n` : "";
}

async function minified(script) {
  const { transform } = createRequire(import.meta.url)("esbuild");
  const options = { minify: true, format: "esm", target: "es2022", legalComments: "none" };
  return (await transform(script, options)).code;
}

function sizes() {
  const built = builtIn(false);
  const size = (name) => `${Math.round(gzipSync(readFileSync(join(built, name)), { level: 9 }).length / 1000)} kB`;
  return `${size("stepgraph-playground_bg.wasm")} at first, ${size(lazyPart(built))} later, gzipped`;
}

/** Every file of the page: path within it and size in bytes. */
export function pageFiles() {
  const names = readdirSync(page, { recursive: true }).filter((name) => statSync(join(page, name)).isFile());
  return names.map((name) => ({ name, size: statSync(join(page, name)).size }));
}

async function main() {
  const quick = process.argv.includes("--quick");
  if (process.argv.includes("--scripts")) return bundleScripts(true);
  if (!quick || !existsSync(join(root, "dist", "web.js"))) {
    await setUp();
    await build();
  }
  await buildPage({ quick });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
