// Tests that opening another plan during a run asks first, and that the run never affects that plan.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "../playground/script.mjs";
import { json, serve } from "../servers/serve.mjs";
import { connected } from "./dialogs.mjs";
import { barriers, dialog, planText, plans, rows, saved } from "./share.mjs";
import { stage, replacePlanText } from "./page-fixture.mjs";

const { open } = stage();
const { createLink } = await script("share/link");

const NEW = "nodes:\n  start:\n    type: log\n    input: hello\n";
const CHAIN =
  "id: chain\nstart: a\nnodes: {a: {type: log, input: AAA}, b: {type: log, input: BBB}, c: {type: tool, tool: look, input: {}}}\nedges: [{from: a, to: b}, {from: b, to: c}]\n";
const APPROVAL_PLAN =
  "id: asks\nstart: a\nnodes: {a: {type: log, input: AAA}, ask: {type: approve, input: may I}, done: {type: log, input: DDD}}\nedges: [{from: a, to: ask}, {from: ask, to: done}]\n";

async function opened(options = {}) {
  const it = await open("", options);
  const { page } = it;
  const run = page.getByRole("group", { name: "Run", exact: true });
  const panel = page.getByRole("region", { name: "Panels" });
  const question = dialog(page, "Stop the run?");
  const drawing = page.getByRole("application", { name: "Plan canvas" });
  return {
    ...it,
    panel,
    question,
    press: (name) => run.getByRole("button", { name, exact: true }).click(),
    stop: run.getByRole("button", { name: "Stop", exact: true }),
    heard: (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor({ state: "attached" }),
    ended: () => panel.getByText("run completed in").first().waitFor(),
    asked: panel.getByRole("region", { name: "The run waits for your answer" }),
    timeline: page.getByRole("table", { name: "Timeline" }),
    answer: (name) => question.getByRole("button", { name, exact: true }).click(),
    async fresh() {
      const list = await plans(page);
      await list.getByRole("button", { name: "New plan" }).click();
    },
    async untouched() {
      await panel.getByText("No run yet").first().waitFor();
      assert.ok(await run.getByRole("button", { name: "Stop", exact: true }).isDisabled());
      assert.equal(await drawing.locator(".mark:not([hidden])").count(), 0);
      await run.getByRole("button", { name: "Run", exact: true }).click();
      await panel.getByText("run completed in").first().waitFor();
      assert.equal(await page.getByRole("table", { name: "Timeline" }).getByRole("row").count(), 2);
      for (const text of ["AAA", "BBB", "DDD", "run stopped"])
        assert.equal(await panel.getByText(text).count(), 0, text);
    },
  };
}

/** The test releases the tool's answer. `gone` resolves when the page closes the connection. */
async function looker(context) {
  const calls = [];
  let hungUp;
  const gone = new Promise((resolve) => (hungUp = resolve));
  const { url, stop } = await serve(({ request, response, body }) => {
    for (const what of ["origin", "methods", "headers"])
      response.setHeader(`access-control-allow-${what}`, what === "headers" ? "authorization, *" : "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const answer = (result) => json(response, 200, { jsonrpc: "2.0", id: body.id, result });
    if (body.method === "server/discover") return answer({ supportedVersions: ["2026-07-28"], capabilities: {} });
    if (body.method === "tools/list")
      return answer({ resultType: "complete", tools: [{ name: "look", inputSchema: { type: "object" } }] });
    calls.push(body.method);
    response.on("close", hungUp);
  });
  context.after(stop);
  return { url: `${url}/mcp`, calls, gone };
}

test("switching the plan ends a stepped run, whose pending call is never made", async (context) => {
  const server = await looker(context);
  const { page, press, heard, question, answer, fresh, untouched, shot, close } = await opened();
  await connected(page, server.url, "looker");
  await replacePlanText(page, CHAIN);
  await press("Step");
  await heard("paused before a");
  await press("Step");
  await heard("paused before b");
  await fresh();
  await question.waitFor();
  await shot("leave");
  assert.deepEqual(await barriers(page), []);
  await answer("Stop and open");
  await planText(page, NEW);
  await untouched();
  assert.deepEqual(server.calls, []);
  await close();
});

test("a run that is stopped before a call does not make the call", async (context) => {
  const server = await looker(context);
  const { page, press, heard, panel, close } = await opened();
  await connected(page, server.url, "looker");
  await replacePlanText(page, CHAIN);
  await press("Step");
  await heard("paused before a");
  await press("Stop");
  await panel.getByText("run stopped").first().waitFor();
  assert.deepEqual(server.calls, []);
  await close();
});

test("a user who stays on the plan keeps the question, however the other plan was opened", async () => {
  const { page, press, question, answer, asked, ended, fresh, panel, close } = await opened();
  await replacePlanText(page, APPROVAL_PLAN);
  await press("Run");
  await asked.waitFor();

  await fresh();
  await question.waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "hidden" });

  const hash = `#${(await createLink({ name: "linked", text: NEW })).fragment}`;
  for (let times = 0; times < 2; times++) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await question.waitFor();
    // The browser tells of a closing late: the question may be open again by then, and stays.
    await question.evaluate((dialog) => dialog.dispatchEvent(new Event("close")));
    await answer("Cancel");
    await question.waitFor({ state: "hidden" });
    assert.equal(new URL(page.url()).hash, "", "the same link can be opened again");
  }

  await page.getByRole("button", { name: "Gallery", exact: true }).click();
  const gallery = page.getByRole("dialog", { name: "Gallery", exact: true });
  await gallery.getByRole("listitem").first().getByRole("button").first().click();
  await question.waitFor();
  await answer("Cancel");

  const list = await plans(page);
  const chooser = page.waitForEvent("filechooser");
  await list.getByRole("button", { name: "Open a file" }).click();
  const buffer = Buffer.from("flowchart TD\n  A[Ask] -->|yes| B\n  A --> C\n");
  await (await chooser).setFiles({ name: "drawn.mmd", mimeType: "text/plain", buffer });
  await question.waitFor();
  assert.equal(await page.getByText("Imported from Mermaid").count(), 0, "it is not told before it is open");
  await answer("Cancel");

  await planText(page, APPROVAL_PLAN);
  await asked.getByRole("button", { name: "Approve" }).click();
  await ended();
  await panel.getByText("DDD").first().waitFor();
  await close();
});

