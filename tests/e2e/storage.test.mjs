// Tests stored plans: saving, restore points, two tabs, and browsers without storage or room.

import assert from "node:assert/strict";
import { test } from "node:test";
import { barriers, command, dialog, plans, planText, rows, saved } from "./share.mjs";
import { downloadFrom, pane, replacePlanText, stage, typeValue } from "./page-fixture.mjs";

const at = stage();
const { open } = at;

const FIRST_PLAN = "# one\nnodes:\n  a: {type: log, input: one}\n";
const TWO = "# two\nnodes:\n  a: {type: log, input: two}\n";
const THREE = "# three\nnodes:\n  a: {type: log, input: three}\n";

test("typed text survives a reload, and an immediate close of the page", async () => {
  const { page, context, close } = await open();
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  await page.reload();
  await planText(page, FIRST_PLAN);
  await replacePlanText(page, TWO);
  await page.reload();
  await planText(page, TWO);
  await replacePlanText(page, THREE);
  await page.close();
  const next = await context.newPage();
  await next.goto(at.url);
  await planText(next, THREE);
  await close();
});

test("plans are listed, renamed, doubled, deleted and brought back", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  let list = await plans(page);
  await list.getByRole("button", { name: /^Rename / }).click();
  await typeValue(list.getByRole("textbox", { name: "Name" }), "My plan");
  await page.keyboard.press("Enter");
  await list.getByRole("button", { name: "Open My plan" }).waitFor();
  await list.getByRole("button", { name: "Duplicate My plan" }).click();
  await list.getByRole("button", { name: "Open My plan 2" }).waitFor();
  await shot("plans");
  await list.getByRole("button", { name: "Delete My plan 2" }).click();
  await list.getByText("Deleted “My plan 2”.").waitFor();
  await list.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("button", { name: "Open My plan 2" }).click();
  await list.waitFor({ state: "hidden" });
  await replacePlanText(page, TWO);
  await saved(page);
  list = await plans(page);
  await list.getByRole("button", { name: "Open My plan", exact: true }).click();
  await planText(page, FIRST_PLAN);
  await close();
});

