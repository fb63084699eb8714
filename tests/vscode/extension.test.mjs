// The packed extension in a real editor: `npm run try-extension`. Screenshots go to `tests/e2e/shots`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { openEditor } from "./code-server.mjs";

const vsix = join(root, "editors", "vscode", "dist", "stepgraph.vsix");
const shots = join(root, "tests", "e2e", "shots");
const PLAN = `start: ask
nodes:
  ask: {type: decision}
  hello: {type: log, input: "hello, \${input}!"}
  bye: {type: log, input: "bye, \${inputt}!"}
edges:
  - {from: ask, to: hello, condition: input == "Ada"}
  - {from: ask, to: bye}
tests:
  - {name: greets, input: Ada, expect: {last: "hello, Ada!"}}
  - {name: fails, input: Ada, expect: {last: nothing}}
`;

let editor;
let browser;
let page;
before(async () => {
  assert.ok(existsSync(vsix), "run `npm run try-extension`, which packs the extension first");
  mkdirSync(shots, { recursive: true });
  editor = await openEditor(vsix, { "hello.plan.yaml": PLAN });
  browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  page = await browser.newPage({ viewport: { width: 1400, height: 850 } });
  await page.goto(editor.url);
  await page.getByRole("treeitem", { name: /hello\.plan\.yaml/ }).dblclick();
});
after(async () => {
  await browser?.close();
  await editor?.close();
});

const shot = (name) => page.screenshot({ path: join(shots, `vscode-${name}.png`) });
const line = (text) => page.locator(".view-line").filter({ hasText: text });
const lens = (name) => page.locator(".codelens-decoration a").filter({ hasText: name });
/** The position of the cursor, as the status bar has it. */
const cursorAt = (place) => page.locator(".statusbar-item", { hasText: place }).waitFor();
const file = () => readFileSync(join(editor.workspace, "hello.plan.yaml"), "utf8");

/** The page in the element in the webview. */
const drawing = () =>
  page.frameLocator("iframe.webview").frameLocator("#active-frame").frameLocator("stepgraph-plan iframe");

test("a problem has its text, and a fix", async () => {
  const word = line("bye:").getByText("inputt");
  await page.locator(".squiggly-error").waitFor();
  await word.hover();
  await page.locator(".monaco-hover").filter({ hasText: "`inputt` is not the beginning of a reference" }).waitFor();
  await shot("hover");
  await word.click();
  await page.keyboard.press("ControlOrMeta+.");
  await page.getByRole("option", { name: /input/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await line('"bye, ${input}!"').waitFor();
  await page.keyboard.press("ControlOrMeta+s");
});

test("the drawing is beside the text, and the selection follows both ways", async () => {
  await lens("Draw").click();
  const frame = drawing();
  const node = (name) => frame.getByRole("button", { name: new RegExp(`^${name}`) }).first();
  await node("bye").click();
  await page.locator(".line-numbers.active-line-number", { hasText: "5" }).waitFor();
  await shot("drawing");
  await line("hello:").getByText("hello").first().click();
  await cursorAt("Ln 4");
  await frame.locator('[aria-selected="true"], [aria-pressed="true"]').filter({ hasText: "hello" }).first().waitFor();
  await shot("selection");
});

test("an edit of the drawing is an edit of the text, which undo takes back", async () => {
  const frame = drawing();
  await frame.getByRole("button", { name: /^bye/ }).first().click();
  await page.keyboard.press("Delete");
  await line("bye:").waitFor({ state: "hidden" });
  await line("hello:").first().click();
  await page.keyboard.press("ControlOrMeta+z");
  await line("bye:").waitFor();
  await page.keyboard.press("ControlOrMeta+s");
  await frame.getByRole("button", { name: /^bye/ }).first().waitFor();
});

test("tests run in the Test Explorer, and a failure says why", async () => {
  await lens("Run 2 tests").click();
  await page.getByRole("tab", { name: /^Testing/ }).click();
  await page.getByRole("treeitem", { name: /hello\.plan\.yaml \(Failed\)/ }).click();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: /^fails \(Failed\)/ }).waitFor();
  await page.getByRole("treeitem", { name: /^greets \(Passed\)/ }).waitFor();
  await page.getByRole("treeitem", { name: /^fails \(Failed\)/ }).click();
  await page.locator(".peekview-widget").getByText('last: expected "nothing", got "hello, Ada!"').first().waitFor();
  await shot("tests");
  assert.match(file(), /bye, \$\{input\}!/);
});
