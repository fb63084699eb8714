// esbuild without settings, from the packed package: it copies no files. A bundle works, or its error says what to do.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { consumer, output } from "./consumer.mjs";
import { visit } from "./pages.mjs";
import * as kits from "./toolchains.mjs";

const RUN = `const graph = PlanGraph.load("nodes: {a: {type: log, input: 'hi \${input}'}}");
  const { last } = await run(graph, { input: "Ada" });`;
const TELL = "globalThis.tell(JSON.stringify([error.name, error.code, error.message]))";
const tries = (entry) => `import { init } from "${entry}";
  init().then(() => globalThis.tell("it works"), (error) => ${TELL});`;
/** Bundles by name: the source, and the flags of esbuild. */
const PAGES = {
  engine: [tries("stepgraph"), "--format=esm"],
  "engine of a site with one page": [tries("stepgraph"), "--format=esm"],
  "engine in a classic script": [tries("stepgraph"), "--format=iife", "--log-override:empty-import-meta=silent"],
  editor: [tries("stepgraph/editor"), "--format=esm"],
  standalone: [
    `import { init, PlanGraph, run } from "stepgraph/standalone";
    (async () => { await init(); ${RUN} globalThis.tell(last); })();`,
    "--format=esm",
  ],
  "engine as a file": [
    `import engine from "stepgraph/engine.wasm";
    import { init, PlanGraph, run } from "stepgraph";
    (async () => { await init(engine); ${RUN} globalThis.tell(last); })();`,
    "--format=iife",
    "--loader:.wasm=file",
    "--public-path=/bundles",
    "--log-override:empty-import-meta=silent",
  ],
};

let user;
let visited;
before(async () => {
  user = consumer();
  for (const [at, [source, ...flags]] of Object.values(PAGES).entries()) {
    user.write(`page${at}.js`, source);
    await bundle(`page${at}.js`, [...flags, `--outfile=bundles/page${at}.js`]);
  }
  const folder = (name) => (name.includes("site") ? "site/bundles" : "bundles");
  const pages = Object.keys(PAGES).map((name, at) => [name, `/${folder(name)}/page${at}.js`]);
  visited = await visit(user.folder, Object.fromEntries(pages), async ({ url }, response) => {
    if (!url.startsWith("/site/")) return false;
    const isScript = url.endsWith(".js");
    const body = isScript ? readFileSync(join(user.folder, url.slice("/site".length))) : "<!doctype html>";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" }).end(body);
    return true;
  });
});
after(async () => {
  await visited?.close();
  user?.remove();
});

async function bundle(name, flags) {
  await output(await kits.esbuild(), [name, "--bundle", "--log-level=error", ...flags], user.folder);
}

for (const [name, reason] of [
  ["engine", /stepgraph_first\.wasm answers 404.*import `stepgraph\/standalone`, or pass `stepgraph\/engine\.wasm`/],
  ["engine of a site with one page", /stepgraph_first\.wasm is a page/],
  ["engine in a classic script", /Invalid URL.*import `stepgraph\/standalone`/],
  ["editor", /stepgraph_editor_bg\.wasm answers 404.*pass `stepgraph\/editor\.wasm`/],
])
  test(`without the module, the error says what to do: ${name}`, async () => {
    const [kind, code, message] = JSON.parse(await visited.told[name]);
    assert.deepEqual([kind, code], ["PlanError", "api/not-loaded"]);
    assert.match(message, reason);
  });

for (const name of ["standalone", "engine as a file"])
  test(`what the error advises works: ${name}`, async () => {
    assert.equal(await visited.told[name], "hi Ada");
  });

for (const format of ["esm", "cjs"])
  test(`in Node, a bundle in the form ${format} says what to do, and that works`, async () => {
    user.write(
      "program.js",
      `import { PlanGraph, run } from "stepgraph";\n(async () => { ${RUN} console.log(last); })();`,
    );
    const outfile = `program-${format}/out.${format === "esm" ? "mjs" : "cjs"}`;
    const flags = [
      "--platform=node",
      `--format=${format}`,
      `--outfile=${outfile}`,
      "--log-override:empty-import-meta=silent",
    ];
    const program = () => promisify(execFile)(process.execPath, [outfile], { cwd: user.folder });
    await bundle("program.js", flags);
    await assert.rejects(program(), ({ stderr }) => {
      assert.match(stderr, /PlanError: the bundler moved the files of `stepgraph`.*--external:stepgraph/);
      assert.match(stderr, /code: 'api\/bundled'/);
      return true;
    });
    // CommonJS can't `require` the package in Node 20.
    if (format === "cjs") return;
    await bundle("program.js", [...flags, "--external:stepgraph"]);
    assert.equal((await program()).stdout, "hi Ada\n");
  });
