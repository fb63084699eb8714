// Tests connections with a real server, the doctor's findings, and models with their keys.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { faults, startFaultServer } from "../servers/faults.mjs";
import { fastmcp, guarded, modern } from "../servers/servers.mjs";
import { addServer, connected, connections } from "./dialogs.mjs";
import { chooseCompletion, needsDrags, pane, reads, replacePlanText, stage } from "./page-fixture.mjs";

const { open } = stage();

test("the page connects a real server, lists its tools, adds one to the plan and runs the plan", async (context) => {
  const server = await fastmcp({ CORS: "1" });
  context.after(server.stop);
  const { page, shot, close } = await open();
  const room = await connections(page, "Servers");
  await addServer(room, server.url, "office");
  await room
    .getByText(/^connected, \d+ tools?$/)
    .nth(1)
    .waitFor();
  await shot("connect-server");
  await room.getByRole("tab", { name: "Tools" }).click();
  await room.getByRole("searchbox", { name: "Search tools" }).fill("greet");
  await room.getByRole("button", { name: "Add greet to the plan" }).click();
  await shot("connect-tools");
  await page.getByRole("region", { name: "Canvas" }).getByText("greet").first().waitFor();
  await room.getByRole("button", { name: "Close" }).click();
  await replacePlanText(page, "nodes:\n  hello: {type: tool, tool: greet, input: {name: Ada}}\n");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.getByText("run completed in").first().waitFor();
  await page.getByText(/Ada/).nth(1).waitFor();
  await shot("connect-run");
  await close();
});

test("the tabs of the connections stay in place when the plan's requirements appear", async () => {
  const { page, close } = await open();
  await replacePlanText(page, "nodes:\n  hello: {type: tool, tool: greet, input: {name: Ada}}\n");
  await page.evaluate(() => {
    window.tops = new Set();
    const sampleFrame = () => {
      const tab = document.querySelector("dialog.connections [role=tab]");
      if (tab) window.tops.add(tab.getBoundingClientRect().top);
      requestAnimationFrame(sampleFrame);
    };
    sampleFrame();
  });
  const room = await connections(page, "Servers");
  await room.getByText("Requirements of the open plan").waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.equal(await page.evaluate(() => window.tops.size), 1);
  await close();
});

test("a failed connection shows a plain message and a remedy", async (context) => {
  const { page, shot, close } = await open("", {
    allow: ["Cross-Origin Request Blocked", "Failed to load resource", "CORS policy", "net::ERR"],
  });
  const room = await connections(page, "Servers");
  for (const [fault, headline] of [
    ["no page may read", "CORS: the server does not let this page read its responses"],
    ["wants a key", "The server requires a key"],
    ["another path", "The MCP server is at another path"],
  ]) {
    const server = await startFaultServer(faults[fault]);
    context.after(server.stop);
    await addServer(room, server.url);
    const finding = room.getByRole("status").filter({ hasText: headline });
    await finding.waitFor();
    assert.match(await finding.innerText(), /What to do: \S+/);
    await finding.getByText("Checks performed").click();
    assert.ok((await finding.getByRole("listitem").count()) > 0);
  }
  await shot("connect-doctor");
  await close();
});

