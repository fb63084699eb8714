// Tests that a form's field changes its own place in the text, and edits of the text show in the form.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pane, reads, stage, replacePlanText, typeValue } from "./page-fixture.mjs";

const { open } = stage();

const PLAN = `# a shop: é
id: shop
limits: {visits: 25} # as usual
inputs:
  order: {type: string}
nodes:
  look: # finds it
    type: find
    input:
      query: "\${input.order}" # what they said
      limit: 5
      exact: true
  answer:
    type: llm
    with: {model: default, temperature: 0.5} # calm
    input: Thanks
    retry: {attempts: 3}
  sorry: {type: log, input: none}
edges:
  - {from: look, to: answer, condition: last.total>=10 && last.kind==book} # enough
  - {from: look, to: sorry}
`;

const form = (page) => page.getByRole("region", { name: /^(Inspector|Form|Formulario)$/ });

async function opened(options) {
  const stage = await open("", options);
  await replacePlanText(stage.page, PLAN);
  return stage;
}

async function selectNode(page, name) {
  await page.locator(`.canvas .node .card[aria-label^="${name}"]`).click();
  const isNamed = (name) => document.querySelector(".form #node-name")?.value === name;
  await page.waitForFunction(isNamed, name);
}

const field = (page, name) => form(page).getByLabel(name, { exact: true });

test("fields of each kind change their own place in the text, and nothing else", async () => {
  const { page, shot, close } = await opened();
  await selectNode(page, "answer");
  let now = PLAN;
  const expect = async (from, to) => {
    now = now.replace(from, to);
    await reads(page, now);
  };
  await field(page, "Input").fill("Thanks, ${last.total}");
  await expect("input: Thanks\n", "input: Thanks, ${last.total}\n");
  await shot("inspector-node");
  await form(page).getByText("More settings").click();
  await field(page, "Temperature").fill("1");
  await expect("temperature: 0.5", "temperature: 1");
  await field(page, "Most tokens").fill("100");
  await expect("temperature: 1}", "temperature: 1, max_tokens: 100}");
  await field(page, "Templates").selectOption({ label: "no" });
  await expect("max_tokens: 100}", "max_tokens: 100, templates: false}");
  await form(page).getByRole("button", { name: "Clear Templates" }).click();
  await expect(", templates: false", "");
  await field(page, "Model").fill("large");
  await expect("model: default", "model: large");
  await form(page).getByText("Attempts, time and visits").click();
  await field(page, "Attempts").fill("4");
  await expect("attempts: 3", "attempts: 4");
  await shot("inspector-open");
  await selectNode(page, "look");
  await field(page, "exact").selectOption({ label: "no" });
  await expect("exact: true", "exact: false");
  await form(page).getByLabel("Name of the new entry of Input").fill("sort");
  await form(page).getByRole("button", { name: "Add to Input" }).click();
  await expect("exact: false\n", 'exact: false\n      sort: ""\n');
  await form(page).getByRole("button", { name: "Remove limit" }).click();
  await expect("      limit: 5\n", "");
  await close();
});

test("an invalid value stays in its field with an error and is not written", async () => {
  const { page, shot, close } = await opened();
  await selectNode(page, "look");
  const limit = field(page, "limit");
  await limit.fill("5x");
  await form(page).getByText("this is no number: write one such as 12 or 0.5").waitFor();
  assert.equal(await limit.getAttribute("aria-invalid"), "true");
  await shot("inspector-mistake");
  await limit.blur();
  assert.equal(await limit.inputValue(), "5x");
  await reads(page, PLAN);
  await limit.fill("7");
  await reads(page, PLAN.replace("limit: 5", "limit: 7"));
  assert.equal(await limit.getAttribute("aria-invalid"), "false");
  await close();
});

test("one visit of a field is one undo step, and undo works inside the field", async () => {
  const { page, close } = await opened();
  await selectNode(page, "look");
  const limit = field(page, "limit");
  await limit.press("End");
  await limit.pressSequentially("042");
  await reads(page, PLAN.replace("limit: 5", "limit: 5042"));
  await limit.press("ControlOrMeta+z");
  await reads(page, PLAN);
  assert.equal(await limit.inputValue(), "5");
  assert.ok(await limit.evaluate((element) => element === document.activeElement), "the focus stays");
  await limit.press("ControlOrMeta+Shift+z");
  await reads(page, PLAN.replace("limit: 5", "limit: 5042"));
  assert.equal(await limit.inputValue(), "5042");
  await close();
});

test("form and text are edited in turns, and neither overwrites the other", async () => {
  const { page, close } = await opened();
  await selectNode(page, "answer");
  const input = field(page, "Input");
  await input.fill("One");
  const first = PLAN.replace("input: Thanks", "input: One");
  await reads(page, first);
  await replacePlanText(page, first.replace("input: One", "input: Two").replace("# calm", "# very calm"));
  await page.waitForFunction((element) => element.value === "Two", await input.elementHandle());
  await input.press("End");
  await input.pressSequentially("!");
  await reads(page, first.replace("input: One", "input: Two!").replace("# calm", "# very calm"));
  assert.ok(await input.evaluate((element) => element === document.activeElement));
  await form(page)
    .getByRole("button", { name: /^Show Input in the text, line 16/ })
    .click();
  await page.waitForFunction(() => document.activeElement?.matches(".cm-content, textarea"));
  await close();
});

