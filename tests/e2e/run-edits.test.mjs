// Tests what the page says of a run after its plan has changed, and of a condition that failed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stage, replacePlanText } from "./page-fixture.mjs";

const { open } = stage();
const PLAN = `id: ask-ada
start: begin
nodes:
  begin: {type: log, input: hello}
  ask: {type: approve, description: Shall we send it?, input: a draft}
  send: {type: log, input: sent}
edges:
  - {from: begin, to: ask}
  - {from: ask, to: send, condition: last==approved}
`;

async function opened(options = {}) {
  const it = await open("", options);
  const { page } = it;
  const bar = page.locator(".run-status");
  const run = page.getByRole("group", { name: "Run", exact: true });
  return {
    ...it,
    bar,
    run,
    card: (name) => page.locator(".canvas .node .card").filter({ hasText: name }),
    edgeTag: page.locator(".canvas .edge .tag").filter({ hasText: "last==approved" }),
    panel: page.getByRole("region", { name: "Panels" }),
    press: (name) => run.getByRole("button", { name, exact: true }).click(),
    standsAt: (text) => bar.filter({ hasText: text }).waitFor(),
    heard: (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor({ state: "attached" }),
  };
}

const outdated = (page) => page.locator(".canvas .outdated").count();
const untilOutdated = (page, is) =>
  page.waitForFunction((is) => (document.querySelector(".canvas .outdated") !== null) === is, is);

test("a run that waits while its plan changes says so, and offers a run of the new version", async () => {
  const { page, bar, run, press, standsAt, heard, panel, shot, close } = await opened();
  await replacePlanText(page, PLAN);
  await press("Run");
  await standsAt("Waiting for your answer to ask");
  assert.equal(await bar.getByRole("button").count(), 0);
  await replacePlanText(page, PLAN.replace("input: sent", "input: sent twice"));
  await heard("the plan has changed; this run continues with the earlier version");
  await standsAt("Waiting for your answer to ask · the plan has changed; this run continues with the earlier version");
  await shot("run-edits-asked");
  await panel.getByRole("button", { name: "Approve" }).click();
  await standsAt("Run completed in");
  assert.equal(await panel.locator(".ending .last").innerText(), "sent");
  await bar.getByRole("button", { name: "Run the new version" }).click();
  await standsAt("Waiting for your answer to ask");
  await panel.getByRole("button", { name: "Approve" }).click();
  await panel.locator(".ending .last").filter({ hasText: "sent twice" }).waitFor();
  assert.equal(await bar.getByRole("button").count(), 0);
  assert.ok(await run.getByRole("button", { name: "Stop" }).isDisabled());
  await close();
});

test("a paused run resumes with its own plan only after a word, and can be replaced", async () => {
  const { page, bar, run, press, standsAt, heard, panel, close } = await opened();
  const plan = PLAN.replace(/type: approve, description: Shall we send it\?/, "type: log").replace(
    "approved",
    "a draft",
  );
  await replacePlanText(page, plan);
  await press("Step");
  await standsAt("Paused before begin");
  await replacePlanText(page, plan.replace("input: sent", "input: sent twice"));
  await standsAt("Paused before begin · step · the plan has changed; this run continues with the earlier version");
  const resume = run.getByRole("button", { name: "Resume", exact: true });
  assert.match(await resume.getAttribute("title"), /^the run continues with the earlier version of the plan/);
  await resume.click();
  await heard("the run continues with the earlier version of the plan");
  await standsAt("Run completed in");
  assert.equal(await panel.locator(".ending .last").innerText(), "sent");
  await press("Step");
  await standsAt("Paused before begin");
  await replacePlanText(page, plan);
  await bar.getByRole("button", { name: "Stop, and run the new version" }).click();
  await standsAt(/Run completed in [^·]*$/);
  await close();
});

test("on a phone, where the bar is in another pane, a message says so", async () => {
  const { page, bar, run, shot, close } = await opened({ viewport: { width: 390, height: 844 } });
  const hidden = (text) => bar.filter({ hasText: text }).waitFor({ state: "attached" });
  const pane = (name) => page.getByRole("button", { name, exact: true }).click();
  await pane("Text");
  await replacePlanText(page, PLAN);
  await page.keyboard.press("F10");
  await hidden("Paused before begin");
  await replacePlanText(page, PLAN.replace("input: sent", "input: sent twice"));
  await hidden("the plan has changed");
  await run.getByRole("button", { name: "Resume" }).click();
  await page.locator(".notice").filter({ hasText: "the run continues with the earlier version" }).waitFor();
  await shot("run-edits-phone");
  await close();
});

for (const theme of ["light", "dark"])
  test(`results of an earlier version are dimmed until the change is undone, in a ${theme} page`, async () => {
    const { page, card, edgeTag, press, standsAt, panel, shot, close } = await opened({ theme });
    await replacePlanText(page, PLAN);
    await press("Run");
    await panel.getByRole("button", { name: "Approve" }).click();
    await standsAt("Run completed in");
    assert.equal(await outdated(page), 0);
    const name = () => card("begin").getAttribute("aria-label");
    assert.match(await name(), /done: hello/);
    await replacePlanText(page, PLAN.replace("input: hello", "input: good day"));
    await untilOutdated(page, true);
    assert.match(await name(), /done: hello, from an earlier version of the plan/);
    assert.match(await edgeTag.getAttribute("aria-label"), /taken, from an earlier version of the plan/);
    await shot(`run-edits-dimmed-${theme}`);
    // The values can still be inspected.
    await card("begin").click();
    await panel.getByRole("region", { name: "Values" }).getByText('"hello"').first().waitFor();
    await page.keyboard.press("ControlOrMeta+z");
    await untilOutdated(page, false);
    await standsAt(/Run completed in [^·]*$/);
    await replacePlanText(page, `# A note changes nothing.\n${PLAN}`);
    await page.locator(".cm-line").filter({ hasText: "A note changes nothing." }).waitFor();
    assert.equal(await outdated(page), 0);
    await close();
  });

test("a run of another version can't be shown again, and the page says why", async () => {
  const { page, panel, press, standsAt, shot, close } = await opened();
  const plan = "start: a\nnodes: {a: {type: tool, tool: get_order, input: {order_id: A-1003}}}\n";
  await replacePlanText(page, plan);
  await press("Run");
  await standsAt("Run completed in");
  await replacePlanText(page, plan.replace("A-1003", "A-1001"));
  await press("Run");
  await standsAt(/Run completed in [^·]*$/);
  await panel.getByText("Runs of this plan (2)").click();
  await panel.getByRole("button", { name: /^Run 1 ·/ }).click();
  await panel.getByText("this run used another version of the plan: node a was changed").first().waitFor();
  assert.doesNotMatch(await panel.locator(".ending").innerText(), /cassette|Save as test|Retry/);
  await shot("run-edits-history");
  await close();
});

test("a failed condition fails its node, and the page names the edge and offers no retry", async () => {
  const { page, card, panel, press, standsAt, shot, close } = await opened();
  await replacePlanText(
    page,
    "start: a\nnodes: {a: {type: log, input: abc}, b: {type: noop}, c: {type: noop}}\nedges: [{from: a, to: b, condition: last < 3}, {from: a, to: c}]\n",
  );
  await press("Run");
  await standsAt("Failed at a");
  const outcome = panel.locator(".outcome");
  const text = await outcome.innerText();
  assert.match(text, /run failed: the condition of the edge a → b could not be evaluated: last: < does not accept/);
  assert.doesNotMatch(text, /edges\[/);
  assert.equal(await panel.getByRole("button", { name: "Retry the failed call" }).count(), 0);
  assert.match(await card(/^a/).first().getAttribute("aria-label"), /failed: expression\/type/);
  const row = page.getByRole("table", { name: "Timeline" }).getByRole("row").nth(1);
  assert.match(await row.innerText(), /failed/);
  await shot("run-edits-condition");
  await outcome.getByRole("button", { name: "Go to a → b" }).click();
  await page.locator(".canvas .edge.chosen").waitFor();
  await close();
});

test("the status of a plan that can't run names the node, without backticks", async () => {
  const { page, bar, panel, press, standsAt, shot, close } = await opened();
  await replacePlanText(page, "id: lookup\nnodes:\n  get_order: {type: tool, tool: get_order, input: {}}\n");
  await press("Run");
  await standsAt("Not started: 1 problem");
  assert.doesNotMatch(await bar.innerText(), /`/);
  await panel.locator(".outcome strong", { hasText: "Not started: 1 problem" }).waitFor();
  await panel.locator(".problems code", { hasText: "order_id" }).first().waitFor();
  assert.doesNotMatch(await panel.locator(".outcome").getAttribute("aria-label"), /`/);
  await shot("run-edits-invalid");
  await close();
});
