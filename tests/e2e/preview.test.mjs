// Tests the preview of the plan's text: it looks like the editor, and nothing that the user does before the editor is
// there is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deferredPart } from "../../scripts/playground.mjs";
import { pane, reads, stage } from "./page-fixture.mjs";

const { open } = stage();
const skip = deferredPart() !== "" ? false : "the page was built quickly, so the editor loads at once";
const openUntouched = () => open("", { acts: false });
const preview = (page) => page.locator(".text-preview");
const isGone = (page) => preview(page).waitFor({ state: "detached" });

/** The place and the colour of each word. */
const words = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".cm-line")].flatMap((line) => {
      const [walker, found] = [document.createTreeWalker(line, NodeFilter.SHOW_TEXT), []];
      while (walker.nextNode()) {
        if (walker.currentNode.data === "") continue;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const { left, top } = range.getBoundingClientRect();
        const { color } = getComputedStyle(walker.currentNode.parentElement);
        found.push([walker.currentNode.data, Math.round(left), Math.round(top), color]);
      }
      return found;
    }),
  );

test("the preview shows each word where the editor shows it, in its colour", { skip }, async () => {
  const { page, close } = await openUntouched();
  await preview(page).waitFor();
  const before = await words(page);
  await page.mouse.move(700, 300);
  await isGone(page);
  const after = await words(page);
  assert.ok(after.length > 20, `${after.length} words`);
  // The editor draws only the visible lines.
  assert.deepEqual(before.slice(0, after.length), after);
  await close();
});

test("what is typed while the editor loads replaces the selection", { skip }, async () => {
  const { page, close } = await openUntouched();
  await preview(page).waitFor();
  const gate = withResolvers();
  await page.route(/pane-.*\.js$/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await pane(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("nodes: {a: ");
  await page.keyboard.type("{type: log}}");
  assert.equal(await preview(page).count(), 1);
  gate.resolve();
  await isGone(page);
  await reads(page, "nodes: {a: {type: log}}");
  await page.locator(".canvas .node").filter({ hasText: "a" }).waitFor();
  await page.keyboard.type(" # typed");
  await reads(page, "nodes: {a: {type: log}} # typed");
  await close();
});

test("a click in the preview is the cursor of the editor", { skip }, async () => {
  const { page, close } = await openUntouched();
  await preview(page).waitFor();
  const second = preview(page).locator(".cm-line").nth(1);
  const [first, rest] = [await preview(page).locator(".cm-line").first().textContent(), await second.textContent()];
  await second.click({ position: { x: 300, y: 8 } });
  await page.keyboard.press("End");
  await isGone(page);
  await page.keyboard.type(" # here");
  await page.waitForFunction(
    ([second]) => document.querySelectorAll(".cm-line")[1]?.textContent === `${second} # here`,
    [rest],
  );
  assert.equal(await page.locator(".cm-line").first().textContent(), first);
  await close();
});

test("a saved plan opens in the editor at once", async () => {
  const { page, close } = await open();
  await pane(page).focus();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# kept ");
  await page.waitForFunction(() => localStorage.getItem("stepgraph.kept") !== null);
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.reload();
  await page.locator(".cm-content").filter({ hasText: "# kept" }).waitFor();
  assert.equal(await preview(page).count(), 0);
  await close();
});

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
