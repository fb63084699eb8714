// Tests that a phone cuts no text in the header, the tabs, the bar of a run and notices, in both languages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { needsChromium, reads, replacePlanText, stage } from "./page-fixture.mjs";

const { open } = stage();
const PANES = ["text", "outline", "canvas", "form", "result"];
const PLAN = `id: answer-customer-questions-by-mail
nodes:
  read: {type: log, input: hi}
  send: {type: tool, tool: send_fax, input: {number: "1", text: hi}}
edges:
  - {from: read, to: send}
`;

function cutTexts() {
  const parts = [".bar", ".panel > .tabs", ".run-status", ".run-link", ".notice", ".stale", ".switch"];
  const texts = [...document.querySelectorAll(parts.map((part) => `${part} *`).join())].filter((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    return own && element.checkVisibility() && getComputedStyle(element).clipPath === "none";
  });
  const range = document.createRange();
  const isCut = (element) => {
    range.selectNodeContents(element);
    const text = range.getBoundingClientRect();
    if (text.left < -0.5 || text.right > innerWidth + 0.5) return true;
    const box = element.closest("[role=tablist], button, p, span, nav")?.getBoundingClientRect() ?? text;
    return text.right > box.right + 1 || text.bottom > box.bottom + 1;
  };
  return texts.filter(isCut).map((element) => element.textContent);
}

for (const lang of ["en-GB", "es-ES"])
  test(`no text is cut at 390, ${lang}`, async () => {
    const { page, shot, close } = await open("", { viewport: { width: 390, height: 844 }, lang });
    const show = (pane) => page.locator(".switch button").nth(PANES.indexOf(pane)).click();
    const check = async (state) => assert.deepEqual(await page.evaluate(cutTexts), [], state);
    await check("the first visit");
    await show("text");
    await replacePlanText(page, PLAN);
    await page.locator(".share-name", { hasText: "answer-customer-questions-by-mail" }).waitFor();
    await check("a long name");
    await show("canvas");
    await page.locator(".runner .start").click();
    await page.locator('.run-link[data-fate="failed"]').waitFor();
    await shot(`narrow-failed-${lang}`);
    for (const pane of PANES) {
      await show(pane);
      await check(pane);
    }
    await show("text");
    await replacePlanText(page, "- a\n");
    await show("canvas");
    await page.locator(".stale").waitFor();
    await check("a text that is no map");
    await close();
  });

test("on a phone, the header says how a run stands, and the graph stays where it is", async () => {
  for (const theme of ["light", "dark"]) {
    const { page, shot, close } = await open("", { viewport: { width: 390, height: 844 }, theme });
    const tabs = page.getByRole("navigation", { name: "Panes" }).last();
    await tabs.getByRole("button", { name: "Text" }).click();
    await replacePlanText(page, "nodes:\n  a: {type: log, input: 1}\n  b: {type: log}\nedges:\n  - {from: a, to: b}\n");
    await tabs.getByRole("button", { name: "Canvas" }).click();
    const card = page.locator(".canvas .card", { has: page.locator(".title", { hasText: /^b$/ }) });
    const canvas = page.locator(".canvas");
    await card.waitFor();
    const before = [await canvas.boundingBox(), await card.boundingBox()];
    await page.locator(".runner .start").click();
    const link = page.getByRole("button", { name: /Run completed in/ });
    await link.waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual([await canvas.boundingBox(), await card.boundingBox()], before);
    await shot(`narrow-completed-${theme}`);
    await link.click();
    await page.locator(".run .outcome").waitFor();
    await link.waitFor({ state: "hidden" });
    await close();
  }
});

test("on a phone, a tap on a node shows its commands, the menu has two columns, and the filters open", async () => {
  for (const [lang, actions, rename, filters] of [
    ["en-GB", "Selection", "Rename", "Filters"],
    ["es-ES", "Selección", "Cambiar nombre", "Filtros"],
  ]) {
    const { page, shot, close } = await open("", { viewport: { width: 390, height: 844 }, lang });
    const bar = page.getByRole("toolbar", { name: actions });
    assert.equal(await bar.count(), 0);
    await page.locator(".canvas .node .card").nth(1).click();
    await bar.waitFor();
    const frame = await page.locator(".canvas").boundingBox();
    for (const button of await bar.getByRole("button").all()) {
      const box = await button.boundingBox();
      assert.ok(box.x >= frame.x && box.x + box.width <= frame.x + frame.width, "nothing is cut");
    }
    await shot(`narrow-node-${lang}`);
    await bar.getByRole("button", { name: rename }).click();
    await page.locator(".canvas .rename input").waitFor();
    await page.keyboard.press("Escape");
    await page.locator('[popovertarget="main-menu"]').click();
    const items = page.locator("#main-menu [role=group]").first().locator("[role^=menuitem]");
    const [one, other] = [await items.nth(0).boundingBox(), await items.nth(1).boundingBox()];
    assert.ok(Math.abs(one.y - other.y) <= 1 && other.x > one.x, "two columns");
    await shot(`narrow-menu-${lang}`);
    await items.nth(1).click();
    const gallery = page.locator(".dialog.gallery");
    await gallery.getByText(filters, { exact: true }).click();
    await gallery.locator("[data-choice]").last().waitFor();
    await shot(`narrow-filters-${lang}`);
    await close();
  }
});

