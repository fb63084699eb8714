// Tests the page by keyboard alone: keys, focus, announcements, and the resulting text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { editorText, needsMenuKey, pane, replacePlanText, stage } from "./page-fixture.mjs";

const { open } = stage();

/** As a screen reader would read it. */
const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    const role = at?.getAttribute("role") ?? at?.tagName.toLowerCase();
    return `${role} ${at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? ""}`;
  });

async function waitForAnnouncement(page, text) {
  await page.getByRole("status").filter({ hasText: text }).first().waitFor({ state: "attached" });
}

async function tabTo(page, name) {
  for (let at = 0; at < 60; at++) {
    if ((await focused(page)).endsWith(` ${name}`)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${name} is not reached by Tab; the focus is on ${await focused(page)}`);
}

async function openPlan(page) {
  await pane(page).waitFor();
  await page.keyboard.press("Alt+1");
  await page.waitForFunction(() => document.activeElement?.matches(".cm-content"));
  await replacePlanText(page, "nodes:\n  decide: {type: decision}\n");
  await page.locator(".canvas .node").filter({ hasText: "decide" }).waitFor();
  await page.keyboard.press("Alt+3");
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
  await page.keyboard.press("Home");
  await waitForFocus(page, "decide");
}

const waitForFocus = (page, name) =>
  page.waitForFunction(
    (name) =>
      document.activeElement?.closest(".canvas .layer") &&
      document.activeElement.getAttribute("aria-label")?.includes(name),
    name,
  );

async function add(page, kind) {
  await page.keyboard.press("n");
  await page.getByRole("dialog", { name: "Add node" }).getByRole("combobox").waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "combobox");
  await page.keyboard.type(kind);
  await page.keyboard.press("Enter");
  await waitForAnnouncement(page, `added ${kind}`);
}

test("the keyboard alone creates a plan, connects its nodes by a condition and reads the plan back", async () => {
  const { page, shot, close } = await open();
  await openPlan(page);
  await add(page, "log");
  await waitForFocus(page, "log");
  await page.keyboard.press("ArrowUp");
  await waitForFocus(page, "decide");
  await add(page, "noop");
  await waitForFocus(page, "noop");
  assert.match(await editorText(page), /from: decide, to: log|from: decide\n\s+to: log/);
  await page.keyboard.press("ArrowUp");
  await waitForFocus(page, "decide");
  await page.keyboard.press(".");
  await page.waitForFunction(() => document.activeElement?.closest(".canvas .edge"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.closest(".inspector"));
  await tabTo(page, "Add a condition");
  await page.keyboard.press("Enter");
  await tabTo(page, "Compared with, 1");
  await page.keyboard.type("ok");
  await page.waitForFunction(() =>
    /condition: .?last ?== ?"?ok/.test(document.querySelector(".pane.text").textContent),
  );
  await shot("keyboard-edge-form");
  await page.keyboard.press("F5");
  await waitForAnnouncement(page, "run completed");
  await page.keyboard.press("Alt+5");
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "tab");
  assert.match(await focused(page), /^tab Run/);
  await page.getByRole("region", { name: "Panels" }).getByText("run completed in").first().waitFor();
  await shot("keyboard-run");
  await close();
});

test("the keyboard creates an edge only between valid nodes", async () => {
  const { page, close } = await open();
  await openPlan(page);
  await add(page, "log");
  await waitForFocus(page, "log");
  await page.keyboard.press("c");
  await waitForAnnouncement(page, "Connect log to");
  await page.keyboard.press("x");
  await waitForAnnouncement(page, "no matching node");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await waitForAnnouncement(page, "connected log to decide");
  assert.match(await editorText(page), /from: log,? ?\n?\s*to: decide/);
  await page.keyboard.press("ControlOrMeta+z");
  await waitForAnnouncement(page, "undone: connect");
  assert.doesNotMatch(await editorText(page), /from: log,? ?\n?\s*to: decide/);
  await close();
});

test("the announcement of a removal names the node", async () => {
  const { page, close } = await open();
  await openPlan(page);
  await add(page, "log");
  await waitForFocus(page, "log");
  await page.keyboard.press("Delete");
  await waitForAnnouncement(page, "removed log");
  await page.keyboard.press("ControlOrMeta+z");
  await waitForAnnouncement(page, "undone: remove");
  await page.getByRole("button", { name: "Español", exact: true }).click();
  await page.getByRole("button", { name: "Ejecutar", exact: true }).waitFor();
  await page.locator(".canvas .layer [tabindex='0']").focus();
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await waitForAnnouncement(page, "rehecho: eliminar");
  await close();
});

test("keys move a node and write its position, and Escape restores it", async () => {
  const { page, close } = await open();
  await openPlan(page);
  await page.keyboard.press("m");
  await waitForAnnouncement(page, "Move: arrow keys move");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await waitForAnnouncement(page, "move cancelled");
  assert.doesNotMatch(await editorText(page), /layout/);
  await page.keyboard.press("m");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  await waitForAnnouncement(page, "dropped");
  assert.match(await editorText(page), /layout:\s*\{?\s*decide: \[\d+, \d+\]/);
  await close();
});

test("Tab never gets stuck in the page, and Escape leaves the text", async () => {
  const { page, close } = await open();
  const seen = new Set();
  await page.keyboard.press("Tab");
  assert.match(await focused(page), /Skip to the canvas/);
  for (let at = 0; at < 80 && !seen.has("done"); at++) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    const place = await page.evaluate(
      () =>
        document.activeElement?.closest("header, .side, .canvas, .inspector, .panel")?.className ??
        (document.activeElement === document.body ? "done" : "other"),
    );
    seen.add(place);
  }
  for (const part of ["bar", "side", "pane inspector", "panel"])
    assert.ok(
      [...seen].some((name) => name.startsWith(part)),
      `${part} is reached: ${[...seen]}`,
    );
  assert.ok([...seen].some((name) => name.startsWith("canvas")));
  await close();
});

test("single-key shortcuts do nothing when disabled, and keys with Ctrl still work", async () => {
  const { page, close } = await open();
  await page.keyboard.press("Alt+3");
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
  await page.keyboard.press("n");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("dialog", { name: "Command palette" }).waitFor();
  assert.equal(await page.getByRole("dialog", { name: "Add node" }).isVisible(), false);
  await close();
});

test("Shift+F10 opens the menu of the focused node", { skip: needsMenuKey }, async () => {
  const { page, close } = await open();
  await openPlan(page);
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menu", { name: "Edit" }).waitFor();
  await close();
});

test("the palette finds commands by other words", async () => {
  const { page, close } = await open();
  await openPlan(page);
  for (const [word, command] of [
    ["export png", "Share and export"],
    ["help", "Keyboard shortcuts"],
    ["new", "New plan"],
  ]) {
    await page.keyboard.press("ControlOrMeta+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill(word);
    await palette.getByRole("option", { name: command }).first().waitFor();
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill("theme-system");
  await page.getByText("1 result", { exact: true }).waitFor();
  await close();
});
