// The looks of the page: four states in three widths and two themes. Each has a screenshot for people, and rules:
// nothing overlaps in the header, nothing scrolls sideways, no name is cut in a card with space.

import assert from "node:assert/strict";
import { test } from "node:test";
import { replacePlanText, stage, typeValue } from "./page-fixture.mjs";

const { open } = stage();
const WIDTHS = [1440, 1024, 390];
const THEMES = ["light", "dark"];
const LONG_NAME = "Quarterly customer feedback triage with escalation and a weekly summary";

const TWELVE = `id: ${LONG_NAME}
nodes:
  receive: {type: log, input: a message}
  classification: {type: llm, input: "\${input}"}
  is_urgent: {type: noop}
  notify_on_call: {type: emit, input: page}
  open_incident: {type: log, input: "\${output.receive}"}
  summarize_thread: {type: llm, input: "\${last}"}
  search_knowledge_base: {type: log, input: found}
  draft_reply: {type: llm, input: "\${last}"}
  approve_reply: {type: approve, input: "\${last}"}
  send: {type: log, input: sent}
  archive: {type: log, input: {kind: note, text: archived}}
  failed: {type: log, input: failed}
edges:
  - {from: receive, to: classification}
  - {from: classification, to: is_urgent, condition: last.contains:urgent}
  - {from: classification, to: summarize_thread, condition: default}
  - {from: classification, to: failed, condition: error.exists}
  - {from: is_urgent, to: notify_on_call}
  - {from: notify_on_call, to: open_incident}
  - {from: open_incident, to: archive}
  - {from: summarize_thread, to: search_knowledge_base}
  - {from: search_knowledge_base, to: draft_reply}
  - {from: draft_reply, to: approve_reply}
  - {from: approve_reply, to: send, condition: last==approved}
  - {from: approve_reply, to: draft_reply, condition: default}
  - {from: send, to: archive}
`;
const STUBS = "types: {llm: {return: an ordinary letter}, emit: {return: 1}}";
const FAILING =
  "types: {llm: {return: an ordinary letter}, emit: {return: 1}}\nnodes: {draft_reply: {fail: the model is busy, code: model/busy}}";

/** Each state is a plan and the user's actions. */
const STATES = {
  empty: async (page) => {
    await page.getByText("No nodes yet", { exact: true }).waitFor({ state: "attached" });
  },
  twelve: async (page) => {
    await showPanel(page, "Canvas");
    await page.locator(".canvas .node").filter({ hasText: "classification" }).waitFor({ state: "attached" });
    await page.waitForFunction(() => {
      const canvas = document.querySelector(".canvas").getBoundingClientRect();
      const cards = [...document.querySelectorAll(".canvas .node .card")].map((card) => card.getBoundingClientRect());
      return cards.length === 12 && cards.every(({ left, right }) => left > canvas.left && right < canvas.right);
    });
  },
  running: async (page) => {
    await runWith(page, STUBS);
    await page.getByText("Waiting for your answer to approve_reply").first().waitFor({ state: "attached" });
  },
  failed: async (page) => {
    await runWith(page, FAILING);
    await page
      .getByText(/Failed at draft_reply/)
      .first()
      .waitFor({ state: "attached" });
  },
};

/** A long name must not squeeze the header. */
async function renamePlan(page) {
  await page.locator(".share-state", { hasText: "Saved" }).waitFor({ state: "attached" });
  await page.locator(".share-name").click();
  const dialog = page.getByRole("dialog", { name: "Plans" });
  await dialog
    .getByRole("button", { name: /^Rename/ })
    .first()
    .click();
  await typeValue(dialog.getByRole("textbox", { name: "Name", exact: true }), LONG_NAME);
  await page.keyboard.press("Enter");
  await page.locator(".share-name", { hasText: LONG_NAME }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
}

async function runWith(page, stubs) {
  await showPanel(page);
  await page.getByRole("tab", { name: "Tests" }).click();
  await page.getByRole("textbox", { name: "Stubs" }).fill(stubs);
  await page.keyboard.press("F5");
  await page.getByRole("tab", { name: "Run", exact: true }).click();
}

/** A narrow page shows one pane at a time. */
async function showPanel(page, name = "Result") {
  const tab = page.locator(".switch").getByRole("button", { name, exact: true });
  if (await tab.isVisible()) await tab.click();
}

function lookFaults() {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth}`);
  const shown = (element) => element.checkVisibility() && getComputedStyle(element).clipPath === "none";
  const name = (element) => element.getAttribute("aria-label") ?? element.textContent.trim();
  const items = [...document.querySelectorAll(".bar button, .bar h1")].filter(shown);
  const boxes = items.map((item) => item.getBoundingClientRect());
  boxes.forEach((a, at) => {
    if (a.right > innerWidth + 0.5 || a.left < -0.5) faults.push(`${name(items[at])} leaves the header`);
    boxes.slice(at + 1).forEach((b, next) => {
      if (
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5
      )
        faults.push(`${name(items[at])} covers ${name(items[at + next + 1])}`);
    });
  });
  for (const title of document.querySelectorAll(".canvas .node .title"))
    if (title.scrollWidth > title.clientWidth && title.closest(".node").offsetWidth < 300)
      faults.push(`${title.textContent} is cut in its card`);
  return faults;
}

for (const [state, enter] of Object.entries(STATES))
  for (const width of WIDTHS)
    for (const theme of THEMES)
      test(`${state} at ${width}, ${theme}`, async () => {
        const viewport = { width, height: width === 390 ? 844 : width === 1024 ? 768 : 900 };
        const { page, shot, close } = await open("", { viewport, theme });
        await showPanel(page, "Text");
        await replacePlanText(page, state === "empty" ? "id: new-plan\nnodes: {}\n" : TWELVE);
        await renamePlan(page);
        await enter(page);
        if (width === 390) await shot(`looks-${state}-${width}-${theme}`);
        await showPanel(page, "Canvas");
        await page.getByRole("button", { name: "Fit to view" }).click();
        await shot(`looks-${state}-${width}-${theme}${width === 390 ? "-canvas" : ""}`);
        assert.deepEqual(await page.evaluate(lookFaults), []);
        await close();
      });
