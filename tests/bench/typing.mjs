// From a key to the frame that shows its letter, in the real page: `node typing.mjs LINES [--quick]`. The page has to
// have been built by `node scripts/playground.mjs`.
//
// Typed in the middle of a plan of so many lines, ten letters a second, as fast as people write: a line that gets
// longer and longer, and lines of words; and once as fast as a held key. What counts is the time from the key's own
// time stamp to the end of the frame that was drawn next. Beside it, what a letter costs the page's thread in all,
// drawing and checking included: that is told by the processor's clock, whatever else the machine does.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";

const lines = Number(process.argv[2] ?? 10_000);
const quick = process.argv.includes("--quick");
const WORDS = "# each of these words is short, and so is the line\n";
/** What is typed, and how many ms later the next letter follows. */
const PACES = [
  ["typing", 100, "x"],
  ["lines of words", 100, WORDS],
  ["a held key", 33, "x"],
];

/** A plan of so many lines: three a node and one an edge. */
function plan() {
  const count = Math.round(lines / 4);
  const nodes = Array.from({ length: count }, (_, at) => `  n${at}:\n    type: log\n    input: "\${last} ${at}"\n`);
  const edges = Array.from({ length: count - 1 }, (_, at) => `  - {from: n${at}, to: n${at + 1}}\n`);
  return `nodes:\n${nodes.join("")}edges:\n${edges.join("")}`;
}

/** In the page: notes for each key how long its frame took. */
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
  const spent = async () =>
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
  // Everything that the paste set off is done.
  await page.waitForTimeout(3_000);
  const rows = [];
  for (const [name, pause, typed] of PACES) {
    await page.evaluate(() => {
      globalThis.waits.length = 0;
    });
    const before = await spent();
    const count = quick ? 20 : 150;
    for (let at = 0; at < count; at++) {
      const letter = typed[at % typed.length];
      await page.keyboard.press(letter === "\n" ? "Enter" : letter);
      await page.waitForTimeout(pause);
    }
    await page.waitForTimeout(1_000);
    const cpuMs = ((await spent()) - before) / count;
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