test("on a phone, two taps connect nodes", { skip: needsChromium }, async () => {
  for (const [lang, connect, hint, cancel, remove] of [
    ["en-GB", "Connect to…", "Tap the target node.", "Cancel", "Delete"],
    ["es-ES", "Conectar con…", "Toque el nodo de destino.", "Cancelar", "Eliminar"],
  ]) {
    const { page, shot, close } = await open("", { viewport: { width: 390, height: 844 }, lang, hasTouch: true });
    const show = (pane) => page.locator(".switch button").nth(PANES.indexOf(pane)).click();
    await show("text");
    await replacePlanText(page, "nodes:\n  a: {type: noop}\n  b: {type: noop}\n  c: {type: noop}\n");
    await show("canvas");
    const node = (key) => page.locator(".canvas .card .title", { hasText: new RegExp(`^${key}$`) });
    const bar = page.locator(".touch-actions");
    await node("c").tap();
    await bar.getByRole("button", { name: connect }).tap();
    await bar.getByText(hint).waitFor();
    await shot(`narrow-connecting-${lang}`);
    await bar.getByRole("button", { name: cancel }).tap();
    await bar.getByRole("button", { name: connect }).tap();
    await node("a").tap();
    await bar.getByText(hint).waitFor({ state: "hidden" });
    // No preview stays behind.
    await page.locator(".canvas.leading").waitFor({ state: "detached" });
    await show("text");
    await reads(page, /edges:\n {2}- \{from: c, to: a\}\n?$/);
    await show("canvas");
    // The canvas fits its drawing again when it is back.
    await page.locator(".canvas .controls").getByText("100 %").waitFor();
    const card = (key) => page.locator(".canvas .card", { hasText: new RegExp(`^${key}`) }).boundingBox();
    const [from, to] = [await card("c"), await card("a")];
    const middle = (at, size) => (from[at] + from[size] / 2 + to[at] + to[size] / 2) / 2;
    await page.touchscreen.tap(middle("x", "width"), middle("y", "height"));
    await shot(`narrow-edge-${lang}`);
    await bar.getByRole("button", { name: remove }).tap();
    await show("text");
    await reads(page, /c: \{type: noop\}\n(edges: \[\]\n)?$/);
    await close();
  }
});

const MANY_INPUTS = `id: many
inputs:
${Array.from({ length: 9 }, (_, at) => `  value_${at}: {type: string, default: x}\n`).join("")}nodes:
  send: {type: tool, tool: send_fax, input: {number: "1", text: hi}}
`;

test("on a phone, a tap on a failed run shows its reason as text", async () => {
  for (const theme of ["light", "dark"]) {
    const { page, shot, close } = await open("", { viewport: { width: 390, height: 844 }, theme });
    await page.locator(".switch button").nth(PANES.indexOf("text")).click();
    await replacePlanText(page, MANY_INPUTS);
    await page.locator(".switch button").nth(PANES.indexOf("canvas")).click();
    await page.locator(".runner .start").click();
    const link = page.locator('.run-link[data-fate="failed"]');
    await link.waitFor();
    await shot(`narrow-failed-link-${theme}`);
    await link.click();
    const reason = page.locator(".run .outcome strong");
    await reason.waitFor();
    await page.waitForFunction(() => {
      const { top, bottom } = document.querySelector(".run .outcome strong").getBoundingClientRect();
      const pane = document.querySelector("#panel-contents").getBoundingClientRect();
      return top >= pane.top && bottom <= pane.bottom;
    });
    assert.match(await reason.innerText(), /out of paper/);
    await shot(`narrow-failed-reason-${theme}`);
    // Another tab has the reason above it.
    await page.getByRole("tab", { name: "Trace", exact: true }).click();
    await page.locator(".run-status", { hasText: "out of paper" }).waitFor();
    await close();
  }
});
