/**
 * Runs `npm run dev`: serves the page, builds what changed and reloads open pages.
 *
 * A script or a style needs esbuild, Rust an unoptimized module. One build runs at a time. If it fails, the page stays
 * as it was.
 */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { UserError } from "./lib/command.mjs";
import { PORT_OPTION, readOptions, readPort } from "./lib/options.mjs";
import { bundlePage, missingParts } from "./lib/page-scripts.mjs";
import { root } from "./lib/paths.mjs";
import { fail, seconds } from "./lib/progress.mjs";
import { runTool } from "./lib/tools.mjs";
import { watchAll } from "./lib/watch.mjs";
import { assemble, page } from "./playground.mjs";
import { portTaken, serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";

export const PROGRAM = {
  usage: "npm run dev -- [options]",
  about: "Serves the page, builds what you change and reloads the page.",
  options: { "--port": PORT_OPTION },
};

/** Paths and the kind of build that each needs. */
export const WATCHED = [
  ["playground/js", "scripts"],
  ["playground/styles", "scripts"],
  ["playground/static", "scripts"],
  ["playground/index.html", "scripts"],
  ["examples/gallery", "scripts"],
  ["playground/src", "module"],
  ["core", "module"],
  ["Cargo.toml", "module"],
  ["wasm/js", "package"],
  ["wasm/src", "package"],
  ["wasm/wire/src", "package"],
  ["wasm/engine", "package"],
  ["wasm/editor", "package"],
  ["wasm/codec", "package"],
];

const IGNORED = /(^|[\\/])(\.|4913$)|~$|\.sw[a-z]$|[\\/]target[\\/]/;

const DEBOUNCE_MS = 30;

const RELOAD = `new EventSource("./dev-events").onmessage = () => location.reload();\n`;

/** Unregisters itself: a service worker would serve old files. */
const NO_WORKER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(registration.unregister()));
`;
/** Unlike `npm start`: browsers store data per port. */
const PORT = 7381;

const BUILDS = {
  package: async () => {
    await build();
    await bundlePage({ quick: true });
  },
  module: () => runTool("page-quick"),
  scripts: () => bundlePage({ quick: true }),
};

/** Paths are relative to the root. */
export function buildKind(path) {
  const clean = path.replaceAll("\\", "/");
  if (IGNORED.test(clean)) return undefined;
  return WATCHED.find(([folder]) => clean === folder || clean.startsWith(`${folder}/`))?.[1];
}

/** The result takes changes and starts builds, one at a time. */
export function buildScheduler(builds, reporter) {
  const due = new Set();
  let timer;
  let isBusy = false;
  const run = async () => {
    if (isBusy || due.size === 0) return;
    isBusy = true;
    const kinds = Object.keys(builds).filter((kind) => due.has(kind));
    due.clear();
    const started = performance.now();
    const failed = new Set();
    for (const kind of kinds)
      await builds[kind]().catch((error) => {
        failed.add(kind);
        reporter.failed(kind, error);
      });
    const done = kinds.filter((kind) => !failed.has(kind));
    if (done.length > 0)
      await Promise.resolve(reporter.done(done, started)).catch((error) => reporter.failed(done[0], error));
    isBusy = false;
    if (due.size > 0) await run();
  };
  return (kind) => {
    due.add(kind);
    clearTimeout(timer);
    timer = setTimeout(() => void run(), DEBOUNCE_MS);
  };
}

/** Scripts and module must both be new: those of `npm start` don't fit. */
export function readiness() {
  const built = new Set();
  return (kinds) => {
    for (const kind of kinds) built.add(kind === "package" ? "scripts" : kind);
    return built.has("module") && built.has("scripts");
  };
}

export function failureText(error) {
  if (!(error instanceof UserError)) return error.stack;
  return `${error.output}\n${error.message}`.trim();
}

function buildReporter(pages) {
  const isReady = readiness();
  return {
    done: async (kinds, started) => {
      const finished = `✓ ${kinds.join(" and ")}  ${seconds(started)}`;
      if (!isReady(kinds)) {
        process.stdout.write(`${finished}  The page waits for what has failed.\n`);
        return;
      }
      await assemble(true);
      for (const response of pages) response.write("data: reload\n\n");
      process.stdout.write(`${finished}\n`);
    },
    failed: (kind, error) => process.stdout.write(`✗ ${kind}\n${failureText(error)}\n`),
  };
}

function liveReload(pages) {
  return {
    made: { "/dev-reload.js": RELOAD, "/sw.js": NO_WORKER },
    streams: {
      "/dev-events": (response) => {
        response.write(":\n\n");
        pages.add(response);
        response.on("close", () => pages.delete(response));
      },
    },
    edit: (document) => document.replace("</head>", '<script type="module" src="./dev-reload.js"></script></head>'),
  };
}

async function main() {
  const port = readPort(readOptions(process.argv.slice(2), PROGRAM).options.port, PORT);
  await setUp();
  if (missingParts().length > 0) await build();
  if (!existsSync(join(page, "index.html"))) {
    process.stdout.write("The first build of the page takes about three minutes.\n");
    await runTool("page-quick");
    await bundlePage({ quick: true });
    await assemble(true);
  }
  const pages = new Set();
  // Fails before watchers keep the program running.
  const server = await serve(page, { port, beside: { examples: join(root, "examples") }, ...liveReload(pages) });
  const changed = buildScheduler(BUILDS, buildReporter(pages));
  const watched = WATCHED.map(([path]) => join(root, path));
  watchAll(watched, (path) => {
    const kind = buildKind(relative(root, path));
    if (kind) changed(kind);
  });
  changed("module");
  changed("scripts");
  process.stdout.write(
    `\nThe page: ${server.url}\n${portTaken(server, port, "npm run dev")}It loads again what you change. Ctrl-C ends it.\n\n`,
  );
  const end = () => void server.close().then(() => process.exit(0));
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