test("a model is added, tested and removed, and its key is saved only on request", async (context) => {
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*, authorization, content-type");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "ok" }, finish_reason: "stop" }] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const { page, shot, close } = await open();
  const room = await connections(page, "Models");
  await room.getByText("Demo model").waitFor();
  const add = async (key, keep) => {
    await room.getByRole("textbox", { name: "Model", exact: true }).fill("tiny");
    await room.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${server.address().port}/v1`);
    await room.getByLabel("Key", { exact: true }).fill(key);
    await room.getByRole("checkbox", { name: "Save the key" }).setChecked(keep);
    await room.getByRole("button", { name: "Save", exact: true }).click();
    await room.getByText("works", { exact: true }).waitFor();
  };
  const savedConnections = () => page.evaluate(() => localStorage.getItem("stepgraph connections") ?? "");
  await add("secret-one", false);
  assert.ok((await savedConnections()).includes("tiny") && !(await savedConnections()).includes("secret-one"));
  await shot("connect-models");
  await add("secret-two", true);
  assert.ok((await savedConnections()).includes("secret-two"));
  await room.getByRole("button", { name: "Remove: default" }).click();
  await room.getByText("Demo model").waitFor();
  assert.ok(!(await savedConnections()).includes("secret"));
  await close();
});

test("the keyboard alone adds a tool after the selected node", async () => {
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
  await page.getByRole("region", { name: "Canvas" }).getByText("weather").first().waitFor();
  await page.keyboard.press("Escape");
  await room.waitFor({ state: "hidden" });
  await close();
});

const TRIP_PLAN = `# é 😀 before everything
nodes:
  trip: # the trip
    type: tool
    tool: book
    input:
      to: 'Bergen' # by the sea
`;

test("the arguments of a connected tool form a form by its schema and are written only where they belong", async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, shot, close } = await open();
  await connected(page, server.url, "trains");
  await replacePlanText(page, TRIP_PLAN);
  await page.locator('.canvas .node .card[aria-label^="trip"]').click();
  const form = page.getByRole("region", { name: "Inspector" });
  const input = form.getByRole("group", { name: "Input" });
  const field = (name) => input.getByLabel(name, { exact: true });
  await form.getByText("the input has no seats").waitFor();
  await input.getByText("required").first().waitFor();
  assert.deepEqual(await field("class").getByRole("option").allTextContents(), ["not set", "first", "second"]);
  let now = TRIP_PLAN.trimEnd();
  const expect = (line) => reads(page, (now += `\n      ${line}`));
  await field("seats").fill("two");
  await form
    .getByText(/no (whole )?number/)
    .first()
    .waitFor();
  assert.equal(await field("seats").getAttribute("aria-invalid"), "true");
  await field("seats").fill("2");
  await expect("seats: 2");
  await form.getByText("the input has no `seats`").waitFor({ state: "detached" });
  await field("class").selectOption("second");
  await expect("class: second");
  await field("price").fill("12.5");
  await expect("price: 12.5");
  await field("window").selectOption({ label: "yes" });
  await expect("window: true");
  await input.getByText("contact", { exact: true }).first().click();
  await field("name").fill('Ana: "x"');
  await expect(`contact: {name: 'Ana: "x"'}`);
  await field("age").fill("7");
  await reads(page, (now = now.replace(`"x"'}`, `"x"', age: 7}`)));
  await shot("connect-form");
  await field("to").fill("Oslo");
  await reads(page, now.replace("Bergen", "Oslo"));
  await close();
});

test("the text pane proposes the connected tools and models", async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, shot, close } = await open("", { allow: ["net::ERR"] });
  await connected(page, server.url, "trains");
  await replacePlanText(page, "nodes:\n  trip:\n    type: tool\n    tool: ");
  await pane(page).press("ControlOrMeta+End");
  await page.keyboard.type("bo");
  const list = page.getByRole("listbox", { name: "Completions" });
  await list.getByRole("option", { name: /book\s*tool of trains/ }).waitFor();
  await shot("connect-completion");
  await chooseCompletion(page);
  await reads(page, "nodes:\n  trip:\n    type: tool\n    tool: book");
  const room = await connections(page, "Models");
  await room.getByRole("textbox", { name: "Model", exact: true }).fill("tiny");
  await room.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1");
  await room.getByRole("textbox", { name: "Name in plans" }).fill("chatterbox");
  await room.getByRole("button", { name: "Save", exact: true }).click();
  await room.getByRole("listitem").filter({ hasText: "chatterbox" }).first().waitFor();
  await room.getByRole("button", { name: "Close" }).click();
  await replacePlanText(page, "nodes:\n  say:\n    type: llm\n    with:\n      model: ");
  await pane(page).press("ControlOrMeta+End");
  await page.keyboard.type("ch");
  await list.getByRole("option", { name: /chatterbox/ }).waitFor();
  await close();
});

test("a tool dragged from the list becomes a node at the drop position", { skip: needsDrags }, async (context) => {
  const server = await modern({ CORS: "1" });
  context.after(server.stop);
  const { page, shot, close } = await open();
  await connected(page, server.url, "trains");
  await replacePlanText(page, "nodes:\n  a: {type: log, input: x} # stays\n");
  const room = await connections(page, "Tools");
  await room.getByRole("searchbox", { name: "Search tools" }).fill("book");
  const drawing = page.getByRole("application", { name: "Plan canvas" });
  const area = await drawing.boundingBox();
  const at = { x: area.x + 160, y: area.y + 260 };
  const from = await room
    .getByRole("listitem")
    .filter({ hasText: "book" })
    .getByText("book", { exact: true })
    .first()
    .boundingBox();
  await page.mouse.move(from.x + 4, from.y + 4);
  await page.mouse.down();
  await page.mouse.move(from.x - 40, from.y + 10, { steps: 4 });
  await page.mouse.move(at.x, at.y, { steps: 8 });
  await shot("connect-drag");
  await page.mouse.up();
  const node = drawing.getByRole("button", { name: /^book,/ });
  await node.waitFor();
  const box = await node.boundingBox();
  assert.ok(
    at.x >= box.x - 16 && at.x <= box.x + box.width + 16 && at.y >= box.y - 16 && at.y <= box.y + box.height + 16,
    `${JSON.stringify(at)} is not at ${JSON.stringify(box)}`,
  );
  await reads(page, /^start: a\nnodes:\n {2}a: \{type: log, input: x\} # stays\n {2}book: \{type: tool, tool: book\b/);
  await page
    .getByRole("status")
    .filter({ hasText: /^Added .*book/ })
    .first()
    .waitFor({ state: "attached" });
  await close();
});

test("a server requires a sign-in: the page opens the window, the user agrees, and the tools appear", async (context) => {
  const server = await guarded({ CORS: "1" });
  context.after(server.stop);
  const { page, shot, close } = await open("", { allow: ["Failed to load resource"] });
  const room = await connections(page, "Servers");
  await addServer(room, server.url, "office");
  await room.getByText("The server requires you to sign in").waitFor();
  await shot("connect-sign-in");
  const [child] = await Promise.all([
    page.waitForEvent("popup"),
    room.getByRole("button", { name: "Sign in: office" }).click(),
  ]);
  await child.waitForEvent("close").catch(() => {});
  await room
    .getByText(/^connected, \d+ tools?$/)
    .nth(1)
    .waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes("token"), "tokens stay in memory");
  await close();
});

test("a user who closes the sign-in window can start again", async (context) => {
  const server = await guarded({ CORS: "1" });
  context.after(server.stop);
  const { page, context: browser, close } = await open("", { allow: ["Failed to load resource"] });
  await browser.route("**/authorize?**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Agree?</title>" }),
  );
  const room = await connections(page, "Servers");
  await addServer(room, server.url, "office");
  const signIn = room.getByRole("button", { name: "Sign in: office" });
  const [child] = await Promise.all([page.waitForEvent("popup"), signIn.click()]);
  await room.getByText("connecting…").waitFor();
  await child.close();
  await signIn.waitFor();
  await browser.unroute("**/authorize?**");
  await signIn.click();
  await room
    .getByText(/^connected, \d+ tools?$/)
    .nth(1)
    .waitFor();
  await close();
});

test("a stubbed tool is not reported as missing", async () => {
  const { page, close } = await open();
  await replacePlanText(page, "nodes:\n  a: {type: tool, tool: nowhere, input: {}}\n");
  await reads(page, /nowhere/);
  const room = await connections(page, "Tools");
  await room.getByText("1 missing").waitFor();
  await page.getByRole("tab", { name: "Tests" }).click();
  await page.getByRole("textbox", { name: "Stubs" }).fill("tools: {nowhere: echo} # for now\n");
  await room.getByRole("tab", { name: "Tools" }).focus();
  await room.getByText("1 ✓").waitFor();
  await room.getByText("stubbed").waitFor({ state: "attached" });
  await close();
});
