// Tests plans embedded in other pages.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";
import { drawingsUntil, noteDrawings, onlyText, planText } from "./share.mjs";
import { pane, stage, replacePlanText } from "./page-fixture.mjs";

const at = stage();

/** Also closes after a failure, or the file would never end. */
async function serveDuring(t, options) {
  const server = await serve(folder, options);
  t.after(() => server.close());
  return server;
}

function folderDuring(t) {
  const place = mkdtempSync(join(tmpdir(), "stepgraph-embed-"));
  t.after(() => rmSync(place, { recursive: true }));
  return place;
}

async function openHostPage(server, path, options) {
  const stand = await at.open(new URL(path, server.url).href, options);
  const frame = (name) => stand.page.frameLocator(`iframe[title="${name}"]`);
  return Object.defineProperty({ ...stand, frame }, "context", { get: () => stand.context });
}

test("the example shows plans to look at, to edit, and in the page's own words", async (t) => {
  const server = await serveDuring(t, { beside: { examples: join(root, "examples") } });
  const { page, frame, shot, close } = await openHostPage(server, "examples/embed.html");
  await frame("Triage").getByRole("region", { name: "Canvas" }).waitFor();
  await frame("Triage").getByRole("region", { name: "Canvas" }).getByText("route").first().waitFor();
  const hello = page.frames().find((one) => one.url().includes("run") && !one.url().includes("lang"));
  await frame("Hello").getByRole("button", { name: "Text" }).click();
  await replacePlanText(hello, "# edited\nnodes:\n  a: {type: log, input: hi}\n");
  await page.getByText("letters now").waitFor();
  const spanish = page.frames().find((one) => one.url().includes("lang=es"));
  await page.locator("stepgraph-plan[lang=es]").scrollIntoViewIfNeeded();
  await planText(spanish, "# Un plan escrito en la página.");
  assert.equal(await spanish.locator("html").getAttribute("data-theme"), "dark");
  await shot("embed");
  await close();
});

test("readers of a page see no other plan before that of the page", async (t) => {
  const server = await serveDuring(t, { beside: { examples: join(root, "examples") } });
  const { page, close } = await openHostPage(server, "examples/embed.html", { prepare: noteDrawings });
  await page
    .frameLocator('iframe[title="Hello"]')
    .getByRole("button", { name: /^greet/ })
    .waitFor();
  const hello = page.frames().find((one) => one.url().includes("run") && !one.url().includes("lang"));
  const nodes = Number(await hello.locator(".canvas").getAttribute("data-nodes"));
  assert.deepEqual(await drawingsUntil(hello, nodes), [nodes]);
  await close();
});

test("readers run an embedded plan and may copy it; a static plan can't be changed or run", async (t) => {
  const server = await serveDuring(t, { beside: { examples: join(root, "examples") } });
  const { page, context, frame, shot, close } = await openHostPage(server, "examples/embed.html");
  const hello = frame("Hello");
  // A plan without requests asks the reader nothing.
  await hello.getByRole("button", { name: "Run", exact: true }).click();
  await hello.getByText("run completed in").first().waitFor({ state: "attached" });
  await shot("embed-run");
  const [whole] = await Promise.all([
    context.waitForEvent("page"),
    hello.getByRole("button", { name: "Open in Stepgraph" }).click(),
  ]);
  await planText(whole, readFileSync(join(root, "examples", "hello.yaml"), "utf8"));
  await whole.close();

  const triage = frame("Triage");
  await triage
    .getByRole("button", { name: /^route/ })
    .first()
    .scrollIntoViewIfNeeded();
  assert.equal(await triage.getByRole("button", { name: "Run", exact: true }).count(), 0);
  await triage
    .getByRole("button", { name: /^route/ })
    .first()
    .click();
  await page.keyboard.press("Delete");
  for (const key of ["n", "c", "m", "F2"]) await page.keyboard.press(key);
  await triage.getByRole("status").filter({ hasText: "this plan is read-only" }).first().waitFor({ state: "attached" });
  assert.equal(await triage.getByRole("dialog").count(), 0);
  await triage.getByRole("button", { name: "Text" }).click();
  const field = pane(triage);
  await field.focus();
  await page.keyboard.type("x");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  assert.equal(
    await page
      .locator("stepgraph-plan")
      .first()
      .evaluate((element) => element.value),
    readFileSync(join(root, "examples", "triage.yaml"), "utf8"),
  );
  assert.ok((await field.textContent()).startsWith("# Sorting a support request"));
  await close();
});

