/**
 * Builds `stepgraph/embed` into `embed`: the element `<stepgraph-plan>`, with the page inside.
 *
 * The page's files are texts in two modules, one with the parts that show a plan, one with the rest. So every bundler
 * takes them along without settings. The same inputs give the same bytes.
 *
 * They belong to the package, because they make it less than twice as large: 7.9 MB instead of 4.8 MB, packed.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { deflateSync } from "node:zlib";
import { run } from "./command.mjs";
import { licences } from "./bundle.mjs";
import { bundlerAliases, MODULES, STYLES, TEXT_LOADERS } from "./page-scripts.mjs";
import { root } from "./paths.mjs";
import { files, hashFiles, runIfChanged } from "./stamps.mjs";

export const embedFolder = join(root, "embed");
const scripts = join(root, "playground", "js");
const GLUE = "stepgraph-playground.js";
/** One script each, because scripts in memory can't import one another. Workers there can't be modules. */
const SCRIPTS = {
  boot: { part: "first", format: "esm" },
  "run-worker": { part: "rest", format: "iife" },
  "editor/worker": { part: "rest", format: "iife" },
};

/** `built` is the folder with the page's module, and `deferred` the name of its deferred part. */
export async function buildEmbed(built, deferred) {
  const inputs = [
    ...[scripts, built, join(root, "playground", "styles"), join(root, "examples", "gallery")].flatMap(files),
    ...["dist/web.js", "dist/editor/web.js", "scripts/lib/embed.mjs", "scripts/lib/page-scripts.mjs"],
    ...MODULES.map((name) => join("pkg", name)),
    join("node_modules", "esbuild", "package.json"),
  ].map((name) => resolve(root, name));
  const stamp = { file: join(root, "playground", "generated", ".embed.stamp"), key: hashFiles(inputs, root) };
  await runIfChanged({ ...stamp, folder: embedFolder }, () => writeEmbed(built, deferred));
  return sizes();
}

function sizes() {
  const size = (name) => `${Math.round(statSync(join(embedFolder, name)).size / 1000)} kB`;
  return `${size("index.js")}, ${size("page.js")} with the first plan, ${size("rest.js")} after it`;
}

async function writeEmbed(built, deferred) {
  const next = `${embedFolder}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  const parts = { first: {}, rest: {} };
  for (const name of [GLUE.replace(".js", "_bg.wasm"), deferred]) parts.first[name] = readFileSync(join(built, name));
  for (const name of MODULES) parts.rest[`js/${name}`] = readFileSync(join(root, "pkg", name));
  const styles = STYLES.map((name) => join(root, "playground", "styles", `${name}.css`));
  const inputs = {};
  const add = (part, path, { contents, inputs: own }) => {
    parts[part][path] = contents;
    Object.assign(inputs, own);
  };
  for (const file of styles) add("first", basename(file), await bundle({ entryPoints: [file] }));
  for (const [name, { part, format }] of Object.entries(SCRIPTS))
    add(part, `js/${name}.js`, await bundle({ ...script(name, { built, deferred }), format }));
  const boot = await bundle(script("frame-boot"));
  const own = await bundle({
    ...script("embed-package"),
    external: ["./page.js", "./rest.js"],
    plugins: [textModule("embed:frame-boot", Buffer.from(boot.contents).toString())],
  });
  writeFileSync(join(next, "index.js"), own.contents);
  writeFileSync(join(next, "page.js"), packFiles(parts.first));
  writeFileSync(join(next, "rest.js"), packFiles(parts.rest));
  await writeTypes(next);
  writeFileSync(join(next, "LICENSES.txt"), licences({ inputs }));
  rmSync(embedFolder, { recursive: true, force: true });
  renameSync(next, embedFolder);
}

function script(name, { built, deferred = "" } = {}) {
  return {
    entryPoints: [join(scripts, `${name}.ts`)],
    format: "esm",
    target: "es2022",
    platform: "browser",
    define: { DEFERRED_FILE: JSON.stringify(deferred), ...(built && { "import.meta.url": '"memory:/js/script.js"' }) },
    loader: TEXT_LOADERS,
    alias: bundlerAliases(root),
    plugins: built === undefined ? [] : [glueIn(built)],
  };
}

/** The page's scripts and its glue import each other. Here they become one script. */
function glueIn(built) {
  return {
    name: "glue",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.\/stepgraph-playground\.js$/ }, () => ({ path: join(built, GLUE) }));
      onResolve({ filter: /^\.\/js\/bridge\.js$/ }, () => ({ path: join(scripts, "bridge.ts") }));
    },
  };
}

function textModule(name, contents) {
  return {
    name: "text",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: "text" }));
      onLoad({ filter: /.*/, namespace: "text" }, () => ({ contents, loader: "text" }));
    },
  };
}

async function bundle(options) {
  const { build } = createRequire(import.meta.url)("esbuild");
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    charset: "utf8",
    legalComments: "none",
    ...options,
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: "silent",
    // The folder of files in memory has no meaning, but esbuild asks for one.
    outdir: embedFolder,
  });
  return { contents: outputFiles[0].contents, inputs: metafile.inputs };
}

/** Compressed, in Base64: a text that bundlers leave alone, hardly larger than the files on the wire. */
function packFiles(files) {
  const packed = Object.entries(files).map(([path, bytes]) => [
    path,
    deflateSync(bytes, { level: 9 }).toString("base64"),
  ]);
  return `export const files = ${JSON.stringify(Object.fromEntries(packed), null, 1)};\n`;
}

/** The declarations of the element, in one file. */
async function writeTypes(folder) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const target = join(folder, "types");
  const flags = ["--ignoreConfig", "--declaration", "--emitDeclarationOnly", "--stripInternal", "--outDir", target];
  const language = ["--strict", "--target", "ES2022", "--lib", "ES2022,DOM,DOM.Iterable", "--types", ""];
  const args = [compiler, join(scripts, "plan-element.ts"), ...flags, ...language];
  await run("Writing the element's types", process.execPath, args);
  // The comment at the top of the source is about the source.
  const text = readFileSync(join(target, "plan-element.d.ts"), "utf8").replace(/^\/\*\*.*?\*\/\n/s, "");
  writeFileSync(join(folder, "index.d.ts"), text);
  rmSync(target, { recursive: true });
}
