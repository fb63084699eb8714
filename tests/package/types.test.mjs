// Tests the installed package's types with compilers and linters, for every module resolution, TypeScript, DOM types,
// and exactness of optional properties.
//
// `tests/types/api.ts` also lists code that must not compile. Libraries are checked, too.

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

// The settings are independent, so each value occurs at least once.
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
  // A CommonJS program uses an ES module through `import()`. The oldest resolution knows only the main entry.
  const knowsMainOnly = (resolution) => resolution === "node10" || resolution === "node16-cjs";
  const told = Object.values(analysis.problems ?? problems ?? {})
    .flat()
    .filter(({ resolutionKind }) => !knowsMainOnly(resolutionKind));
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
