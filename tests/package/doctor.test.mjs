// Tests that the doctor of connections identifies planted faults in Chromium, which hides why it blocks a request, and
// that a page falls back to the older era if CORS allows no other.
//
// The browser treats one of two pages as a page of the internet.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.mjs";
import { selfSigned } from "../servers/certificate.mjs";
import { faults, KEY, startFaultServer } from "../servers/faults.mjs";
import { fastmcp } from "../servers/servers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src *; frame-src http://127.0.0.1:*";

/** For one, the browser blocks the newer era's first request, for the other a call. */
const olderOnly = [
  "refuses headers of the newer era only, and speaks the older",
  "refuses the name of a tool, and speaks both eras",
];

const script = `
  import { diagnose, init, mcp, oauth } from "./dist/web.js";
  const tell = (value) => fetch("told", { method: "POST", body: JSON.stringify(value) }).then((response) => response.text());
  addEventListener("unhandledrejection", ({ reason }) => tell({ wrong: String(reason?.stack) }));
  const { jobs, listed, guarded } = await (await fetch("jobs")).json();
  const found = {};
  for (const { name, url, how } of jobs) found[name] = await diagnose(url, how);
  await init();
  const tools = {};
  const attempt = (act) => act().catch((error) => error.message);
  for (const [name, url] of Object.entries(listed)) tools[name] = await attempt(async () => [(await mcp(url).list()).length, (await mcp(url).call("any", {})).value]);
  // A frame stands for the window that a person would be shown: it comes back to a page of ours, which tells its
  // address.
  const authorize = (url) => new Promise((resolve) => {
    addEventListener("message", ({ origin, data }) => origin === location.origin && resolve(data), { once: true });
    document.body.append(Object.assign(document.createElement("iframe"), { src: url }));
  });
  const auth = oauth({ redirectUri: location.origin + "/back", authorize });
  if (guarded) tools.guarded = await attempt(async () => (await mcp(guarded, { auth }).call("greet", { name: "page" })).value);
  const next = await tell({ found, tools });
  if (next) location.href = next;
`;

let browser;
let profile;
const planted = {};
let guard;
const servers = [];
const readyAddresses = { local: deferred(), public: deferred() };

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

before(async () => {
  for (const [name, fault] of Object.entries(faults)) planted[name] = await startFaultServer(fault);
  guard = await fastmcp({ AUTH: "1", CORS: "1" });
  const certificate = selfSigned("page.test");
  servers.push(createServer(pageOf("local")), createSecureServer(certificate, pageOf("public")));
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const [local, open] = servers.map((server) => server.address().port);
  next = `https://page.test:${open}/`;
  profile = mkdtempSync(join(tmpdir(), "stepgraph-chromium-"));
  // As root, which CI is, Chromium runs only without its sandbox. A flag makes the second page's address public.
  const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    `--user-data-dir=${profile}`,
    "--host-resolver-rules=MAP page.test 127.0.0.1",
    `--ignore-certificate-errors-spki-list=${certificate.pin}`,
    `--ip-address-space-overrides=127.0.0.1:${open}=public`,
  ];
  browser = spawn(await findChromium(), [...flags, `http://127.0.0.1:${local}/`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  browser.stderr.resume();
});

after(async () => {
  if (browser?.exitCode === null) {
    // Waits for `close` instead of `exit`: the browser's helpers write to the profile until they end.
    const ended = once(browser, "close");
    browser.kill("SIGTERM");
    await ended;
  }
  for (const server of servers) server.close(), server.closeAllConnections();
  for (const server of Object.values(planted)) await server.stop();
  await guard?.stop();
  if (profile) rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
});

let next = "";

/** The local page covers the rest. */
const elsewhere = () => [
  { name: "mixed content", url: "http://tools.example/mcp" },
  { name: "the local network", url: planted["nothing wrong, newer era"].url },
];

function pageOf(which) {
  return async (request, response) => {
    const path = new URL(request.url, "http://page").pathname;
    response.setHeader("content-security-policy", POLICY);
    if (path === "/")
      return response
        .writeHead(200, { "content-type": "text/html" })
        .end('<!doctype html><body><script type="module" src="page.js"></script>');
    if (path === "/back")
      return response
        .writeHead(200, { "content-type": "text/html" })
        .end('<!doctype html><script src="back.js"></script>');
    if (path === "/back.js")
      return response
        .writeHead(200, { "content-type": "text/javascript" })
        .end("parent.postMessage(location.href, location.origin)");
    if (path === "/page.js") return response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    if (path === "/jobs") {
      const jobs =
        which === "local"
          ? Object.keys(faults).map((name) => ({ name, url: planted[name].url, how: faults[name].how }))
          : elsewhere();
      const listed = which === "local" ? Object.fromEntries(olderOnly.map((name) => [name, planted[name].url])) : {};
      return response.end(JSON.stringify({ jobs, listed, ...(which === "local" && { guarded: guard.url }) }));
    }
    if (path === "/told") {
      let text = "";
      for await (const part of request) text += part;
      readyAddresses[which].resolve(JSON.parse(text));
      return response.end(which === "local" ? next : "");
    }
    const type = TYPES[extname(path)];
    if (!type || !/^\/(dist|pkg)\/[\w.-]+$/.test(path)) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": type }).end(readFileSync(join(root, path)));
  };
}

function check(found, [code, words]) {
  const text = JSON.stringify(found, null, 1);
  assert.equal(found.code, `connect/${code}`, text);
  assert.ok(`${found.message} ${found.help}`.includes(words), text);
  assert.ok(!text.includes(KEY) && !text.includes("undefined") && !/\{\w+\}/.test(found.message + found.help), text);
  assert.ok(found.evidence.length <= 20, text);
}

test("a page of this machine", async (context) => {
  const { found, tools, wrong } = await readyAddresses.local.promise;
  assert.equal(wrong, undefined);
  for (const [name, fault] of Object.entries(faults)) await context.test(name, () => check(found[name], fault.page));
  for (const name of olderOnly)
    await context.test(`${name}: its tools are listed and called`, () => assert.deepEqual(tools[name], [0, "older"]));
  await context.test("signing in to FastMCP", () => assert.equal(tools.guarded, "Hello, page!"));
});

test("a page of the internet", async (context) => {
  const { found, wrong } = await readyAddresses.public.promise;
  assert.equal(wrong, undefined);
  await context.test("mixed content", () => check(found["mixed content"], ["mixed-content", "not encrypted"]));
  await context.test("the local network", () => check(found["the local network"], ["local-network", "allow the page"]));
});
