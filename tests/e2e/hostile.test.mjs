// Tests hostile texts: byte order marks, very long lines, ten thousand nodes, and markup in every string stay text, and
// the page usable.

import assert from "node:assert/strict";
import { test } from "node:test";
import { json, serve } from "../servers/serve.mjs";
import { connected, connections } from "./dialogs.mjs";
import { onlyText, plans, saved, openShareDialog } from "./share.mjs";
import { downloadFrom, pane, reads, stage, replacePlanText } from "./page-fixture.mjs";

const { open } = stage();
const MARKUP = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>";
const problems = (page) => page.getByRole("list", { name: "Problems of the plan" });

async function file(page) {
  const out = await openShareDialog(page);
  const { bytes } = await downloadFrom(page, () => out.getByRole("button", { name: "Download YAML" }).click());
  await out.getByRole("button", { name: "Close" }).click();
  return bytes.toString();
}

async function openFile(page, text) {
  const list = await plans(page);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    list.getByRole("button", { name: "Open a file" }).click(),
  ]);
  await chooser.setFiles({ name: "given.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) });
  await list.waitFor({ state: "hidden" });
}

test("a file with a byte order mark and CRLF opens as usual and is saved unchanged", async () => {
  const { page, close } = await open();
  const body =
    "# é 😀\nnodes:\n  a: {type: log, input: x}\n  b: {type: log, input: y}\nedges: [{from: a, to: b}]\n".replaceAll(
      "\n",
      "\r\n",
    );
  await openFile(page, `\uFEFF${body}`);
  await page.locator('.canvas .node .card[aria-label^="b"]').waitFor();
  assert.equal(await problems(page).getByRole("listitem").count(), 0);
  assert.equal((await file(page)).replace(/^\uFEFF/, ""), body);
  await page.locator('.canvas .node .card[aria-label^="b"]').click();
  const input = page.getByRole("region", { name: "Inspector" }).getByLabel("Input", { exact: true });
  await input.fill("z");
  await reads(page, /b: \{type: log, input: z\}/);
  assert.equal((await file(page)).replace(/^\uFEFF/, ""), body.replace("input: y", "input: z"));
  await close();
});

test("the page reads, edits and saves a line of 100 kB", async () => {
  const { page, close } = await open();
  const long = `${"é😀 long ".repeat(10_000)}end`;
  await replacePlanText(
    page,
    `nodes:\n  a: {type: log, input: "${long}"}\n  b: {type: log}\nedges: [{from: a, to: b}]\n`,
  );
  await pane(page).press("ControlOrMeta+End");
  await page.keyboard.type("# the end");
  await saved(page);
  await page
    .getByRole("application", { name: "Plan canvas" })
    .getByRole("button", { name: /^a, log/ })
    .click();
  await page.getByRole("region", { name: "Inspector" }).getByRole("heading", { name: "Node a" }).waitFor();
  const text = await file(page);
  assert.ok(text.includes(long) && text.endsWith("# the end"));
  await close();
});

test("a pasted plan of 10 000 nodes leaves the page usable: keys, palette, canvas, an edit and its undo", async () => {
  const { page, shot, close } = await open();
  page.setDefaultTimeout(90_000);
  const nodes = Array.from({ length: 10_000 }, (_, at) => `  n${at}: {type: log, input: x}\n`).join("");
  const edges = Array.from({ length: 9_999 }, (_, at) => `  - {from: n${at}, to: n${at + 1}}\n`).join("");
  await replacePlanText(page, `# many\nnodes:\n${nodes}edges:\n${edges}`);
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# now ");
  await pane(page).getByText("# now # many").waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill("zoom in");
  await page.getByRole("dialog", { name: "Command palette" }).getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+3");
  await page.waitForFunction(() => document.activeElement?.closest(".canvas"));
  await page.keyboard.press("Home");
  const hasElement = (name) =>
    page.waitForFunction((name) => document.activeElement?.getAttribute("aria-label")?.startsWith(`${name},`), name);
  await hasElement("n0");
  await page.keyboard.press("ArrowDown");
  await hasElement("n1");
  await page.keyboard.press("Delete");
  await pane(page).getByText("n1: {type").waitFor({ state: "detached" });
  await page.keyboard.press("ControlOrMeta+z");
  await pane(page).getByText("n1: {type").waitFor();
  await shot("hostile-many-pasted");
  await close();
});

/** It puts markup into its name, tools, arguments, results and errors. */
async function startRogueServer() {
  const { url, stop, ...rest } = await serve(({ request, response, body }) => {
    for (const what of ["origin", "methods", "headers"]) response.setHeader(`access-control-allow-${what}`, "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const answer = (result) => json(response, 200, { jsonrpc: "2.0", id: body.id, result });
    if (body.method === "server/discover")
      return answer({
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: MARKUP, version: MARKUP },
        instructions: MARKUP,
      });
    const inputSchema = {
      type: "object",
      properties: { [MARKUP]: { type: "string", description: MARKUP, enum: [MARKUP] }, __proto__: { type: "string" } },
    };
    if (body.method === "tools/list")
      return answer({
        resultType: "complete",
        tools: ["gives", "fails"].map((name) => ({
          name,
          title: MARKUP,
          description: MARKUP,
          inputSchema,
          annotations: { title: MARKUP },
        })),
      });
    answer({
      resultType: "complete",
      isError: body.params.name === "fails",
      content: [{ type: "text", text: MARKUP }],
    });
  });
  return { url: `${url}/mcp`, stop, ...rest };
}

test("texts of servers and runs are shown as text everywhere", async (context) => {
  const server = await startRogueServer();
  context.after(server.stop);
  const { page, shot, close } = await open();
  await connected(page, server.url, "rogue");
  const room = await connections(page, "Tools");
  await room.getByRole("searchbox", { name: "Search tools" }).fill("gives");
  await room.getByText(MARKUP).first().waitFor();
  await onlyText(page);
  await shot("hostile-tools");
  await room.getByRole("tab", { name: "Servers" }).click();
  await room.getByText(MARKUP).first().waitFor();
  await room.getByRole("button", { name: "Close" }).click();
  const key = JSON.stringify(MARKUP);
  await replacePlanText(
    page,
    `id: ${key}\ndescription: ${key}\nnodes:\n  ${key}: {type: tool, tool: gives, input: {${key}: ${key}}, description: ${key}}\n  say: {type: log, input: "${"${last}"} ${MARKUP}"}\n  fails: {type: tool, tool: fails, input: {}}\nedges:\n  - {from: ${key}, to: say, condition: 'last.exists'}\n  - {from: say, to: fails}\ntests: [{name: ${key}, expect: {last: ${key}}}]\n`,
  );
  await page.keyboard.press("F5");
  const panel = page.getByRole("region", { name: "Panels" });
  await panel
    .getByText(/^run failed/)
    .first()
    .waitFor();
  for (const tab of ["Run", "Values", "Trace", "Tests", "Problems"]) {
    await panel.getByRole("tab", { name: tab }).click();
    if (["Run", "Values", "Trace"].includes(tab)) await panel.getByText(MARKUP).first().waitFor({ state: "attached" });
    await onlyText(page);
  }
  await panel.getByRole("tab", { name: "Run" }).click();
  for (const row of await page.getByRole("table", { name: "Timeline" }).getByRole("row").getByRole("button").all()) {
    await row.click();
    await onlyText(page);
  }
  await page.getByRole("region", { name: "Inspector" }).getByRole("heading", { name: /^Node/ }).waitFor();
  await shot("hostile-run");
  await page.keyboard.press("Alt+2");
  await page.getByRole("treeitem").first().waitFor();
  await openShareDialog(page);
  await onlyText(page);
  await close();
});
