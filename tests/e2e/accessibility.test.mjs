// Tests that axe finds no violation in any state of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { pane, stage } from "./page-fixture.mjs";

const { open } = stage();
const press =
  (...keys) =>
  async (page) => {
    for (const key of keys) await page.keyboard.press(key);
  };
const toDrawing = async (page) => {
  await page.keyboard.press("Alt+3");
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
};
const toText = async (page) => {
  await pane(page).waitFor();
  await page.keyboard.press("Alt+1");
  await page.waitForFunction(() => document.activeElement?.matches(".cm-content"));
};
const dialog = (name) => (page) => page.getByRole("dialog", { name }).waitFor();

const openDialog = (name) => async (page) => {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog", { name }).waitFor();
};
const tab = (name) => (page) => page.getByRole("tab", { name, exact: true }).click();

const STATES = {
  first: [],
  "a node with its form": [
    toDrawing,
    press("Home"),
    (page) => page.locator(".inspector :is(input, textarea, select)").first().waitFor(),
  ],
  "an edge with its form": [toDrawing, press("Home", ".")],
  palette: [press("ControlOrMeta+k"), dialog("Command palette")],
  "nothing found": [press("ControlOrMeta+k"), dialog("Command palette"), (page) => page.keyboard.type("qqqq")],
  "find a node": [toDrawing, press("ControlOrMeta+f"), dialog("Find node")],
  "add a node": [toDrawing, press("n"), dialog("Add node")],
  rename: [toDrawing, press("Home", "F2"), dialog("Rename")],
  keys: [toDrawing, press("?"), dialog("Keyboard shortcuts")],
  "share and export": [press("ControlOrMeta+Shift+s"), dialog("Share and export")],
  plans: [press("ControlOrMeta+o"), dialog("Plans")],
  "restore points": [
    press("ControlOrMeta+k"),
    (page) => page.keyboard.type("Restore points"),
    press("Enter"),
    dialog("Restore points"),
  ],
  menu: [
    (page) => page.getByRole("button", { name: "Menu", exact: true }).click(),
    (page) => page.getByRole("menu", { name: "Menu" }).waitFor(),
  ],
  outline: [press("Alt+2"), (page) => page.getByRole("treeitem").first().waitFor()],
  "moving a node": [toDrawing, press("Home", "m", "ArrowRight")],
  connecting: [toDrawing, press("Home", "c")],
  "everything selected": [toDrawing, press("ControlOrMeta+a")],
  gallery: [
    openDialog("Gallery"),
    (page) => page.getByRole("dialog", { name: "Gallery" }).getByRole("img").nth(20).waitFor(),
  ],
  tools: [
    openDialog("Connections"),
    tab("Tools"),
    (page) => page.getByRole("button", { name: "Add weather to the plan" }).waitFor(),
  ],
  servers: [openDialog("Connections"), tab("Servers")],
  models: [openDialog("Connections"), tab("Models")],
  "a request that became a plan": [
    openDialog("From a request"),
    (page) => page.getByRole("textbox", { name: "What do you want to do?" }).fill("What should I wear in Oslo?"),
    (page) => page.getByRole("button", { name: "Plan it" }).click(),
    (page) =>
      page
        .getByRole("region", { name: "The plan", exact: true })
        .getByText("The plan is valid. It has not run yet.")
        .waitFor(),
  ],
  "the panel open": [(page) => page.getByRole("button", { name: "Show the panel" }).click()],
  "a broken text": [toText, press("ControlOrMeta+End"), (page) => page.keyboard.type("\n  : [")],
  empty: [toText, press("ControlOrMeta+a", "Delete")],
};

for (const [name, steps] of Object.entries(STATES)) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, shot, close } = await open();
    for (const step of steps) await step(page);
    await shot(`state-${name.replaceAll(" ", "-")}`);
    assert.deepEqual(await violations(page), []);
    await close();
  });
}

for (const [name, options] of Object.entries({
  dark: { theme: "dark" },
  spanish: { lang: "es-ES" },
  laptop: { viewport: { width: 1024, height: 768 } },
  phone: { viewport: { width: 390, height: 844 } },
  "dark phone": { viewport: { width: 390, height: 844 }, theme: "dark" },
  narrow: { viewport: { width: 320, height: 640 } },
  "forced colours": { forcedColors: "active" },
})) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, close } = await open("", options);
    assert.deepEqual(await violations(page), []);
    const tabs = page.getByRole("navigation").last().getByRole("button");
    if (options.viewport?.width < 500) {
      for (const tab of await tabs.all()) {
        await tab.click();
        assert.deepEqual(await violations(page), []);
      }
    }
    await close();
  });
}
