// Tests runs in the page through accessible names.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { saved } from "./share.mjs";
import { downloadFrom, stage, replacePlanText } from "./page-fixture.mjs";

const { open } = stage();

async function opened(options = {}) {
  const it = await open("", options);
  const { page } = it;
  const run = page.getByRole("group", { name: "Run", exact: true });
  const panel = page.getByRole("region", { name: "Panels" });
  return {
    ...it,
    run,
    panel,
    press: (name) => run.getByRole("button", { name, exact: true }).click(),
    tab: (name) => page.getByRole("tab", { name }).click(),
    timeline: page.getByRole("table", { name: "Timeline" }),
    row: (name) =>
      page
        .getByRole("table", { name: "Timeline" })
        .getByRole("row")
        .filter({ has: page.getByRole("button", { name }) }),
    detail: panel.getByRole("region", { name: "Values" }),
    heard: (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor({ state: "attached" }),
    ended: (text) => panel.getByText(text).first().waitFor(),
    write: (text) => replacePlanText(page, text),
  };
}

test("the timeline lists nodes with their inputs and outputs", async () => {
  const { press, ended, row, detail, panel, shot, close } = await opened();
  await press("Run");
  await ended("run completed in");
  await panel.getByText("Thank you. engineering has it (ticket 4711).").first().waitFor();
  await row(/^read/).getByRole("button").click();
  await detail.getByText("visit 3 of 3").waitFor();
  await detail.getByText("the export ends with an empty file").last().waitFor();
  await shot("run-done");
  await detail.getByRole("button", { name: "Previous visit" }).click();
  await detail.getByText("visit 2 of 3").waitFor();
  await close();
});

test("the page explains an edge by its conditions, the compared values and their results", async () => {
  const { press, ended, row, detail, close } = await opened();
  await press("Run");
  await ended("run completed in");
  await row(/^route/)
    .getByRole("button")
    .click();
  const why = detail.getByRole("region", { name: "Why this edge" });
  const lines = why.getByRole("listitem");
  assert.equal(await lines.count(), 3);
  await lines.nth(0).getByText("taken: its condition was the first to be true").waitFor();
  await lines.nth(0).getByText("last.kind").first().waitFor();
  await lines.nth(1).getByText("not evaluated").waitFor();
  await lines.nth(2).getByText("not needed: another condition was true").waitFor();
  await close();
});

test("a condition that fails is told apart from a false one, with its code", async () => {
  const { page, write, press, ended, row, detail, shot, close } = await opened();
  await write(
    "nodes: {a: {type: log, input: abc}, b: {type: noop}, c: {type: noop}}\nedges: [{from: a, to: b, condition: last < 3}, {from: a, to: c}]\n",
  );
  await press("Run");
  await ended("run failed");
  await row(/^a/).getByRole("button").click();
  const first = detail.getByRole("region", { name: "Why this edge" }).getByRole("listitem").first();
  await first.getByText("its condition failed").waitFor();
  await first.getByText("expression/type", { exact: true }).waitFor();
  await page.locator(".canvas .edge.failed .tag").getByText("! last < 3").waitFor();
  await shot("run-failed-condition");
  await close();
});

test("step by step, from before the first node, and on to the end", async () => {
  const { page, press, run, heard, ended, row, timeline, close } = await opened();
  await press("Step");
  await heard("paused before read");
  await press("Step");
  await row(/^read/).waitFor();
  await heard("paused before ask");
  assert.equal(await timeline.getByRole("row").count(), 2);
  await page.keyboard.press("F10");
  await heard("paused before read");
  await press("Resume");
  await ended("run completed in");
  assert.ok(await run.getByRole("button", { name: "Stop" }).isDisabled());
  await close();
});

test("a breakpoint stops each run and survives a reload", async () => {
  const { page, press, heard, ended, row, close } = await opened();
  await press("Run");
  await ended("run completed in");
  await row(/^route/)
    .getByRole("button")
    .click();
  await page.keyboard.press("F9");
  await press("Run");
  await heard("paused before route");
  await press("Resume");
  await ended("run completed in");
  await page.reload();
  await page.getByRole("main").waitFor();
  await press("Run");
  await heard("paused before route");
  await press("Stop");
  await ended("run stopped");
  await close();
});

test("a run that starts before the last edit is parsed waits for the edit", async () => {
  const { page, press, ended, write, panel, close } = await opened();
  await write("id: mine\nnodes: {a: {type: log, input: mine alone}}\nstart: a\n");
  await saved(page);
  // The test now controls when the database answers.
  await page.addInitScript(() => {
    const real = Object.getOwnPropertyDescriptor(IDBRequest.prototype, "onsuccess");
    let release = () => {};
    const released = new Promise((resolve) => {
      release = resolve;
    });
    window.answer = release;
    Object.defineProperty(IDBRequest.prototype, "onsuccess", {
      ...real,
      set(hear) {
        const isOpening = this instanceof IDBOpenDBRequest;
        real.set.call(this, isOpening ? (event) => released.then(() => hear.call(this, event)) : hear);
      },
    });
  });
  await page.reload();
  await page.getByRole("main").waitFor();
  await press("Run");
  await page.evaluate(() => window.answer());
  await ended("run completed in");
  await panel.getByText("mine alone").first().waitFor();
  await close();
});

test("a run is paused and stopped during a call, and its results stay", async () => {
  const { page, press, heard, ended, row, write, tab, close } = await opened();
  await write("id: slow\nnodes: {a: {type: log, input: kept}, b: {type: emit}}\nedges: [{from: a, to: b}]\nstart: a\n");
  await tab("Tests");
  await page.getByRole("textbox", { name: "Stubs" }).fill("types: {emit: {return: 1, delay_ms: 600000}}");
  await press("Run");
  await row(/^b/).waitFor();
  await press("Pause");
  await heard("paused");
  await press("Stop");
  await ended("run stopped");
  await row(/^a/).getByText("done").waitFor();
  await row(/^b/).getByText("abandoned").waitFor();
  await close();
});

test("any moment of a run can be looked at, back and forth", async () => {
  const { page, press, ended, row, timeline, close } = await opened();
  await press("Run");
  await ended("run completed in");
  const all = await timeline.getByRole("row").count();
  const slider = page.getByRole("slider", { name: "Run position" });
  await slider.focus();
  await page.keyboard.press("Home");
  await timeline.getByRole("row").nth(1).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Next node" }).click();
  await row(/^read/).getByText("running").waitFor();
  assert.match(await slider.getAttribute("aria-valuetext"), /^event \d+ of \d+/);
  await page.getByRole("button", { name: "Latest" }).click();
  await row(/^thanks/).waitFor();
  assert.equal(await timeline.getByRole("row").count(), all);
  await close();
});

test("the user changes an answer and the run continues from there", async () => {
  const { press, ended, row, detail, panel, close } = await opened();
  await press("Run");
  await ended("run completed in");
  await row(/^read/).getByRole("button").click();
  await detail.getByRole("button", { name: "Fork from here" }).click();
  await detail.getByRole("textbox", { name: "Output" }).fill('{"kind": "invoice", "summary": "paid twice"}');
  await detail.getByRole("button", { name: "Fork", exact: true }).click();
  await row(/^invoice/).waitFor();
  await ended("run completed in");
  await panel.getByText("paid twice").first().waitFor({ state: "attached" });
  await close();
});

test("an output is pinned, and the node is not carried out from then on", async () => {
  const { page, press, ended, row, detail, tab, close } = await opened();
  await press("Run");
  await ended("run completed in");
  await row(/^read/).getByRole("button").click();
  await detail.getByRole("button", { name: "Pin output" }).click();
  await detail.getByRole("button", { name: "Unpin output" }).waitFor();
  await tab("Tests");
  const text = await page.getByRole("textbox", { name: "Stubs" }).inputValue();
  assert.match(text, /\nnodes:\n {2}read:/);
  assert.ok(
    text.startsWith(readFileSync("examples/triage.stubs.yaml", "utf8").trimEnd()),
    `what a person wrote stays as it is: ${text}`,
  );
  await tab("Run");
  await press("Run");
  await row(/^ask/).waitFor({ state: "detached" });
  await ended("run completed in");
  await close();
});

test("the plan's tests run; differences are shown, and each links to its node", async () => {
  const { page, panel, tab, ended, write, close } = await opened();
  await tab("Tests");
  await page.getByRole("button", { name: "Run tests" }).click();
  const results = panel.getByRole("list", { name: "Tests" }).getByRole("listitem");
  await panel.getByText(/\d+ passed, 0 failed/).waitFor();
  assert.ok((await results.count()) > 0);
  await results.first().getByRole("button", { name: "Run this test here" }).click();
  await ended("run completed in");
  await write("id: t\nnodes: {a: {type: log, input: x}}\ntests: [{name: it says y, expect: {last: y}}]\n");
  await tab("Tests");
  await page.getByRole("button", { name: "Run tests" }).click();
  await panel.getByText("0 passed, 1 failed").waitFor();
  await panel.getByText("expected y").waitFor();
  await panel.getByText("actual x").waitFor();
  const colours = await panel.locator(".differences").evaluate((list) => {
    const colourOf = (selector) => getComputedStyle(list.querySelector(selector)).color;
    const named = (name) => {
      const probe = list.appendChild(document.createElement("i"));
      probe.style.color = `var(--${name})`;
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    return [colourOf(".expected") === named("success"), colourOf(".got") === named("failure")];
  });
  assert.deepEqual(colours, [true, true]);
  await close();
});

test("the page asks the user for approval, and the user may answer with another value", async () => {
  const { page, press, ended, panel, write, heard, shot, tab, close } = await opened();
  await write(readFileSync("examples/approval.yaml", "utf8"));
  await tab("Tests");
  await page.getByRole("textbox", { name: "Stubs" }).fill(readFileSync("examples/approval.stubs.yaml", "utf8"));
  await tab("Run");
  await page.getByRole("textbox", { name: "Input" }).fill('{"item": "chair", "count": 4}');
  await press("Run");
  const question = panel.getByRole("region", { name: "The run waits for your answer" });
  await question.waitFor();
  await heard("The run waits for your answer");
  await shot("run-asked");
  await question.getByRole("button", { name: "Reject" }).click();
  await ended("run ended after");
  await panel.getByText("chair is back on the shelf").first().waitFor();
  await press("Run");
  await question.getByRole("button", { name: "Answer with another value" }).click();
  await question.getByRole("textbox", { name: "Another value" }).fill('{"total": 90}');
  await question.getByRole("button", { name: "Send" }).click();
  await ended("run completed in");
  await close();
});

test("errors are shown with code, help and link, and stubs make the plan run", async () => {
  const { page, press, panel, write, ended, close } = await opened();
  await write(
    "id: lone\nstart: a\nnodes: {a: {type: emit}, b: {type: tool, tool: look, input: {}}}\nedges: [{from: a, to: b}]\n",
  );
  await press("Run");
  await panel.getByText("run/invalid-plan").waitFor();
  await panel.getByRole("button", { name: "Run with stubs" }).click();
  await ended("run completed in");
  await write("id: torn\nnodes: {a: {type: tool, tool: look, input: {}}}\n");
  await page.getByRole("tab", { name: "Tests" }).click();
  await page.getByRole("textbox", { name: "Stubs" }).fill("tools: {look: {fail: torn, code: page/torn}}");
  await press("Run");
  await panel.getByText("page/torn").first().waitFor();
  await panel.getByRole("button", { name: "Go to a" }).click();
  await page.getByRole("button", { name: "Retry the failed call" }).waitFor();
  await close();
});

test("an endless plan is stopped, and the page stays responsive", async () => {
  const { page, press, write, close } = await opened();
  await write(
    "id: loop\nstart: a\nlimits: {visits: 100000000}\nnodes: {a: {type: log, input: x}, b: {type: noop}, c: {type: noop}}\nedges: [{from: a, to: b}, {from: b, to: c, condition: last==y}, {from: b, to: a}]\n",
  );
  await press("Run");
  // A hundred thousand steps take long on slow machines.
  await page.getByRole("region", { name: "Panels" }).getByText("run/step-limit").first().waitFor({ timeout: 180_000 });
  await page.getByRole("table", { name: "Timeline" }).getByRole("row").nth(2).waitFor();
  await close();
});

test("values of all nodes, the trace, and the files of a run", async () => {
  const { page, press, ended, panel, tab, shot, close } = await opened();
  await press("Run");
  await ended("run completed in");
  await tab("Values");
  const table = panel.getByRole("table", { name: "Values" });
  await table.getByRole("row").filter({ hasText: "thanks" }).getByText("Thank you.").first().waitFor();
  await shot("run-values");
  await tab("Trace");
  assert.ok((await panel.getByRole("list", { name: "Trace" }).getByRole("listitem").count()) > 10);
  await shot("run-trace");
  let recording = "";
  for (const [name, file, start] of [
    ["Save report", "report.json", "{"],
    ["Save trace", "trace.ndjson", '{"type":"run-started"'],
    ["Save recording", "run.cassette.ndjson", '{"type":"cassette"'],
  ]) {
    const download = await downloadFrom(page, () => page.getByRole("button", { name }).click());
    assert.equal(download.name, file);
    recording = download.bytes;
    assert.ok(recording.toString().startsWith(start), name);
  }
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Replay a recording" }).click(),
  ]);
  await chooser.setFiles({ name: "run.cassette.ndjson", mimeType: "application/x-ndjson", buffer: recording });
  await tab("Run");
  await ended("run completed in");
  await close();
});

