// Page helpers for tests of stored and shared plans.

import { violations } from "./axe.mjs";
import { pane } from "./page-fixture.mjs";

/** Compares the beginning, because the pane renders only a part of long texts. */
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

export function dialog(page, name) {
  return page.getByRole("dialog", { name });
}

export async function openShareDialog(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const out = dialog(page, "Share and export");
  await out.waitFor();
  return out;
}

export async function plans(page) {
  await page.locator(".share-name").click();
  const list = dialog(page, "Plans");
  await list.waitFor();
  return list;
}

export async function saved(page) {
  await page.getByText("Saved", { exact: true }).waitFor();
}

/** Records the nodes of every drawing that appears, in every page and frame. */
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

export async function drawingsUntil(page, nodes) {
  await page.waitForFunction((nodes) => globalThis.drawings.has(nodes), nodes);
  return page.evaluate(() => [...globalThis.drawings]);
}

export async function onlyText(page) {
  const found = await page.evaluate(() => ({
    hacked: "hacked" in window,
    images: document.querySelectorAll("img[onerror], body script:not([src])").length,
    proto: "type" in {},
  }));
  if (found.hacked || found.images > 0 || found.proto)
    throw new Error(`a plan became more than text: ${JSON.stringify(found)}`);
}

/** Needs no shortcuts. */
export async function command(page, name) {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill(name);
  await page.keyboard.press("Enter");
}

/** Checks the open dialog and the messages above the panes. */
export async function barriers(page) {
  const parts = ["dialog[open]", ".share-banner", ".share-bar"];
  const there = await page.evaluate((parts) => parts.filter((part) => document.querySelector(part)), parts);
  return violations(page, there);
}

export function rows(list) {
  return list.getByRole("list", { name: "Plans" }).getByRole("button", { name: /^Open / });
}
