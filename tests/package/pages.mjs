// Opens pages in one Chromium in turn. Each reports its result to a test server.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { findChromium } from "../../scripts/chromium.mjs";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** No inline code, no eval, and only local servers. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http://127.0.0.1:*; worker-src 'self'";

/** A script before it reports all errors. */
const html = (name, src) =>
  `<!doctype html><meta charset="utf-8"><script src="/watch.js" data-page="${name}"></script><script type="module" src="${src}"></script>`;
const watch = `
  const { page } = document.currentScript.dataset;
  globalThis.tell = async (text) => {
    const next = await (await fetch("/told/" + page, { method: "POST", body: text })).text();
    if (next) location.href = next;
  };
  for (const type of ["error", "unhandledrejection", "securitypolicyviolation"]) {
    addEventListener(type, (event) => tell(type + ": " + (event.message ?? event.reason?.stack ?? event.violatedDirective ?? event.target?.src)), true);
  }
`;

/**
 * Maps names to scripts, whose files come from `folder`. `first` may answer a request before that. Returns each page's
 * promised result, and a function that ends everything.
 */
export async function visit(folder, pages, first = async () => false) {
  const names = Object.keys(pages);
  const told = Object.fromEntries(names.map((name) => [name, Promise.withResolvers?.() ?? deferred()]));
  const address = (name) => `/page/${names.indexOf(name)}`;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    if (pathname.startsWith("/told/"))
      return handleRequest(decodeURIComponent(pathname.slice("/told/".length)), request, response);
    const page = /^\/page\/(\d+)$/.exec(pathname);
    if (page)
      return send(
        response,
        ".html",
        html(encodeURIComponent(names[page[1]]), pages[names[page[1]]]),
        pages[names[page[1]]].startsWith("/dev/"),
      );
    if (pathname === "/watch.js") return send(response, ".js", watch);
    if (await first(request, response)) return;
    try {
      send(response, extname(pathname), readFileSync(join(folder, pathname)));
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  const handleRequest = async (name, request, response) => {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    told[name].resolve(text);
    const next = names[names.indexOf(name) + 1];
    response.end(next ? address(next) : "");
  };
  await once(server, "listening");
  const browser = await chromium(`http://127.0.0.1:${server.address().port}${address(names[0])}`, (why) =>
    names.forEach((name) => told[name].resolve(why)),
  );
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await browser.close();
  };
  return { told: Object.fromEntries(names.map((name) => [name, told[name].promise])), close };
}

/** A development server injects scripts into its pages, so they get no policy. */
function send(response, type, body, free = false) {
  const policy = free ? {} : { "content-security-policy": POLICY };
  response.writeHead(200, { "content-type": TYPES[type] ?? "text/plain", ...policy }).end(body);
}

async function chromium(url, ended) {
  const profile = mkdtempSync(join(tmpdir(), "stepgraph-chromium-"));
  // As root, which CI is, Chromium runs only without its sandbox.
  const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    `--user-data-dir=${profile}`,
  ];
  const browser = spawn(await findChromium(), [...flags, url], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  browser.stderr.on("data", (part) => (said = (said + part).slice(-2000)));
  browser.on("exit", (code) => ended(`the browser ended with ${code}: ${said}`));
  // Waits for `close` instead of `exit`: the browser's helpers write to the profile until they end.
  const over = once(browser, "close");
  const close = async () => {
    // SIGTERM lets the browser end its helpers. SIGKILL would not.
    browser.kill("SIGTERM");
    await over;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  return { close };
}

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
