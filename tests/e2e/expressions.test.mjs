// Tests conditions and inputs made by choosing: rows, suggestions, and the picker of values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { reads, replacePlanText, stage } from "./page-fixture.mjs";

const { open } = stage();

const PLAN = `id: budget
inputs:
  budget: {type: number}
  names: {type: array, items: {type: string}, default: [a]}
nodes:
  cart:
    type: set
    with: {values: {total: 12, items: [tea, cup]}}
  ask: {type: log, input: too much}
  buy: {type: log, input: bought}
edges:
  - {from: cart, to: ask, condition: last.total * 2 > input.budget} # twice
  - {from: cart, to: buy}
`;

const form = (page) => page.getByRole("region", { name: /^(Inspector|Form|Formulario)$/ });
const row = (page, number) => form(page).getByRole("group", { name: `Condition ${number}`, exact: true });

async function openEdge(page, to = "ask") {
  await page.locator('.canvas .node .card[aria-label^="cart"]').click();
  await form(page)
    .getByRole("button", { name: new RegExp(`Edit edge to ${to}`) })
    .click();
}

async function opened(options) {
  const stage = await open("", options);
  await replacePlanText(stage.page, PLAN);
  return stage;
}

const changed = (condition) => PLAN.replace("last.total * 2 > input.budget", condition);

test("values are compared with values and sizes with numbers, by choosing, and the plan runs so", async () => {
  const { page, shot, close } = await opened();
  await openEdge(page);
  const expression = row(page, 1).getByRole("combobox", { name: "Expression, 1" });
  assert.equal(await expression.inputValue(), "last.total * 2 > input.budget");
  await shot("expression-row");
  // Opening changes nothing, and a part that computes stays beside the new rows.
  await reads(page, PLAN);
  await form(page).getByRole("button", { name: "Add a condition" }).click();
  await row(page, 2).getByLabel("Value, 2").fill("last.total");
  await row(page, 2).getByLabel("Operator, 2").selectOption({ label: "is greater than" });
  await row(page, 2).getByLabel("Kind of comparison, 2").selectOption({ label: "another value" });
  const other = row(page, 2).getByRole("combobox", { name: "Compared with, 2" });
  await page.waitForFunction((element) => element === document.activeElement, await other.elementHandle());
  await other.fill("budg");
  await row(page, 2)
    .getByRole("option", { name: /input\.budget/ })
    .click();
  await reads(page, changed("last.total * 2 > input.budget && last.total > input.budget"));
  await shot("expression-other-value");
  await form(page).getByRole("button", { name: "Add a condition" }).click();
  await row(page, 3).getByLabel("Value, 3").fill("last.items");
  await row(page, 3).getByLabel("Operator, 3").selectOption({ label: "is larger in size than" });
  await row(page, 3).getByLabel("Compared with, 3").fill("1");
  await reads(page, changed("last.total * 2 > input.budget && last.total > input.budget && size(last.items) > 1"));
  await form(page).getByRole("button", { name: "Remove condition 1" }).click();
  await reads(page, changed("last.total > input.budget && size(last.items) > 1"));
  assert.deepEqual(await violations(page, [".form"]), []);
  await shot("expression-rows");
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await shot("expression-input");
  await page.getByRole("region", { name: "Panels" }).getByLabel("budget").fill("10");
  const run = page.getByRole("group", { name: "Run", exact: true });
  await run.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("region", { name: "Panels" }).getByText("run completed in").first().waitFor();
  await page.getByRole("region", { name: "Panels" }).getByText("too much").first().waitFor();
  await openEdge(page);
  await row(page, 2).getByRole("img", { name: "true for the run's values" }).waitFor();
  await shot("expression-run");
  await close();
});

async function tabTo(page, name) {
  for (let presses = 0; presses < 20; presses += 1) {
    const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    if (label === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`no Tab leads to ${name}`);
}

test("a row is filled in with the keyboard alone", async () => {
  const { page, close } = await opened();
  await openEdge(page);
  await form(page).getByRole("button", { name: "Add a condition" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Value, 2");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("last.items");
  await tabTo(page, "Operator, 2");
  await page.keyboard.type("is larger");
  await tabTo(page, "Compared with, 2");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("1");
  await reads(page, changed("last.total * 2 > input.budget && size(last.items) > 1"));
  await tabTo(page, "Add an alternative to 2");
  await close();
});

test("an expression has suggestions, and what is wrong with it stands under it", async () => {
  const { page, shot, close } = await opened();
  await openEdge(page);
  const expression = row(page, 1).getByRole("combobox", { name: "Expression, 1" });
  await expression.fill("siz");
  await row(page, 1).getByRole("option", { name: /^size/ }).first().waitFor();
  await shot("expression-suggestions");
  assert.deepEqual(await violations(page, [".form"]), []);
  await expression.press("ArrowDown");
  await expression.press("Enter");
  assert.equal(await expression.inputValue(), "size(");
  await expression.pressSequentially("input.names) > ");
  await row(page, 1).locator(".trouble.error").first().waitFor();
  await shot("expression-mistake");
  await reads(page, changed("size(input.names)"));
  await expression.pressSequentially("input.budget");
  await reads(page, changed("size(input.names) > input.budget"));
  assert.equal(await row(page, 1).locator(".trouble.error").count(), 0);
  await expression.fill("last.total > 3 && size(last.items) > 2");
  await reads(page, changed("size(input.names) > input.budget"));
  await expression.press("Enter");
  await reads(page, changed("last.total > 3 && size(last.items) > 2"));
  await row(page, 2).waitFor();
  await form(page).getByRole("button", { name: "As text" }).click();
  const text = form(page).getByLabel("Condition", { exact: true });
  await text.fill("last.total > (input.budget");
  await form(page).locator(".trouble.error").first().waitFor();
  await close();
});

test("the picker offers what can be done with a value, and selects the place to fill in", async () => {
  const { page, shot, close } = await opened();
  await page.locator('.canvas .node .card[aria-label^="buy"]').click();
  const input = form(page).getByLabel("Input", { exact: true });
  await input.fill("For ");
  await form(page).getByRole("button", { name: "Insert a reference into Input" }).click();
  const search = form(page).getByRole("combobox", { name: "Find a value" });
  await search.fill("names");
  await search.press("ArrowRight");
  const actions = form(page).getByRole("listbox", { name: "Do something with input.names" });
  await actions.getByRole("option", { name: /^size/ }).waitFor();
  await shot("expression-actions");
  assert.deepEqual(await violations(page, [".form"]), []);
  await form(page).getByRole("combobox", { name: "Do something with input.names" }).fill("join");
  await page.keyboard.press("Enter");
  assert.equal(await input.inputValue(), 'For ${input.names.join(", ")}');
  const selected = await input.evaluate((element) => element.value.slice(element.selectionStart, element.selectionEnd));
  assert.equal(selected, '", "');
  await page.keyboard.type('" and "');
  const quoted = JSON.stringify('For ${input.names.join(" and ")}');
  await reads(page, PLAN.replace("input: bought", `input: ${quoted}`));
  await close();
});
