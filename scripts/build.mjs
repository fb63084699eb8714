/**
 * Builds the npm package: Rust to WebAssembly, its glue, and TypeScript. What is up to date is left alone.
 *
 * The glue and the module go to `wasm/pkg`, where the TypeScript sources in `wasm/js` find them as `../pkg`; compiled,
 * those go to `wasm/dist` and find them by the very same name. What is shipped is made from both: `dist`, bundled, and
 * the module in `pkg`.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { bundle } from "./lib/bundle.mjs";
import { attempt, run, Trouble } from "./lib/command.mjs";
import { arrange, optimize, recipe } from "./lib/optimize.mjs";
import { root } from "./lib/places.mjs";
import { fail, step } from "./lib/progress.mjs";
import { wasmBindgen } from "./lib/tools.mjs";
import { setUp } from "./setup.mjs";

const glue = join(root, "wasm", "pkg");
const packed = join(root, "pkg");
const compiled = join(root, "wasm", "dist");
const dist = join(root, "dist");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

/**
 * The standard library's printer and reader of decimal numbers, as they are called in the names of functions: 20 kB
 * that creep in with one `{}`.
 */
const UNWANTED = ["flt2dec", "dec2flt"];

/** The hash of a plan in a loop instead of 64 copies of it: 2 kB less, gzipped. */
const cfg = ['--cfg=sha2_backend_soft="compact"'];

/** What needs more than a little of the stack is no part of another function: 1.5 kB less, gzipped, and no slower. */
const SMALL = " -Cllvm-args=-inline-max-stacksize=32";

/**
 * What is compiled to WebAssembly: the engine, which everybody loads, and what editors of plans load beside it. Each is
 * linked for itself, from crates that are compiled for itself: the engine's for size, the editor's for speed.
 */
const ENGINE = { name: "stepgraph_wasm", crate: "stepgraph-wasm", profile: "release", of: "", flags: SMALL };
const EDITOR = {
  name: "stepgraph_editor",
  crate: "stepgraph-editor",
  profile: "editor",
  of: ", for editors",
  flags: "",
};
const MODULES = [ENGINE, EDITOR];

/** Builds everything; `setUp` has to have been done. */
export async function build() {
  for (const module of MODULES) {
    const { file } = await step(`Rust to WebAssembly${module.of}`, (say) => compileRust(module, say));
    await step(`glue and wasm-opt${module.of}`, () => bind(module, file));
  }
  await step("TypeScript", compileTypeScript);
  await step("bundles", bundleScripts);
}

/** Gives the path of the compiled module, which cargo alone knows for certain. */
async function compileRust({ name, crate, profile, flags }, say) {
  const args = ["build", "--profile", profile, "-p", crate, "--target", "wasm32-unknown-unknown"];
  const env = { RUSTFLAGS: rustFlags() + flags };
  const options = {
    env,
    onLine: (line) => line.startsWith("Compiling") && say("compiling, a minute or two the first time"),
  };
  const done = await attempt("cargo", [...args, ...locked(), "--message-format", "json-render-diagnostics"], options);
  if (done.code !== 0) {
    const readable = done.all
      .split("\n")
      .filter((line) => !line.startsWith('{"'))
      .join("\n");
    throw new Trouble(
      `Building the WebAssembly module failed: \`cargo ${args.join(" ")}\` ended with ${done.code}`,
      readable,
    );
  }
  const messages = done.out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const file = messages.flatMap((message) => message.filenames ?? []).findLast((file) => file.endsWith(`${name}.wasm`));
  if (!file) throw new Trouble(`Building the WebAssembly module failed: cargo made no \`${name}.wasm\``);
  const unwanted = UNWANTED.filter((name) => readFileSync(file).includes(name));
  if (unwanted.length > 0)
    throw new Trouble(
      `The module holds ${unwanted.join(" and ")}, which are large: read and write numbers by \`number\` and \`value::number_text\``,
    );
  return { file };
}

/**
 * How Rust is compiled for browsers. The places of panics are kept in the module; where this machine keeps its crates
 * is nobody's business, and long.
 */
