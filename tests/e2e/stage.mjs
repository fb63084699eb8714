// The page in a real Chromium, served as `npm start` serves it. What the page complains of fails the test that made it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";
import { root } from "../../scripts/lib/places.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const shots = join(root, "tests", "e2e", "shots");

/** Sets up one server and one Chromium for a file of tests; gives how to open the page. */
export function stage() {
  const held = {};
  before(async () => {
    held.server = await serve(folder);
    held.browser = await chromium.launch({ executablePath: await findChromium(), headless: true, args: FLAGS });
  });
  after(async () => {
    await held.browser?.close();
    await held.server?.close();
  });
  return {
    get url() {
      return held.server.url;
    },
    get browser() {
      return held.browser;
    },
    /** Opens the page in a context of its own: nothing is stored from test to test. */
    open: (path = "", options = {}) => open(held, path, options),
  };
}

async function open(
  { browser, server },
  path,
  { viewport = { width: 1440, height: 900 }, theme = "light", lang = "en-GB", allow = [], deny = false, ...settings },
) {
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    locale: lang,
    reducedMotion: "reduce",
    serviceWorkers: "block",
    ...settings,
  });
  if (deny) await context.addInitScript(denyStorage);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`${error.stack ?? error}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  const unexpected = () => complaints.filter((text) => !allow.some((known) => text.includes(known)));
  await page.goto(new URL(path, server.url).href);
  await page.getByRole("main").waitFor();
  return {
    page,
    context,
    /** A picture for people to look at. */
    async shot(name) {
      mkdirSync(shots, { recursive: true });
      await page.screenshot({ path: join(shots, `${name}.png`) });
    },
    /** Ends it; fails when the page has complained. */
    async close() {
      await context.close();
      assert.deepEqual(unexpected(), []);
    },
  };
}

/** The text pane, of a page or of a frame. */
export function pane(page) {
  return page.getByRole("textbox", { name: /^(Plan as text|Plan como texto)$/ });
}

/** A plan in the place of the one that is there, as a person who selects all and pastes. */
export async function write(page, text) {
  const field = pane(page);
  await field.focus();
  await field.press("ControlOrMeta+a");
  await field.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** What the text pane shows, once it is there: of a short plan, all of it. The drawing may be there before. */
export async function written(page) {
  const lines = pane(page).locator(".cm-line");
  await lines.first().waitFor({ state: "attached" });
  return (await lines.allTextContents()).join("\n");
}

/** Waits until the text pane shows this, or what fits an expression; else says what it shows. */
export async function reads(page, expected) {
  const wanted =
    expected instanceof RegExp ? { source: expected.source, flags: expected.flags } : { text: expected.trimEnd() };
  const shows = ([element, { text, source, flags }]) => {
    const shown = [...element.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
    return text === undefined ? new RegExp(source, flags).test(shown) : shown.trimEnd() === text;
  };
  await page.waitForFunction(shows, [await pane(page).elementHandle(), wanted]).catch(() => {});
  const shown = await written(page);
  if (expected instanceof RegExp) assert.match(shown, expected);
  else assert.equal(shown.trimEnd(), expected.trimEnd());
}

/** What a browser does that lets a page keep nothing. */
function denyStorage() {
  const denied = () => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const name of ["indexedDB", "localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get: denied });
}
