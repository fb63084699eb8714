// Tests shared plans: links, questions before a stranger's plan runs, files, and hostile plans.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { script } from "../playground/script.mjs";
import { downloadFrom, stage, replacePlanText } from "./page-fixture.mjs";
import {
  barriers,
  dialog,
  drawingsUntil,
  noteDrawings,
  onlyText,
  planText,
  plans,
  saved,
  openShareDialog,
} from "./share.mjs";

const { open } = stage();
const { createLink, pack, checksum } = await script("share/link", "share/encoding");

const PLAN =
  "# mine: é\nnodes:\n  hello: {type: log, input: hi}\n  end: {type: log, input: bye}\nedges: [{from: hello, to: end}]\n";
const SHARED_PLAN =
  'servers: {s: {url: "https://s.example/mcp"}}\nnodes:\n  a: {type: tool, tool: s.wipe, input: {}}\n  b: {type: llm, input: hi, with: {model: big}}\nedges: [{from: a, to: b}]\n';
const linkTo = async (shared) => `#${(await createLink({ name: "linked", ...shared })).fragment}`;

test("a link contains the whole plan and opens without a request", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(page, PLAN);
  const out = await openShareDialog(page);
  const field = out.getByRole("textbox", { name: "Link" });
  await page.waitForFunction((element) => element.value.includes("#plan=1."), await field.elementHandle());
  const link = await field.inputValue();
  await shot("share");
  await close();

  const other = await open();
  const asked = [];
  other.page.on("request", (request) => asked.push(request.url()));
  await other.page.evaluate((hash) => {
    location.hash = hash;
  }, new URL(link).hash);
  await other.page.getByText("This plan came from a link").waitFor({ state: "hidden" });
  await planText(other.page, PLAN);
  assert.deepEqual(
    asked.filter((address) => !/^(?:blob|data):/.test(address) && !/\.(?:js|wasm|svg)$/.test(address)),
    [],
    "only the page's own parts are asked for",
  );
  assert.equal(new URL(other.page.url()).hash, "", "a reload shows what was edited since");
  await other.close();
});

test("a returning user and a visitor by link see no other plan before theirs", async () => {
  const { page, context, close } = await open();
  await replacePlanText(page, PLAN);
  await saved(page);
  await noteDrawings(context);
  const linked = await linkTo({
    text: "nodes: {a: {type: log, input: 1}, b: {type: noop}, c: {type: noop}}\nedges: [{from: a, to: b}, {from: b, to: c}]\n",
  });
  for (const [path, nodes] of [
    ["", 2],
    [linked, 3],
  ]) {
    const other = await context.newPage();
    await other.goto(new URL(path, page.url()).href);
    assert.deepEqual(await drawingsUntil(other, nodes), [nodes], path);
    await other.close();
  }
  await close();
});

test("the notice of a shared plan leaves the canvas centred, also on a phone", async () => {
  const { page, shot, close } = await open(await linkTo({ text: SHARED_PLAN }), {
    viewport: { width: 390, height: 844 },
  });
  await page.getByText("This plan came from a link").waitFor();
  const centerPoints = () => {
    const middle = (boxes) =>
      (Math.min(...boxes.map(({ top }) => top)) + Math.max(...boxes.map(({ bottom }) => bottom))) / 2;
    const boxes = (selector) =>
      [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
    const [cards, canvas] = [boxes(".node .card"), boxes(".canvas")];
    return cards.length === 2 && Math.abs(middle(cards) - middle(canvas)) < 2;
  };
  await page.waitForFunction(centerPoints);
  await shot("link-phone");
  await close();
});

test("an unreadable link shows the reason and keeps the open plan", async () => {
  const { page, shot, close } = await open();
  await replacePlanText(page, PLAN);
  const good = await linkTo({ text: "nodes: {x: {type: log, input: x}}" });
  const cases = [
    [good.slice(0, good.length / 2), "This link is incomplete"],
    [`${good.slice(0, -9)}x${good.slice(-8)}`, "This link was altered"],
    ["#plan=9.abc.0000000", "newer version of the page (format 9)"],
    ["#plan=1.AAAA.0000000", "was altered"],
    [`#plan=1.AAAA.${checksum("1.AAAA")}`, "This link contains no plan"],
    ["#plan=", "contains no plan"],
    [
      `#plan=1.${await pack("a".repeat(17_000_000))}.${checksum(`1.${await pack("a".repeat(17_000_000))}`)}`,
      "is too large to open",
    ],
  ];
  for (const [hash, said] of cases) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, hash);
    await page.getByText(said).first().waitFor();
    await planText(page, PLAN);
  }
  await shot("share-broken-link");
  await close();
});

