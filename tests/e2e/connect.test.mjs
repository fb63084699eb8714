// Connections: a real server over loopback, its tools in the palette and in a plan that runs; what the doctor finds; models and their keys.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { faults, plant } from "../servers/faults.mjs";
import { fastmcp } from "../servers/servers.mjs";
import { stage, write } from "./stage.mjs";

const { open } = stage();

async function connections(page, tab) {
  await page.getByRole("button", { name: "Connections", exact: true }).click();
  const room = page.getByRole("dialog", { name: "Connections" });
  await room.getByRole("tab", { name: tab }).click();
  return room;
}

async function addServer(room, url, name) {
  await room.getByRole("textbox", { name: "Address" }).fill(url);
  if (name) await room.getByRole("textbox", { name: "Name" }).fill(name);
  await room.getByRole("button", { name: "Connect", exact: true }).click();
}

test("a real server is connected, its tools are listed, one is added to the plan, and the plan runs on it", async (context) => {
  const server = await fastmcp({ CORS: "1" });
  context.after(server.stop);
  const { page, shot, close } = await open();
  const room = await connections(page, "Servers");
  await addServer(room, server.url, "office");
  await room.getByText(/^connected, \d+ tools$/).nth(1).waitFor();
  await shot("connect-server");
  await room.getByRole("tab", { name: "Tools" }).click();
  await room.getByRole("searchbox", { name: "Search tools" }).fill("greet");
  await room.getByRole("button", { name: "Add greet to the plan" }).click();
  await shot("connect-tools");
  await page.getByRole("region", { name: "Drawing" }).getByText("greet").first().waitFor();
  await room.getByRole("button", { name: "Close" }).click();
  await write(page, "nodes:\n  hello: {type: tool, tool: greet, input: {name: Ada}}\n");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.getByText("run completed in").first().waitFor();
  await page.getByText(/Ada/).nth(1).waitFor();
  await shot("connect-run");
  await close();
});

test("what is wrong with a server is said in plain words, with what to do", async (context) => {
  const { page, shot, close } = await open("", { allow: ["Failed to load resource", "CORS policy", "net::ERR"] });
  const room = await connections(page, "Servers");
  for (const [fault, headline] of [["no page may read", "The server lets no page like this one read its answers"], ["wants a key", "The server wants a key"], ["another path", "The server of tools is at another path"]]) {
    const server = await plant(faults[fault]);
    context.after(server.stop);
    await addServer(room, server.url);
    const finding = room.getByRole("status").filter({ hasText: headline });
    await finding.waitFor();
    assert.match(await finding.innerText(), /What to do: \S+/);
    await finding.getByText("What was tried").click();
    assert.ok((await finding.getByRole("listitem").count()) > 0);
  }
  await shot("connect-doctor");
  await close();
});

test("a model is added, tested and forgotten; its key is kept only when that is asked for", async (context) => {
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*, authorization, content-type");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "ok" }, finish_reason: "stop" }] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const { page, shot, close } = await open();
  const room = await connections(page, "Models");
  await room.getByText("Stand-in model of the demonstration").waitFor();
  const add = async (key, keep) => {
    await room.getByRole("textbox", { name: "Model", exact: true }).fill("tiny");
    await room.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${server.address().port}/v1`);
    await room.getByLabel("Key", { exact: true }).fill(key);
    await room.getByRole("checkbox", { name: "Keep the key" }).setChecked(keep);
    await room.getByRole("button", { name: "Save", exact: true }).click();
    await room.getByText("answers", { exact: true }).waitFor();
  };
  const kept = () => page.evaluate(() => localStorage.getItem("stepgraph connections") ?? "");
  await add("secret-one", false);
  assert.ok((await kept()).includes("tiny") && !(await kept()).includes("secret-one"));
  await shot("connect-models");
  await add("secret-two", true);
  assert.ok((await kept()).includes("secret-two"));
  await room.getByRole("button", { name: "Remove: default" }).click();
  await room.getByText("Stand-in model of the demonstration").waitFor();
  assert.ok(!(await kept()).includes("secret"));
  await close();
});

test("a tool is added with the keyboard alone, after the node that is selected", async () => {
  const { page, close } = await open();
  await page.getByRole("button", { name: "Connections", exact: true }).focus();
  await page.keyboard.press("Enter");
  const room = page.getByRole("dialog", { name: "Connections" });
  await room.getByRole("tab", { name: "Tools" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await room.getByRole("tab", { name: "Servers" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("ArrowLeft");
  await room.getByRole("searchbox", { name: "Search tools" }).focus();
  await page.keyboard.type("weather");
  await room.getByRole("button", { name: "Add weather to the plan" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Drawing" }).getByText("weather").first().waitFor();
  await page.keyboard.press("Escape");
  await room.waitFor({ state: "hidden" });
  await close();
});
