// Tests runs as objects: their states, forks with their parents, and the first difference.

import assert from "node:assert/strict";
import { test } from "node:test";
import { downloadFrom, editorText, reads, stage, replacePlanText } from "./page-fixture.mjs";
import { saved } from "./share.mjs";

const { open } = stage();
const PLAN = `id: ask-ada
inputs:
  tone: {type: string, default: kind}
  count: {type: integer}
nodes:
  begin: {type: noop}
  ask: {type: approve, description: Shall we send it?, input: a draft}
  send: {type: log, input: sent}
edges:
  - {from: begin, to: ask}
  - {from: ask, to: send, condition: last==approved}
`;

async function opened(options = {}) {
  const it = await open("", options);
  const { page } = it;
  const stands = page.locator(".run-status");
  return {
    ...it,
    panel: page.getByRole("region", { name: /^(Panels|Paneles)$/ }),
    press: (name) =>
      page.getByRole("group", { name: "Run", exact: true }).getByRole("button", { name, exact: true }).click(),
    standsAt: (text) => stands.filter({ hasText: text }).waitFor(),
  };
}

test("the bar says how the run stands, also with a closed panel, and an approval shows the plan's question", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  await replacePlanText(page, PLAN.replace(/inputs:\n(?: {2}.*\n){2}/, ""));
  await press("Step");
  await standsAt("Paused before begin · step");
  await press("Resume");
  await standsAt("Waiting for your answer to ask");
  await panel.getByRole("heading", { name: "Shall we send it?" }).waitFor();
  await shot("runs-approval");
  await page.getByRole("button", { name: "Hide the panel" }).or(panel.locator(".turn")).first().click();
  await standsAt("Waiting for your answer to ask");
  await panel.locator(".turn").click();
  await panel.getByRole("button", { name: "Approve" }).click();
  await standsAt("Run completed in");
  await press("Run");
  await standsAt("Waiting for your answer to ask");
  await panel.getByRole("button", { name: "Reject" }).click();
  await standsAt("Rejected: ask · run ended after");
  const ask = page.locator(".canvas .node.rejected");
  await ask.getByText("✕", { exact: false }).waitFor();
  assert.match(await ask.locator(".card").getAttribute("aria-label"), /rejected/);
  await panel.locator('.line[data-fate="rejected"]').first().waitFor();
  await page.locator('.run-status[data-fate="rejected"]').waitFor();
  await panel.getByText("Runs of this plan (2)").click();
  await panel.getByRole("button", { name: /^Run 2 · rejected · / }).waitFor();
  await panel.getByRole("button", { name: /^Run 1 · run completed in/ }).waitFor();
  await shot("runs-rejected");
  await close();
});

test("an input with a default shows it and isn't required", async () => {
  const { page, panel, close } = await opened();
  await replacePlanText(page, PLAN);
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  const tone = panel.getByRole("textbox", { name: /^tone/ });
  await panel.getByText("Default: kind").waitFor();
  assert.equal(await tone.getAttribute("aria-required"), "false");
  assert.equal(await tone.getAttribute("placeholder"), "kind");
  assert.equal(await panel.getByRole("textbox", { name: /^count/ }).getAttribute("aria-required"), "true");
  await close();
});

test("a fork and its parent are in the history, and the first difference of two runs is marked", async () => {
  const { panel, press, standsAt, shot, close } = await opened();
  await press("Run");
  await standsAt("Run completed in");
  const detail = panel.getByRole("region", { name: "Values" });
  await panel.getByRole("table", { name: "Timeline" }).getByRole("button", { name: /^ask/ }).first().click();
  await detail.getByRole("button", { name: "Fork from here" }).first().click();
  await detail.getByRole("textbox", { name: "Output" }).fill('"another answer"');
  await detail.getByRole("button", { name: "Fork", exact: true }).click();
  const history = panel.locator(".history");
  await history.getByText("Runs of this plan (2)").click();
  await history.getByRole("button", { name: /^Run 2 · fork of run 1 ·/ }).waitFor();
  await history.getByRole("button", { name: "Compare run 1" }).click();
  await history.getByRole("button", { name: "Compare run 2" }).click();
  await history.getByText(/^Runs 1 and 2 differ first at visit \d+$/).waitFor();
  assert.equal(await history.getByText("first difference", { exact: true }).count(), 1);
  await shot("runs-history");
  await history.getByRole("button", { name: /^Run 1 ·/ }).click();
  await history.locator('[aria-current="true"]', { hasText: "Run 1" }).waitFor();
  await history.getByText("Runs of this plan (2)").waitFor();
  await close();
});

