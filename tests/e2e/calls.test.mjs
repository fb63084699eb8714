// Tests a run's requests and their display: a streamed answer, a server's questions, a lost connection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { json, serve } from "../servers/serve.mjs";
import { modern } from "../servers/servers.mjs";
import { addServer, connected, connections, row } from "./dialogs.mjs";
import { stage, replacePlanText, editorText } from "./page-fixture.mjs";

const { open } = stage();

/** What the browsers log about a server that is gone. */
const NO_SERVER = ["Failed to load resource", "net::ERR", "CORS request did not succeed"];

async function opened(options) {
  const it = await open("", options);
  const { page } = it;
  const run = page.getByRole("group", { name: "Run", exact: true });
  const panel = page.getByRole("region", { name: "Panels" });
  return {
    ...it,
    panel,
    press: (name) => run.getByRole("button", { name, exact: true }).click(),
    ended: (text) => panel.getByText(text).first().waitFor(),
    node: (name) =>
      panel
        .getByRole("table", { name: "Timeline" })
        .getByRole("row")
        .filter({ has: page.getByRole("button", { name: new RegExp(`^${name}`) }) }),
    detail: panel.getByRole("region", { name: "Values" }),
    asked: panel.getByRole("form", { name: "The run waits for your answer" }),
  };
}