test("opening another stored plan ends a paused run, and the first plan stays unchanged", async () => {
  const { page, press, question, answer, asked, timeline, fresh, untouched, stop, close } = await opened();
  await replacePlanText(page, APPROVAL_PLAN);
  await saved(page);
  await fresh();
  await planText(page, NEW);
  let list = await plans(page);
  await rows(list).nth(1).click();
  await planText(page, APPROVAL_PLAN);
  await press("Run");
  await asked.waitFor();
  list = await plans(page);
  await rows(list).first().waitFor();
  await list.getByRole("button", { name: "Open Untitled plan" }).click();
  await question.waitFor();
  await answer("Stop and open");
  await planText(page, NEW);
  await asked.waitFor({ state: "detached" });
  await untouched();
  list = await plans(page);
  await rows(list).nth(1).click();
  await planText(page, APPROVAL_PLAN);
  await timeline.waitFor({ state: "detached" });
  assert.ok(await stop.isDisabled());
  await close();
});

test("opening another plan cancels the current call", async (context) => {
  const server = await looker(context);
  const { page, press, question, answer, fresh, untouched, close } = await opened();
  await connected(page, server.url, "looker");
  await replacePlanText(page, CHAIN);
  await press("Run");
  while (server.calls.length === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
  await fresh();
  await question.waitFor();
  await answer("Stop and open");
  await planText(page, NEW);
  await server.gone;
  await untouched();
  assert.deepEqual(server.calls, ["tools/call"]);
  await close();
});

test("a finished run closes without a question, and its recording returns with its plan", async () => {
  const { page, press, ended, panel, question, fresh, untouched, close } = await opened();
  await replacePlanText(page, "id: over\nnodes: {a: {type: log, input: AAA}}\n");
  await press("Run");
  await ended();
  await saved(page);
  await fresh();
  await planText(page, NEW);
  assert.equal(await question.isVisible(), false);
  await untouched();
  const list = await plans(page);
  await rows(list).nth(1).click();
  await planText(page, "id: over\n");
  await panel.getByRole("button", { name: "Show recorded run" }).first().click();
  await ended();
  await panel.getByText("AAA").first().waitFor();
  await close();
});

test("the question in Spanish, in the dark and on a phone", async () => {
  const { page, shot, close } = await open("", {
    theme: "dark",
    lang: "es-ES",
    viewport: { width: 390, height: 844 },
  });
  await page.keyboard.press("F10");
  await page.getByRole("status").filter({ hasText: "en pausa antes de" }).first().waitFor({ state: "attached" });
  const hash = `#${(await createLink({ name: "enlazado", text: NEW })).fragment}`;
  await page.evaluate((hash) => (location.hash = hash), hash);
  const question = dialog(page, "¿Detener la ejecución?");
  await question.getByRole("button", { name: "Cancelar" }).waitFor();
  await shot("leave-phone");
  assert.deepEqual(await barriers(page), []);
  await question.getByRole("button", { name: "Detener y abrir" }).click();
  await page
    .getByRole("button", { name: /^start,/ })
    .first()
    .waitFor();
  await question.waitFor({ state: "hidden" });
  await close();
});
