// Tests the files that the server of `npm start` serves and refuses, and its content security policy.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { UserError } from "../../scripts/lib/command.mjs";
import { hashesOf } from "../../scripts/lib/offline.mjs";
import { POLICY, policyFor, portTaken, serve } from "../../scripts/serve.mjs";

let fixture;
let server;

before(async () => {
  fixture = mkdtempSync(join(tmpdir(), "stepgraph-serve-"));
  for (const name of ["page/js", "examples", "page-other"]) mkdirSync(join(fixture, name), { recursive: true });
  for (const [name, text] of [
    ["page/index.html", "<p>page"],
    ["page/js/a.js", "1"],
    ["page/m.wasm", ""],
    ["page/m.webmanifest", "{}"],
    ["examples/embed.html", "<p>e"],
    ["secret.txt", "s"],
    ["page-other/x.txt", "o"],
  ])
    writeFileSync(join(fixture, name), text);
  symlinkSync(join(fixture, "secret.txt"), join(fixture, "page", "out.txt"));
  server = await serve(join(fixture, "page"), { beside: { examples: join(fixture, "examples") } });
});

after(async () => {
  await server.close();
  rmSync(fixture, { recursive: true });
});

/** HTTP clients normalize paths before they send them. */
function sendRaw(path, method = "GET") {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () =>
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    );
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ status: Number(text.split(" ")[1]), text }));
  });
}

test("the server sends files with their types and the policy", async () => {
  const cases = [
    ["", "text/html; charset=utf-8"],
    ["index.html?x=1#y", "text/html; charset=utf-8"],
    ["js/a.js", "text/javascript; charset=utf-8"],
    ["m.wasm", "application/wasm"],
    ["m.webmanifest", "application/manifest+json"],
    ["examples/embed.html", "text/html; charset=utf-8"],
  ];
  for (const [path, type] of cases) {
    const response = await fetch(new URL(path, server.url));
    assert.deepEqual(
      [response.status, response.headers.get("content-type"), response.headers.get("content-security-policy")],
      [200, type, POLICY],
      path,
    );
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    await response.arrayBuffer();
  }
});

test("the server sends no file outside its folders, for any path", async () => {
  const paths = [
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/js/../../secret.txt",
    "/..\\secret.txt",
    "/%5c..%5csecret.txt",
    "/....//secret.txt",
    "/%00",
    "/index.html%00.js",
    "/out.txt",
    "/../page-other/x.txt",
    "/examples/../../secret.txt",
    "/examples/..%2f..%2fsecret.txt",
    "/__proto__/x",
    "/constructor/",
    "/js",
    "/js/",
    "/examples",
    "//secret.txt",
    "/%",
    "/%E0%A4%A",
    `/${join(fixture, "secret.txt")}`,
  ];
  for (const path of paths) {
    const { status, text } = await sendRaw(path);
    assert.equal(status, 404, path);
    assert.ok(!text.includes(fixture), "no path of this machine is told");
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.equal((await sendRaw("/", method)).status, 405);
  assert.deepEqual(
    [(await sendRaw("/", "HEAD")).status, (await sendRaw("/", "HEAD")).text.endsWith("\r\n\r\n")],
    [200, true],
  );
});

test("the policy lets nothing inline, nothing evaluated, and only embedded pages be framed", async () => {
  for (const embedded of [false, true]) {
    const policy = policyFor(embedded);
    assert.ok(
      !policy.includes("unsafe-inline") &&
        !/(?<!wasm-)unsafe-eval/.test(policy) &&
        policy.includes("default-src 'none'") &&
        policy.includes("base-uri 'none'"),
    );
    assert.ok(policy.endsWith(embedded ? "frame-ancestors *" : "frame-ancestors 'self'"));
  }
  const response = await fetch(new URL("?embed&run", server.url));
  assert.equal(response.headers.get("content-security-policy"), policyFor(true));
});

test("the server does not send a file again that the browser has cached", async () => {
  const first = await fetch(server.url);
  const { status } = await fetch(server.url, { headers: { "if-none-match": first.headers.get("etag") } });
  assert.equal(status, 304);
});

test("a used port is replaced by a free one, and the user is told", async () => {
  const other = await serve(join(fixture, "page"), { port: server.port });
  assert.notEqual(other.port, server.port);
  const told = portTaken(other, server.port, "npm run dev");
  assert.match(told, new RegExp(`^Port ${server.port} is taken, so this is port ${other.port}\\.`, "m"));
  assert.match(told, /run `npm run dev -- --port 8080`/);
  for (const wanted of [0, other.port]) assert.equal(portTaken(other, wanted, "npm run dev"), "");
  await other.close();
});

test("an unusable port is reported in one sentence", async () => {
  await assert.rejects(
    serve(join(fixture, "page"), { port: 65_536 }),
    (error) => error instanceof UserError && /^Port 65536 can't be used .*: choose another one/.test(error.message),
  );
});

test("every refusal has the headers of a page", async () => {
  for (const [path, method, status] of [
    ["none.txt", "GET", 404],
    ["none.txt", "HEAD", 404],
    ["", "POST", 405],
  ]) {
    const response = await fetch(new URL(path, server.url), { method });
    const { headers } = response;
    await response.arrayBuffer();
    assert.equal(response.status, status);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("content-security-policy"), POLICY);
    assert.equal(headers.get("allow"), status === 405 ? "GET, HEAD" : null);
  }
});

test("what a development server adds has the same methods and headers", async (context) => {
  const streams = { "/events": (response) => response.end(":\n\n") };
  const edit = (document) => `${document}!`;
  const made = { "/made.js": "2" };
  const other = await serve(join(fixture, "page"), {
    beside: { examples: join(fixture, "examples") },
    made,
    streams,
    edit,
  });
  context.after(() => other.close());
  const cases = [
    ["", "text/html; charset=utf-8", "<p>page!"],
    ["index.html", "text/html; charset=utf-8", "<p>page!"],
    ["?embed", "text/html; charset=utf-8", "<p>page!", true],
    ["made.js?1", "text/javascript; charset=utf-8", "2"],
    ["events", "text/event-stream", ":\n\n"],
    ["examples/embed.html", "text/html; charset=utf-8", "<p>e"],
    ["js/a.js", "text/javascript; charset=utf-8", "1"],
  ];
  for (const [path, type, body, embedded = false] of cases) {
    const address = new URL(path, other.url);
    const response = await fetch(address);
    const headers = ["content-type", "content-security-policy", "x-content-type-options", "referrer-policy"];
    assert.deepEqual(
      [response.status, ...headers.map((name) => response.headers.get(name)), await response.text()],
      [200, type, policyFor(embedded), "nosniff", "no-referrer", body],
      path,
    );
    const head = await fetch(address, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-type"), await head.text()], [200, type, ""], path);
    const post = await fetch(address, { method: "POST" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"], path);
  }
});

test("the hash of a page's files depends on their contents", () => {
  const first = hashesOf(join(fixture, "page-other"));
  assert.deepEqual(Object.keys(first), ["x.txt"]);
  writeFileSync(join(fixture, "page-other", "sw.js"), "never itself");
  writeFileSync(join(fixture, "page-other", "x.txt"), "else");
  const second = hashesOf(join(fixture, "page-other"));
  assert.deepEqual(Object.keys(second), ["x.txt"]);
  assert.notEqual(second["x.txt"], first["x.txt"]);
});
