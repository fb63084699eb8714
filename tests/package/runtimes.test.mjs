// Tests the packed package in every runtime: Node, Deno, Bun, workerd, and Chromium. All run the same program and
// cassette, also over the network, and must output the committed text.
//
// `UPDATE=1` rewrites the text with the current Node.

import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as servers from "../servers/servers.mjs";
import { CASSETTE, consumer, output, root, script } from "./consumer.mjs";
import * as kits from "./toolchains.mjs";
import { visit } from "./pages.mjs";
import { golden, runtimes, scripts, sections, writeAddresses } from "./runtimes.mjs";

const GOLDEN = join(root, "tests/package/everywhere/expected.txt");
/** The last page waits for all others. */
const TIMEOUT = { timeout: 240_000 };

const page = (from, init) => script({ from, init, give: "tell" });
/** They run in this order. */
const pages = {
  "Chromium, <script type=module>": "/plain.mjs",
  "Chromium, compiled module": "/module.mjs",
  "Chromium, Web Worker": "/worker-page.mjs",
  [`Chromium, esbuild ${kits.VERSIONS.esbuild}`]: "/out/bundled.js",
  [`Chromium, webpack ${kits.VERSIONS.webpack}`]: "/webpack/app.js",
  [`Chromium, Vite ${kits.VERSIONS.vite}`]: "/vite/app.js",
  [`Chromium, Vite ${kits.VERSIONS.vite}, development`]: "/dev/vite.mjs",
};
const pageScripts = {
  "plain.mjs": page("./node_modules/stepgraph/dist/web.js", "await stepgraph.init();"),
  "module.mjs": page(
    "./node_modules/stepgraph/dist/module.js",
    'stepgraph.init(await WebAssembly.compileStreaming(fetch("/node_modules/stepgraph/pkg/stepgraph_wasm_bg.wasm")), { wire: await WebAssembly.compileStreaming(fetch("/node_modules/stepgraph/pkg/stepgraph_wire_bg.wasm")) });',
  ),
  "worker-page.mjs":
    'new Worker("/in-worker.mjs", { type: "module" }).addEventListener("message", ({ data }) => tell(data));',
  "in-worker.mjs": script({
    from: "./node_modules/stepgraph/dist/web.js",
    init: "await stepgraph.init();",
    give: "postMessage",
  }),
  "bundled.mjs": page(
    "stepgraph",
    'const { default: wasm } = await import("stepgraph/engine.wasm"); await stepgraph.init(wasm, { wire: (await import("stepgraph/wire.wasm")).default });',
  ),
  "vite.mjs": page("stepgraph", "await stepgraph.init();"),
  "webpack.mjs": page("stepgraph", "await stepgraph.init();"),
};

let user;
let expected;
let visited;
let development;
const running = [];
const table = new Map();

before(async () => {
  user = consumer({ ...scripts, ...pageScripts, "plan.yaml": 'nodes: {hello: {type: log, input: "hi, ${input}"}}' });
  const [legacy, modern, model] = await Promise.all(
    [
      servers.everything(),
      servers.fastmcp({ CORS: "1" }),
      servers.aimock(join(root, "tests/package/everywhere/model")),
    ].map((started) => started.then((server) => (running.push(server), server))),
  );
  writeAddresses(user.folder, {
    tools: {
      "everything, 2025-11-25": {
        url: legacy.url,
        tool: "get-sum",
        input: { a: 2, b: 3 },
        slow: ["trigger-long-running-operation", { duration: 0.2, steps: 2 }],
      },
      "FastMCP, 2026-07-28": { url: modern.url, tool: "price", input: { item: "tea" } },
      "FastMCP, 2025-06-18": { url: modern.url, version: "2025-06-18", tool: "price", input: { item: "tea" } },
    },
    models: {
      openai: model.url,
      openaiResponses: model.url,
      anthropic: model.url,
      gemini: model.url.replace(/v1$/, "v1beta"),
    },
  });
  if (process.env.UPDATE) await update();
  expected = golden(GOLDEN);
  await Promise.all([bundle(), webpackBundle(), viteBundle()]);
  development = await viteServer();
  visited = await visit(user.folder, pages, development.answer);
});

after(async () => {
  // A resource that fails to end must not keep the others open, for which this process would wait.
  const ended = await Promise.allSettled([
    visited?.close(),
    development?.close(),
    ...running.map((server) => server.stop()),
  ]);
  user?.remove();
  for (const { reason } of ended) if (reason) throw reason;
});

async function update() {
  const run = async () => sections(await output(process.execPath, ["user.mjs"], user.folder));
  // The first of them records the cassette, and the others replay it.
  writeFileSync(
    join(root, CASSETTE),
    `${(await run()).recording}\n`.replaceAll('"atMs":0', () => `"atMs":${((clock += 0.1 + (clock % 7))).toFixed(4)}`),
  );
  const material = readFileSync(join(user.folder, "material.mjs"), "utf8").replace(
    /^export const cassette = .*$/m,
    () => `export const cassette = ${JSON.stringify(readFileSync(join(root, CASSETTE), "utf8"))};`,
  );
  user.write("material.mjs", material);
  writeFileSync(
    GOLDEN,
    Object.entries(await run())
      .map(([name, text]) => `=== ${name.replaceAll(" ", "-")}\n${text}\n`)
      .join(""),
  );
}
let clock = 1_795_317_095_444.387;

async function bundle() {
  const args = [
    "bundled.mjs",
    "--bundle",
    "--format=esm",
    "--minify",
    "--outdir=out",
    "--loader:.wasm=file",
    "--public-path=/out",
  ];
  await output(await kits.esbuild(), args, user.folder);
}