/** Waits until the panel shows all of what `selectors` match. */
const inPanel = (page, ...selectors) =>
  page.waitForFunction((selectors) => {
    const panel = document.querySelector("#panel-contents").getBoundingClientRect();
    return selectors.every((selector) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box?.height > 0 && box.top >= panel.top - 1 && box.bottom <= panel.bottom + 1;
    });
  }, selectors);

test("a new question scrolls into view, with the text that the user approves", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  const draft = Array.from({ length: 30 }, (_, line) => `line ${line}`).join(", ");
  const plan = PLAN.replace(/inputs:\n(?: {2}.*\n){2}/, "").replace("input: a draft", `input: [${draft}]`);
  await replacePlanText(page, plan);
  await press("Run");
  await standsAt("Waiting for your answer to ask");
  await panel.getByRole("button", { name: "Approve" }).click();
  await standsAt("Run completed in");
  await panel.getByText("Runs of this plan (1)").click();
  await press("Step");
  await standsAt("Paused before begin");
  // The next question appears above what the user looks at.
  const contents = panel.locator("#panel-contents");
  assert.ok(
    await contents.evaluate((contents) => {
      contents.scrollTo(0, contents.scrollHeight);
      return contents.scrollTop > 0;
    }),
  );
  await press("Resume");
  await standsAt("Waiting for your answer to ask");
  await inPanel(page, ".question h3", ".question pre", ".question .main");
  await shot("runs-question-in-view");
  await close();
});

test("past runs are in view after a reload, and so is what opens below them", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  await replacePlanText(page, "id: cost\nnodes: {ask: {type: llm, with: {max_tokens: 100}, input: hi}}\n");
  await saved(page);
  const history = panel.locator(".history");
  for (const count of [1, 2]) {
    await press("Run");
    await standsAt("Run completed in");
    await history.getByText(`Runs of this plan (${count})`).waitFor();
  }
  await page.reload();
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await panel.locator(".cost").getByText("Cost of a run").waitFor();
  await inPanel(page, ".cost", ".history");
  assert.ok((await panel.locator(".cost").boundingBox()).height < 60);
  await shot("runs-reloaded");
  await history.getByText("Runs of this plan (2)").click();
  await inPanel(page, ".history li:last-child");
  await history.getByRole("button", { name: "Compare run 1" }).click();
  await history.getByRole("button", { name: "Compare run 2" }).click();
  await inPanel(page, ".history .comparison");
  await shot("runs-compared");
  const heads = await history.locator(".comparison th[scope=col]").allInnerTexts();
  for (const head of heads) assert.match(head, /^Run [12]\s+.*20\d\d.*\d:\d\d.* · plan [\da-f]{7}$/);
  await close();
});

test("a comparison shows values as text, and says that the plan was changed", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  const history = panel.locator(".history");
  for (const [at, n] of [7, 8].entries()) {
    await replacePlanText(page, `nodes: {a: {type: log, input: {order: {id: A-1, open: true}, n: ${n}}}}\n`);
    await press("Run");
    await standsAt("Run completed in");
    await history.getByText(`Runs of this plan (${at + 1})`).waitFor();
  }
  await history.getByText("Runs of this plan (2)").click();
  await history.getByRole("button", { name: "Compare run 1" }).click();
  await history.getByRole("button", { name: "Compare run 2" }).click();
  await history.getByText("The plan was changed between the two runs.").waitFor();
  await history.getByRole("cell", { name: "a order: (id: A-1, open: true), n: 7" }).waitFor();
  await history.getByRole("cell", { name: "a order: (id: A-1, open: true), n: 8" }).waitFor();
  await shot("runs-compared-values");
  await close();
});

