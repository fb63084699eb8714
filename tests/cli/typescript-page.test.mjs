// Runs the code of docs/typescript.md.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { oldTypescript } from "../package/toolchains.mjs";
import { compile } from "./compile.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/typescript.md"), "utf8");
const blocks = (language) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, code]) => code);
const [app, plain, vite, unplugged] = blocks("ts");
const [build] = blocks("js");
const node = (name) => execFileSync(process.execPath, [name], { cwd: folder, encoding: "utf8" });

before(async () => {
  mkdirSync(join(folder, "node_modules/vite"), { recursive: true });
  for (const [name, target] of [
    ["stepgraph", root],
    ["esbuild", join(root, "node_modules/esbuild")],
  ])
    symlinkSync(target, join(folder, "node_modules", name), "junction");
  file("package.json", '{"type": "module"}');
  file("order.yaml", blocks("yaml")[0]);
  const { code, err } = await stepgraph(["types", "order.yaml"]);
  assert.equal(code, 0, err);
});

test("the program and its parts compile", () => {
  file(
    "node.d.ts",
    'declare module "node:fs/promises" { export function readFile(name: string): Promise<Uint8Array>; }\n',
  );
  compile([file("app.ts", app), file("plain.ts", plain), file("unplugged.ts", unplugged), "node.d.ts"]);
});

test("the page's `tsconfig.json` is enough for the oldest TypeScript and for today's", async () => {
  file("app.ts", app);
  for (const compiler of [await oldTypescript(), join(root, "node_modules/typescript/bin/tsc")]) {
    file("tsconfig.json", JSON.stringify({ ...JSON.parse(blocks("json")[0]), files: ["app.ts"] }));
    execFileSync(process.execPath, [compiler, "--noEmit", "-p", folder], { encoding: "utf8" });
  }
});

const mistakes = {
  "no handler": [/handlers: .*\n/, ""],
  "a misspelt input": ['item: "tea"', 'itme: "tea"'],
  "a number": ['item: "tea"', "item: 1"],
  "an unknown part of an output": ["receipt?.text", "receipt?.txt"],
};
for (const [name, [from, to]] of Object.entries(mistakes))
  test(`the compiler reports ${name}`, () => {
    const wrong = app.replace(from, to);
    assert.notEqual(wrong, app);
    assert.throws(() => compile([file("wrong.ts", wrong)]), /error TS/);
  });

test("esbuild bundles the program, which runs", () => {
  file("app.ts", app);
  file("build.mjs", build);
  node("build.mjs");
  assert.equal(node("out/app.mjs"), "1 × 3\n");
});

test("Vite's configuration has the plugin", async () => {
  file("node_modules/vite/package.json", '{"type": "module", "exports": "./index.js"}');
  file("node_modules/vite/index.js", "export const defineConfig = (config) => config;\n");
  file(
    "config.mjs",
    `${vite}`.replace("export default", "const config =").concat("console.log(config.plugins[0].name);\n"),
  );
  assert.equal(node("config.mjs"), "stepgraph\n");
});

test("the page names every option and type", async () => {
  const { out } = await stepgraph(["types", "order.yaml", "-o", "-"]);
  for (const [, name] of out.matchAll(/^export type (\w+)/gm)) assert.ok(page.includes(`\`${name}\``), name);
  const options = readFileSync(join(root, "dist/integrations/node/loader/options.d.ts"), "utf8");
  for (const [, name] of options.matchAll(/^ {4}(\w+)\?:/gm)) assert.ok(page.includes(`| \`${name}\` |`), name);
});