test("an embedded plan runs at the first click, with its first test's input and stubs", async (t) => {
  const plan = (total) => ({
    inputs: { order: { type: "string" } },
    // The demo has a tool of this name, with other arguments.
    nodes: { look_up: { type: "tool", tool: "get_order", input: { id: "${input.order}" } } },
    tests: [
      { name: "one", input: { order: "17" }, stubs: { tools: { get_order: { return: { total } } } }, expect: {} },
    ],
  });
  const folderOfSite = folderDuring(t);
  const yaml = `nodes:\n  look_up: {type: tool, tool: get_order, input: {id: "\${input.order}"}}\n${JSON.stringify({ tests: plan(12).tests }).slice(1, -1)}\n`;
  writeFileSync(join(folderOfSite, "a.yaml"), yaml.replace('"tests":', "tests: "));
  writeFileSync(join(folderOfSite, "b.json"), JSON.stringify(plan(34), null, 2));
  const element = (src, name) => `<stepgraph-plan src="${src}" name="${name}" run></stepgraph-plan>`;
  const script = '<script type="module" src="../js/embed.js"></script>';
  writeFileSync(
    join(folderOfSite, "index.html"),
    `<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,">${script}<main>${element("a.yaml", "A")}${element("b.json", "B")}</main></html>`,
  );
  const server = await serveDuring(t, { beside: { site: folderOfSite } });
  const { frame, close } = await openHostPage(server, "site/index.html");
  for (const [name, total] of [
    ["A", 12],
    ["B", 34],
  ]) {
    await frame(name).getByRole("button", { name: "Run", exact: true }).click();
    await frame(name).getByRole("button", { name: "Allow", exact: true }).click();
    await frame(name).getByText("run completed in").first().waitFor({ state: "attached" });
    await frame(name).getByText(`total: ${total}`).first().waitFor({ state: "attached" });
  }
  await close();
});

test("the host page receives edits and errors, and sets how a plan is shown", async (t) => {
  const place = folderDuring(t);
  const server = await serveDuring(t, { beside: { other: place } });
  writeFileSync(join(place, "plan.yaml"), "# here\nnodes:\n  a: {type: log, input: hi}\n");
  writeFileSync(
    join(place, "told.js"),
    `window.told = [];
    for (const name of ["change", "stepgraph-error"]) addEventListener(name, ({ target, detail }) => window.told.push([name, target.value, detail?.reason ?? ""]), true);`,
  );
  writeFileSync(
    join(place, "index.html"),
    `<!doctype html><html lang="en"><title>x</title><script src="told.js"></script><script type="module" src="../js/embed.js"></script><main>
    <stepgraph-plan src="plan.yaml" name="one" view="text" theme="dark" lang="es" height="300"></stepgraph-plan></main></html>`,
  );
  const { page, frame, close } = await openHostPage(server, "other/", { allow: ["404"] });
  const element = page.locator("stepgraph-plan");
  const one = frame("one");
  await pane(one).waitFor();
  assert.deepEqual(
    [await one.locator("html").getAttribute("data-theme"), await one.locator("html").getAttribute("lang")],
    ["dark", "es"],
  );
  assert.equal((await element.boundingBox()).height, 300);
  const inside = page.frames().find((one) => one.url().includes("embed"));
  await planText(inside, "# here");
  await replacePlanText(inside, "# there\nnodes:\n  b: {type: log, input: ho}\n");
  await page.waitForFunction(() => window.told.some(([name, text]) => name === "change" && text.startsWith("# there")));
  await element.evaluate((element) => element.setAttribute("src", "gone.yaml"));
  await page.waitForFunction(() =>
    window.told.some(([name, , reason]) => name === "stepgraph-error" && reason.includes("404")),
  );
  await page.getByRole("alert").filter({ hasText: "The plan could not be loaded" }).waitFor();
  await element.evaluate((element) => {
    element.value = "# again\nnodes:\n  c: {type: log, input: x}\n";
  });
  await pane(one).getByText("# again").waitFor();
  await close();
});

