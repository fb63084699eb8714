// Tests the frame of the page: palette, search, menus, outline, theme, language, borders, sizes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withHelpLink } from "../../scripts/docs.mjs";
import { setScheme, pane, replacePlanText, stage, editorText, typeValue } from "./page-fixture.mjs";
import { plans, saved } from "./share.mjs";

const at = stage();
const { open } = at;

const drawing = (page) => page.locator(".canvas");
const attribute = (page, name) => page.locator("html").getAttribute(name);

test("the page opens with a plan as text and canvas, in the user's language", async () => {
  const { page, close } = await open();
  await page.locator(".canvas .node").first().waitFor();
  assert.match(await editorText(page), /nodes:/);
  await page.getByRole("button", { name: "Español" }).click();
  await page.getByRole("region", { name: "Lienzo" }).waitFor();
  assert.equal(await attribute(page, "lang"), "es");
  await close();
});

test("the palette finds commands by a few letters and restores the focus", async () => {
  const { page, shot, close } = await open();
  const button = page.getByRole("button", { name: "Command palette" });
  await button.focus();
  await page.keyboard.press("ControlOrMeta+k");
  const palette = page.getByRole("dialog", { name: "Command palette" });
  const field = palette.getByRole("combobox");
  await field.fill("dark");
  assert.match(await palette.getByRole("option").first().textContent(), /^Dark theme/);
  await shot("palette");
  await field.fill("zzzz");
  await palette.getByText("No results").waitFor();
  await field.fill("dark");
  await page.keyboard.press("Enter");
  await palette.waitFor({ state: "hidden" });
  assert.equal(await attribute(page, "data-theme"), "dark");
  await page.waitForFunction(() => document.activeElement?.classList.contains("seek"));
  await close();
});

test("the search finds a node by its settings and focuses it", async () => {
  const { page, shot, close } = await open();
  await page.keyboard.press("Alt+3");
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
  await page.keyboard.press("ControlOrMeta+f");
  const find = page.getByRole("dialog", { name: "Find node" });
  const first = find.getByRole("option").first();
  await first.waitFor();
  const name = (await first.locator(".name").textContent()).split(" · ").at(-1);
  await find.getByRole("combobox").fill(name);
  await shot("find");
  await page.keyboard.press("Enter");
  await find.waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement?.closest(".node"));
  await close();
});

test("arrows and letters control the menu, and its items match the keys", async () => {
  const { page, shot, close } = await open();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  const menu = page.getByRole("menu", { name: "Menu" });
  await menu.waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "menuitem");
  await shot("menu");
  await page.keyboard.press("End");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Keyboard shortcuts/);
  await page.keyboard.press("l");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "hidden" });
  await close();
});

test("the outline lists nodes, edges and conditions, and moves the canvas", async () => {
  const { page, shot, close } = await open();
  await page.keyboard.press("Alt+2");
  const tree = page.getByRole("tree", { name: "Outline" });
  const line = tree.getByRole("treeitem").first();
  await line.waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "treeitem");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-selected") === "true");
  assert.equal(await line.getAttribute("aria-level"), "1");
  assert.equal(await line.getAttribute("aria-expanded"), "true");
  const before = await tree.getByRole("treeitem").count();
  await page.keyboard.press("ArrowLeft");
  await tree.locator("[aria-expanded=false]").first().waitFor();
  assert.ok((await tree.getByRole("treeitem").count()) < before);
  await page.keyboard.press("ArrowRight");
  await shot("outline");
  await close();
});

