/**
 * Builds the npm package from `wasm/js`: bundles in `dist`, modules in `pkg`, glue in `wasm/pkg`.
 *
 * Sources and `wasm/dist` both import `wasm/pkg` as `../pkg`.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { bundle, transpile } from "./lib/bundle.mjs";
import { run } from "./lib/command.mjs";
import { compiledCrates, notices } from "./lib/notices.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { files, hashFiles, runIfChanged } from "./lib/stamps.mjs";
import { runTool } from "./lib/tools.mjs";
import { setUp } from "./setup.mjs";

const glue = join(root, "wasm", "pkg");
const packed = join(root, "pkg");
const compiled = join(root, "wasm", "dist");
const dist = join(root, "dist");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

const ENGINE_PARTS = [
  "first",
  "open_calls",
  "calls",
  "common",
  "plans",
  "agents",
  "history",
  "mistakes",
  "hints",
  "language",
  "planners",
  "rest",
];
const WIRE_PARTS = ["wire_first", "wire_providers", "wire_auth", "wire_rest"];
const partFiles = (parts) => parts.map((part) => `stepgraph_${part}.wasm`);
const ENGINE = { name: "stepgraph_wasm", part: "engine", parts: partFiles(ENGINE_PARTS) };
const WIRE = { name: "stepgraph_wire", part: "wire", parts: partFiles(WIRE_PARTS) };
const EDITOR = { name: "stepgraph_editor", part: "editor" };
const MODULES = [ENGINE, WIRE, EDITOR];
const NOTICES = "NOTICES.txt";

export async function build() {
  writeFlows();
  // Linking uses one processor, so the modules build at once.
  await Promise.all(MODULES.map(buildModule));
  await step("TypeScript", compileTypeScript);
  await step("bundles", bundlePackage);
  writeFileSync(join(packed, NOTICES), notices(await compiledCrates()));
  removeStaleFiles();
}

function removeStaleFiles() {
  const ours = [NOTICES, ...MODULES.flatMap(wasmFiles)];
  for (const name of readdirSync(packed)) if (!ours.includes(name)) rmSync(join(packed, name), { recursive: true });
}

/** Skips the editor module and the types, unless they were built before. */
export async function buildCommand() {
  if (existsSync(stampFile("dist"))) return build();
  writeFlows();
  await Promise.all([buildModule(ENGINE), buildModule(WIRE)]);
  await step("the command", async () => {
    await transpile(join(root, "wasm", "js"), compiled);
    await bundle(compiled, dist, { whole: false });
  });
}

async function buildModule(module) {
  await step(`the ${module.part}'s module`, async (say) => {
    const names = wasmFiles(module);
    say(existsSync(join(glue, names[0])) ? "compiling" : "compiling, a minute the first time");
    await runTool(module.part);
    for (const name of names) copy(glue, packed, name);
    return names.map((name) => sizes(join(packed, name))).join("; ");
  });
}

function wasmFiles({ name, parts = [] }) {
  return [`${name}_bg.wasm`, ...parts];
}

/** Bundlers can drop unused flows from a script, but not from a module. */
function writeFlows() {
  mkdirSync(glue, { recursive: true });
  const folder = join(root, "core", "flows");
  const sources = Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name.replace(/\.yaml$/, ""), readFileSync(join(folder, name), "utf8")]),
  );
  const named = Object.entries(sources).map(([name, text]) => [
    name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()),
    text,
  ]);
  writeFileSync(
    join(glue, "flows.js"),
    named.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`).join(""),
  );
  writeFileSync(join(glue, "flows.d.ts"), named.map(([name]) => `export const ${name}: string;\n`).join(""));
}

async function compileTypeScript() {
  const sources = files(join(root, "wasm", "js")).filter((name) => name.endsWith(".ts"));
  const inputs = [
    ...sources,
    join(root, "tsconfig.json"),
    ...glueFiles("d.ts"),
    join(glue, "flows.d.ts"),
    join(root, "node_modules", "typescript", "package.json"),
  ];
  const stamp = { file: stampFile("compiled"), key: hashFiles(inputs, root), folder: compiled };
  await runIfChanged(stamp, async () => {
    rmSync(compiled, { recursive: true, force: true });
    await run("Compiling TypeScript", process.execPath, [compiler, "-p", root, "--pretty", "false"]);
  });
}

async function bundlePackage() {
  const inputs = [
    ...files(compiled),
    ...glueFiles("js"),
    join(glue, "flows.js"),
    ...["bundle.mjs", "bundle-command.mjs"].map((name) => join(root, "scripts", "lib", name)),
    ...["wasm", "wire"].map((name) => join(packed, `stepgraph_${name}_bg.wasm`)),
    join(root, "node_modules", "esbuild", "package.json"),
  ];
  const stamp = { file: stampFile("dist"), key: hashFiles(inputs, root), folder: dist };
  await runIfChanged(stamp, async () => {
    await bundle(compiled, dist);
    const args = [join(dist, "cli", "main.js"), "schema"];
    writeFileSync(join(dist, "plan.schema.json"), await run("Writing the schema", process.execPath, args));
  });
  const scripts = readdirSync(dist).filter(
    (name) => name.endsWith(".js") && !/^(editor|integrations|web|module|standalone)/.test(name),
  );
  const total = (measure) => kilobytes(scripts.reduce((sum, name) => sum + measure(readFileSync(join(dist, name))), 0));
  const gzipped = total((bytes) => gzipSync(bytes, { level: 9 }).length);
  return `the library ${total((bytes) => bytes.length)}, ${gzipped} gzipped`;
}

function glueFiles(ending) {
  return MODULES.map(({ name }) => join(glue, `${name}.${ending}`));
}

function copy(from, to, name) {
  mkdirSync(to, { recursive: true });
  const [source, target] = [join(from, name), join(to, name)];
  if (!existsSync(target) || !readFileSync(source).equals(readFileSync(target))) copyFileSync(source, target);
}

function stampFile(name) {
  return join(glue, `.${name}.stamp`);
}

function kilobytes(count) {
  return `${(count / 1000).toFixed(0)} kB`;
}

function sizes(file) {
  const bytes = readFileSync(file);
  return `${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes, { level: 9 }).length)} gzipped`;
}

async function main() {
  const about = "Builds the npm package into dist and pkg.";
  readOptions(process.argv.slice(2), { usage: "npm run build -- [options]", about, options: {} });
  await setUp();
  await build();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
