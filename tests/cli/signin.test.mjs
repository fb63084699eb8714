// Tests sign-in from the command line, on a FastMCP server that requires a token.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { guarded } from "../servers/servers.mjs";
import { startFaultServer, faults } from "../servers/faults.mjs";
import { example, folder, start, stepgraph } from "./stepgraph.mjs";

let server;
before(async () => {
  server = await guarded();
});
after(() => server?.stop());

/** `visit` receives the URL as soon as it is printed. */
async function run(args, visit) {
  const { child, done } = start(args);
  let said = "";
  let visited;
  child.stderr.on("data", (part) => {
    said += part;
    const [url] = /^http:\/\/\S+\/authorize\?\S+(?=\n)/m.exec(said) ?? [];
    if (url) visited ??= visit(url).catch(String);
  });
  return { ...(await done), page: await visited };
}

const browse = async (url) => (await fetch(url)).text();

test("tools --sign-in prints the URL, waits and lists the tools", async () => {
  const { code, out, err, page } = await run(["tools", server.url, "--sign-in"], browse);
  assert.equal(code, 0, err);
  assert.match(out, /: 6 tools\n/);
  assert.match(err, /^to sign in, visit this address/);
  assert.match(page, /can close this page/);
});

test("--tokens stores the tokens readable only by their owner", async () => {
  const args = ["tools", server.url, "--sign-in", "--tokens", "tokens.json", "--json"];
  assert.equal((await run(args, browse)).code, 0);
  const kept = readFileSync(join(folder, "tokens.json"), "utf8");
  assert.equal(statSync(join(folder, "tokens.json")).mode & 0o777, 0o600);
  const again = await stepgraph(args);
  assert.deepEqual([again.code, again.err], [0, ""]);
  const { token } = JSON.parse(JSON.parse(kept)[server.url]);
  assert.ok(!again.out.includes(token.access));
});

test("the command ignores an answer with another state", async () => {
  const { code, page } = await run(["tools", server.url, "--sign-in"], async (url) => {
    const back = new URL(new URL(url).searchParams.get("redirect_uri"));
    back.search = "code=stolen&state=another";
    const refused = await fetch(back);
    await browse(url);
    return `${refused.status}`;
  });
  assert.deepEqual([code, page], [0, "404"]);
});

test("without --sign-in the doctor names the flag to add", async () => {
  for (const args of [
    ["tools", server.url],
    ["run", example("weather.yaml"), "--prompt", "Oslo", "--server", server.url, "--model-url", server.url],
  ]) {
    const { code, err } = await stepgraph(args);
    assert.equal(code, 1);
    assert.match(
      err,
      /help: `127\.0\.0\.1:\d+\/mcp` requires a token \(status 401\), and names its authorization server: add `--sign-in`/,
    );
  }
});

test("--tokens without --sign-in and an invalid token file are usage errors", async () => {
  assert.equal((await stepgraph(["tools", server.url, "--tokens", "x.json"])).code, 2);
  const { code, err } = await stepgraph(["tools", server.url, "--sign-in", "--tokens", "."]);
  assert.notEqual(code, 0);
  assert.match(err, /can't read the tokens in `\.`: it is a folder/);
});

test("a failed connection prints the doctor's findings", async (context) => {
  for (const [name, words] of [
    ["another path", /but `http:\/\/127\.0\.0\.1:\d+\/mcp` answers like one: use `/],
    ["a page of the web", /not as a server of tools: <h1>Welcome<\/h1>: check the address/],
    ["elsewhere", /redirects \(status 307\): `127\.0\.0\.1:9\/there`: use the address/],
    ["a certificate that nobody trusts", /the encrypted connection .* fails/],
    ["down", /no server answers at/],
  ]) {
    const { url, stop } = await startFaultServer(faults[name]);
    context.after(stop);
    const { code, err } = await stepgraph(["tools", url, "--retries", "0"]);
    assert.equal(code, 1);
    assert.match(err, words, name);
  }
});
