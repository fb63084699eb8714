/**
 * Makes a module small and fast that wasm-bindgen has made: the passes of wasm-opt, and the order of functions.
 *
 * Source: measured with gzip at its best level, see `tests/bench/README.md`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.mjs";
import { namedByLikeness } from "./order.mjs";
import { withoutPanics } from "./panics.mjs";
import { root } from "./places.mjs";
import { IDLE } from "./rest.mjs";

const optimizer = join(root, "node_modules", "binaryen", "bin", "wasm-opt");

/**
 * Speed first, but nothing is inlined that the compiler left alone: two small functions compress better than one large
 * one (16 kB, gzipped), and so do functions of one module that stand together (5 kB), or better still those that
 * resemble each other (11 kB more). No data lies in the lowest kilobyte: the far end of the stack does.
 */
const inlining = [
  "--one-caller-inline-max-function-size=0",
  "--always-inline-max-function-size=0",
  "--flexible-inline-max-function-size=0",
];
const optimizations = ["--low-memory-unused", ...inlining, "--reorder-functions-by-name"];
/** The last step, once the functions are named by the place each should have. */
const ordering = ["--reorder-functions-by-name", "--generate-stack-ir", "--optimize-stack-ir"];
/** What Rust's WebAssembly target emits today; wasm-opt refuses a module that uses more than it is told. */
const features = [
  "bulk-memory",
  "bulk-memory-opt",
  "nontrapping-float-to-int",
  "sign-ext",
  "mutable-globals",
  "reference-types",
  "multivalue",
].map((name) => `--enable-${name}`);

/**
 * The module in a file without the words of its panics, and optimized: for speed, or to be `small`, which is worth 4 kB
 * in 400. Its functions have their names only if that is asked.
 */
export async function optimize(file, { of = "", named = false, small = false } = {}) {
  writeFileSync(file, withoutPanics(readFileSync(file)));
  await pass(file, [small ? "-Oz" : "-O3", ...optimizations, ...(named ? ["-g"] : [])], of);
}

/** The module in a file without what nothing of it reaches. */
export async function prune(file, of = "") {
  await pass(file, ["--remove-unused-module-elements", "--reorder-functions-by-name"], of);
}

/** The functions of the module in a file in the order in which they compress best. */
export async function arrange(file, of = "") {
  writeFileSync(file, namedByLikeness(readFileSync(file)));
  await pass(file, ordering, of);
}

function pass(file, passes, of) {
  return run(`Optimizing the module${of}`, process.execPath, [optimizer, ...passes, ...features, file, "-o", file]);
}

/** What the outcome depends on beside the module. */
export function recipe() {
  const scripts = ["code", "glue", "module", "optimize", "order", "panics", "rest", "shrink", "split"].map((name) =>
    join(root, "scripts", "lib", `${name}.mjs`),
  );
  return [...scripts, IDLE, join(root, "node_modules", "binaryen", "package.json")]
    .filter(existsSync)
    .map((name) => readFileSync(name));
}