test("a restore point is created on request, compared and restored, and the restore can be undone", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  const show = async () => {
    await command(page, "Restore points");
    const points = dialog(page, "Restore points");
    await points.waitFor();
    return points;
  };
  let points = await show();
  await points.getByRole("textbox", { name: "Name of the restore point" }).fill("before I change it");
  await points.getByRole("button", { name: "Save this version" }).click();
  await points.getByRole("button", { name: /before I change it/ }).waitFor();
  await page.keyboard.press("Escape");
  await replacePlanText(page, TWO);
  await saved(page);
  points = await show();
  await points.getByRole("button", { name: /before I change it/ }).click();
  const difference = points.getByRole("region", { name: "Differences from the current text" });
  await difference.getByText("# one").waitFor();
  await difference.getByText("# two").waitFor();
  await shot("points");
  assert.deepEqual(await barriers(page), []);
  await points.getByRole("button", { name: "Restore this version" }).click();
  await planText(page, FIRST_PLAN);
  points = await show();
  await points.getByRole("button", { name: /before a restore/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo", exact: true }).first().click();
  await planText(page, TWO);
  await close();
});

test("one of two tabs edits; the other shows the plan, takes over or saves a copy, and nothing is lost", async () => {
  const { page, context, shot, close } = await open();
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByText("This plan is being edited in another tab").waitFor();
  await planText(other, FIRST_PLAN);
  await replacePlanText(page, TWO);
  await planText(other, TWO);
  await other.getByRole("button", { name: "Edit here" }).click();
  await page.getByText("Another tab now edits this plan").waitFor();
  await shot("two-tabs");
  await replacePlanText(other, THREE);
  await saved(other);
  await planText(page, THREE);
  await page.getByRole("button", { name: "Keep a copy" }).click();
  await page.getByText("Another tab now edits this plan").waitFor({ state: "detached" });
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  await planText(other, THREE);
  const list = await plans(page);
  await rows(list).nth(1).waitFor();
  await close();
});

test("when the editing tab closes, the other tab edits, with the last typed text", async () => {
  const { page, context, close } = await open();
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  const other = await context.newPage();
  await other.goto(page.url());
  const banner = other.getByText("This plan is being edited in another tab");
  await banner.waitFor();
  await planText(other, FIRST_PLAN);
  await replacePlanText(page, TWO);
  await page.close();
  await other
    .getByRole("status")
    .filter({ hasText: "The other tab is closed. This tab now edits the plan." })
    .first()
    .waitFor({ state: "attached" });
  await banner.waitFor({ state: "detached" });
  await planText(other, TWO);
  await replacePlanText(other, THREE);
  await saved(other);
  await other.reload();
  await planText(other, THREE);
  assert.equal(await banner.count(), 0);
  await close();
});

test("the page reports a browser without storage, and keeps plans in memory", async () => {
  const { page, shot, close } = await open("", { deny: true });
  await page.getByText("This browser does not let the page save anything").waitFor();
  await replacePlanText(page, FIRST_PLAN);
  await page.getByText("In memory only").waitFor();
  await shot("storage-denied");
  assert.deepEqual(await barriers(page), []);
  const list = await plans(page);
  await list.getByRole("button", { name: "New plan" }).click();
  await list.waitFor({ state: "hidden" });
  await rows(await plans(page))
    .nth(1)
    .click();
  await planText(page, FIRST_PLAN);
  await close();
});

test("without storage, the plan can be downloaded", async () => {
  const { page, close } = await open("", { deny: true });
  await page.getByText("This browser does not let the page save anything").waitFor();
  const { name } = await downloadFrom(page, () => page.getByRole("button", { name: "Download" }).click());
  assert.match(name, /\.yaml$/);
  await close();
});

test("the page reports a full disk, keeps the open plan and saves again when there is space", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(page, FIRST_PLAN);
  await saved(page);
  await page.evaluate(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function full(...args) {
      if (!window.full) return put.apply(this, args);
      throw new DOMException("no room", "QuotaExceededError");
    };
    window.full = true;
  });
  await replacePlanText(page, TWO);
  await page.getByText("The browser's storage is full, so this plan is not saved").first().waitFor();
  await shot("storage-full");
  const list = await plans(page);
  await list.getByRole("button", { name: "New plan" }).click();
  await planText(page, TWO);
  await page.keyboard.press("Escape");
  await page.evaluate(() => {
    window.full = false;
  });
  await pane(page).press("End");
  await replacePlanText(page, THREE);
  await saved(page);
  await page.locator(".share-banner").waitFor({ state: "detached" });
  await page.reload();
  await planText(page, THREE);
  await close();
});

test("dates follow the visitor's region in the page's language", async () => {
  const dayFirst = /^\d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d(?!\s[AP]M)/;
  for (const [lang, path, written] of [
    ["en-GB", "", dayFirst],
    ["en-US", "", /^\d+\/\d+\/\d{4}, \d+:\d\d:\d\d\s[AP]M/],
    ["de-DE", "?lang=en", dayFirst],
    ["en-US", "?lang=es", /^\d+\/\d+\/\d{4}, \d+:\d\d:\d\d(?!\s[AP]M)/],
  ]) {
    const { page, close } = await open(path, { lang });
    await replacePlanText(page, FIRST_PLAN);
    await page.locator(".share-name").click();
    const time = page.getByRole("dialog").locator("small").first();
    await time.waitFor();
    assert.match(await time.textContent(), written, `${lang} ${path}`);
    await close();
  }
});

test("the page saves large plans", async () => {
  const { page, close } = await open();
  const large = `# large\nnodes:\n  a: {type: log, input: "${"x".repeat(3_000_000)}"}\n`;
  await replacePlanText(page, large);
  await saved(page);
  await page.reload();
  await planText(page, "# large\nnodes:");
  await close();
});

test("a reloaded plan shows its beginning, wherever its text was scrolled", async () => {
  const { page, close } = await open();
  const nodes = Array.from({ length: 400 }, (_, at) => `  n${at}: {type: log, input: x}\n`).join("");
  const plan = `# many\nnodes:\n${nodes}`;
  await replacePlanText(page, plan);
  await saved(page);
  const scroller = page.locator(".cm-scroller");
  assert.ok((await scroller.evaluate((element) => element.scrollTop)) > 1000);
  await page.reload();
  await planText(page, plan);
  assert.equal(await scroller.evaluate((element) => element.scrollTop), 0);
  await close();
});