const SHOP =
  'nodes:\n  look: {type: tool, tool: shop.look, input: {what: tea}}\n  say: {type: log, input: "There is ${last.count}."}\nedges: [{from: look, to: say}]\n';

test("a link contains stubs and the recorded run on request, and the run is viewed without approval, request or connection", async () => {
  const { page, close } = await open();
  await replacePlanText(page, SHOP);
  await page.getByRole("tab", { name: "Tests" }).click();
  await page.getByRole("textbox", { name: "Stubs" }).fill("tools: {shop.look: {return: {count: 42}}}");
  const out = await openShareDialog(page);
  assert.equal(await out.getByRole("checkbox", { name: "with the recorded run" }).count(), 0, "nothing has run yet");
  await out.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("F5");
  await page.getByText("run completed in").first().waitFor();
  await openShareDialog(page);
  const field = out.getByRole("textbox", { name: "Link" });
  const link = async (before) => {
    await page.waitForFunction(
      ([element, before]) => element.value.includes("#plan=1.") && element.value !== before,
      [await field.elementHandle(), before],
    );
    return field.inputValue();
  };
  // Each checkbox makes a new link, so wait for it.
  const ticked = async (name, wanted) => {
    const before = await field.inputValue();
    await out.getByRole("checkbox", { name }).setChecked(wanted);
    return new URL(await link(before)).hash;
  };
  const links = new Map([["stubs", new URL(await link("")).hash]]);
  links.set("bare", await ticked("with stubs", false));
  links.set("run", await ticked("with the recorded run", true));
  await close();
  assert.equal(new Set(links.values()).size, 3);

  const bare = await open(links.get("bare"));
  await planText(bare.page, SHOP);
  await bare.page.getByText("This plan came from a link").waitFor();
  assert.equal(await bare.page.getByRole("button", { name: "Show recorded run" }).count(), 0);
  await bare.close();

  const ran = await open();
  const asked = [];
  ran.page.on("request", (request) => asked.push(request.url()));
  await ran.page.evaluate((hash) => {
    location.hash = hash;
  }, links.get("run"));
  await planText(ran.page, SHOP);
  await ran.page.getByRole("button", { name: "Show recorded run" }).click();
  await ran.page.getByText("run completed in").first().waitFor();
  await ran.page.getByRole("table", { name: "Timeline" }).getByRole("row").nth(2).getByRole("button").click();
  await ran.page.getByRole("region", { name: "Panels" }).getByText("There is 42.").last().waitFor();
  await ran.shot("share-recorded");
  assert.equal(await dialog(ran.page, "Allow this plan to run?").isVisible(), false);
  assert.deepEqual(
    asked.filter((address) => !address.startsWith(new URL(ran.page.url()).origin) && !/^(?:blob|data):/.test(address)),
    [],
  );
  await ran.page.keyboard.press("F5");
  await dialog(ran.page, "Allow this plan to run?").waitFor();
  await ran.close();

  const stood = await open(links.get("stubs"));
  await planText(stood.page, SHOP);
  await stood.page.keyboard.press("F5");
  await dialog(stood.page, "Allow this plan to run?").getByRole("button", { name: "Allow" }).click();
  await stood.page.getByText("run completed in").first().waitFor();
  await stood.page.getByRole("region", { name: "Panels" }).getByText("There is 42.").last().waitFor();
  await stood.close();
});

