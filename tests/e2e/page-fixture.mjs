// The page in a real browser, as `npm start` serves it. Errors on its console fail the test.
//
// The browser is Chromium, or with `STEPGRAPH_BROWSER=firefox` an installed Firefox. `FIREFOX` names another one.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium, firefox } from "playwright-core";
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
const FIREFOXES = [
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
  "C:\\Program Files\\Mozilla Firefox\\firefox.exe",
];
const screenshotFolder = join(root, "tests", "e2e", "shots");

/** Some settings and measurements exist in one browser only. */
export const browserName = process.env.STEPGRAPH_BROWSER ?? "chromium";

/** A stock Firefox understands WebDriver BiDi, which the `moz-` channels speak, but not Playwright's own protocol. */
export async function launchBrowser() {
  if (browserName === "chromium")
    return chromium.launch({ executablePath: await findShell(), headless: true, args: FLAGS });
  if (browserName !== "firefox") throw new Error(`STEPGRAPH_BROWSER is \`${browserName}\`: use chromium or firefox`);
  const executablePath = process.env.FIREFOX ?? FIREFOXES.find(existsSync);
  if (!executablePath)
    throw new Error(
      "Firefox is missing: install it (Debian: `apt-get install firefox-esr`), or name one in the variable FIREFOX",
    );
  return firefox.launch({ channel: "moz-firefox", executablePath, headless: true });
}

/** Tests of fingers, composed characters and caches need Chromium's own protocol. */
export const needsChromium = browserName === "chromium" ? false : "it needs Chromium's own protocol";

/** Firefox drops nothing: its WebDriver does not go on with a drag of the browser's own. */
export const needsDrags = browserName === "firefox" && "Firefox's WebDriver does not drag and drop";

/** Firefox opens a menu only for Shift+F10 from the window system: keys of its WebDriver do not pass it. */
export const needsMenuKey = browserName === "firefox" && "Firefox's WebDriver does not turn Shift+F10 into a menu";

