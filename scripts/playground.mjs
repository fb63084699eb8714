/**
 * Builds the page into `playground/dist`: its scripts by esbuild, its module by trunk, which finds the pinned tools on
 * the path.
 *
 * `--quick` leaves out what makes the module small and fast, for those who work on the page.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, rustFlags } from "./build.mjs";
import { run } from "./lib/command.mjs";
import { writeWorker } from "./lib/offline.mjs";
import { root, rustToolchain } from "./lib/places.mjs";
import { fail, step } from "./lib/progress.mjs";
import { shrink } from "./lib/shrink.mjs";
import { trunk, wasmBindgen } from "./lib/tools.mjs";
import { setUp } from "./setup.mjs";

const folder = join(root, "playground");
const generated = join(folder, "generated", "js");
/** What became of a module, kept as long as the module is the same. */
const kept = join(folder, "generated", "module");
/** Where the page is when it is built. */
export const page = join(folder, "dist");

/** What the page begins with, and what runs beside it; everything else its scripts load when they need it. */
const ENTRIES = ["boot", "bridge", "embed", "run-worker", "editor/worker", "signed-in"];
/** How the page looks, and how its rooms do. */
const STYLES = ["page", "rooms"];
/** The modules of the package, which the page loads when something is run, compared or imported. */
const MODULES = ["stepgraph_wasm_bg.wasm", "stepgraph_editor_bg.wasm"];

/** Builds the page; the package has to have been built. */
export async function buildPage({ quick = false } = {}) {
  await step("the page's scripts", () => bundleScripts(quick));
  await step("the page", () => buildModule(quick));
  if (!quick) await step("wasm-opt, for the page", () => shrink(page, kept));
  await step("the page without a network", () => writeWorker(page));
  return page;
}

async function bundleScripts(quick) {
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

async function buildModule(quick) {
  const tools = [dirname(trunk()), dirname(wasmBindgen()), join(root, "node_modules", ".bin")];
  // Apart from the package's, which is compiled otherwise: else each would be compiled anew whenever the other was.
  const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "page");
  const env = {
    CARGO_TARGET_DIR: target,
    PATH: [...tools, process.env.PATH].join(delimiter),
    RUSTUP_TOOLCHAIN: rustToolchain().channel,
  };
  // Names as the newer way writes them say what a generic function was made for. Views that know their parts only as
  // views are made once and not for every place: 116 kB less, gzipped. Functions that keep much on the stack stay
  // functions: 32 kB less, and browsers compile those twice, the second time well, while others wait. One that holds
  // all of a phase is entered once, so what was compiled well would be ready when nobody needs it any more.
  if (!quick)
    env.RUSTFLAGS = `${rustFlags()} -Csymbol-mangling-version=v0 --cfg=erase_components -Cllvm-args=-inline-max-stacksize=32`;
  await run(
    "Building the page",
    trunk(),
    ["build", "--config", join(folder, "Trunk.toml"), ...(quick ? ["--cargo-profile", "page"] : ["--release"])],
    { cwd: folder, env },
  );
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