test("a truncated link with a run opens nothing, and the last plan stays", async () => {
  const cassette = `${"{}\n".repeat(50)}`;
  const whole = await linkTo({ text: SHOP, cassette });
  const { page, close } = await open(whole.slice(0, whole.length / 2));
  await page.getByText("This link is incomplete").first().waitFor();
  await planText(page, "# Sorting a support request");
  await replacePlanText(page, PLAN);
  await page.reload();
  await planText(page, PLAN);
  await close();
});

test("a third-party plan is checked and drawn at once, and lists its permissions before it may run", async () => {
  const { page, shot, close } = await open(await linkTo({ text: SHARED_PLAN }));
  await planText(page, SHARED_PLAN);
  await page.getByRole("button", { name: "Review requests" }).click();
  const asks = dialog(page, "Allow this plan to run?");
  for (const text of ["https://s.example/mcp", "s.wipe", "may modify data", "big"])
    await asks.getByText(text, { exact: true }).waitFor();
  await shot("consent");
  assert.deepEqual(await barriers(page), []);
  await asks.getByRole("button", { name: "Not now" }).click();
  await page.getByText("This plan came from a link").waitFor();
  await page.getByRole("button", { name: "Review requests" }).click();
  await asks.getByRole("button", { name: "Allow" }).click();
  await page.getByText("This plan came from a link").waitFor({ state: "detached" });
  await page.reload();
  await planText(page, SHARED_PLAN);
  assert.equal(await page.getByText("This plan came from a link").count(), 0, "the session remembers the plan");
  await close();
});

test("keys are in no link", async () => {
  const { page, close } = await open();
  await replacePlanText(
    page,
    "nodes:\n  a:\n    type: log\n    input: {api_key: hunter2hunter2, say: sk-proj-0123456789abcdefghijkl}\n",
  );
  const out = await openShareDialog(page);
  await out.getByText("Keys and secrets removed: 2").waitFor();
  await close();
});

test("plans and diagrams are exported unchanged and imported again", async () => {
  const { page, close } = await open();
  await replacePlanText(page, PLAN);
  const out = await openShareDialog(page);
  const saved = (kind) => downloadFrom(page, () => out.getByRole("button", { name: `Download ${kind}` }).click());
  assert.equal((await saved("YAML")).bytes.toString(), PLAN);
  const json = JSON.parse((await saved("JSON")).bytes);
  assert.deepEqual(json.nodes.hello, { type: "log", input: "hi" });
  const mermaid = await saved("Mermaid");
  assert.match(mermaid.name, /\.mmd$/);
  assert.match(mermaid.bytes.toString(), /^(?:%%.*\n|---[\s\S]*?---\n)*flowchart /);
  const svg = (await saved("SVG image")).bytes.toString();
  assert.ok(svg.startsWith("<svg ") && svg.includes(">hello<"));
  const png = (await saved("PNG image")).bytes;
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  const [, width = "0"] = /width="([\d.]+)"/.exec(svg);
  assert.equal(png.readUInt32BE(16), Math.ceil(Number(width) * 2));
  await out.getByRole("button", { name: "Close" }).click();

  const list = await plans(page);
  const chooser = page.waitForEvent("filechooser");
  await list.getByRole("button", { name: "Open a file" }).click();
  await (await chooser).setFiles({
    name: "drawn.mmd",
    mimeType: "text/plain",
    buffer: Buffer.from("flowchart TD\n  A[Ask] -->|yes| B\n  A --> C\n"),
  });
  // The notes stand below the message, and leave with the plan.
  const messages = page.getByRole("region", { name: "Messages" });
  const said = await messages.getByText(/^Imported from Mermaid/).textContent();
  const notes = await messages.getByRole("listitem").allTextContents();
  assert.equal(
    said,
    notes.length === 1 ? "Imported from Mermaid with 1 note:" : `Imported from Mermaid with ${notes.length} notes:`,
  );
  assert.ok(notes.length > 0 && notes.every((note) => !note.includes("`")), notes.join("\n"));
  await plans(page).then((list) => list.getByRole("button", { name: "New plan" }).click());
  await messages.getByText(/^Imported/).waitFor({ state: "detached" });
  await close();
});

