// Tests that `diagnose` recognizes each planted fault outside of a browser. `tests/package` uses Chromium.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { diagnose } from "../../dist/node.js";
import { faults, KEY, startFaultServer } from "../servers/faults.mjs";
import { serve } from "../servers/serve.mjs";

for (const [name, fault] of Object.entries(faults)) {
  test(name, async (context) => {
    const server = await startFaultServer(fault);
    context.after(server.stop);
    const found = await diagnose(server.url, fault.how);
    const [code, words] = fault.elsewhere;
    const text = JSON.stringify(found, null, 1);
    assert.equal(found.code, `connect/${code}`, text);
    assert.ok(`${found.message} ${found.help}`.includes(words), text);
    assert.ok(!text.includes(KEY) && !text.includes("undefined") && !/\{\w+\}/.test(found.message + found.help), text);
    assert.ok(server.requests.length <= 20 && found.evidence.length <= 20, text);
  });
}

test("a text that is no URL", async () => {
  for (const url of ["", "mcp", "ftp://host/mcp", "file:///mcp"])
    assert.equal((await diagnose(url)).code, "connect/bad-address", url);
});

test("a host that does not exist", async () => {
  const fetch = async () => {
    throw new TypeError("fetch failed", {
      cause: Object.assign(new Error("getaddrinfo ENOTFOUND no.example"), { code: "ENOTFOUND" }),
    });
  };
  assert.equal((await diagnose("http://no.example/mcp", { fetch })).code, "connect/unknown-host");
});

test("the caught error explains a failure that the server no longer shows", async (context) => {
  const server = await startFaultServer(faults["nothing wrong, older era"]);
  context.after(server.stop);
  assert.equal((await diagnose(server.url, { error: { code: "mcp/session-lost" } })).code, "connect/session");
});

test("a credential repeated by a server is never shown", async (context) => {
  const server = await serve(({ request, response }) => {
    const { searchParams } = new URL(request.url, "http://host");
    response
      .writeHead(500)
      .end(`unknown ${searchParams.get("token")} ${Buffer.from(request.headers.authorization.slice(6), "base64")}`);
  });
  context.after(server.stop);
  const authorization = `Basic ${Buffer.from("me:hünter2-very").toString("base64")}`;
  const { message } = await diagnose(`${server.url}?token=s3cr3t%2B%2Fkey`, { headers: { authorization } });
  assert.match(message, /unknown \[secret\] \[secret\]$/);
});

test("the doctor sends nothing after the signal is aborted", async (context) => {
  const server = await startFaultServer(faults["never answers"]);
  context.after(server.stop);
  const controller = new AbortController();
  const found = diagnose(server.url, { signal: controller.signal });
  while (server.requests.length === 0) await new Promise(setImmediate);
  controller.abort(new Error("enough"));
  await assert.rejects(found, /enough/);
  assert.equal(server.requests.length, 1);
});

test("docs/connection-diagnostics.md lists every finding verbatim", async () => {
  const { FINDINGS } = await import("../../dist/package-internals.js");
  const page = fileURLToPath(new URL("../../docs/connection-diagnostics.md", import.meta.url));
  const text = readFileSync(page, "utf8");
  const asPattern = (words) => words.replace(/\{\w+\}/g, "…").replaceAll("|", "\\|");
  const rows = Object.entries(FINDINGS).map(
    ([name, [message, help]]) => `| \`connect/${name}\` | ${asPattern(message)} | ${asPattern(help)} |\n`,
  );
  const expected = text.replace(/(## Findings\n\n.*\n.*\n)(\|.*\n)*/, `$1${rows.join("")}`);
  if (process.env.UPDATE) writeFileSync(page, expected);
  assert.equal(text, expected, "run this test with UPDATE=1 and look at what changes");
});
