// Tests the example chat in Chromium: steps, streamed text, approval buttons, and a stopped run.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { startChat } from "../../examples/chat/server.mjs";
import { houseTools, scriptedModel } from "../../examples/chat/model.mjs";
import { findShell } from "../../scripts/chromium.mjs";
import * as chat from "./chat-runs.mjs";

const TIMEOUT = { timeout: 120_000 };
const FLAGS = ["--no-sandbox", "--disable-gpu"];
const AT_ONCE = { pace: 0 };
const closing = [];
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: await findShell(), headless: true, args: FLAGS });
}, TIMEOUT);
after(async () => {
  await browser?.close();
  for (const close of closing) await close();
});

/** Errors on the console fail the test. */
async function open({ model = scriptedModel(AT_ONCE), tools = houseTools(AT_ONCE) } = {}) {
  const server = await startChat({ model, tools });
  closing.push(server.close);
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 } });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(server.url);
  const ask = async (text) => {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  return { page, ask, errors, url: server.url };
}

const steps = (page) =>
  page.locator("#steps li").evaluateAll((items) => items.map(({ className, dataset }) => [dataset.node, className]));

test("a run streams, waits for the approval, and books the room", TIMEOUT, async () => {
  const { page, ask, errors } = await open();
  await ask("two nights in Oslo");
  await page.getByText("needs your approval").waitFor();
  assert.match(await page.getByRole("log").innerText(), /I take the south room\.\s+book/);
  assert.deepEqual(await steps(page), [
    ["look:1", "completed"],
    ["look:1/rooms/rooms:1", "completed"],
    ["look:1/weather/weather:1", "completed"],
    ["book:1", "waiting"],
  ]);
  assert.ok(await page.getByLabel("Message", { exact: true }).isDisabled());
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/chat.png` });
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Your room is booked, number S-7.").waitFor();
  assert.equal(await page.locator("article").count(), 2);
  assert.equal(await page.getByText("done", { exact: true }).count(), 1);
  assert.deepEqual((await steps(page)).at(-1), ["book:1", "completed"]);
  await ask("and another one");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  assert.equal(await page.locator("article").count(), 4);
  assert.deepEqual(errors, []);
});

test("a declined booking is not made", TIMEOUT, async () => {
  const booked = [];
  const house = houseTools(AT_ONCE);
  const call = (name, ...rest) => {
    if (name === "book") booked.push(name);
    return house.call(name, ...rest);
  };
  const { page, ask, errors } = await open({ tools: { ...house, call } });
  await ask("two nights in Oslo");
  await page.getByRole("button", { name: "Decline" }).click();
  await page.getByText("I did not book anything").waitFor();
  assert.equal(await page.getByText("declined").count(), 1);
  assert.deepEqual([booked, errors], [[], []]);
});

test("text of models is never markup", TIMEOUT, async () => {
  const markup = "<img src=x onerror=alert(1)>";
  const { page, ask, errors } = await open({ model: chat.scripted({ book: [{ say: [markup] }] }) });
  await ask("hi");
  await page.getByText(markup).waitFor();
  assert.equal(await page.locator("#log img").count(), 0);
  assert.deepEqual(errors, []);
});

test("stopping cancels the run on the server", TIMEOUT, async () => {
  const { model, started, aborted } = chat.endless(["I think"]);
  const { page, ask } = await open({ model });
  await ask("hi");
  await started;
  await page.getByText("I think").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await aborted;
  await page.getByText("This did not work (stopped).").waitFor();
});

test("a failed run shows its code", TIMEOUT, async () => {
  const { page, ask } = await open({ model: async () => Promise.reject(new Error("secret host")) });
  await ask("hi");
  await page.getByText("That did not work: model/failed").waitFor();
  assert.doesNotMatch(await page.content(), /secret host/);
});

test("requests that are none are refused", TIMEOUT, async () => {
  const { url } = await open();
  const post = (body, type = "application/json") =>
    fetch(`${url}chat`, { method: "POST", headers: { "content-type": type }, body }).then(({ status }) => status);
  assert.deepEqual(
    await Promise.all([
      post("{", undefined),
      post("{}", "text/plain"),
      post("{}"),
      post(JSON.stringify({ id: "none", messages: [{ role: "assistant", parts: [] }] })),
      fetch(`${url}../package.json`).then(({ status }) => status),
      fetch(`${url}server.mjs`).then(({ status }) => status),
    ]),
    [400, 400, 400, 409, 404, 404],
  );
});
