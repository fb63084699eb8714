// Tests that the keyboard focus is never lost: an action that removes, hides or disables its own control leaves the
// focus on another one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pane, replacePlanText, stage } from "./page-fixture.mjs";

const at = stage();
const ASKS = "start: a\nnodes:\n  a: {type: log, input: one}\n  b: {type: approve}\nedges:\n  - {from: a, to: b}\n";

/** Waits for the frames in which the page moves the focus. */
async function focused(page) {
  await page.waitForFunction(() => document.activeElement !== null && document.activeElement !== document.body);
  return page.evaluate(() => document.activeElement.closest("button, input, [tabindex]").outerHTML.slice(0, 200));
}

test("buttons of a run leave the focus on another control", async () => {
  const { page, close } = await at.open();
  await replacePlanText(page, ASKS);
  for (const name of ["Step", "Stop", "Run"]) {
    const button = page.getByRole("button", { name, exact: true, disabled: false });
    await button.waitFor();
    await button.focus();
    await page.keyboard.press("Enter");
    await button.waitFor({ state: "detached" });
    assert.ok(await focused(page), name);
  }
  const approve = page.getByRole("button", { name: "Approve", exact: true }).first();
  await approve.focus();
  await page.keyboard.press("Enter");
  await approve.waitFor({ state: "detached" });
  await focused(page);
  await close();
});

test("the welcome leaves the focus in the page", async () => {
  for (const name of ["Close", "Run this plan"]) {
    const { page, close } = await at.open();
    const button = page.locator(".welcome").getByRole("button", { name, exact: true });
    await button.focus();
    await page.keyboard.press("Enter");
    await button.waitFor({ state: "detached" });
    await focused(page);
    await close();
  }
});

test("a click beside all controls leaves them", async () => {
  const { page, close } = await at.open();
  await pane(page).focus();
  await page.evaluate(() => document.activeElement.blur());
  // Longer than the page waits.
  const someFrames = async () => {
    for (let frame = 0; frame < 6; frame++)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  };
  await someFrames();
  await page.evaluate(() => document.querySelector("main").append(document.createElement("i")));
  await someFrames();
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await close();
});
