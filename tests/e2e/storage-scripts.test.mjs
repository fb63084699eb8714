// Tests the scripts that store and share plans in a real browser, without the page.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { writeWorker } from "../../scripts/lib/offline.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { serve } from "../../scripts/serve.mjs";
import { downloadFrom, launchBrowser } from "./page-fixture.mjs";

const pages = {};

const PAGE = `
import * as bridge from "./js/bridge.js";
Object.assign(window, { told: [], text: "start" });
window.ask = (verb, ...args) => new Promise((done) => bridge.runStorageCommand(verb, args, (answer) => done(JSON.parse(answer))));
window.type = (text) => { window.text = text; bridge.storedPlanChanged(); };
const read = () => JSON.stringify({ name: "n", text: window.text, extras: "{}" });
window.begun = new Promise((done) => bridge.startStorage(read, (told) => window.told.push(JSON.parse(told)), true, (answer) => done(JSON.parse(answer).ok)));
`;

before(async () => {
  pages.folder = mkdtempSync(join(tmpdir(), "stepgraph-keep-"));
  mkdirSync(join(pages.folder, "js"));
  await build({
    entryPoints: { bridge: join(root, "playground", "js", "share", "bridge.ts") },
    outdir: join(pages.folder, "js"),
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
    alias: {
      "stepgraph/editor/web": join(root, "dist", "editor", "web.js"),
      "stepgraph/web": join(root, "dist", "web.js"),
    },
  });
  for (const name of ["stepgraph_wasm_bg.wasm", "stepgraph_editor_bg.wasm"])
    copyFileSync(join(root, "pkg", name), join(pages.folder, "js", name));
  writeFileSync(join(pages.folder, "page.js"), PAGE);
  writeFileSync(
    join(pages.folder, "index.html"),
    '<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>',
  );
  await writeWorker(pages.folder);
  pages.server = await serve(pages.folder);
  pages.browser = await launchBrowser();
});

after(async () => {
  await pages.browser?.close();
  await pages.server?.close();
  rmSync(pages.folder, { recursive: true });
});

async function browser() {
  const context = await pages.browser.newContext();
  const complaints = [];
  const tab = async (hash = "") => {
    const page = await context.newPage();
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    await page.goto(`${pages.server.url}${hash}`);
    return { page, begun: await page.evaluate(() => window.begun) };
  };
  const close = async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  };
  return { context, tab, close };
}

const requestStorage = (page, ...args) => page.evaluate((args) => window.ask(...args), args);
const write = (page, text) => page.evaluate((text) => window.type(text), text);
const told = (page, type) => page.waitForFunction((type) => window.told.some((told) => told.type === type), type);

test("typed text is saved in the browser's database, even if the page closes at once", async () => {
  const { context, tab, close } = await browser();
  const { page, begun } = await tab();
  assert.deepEqual([begun.opened, begun.lasting], [null, true]);
  await write(page, "one");
  await told(page, "saved");
  await write(page, "two");
  await page.reload();
  const again = await page.evaluate(() => window.begun);
  assert.deepEqual([again.opened.content.text, again.opened.owned], ["two", true]);
  await write(page, "three");
  await page.close();
  const next = await tab();
  assert.equal(next.begun.opened.content.text, "three");
  assert.deepEqual(await next.page.evaluate(() => Object.keys(localStorage)), []);
  assert.equal(context.pages().length, 1);
  await close();
});

test("one of two tabs edits, and the other follows and can take over", async () => {
  const { tab, close } = await browser();
  const one = await tab();
  await write(one.page, "one");
  await told(one.page, "saved");
  const two = await tab();
  assert.deepEqual([two.begun.opened.owned, two.begun.opened.content.text], [false, "one"]);
  await write(one.page, "not saved yet");
  const { ok } = await requestStorage(two.page, "take");
  assert.deepEqual([ok.owned, ok.content.text], [true, "not saved yet"]);
  await told(one.page, "lost");
  await write(two.page, "of two");
  await told(one.page, "follow");
  await two.page.close();
  assert.equal((await requestStorage(one.page, "take")).ok.content.text, "of two");
  await close();
});

test("restore points, the list and links", async () => {
  const { tab, close } = await browser();
  const { page } = await tab();
  await write(page, "nodes: {a: {type: log, input: hi}}");
  await requestStorage(page, "mark", "named", "mine");
  const [point] = (await requestStorage(page, "points")).ok;
  assert.equal((await requestStorage(page, "point", point.id)).ok.text, "nodes: {a: {type: log, input: hi}}");
  const { ok: made } = await requestStorage(page, "link", "nodes: {a: {type: log, input: hi}}", "linked", "{}");
  const { hash } = new URL(made.url);
  assert.equal((await requestStorage(page, "openLink", `${hash.slice(0, -3)}`)).code, "link/cut");
  const other = await tab(hash);
  assert.deepEqual(
    [other.begun.opened.row.from, other.begun.opened.row.name, await other.page.evaluate(() => location.hash)],
    ["link", "linked", ""],
  );
  const { rows } = (await requestStorage(page, "plans")).ok;
  assert.deepEqual(rows.map(({ name }) => name).sort(), ["linked", "n"]);
  await requestStorage(page, "remove", rows[0].id);
  await requestStorage(page, "erase", rows[0].id);
  assert.equal((await requestStorage(page, "plans")).ok.rows.length, 1);
  await close();
});

test("a full disk is reported, and stored plans stay", async () => {
  const { tab, close } = await browser();
  const { page } = await tab();
  await write(page, "one");
  await told(page, "saved");
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("no room", "QuotaExceededError");
    };
  });
  await write(page, "two");
  await page.waitForFunction(() => window.told.some(({ code }) => code === "storage/full"));
  assert.equal((await requestStorage(page, "new", "other", "text", "{}", "own")).code, "storage/full");
  await page.reload();
  assert.equal(
    (await page.evaluate(() => window.begun)).opened.content.text,
    "two",
    "the draft of the page that was left",
  );
  await close();
});

test("without a network the page opens, exports, imports and compares", async () => {
  const { context, tab, close } = await browser();
  const { page } = await tab();
  await write(page, "kept");
  await told(page, "saved");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await context.setOffline(true);
  await page.reload();
  assert.equal((await page.evaluate(() => window.begun)).opened.content.text, "kept");
  const { name, bytes } = await downloadFrom(page, () =>
    requestStorage(page, "save", "yaml", '{"nodes": {"a": {"type": "log", "input": "x"}}}', "my: plan"),
  );
  assert.deepEqual([name, bytes.toString()], ["my plan.yaml", "nodes:\n  a: {type: log, input: x}\n"]);
  const { ok: taken } = await requestStorage(page, "taken", "```mermaid\nflowchart TD\n  A --> B\n```");
  assert.deepEqual([taken.from, taken.text.includes("nodes:")], ["mermaid", true]);
  const { ok } = await requestStorage(
    page,
    "compare",
    "nodes: {a: {type: log, input: hi}}",
    "nodes: {a: {type: log, input: ho}}",
  );
  assert.deepEqual([ok.lines.map(({ kind }) => kind), ok.changes.length], [["old", "new"], 1]);
  await close();
});
