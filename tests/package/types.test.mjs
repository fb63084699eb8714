// The installed package to its users' compilers: every way of resolving, the oldest TypeScript served and today's, with
// and without the types of pages, with exact optional properties and without; and to the linters of packages.
//
// What is compiled is `tests/types/api.ts`, which holds what must be refused, too; libraries are not skipped.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { consumer, root } from "./consumer.mjs";
import * as kits from "./toolchains.mjs";

const RESOLUTIONS = { bundler: "esnext", node16: "node16", nodenext: "nodenext" };
const PAGES = { lib: ["ES2022", "DOM"], types: [] };
const NODE = { lib: ["ES2022"], types: ["node"] };

let user;
before(() => {
  user = consumer({ "api.ts": readFileSync(join(root, "tests/types/api.ts"), "utf8") });
  for (const name of ["@types/node", "undici-types"]) {
    mkdirSync(join(user.folder, "node_modules", name), { recursive: true });
    cpSync(join(root, "node_modules", name), join(user.folder, "node_modules", name), { recursive: true });
  }
});
after(() => user.remove());

/** Compiles in the user's folder; gives what is complained of. */
async function complaints(compiler, name, options) {
  const file = `tsconfig.${name}.json`;
  user.write(
    file,
    JSON.stringify({
      compilerOptions: { noEmit: true, strict: true, noUncheckedIndexedAccess: true, target: "ES2022", ...options },
      files: ["api.ts"],
    }),
  );
  const said = await promisify(execFile)(process.execPath, [compiler, "-p", file, "--pretty", "false"], {
    cwd: user.folder,
  }).catch((error) => error);
  return said.stdout;
}

// How packages are found, what is at hand and how strict one is have nothing to do with each other: each of them once
// is enough.
const SETTINGS = [
  { moduleResolution: "bundler", exactOptionalPropertyTypes: true, ...PAGES },
  { moduleResolution: "node16", exactOptionalPropertyTypes: false, ...NODE },
  { moduleResolution: "nodenext", exactOptionalPropertyTypes: true, ...NODE },
];
const compilers = {
  [`TypeScript ${kits.VERSIONS.oldTypescript}`]: kits.oldTypescript,
  "TypeScript of today": async () => join(root, "node_modules/typescript/bin/tsc"),
};

for (const [name, install] of Object.entries(compilers)) {
  for (const options of SETTINGS) {
    const { moduleResolution, exactOptionalPropertyTypes: exact } = options;
    test(`${name}: ${moduleResolution}, ${options.types.length > 0 ? "types of Node" : "types of pages"}${exact ? ", exact optional properties" : ""}`, async () => {
      assert.equal(
        await complaints(await install(), `${moduleResolution}-${exact}`, {
          module: RESOLUTIONS[moduleResolution],
          ...options,
        }),
        "",
      );
    });
  }
}

test("attw finds the right types behind every entry", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [await kits.attw(), user.tarball, "--profile", "esm-only", "--format", "json"],
    { maxBuffer: 1 << 26 },
  ).catch((error) => error);
  const { analysis, problems } = JSON.parse(stdout);
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(analysis.entrypoints).sort(), Object.keys(exports).sort());
  // A program in CommonJS reaches an ES module by `import()`, and the oldest way of resolving knows the main entry
  // only.
  const known = (resolution) => resolution === "node10" || resolution === "node16-cjs";
  const told = Object.values(analysis.problems ?? problems ?? {})
    .flat()
    .filter(({ resolutionKind }) => !known(resolutionKind));
  assert.deepEqual(told, []);
});

test("publint has nothing to say", async () => {
  const folder = await kits.publint();
  const { publint } = await import(pathToFileURL(join(folder, "src/index-node.js")).href);
  const bytes = readFileSync(user.tarball);
  const { messages } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  assert.deepEqual(messages, []);
});
