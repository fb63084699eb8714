// Tests that a run stays readable: the drawing beside the panel, durations, tests before they run, a narrow page, and
// which recording belongs to the plan.

import assert from "node:assert/strict";
import { test } from "node:test";
import { saved } from "./share.mjs";
import { downloadFrom, replacePlanText, stage } from "./page-fixture.mjs";

const { open } = stage();

const names = Array.from({ length: 12 }, (_, at) => `step_${at + 1}`);
const chain = (last) =>
  `nodes:\n${names.map((name) => `  ${name}: {type: ${name === "step_12" ? last : "log, input: hi"}}\n`).join("")}` +
  `edges:\n${names
    .slice(1)
    .map((name, at) => `  - {from: ${names[at]}, to: ${name}}\n`)
    .join("")}`;
const FAILS = 'tool, tool: send_fax, input: {number: "1", text: hi}';
const PHONE = { viewport: { width: 390, height: 844 } };

const panel = (page) => page.getByRole("region", { name: "Panels" });
const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();
const pane = (page, name) => page.locator(".switch").getByRole("button", { name, exact: true }).click();
const percent = async (page) => Number.parseInt(await page.locator(".canvas .percent").innerText(), 10);

async function isInSight(page, name) {
  const card = page.locator(".canvas .node .card").filter({ has: page.getByText(name, { exact: true }) });
  await card.waitFor();
  await page.waitForFunction(
    (card) => {
      const [canvas, toolbar] = [".canvas", ".canvas .controls"].map((part) =>
        document.querySelector(part).getBoundingClientRect(),
      );
      const box = card.getBoundingClientRect();
      const isFree = box.bottom <= toolbar.top || box.left >= toolbar.right;
      return isFree && box.top >= canvas.top && box.bottom <= canvas.bottom && box.right <= canvas.right;
    },
    await card.elementHandle(),
  );
}

test("a fit during a run shows the current node, or the whole plan", async () => {
  const { page, shot, close } = await open("", { viewport: { width: 1024, height: 768 } });
  await replacePlanText(page, chain("approve"));
  await page.keyboard.press("F5");
  await page.getByText("Waiting for your answer to step_12").first().waitFor();
  await isInSight(page, "step_12");
  const fit = page.getByRole("button", { name: "Fit to view" });
  const zooms = [];
  for (let times = 0; times < 2; times++) {
    await fit.click();
    await isInSight(page, "step_12");
    zooms.push(await percent(page));
    await shot(`run-fit-${times}`);
  }
  assert.ok(zooms.includes(60) && Math.min(...zooms) < 50, `legible and whole: ${zooms}`);
  await close();
});

test("a shared plan's node before which a run pauses is not under the toolbar, nor is that of a shown run", async () => {
  const { page, shot, close } = await open("", { viewport: { width: 1024, height: 768 } });
  await replacePlanText(page, chain('log, input: "${int(last)}"'));
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const findLink = () =>
    [...document.querySelectorAll("dialog[open] :is(input, textarea)")]
      .map(({ value }) => value)
      .find((value) => /#plan=/.test(value));
  const link = await (await page.waitForFunction(findLink)).jsonValue();
  await page.goto("about:blank");
  await page.goto(link);
  const step = page.getByRole("button", { name: "Step", exact: true });
  for (const name of names) {
    await step.click();
    await page.getByText(`Paused before ${name} · step`).first().waitFor();
    await isInSight(page, name);
  }
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await page.getByText("Failed at step_12").first().waitFor();
  await page.locator(".canvas .controls .percent").click();
  await page.locator(".canvas").focus();
  await page.keyboard.press("Home");
  await panel(page).getByText("Runs of this plan (1)").click();
  await panel(page)
    .getByRole("button", { name: /^Run 1 · / })
    .click();
  await isInSight(page, "step_12");
  await shot("run-shared");
  await close();
});

test("a run's panel leaves the drawing readable and the active node in sight, and gives the space back", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(page, chain("approve"));
  await page.getByRole("button", { name: "Fit to view" }).click();
  const before = await percent(page);
  await page.keyboard.press("F5");
  await page.getByText("Waiting for your answer to step_12").first().waitFor();
  await isInSight(page, "step_12");
  assert.ok((await percent(page)) >= Math.min(before, 60), `${await percent(page)} % after ${before} %`);
  await shot("run-readable");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await panel(page).getByRole("button", { name: "Hide the panel" }).click();
  await page.waitForFunction(
    (before) => parseInt(document.querySelector(".percent").textContent, 10) === before,
    before,
  );
  await replacePlanText(page, chain(FAILS));
  await page.keyboard.press("F5");
  await page.getByText("Failed at step_12").first().waitFor();
  await isInSight(page, "step_12");
  assert.ok((await percent(page)) >= Math.min(before, 60));
  await close();
});

