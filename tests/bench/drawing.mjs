/**
 * Compares the canvas to React Flow in the same Chromium: the time to draw a plan, and the evenness of frames during
 * pan, zoom and drag.
 *
 * `node tests/bench/drawing.mjs [--nodes 1000,5000,10000] [--quick]`. Build the page first. The first run installs
 * React Flow in the folder `drawing`. Uses real mouse input, frame intervals as the page sees them, and main-thread
 * time by Chromium's clock. Our canvas lays the plan out, React Flow gets the positions.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";
import { page as folder } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";

const drawingFolder = fileURLToPath(new URL("./drawing/", import.meta.url));
const VIEWPORT = { width: 1280, height: 800 };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/**
 * Deterministic: about `n / 40` layers, 1.2 edges a node, conditions on a tenth.
 */
export function graph(n) {
  let state = 7;
  const isBelow = (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const edges = [];
  for (let node = 1; node < n; node++) {
    edges.push({ from: Math.max(0, node - 1 - isBelow(60)), to: node, condition: node % 10 === 0 });
    if (node % 5 === 0 && node + 40 < n) edges.push({ from: node, to: node + 1 + isBelow(39), condition: false });
  }
  return { n, edges };
}

function plan({ n, edges }) {
  const nodes = Array.from(
    { length: n },
    (_, node) => `  n${node}: {type: ${["log", "tool, tool: t", "llm", "noop"][node % 4]}}`,
  );
  const lines = edges.map(
    ({ from, to, condition }) => `  - {from: n${from}, to: n${to}${condition ? ", condition: last==ok" : ""}}`,
  );
  return `start: n0\nnodes:\n${nodes.join("\n")}\nedges:\n${lines.join("\n")}\n`;
}

/** Converts the graph to React Flow nodes and edges, in a grid. */
function flow({ n, edges }) {
  const nodes = Array.from({ length: n }, (_, node) => ({
    id: `n${node}`,
    position: { x: (node % 40) * 190, y: Math.floor(node / 40) * 110 },
    data: { label: `n${node}` },
  }));
  return {
    nodes,
    edges: edges.map(({ from, to, condition }, edge) => ({
      id: `e${edge}`,
      source: `n${from}`,
      target: `n${to}`,
      ...(condition ? { label: "last==ok" } : {}),
    })),
  };
}

function installPeer() {
  if (existsSync(`${drawingFolder}node_modules`)) return;
  execFileSync(process.platform === "win32" ? "npm.cmd" : "npm", ["install", "--no-save", "--ignore-scripts"], {
    cwd: drawingFolder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
}

async function servePeer() {
  const { build } = createRequire(import.meta.url)("esbuild");
  const out = await build({
    entryPoints: [`${drawingFolder}peer.jsx`],
    bundle: true,
    write: false,
    format: "esm",
    minify: true,
    outdir: drawingFolder,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  const style = await build({
    entryPoints: [createRequire(`${drawingFolder}x`).resolve("@xyflow/react/dist/style.css")],
    write: false,
    minify: true,
    logLevel: "silent",
  });
  const files = {
    "/": [
      "text/html",
      '<!doctype html><link rel="stylesheet" href="/a.css"><style>html,body,#root{height:100%;margin:0}</style><div id="root"></div><script type="module" src="/a.js"></script>',
    ],
    "/a.js": ["text/javascript", out.outputFiles[0].text],
    "/a.css": ["text/css", style.outputFiles[0].text],
  };
  const server = createServer(({ url }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""];
    response.writeHead(files[url] ? 200 : 404, { "content-type": `${type}; charset=utf-8` }).end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const OWN_PAGE = {
  name: "ours",
  async show(page, url, given) {
    await page.addInitScript(() => {
      const add = globalThis.addEventListener;
      globalThis.listens = new Promise((resolve) => {
        globalThis.addEventListener = (type, ...rest) => {
          add.call(globalThis, type, ...rest);
          if (type === "message") resolve();
        };
      });
    });
    await page.goto(`${url}?embed&theme=light&lang=en`);
    await page.locator(".canvas[data-nodes]").waitFor();
    // A message that arrives before the page listens is lost.
    await page.evaluate(() => globalThis.listens);
    return page.evaluate(
      ({ text, n }) =>
        new Promise((resolve) => {
          const canvas = document.querySelector(".canvas");
          const begun = performance.now();
          new MutationObserver((_, watch) => {
            if (canvas.dataset.nodes !== String(n)) return;
            watch.disconnect();
            requestAnimationFrame(() => resolve(performance.now() - begun));
          }).observe(canvas, { attributes: true, attributeFilter: ["data-nodes"] });
          postMessage({ stepgraph: 1, type: "plan", name: "bench", text }, "*");
        }),
      { text: plan(given), n: given.n },
    );
  },
  whole: (page) => page.getByRole("button", { name: "Fit to view" }).first().click(),
  one: async (page) => {
    await page.locator(".percent").click();
  },
  node: ".node .card",
  zoomKey: "Control",
};

const PEER = {
  name: "React Flow",
  async show(page, url, given) {
    await page.goto(url);
    await page.waitForFunction(() => "show" in globalThis);
    return page.evaluate((graph) => globalThis.show(graph), flow(given));
  },
  whole: (page) => page.evaluate(() => globalThis.flow.fitView()),
  one: (page) => page.evaluate(() => globalThis.flow.setViewport({ x: -2000, y: -1000, zoom: 1 })),
  node: ".react-flow__node",
  zoomKey: null,
};

const middle = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const slowFrames = (list) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * 0.95))] ?? Number.NaN;

/** Measures frames during an action: median and 95th percentile of the intervals, and main-thread time a frame. */
async function frames(page, client, act) {
  const cpuTime = async () =>
    (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  await page.evaluate(() => {
    globalThis.times = [];
    const measureFrame = (now) => {
      globalThis.times.push(now);
      globalThis.ticking = requestAnimationFrame(measureFrame);
    };
    globalThis.ticking = requestAnimationFrame(measureFrame);
  });
  const before = await cpuTime();
  await act();
  const cpu = (await cpuTime()) - before;
  const times = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.ticking);
    return globalThis.times;
  });
  const intervals = times.slice(1).map((time, at) => time - times[at]);
  return {
    median: middle(intervals),
    p95: slowFrames(intervals),
    cpu: cpu / Math.max(1, intervals.length),
    frames: intervals.length,
  };
}

async function measureMoves(page, kind, contender, steps) {
  const { width, height } = VIEWPORT;
  if (kind === "zoom") {
    await page.mouse.move(width / 2, height / 2);
    if (contender.zoomKey) await page.keyboard.down(contender.zoomKey);
    for (let step = 0; step < steps; step++) await page.mouse.wheel(0, step < steps / 2 ? 10 : -10);
    if (contender.zoomKey) await page.keyboard.up(contender.zoomKey);
    return;
  }
  let from = { x: width - 40, y: height / 2 };
  if (kind === "drag") {
    const boxes = await page
      .locator(contender.node)
      .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().toJSON()));
    const box = boxes.find(({ x, y }) => x > 200 && x < 800 && y > 150 && y < 500);
    if (!box) return;
    from = { x: box.x + 20, y: box.y + box.height / 2 };
  }
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 1; step <= steps; step++)
    await page.mouse.move(from.x - 3 * Math.min(step, steps - step), from.y + 2 * step);
  await page.mouse.up();
}

