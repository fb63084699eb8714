// Plans in other pages.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/places.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";
import { onlyText, planText } from "./share.mjs";
import { stage, write } from "./stage.mjs";

const at = stage();

/** Opens a page in which plans stand; `name` is what its frame is called. */
async function around(server, path) {
  const stand = await at.open(new URL(path, server.url).href);
  const frame = (name) => stand.page.frameLocator(`iframe[title="${name}"]`);
  return { ...stand, frame };
}

test("the example shows plans to look at, to edit, and in the page's own words", async () => {
  const server = await serve(folder, { beside: { examples: join(root, "examples") } });
  const { page, frame, shot, close } = await around(server, "examples/embed.html");
  await frame("Triage").getByRole("region", { name: "Drawing" }).waitFor();
  await frame("Triage").getByRole("region", { name: "Drawing" }).getByText("route").first().waitFor();
  const hello = page.frames().find((one) => one.url().includes("run") && !one.url().includes("lang"));
  await frame("Hello").getByRole("button", { name: "Text" }).click();
  await write(hello, "# edited\nnodes:\n  a: {type: log, input: hi}\n");
  await page.getByText("letters now").waitFor();
  const spanish = page.frames().find((one) => one.url().includes("lang=es"));
  await page.locator("stepgraph-plan[lang=es]").scrollIntoViewIfNeeded();
  await planText(spanish, "# Un plan escrito en la página.");
  assert.equal(await spanish.locator("html").getAttribute("data-theme"), "dark");
  await shot("embed");
  await close();
  await server.close();
});

test("a plan in a page is text, a stranger's, and kept nowhere", async () => {
  const place = mkdtempSync(join(tmpdir(), "stepgraph-embed-"));
  const server = await serve(folder, { beside: { other: place } });
  const markup = "<img src=x onerror=window.hacked=1>";
  writeFileSync(join(place, "plan.yaml"), `nodes:\n  ask: {type: llm, input: ${JSON.stringify(markup)}, metadata: {title: ${JSON.stringify(markup)}}}\n`);
  writeFileSync(join(place, "index.html"), `<!doctype html><html lang="en"><title>x</title><script type="module" src="../js/embed.js"></script><main>
    <stepgraph-plan src="plan.yaml" name="one" view="text"></stepgraph-plan><stepgraph-plan src="gone.yaml" name="two"></stepgraph-plan></main></html>`);
  const { page, close } = await at.open(new URL("other/", server.url).href, { allow: ["404"] });
  await page.getByText("The plan could not be loaded").waitFor();
  const inside = () => page.frames().find((one) => one.url().includes("embed"));
  await page.frameLocator("iframe").getByRole("main").waitFor();
  await planText(inside(), "nodes:\n  ask:");
  await onlyText(inside());
  assert.deepEqual(await inside().evaluate(() => indexedDB.databases()), []);
  await page.evaluate(() => { document.querySelector("stepgraph-plan").value = "# another\nnodes:\n  b: {type: log, input: x}\n"; });
  await planText(inside(), "# another");
  await close();
  await server.close();
  rmSync(place, { recursive: true });
});

test("another site may frame the page that is made for it, and no other", async () => {
  const server = await serve(folder);
  const outer = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><html lang="en"><title>x</title><main><iframe title="in" src="${server.url}?embed"></iframe><iframe title="out" src="${server.url}"></iframe></main></html>`);
  }).listen(0, "127.0.0.1");
  await once(outer, "listening");
  const { page, close } = await at.open(`http://127.0.0.1:${outer.address().port}/`, { allow: ["frame-ancestors", "Failed to load resource"] });
  await page.frameLocator('iframe[title="in"]').getByRole("main").waitFor();
  assert.equal(await page.frameLocator('iframe[title="out"]').getByRole("main").count(), 0);
  await close();
  outer.closeAllConnections();
  outer.close();
  await server.close();
});