test("a node that still runs or waits has no duration", async () => {
  const { page, close } = await open();
  await replacePlanText(page, "nodes: {a: {type: log, input: hi}, b: {type: approve}}\nedges: [{from: a, to: b}]\n");
  await page.keyboard.press("F5");
  const row = (name) => page.getByRole("row").filter({ has: page.getByRole("button", { name }) });
  const took = (name) => row(name).locator(".took");
  await row("b").getByText("waiting").waitFor();
  assert.match(await took("a").innerText(), /ms$/);
  assert.equal(await took("b").innerText(), "");
  await row("b").getByRole("button").click();
  await panel(page).locator(".visit .top").getByText("waiting").waitFor();
  assert.equal(await panel(page).locator(".visit .top .took").innerText(), "");
  await panel(page).getByRole("button", { name: "Approve" }).first().click();
  await page.getByText("Run completed in").first().waitFor();
  assert.match(await took("b").innerText(), / m?s$/);
  await close();
});

test("the plan's tests are listed before they run, and each can be run", async () => {
  const { page, close } = await open();
  const tests = "tests:\n  - {name: greets, expect: {last: hi}}\n  - {name: ends well, expect: {outcome: completed}}\n";
  await replacePlanText(page, `nodes: {a: {type: log, input: hi}}\n${tests}`);
  await tab(page, "Tests");
  const list = panel(page).getByRole("list", { name: "Tests" });
  await list.getByText("ends well").waitFor();
  assert.equal(await list.getByRole("listitem").count(), 2);
  await panel(page).getByRole("button", { name: "Run tests" }).click();
  await panel(page).getByText("2 passed, 0 failed").waitFor();
  await replacePlanText(page, "nodes: {b: {type: log, input: hi}}\n");
  await page.reload();
  await tab(page, "Tests");
  await panel(page).getByText("This plan has no tests").waitFor();
  await close();
});

test("a replayed recording does not become the plan's", async () => {
  const { page, close } = await open();
  await replacePlanText(page, 'inputs: {who: {type: string}}\nnodes: {a: {type: log, input: "${input.who}"}}\n');
  const runFor = async (who) => {
    await panel(page).getByRole("textbox", { name: /^who/ }).fill(who);
    await page.keyboard.press("F5");
    await panel(page).locator(".ending .last").filter({ hasText: who }).waitFor();
  };
  await tab(page, "Run");
  await runFor("Ana");
  await tab(page, "Trace");
  const { bytes } = await downloadFrom(page, () => page.getByRole("button", { name: "Save recording" }).click());
  await tab(page, "Run");
  await runFor("Luis");
  await saved(page);
  await tab(page, "Trace");
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Replay a recording" }).click(),
  ]);
  await chooser.setFiles({ name: "ana.ndjson", mimeType: "application/x-ndjson", buffer: Buffer.from(bytes) });
  await panel(page).locator(".ending .last").filter({ hasText: "Ana" }).waitFor();
  await tab(page, "Trace");
  await panel(page).getByRole("button", { name: "Show recorded run" }).click();
  await panel(page).locator(".ending .last").filter({ hasText: "Luis" }).waitFor();
  await close();
});

test("on a phone, a failed run says what failed and where, and one tap leads to the details", async () => {
  for (const theme of ["light", "dark"]) {
    const { page, shot, close } = await open("", { ...PHONE, theme });
    await pane(page, "Text");
    await replacePlanText(page, chain(FAILS));
    await pane(page, "Canvas");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const link = page.getByRole("button", { name: /Failed at step_12: .*fax/ });
    await link.waitFor();
    await isInSight(page, "step_12");
    await shot(`phone-failed-${theme}`);
    await link.click();
    await panel(page).locator(".outcome").getByText("run failed").waitFor();
    assert.equal(await link.isVisible(), false);
    await close();
  }
});
