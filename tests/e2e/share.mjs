// Page helpers for tests of stored and shared plans.

import { violations } from "./axe.mjs";
import { pane } from "./page-fixture.mjs";

/** Waits until the text pane holds a text. The pane renders only a part of long texts, so it compares the beginning. */
export async function planText(page, text) {
  const lines = text.split("\n").slice(0, 4);
  const long = lines.findIndex((line) => line.length > 200);
  const first = (long < 0 ? lines : [...lines.slice(0, long), lines[long].slice(0, 200)]).join("\n").trimEnd();
  const field = pane(page);
  await field.waitFor();
  const startsWithPlan = ([element, first]) =>
    [...element.querySelectorAll(".cm-line")]
      .map((line) => line.textContent)
      .join("\n")
      .startsWith(first);
  await page.waitForFunction(startsWithPlan, [await field.elementHandle(), first]);
}

/** Returns a dialog by its name. */
export function dialog(page, name) {
  return page.getByRole("dialog", { name });
}

/** Opens the dialog of links and files. */
export async function openShareDialog(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const out = dialog(page, "Share and export");
  await out.waitFor();
  return out;
}

/** Opens the list of plans. */
export async function plans(page) {
  await page.getByTitle("Plans").click();
  const list = dialog(page, "Plans");
  await list.waitFor();
  return list;
}

/** Waits until the open plan is saved. */
export async function saved(page) {
  await page.getByText("Saved", { exact: true }).waitFor();
}

/** Records the number of nodes of every drawing that appears on the screen, in every page and frame. */
export function noteDrawings(context) {
  return context.addInitScript(() => {
    globalThis.drawings = new Set();
    addEventListener("DOMContentLoaded", () => {
      // Resize observers run after everything else in a frame and before the paint.
      const probe = document.createElement("div");
      probe.style.position = "absolute";
      document.documentElement.append(probe);
      new ResizeObserver(() => {
        const canvas = document.querySelector(".canvas[data-nodes]");
        if (canvas?.checkVisibility({ visibilityProperty: true }))
          globalThis.drawings.add(Number(canvas.dataset.nodes));
      }).observe(probe);
      const sampleFrame = (at) => {
        probe.style.width = `${at % 97}px`;
        requestAnimationFrame(sampleFrame);
      };
      requestAnimationFrame(sampleFrame);
    });
  });
}

/** Waits for a drawing with this number of nodes. Returns all numbers seen until then. */
export async function drawingsUntil(page, nodes) {
  await page.waitForFunction((nodes) => globalThis.drawings.has(nodes), nodes);
  return page.evaluate(() => [...globalThis.drawings]);
}

/** Fails if a plan became anything but text. */
export async function onlyText(page) {
  const found = await page.evaluate(() => ({
    hacked: "hacked" in window,
    images: document.querySelectorAll("img[onerror], body script:not([src])").length,
    proto: "type" in {},
  }));
  if (found.hacked || found.images > 0 || found.proto)
    throw new Error(`a plan became more than text: ${JSON.stringify(found)}`);
}

/** Runs a command by its name, like a person who knows no shortcuts. */
export async function command(page, name) {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill(name);
  await page.keyboard.press("Enter");
}

/**
 * Returns axe's violations in the open dialog and in the messages above the panes. Other tests cover the rest of the
 * page.
 */
export async function barriers(page) {
  const parts = ["dialog[open]", ".share-banner", ".share-bar"];
  const there = await page.evaluate((parts) => parts.filter((part) => document.querySelector(part)), parts);
  return violations(page, there);
}

/** Returns the plans in the list. */
export function rows(list) {
  return list.getByRole("list", { name: "Plans" }).getByRole("button", { name: /^Open / });
}
