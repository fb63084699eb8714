// Tests the documentation site in a browser, served as a static host serves it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { buildDocs, site } from "../../scripts/docs.mjs";
import { violations } from "./axe.mjs";
import { browserName, stage } from "./page-fixture.mjs";

/** The limit before a click, gzipped. */
const MOST_KB = 100;
const KINDS = {
  home: "/",
  start: "/start",
  tutorial: "/tutorial/4-approval",
  guide: "/cost",
  reference: "/expressions",
  "list of commands": "/cli",
  command: "/cli/run",
  "library reference": "/api/stepgraph-interfaces-1",
  concept: "/concepts/coming-from",
  comparison: "/compare",
};

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const loads = [];

/** Static hosts serve `/start` from `start.html`. */
function fileAt(pathname) {
  const path = join(site, decodeURIComponent(pathname));
  return [path, `${path}.html`, join(path, "index.html")].find((file) => existsSync(file) && statSync(file).isFile());
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://host");
  const file = fileAt(pathname);
  if (!file) return response.writeHead(404).end();
  const body = gzipSync(readFileSync(file));
  loads.push({ pathname, bytes: body.length });
  const headers = { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-encoding": "gzip" };
  response.writeHead(200, headers).end(body);
});
const { open } = stage();
let origin;
before(async () => {
  await buildDocs();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function visit(path, options = {}) {
  const opened = await open(origin + path, options);
  // Vue has mounted the page.
  await opened.page.waitForFunction(() => document.querySelector("#app").__vue_app__ !== undefined);
  // In Firefox, Playwright does not report it for most of these pages.
  if (browserName === "chromium") await opened.page.waitForLoadState("networkidle");
  return opened;
}

const pages = () =>
  readdirSync(site, { recursive: true })
    .filter((name) => name.endsWith(".html") && !/^(app|source|404)/.test(name))
    .map((name) => [`/${name}`, readFileSync(join(site, name), "utf8")]);

test("every link leads to a page, a file or a heading", () => {
  const all = pages();
  const ids = new Map(
    all.map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead = [];
  for (const [name, html] of all)
    for (const [, href] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^(https?|mailto):/.test(href)) continue;
      const { pathname, hash } = new URL(href.replaceAll("&amp;", "&"), `http://host${name}`);
      const file = fileAt(pathname);
      const known = ids.get(file?.slice(site.length));
      const isThere =
        file !== undefined && (hash === "" || known === undefined || known.has(decodeURIComponent(hash.slice(1))));
      if (!isThere) dead.push(`${name} → ${href}`);
    }
  assert.deepEqual(dead, []);
});

test("each page has a Markdown twin, and `llms.txt` lists it", () => {
  const listed = readFileSync(join(site, "llms.txt"), "utf8");
  const whole = readFileSync(join(site, "llms-full.txt"), "utf8");
  for (const [name] of pages()) {
    const twin = name.replace(/html$/, "md");
    const text = readFileSync(join(site, twin), "utf8");
    if (name === "/index.html") continue;
    assert.ok(listed.includes(`](${twin})`), twin);
    assert.ok(whole.includes(text), twin);
  }
});

test("`llms.txt` lists the names on the pages of the library's reference", () => {
  const lines = readFileSync(join(site, "llms.txt"), "utf8").match(/^- \[stepgraph.*$/gm);
  assert.ok(lines.length > 10);
  for (const line of lines) assert.match(line, /\.md\): \w+(, \w+)*$/);
});

test("the site leaves out pages for contributors", () => {
  for (const page of ["compliance", "requirements"]) assert.ok(!existsSync(join(site, `${page}.html`)), page);
});

test("the home page shows a plan, and blocks of Mermaid are drawn", async () => {
  for (const [path, node] of [
    ["/", "coat"],
    ["/authoring", "parameter_mapping"],
  ]) {
    const { page, close } = await visit(path, { viewport: { width: 390, height: 844 } });
    const drawing = page.locator("svg.flow");
    await drawing.getByText(node, { exact: true }).waitFor();
    const { x, width } = await drawing.boundingBox();
    assert.ok(x >= 0 && (path !== "/" || x + width <= 390), `${path}: ${x} ${width}`);
    assert.doesNotMatch(await page.locator("#VPContent").innerText(), /flowchart LR/);
    await close();
  }
});

for (const [kind, path] of Object.entries(KINDS))
  test(`a ${kind} page loads little, and axe finds nothing`, async () => {
    for (const theme of ["light", "dark"]) {
      loads.length = 0;
      const { page, close } = await visit(path, { theme });
      const kb = loads.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
      assert.ok(kb <= MOST_KB, `${kb} kB: ${JSON.stringify(loads)}`);
      assert.deepEqual(await violations(page), []);
      await close();
    }
  });

test("every page is small enough, with the scripts and styles that it names", () => {
  const sizes = new Map();
  const sizeOf = (file) => {
    if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(file)).length);
    return sizes.get(file);
  };
  const large = [];
  for (const [name, html] of pages()) {
    const named = new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path));
    const kb = [name, ...named].reduce((sum, path) => sum + sizeOf(join(site, path)), 0) / 1000;
    if (kb > MOST_KB) large.push(`${name}: ${kb} kB`);
  }
  assert.deepEqual(large, []);
});

test("a page has no sideways scroll on a phone", async () => {
  const { page, close } = await visit("/concepts/coming-from", { viewport: { width: 390, height: 844 } });
  // Firefox's scroll bar takes space.
  const [inner, outer] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  assert.equal(inner, outer);
  await close();
});

test("a program runs in the page, and a plan opens in the playground", async () => {
  const { page, close } = await visit("/start");
  await page.getByRole("button", { name: "Run this code" }).click();
  await page.getByText("a warm coat ask → coat", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Open this plan" }).click();
  const plan = page.locator("stepgraph-plan iframe").contentFrame();
  await plan.locator(".canvas").waitFor();
  await close();
});

for (const [words, title] of [
  ["upgrade paused", /Upgrade paused runs/],
  ["csp", /Content security policy \(CSP\)/],
])
  test(`the search finds "${words}" without a network`, async () => {
    const { page, close } = await visit("/start");
    await page
      .getByRole("button", { name: /Search/ })
      .first()
      .click();
    await page.getByRole("searchbox").fill(words);
    await page.getByRole("option").first().waitFor();
    assert.match(await page.getByRole("option").first().innerText(), title);
    await close();
  });

test("the sidebar shows the current page, also after a click", async () => {
  const { page, close } = await visit("/cli/run", { viewport: { width: 1280, height: 800 } });
  const isVisible = async (name) => {
    const { y, height } = await page.locator(".VPSidebar").getByRole("link", { name, exact: true }).boundingBox();
    return y >= 0 && y + height <= 800;
  };
  assert.ok(await isVisible("run"));
  await page.locator("main").getByRole("link", { name: "security" }).last().click();
  await page.getByRole("heading", { name: /^Security/, level: 1 }).waitFor();
  assert.ok(await isVisible("Security"));
  await close();
});