test("a run becomes a test of the plan, with the expectations that the user chooses", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  await replacePlanText(page, "nodes:\n  a: {type: log, input: hi}\n  b: {type: log}\nedges: [{from: a, to: b}]\n");
  await press("Run");
  await standsAt("Run completed in");
  await panel.getByText("Save as test").click();
  await panel.getByRole("checkbox", { name: "the path" }).uncheck();
  await panel.getByRole("checkbox", { name: "the output of a" }).check();
  await shot("runs-save-test");
  const { name } = await downloadFrom(page, () => panel.getByRole("button", { name: "Download the test" }).click());
  assert.equal(name, "run.test.yaml");
  await panel.getByRole("button", { name: "Add to the plan" }).click();
  await reads(page, /tests:[\s\S]*expect:[\s\S]*outputs:/);
  assert.doesNotMatch(await editorText(page), /path:/);
  await page.getByRole("tab", { name: "Tests", exact: true }).click();
  await panel.getByRole("button", { name: "Run tests" }).click();
  await panel.getByText("passed").first().waitFor();
  await close();
});

test("the text of an input is no value of the inputs that a plan declares later", async () => {
  const { page, panel, press, standsAt, close } = await opened();
  await replacePlanText(page, "nodes:\n  a: {type: log}\n");
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await panel.getByRole("textbox", { name: "Input" }).fill("hola");
  await replacePlanText(
    page,
    "inputs:\n  tone: {type: string, default: kind}\nnodes:\n  a: {type: log, input: '${input.tone}'}\n",
  );
  const tone = panel.getByRole("textbox", { name: /^tone/ });
  await tone.waitFor();
  assert.equal(await tone.inputValue(), "");
  await press("Run");
  await standsAt("Run completed in");
  await panel.locator(".outcome .last").getByText("kind").waitFor();
  await close();
});

test("the Run tab says which costs have no limit", async () => {
  const { page, panel, close } = await opened();
  await replacePlanText(
    page,
    "id: cost\ninputs: {list: {type: array}}\nnodes:\n  each:\n    type: map\n    input: ${input.list}\n    do: {nodes: {one: {type: tool, tool: get_order}}}\n",
  );
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await panel.locator(".cost").getByText("Cost of a run: at most $0 · tool calls without limit").waitFor();
  await close();
});

test("the Run tab says what a run may cost, and the cost grows with it", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  await replacePlanText(
    page,
    "id: cost\nnodes:\n  ask: {type: llm, with: {max_tokens: 100}, input: hi}\n  again: {type: llm, with: {max_tokens: 50}, input: hi}\nedges: [{from: ask, to: again}]\n",
  );
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  const cost = panel.locator(".cost");
  await cost.getByText("Cost of a run: at most 2 model turns · $0", { exact: true }).waitFor();
  await press("Step");
  await standsAt("Paused before ask");
  await press("Step");
  await standsAt("Paused before again");
  await panel.locator(".totals", { hasText: /1 node visit · 1 call .* \$0$/ }).waitFor();
  await press("Resume");
  await standsAt("Run completed in");
  await cost.getByText("expected $0, as the recorded run").waitFor();
  await cost.locator("summary").click();
  const row = (name) => cost.getByRole("row", { name }).getByRole("cell").allTextContents();
  assert.deepEqual((await row(/^Model turns/)).slice(-3), ["2", "2", "2"]);
  assert.equal((await row(/^Output tokens/)).at(-3), "150");
  await shot("runs-cost");
  // A plan that calls nothing costs nothing.
  await replacePlanText(page, "nodes: {a: {type: log, input: 1}}\n");
  await cost.waitFor({ state: "hidden" });
  await close();
});
