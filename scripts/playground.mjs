/**
 * Builds the page into `playground/dist`, and the package's element for other sites into `embed`.
 *
 * `--quick` skips optimizing and splitting. `--scripts` builds only scripts and styles, for the hook in `Trunk.toml`.
 * `trunk serve` works, but the build does without Trunk, which takes four minutes to install.
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
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "./build.mjs";
import { buildEmbed } from "./lib/embed.mjs";
import { writeWorker } from "./lib/offline.mjs";
import { readOptions } from "./lib/options.mjs";
import { bundlePage, missingParts } from "./lib/page-scripts.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { runTool } from "./lib/tools.mjs";
import { setUp } from "./setup.mjs";

const folder = join(root, "playground");
/** One piece if `quick`, otherwise split. */
const moduleFolder = (quick) => join(folder, "generated", quick ? "quick" : "module");
export const page = join(folder, "dist");

const GLUE = "stepgraph-playground.js";

const PROGRAM = {
  usage: "node scripts/playground.mjs [--quick | --scripts]",
  about: "Builds the page into playground/dist, and stepgraph/embed into embed.",
  options: {
    "--quick": { about: "skips optimizing, splitting and stepgraph/embed, for development" },
    "--scripts": { about: "builds only scripts and styles, from the package as it is" },
  },
};

export async function buildPage({ quick = false } = {}) {
  await step("the page's module", async (say) => {
    say(existsSync(join(moduleFolder(quick), GLUE)) ? "compiling" : "compiling, two minutes the first time");
    await runTool(quick ? "page-quick" : "page");
    return quick ? "" : sizes();
  });
  await step("the page's scripts", () =>
    bundlePage({ quick, deferred: quick ? "" : deferredPart(moduleFolder(false)) }),
  );
  await step("the page", () => assemble(quick));
  if (!quick)
    await step("the element for other sites", () => buildEmbed(moduleFolder(false), deferredPart(moduleFolder(false))));
  return page;
}

export function deferredPart(folder = page) {
  return readdirSync(folder).find((name) => /_rest-\w+\.wasm$/.test(name)) ?? "";
}

/** The old page stays until the new one is complete. */
export async function assemble(quick) {
  const built = moduleFolder(quick);
  const next = `${page}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  const document = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(
    join(next, "index.html"),
    document.replaceAll(/^.*<link data-trunk .*>\n/gm, (line) => copyLinked(line, next)),
  );
  for (const name of readdirSync(built).filter((name) => name.endsWith(".wasm")))
    copyFileSync(join(built, name), join(next, name));
  const glue = readFileSync(join(built, GLUE), "utf8");
  writeFileSync(join(next, GLUE), quick ? glue : await minify(glue));
  await writeWorker(next);
  rmSync(page, { recursive: true, force: true });
  renameSync(next, page);
}

function copyLinked(line, to) {
  const attribute = (name) => new RegExp(` ${name}="([^"]*)"`).exec(line)?.[1];
  const [rel, href] = [attribute("rel"), attribute("href")];
  if (rel === "rust") return "";
  const name = basename(href);
  cpSync(join(folder, href), join(to, name), { recursive: true });
  const kinds = { css: "stylesheet", icon: "icon" };
  return kinds[rel] ? `    <link rel="${kinds[rel]}" href="./${name}">\n` : "";
}

async function minify(script) {
  const { transform } = createRequire(import.meta.url)("esbuild");
  const options = { minify: true, format: "esm", target: "es2022", legalComments: "none" };
  return (await transform(script, options)).code;
}

function sizes() {
  const built = moduleFolder(false);
  const size = (name) => `${Math.round(gzipSync(readFileSync(join(built, name)), { level: 9 }).length / 1000)} kB`;
  return `${size("stepgraph-playground_bg.wasm")} at first, ${size(deferredPart(built))} later, gzipped`;
}

export function pageFiles() {
  const names = readdirSync(page, { recursive: true }).filter((name) => statSync(join(page, name)).isFile());
  return names.map((name) => ({ name, size: statSync(join(page, name)).size }));
}

async function main() {
  const { quick = false, scripts } = readOptions(process.argv.slice(2), PROGRAM).options;
  if (scripts) return bundlePage({ quick: true });
  await setUp();
  if (!quick || missingParts().length > 0) await build();
  await buildPage({ quick });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
