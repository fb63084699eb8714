// Tests the page without a network, installed, and with an update.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeWorker } from "../../scripts/lib/offline.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";
import { planText, saved, openShareDialog } from "./share.mjs";
import { downloadFrom, stage, replacePlanText } from "./page-fixture.mjs";

const at = stage();
const PLAN = "# kept\nnodes:\n  a: {type: log, input: one}\n";

const ready = (page) => page.evaluate(() => navigator.serviceWorker.ready.then(() => true));

test("the page opens and works without a network after its first visit", async () => {
  const { page, context, close } = await at.open("", { serviceWorkers: "allow" });
  await replacePlanText(page, PLAN);
  await saved(page);
  await ready(page);
  await context.setOffline(true);
  await page.reload();
  await planText(page, PLAN);
  const out = await openShareDialog(page);
  const { name } = await downloadFrom(page, () => out.getByRole("button", { name: "Download Mermaid" }).click());
  assert.match(name, /\.mmd$/);
  const embedded = await context.newPage();
  await embedded.goto(`${at.url}?embed`);
  await embedded.getByRole("main").waitFor();
  await close();
});

test("the page works without the script of its service worker", async () => {
  const prepare = (context) => context.route("**/js/offline-*.js", (route) => route.abort());
  const { page, close } = await at.open("", { prepare, allow: ["Failed to load resource"] });
  await replacePlanText(page, PLAN);
  await saved(page);
  await close();
});

test("the page can be installed", async () => {
  const { page, close } = await at.open();
  const address = await page.locator('link[rel="manifest"]').evaluate((link) => link.href);
  const manifest = await (await page.request.get(address)).json();
  assert.deepEqual([manifest.display, manifest.start_url], ["standalone", "./"]);
  for (const { src, sizes, type: kind } of manifest.icons) {
    const response = await page.request.get(new URL(src, address).href);
    assert.equal(response.headers()["content-type"], kind, src);
    const bytes = await response.body();
    if (kind === "image/png") assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
  }
  await close();
});

test("a new version waits, shows a notice and takes over on request", async (t) => {
  const copy = mkdtempSync(join(tmpdir(), "stepgraph-page-"));
  t.after(() => rmSync(copy, { recursive: true }));
  cpSync(folder, copy, { recursive: true });
  await writeWorker(copy);
  const server = await serve(copy);
  t.after(() => server.close());
  const { page, close } = await at.open(server.url, { serviceWorkers: "allow" });
  await ready(page);
  await page.reload();
  await page.getByRole("main").waitFor();
  const index = join(copy, "index.html");
  writeFileSync(index, readFileSync(index, "utf8").replace("<body", '<body data-newer="yes"'));
  await writeWorker(copy);
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then((registration) => registration.update()));
  await page.getByText("A new version of this page is available").waitFor();
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Reload" }).click()]);
  await page.getByRole("main").waitFor();
  assert.equal(await page.locator("body").getAttribute("data-newer"), "yes");
  await close();
});