export function rustFlags() {
  const crates = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  return [`--remap-path-prefix=${crates}=crates`, `--remap-path-prefix=${root}=stepgraph`, ...cfg].join(" ");
}

/** In CI a lock file that does not fit is an error; at home cargo brings it up to date. */
function locked() {
  return process.env.CI ? ["--locked"] : [];
}

async function bind({ name, of }, file) {
  const key = hash([readFileSync(file), wasmBindgen(), ...recipe()]);
  const wasm = join(glue, `${name}_bg.wasm`);
  if (!upToDate(name, key, wasm)) {
    rmSync(stampFile(name), { force: true });
    const args = ["--target", "web", "--omit-default-module-path", "--out-dir", glue, "--out-name", name, file];
    await run("Writing the glue", wasmBindgen(), args);
    await optimize(wasm, { of });
    await arrange(wasm, of);
    stamp(name, key);
  }
  writeFlows();
  copy(
    glue,
    packed,
    MODULES.map(({ name }) => `${name}_bg.wasm`),
  );
  return sizes(join(packed, `${name}_bg.wasm`));
}

/**
 * The flows that come with the engine, as a module beside the glue. They are shipped in JavaScript and nowhere else:
 * there a bundler leaves them out where nobody uses them, while in the module they would weigh on everybody.
 */
function writeFlows() {
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
    ...glued("d.ts"),
    join(glue, "flows.d.ts"),
    join(root, "node_modules", "typescript", "package.json"),
  ];
  const key = hash(inputs.flatMap((name) => [name, readFileSync(name)]));
  if (upToDate("compiled", key, join(compiled, "cli", "main.js"))) return;
  rmSync(compiled, { recursive: true, force: true });
  await run("Compiling TypeScript", process.execPath, [compiler, "-p", root, "--pretty", "false"]);
  stamp("compiled", key);
}

async function bundleScripts() {
  const inputs = [
    ...files(compiled),
    ...glued("js"),
    join(glue, "flows.js"),
    join(root, "scripts", "lib", "bundle.mjs"),
    join(root, "node_modules", "esbuild", "package.json"),
  ];
  const key = hash(inputs.flatMap((name) => [name, readFileSync(name)]));
  if (!upToDate("dist", key, join(dist, "node.js"))) {
    await bundle(compiled, dist);
    stamp("dist", key);
  }
  const scripts = readdirSync(dist).filter((name) => name.endsWith(".js") && !/^(editor|beside)/.test(name));
  const total = (measure) => kilobytes(scripts.reduce((sum, name) => sum + measure(readFileSync(join(dist, name))), 0));
  return `the library ${total((bytes) => bytes.length)}, ${total((bytes) => gzipSync(bytes, { level: 9 }).length)} gzipped`;
}

/** The glue of every module. */
function glued(ending) {
  return MODULES.map(({ name }) => join(glue, `${name}.${ending}`));
}

/** Copies files of `from`, and removes from `to` everything else. */
function copy(from, to, names) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(to)) if (!names.includes(name)) rmSync(join(to, name), { recursive: true });
  for (const name of names.filter((name) => existsSync(join(from, name)))) {
    if (!existsSync(join(to, name)) || !readFileSync(join(from, name)).equals(readFileSync(join(to, name)))) {
      copyFileSync(join(from, name), join(to, name));
    }
  }
}

function files(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile())
    .sort();
}

function hash(parts) {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part).update("\0");
  return sum.digest("hex");
}

function stampFile(name) {
  return join(glue, `.${name}.stamp`);
}

function upToDate(name, key, product) {
  return existsSync(product) && existsSync(stampFile(name)) && readFileSync(stampFile(name), "utf8") === key;
}

function stamp(name, key) {
  writeFileSync(stampFile(name), key);
}

function kilobytes(count) {
  return `${(count / 1000).toFixed(0)} kB`;
}

function sizes(file) {
  const bytes = readFileSync(file);
  return `${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes, { level: 9 }).length)} gzipped`;
}

async function main() {
  await setUp();
  await build();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