export function stage() {
  const held = {};
  before(async () => {
    held.server = await serve(folder);
    held.browser = await launchBrowser();
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
    /** Tests share no storage. */
    open: (path = "", options = {}) => open(held, path, options),
  };
}

async function open(
  held,
  path,
  {
    viewport = { width: 1440, height: 900 },
    theme = "light",
    lang = "en-GB",
    allow = [],
    deny = false,
    acts = true,
    prepare,
    ...settings
  },
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
  // Only Chromium can reuse a context.
  const plain =
    browserName === "chromium" &&
    !deny &&
    !prepare &&
    Object.keys(settings).length === 0 &&
    url.origin === new URL(server.url).origin;
  const { context, page, leave } = plain ? await reopenPage(held, wanted) : await openNewPage(held, wanted);
  if (deny) await context.addInitScript(denyStorage);
  await prepare?.(context);
  if (browserName === "firefox") {
    await context.addInitScript(addDoubleClicks);
    await context.addInitScript(emulateScheme, theme);
  }
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`${error.stack ?? error}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  const unexpectedComplaints = () => complaints.filter((text) => !allow.some((known) => text.includes(known)));
  await page.goto(url.href);
  await page.getByRole("main").waitFor();
  if (acts) await showEditor(page);
  // A test that uses the context may change its settings, so the context is not reused.
  let touched = false;
  const touch = () => ((touched = true), context);
  page.context = touch;
  const opened = {
    page,
    /** Takes a screenshot for people, in Chromium: in Firefox it needs a style, which the page's policy refuses. */
    async shot(name) {
      if (browserName !== "chromium") return;
      mkdirSync(screenshotFolder, { recursive: true });
      await page.screenshot({ path: join(screenshotFolder, `${name}.png`), caret: "initial" });
    },
    async close() {
      await leave(touched);
      assert.deepEqual(unexpectedComplaints(), []);
    },
  };
  // Copying with `...` must not read the context.
  return Object.defineProperty(opened, "context", { get: touch, enumerable: false });
}

/** The editor replaces its preview at the first sign of a user. */
async function showEditor(page) {
  await page.waitForFunction(() => document.querySelector(".cm-editor") || !document.querySelector(".text-host"));
  if ((await page.locator(".text-preview").count()) === 0) return;
  await page.evaluate(() => dispatchEvent(new Event("focusin")));
  await page.locator(".text-preview").waitFor({ state: "detached" });
}

async function openNewPage({ browser }, settings) {
  const context = await browser.newContext(settings);
  return { context, page: await context.newPage(), leave: () => context.close() };
}

/**
 * Reuses the page of the previous test, or opens a new one. Compiling the page's module in a new process takes three
 * times as long as the rest of opening.
 *
 * Tests stay isolated: the fixture deletes stored data, and Playwright removes listeners, routes and settings, as in
 * its component tests.
 */
async function reopenPage(held, settings) {
  // A failed test has not closed its page, and a test that opens two pages already uses this one.
  if (held.lent) return openNewPage(held, settings);
  const context = await held.browser._newContextForReuse(settings);
  const page = context.pages()[0] ?? (await context.newPage());
  held.lent = context;
  const closePage = async (touched) => {
    if (touched || context.pages().length !== 1 || page.isClosed()) await context.close();
    else {
      await forget(context, page, held.server.url);
      await held.browser._disconnectFromReusedContext("the test is over");
    }
    held.lent = undefined;
  };
  return { context, page, leave: closePage };
}

/** Deletes the tab's session storage, which lives as long as the tab, and the site's storage. */
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

export function pane(page) {
  return page.getByRole("textbox", { name: /^(Plan text|Texto del plan)$/ });
}

export async function replacePlanText(page, text) {
  const field = pane(page);
  await field.focus();
  await field.press("ControlOrMeta+a");
  await field.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    // Firefox makes the clipboard of a new event from `data`.
    const clipboard = { clipboardData, dataType: "text/plain", data: text };
    element.dispatchEvent(new ClipboardEvent("paste", { ...clipboard, bubbles: true, cancelable: true }));
  }, text);
}

/**
 * Replaces the value of a field key by key, as a person does. In Firefox, `fill` inserts the text by script, so the
 * field fires `input`, but no `change` when it loses the focus.
 */
export async function typeValue(field, text) {
  await field.press("ControlOrMeta+a");
  await field.pressSequentially(text);
}

/** Completions ignore keys for 60 ms after they appear, so that a typed line break chooses none. */
export async function chooseCompletion(page) {
  const shown = await page.evaluate(() => performance.now());
  await page.waitForFunction((shown) => performance.now() > shown + 60, shown);
  await page.keyboard.press("Enter");
}

/** A short plan is complete. The drawing may appear earlier. */
export async function editorText(page) {
  await pane(page).locator(".cm-line").first().waitFor({ state: "attached" });
  return pane(page).evaluate(paintedText);
}

/**
 * The text in one step. `allTextContents` finds the lines first and reads them later. When the editor paints a line
 * again in between, the line that was found has lost most of its words to the new one.
 */
function paintedText(element) {
  return [...element.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
}

/** Waits until the pane shows the text, and fails with the text that it shows instead. */
export async function reads(page, expected) {
  const wanted =
    expected instanceof RegExp ? { source: expected.source, flags: expected.flags } : { text: expected.trimEnd() };
  const isPainted = ([element, { text, source, flags }]) => {
    const shown = [...element.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
    return text === undefined ? new RegExp(source, flags).test(shown) : shown.trimEnd() === text;
  };
  await page.waitForFunction(isPainted, [await pane(page).elementHandle(), wanted]).catch(() => {});
  const shown = await editorText(page);
  if (expected instanceof RegExp) assert.match(shown, expected);
  else assert.equal(shown.trimEnd(), expected.trimEnd());
}

/**
 * Does `act` and returns the name and the bytes of the file that it downloads.
 *
 * Firefox's WebDriver gives downloads no id, so Playwright ignores them. There the file is that of the clicked link.
 */
export async function downloadFrom(page, act) {
  if (browserName === "firefox") {
    await page.evaluate(takeNextDownload);
    await act();
    const { name, bytes } = await (await page.waitForFunction(() => window.nextDownload)).jsonValue();
    return { name, bytes: Buffer.from(bytes) };
  }
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

function takeNextDownload() {
  window.nextDownload = undefined;
  const blobs = new Map();
  const { createObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const url = createObjectURL.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  const take = async (event) => {
    const link = event.target.closest("a[download]");
    if (!link) return;
    event.preventDefault();
    removeEventListener("click", take, true);
    URL.createObjectURL = createObjectURL;
    const bytes = new Uint8Array(await blobs.get(link.href).arrayBuffer());
    window.nextDownload = { name: link.download, bytes: [...bytes] };
  };
  addEventListener("click", take, true);
}

/** Changes the colour scheme of the system, "light" or "dark". */
export async function setScheme(page, scheme) {
  if (browserName === "firefox") await page.evaluate((scheme) => window.setScheme(scheme), scheme);
  else await page.emulateMedia({ colorScheme: scheme });
}

/** Firefox's WebDriver has no command for the colour scheme. Pages read it by `matchMedia` only. */
function emulateScheme(initial) {
  let scheme = initial;
  const lists = [];
  const matchMedia = window.matchMedia.bind(window);
  window.matchMedia = (query) => {
    const list = matchMedia(query);
    const wanted = /prefers-color-scheme: *(\w+)/.exec(query)?.[1];
    if (wanted === undefined) return list;
    lists.push(list);
    return Object.defineProperty(list, "matches", { get: () => scheme === wanted });
  };
  window.setScheme = (next) => {
    scheme = next;
    for (const list of lists) list.dispatchEvent(new MediaQueryListEvent("change", { matches: list.matches }));
  };
}

/** Firefox gets each click of a double click on its own over WebDriver BiDi, so it sees no double click. */
function addDoubleClicks() {
  let last;
  const follow = (event) => {
    const isNear = last && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < 4;
    const isSecond = isNear && event.detail === 1 && event.timeStamp - last.timeStamp < 300;
    last = isSecond ? undefined : event;
    if (!isSecond) return;
    const { target, clientX, clientY } = event;
    const init = { bubbles: true, cancelable: true, composed: true, detail: 2, clientX, clientY };
    // After the second click has been handled.
    setTimeout(() => target.dispatchEvent(new MouseEvent("dblclick", init)));
  };
  addEventListener("click", follow, true);
}

function denyStorage() {
  const denied = () => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const name of ["indexedDB", "localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get: denied });
}
