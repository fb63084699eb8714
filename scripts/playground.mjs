/**
 * Builds the page into `playground/dist`: its scripts by esbuild, its module by trunk, which finds the pinned tools on the path.
 *
 * `--quick` leaves out what makes the module small and fast, for those who work on the page.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build, rustFlags } from "./build.mjs";
import { run } from "./lib/command.mjs";
import { withoutIdleClasses, withoutIdleExports } from "./lib/glue.mjs";
import { arrange, optimize, prune, recipe } from "./lib/optimize.mjs";
import { root, rustToolchain } from "./lib/places.mjs";
import { fail, step } from "./lib/progress.mjs";
import { waiting } from "./lib/rest.mjs";
import { split } from "./lib/split.mjs";
import { trunk, wasmBindgen } from "./lib/tools.mjs";
import { setUp } from "./setup.mjs";

const folder = join(root, "playground");
const generated = join(folder, "generated", "js");
/** What became of a module, kept as long as the module is the same. */
const kept = join(folder, "generated", "module");
/** Where the page is when it is built. */
export const page = join(folder, "dist");

/** What the page begins with; everything else its scripts load when they need it. */
const ENTRIES = ["boot", "bridge"];
/** The modules of the package, which the page loads when something is run, compared or imported. */
const MODULES = ["stepgraph_wasm_bg.wasm", "stepgraph_editor_bg.wasm"];

/** Builds the page; the package has to have been built. */
export async function buildPage({ quick = false } = {}) {
  await step("the page's scripts", () => bundleScripts(quick));
  await step("the page", () => buildModule(quick));
  if (!quick) await step("wasm-opt, for the page", shrink);
  return page;
}

async function bundleScripts(quick) {
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  const { build } = createRequire(import.meta.url)("esbuild");
  await build({
    entryPoints: ENTRIES.map((name) => join(folder, "js", `${name}.ts`)), outdir: generated, chunkNames: "[name]-[hash]",
    bundle: true, splitting: true, format: "esm", platform: "browser", target: "es2022", charset: "utf8", legalComments: "none", minify: !quick, logLevel: "silent",
    external: ["../stepgraph-playground.js"],
    alias: { "stepgraph/editor/web": join(root, "dist", "editor", "web.js"), "stepgraph/web": join(root, "dist", "web.js") },
  });
  for (const name of MODULES) copyFileSync(join(root, "pkg", name), join(generated, name));
}

async function buildModule(quick) {
  const tools = [dirname(trunk()), dirname(wasmBindgen()), join(root, "node_modules", ".bin")];
  const env = { PATH: [...tools, process.env.PATH].join(delimiter), RUSTUP_TOOLCHAIN: rustToolchain().channel };
  // Names as the newer way writes them say what a generic function was made for.
  if (!quick) env.RUSTFLAGS = `${rustFlags()} -Csymbol-mangling-version=v0`;
  await run("Building the page", trunk(), ["build", "--config", join(folder, "Trunk.toml"), ...(quick ? ["--cargo-profile", "page"] : ["--release"])], { cwd: folder, env });
}

/** Optimizes the module, and splits it into what the page begins with and what it loads when somebody is there. */
async function shrink() {
  const [module, rest, glue] = ["stepgraph-playground_bg.wasm", "stepgraph-playground_rest.wasm", "stepgraph-playground.js"].map((name) => join(page, name));
  const script = readFileSync(glue, "utf8");
  const key = hash([readFileSync(module), script, ...recipe()]);
  if (!existsSync(join(kept, key))) await keep(key, { module, rest, glue }, script);
  for (const file of [module, rest, glue]) copyFileSync(join(kept, basename(file)), file);
  return `${gzipped([module])} kB to begin with, ${gzipped([rest])} kB when somebody is there, and ${gzipped([glue])} kB of glue, gzipped`;
}

async function keep(key, { module, rest, glue }, script) {
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { recursive: true });
  const used = withoutIdleClasses(script);
  writeFileSync(module, withoutIdleExports(readFileSync(module), used));
  await optimize(module, { of: " of the page", named: true });
  const whole = readFileSync(module);
  const parts = split(whole, waiting(whole), { from: "./js/bridge.js", load: "loadRest" });
  for (const [file, bytes] of [[module, parts.first], [rest, parts.rest]]) {
    writeFileSync(file, bytes);
    await prune(file, " of the page");
    await arrange(file, " of the page");
  }
  const { transform } = createRequire(import.meta.url)("esbuild");
  // The second part is handed what the first one exports.
  writeFileSync(glue, (await transform(`${used}\nexport { wasm };\n`, { minify: true, format: "esm", target: "es2022", legalComments: "none" })).code);
  for (const file of [module, rest, glue]) copyFileSync(file, join(kept, basename(file)));
  writeFileSync(join(kept, key), "");
}

function hash(parts) {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part).update("\0");
  return sum.digest("hex");
}

function gzipped(files) {
  const bytes = files.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
  return Math.round(bytes.reduce((sum, count) => sum + count, 0) / 1000);
}

/** Every file of the page: path within it and size in bytes. */
export function pageFiles() {
  const names = readdirSync(page, { recursive: true }).filter((name) => statSync(join(page, name)).isFile());
  return names.map((name) => ({ name, size: statSync(join(page, name)).size }));
}

async function main() {
  const quick = process.argv.includes("--quick");
  if (!quick) {
    await setUp();
    await build();
  }
  await buildPage({ quick });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
