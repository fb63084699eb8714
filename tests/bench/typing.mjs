// Measures the time from a key to the frame that shows its letter, in the real page: `node typing.mjs LINES [--quick]`.
// Build the page first with `node scripts/playground.mjs`.
//
// Types in the middle of a plan of `LINES` lines: ten letters a second into one growing line, then lines of words at
// the same pace, then at the pace of a held key. The time runs from the key's own time stamp to the end of the next
// frame. The total cost of a letter is the main thread's CPU time, with drawing and checking, so other load does not
// change it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";

const lines = Number(process.argv[2] ?? 10_000);
const quick = process.argv.includes("--quick");
const COMMENT_LINE = "# each of these words is short, and so is the line\n";
/** The name of each measurement, the pause after each letter in ms, and the text to type. */
const MEASUREMENTS = [
  ["typing", 100, "x"],
  ["lines of words", 100, COMMENT_LINE],
  ["a held key", 33, "x"],
];

/** Builds a plan of about `lines` lines: three a node and one an edge. */
function plan() {
  const count = Math.round(lines / 4);
  const nodes = Array.from({ length: count }, (_, at) => `  n${at}:\n    type: log\n    input: "\${last} ${at}"\n`);
  const edges = Array.from({ length: count - 1 }, (_, at) => `  - {from: n${at}, to: n${at + 1}}\n`);
  return `nodes:\n${nodes.join("")}edges:\n${edges.join("")}`;
}

/** Runs in the page. Records the frame time of each key. */
function watch() {
  globalThis.waits = [];
  addEventListener(
    "keydown",
    ({ timeStamp, key }) => {
      if (key.length > 1) return;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => globalThis.waits.push(performance.now() - timeStamp);
        port2.postMessage(null);
      });
    },
    true,
  );
}

async function measure(page) {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpuTime = async () =>
    1_000 * (await tools.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const text = page.getByRole("textbox", { name: "Plan text" });
  await text.waitFor();
  await text.focus();
  await page.keyboard.press("Control+a");
  await text.evaluate((element, plan) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", plan);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, plan());
  await page.keyboard.press("Control+g");
  await page
    .locator(".cm-gotoLine input, [name=line]")
    .first()
    .fill(String(3 * Math.round(lines / 8)));
  await page.keyboard.press("Enter");
  await text.focus();
  await page.keyboard.press("End");
  // Waits until the page has processed the paste.
  await page.waitForTimeout(3_000);
  const rows = [];
  for (const [name, pause, typed] of MEASUREMENTS) {
    await page.evaluate(() => {
      globalThis.waits.length = 0;
    });
    const before = await cpuTime();
    const count = quick ? 20 : 150;
    for (let at = 0; at < count; at++) {
      const letter = typed[at % typed.length];
      await page.keyboard.press(letter === "\n" ? "Enter" : letter);
      await page.waitForTimeout(pause);
    }
    await page.waitForTimeout(1_000);
    const cpuMs = ((await cpuTime()) - before) / count;
    const waits = (await page.evaluate(() => globalThis.waits)).sort((a, b) => a - b);
    const part = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
    rows.push({ pace: name, medianMs: part(0.5), p95Ms: part(0.95), maxMs: waits.at(-1), cpuMs });
  }
  return rows;
}

async function main() {
  if (!existsSync(join(folder, "index.html"))) return { unavailable: "the page is not built" };
  const server = await serve(folder);
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(watch);
    await page.goto(server.url);
    return { lines, rows: await measure(page) };
  } finally {
    await browser.close();
    await server.close();
  }
}

console.log(JSON.stringify(await main().catch((error) => ({ failure: error.message.split("\n")[0] }))));
process.exit(0);