/** Uses no loaders or plug-ins. */
async function webpackBundle() {
  const { default: webpack } = await import(await kits.webpack());
  const output = { path: join(user.folder, "webpack"), filename: "app.js", publicPath: "/webpack/", module: true };
  const options = {
    mode: "production",
    context: user.folder,
    entry: "./webpack.mjs",
    output,
    experiments: { outputModule: true },
    performance: false,
  };
  const stats = await new Promise((resolve, reject) =>
    webpack(options, (error, stats) => (error ? reject(error) : resolve(stats))),
  );
  assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString());
}

async function viteBundle() {
  const config = `export default {
    base: "/vite/", logLevel: "error",
    build: { outDir: "vite", target: "es2022", rollupOptions: { input: "vite.mjs", output: { entryFileNames: "app.js" } } },
  };`;
  user.write("vite.config.mjs", config);
  await output(process.execPath, [join(await kits.vite(), "bin/vite.js"), "build"], user.folder);
}

/** It serves sources unchanged and pre-bundles packages. */
async function viteServer() {
  const { createServer } = await import(join(await kits.vite(), "dist/node/index.js"));
  const server = await createServer({
    root: user.folder,
    configFile: false,
    base: "/dev/",
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { entries: ["vite.mjs"] },
  });
  const answer = (request, response) =>
    new Promise((resolve) => {
      if (!request.url.startsWith("/dev/")) return resolve(false);
      response.on("finish", () => resolve(true));
      server.middlewares(request, response, () => resolve(false));
    });
  return { answer, close: () => server.close() };
}

function same(name, text) {
  const actual = Object.fromEntries(
    Object.entries(sections(text)).map(([section, value]) => [section.replaceAll(" ", "-"), value]),
  );
  table.set(
    name,
    Object.fromEntries(Object.keys(expected).map((section) => [section, actual[section] === expected[section]])),
  );
  assert.deepEqual(Object.keys(actual), Object.keys(expected));
  for (const [section, value] of Object.entries(expected)) assert.equal(actual[section], value, `${name}: ${section}`);
}

test("the smoke program has the expected result", () => {
  assert.match(expected.running, /27\.5 degrees in Lima: 🥵[^]*"code":"shop\/closed"/);
  assert.match(
    expected.live,
    /"type":"node-retried"[^]*"type":"run-ended"[^]*1000000000000000000000[^]*the clock is right/,
  );
  assert.match(expected.replay, /"atMs":1795317095\d+\.\d+/);
  assert.match(expected.tapes, /^node: the very trace\nnative: the very trace$/);
  assert.match(expected.pausing, /"type":"paused"[^]*"rejected"[^]*"cancelled"/);
  assert.match(expected.misuse, /^true PlanError api\/freed/);
  assert.match(
    expected["everything,-2025-11-25"],
    /The sum of 2 and 3 is 5[^]*"progress":\[\[1,2\],\[2,2\]\],"spoken":"2025-11-25"/,
  );
  assert.match(expected["FastMCP,-2026-07-28"], /"price":3\.5[^]*"spoken":"2026-07-28"/);
  assert.match(expected["FastMCP,-2025-06-18"], /"price":3\.5[^]*"spoken":"2025-06-18"/);
  for (const name of ["openai", "openaiResponses", "anthropic", "gemini"])
    assert.match(
      expected[name],
      /"last":"Grüße aus Überall 🥵 und gute Nacht"[^]*"pieces":"Grüße aus Überall 🥵 und gute Nacht","whole":"Grüße aus Überall 🥵 und gute Nacht"/,
    );
  const recorded = readFileSync(join(root, CASSETTE), "utf8");
  assert.ok(recorded.includes("[redacted]") && !recorded.includes("k-123"), "a secret was written");
});

for (const [name, run] of Object.entries(runtimes))
  test(`${name}: the very same`, TIMEOUT, async () => same(name, await run(user.folder)));
for (const name of Object.keys(pages))
  test(`${name}: the very same`, TIMEOUT, async () => same(name, await visited.told[name]));

test("the summary of the runtimes", (context) => {
  const columns = Object.keys(expected);
  const width = Math.max(...[...table.keys()].map((name) => name.length));
  const wide = (section) => Math.max(4, section.length);
  context.diagnostic(`${"".padEnd(width)}  ${columns.map((section) => section.padEnd(wide(section))).join("  ")}`);
  for (const [name, row] of table)
    context.diagnostic(
      `${name.padEnd(width)}  ${columns.map((section) => (row[section] ? "same" : "NOT").padEnd(wide(section))).join("  ")}`,
    );
  assert.equal(table.size, Object.keys(runtimes).length + Object.keys(pages).length, "a runtime told nothing");
});

test("bundles take the browser's entry and nothing of Node", () => {
  for (const name of [
    "out/bundled.js",
    "webpack/app.js",
    ...readdirSync(join(user.folder, "vite"), { recursive: true })
      .filter((name) => name.endsWith(".js"))
      .map((name) => `vite/${name}`),
  ]) {
    assert.doesNotMatch(
      readFileSync(join(user.folder, name), "utf8"),
      /["'`]node:/,
      `${name} asks for a module of Node's`,
    );
  }
});

test("the command works through every kind of link, in every Node", async () => {
  const bin = join(user.folder, "node_modules/.bin/stepgraph");
  const args = ["run", "plan.yaml", "--prompt", "Ada", "--quiet"];
  assert.equal(await output(bin, args, user.folder), "hi, Ada\n");
  if (lstatSync(bin).isSymbolicLink()) {
    symlinkSync(bin, join(user.folder, "linked"));
    const nodes = [process.execPath, ...(kits.linux ? [await kits.node22()] : [])];
    for (const node of nodes) assert.equal(await output(node, ["linked", ...args], user.folder), "hi, Ada\n");
  }
});