test("theme and language follow the system until the user chooses, and the choice persists", async () => {
  const { page, close } = await open("", { theme: "dark", lang: "es-MX" });
  assert.deepEqual([await attribute(page, "data-theme"), await attribute(page, "lang")], ["dark", "es"]);
  await setScheme(page, "light");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("button", { name: "Dark theme" }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await page.reload();
  await page.getByRole("main").waitFor();
  assert.deepEqual([await attribute(page, "data-theme"), await attribute(page, "lang")], ["dark", "en"]);
  await close();
});

test("borders move by keys and by pointer, and are remembered", async () => {
  const { page, close } = await open();
  const border = page.getByRole("separator", { name: "Width of the text pane" });
  const width = async () => (await page.locator(".side").boundingBox()).width;
  const first = await width();
  await border.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await border.getAttribute("aria-valuenow"), "416");
  assert.equal(await width(), first + 16);
  const at = await border.boundingBox();
  await page.mouse.move(at.x + 4, at.y + 200);
  await page.mouse.down();
  await page.mouse.move(at.x + 64, at.y + 200);
  await page.mouse.up();
  assert.equal(await width(), first + 76);
  await page.reload();
  await page.getByRole("main").waitFor();
  assert.equal(await width(), first + 76);
  await page.getByRole("button", { name: "Show the panel" }).click();
  await page.getByRole("button", { name: "Hide the panel" }).click();
  await page.getByRole("tabpanel").waitFor({ state: "hidden" });
  await close();
});

test("a narrow page shows one part at a time, without clipped content", async () => {
  for (const [name, viewport] of [
    ["phone", { width: 390, height: 844 }],
    ["narrow", { width: 320, height: 640 }],
  ]) {
    const { page, shot, close } = await open("", { viewport });
    const tabs = page.getByRole("navigation", { name: "Panes" }).last();
    for (const part of ["Text", "Outline", "Form", "Result", "Canvas"]) {
      const tab = tabs.getByRole("button", { name: part });
      await tab.click();
      assert.equal(await tab.getAttribute("aria-current"), "true");
      await shot(`${name}-${part.toLowerCase()}`);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(wide, 0, `${part} scrolls sideways by ${wide}`);
    }
    await drawing(page).waitFor();
    await close();
  }
});