test("if the clipboard is denied, the user can copy the shown text", async () => {
  const { page, close } = await open();
  await replacePlanText(page, PLAN);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("denied"));
  });
  const out = await openShareDialog(page);
  await out.getByRole("button", { name: "Copy YAML" }).click();
  assert.equal(await out.getByRole("textbox", { name: "Text to copy" }).inputValue(), PLAN);
  await close();
});

test("the page opens a plan from an address, and names the cause of a refusal", async () => {
  const { page, close } = await open("", {
    allow: ["Cross-Origin Request Blocked", "blocked by CORS", "Failed to load resource", "net::ERR"],
  });
  const context = page.context();
  await context.route("https://plans.example/**", (route) => {
    const path = new URL(route.request().url()).pathname;
    const cors = { "access-control-allow-origin": "*" };
    if (path === "/good.yaml") return route.fulfill({ body: PLAN, headers: { ...cors, "content-type": "text/yaml" } });
    if (path === "/page") return route.fulfill({ body: "<html>", headers: { ...cors, "content-type": "text/html" } });
    if (path === "/gone") return route.fulfill({ status: 404, headers: cors });
    return route.abort("failed");
  });
  const openAddress = async (address) => {
    const list = await plans(page);
    await list.getByRole("textbox", { name: "URL of a plan" }).fill(address);
    await list.getByRole("button", { name: "Open", exact: true }).click();
  };
  for (const [address, said] of [
    ["https://plans.example/denied", "Access-Control-Allow-Origin"],
    ["https://plans.example/gone", "The file does not exist"],
    ["https://plans.example/page", "is not a text file"],
    ["ftp://x", "is not a file address"],
  ]) {
    await openAddress(address);
    await page.getByText(said).first().waitFor();
    await page.keyboard.press("Escape");
  }
  await openAddress("https://plans.example/good.yaml");
  await planText(page, PLAN);
  await close();
});

test("hostile plans change nothing but text", async () => {
  const markup = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>";
  const deep = `nodes: ${"{a: {type: graph, graph: {nodes: ".repeat(60)}{a: {type: log, input: x}}${"}}}".repeat(60)}\n`;
  const many = `nodes:\n${Array.from({ length: 10_000 }, (_, at) => `  n${at}: {type: log, input: x}\n`).join("")}edges:\n${Array.from({ length: 9_999 }, (_, at) => `  - {from: n${at}, to: n${at + 1}}\n`).join("")}`;
  const plans = {
    markup: `id: ${JSON.stringify(markup)}\ndescription: ${JSON.stringify(markup)}\nservers: {${JSON.stringify(markup)}: {url: "https://x.example/${encodeURIComponent(markup)}"}}\nnodes:\n  ${JSON.stringify(markup)}: {type: log, input: ${JSON.stringify(markup)}, metadata: {title: ${JSON.stringify(markup)}}}\n  b: {type: ${JSON.stringify(markup)}, input: x}\nedges: [{from: ${JSON.stringify(markup)}, to: b, condition: 'last=="${markup.replaceAll('"', "")}"'}]\n`,
    prototypes:
      "nodes:\n  __proto__: {type: log, input: x}\n  constructor: {type: log, input: x}\n  toString: {type: hasOwnProperty, input: x}\nedges: [{from: __proto__, to: constructor}, {from: constructor, to: toString}]\n",
    deep,
    many,
  };
  for (const [name, text] of Object.entries(plans)) {
    const { page, shot, close } = await open(await linkTo({ text, name: markup }));
    page.setDefaultTimeout(180_000);
    await planText(page, text);
    await onlyText(page);
    await openShareDialog(page);
    await onlyText(page);
    await shot(`hostile-${name}`);
    await close();
  }
});

test("the commands of the examples open unchanged", async () => {
  const text = readFileSync(join(root, "examples", "triage.yaml"), "utf8");
  const { page, close } = await open(await linkTo({ text }));
  await planText(page, text);
  await close();
});