/** Opens each page this often, so that one interruption of the machine does not decide. */
const OPEN_COUNT = 5;

async function opened(contender, url, browser, given) {
  const context = await browser.newContext({ viewport: VIEWPORT, locale: "en-GB", serviceWorkers: "block" });
  const page = await context.newPage();
  return { context, page, readyMs: await contender.show(page, url, given) };
}

async function measure(contender, url, browser, given, steps) {
  const times = [];
  for (let more = 1; more < OPEN_COUNT; more++) {
    const { context, readyMs } = await opened(contender, url, browser, given);
    times.push(readyMs);
    await context.close();
  }
  const { context, page, readyMs } = await opened(contender, url, browser, given);
  const client = await context.newCDPSession(page);
  await client.send("Performance.enable");
  const row = { name: contender.name, nodes: given.n, readyMs: middle([...times, readyMs]), elements: 0 };
  await contender.whole(page);
  row.whole = {
    pan: await frames(page, client, () => measureMoves(page, "pan", contender, steps)),
    zoom: await frames(page, client, () => measureMoves(page, "zoom", contender, steps)),
  };
  await contender.whole(page);
  await contender.one(page);
  row.one = {};
  for (const kind of ["drag", "pan", "zoom"])
    row.one[kind] = await frames(page, client, () => measureMoves(page, kind, contender, steps));
  row.elements = await page.evaluate(() => document.querySelectorAll("*").length);
  await context.close();
  return row;
}

/** Measures both and returns the rows for each size. */
export async function drawing({ sizes = [1000, 5000, 10_000], quick = false, say = () => {} } = {}) {
  installPeer();
  const browser = await chromium.launch({ executablePath: await findChromium(), headless: true, args: FLAGS });
  const [ours, peer] = [await serve(folder), await servePeer()];
  const rows = [];
  try {
    for (const size of sizes) {
      for (const [contender, url] of [
        [OWN_PAGE, ours.url],
        [PEER, peer.url],
      ]) {
        say(`drawing: ${contender.name}, ${size} nodes`);
        rows.push(await measure(contender, url, browser, graph(size), quick ? 20 : 90));
      }
    }
  } finally {
    await browser.close();
    await ours.close();
    peer.close();
  }
  return rows;
}

/** Formats the rows as Markdown: median/95th percentile of frame intervals in ms, and main-thread ms a frame. */
export function drawingTable(rows) {
  const cell = (found) =>
    found ? `${found.median.toFixed(1)}/${found.p95.toFixed(1)} · ${found.cpu.toFixed(1)}` : "–";
  const line = ({ name, nodes, readyMs, elements, whole, one }) =>
    `| ${name} | ${nodes} | ${Math.round(readyMs)} | ${elements} | ${[whole.pan, whole.zoom, one.pan, one.zoom, one.drag].map(cell).join(" | ")} |`;
  return [
    "| drawing | nodes | ready ms | elements | whole: pan | whole: zoom | 100 %: pan | 100 %: zoom | 100 %: drag |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows.map(line),
  ].join("\n");
}

async function main() {
  const { values } = parseArgs({ options: { nodes: { type: "string" }, quick: { type: "boolean" } } });
  const sizes = values.nodes?.split(",").map(Number);
  const rows = await drawing({
    ...(sizes ? { sizes } : {}),
    quick: values.quick,
    say: (text) => process.stderr.write(`${text}\n`),
  });
  console.log(drawingTable(rows));
  mkdirSync(`${drawingFolder}../results`, { recursive: true });
  writeFileSync(
    `${drawingFolder}../results/drawing.json`,
    `${JSON.stringify({ at: new Date().toISOString(), load: os.loadavg(), rows }, null, 1)}\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
