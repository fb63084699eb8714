/**
 * Runs `npm run dev`: serves the page, watches its sources, builds what changed and reloads open pages.
 *
 * A change of a script or a style runs esbuild. A change of Rust compiles the page's module without optimizing it. An
 * existing build is served at once. `--port 8080` chooses another port.
 *
 * Invariants: One build runs at a time. Changes during a build start one more build. If a build fails, the terminal
 * shows why, and the page stays as it was.
 */
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { Trouble } from "./lib/command.mjs";
import { root } from "./lib/places.mjs";
import { fail, seconds } from "./lib/progress.mjs";
import { runTool } from "./lib/tools.mjs";
import { assemble, bundleScripts, page } from "./playground.mjs";
import { POLICY, serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";
import { asked } from "./start.mjs";

/** The watched folders, and the kind of build that a change needs. */
export const WATCHED = [
  ["playground/js", "scripts"],
  ["playground/styles", "scripts"],
  ["playground/static", "scripts"],
  ["playground/index.html", "scripts"],
  ["playground/src", "module"],
  ["core", "module"],
  ["wasm/js", "package"],
  ["wasm/src", "package"],
  ["wasm/engine", "package"],
  ["wasm/editor", "package"],
  ["wasm/shapes", "package"],
];

/** Temporary files of editors, and build results. */
const NOISE = /(^|[\\/])(\.|4913$)|~$|\.sw[a-z]$|[\\/]target[\\/]/;

/** The time in which an editor saves all its files. */
const GATHERED_MS = 30;

const RELOAD = `new EventSource("./dev-events").onmessage = () => location.reload();\n`;

/** A service worker would serve old files, so this one unregisters itself. */
const NO_WORKER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(registration.unregister()));
`;
/** Another port than that of `npm start`: a browser stores data per port. */
const PORT = 7381;
const SCRIPT = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" };

/** The builds, in the order in which they run. */
const WORKS = {
  package: async () => {
    await build();
    await bundleScripts(true);
  },
  module: () => runTool("page-quick"),
  scripts: () => bundleScripts(true),
};

/** Returns the kind of build that a change of a path needs. Paths start at the root. */
export function kindOf(path) {
  const clean = path.replaceAll("\\", "/");
  if (NOISE.test(clean)) return undefined;
  return WATCHED.find(([folder]) => clean === folder || clean.startsWith(`${folder}/`))?.[1];
}

/** Returns a function that takes changes and starts builds, one at a time. */
export function builder(works, told) {
  const due = new Set();
  let timer;
  let isBusy = false;
  const run = async () => {
    if (isBusy || due.size === 0) return;
    isBusy = true;
    const kinds = Object.keys(works).filter((kind) => due.has(kind));
    due.clear();
    const started = performance.now();
    const failed = new Set();
    for (const kind of kinds)
      await works[kind]().catch((error) => {
        failed.add(kind);
        told.failed(kind, error);
      });
    const done = kinds.filter((kind) => !failed.has(kind));
    if (done.length > 0) await Promise.resolve(told.done(done, started)).catch((error) => told.failed(done[0], error));
    isBusy = false;
    if (due.size > 0) await run();
  };
  return (kind) => {
    due.add(kind);
    clearTimeout(timer);
    timer = setTimeout(() => void run(), GATHERED_MS);
  };
}

/** Serves the script that reloads a page, and the events that it listens to. */
function live(pages) {
  return (request, response) => {
    const path = request.url.split("?")[0];
    const script = { "/dev-reload.js": RELOAD, "/sw.js": NO_WORKER }[path];
    if (script !== undefined) {
      response.writeHead(200, SCRIPT).end(script);
      return true;
    }
    if (path === "/dev-events") {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).write(":\n\n");
      pages.add(response);
      response.on("close", () => pages.delete(response));
      return true;
    }
    if (path !== "/" && path !== "/index.html") return false;
    // While the page is replaced, the next request finds it.
    if (!existsSync(join(page, "index.html"))) return false;
    const document = readFileSync(join(page, "index.html"), "utf8");
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-store",
    });
    response.end(document.replace("</head>", '<script type="module" src="./dev-reload.js"></script></head>'));
    return true;
  };
}

async function main() {
  const { port } = asked(process.argv.slice(2), PORT);
  await setUp();
  if (!existsSync(join(root, "dist", "web.js"))) await build();
  const pages = new Set();
  const told = {
    done: async (kinds, started) => {
      await assemble(true);
      for (const response of pages) response.write("data: reload\n\n");
      process.stdout.write(`✓ ${kinds.join(" and ")}  ${seconds(started)}\n`);
    },
    failed: (kind, error) => {
      const text =
        error instanceof Trouble ? `${error.output}\n${error.message}` : (error.errors?.[0]?.text ?? error.stack);
      process.stdout.write(`✗ ${kind}\n${text.trim()}\n`);
    },
  };
  if (!existsSync(join(page, "index.html"))) {
    process.stdout.write("The first build of the page takes about three minutes.\n");
    await runTool("page-quick");
    await bundleScripts(true);
    await assemble(true);
  }
  const changed = builder(WORKS, told);
  for (const [path] of WATCHED)
    watch(join(root, path), { recursive: true }, (_, name) => {
      const kind = kindOf(name && !path.endsWith(name) ? join(path, name) : path);
      if (kind) changed(kind);
    });
  // What changed since the last build.
  changed("module");
  changed("scripts");
  const server = await serve(page, { port, beside: { examples: join(root, "examples") }, first: live(pages) });
  process.stdout.write(`\nThe page: ${server.url}\nIt loads again what you change. Ctrl-C ends it.\n\n`);
  const end = () => void server.close().then(() => process.exit(0));
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
