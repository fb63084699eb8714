// The packed package in pages with a content security policy (CSP): what one needs works, and what it lacks is named.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { launchBrowser } from "../e2e/page-fixture.mjs";
import { consumer } from "./consumer.mjs";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const SCRIPTS = "script-src 'self' 'nonce-once'";
const ENTRIES = ["web", "standalone", "editor/web"];
const RUN = `const graph = PlanGraph.load("nodes: {a: {type: log, input: hi}}");
  return (await run(graph)).last;`;

const held = {};
before(async () => {
  held.user = consumer();
  held.browser = await launchBrowser();
});
after(async () => {
  await held.browser?.close();
  held.user?.remove();
});

/** Returns what `body` returns in a page with the policy, or its error. */
async function inPage(policy, entry, body = "") {
  const script = `import * as library from "/dist/${entry}.js";
    const { init, PlanGraph, run } = library;
    globalThis.result = (async () => { await init(); ${body} })().catch(({ name, code, message }) => [name, code, message]);`;
  const html = `<!doctype html><link rel="icon" href="data:,"><script nonce="once" type="module">${script}</script>`;
  const server = createServer(({ url }, response) => {
    if (url === "/") {
      response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy }).end(html);
      return;
    }
    const bytes = readFileSync(join(held.user.folder, "node_modules/stepgraph", url));
    response.writeHead(200, { "content-type": TYPES[extname(url)] }).end(bytes);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const page = await held.browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => "result" in globalThis);
    return await page.evaluate(() => globalThis.result);
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
}

for (const entry of ENTRIES)
  test(`a policy without \`wasm-unsafe-eval\` is an error that names it: ${entry}`, async () => {
    const [name, code, message] = await inPage(SCRIPTS, entry);
    assert.deepEqual([name, code], ["PlanError", "api/blocked-by-policy"]);
    assert.match(message, /\(CSP\) of this page blocks WebAssembly: add `'wasm-unsafe-eval'` to its `script-src`/);
  });

test("a policy without the package's address in `connect-src` is an error that names both", async () => {
  const policy = `${SCRIPTS} 'wasm-unsafe-eval'; connect-src 'none'`;
  const [name, code, message] = await inPage(policy, "web");
  assert.deepEqual([name, code], ["PlanError", "api/not-loaded"]);
  assert.match(message, /\/pkg\/stepgraph_first\.wasm; a content security policy must allow it in `connect-src`/);
});

test("one file needs no `connect-src`", async () => {
  const policy = `default-src 'none'; ${SCRIPTS} 'wasm-unsafe-eval'`;
  assert.equal(await inPage(policy, "standalone", RUN), "hi");
});

test("the library runs where Trusted Types are required", async () => {
  const policy = `${SCRIPTS} 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'`;
  assert.equal(await inPage(policy, "web", RUN), "hi");
});
