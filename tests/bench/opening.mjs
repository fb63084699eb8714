/**
 * Says which functions of the page's module opening the page calls, and which of them wait though they shouldn't, or
 * don't though they could. For those who look for bytes; the page must have been built, not quickly.
 *
 *     node tests/bench/opening.mjs               what opening the page calls
 *     node tests/bench/opening.mjs --record writes `playground/idle.txt`, so that the next build lets wait what is not
 *     called
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.mjs";
import { bodiesOf, functionNames, number, reader, sectionsOf, writtenSection } from "../../scripts/lib/module.mjs";
import { root } from "../../scripts/lib/places.mjs";
import { hashOf, IDLE, waiting } from "../../scripts/lib/rest.mjs";
import { parts } from "../../scripts/lib/split.mjs";
import { page } from "../../scripts/playground.mjs";
import { serve } from "../../scripts/serve.mjs";

const [MEMORY, CODE, PAGE] = [5, 10, 65_536];
const whole = readFileSync(join(root, "playground", "generated", "module", "whole.wasm"));

/** The module, each function of which writes down that it was called, at a place of its own behind all other memory. */
function instrumented(module) {
  const sections = sectionsOf(module);
  const memory = reader(module, sections.find(({ id }) => id === MEMORY).start + 2);
  const least = memory.number();
  const base = least * PAGE;
  const bodies = bodiesOf(module, sections).map((body, at) => {
    const bytes = reader(body, 0);
    for (let left = bytes.number(); left > 0; left--) {
      bytes.number();
      bytes.skip(1);
    }
    const called = Buffer.from([0x41, ...signed(base + at), 0x41, 1, 0x3a, 0, 0]);
    const written = Buffer.concat([body.subarray(0, bytes.at), called, body.subarray(bytes.at)]);
    return Buffer.concat([number(written.length), written]);
  });
  const anew = new Map([
    [MEMORY, writtenSection(MEMORY, Buffer.from([1, 0]), number(least + 1))],
    [CODE, writtenSection(CODE, number(bodies.length), ...bodies)],
  ]);
  return {
    base,
    bytes: Buffer.concat([
      module.subarray(0, 8),
      ...sections.map(({ id, from, end }) => anew.get(id) ?? module.subarray(from, end)),
    ]),
  };
}

function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest >>= 7) {
    if (rest < 64) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

/**
 * How the page is opened: on several screens, in both languages and themes; and more than once, since what a table of
 * hashes compares depends on the page's luck.
 */
const WIDE = { viewport: { width: 1440, height: 900 }, locale: "en-GB" };
const OPENINGS = [
  WIDE,
  WIDE,
  WIDE,
  WIDE,
  { ...WIDE, locale: "es", colorScheme: "dark" },
  { ...WIDE, viewport: { width: 1024, height: 768 } },
  { ...WIDE, viewport: { width: 390, height: 844 } },
];

/** For each function whether opening the page has called it. */
async function calledByOpening(count) {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-"));
  const { base, bytes } = instrumented(whole);
  cpSync(page, folder, { recursive: true });
  writeFileSync(join(folder, "stepgraph-playground_bg.wasm"), bytes);
  const server = await serve(folder);
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const called = new Uint8Array(count);
    for (const settings of OPENINGS) {
      const context = await browser.newContext({ ...settings, serviceWorkers: "block" });
      const opened = await context.newPage();
      opened.on("pageerror", (error) => process.stdout.write(`${error.stack}\n`));
      await opened.goto(server.url);
      await opened.getByRole("main").waitFor();
      await opened.waitForLoadState("networkidle");
      const seen = await opened.evaluate(
        async ([from, length]) => {
          const { wasm } = await import("./stepgraph-playground.js");
          return [...new Uint8Array(wasm.memory.buffer, from, length)];
        },
        [base, count],
      );
      seen.forEach((is, at) => {
        called[at] |= is;
      });
      await context.close();
    }
    return called;
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Where a function stands: the page's own component before all others, since generic code is made for one; else crate
 * and modules.
 */
function home(name) {
  const own = /stepgraph_playground::page::\w+(?:::\w+)?/.exec(name)?.[0].replace(/::__component_.*/, "");
  const other =
    /(?:stepgraph_\w+|saphyr_parser|leptos\w*|tachys|reactive_graph|serde_json|js_sys|web_sys|hashbrown|indexmap|alloc|core|std)(?:::\w+)?/.exec(
      name,
    )?.[0];
  return own ?? other ?? name;
}

/** The places where most of the functions stand. */
function table(chosen) {
  const places = new Map();
  for (const { size, name } of chosen) places.set(home(name), (places.get(home(name)) ?? 0) + size);
  return [...places]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 50)
    .map(([place, size]) => `  ${String(size).padStart(6)}  ${place}\n`)
    .join("");
}

const { imports, sections } = parts(whole);
const names = functionNames(whole, sections);
const waits = waiting(whole);
const bodies = bodiesOf(whole, sections);
const called = await calledByOpening(bodies.length);
const functions = bodies.map((body, at) => ({
  size: body.length,
  name: names.get(at + imports.length) ?? "?",
  called: called[at] === 1,
  waits: waits(at + imports.length),
}));

if (process.argv.includes("--record")) {
  const busy = new Set(functions.filter((it) => it.called).map(({ name }) => hashOf(name)));
  const idle = new Set(functions.map(({ name }) => hashOf(name)).filter((hash) => !busy.has(hash)));
  writeFileSync(IDLE, `${[...idle].sort().join("\n")}\n`);
}

const show = (title, chosen) =>
  process.stdout.write(
    `${title}: ${chosen.length} functions, ${(chosen.reduce((sum, { size }) => sum + size, 0) / 1000).toFixed(1)} kB\n`,
  );
const early = functions.filter((it) => it.called && it.waits);
const needed = functions.filter((it) => it.called && !it.waits);
const idle = functions.filter((it) => !it.called && !it.waits);
show("called, but waits: opening the page loads what waits", early);
for (const { size, name } of early) process.stdout.write(`  ${String(size).padStart(6)}  ${name.slice(0, 220)}\n`);
show(
  "not called, and waits",
  functions.filter((it) => !it.called && it.waits),
);
show("not called, but there from the beginning", idle);
process.stdout.write(table(idle));
show("called, and there from the beginning", needed);
process.stdout.write(table(needed));