/** Streams word by word: `say` releases a word. `gone` resolves when the page closes the connection. */
async function teller() {
  let [say, hungUp] = [null, null];
  const gone = new Promise((resolve) => (hungUp = resolve));
  const asked = [];
  const { url, stop } = await serve(async ({ request, response, body }) => {
    for (const what of ["origin", "methods", "headers"])
      response.setHeader(`access-control-allow-${what}`, what === "headers" ? "authorization, *" : "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (body.stream !== true)
      return json(response, 200, {
        choices: [{ message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      });
    asked.push(body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.on("close", () => response.writableFinished || hungUp());
    const send = (data) =>
      response.write(
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "teller", ...data })}\n\n`,
      );
    send({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] });
    say = (word) => {
      if (word !== null) return send({ choices: [{ index: 0, delta: { content: word } }] });
      send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      send({
        choices: [],
        usage: {
          prompt_tokens: 23,
          completion_tokens: 5,
          total_tokens: 28,
          prompt_tokens_details: { cached_tokens: 7 },
        },
      });
      response.end("data: [DONE]\n\n");
    };
  });
  return { url: `${url}/v1`, stop, gone, asked, say: (word) => say(word) };
}

async function addModel(page, url, name) {
  const room = await connections(page, "Models");
  await room.getByRole("textbox", { name: "Model", exact: true }).fill("teller");
  await room.getByRole("textbox", { name: "Address" }).fill(url);
  await room.getByLabel("Key", { exact: true }).fill("a-key");
  await room.getByRole("textbox", { name: "Name in plans" }).fill(name);
  await room.getByRole("button", { name: "Save", exact: true }).click();
  await room.getByRole("listitem").filter({ hasText: name }).getByText("works", { exact: true }).waitFor();
  await room.getByRole("button", { name: "Close" }).click();
}

const STREAMED_TEXT =
  'nodes:\n  begin: {type: log, input: a fox}\n  tell: {type: llm, input: "Tell of ${last}.", with: {model: teller}}\nedges: [{from: begin, to: tell}]\n';

test("a model's answer streams into the page, and its tokens are counted", async (context) => {
  const model = await teller();
  context.after(model.stop);
  const { page, press, node, detail, ended, panel, shot, close } = await opened();
  await addModel(page, model.url, "teller");
  await replacePlanText(page, STREAMED_TEXT);
  await press("Run");
  await node("tell").getByRole("button").click();
  await node("tell").getByText("running").waitFor();
  await detail.getByText("Tell of a fox.").first().waitFor();
  while (model.asked.length === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
  let told = "";
  for (const word of ["Once ", "upon ", "a time …"]) {
    model.say(word);
    told += word;
    await detail.getByRole("heading", { name: "So far" }).waitFor();
    await detail.locator("pre.live").filter({ hasText: told.trim() }).waitFor();
    assert.equal(await detail.locator("pre.live").textContent(), told);
  }
  await shot("run-streaming");
  model.say(null);
  await ended("run completed in");
  await panel.getByText("23 input tokens, 5 output, 7 cached").first().waitFor();
  await detail.getByRole("heading", { name: "So far" }).waitFor({ state: "detached" });
  await detail.getByText("Once upon a time …").last().waitFor();
  await shot("run-streamed");
  await close();
});

test("a stopped run cancels the model's request and keeps earlier results", async (context) => {
  const model = await teller();
  context.after(model.stop);
  const { page, press, node, detail, ended, close } = await opened();
  await addModel(page, model.url, "teller");
  await replacePlanText(page, STREAMED_TEXT);
  await press("Run");
  await node("tell").getByRole("button").click();
  while (model.asked.length === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
  model.say("Once ");
  await detail.locator("pre.live").waitFor();
  await press("Stop");
  await ended("run stopped");
  await model.gone;
  await node("begin").getByText("done").waitFor();
  await node("tell").getByText("abandoned").waitFor();
  await close();
});

const BOOKING_PLAN = "nodes:\n  book: {type: tool, tool: book, input: {to: Bergen, seats: 2}}\n";

test("a server asks the user during a call: the form names the missing field, and the answer arrives", async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, press, asked, ended, node, detail, shot, close } = await opened();
  await connected(page, server.url, "trains");
  await replacePlanText(page, BOOKING_PLAN);
  await press("Run");
  await asked.getByRole("heading", { name: "Luggage to Bergen?" }).waitFor();
  await page
    .getByRole("status")
    .filter({ hasText: "The run waits for your answer" })
    .first()
    .waitFor({ state: "attached" });
  await asked.getByRole("button", { name: "Send" }).click();
  for (const name of ["Bags is required", "Where to is required"])
    await asked.getByRole("alert").filter({ hasText: name }).waitFor();
  await asked.getByRole("textbox", { name: /^Bags/ }).fill("two");
  await asked.getByRole("combobox", { name: /^Where to/ }).selectOption("hold");
  await asked.getByRole("button", { name: "Send" }).click();
  assert.equal(await asked.getByRole("textbox", { name: /^Bags/ }).getAttribute("aria-invalid"), "true");
  await asked.getByRole("textbox", { name: /^Bags/ }).fill("3");
  await asked.getByRole("checkbox", { name: "Heavy" }).check();
  await asked.getByRole("textbox", { name: /^Note/ }).fill("<b>skis</b>");
  await shot("run-question");
  await asked.getByRole("button", { name: "Send" }).click();
  await ended("run completed in");
  await asked.waitFor({ state: "detached" });
  await node("book").getByRole("button").click();
  await detail.getByText("2 seats to Bergen, 3 bags in the hold, heavy: <b>skis</b>").last().waitFor();
  await close();
});

test("a server's question opens above another dialog, and the user answers it", async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, press, ended, shot, close } = await opened();
  await connected(page, server.url, "trains");
  await replacePlanText(page, BOOKING_PLAN);
  let go;
  const opens = new Promise((resolve) => (go = resolve));
  await page.route(`${server.url}**`, async (route) => {
    if (route.request().postData()?.includes('"tools/call"')) await opens;
    await route.continue();
  });
  await press("Run");
  await page.getByRole("button", { name: "From a request", exact: true }).click();
  const room = page.getByRole("dialog", { name: "From a request" });
  await room.waitFor();
  go();
  const above = page.getByRole("dialog", { name: "The run waits for your answer" });
  await above.getByRole("textbox", { name: /^Bags/ }).fill("3");
  await above.getByRole("combobox", { name: /^Where to/ }).selectOption("hold");
  await shot("dialog-question");
  await above.getByRole("button", { name: "Send" }).click();
  await above.waitFor({ state: "hidden" });
  await page.keyboard.press("Escape");
  await room.waitFor({ state: "hidden" });
  await ended("run completed in");
  await close();
});

test("the user declines a question, or stops the run while the question is open", async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, press, asked, ended, panel, close } = await opened();
  await connected(page, server.url, "trains");
  await replacePlanText(page, BOOKING_PLAN);
  await press("Run");
  await asked.getByRole("button", { name: "Decline" }).click();
  await ended("run completed in");
  await panel.getByText("booked without luggage").first().waitFor();
  await press("Run");
  await asked.waitFor();
  await press("Stop");
  await ended("run stopped");
  await asked.waitFor({ state: "detached" });
  await close();
});

test("after a server fails during a run, the page keeps the results, shows the reason and reconnects later", async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, press, node, detail, ended, panel, shot, close } = await opened({ allow: NO_SERVER });
  await connected(page, server.url, "trains");
  const plan =
    "nodes:\n  first: {type: tool, tool: count, input: {to: 3}}\n  map: {type: tool, tool: map, input: {city: Oslo}}\n  wait: {type: tool, tool: wait, input: {name: x}}\nedges:\n  - {from: first, to: map}\n  - {from: map, to: wait}\n";
  await replacePlanText(page, plan);
  await press("Run");
  await node("wait").getByText("running").waitFor();
  process.kill(server.pid, "SIGKILL");
  await ended("tool/unreachable");
  await node("first").getByText("done").waitFor();
  await node("first").getByRole("button").click();
  await detail.getByText("counted to 3").last().waitFor();
  assert.equal((await editorText(page)).trimEnd(), plan.trimEnd());
  await shot("run-server-gone");

  const room = await connections(page, "Servers");
  const trains = row(room, "trains");
  await trains.getByText("not responding").waitFor();
  await trains.getByText("No server responds at this address").waitFor();
  await shot("connect-lost");
  await room.getByRole("button", { name: "Close" }).click();

  const { port } = new URL(server.url);
  const again = await modern({ CORS: "1" }, Number(port));
  context.after(again.stop);
  await replacePlanText(page, plan.replace("tool: wait, input: {name: x}", "tool: count, input: {to: 5}"));
  await press("Run");
  await ended("run completed in");
  await panel.getByText("counted to 5").first().waitFor();
  await connections(page, "Servers");
  await trains.getByText(/^connected, \d+ tools?$/).waitFor();
  assert.equal(await trains.getByText("No server responds at this address").count(), 0);
  await close();
});

test("a connection that failed is renewed by hand", async (context) => {
  const server = await modern({ CORS: "1" });
  await server.stop();
  const { page, close } = await opened({ allow: NO_SERVER });
  const room = await connections(page, "Servers");
  await addServer(room, server.url, "trains");
  const trains = row(room, "trains");
  await trains.getByText("No server responds at this address").waitFor();
  const again = await modern({ CORS: "1" }, Number(new URL(server.url).port));
  context.after(again.stop);
  await trains.getByRole("button", { name: "Try again: trains" }).click();
  await trains.getByText(/^connected, \d+ tools?$/).waitFor();
  await close();
});
