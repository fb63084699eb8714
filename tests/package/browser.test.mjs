// The installed package in Chromium under a strict content security policy: without a bundler, as a compiled module, in a worker,
// and bundled. Each must give the very traces that Node gives.
//
// The pages come from a server of our own and tell it what they found; one browser visits them in turn.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { findChromium } from "../../scripts/chromium.mjs";
import { npmPackages } from "../servers/install.mjs";
import { consumer, nodeScript, output } from "./consumer.mjs";

const ESBUILD = "0.28.2";
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

const work = (from, init) => `
  import * as stepgraph from "${from}";
  import { job } from "./job.mjs";
  import hello from "./hello.mjs";
  ${init}
  tell(await job(stepgraph, hello));
`;

/** What each page does, by its name. They follow each other in this order. */
const pages = {
  plain: work("./node_modules/stepgraph/dist/web.js", "await stepgraph.init();"),
  module: work(
    "./node_modules/stepgraph/dist/module.js",
    'stepgraph.init(await WebAssembly.compileStreaming(fetch("./node_modules/stepgraph/pkg/stepgraph_wasm_bg.wasm")));',
  ),
  worker: 'new Worker("./in-worker.mjs", { type: "module" }).addEventListener("message", ({ data }) => tell(data));',
  bundled: 'import "./out/bundled-app.js";',
};
const names = Object.keys(pages);

/** A page's script and, before it, one that hears of everything that goes wrong. */
const html = (name) => `<!doctype html><meta charset="utf-8"><script src="watch.js" data-page="${name}"></script><script type="module" src="${name}.mjs"></script>`;
const watch = `
  const { page } = document.currentScript.dataset;
  globalThis.tell = async (text) => {
    const next = await (await fetch("told/" + page, { method: "POST", body: text })).text();
    if (next) location.href = next;
  };
  for (const type of ["error", "unhandledrejection", "securitypolicyviolation"]) {
    addEventListener(type, (event) => tell(type + ": " + (event.message ?? event.reason?.stack ?? event.violatedDirective ?? event.target?.src)), true);
  }
`;

let user;
let expected;
let server;
let browser;
let profile;
const told = Object.fromEntries(names.map((name) => [name, deferred()]));

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

before(async () => {
  user = consumer({
    "user.mjs": nodeScript,
    "watch.js": watch,
    "in-worker.mjs": work("./node_modules/stepgraph/dist/web.js", "await stepgraph.init();").replace("tell(", "postMessage("),
    "bundled-app.mjs": work("stepgraph", 'import wasm from "stepgraph/wasm";\n  await stepgraph.init(wasm);'),
    ...Object.fromEntries(names.flatMap((name) => [[`${name}.html`, html(name)], [`${name}.mjs`, pages[name]]])),
  });
  expected = await output(process.execPath, ["user.mjs"], user.folder);
  await bundle();
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  profile = mkdtempSync(join(tmpdir(), "stepgraph-chromium-"));
  await open(`http://127.0.0.1:${server.address().port}/${names[0]}.html`);
});

after(async () => {
  if (browser?.exitCode === null) {
    const ended = once(browser, "exit");
    // Told, and not killed: it ends its own helpers then, which would otherwise go on writing to the profile that is removed next.
    browser.kill("SIGTERM");
    await ended;
  }
  server?.close();
  server?.closeAllConnections();
  user?.remove();
  if (profile) rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
});

async function bundle() {
  const folder = await npmPackages(`esbuild-${ESBUILD}`, [`esbuild@${ESBUILD}`]);
  const args = ["bundled-app.mjs", "--bundle", "--format=esm", "--minify", "--outdir=out", "--loader:.wasm=file", "--public-path=/out"];
  await output(join(folder, "node_modules/.bin/esbuild"), args, user.folder);
}

async function open(url) {
  // As root, which CI is, Chromium runs only without its sandbox.
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${profile}`];
  browser = spawn(await findChromium(), [...flags, url], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  browser.stderr.on("data", (part) => (said = (said + part).slice(-2000)));
  browser.on("exit", (code) => names.forEach((name) => told[name].resolve(`the browser ended with ${code}: ${said}`)));
}

/** Serves the project's files; hears what a page tells, and answers with the page that is next. */
async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://host");
  if (request.method === "POST") {
    const name = pathname.split("/").at(-1);
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    told[name].resolve(text);
    const next = names[names.indexOf(name) + 1];
    response.end(next ? `${next}.html` : "");
    return;
  }
  try {
    const bytes = readFileSync(join(user.folder, pathname));
    response.writeHead(200, { "content-type": TYPES[extname(pathname)] ?? "text/plain", "content-security-policy": POLICY }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}

test("what was recorded in Node and natively replays to its trace, byte for byte", () => {
  assert.match(expected, /\nnode: the very trace\nnative: the very trace$/);
});

for (const name of names) {
  test(`${name}: the traces are Node's, byte for byte`, { timeout: 120_000 }, async () => assert.equal(await told[name].promise, expected));
}

test("the bundle takes the browser's entry and nothing of Node", () => {
  const text = readFileSync(join(user.folder, "out/bundled-app.js"), "utf8");
  assert.doesNotMatch(text, /["'`]node:/, "it asks for a module of Node's");
  assert.ok(text.length < 120_000, `${text.length} bytes`);
});
