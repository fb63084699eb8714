// Tests the gzipped size of everything that the browser requests before the page is usable, and that other files load
// only when needed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { page as folder, deferredPart } from "../../scripts/playground.mjs";
import { stage } from "./page-fixture.mjs";

/** In thousands of bytes. */
const BUDGET = 450;
const DEFERRED = deferredPart();
const PARTS = [
  ["the module", /_bg\.wasm$/],
  ["its glue", /stepgraph-playground\.js$/],
  ["what waits", /_rest-/],
  ["other modules", /\.wasm$/],
  ["scripts", /\.js$/],
  ["styles", /\.css$/],
  ["the document", /\.html$/],
  ["the rest", /./],
];
/** Firefox loads the icon for home screens, for pages of its own. */
const HOME_SCREEN_ICON = "icons/icon-192.png";
const skip = DEFERRED !== "" ? false : "the page was built quickly, not small";

const at = stage();
const compressedSize = (name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);

/** The service worker is blocked, because it fetches everything for offline use. */
async function open() {
  const context = await at.browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  const asked = new Set();
  context.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (`${origin}/` === at.url) asked.add(pathname === "/" ? "index.html" : decodeURIComponent(pathname.slice(1)));
  });
  const page = await context.newPage();
  await page.goto(at.url);
  await page.getByRole("textbox").filter({ hasText: "nodes:" }).waitFor();
  await page.waitForLoadState("networkidle");
  const marks = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("mark")
        .map(({ name }) => name)
        .filter((name) => name.startsWith("deferred part")),
    );
  return { page, asked, marks, close: () => context.close() };
}

test("the page can be used after 450 kB", { skip }, async (context) => {
  const { asked, close } = await open();
  await close();
  const used = [...asked].filter((name) => name !== HOME_SCREEN_ICON);
  const files = used.map((name) => ({
    name,
    size: compressedSize(name),
    part: PARTS.find(([, names]) => names.test(name))[0],
  }));
  const total = files.reduce((sum, { size }) => sum + size, 0);
  for (const [part] of PARTS) {
    const own = files.filter((file) => file.part === part).sort((a, b) => b.size - a.size);
    if (own.length === 0) continue;
    context.diagnostic(
      `${part.padEnd(14)}${kb(own.reduce((sum, { size }) => sum + size, 0))}  ${own.map(({ name, size }) => `${name} ${kb(size).trim()}`).join(", ")}`,
    );
  }
  context.diagnostic(
    `${"together".padEnd(14)}${kb(total)}, gzipped, of ${BUDGET} kB; and when somebody is there ${kb(compressedSize(DEFERRED)).trim()} more`,
  );
  assert.ok(
    total <= BUDGET * 1000,
    `${kb(total)} of ${BUDGET} kB: see "What the page weighs" in tests/bench/README.md`,
  );
});

test("the page loads deferred code only after the first interaction", { skip }, async () => {
  const { page, asked, marks, close } = await open();
  assert.deepEqual(await marks(), [], "opening the page called a lazy function: `lazy!` says which they are");
  assert.ok(!asked.has(DEFERRED));
  const fetched = page.waitForResponse((response) => response.url().endsWith(DEFERRED));
  await page.mouse.move(300, 300);
  assert.equal((await fetched).status(), 200);
  await close();
});

test("the page loads deferred code on demand, even without an interaction", { skip }, async () => {
  const { page, marks, close } = await open();
  const undo = page.getByRole("textbox").filter({ hasText: "nodes:" });
  await undo.evaluate((element) => element.blur());
  await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", ctrlKey: true, bubbles: true })),
  );
  assert.deepEqual(await marks(), ["deferred part, blocking"]);
  await close();
});

test("the page reports a part that fails to load once, and the next key retries", { skip }, async () => {
  const { page, close } = await open();
  const text = page.getByRole("textbox").filter({ hasText: "nodes:" });
  await text.evaluate((element) => element.blur());
  await page.route(`**/${DEFERRED}`, (route) => route.fulfill({ status: 503 }));
  const press = () =>
    page.evaluate(() =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true })),
    );
  await press();
  await press();
  const alert = page.getByRole("alert").filter({ hasText: "could not be loaded" });
  assert.equal(await alert.count(), 1);
  await page.unroute(`**/${DEFERRED}`);
  await press();
  await page.getByRole("dialog").getByRole("combobox").waitFor();
  await close();
});

test("the page loads deferred code from a server that does not know the type of WebAssembly", { skip }, async () => {
  const context = await at.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  await page.route(`**/${DEFERRED}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { "content-type": "application/octet-stream" } });
  });
  await page.goto(at.url);
  await page.getByRole("textbox").filter({ hasText: "nodes:" }).waitFor();
  await page.mouse.move(300, 300);
  await page.waitForFunction(
    () => document.querySelector("#form .empty") === null || document.querySelector("[role=menuitem]"),
  );
  assert.equal(await page.getByRole("alert").count(), 0);
  await context.close();
});