for (const theme of ["light", "dark"])
  test(`a phone held sideways keeps the canvas in sight, ${theme}`, async () => {
    const { page, shot, close } = await open("", { viewport: { width: 844, height: 390 }, theme });
    const canvas = drawing(page);
    const box = await canvas.boundingBox();
    assert.ok(box.width > 700 && box.height > 330, `the canvas is ${box.width} × ${box.height}`);
    assert.ok((await page.locator(".bar").boundingBox()).height <= 48, "one line of header");
    await page.locator(".canvas .node").first().waitFor();
    await shot(`sideways-canvas-${theme}`);
    const tabs = page.getByRole("navigation", { name: "Panes" }).last();
    for (const [part, pane] of [
      ["Text", ".pane.text"],
      ["Outline", ".pane.outline"],
      ["Form", ".pane.inspector"],
      ["Result", ".panel"],
    ]) {
      await tabs.getByRole("button", { name: part }).click();
      const side = await page.locator(pane).boundingBox();
      const left = await canvas.boundingBox();
      assert.ok(side.width >= 300 && side.height > 330, `${part} is ${side.width} × ${side.height}`);
      assert.ok(left.width >= 300 && left.x + left.width <= side.x + 1, `the canvas is next to ${part}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), part);
      await shot(`sideways-${part.toLowerCase()}-${theme}`);
    }
    await tabs.getByRole("button", { name: "Canvas" }).click();
    assert.deepEqual(await canvas.boundingBox(), box);
    await close();
  });

for (const viewport of [
  { width: 390, height: 844 },
  { width: 360, height: 740 },
  { width: 844, height: 390 },
])
  test(`menus and dialogs fit a page of ${viewport.width} × ${viewport.height}`, async () => {
    const { page, close } = await open("", { viewport });
    await page.locator(".canvas[data-nodes]").waitFor();
    const palette = async (command) => {
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Type a command" }).fill(command);
      await page.keyboard.press("Enter");
    };
    for (const [name, show] of [
      ["Command palette", () => page.keyboard.press("ControlOrMeta+k")],
      ["Keyboard shortcuts", () => palette("keyboard shortcuts")],
      ["Plans", () => palette("plans")],
      ["Share and export", () => palette("share and export")],
      ["Gallery", () => palette("gallery")],
      ["Connections", () => palette("connections")],
      ["From a request", () => palette("from a request")],
    ]) {
      await show();
      const dialog = page.getByRole("dialog", { name, exact: true });
      await dialog.waitFor();
      const { x, y, width, height } = await dialog.boundingBox();
      // Firefox measures in sixtieths of a pixel, which a sum of decimals misses by less than this.
      const [right, bottom] = [x + width, y + height].map((edge) => edge - 0.001);
      const fits = x >= 0 && y >= 0 && right <= viewport.width && bottom <= viewport.height;
      assert.ok(fits, `${name}: ${[x, y, width, height]}`);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
    }
    await close();
  });

test("on a phone, neither the minimap nor a message covers the canvas's toolbar", async () => {
  const { page, close } = await open("", { viewport: { width: 390, height: 844 } });
  const toolbar = await page.getByRole("toolbar", { name: "View" }).boundingBox();
  await page.getByRole("region", { name: "Welcome" }).getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Minimap" }).click();
  const map = await page.locator(".overview").boundingBox();
  assert.ok(map.y + map.height <= toolbar.y, JSON.stringify({ map, toolbar }));
  await page.locator(".canvas .node .card").first().click();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: /^New name/ }).fill("a/b");
  await page.keyboard.press("Enter");
  const notice = await page.locator(".notice").boundingBox();
  // The canvas gets shorter.
  const moved = await page.getByRole("toolbar", { name: "View" }).boundingBox();
  assert.ok(moved.y + moved.height <= notice.y, JSON.stringify({ notice, moved }));
  await close();
});

// A later test can reuse the page only with the same language.
for (const lang of ["en", "es"]) {
  for (const [size, viewport] of [
    ["wide", { width: 1440, height: 900 }],
    ["laptop", { width: 1024, height: 768 }],
    ["phone", { width: 390, height: 844 }],
  ]) {
    for (const theme of ["light", "dark"]) {
      test(`the page on a ${size} screen, ${theme}, ${lang}`, async () => {
        const { page, shot, close } = await open("", { viewport, theme, lang });
        await page.locator(".canvas .node").first().waitFor();
        if (size !== "phone") await pane(page).waitFor();
        await page.mouse.move(viewport.width / 2, 120);
        await page.locator(".pane.inspector :is(h2, input)").first().waitFor({ state: "attached" });
        await shot(`page-${size}-${theme}-${lang}`);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(wide, 0);
        await close();
      });
    }
  }
}

test("a first visit says what the page is and offers three ways to begin, once", async () => {
  const { page, shot, close } = await open();
  const welcome = page.getByRole("region", { name: "Welcome" });
  await welcome.getByText(/^Stepgraph runs plans for agents/).waitFor();
  await shot("welcome");
  await welcome.getByRole("button", { name: "Build your own" }).click();
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "1");
  await welcome.waitFor({ state: "detached" });
  await page.reload();
  await page.locator(".canvas .node").first().waitFor();
  assert.equal(await welcome.count(), 0);
  await close();
});

test("an undo does not bring the welcome back", async () => {
  const { page, close } = await open();
  const welcome = page.getByRole("region", { name: "Welcome" });
  await welcome.waitFor();
  await page.locator(".canvas .node .card").first().click();
  await page.keyboard.press("Delete");
  await welcome.waitFor({ state: "detached" });
  const before = await page.locator(".canvas").getAttribute("data-nodes");
  await page.keyboard.press("ControlOrMeta+z");
  await page.waitForFunction((nodes) => document.querySelector(".canvas").dataset.nodes !== nodes, before);
  assert.equal(await welcome.count(), 0);
  await close();
});

test("one step runs the plan of a first visit", async () => {
  const { page, close } = await open();
  await page.getByRole("region", { name: "Welcome" }).getByRole("button", { name: "Run this plan" }).click();
  await page.locator(".run-status").filter({ hasText: "Completed in" }).waitFor();
  await close();
});

test("a message about one plan is gone when another plan opens", async () => {
  const { page, close } = await open();
  await page.locator(".canvas .node").first().waitFor();
  await page.locator(".canvas .node .card").first().click();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: /^New name/ }).fill("a/b");
  await page.keyboard.press("Enter");
  const notice = page.locator(".notice");
  await notice.waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill("new plan");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "1");
  await notice.waitFor({ state: "detached" });
  await close();
});

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
])
  test(`a message covers no control, ${viewport.width} wide`, async () => {
    const { page, shot, close } = await open("", { viewport });
    if (viewport.width < 760) await page.getByRole("button", { name: "Canvas", exact: true }).click();
    await page.locator(".canvas .node .card").first().click();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: /^New name/ }).fill("a/b");
    await page.keyboard.press("Enter");
    await page.locator(".notice").waitFor();
    await page.keyboard.press("Escape");
    await shot(`message-${viewport.width}`);
    const covered = await page.evaluate(() => {
      const box = document.querySelector(".notice").getBoundingClientRect();
      const all = [...document.querySelectorAll("button, a, input, select, textarea, [tabindex='0']")];
      return all
        .filter((one) => !one.closest(".notice") && one.checkVisibility({ visibilityProperty: true }))
        .filter((one) => {
          const { left, right, top, bottom, width } = one.getBoundingClientRect();
          const isOver = left < box.right && right > box.left && top < box.bottom - 1 && bottom > box.top + 1;
          return (
            width > 0 && isOver && document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest(".notice")
          );
        })
        .map((one) => one.outerHTML.slice(0, 80));
    });
    assert.deepEqual(covered, []);
    await page.locator(".notice").getByRole("button").click();
    await page.locator(".notice").waitFor({ state: "detached" });
    await close();
  });

test("the focus stays in the canvas after a new plan and after a deletion", async () => {
  const { page, close } = await open();
  const focused = (text) =>
    page.waitForFunction((text) => {
      const active = document.activeElement;
      return text === null ? active.matches(".canvas") : active.matches(".card") && active.textContent.includes(text);
    }, text);
  await page.getByRole("region", { name: "Welcome" }).getByRole("button", { name: "Build your own" }).click();
  await focused("start");
  await replacePlanText(
    page,
    "start: a\nnodes: {a: {type: log}, bee: {type: noop}, cat: {type: noop}}\nedges: [{from: a, to: bee}, {from: bee, to: cat}]\n",
  );
  await page.waitForFunction(() => document.querySelector(".canvas").dataset.nodes === "3");
  await page.locator(".canvas .node .card").filter({ hasText: "cat" }).click({ button: "right" });
  await page
    .getByRole("menu", { name: "Edit" })
    .getByRole("menuitem", { name: /^Delete/ })
    .click();
  await focused("bee");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await focused(null);
  await close();
});

test("the header's name follows the plan's id, until the user names the plan", async () => {
  const { page, close } = await open();
  const name = (text) => page.locator(".share-name").filter({ hasText: text }).waitFor();
  await name("triage");
  await replacePlanText(page, "id: billing\nnodes: {a: {type: log}}\n");
  await name("billing");
  await saved(page);
  await page.reload();
  await page.getByRole("main").waitFor();
  await name("billing");
  await replacePlanText(page, "id: shipping\nnodes: {a: {type: log}}\n");
  await name("shipping");
  await saved(page);
  const list = await plans(page);
  await list.getByRole("button", { name: "Rename shipping" }).click();
  await typeValue(list.getByRole("textbox", { name: "Name" }), "Ours");
  await page.keyboard.press("Enter");
  await name("Ours");
  await page.keyboard.press("Escape");
  await replacePlanText(page, "id: returns\nnodes: {a: {type: log}}\n");
  await saved(page);
  await name("Ours");
  await close();
});

test("a page that is next to its documentation links to it", async () => {
  const { page, close } = await open();
  const docs = page.getByRole("link", { name: "Documentation" });
  assert.equal(await docs.count(), 0);
  await page.route(at.url, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: withHelpLink(await response.text(), "docs/") });
  });
  await page.reload();
  await docs.waitFor();
  assert.equal(await docs.getAttribute("href"), "docs/");
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "Documentation" }).waitFor();
  await close();
});

for (const [size, viewport] of [
  ["wide", { width: 1440, height: 900 }],
  ["laptop", { width: 1024, height: 768 }],
])
  test(`the first edit moves nothing when the welcome leaves, on a ${size} screen`, async () => {
    const { page, shot, close } = await open("", { viewport });
    const welcome = page.getByRole("region", { name: "Welcome" });
    await welcome.waitFor();
    const boxes = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("main, .canvas, .text-host, .panel, .canvas .node")].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [x, y, width, height].map(Math.round).join(" ");
        }),
      );
    await drawing(page).locator(".node").first().waitFor();
    const before = await boxes();
    const { y, height } = await welcome.boundingBox();
    const first = await drawing(page).locator(".node").first().boundingBox();
    assert.ok(first.y >= y + height, "it covers no node");
    await shot(`welcome-${size}`);
    await pane(page).focus();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("# mine");
    await welcome.waitFor({ state: "detached" });
    assert.deepEqual(await boxes(), before);
    await close();
  });

test("no error opens the panel while the user types: a badge counts them", async () => {
  const { page, close } = await open();
  await page.evaluate(() => {
    const main = document.querySelector("main");
    window.states = [main.dataset.below];
    new MutationObserver(() => window.states.push(main.dataset.below)).observe(main, {
      attributeFilter: ["data-below"],
    });
  });
  await page.clock.install();
  await replacePlanText(page, "nodes: {a: {type: log, input: 1}}\nedges: [{from: a, to: nowhere}]\n");
  await page.locator(".canvas .node.ghost").waitFor();
  await page.locator(".tab .badge", { hasText: "1" }).waitFor();
  await page.clock.runFor(5_000);
  assert.deepEqual(await page.evaluate(() => window.states), ["closed"]);
  // A run that can't start is what the user asked for.
  await page.keyboard.press("F5");
  await page.locator('main[data-below="open"]').waitFor();
  await page.getByRole("region", { name: "Panels" }).getByText("there is no node nowhere").first().waitFor();
  await page.locator(".share-state", { hasText: "Saved" }).waitFor({ state: "attached" });
  await page.reload();
  await page.locator(".canvas .node.ghost").waitFor();
  assert.equal(await page.getByRole("main").getAttribute("data-below"), "closed", "the page opened it");
  // The user's choice is kept.
  await page.getByRole("button", { name: "Show the panel" }).click();
  await page.reload();
  await page.locator('main[data-below="open"]').waitFor();
  await close();
});

test("the console has no warning when the page opens and is used", async () => {
  const seen = [];
  const watch = (context) => context.on("console", (message) => seen.push(`${message.type()}: ${message.text()}`));
  const { page, close } = await open("", { prepare: watch });
  await page.getByRole("button", { name: "Connections", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Connections", exact: true });
  await dialog.getByText("get_order").first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("F5");
  await page.locator(".run-status:not([hidden])").waitFor();
  // The tests block the service worker.
  assert.deepEqual(
    seen.filter((text) => !text.includes("registration blocked by Playwright")),
    [],
  );
  await close();
});

for (const [size, viewport] of [
  ["laptop", { width: 1024, height: 768 }],
  ["phone", { width: 390, height: 844 }],
])
  test(`the header's menu has what a ${size} hides`, async () => {
    const wide = await open();
    const commands = (page) =>
      page.evaluate(() =>
        [...document.querySelectorAll(".bar button")]
          .filter((button) => button.checkVisibility())
          .map((button) => button.getAttribute("aria-label") ?? button.textContent.trim()),
      );
    const all = (await commands(wide.page)).filter((name) => name !== "Command paletteCtrl+K");
    await wide.close();
    const { page, shot, close } = await open("", { viewport });
    const shown = await commands(page);
    assert.ok(shown.includes("More"), `${shown}`);
    await page.getByRole("button", { name: "More", exact: true }).click();
    const menu = page.getByRole("menu", { name: "More" });
    await menu.waitFor();
    await shot(`more-${size}`);
    const box = await menu.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, JSON.stringify(box));
    const hidden = await menu.locator("button:not([hidden]) span").allTextContents();
    const missing = all.filter((name) => !shown.includes(name) && !hidden.includes(name));
    assert.deepEqual(missing, []);
    await menu.getByRole("menuitem", { name: "From a request" }).click();
    await page.getByRole("dialog", { name: "From a request" }).waitFor();
    await close();
  });

test("undo and redo look disabled while there is nothing to undo or redo", async () => {
  const { page, close } = await open();
  const tools = page.getByRole("group", { name: "Edit" });
  const [undo, redo] = ["Undo", "Redo"].map((name) => tools.getByRole("button", { name }));
  const states = async () => [await undo.getAttribute("aria-disabled"), await redo.getAttribute("aria-disabled")];
  assert.deepEqual(await states(), ["true", "true"]);
  const faint = await undo.locator("svg").evaluate((icon) => getComputedStyle(icon).opacity);
  assert.ok(Number(faint) < 0.6, faint);
  await replacePlanText(page, "nodes: {a: {type: log, input: 1}}\n");
  await page.locator('.bar button[aria-label="Undo"]:not([aria-disabled])').waitFor();
  assert.deepEqual(await states(), [null, "true"]);
  await undo.click();
  await page.locator('.bar button[aria-label="Redo"]:not([aria-disabled])').waitFor();
  assert.deepEqual(await states(), ["true", null]);
  await close();
});

test("a resized canvas fits again, or keeps its middle if the user has moved the view", async () => {
  const { page, close } = await open();
  await drawing(page).locator(".node").first().waitFor();
  const nodes = () =>
    page.evaluate(() => {
      const canvas = document.querySelector(".canvas").getBoundingClientRect();
      const boxes = [...document.querySelectorAll(".canvas .node .card")].map((card) => card.getBoundingClientRect());
      const left = Math.min(...boxes.map((box) => box.left)) - canvas.left;
      const right = canvas.right - Math.max(...boxes.map((box) => box.right));
      return { left, right, first: boxes[0].left + boxes[0].width / 2 - (canvas.left + canvas.width / 2) };
    });
  const narrow = async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForFunction(
      (width) => document.querySelector(".canvas canvas").getBoundingClientRect().width < width,
      width,
    );
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  };
  await narrow(1100);
  const fitted = await nodes();
  assert.ok(fitted.left > 20 && Math.abs(fitted.left - fitted.right) < 12, JSON.stringify(fitted));
  const box = await drawing(page).boundingBox();
  await page.mouse.move(box.x + 30, box.y + box.height - 100);
  const first = await drawing(page).locator(".node .card").first().boundingBox();
  await page.mouse.wheel(40, 0);
  await page.waitForFunction(
    (left) => document.querySelector(".canvas .node .card").getBoundingClientRect().left !== left,
    first.x,
  );
  const before = await nodes();
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.waitForFunction((width) => document.querySelector(".canvas").clientWidth > width + 50, box.width);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const after = await nodes();
  assert.ok(Math.abs(after.first - before.first) <= 1, JSON.stringify({ before, after }));
  await close();
});

test("on a phone, the canvas shows the whole plan that the text has become", async () => {
  const { page, close } = await open("", { viewport: { width: 390, height: 844 } });
  await drawing(page).locator(".node").first().waitFor();
  const tabs = page.getByRole("navigation", { name: "Panes" }).last();
  await tabs.getByRole("button", { name: "Text" }).click();
  const names = Array.from({ length: 9 }, (_, at) => `n${at}`);
  const nodes = names.map((name) => `  ${name}: {type: log, input: 1}\n`).join("");
  const edges = names.slice(1).map((name, at) => `  - {from: n${at}, to: ${name}}\n`);
  await replacePlanText(page, `nodes:\n${nodes}edges:\n${edges.join("")}`);
  await tabs.getByRole("button", { name: "Canvas" }).click();
  await drawing(page).locator(".node .title", { hasText: "n8" }).waitFor();
  await page.waitForFunction(() => {
    const canvas = document.querySelector(".canvas").getBoundingClientRect();
    const cards = [...document.querySelectorAll(".canvas .node .card")].map((card) => card.getBoundingClientRect());
    return cards.every((card) => card.top > canvas.top && card.bottom < canvas.bottom && card.right < canvas.right);
  });
  await close();
});