test("rows build a condition, and untouched parts stay verbatim", async () => {
  const { page, shot, close } = await opened();
  await selectNode(page, "look");
  await form(page)
    .getByRole("button", { name: /Edit edge to answer/ })
    .click();
  await form(page).getByLabel("Value, 1").waitFor();
  assert.equal(await form(page).getByLabel("Value, 1").inputValue(), "last.total");
  await form(page).getByLabel("Compared with, 2").fill("toy && more");
  const quoted = /condition: '?last\.total>=10 && last\.kind == "toy && more"'?\} # enough/;
  await page.waitForFunction(
    ([element, source]) => new RegExp(source).test(element.textContent),
    [await pane(page).elementHandle(), quoted.source],
  );
  await shot("inspector-condition");
  await form(page).getByLabel("Operator, 2").selectOption({ label: "does not exist" });
  await page.waitForFunction(
    (element) => element.textContent.includes("!(last.kind.exists)"),
    await pane(page).elementHandle(),
  );
  await form(page).getByRole("button", { name: "Remove condition 2" }).click();
  await reads(page, PLAN.replace("last.total>=10 && last.kind==book", "last.total>=10"));
  await form(page).getByRole("button", { name: "Add a condition" }).click();
  await form(page).getByLabel("Value, 2").fill("output.look.kind");
  await form(page).getByLabel("Compared with, 2").fill("toy");
  await form(page).getByLabel("Take this edge if").last().selectOption({ label: "any of these is true" });
  await reads(page, PLAN.replace("last.total>=10 && last.kind==book", 'last.total>=10 || output.look.kind == "toy"'));
  await form(page).getByRole("button", { name: "As text" }).click();
  const condition = field(page, "Condition");
  await condition.fill("last = x");
  await form(page).locator(".trouble.error").first().waitFor();
  await reads(page, PLAN.replace("last.total>=10 && last.kind==book", 'last.total>=10 || output.look.kind == "toy"'));
  await close();
});

test("a new condition has a value that the check accepts", async () => {
  const { page, shot, close } = await opened();
  const plan = (condition) =>
    `id: shop\nnodes:\n  look: {type: tool, tool: get_order, input: {order_id: A1}}\n  b: {type: log}\nedges:\n  - {from: look, to: b${condition}}\n`;
  await replacePlanText(page, plan(""));
  await selectNode(page, "look");
  await form(page)
    .getByRole("button", { name: /Edit edge to b/ })
    .click();
  await form(page).getByRole("button", { name: "Add a condition" }).click();
  await reads(page, plan(", condition: last.status == processing"));
  assert.equal(await form(page).locator(".trouble.error").count(), 0);
  await shot("inspector-new-condition");
  // An empty value is what the check refuses.
  await form(page).getByLabel("Compared with, 1").fill("");
  await form(page).locator(".trouble.error").first().waitFor();
  await close();
});

test("values are found and put in where the cursor is", async () => {
  const { page, shot, close } = await opened();
  await selectNode(page, "answer");
  const input = field(page, "Input");
  await input.press("End");
  await form(page).getByRole("button", { name: "Insert a reference into Input" }).click();
  const search = form(page).getByRole("combobox", { name: "Find a value" });
  await search.fill("order");
  await form(page).getByRole("listbox", { name: "Available values" }).getByRole("option").first().waitFor();
  await shot("inspector-picker");
  await search.press("Enter");
  await reads(page, PLAN.replace("input: Thanks\n", "input: Thanks${input.order}\n"));
  await page.waitForFunction((element) => element === document.activeElement, await input.elementHandle());
  await input.pressSequentially("!");
  assert.equal(await input.inputValue(), "Thanks${input.order}!");
  await close();
});

test("a node is renamed everywhere, retyped with a warning, and its last edge stays last", async () => {
  const { page, shot, close } = await opened();
  await selectNode(page, "answer");
  await field(page, "Type").selectOption("log");
  await form(page)
    .getByText(/A log node does not use with\.model, with\.temperature/)
    .waitFor();
  await shot("inspector-retype");
  await form(page).getByRole("button", { name: "Keep type" }).click();
  await reads(page, PLAN);
  await selectNode(page, "sorry");
  await field(page, "Type").selectOption("noop");
  await reads(page, PLAN.replace("{type: log, input: none}", "{type: noop, input: none}"));
  await page.keyboard.press("ControlOrMeta+z");
  await reads(page, PLAN);
  const name = field(page, "Name");
  await typeValue(name, "look");
  await name.press("Enter");
  await form(page).getByRole("alert").filter({ hasText: "look" }).waitFor();
  await reads(page, PLAN);
  await typeValue(name, "regret");
  await name.press("Enter");
  await reads(page, PLAN.replaceAll("sorry", "regret"));
  await selectNode(page, "look");
  // Without a condition, it is the last one anyway.
  assert.equal(await form(page).getByRole("button", { name: "Move to regret up" }).isDisabled(), true);
  await form(page).getByLabel("Add an edge to").selectOption("regret");
  await page.waitForFunction(
    (element) => element.textContent.split("to: regret").length === 3,
    await pane(page).elementHandle(),
  );
  await close();
});