test("an embedded plan is untrusted text and is never stored", async (t) => {
  const place = folderDuring(t);
  const server = await serveDuring(t, { beside: { other: place } });
  const markup = "<img src=x onerror=window.hacked=1>";
  writeFileSync(
    join(place, "plan.yaml"),
    `nodes:\n  ask: {type: llm, input: ${JSON.stringify(markup)}, metadata: {title: ${JSON.stringify(markup)}}}\n`,
  );
  writeFileSync(
    join(place, "index.html"),
    `<!doctype html><html lang="en"><title>x</title><script type="module" src="../js/embed.js"></script><main>
    <stepgraph-plan src="plan.yaml" name="one" view="text" run></stepgraph-plan><stepgraph-plan src="gone.yaml" name="two"></stepgraph-plan></main></html>`,
  );
  const { page, close } = await at.open(new URL("other/", server.url).href, { allow: ["404"] });
  await page.getByText("The plan could not be loaded").waitFor();
  const embeddedFrame = () => page.frames().find((one) => one.url().includes("embed"));
  await page.frameLocator("iframe").getByRole("main").waitFor();
  await planText(embeddedFrame(), "nodes:\n  ask:");
  await onlyText(embeddedFrame());
  const asks = embeddedFrame().getByRole("dialog", { name: "Allow this plan to run?" });
  for (const answer of ["Not now", "Allow"]) {
    await embeddedFrame().getByRole("button", { name: "Run", exact: true }).click();
    assert.equal(await embeddedFrame().getByText("run failed").count(), 0);
    await asks.getByRole("button", { name: answer }).click();
    await asks.waitFor({ state: "hidden" });
  }
  await embeddedFrame()
    .getByText(/^run (failed|completed)/)
    .first()
    .waitFor({ state: "attached" });
  await onlyText(embeddedFrame());
  assert.deepEqual(await embeddedFrame().evaluate(() => indexedDB.databases()), []);
  await page.evaluate(() => {
    document.querySelector("stepgraph-plan").value = "# another\nnodes:\n  b: {type: log, input: x}\n";
  });
  await planText(embeddedFrame(), "# another");
  await close();
});

test("another site may frame only the page for embedding", async (t) => {
  const server = await serveDuring(t);
  const outer = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><html lang="en"><title>x</title><main><iframe title="in" src="${server.url}?embed"></iframe><iframe title="out" src="${server.url}"></iframe></main></html>`,
    );
  }).listen(0, "127.0.0.1");
  t.after(() => {
    outer.closeAllConnections();
    outer.close();
  });
  await once(outer, "listening");
  const { page, close } = await at.open(`http://127.0.0.1:${outer.address().port}/`, {
    allow: ["frame-ancestors", "Failed to load resource"],
  });
  await page.frameLocator('iframe[title="in"]').getByRole("main").waitFor();
  assert.equal(await page.frameLocator('iframe[title="out"]').getByRole("main").count(), 0);
  await close();
});

test("the wheel over an embedded plan scrolls the page around it, until the reader uses the plan", async (t) => {
  const server = await serveDuring(t, { beside: { examples: join(root, "examples") } });
  const { page, frame, close } = await openHostPage(server, "examples/embed.html", {
    viewport: { width: 900, height: 500 },
  });
  const canvas = frame("Triage").locator(".canvas");
  await frame("Triage")
    .getByRole("button", { name: /^route/ })
    .waitFor();
  const area = await page.locator('iframe[title="Triage"]').boundingBox();
  await page.mouse.move(area.x + area.width / 2, Math.min(area.y + 80, 480));
  await page.mouse.wheel(0, 120);
  await page.waitForFunction(() => window.scrollY > 0);
  await canvas.focus();
  const before = await frame("Triage").locator(".canvas .layer").getAttribute("style");
  const inside = await page.locator('iframe[title="Triage"]').boundingBox();
  await page.mouse.move(inside.x + inside.width / 2, Math.max(inside.y, 0) + 60);
  await page.mouse.wheel(0, 40);
  const layer = frame("Triage").locator(`.canvas .layer:not([style="${before}"])`);
  await layer.waitFor({ state: "attached" });
  await close();
});