test("the timeline by keys alone", async () => {
  const { page, press, ended, timeline, detail, close } = await opened();
  await press("Run");
  await ended("run completed in");
  const waitForFocus = (name) =>
    page.waitForFunction((name) => document.activeElement?.textContent?.includes(name), name);
  await timeline.getByRole("button").first().focus();
  await page.keyboard.press("ArrowDown");
  await waitForFocus("ask");
  await page.keyboard.press("End");
  await waitForFocus("thanks");
  await page.keyboard.press("+");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await detail.getByRole("heading", { name: "thanks" }).waitFor();
  await close();
});

test("branches side by side, tries that failed, in the dark and on a phone, in Spanish", async () => {
  const text = readFileSync("examples/fan-out.yaml", "utf8");
  const wide = await opened({ theme: "dark" });
  await wide.write(text);
  await wide.tab("Tests");
  await wide.page.getByRole("textbox", { name: "Stubs" }).fill(readFileSync("examples/fan-out.stubs.yaml", "utf8"));
  await wide.press("Run");
  await wide.ended("run completed in");
  await wide.shot("run-dark");
  await wide.close();
  const phone = await open("", { viewport: { width: 390, height: 844 }, lang: "es-ES" });
  await phone.page
    .getByRole("group", { name: "Ejecución", exact: true })
    .getByRole("button", { name: "Ejecutar", exact: true })
    .click();
  await phone.page.getByText("ejecución completada en").first().waitFor({ state: "attached" });
  await phone.shot("run-phone");
  await phone.close();
});