const BRANCHES = `start: look
nodes: {look: {type: find}, rest: {type: log}, low: {type: log}, high: {type: log}}
edges:
`;
const [REST, LOW, HIGH] = [
  "  - {from: look, to: rest}\n",
  "  - {from: look, to: low, condition: last < 3}\n",
  "  - {from: look, to: high, condition: last > 7}\n",
];

test("edges with conditions are put in order, and the one without is the last, wherever it is written", async () => {
  const { page, close } = await open();
  await replacePlanText(page, BRANCHES + REST + LOW + HIGH);
  await selectNode(page, "look");
  const move = (name) => form(page).getByRole("button", { name, exact: true });
  await move("Move to high, if last > 7 up").click();
  await reads(page, BRANCHES + REST + HIGH + LOW);
  await move("Move to high, if last > 7 down").click();
  await reads(page, BRANCHES + REST + LOW + HIGH);
  for (const name of ["Move to low, if last < 3 up", "Move to high, if last > 7 down", "Move to rest up"])
    assert.equal(await move(name).isDisabled(), true, name);
  await close();
});

test("the plan, an edge and several nodes have forms, also in Spanish", async () => {
  const { page, shot, close } = await opened({ lang: "es-ES" });
  await page.locator(".canvas").click({ position: { x: 8, y: 8 } });
  await form(page).getByRole("heading", { name: "Plan" }).waitFor();
  await form(page).getByText("Límites", { exact: true }).click();
  await field(page, "Visitas de cada nodo").fill("30");
  await reads(page, PLAN.replace("visits: 25", "visits: 30"));
  await shot("inspector-plan-es");
  await selectNode(page, "answer");
  await field(page, "Descripción").fill("Da las gracias");
  await page.waitForFunction(
    (element) => element.textContent.includes("description: Da las gracias"),
    await pane(page).elementHandle(),
  );
  await page.locator('.canvas .node .card[aria-label^="sorry"]').click({ modifiers: ["Shift"] });
  await form(page).getByRole("heading", { name: "2 nodos" }).waitFor();
  await form(page).getByRole("button", { name: "Bordes izquierdos" }).click();
  await page.waitForFunction((element) => element.textContent.includes("layout:"), await pane(page).elementHandle());
  await shot("inspector-several-es");
  await close();
});

test("an unreadable text has no form, and a form fixes a text with errors", async () => {
  const { page, close } = await opened();
  await selectNode(page, "look");
  await replacePlanText(page, `${PLAN}\n]`);
  await form(page).getByText("The text has a syntax error").waitFor();
  await replacePlanText(page, PLAN.replace("temperature: 0.5", "temperature: 7"));
  await page.locator('.canvas .node .card[aria-label^="answer"]').click();
  await form(page).getByText("More settings").waitFor();
  const temperature = field(page, "Temperature");
  await temperature.waitFor();
  assert.equal(await temperature.getAttribute("aria-invalid"), "true");
  await temperature.fill("0.7");
  await reads(page, PLAN.replace("temperature: 0.5", "temperature: 0.7"));
  await close();
});

for (const [name, options] of [
  ["inspector-dark", { theme: "dark" }],
  ["inspector-tablet", { viewport: { width: 1024, height: 768 } }],
  ["inspector-phone", { viewport: { width: 390, height: 844 }, hasTouch: true, theme: "dark" }],
]) {
  test(`the form can be looked at: ${name}`, async () => {
    const { page, shot, close } = await open("", options);
    await page
      .locator(".canvas .node .card")
      .nth(1)
      .click({ force: true })
      .catch(() => {});
    await shot(name);
    await close();
  });
}

test("a node's note is written as comments, undone, and absent in JSON", async () => {
  const text = "nodes:\n  # Asks first.\n  a: {type: log} # loud\n  b: {type: noop}\n";
  const { page, shot, close } = await open();
  await replacePlanText(page, text);
  const card = (key) => page.locator(".canvas .card .title", { hasText: new RegExp(`^${key}$`) });
  const note = page.getByRole("textbox", { name: "Note" });
  await card("a").click();
  assert.equal(await note.inputValue(), "Asks first.\nloud");
  await typeValue(note, "Asks the customer.\n\nThen waits.");
  await note.blur();
  await reads(page, "nodes:\n  # Asks the customer.\n  #\n  # Then waits.\n  a: {type: log}\n  b: {type: noop}\n");
  await shot("note");
  await card("b").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Add or edit note" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "node-note");
  await page.keyboard.type("Waits.");
  await page.keyboard.press("Tab");
  await reads(page, /\n {2}# Waits\.\n {2}b: /);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await reads(page, text);
  await replacePlanText(page, '{\n  "nodes": {\n    "a": {"type": "log"}\n  }\n}\n');
  await card("a").click();
  await page.getByRole("textbox", { name: "Name" }).first().waitFor();
  await note.waitFor({ state: "detached" });
  await close();
});
