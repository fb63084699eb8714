/**
 * Does typical work with a module that counts, and writes the part of each function and block. The build tool calls
 * the scripts that use it.
 *
 * Usage: `node SCRIPT MODULE ADDRESS COUNT RESULT`. `ADDRESS` is where the counters are.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./paths.mjs";

/** As in the build tool. */
const DID_NOT_RUN = 255;

const source = join(root, "wasm", "js");

/** Compiled files do not exist yet. */
const SOURCES = {
  name: "sources",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/dist\// }, ({ path }) => ({
      path: join(source, `${path.slice("../dist/".length, -".js".length)}.ts`),
    })),
};

/** Bundles the glue just written. */
async function bundleLibrary(folder, entry, plugin) {
  const { build } = createRequire(import.meta.url)("esbuild");
  const outfile = join(folder, "library.mjs");
  await build({
    stdin: { contents: entry, resolveDir: source, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [SOURCES, plugin],
    logLevel: "silent",
  });
  return import(pathToFileURL(outfile).href);
}

const ORIGIN = 1_700_000_000_000.2;
let passed = 0.1;

/** A profile must not depend on time: a long run would do more, such as giving way to timers. */
function stopTime() {
  Date.now = () => Math.floor(ORIGIN + passed);
  performance.now = () => (passed += 0.137_000_023);
  Object.defineProperty(performance, "timeOrigin", { value: ORIGIN });
}

/** Numbers with and without digits on each side of the point take different ways. */
export function passTime(ms) {
  passed += ms;
}

const registries = [];

/** Frees objects only when told to, because a profile must not depend on the garbage collector. */
class Registry {
  #held = new Map();
  #free;

  constructor(free) {
    this.#free = free;
    registries.push(this);
  }

  register(_object, held, token = {}) {
    this.#held.set(token, held);
  }

  unregister(token) {
    this.#held.delete(token);
  }

  freeAll() {
    for (const [token, held] of this.#held) {
      this.#held.delete(token);
      this.#free(held);
    }
  }
}

/** Group 0 is bit 0. */
const firstGroup = (ran) => 31 - Math.clz32(ran & -ran);

/**
 * `start` starts the module and returns its memory. `partOf` returns a function's part by the groups that call it, as
 * bits. Without it, that is the part of the first such group.
 */
export async function writeProfile({ entry, plugin, start, groups, partOf = firstGroup }) {
  const [modulePath, address, count, result] = process.argv.slice(2);
  stopTime();
  globalThis.FinalizationRegistry = Registry;
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-profile-"));
  try {
    const library = await bundleLibrary(folder, entry, plugin);
    const memory = await start(library, readFileSync(modulePath));
    const ranIn = new Uint16Array(Number(count));
    for (const [bit, group] of groups.entries()) {
      await group(library);
      for (const registry of registries) registry.freeAll();
      const counters = new Uint8Array(memory.buffer, Number(address), Number(count));
      counters.forEach((ran, at) => {
        if (ran !== 0) ranIn[at] |= 1 << bit;
      });
      counters.fill(0);
    }
    writeFileSync(
      result,
      Uint8Array.from(ranIn, (ran) => (ran === 0 ? DID_NOT_RUN : partOf(ran))),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
