// The page in a real Chromium, served as `npm start` serves it. What the page complains of fails the test that made it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { findShell } from "../../scripts/chromium.mjs";
import { root } from "../../scripts/lib/paths.mjs";
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
    held.browser = await chromium.launch({ executablePath: await findShell(), headless: true, args: FLAGS });
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
  held,
  path,
  { viewport = { width: 1440, height: 900 }, theme = "light", lang = "en-GB", allow = [], deny = false, ...settings },
) {
  const { server } = held;
  const wanted = {
    viewport,
    colorScheme: theme,
    locale: lang,
    reducedMotion: "reduce",
    serviceWorkers: "block",
    ...settings,
  };
  const url = new URL(path, server.url);
  const plain = !deny && Object.keys(settings).length === 0 && url.origin === new URL(server.url).origin;
  const { context, page, leave } = plain ? await again(held, wanted) : await anew(held, wanted);
  if (deny) await context.addInitScript(denyStorage);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`${error.stack ?? error}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  const unexpected = () => complaints.filter((text) => !allow.some((known) => text.includes(known)));
  await page.goto(url.href);
  await page.getByRole("main").waitFor();
  // Who asks for the context may change what no other test is to find: nobody else gets it then.
  let touched = false;
  const touch = () => ((touched = true), context);
  page.context = touch;
  const opened = {
    page,
    /** A picture for people to look at. */
    async shot(name) {
      mkdirSync(shots, { recursive: true });
      await page.screenshot({ path: join(shots, `${name}.png`) });
    },
    /** Ends it; fails when the page has complained. */
    async close() {
      await leave(touched);
      assert.deepEqual(unexpected(), []);
    },
  };
  // Not copied by `...`, since that would be to ask for it.
  return Object.defineProperty(opened, "context", { get: touch, enumerable: false });
}

/** A context and a page that nobody has had. */
async function anew({ browser }, settings) {
  const context = await browser.newContext(settings);
  return { context, page: await context.newPage(), leave: () => context.close() };
}

/**
 * The page that the test before has left, made as if it were new; or a new one. To compile the page's module in a
 * process of its own takes three times as long as all else that opening does, and a page that is left has its process.
 *
 * Nothing of a test outlasts it: what it kept is deleted, what it listened to, routed or set is dropped by Playwright,
 * which has this way of using a context again for its own tests of components.
 */
async function again(held, settings) {
  // A test that failed has not closed its page, and one that opens two has one of them here.
  if (held.lent) return anew(held, settings);
  const context = await held.browser._newContextForReuse(settings);
  const page = context.pages()[0] ?? (await context.newPage());
  held.lent = context;
  const leave = async (touched) => {
    if (touched || context.pages().length !== 1 || page.isClosed()) await context.close();
    else {
      await forget(context, page, held.server.url);
      await held.browser._disconnectFromReusedContext("the test is over");
    }
    held.lent = undefined;
  };
  return { context, page, leave };
}

/**
 * Leaves the page, and deletes all that it has kept: of its tab, which lasts as long as the tab does, and of its site.
 */
async function forget(context, page, url) {
  const nothing = new URL("nothing", url).href;
  const body = '<!doctype html><link rel="icon" href="data:,">';
  await page.route(nothing, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(nothing);
  await page.evaluate(() => sessionStorage.clear());
  const client = await context.newCDPSession(page);
  await client.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  await client.detach();
}

/** The text pane, of a page or of a frame. */
export function pane(page) {
  return page.getByRole("textbox", { name: /^(Plan text|Texto del plan)$/ });
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
