// Tests where a plan's name comes from, that header, tab title and list of plans agree, and renaming.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plans, rows, saved } from "./share.mjs";
import { pane, replacePlanText, stage, typeValue } from "./page-fixture.mjs";

const { open } = stage();

const plan = (id) =>
  `id: ${id}\nnodes:\n  ask: {type: approve, description: Go on?}\n  done: {type: log, input: hi}\nedges:\n  - {from: ask, to: done}\n`;

const name = (page, text) => page.locator(".share-name span").getByText(text, { exact: true }).waitFor();
const titleIs = (page, title) => page.waitForFunction((title) => document.title === title, title);

async function listed(page) {
  const list = await plans(page);
  await rows(list).first().waitFor();
  const names = await rows(list).allTextContents();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  return names;
}

async function openFromGallery(page, title) {
  await page.getByRole("button", { name: "Gallery", exact: true }).click();
  const gallery = page.getByRole("dialog", { name: "Gallery", exact: true });
  await gallery.getByRole("listitem").getByRole("button", { name: title, exact: true }).click();
  await gallery.waitFor({ state: "hidden" });
}

test("the tab's title has the plan's name, and what needs the user", async () => {
  const { page, close } = await open();
  await replacePlanText(page, plan("send-news"));
  await titleIs(page, "send-news · Stepgraph");
  await page.keyboard.press("F5");
  await titleIs(page, "Waiting for your answer to ask · send-news · Stepgraph");
  await page.getByRole("region", { name: "Panels" }).getByRole("button", { name: "Approve" }).click();
  await titleIs(page, "send-news · Stepgraph");
  await replacePlanText(
    page,
    'id: broken-call\nnodes:\n  a: {type: tool, tool: send_fax, input: {number: "1", text: hi}}\n',
  );
  await titleIs(page, "broken-call · Stepgraph");
  await page.keyboard.press("F5");
  await titleIs(page, "Failed at a · broken-call · Stepgraph");
  await replacePlanText(page, plan("send-news"));
  await titleIs(page, "send-news · Stepgraph");
  await close();
});

test("the title of a gallery plan gives way to the name that the text gets, and the list agrees", async () => {
  const { page, close } = await open();
  const title = "Branches";
  await openFromGallery(page, title);
  await name(page, title);
  await replacePlanText(page, plan("another-plan"));
  await name(page, "another-plan");
  await saved(page);
  assert.ok((await listed(page)).includes("another-plan"));
  await page.reload();
  await name(page, "another-plan");
  await close();
});

test("a name that the user chose stays, also if an id equals it while it is typed", async () => {
  const { page, close } = await open();
  await replacePlanText(page, plan("a"));
  await saved(page);
  const list = await plans(page);
  await list.getByRole("button", { name: "Rename a", exact: true }).click();
  await typeValue(list.getByRole("textbox", { name: "Name" }), "mail");
  await page.keyboard.press("Enter");
  await name(page, "mail");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  for (const id of ["m", "mail", "mail-triage"]) {
    await replacePlanText(page, plan(id));
    await page.locator(".inspector input").first().waitFor();
    await page.waitForFunction((id) => document.querySelector(".inspector input")?.value === id, id);
    await name(page, "mail");
  }
  await saved(page);
  assert.ok((await listed(page)).includes("mail"));
  await close();
});

test("renaming begins in the field, Escape leaves the name, and a second Escape closes the dialog", async () => {
  const { page, close } = await open();
  await replacePlanText(page, plan("old-name"));
  await saved(page);
  const list = await plans(page);
  const rename = list.getByRole("button", { name: "Rename old-name", exact: true });
  const field = list.getByRole("textbox", { name: "Name", exact: true });
  await rename.click();
  await field.and(page.locator(":focus")).waitFor();
  assert.deepEqual(await field.evaluate((input) => [input.selectionStart, input.selectionEnd]), [0, "old-name".length]);
  await page.keyboard.type("unwanted");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  assert.ok(await list.isVisible());
  await list.getByRole("button", { name: "Open old-name", exact: true }).waitFor();
  await rename.click();
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await rename.click();
  await page.keyboard.type("new-name");
  await page.keyboard.press("Enter");
  await list.getByRole("button", { name: "Open new-name", exact: true }).waitFor();
  await name(page, "new-name");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement !== null && document.activeElement !== document.body);
  await pane(page).focus();
  await close();
});
