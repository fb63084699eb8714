// Tests real servers in every protocol revision against the table in `docs/mcp.md`, which `UPDATE=1` rewrites.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { mcp } from "../../dist/node.js";
import * as servers from "../servers/servers.mjs";

const VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const page = fileURLToPath(new URL("../../docs/mcp.md", import.meta.url));
const [TABLE_BEGIN, TABLE_END] = ["<!-- servers: begin -->", "<!-- servers: end -->"];

const cases = [
  ["`@modelcontextprotocol/server` 2.4.0", servers.modern, "map", { city: "Lima" }],
  ["FastMCP 4.1.2", servers.fastmcp, "greet", { name: "you" }],
  ["FastMCP 4.1.2, pages of two", servers.pages, "greet", { name: "you" }],
  ["`mcp-proxy` 6.7.19 before `server-memory`", servers.proxy, "read_graph", {}],
  ["the Python library `mcp` 2.3.0, plain JSON", servers.pymcp, "add", { a: 1, b: 2 }],
  ["`server-everything` 2026.8.31", servers.everything, "echo", { message: "hi" }],
  ["`supergateway` 4.0.0 before `server-memory`", servers.supergateway, "read_graph", {}],
  ["`git-mcp-server` 2.15.3", servers.git, "git_wrapup_instructions", { acknowledgement: "y" }],
];

async function attempt(url, options, name, args) {
  const client = mcp(url, options);
  try {
    const tools = await client.list();
    const { isError } = await client.call(name, args);
    assert.equal(isError, false);
    return { tools: tools.length, version: client.about().version };
  } catch (error) {
    if (error.code === undefined) throw error;
    return { tools: `\`${error.code}\`` };
  } finally {
    await client.close();
  }
}

async function row([title, start, name, args]) {
  const { url, stop } = await start();
  try {
    const found = await attempt(url, {}, name, args);
    const pinned = [];
    for (const version of VERSIONS) pinned.push((await attempt(url, { version }, name, args)).tools);
    return `| ${[title, found.version, ...pinned].join(" | ")} |`;
  } finally {
    await stop();
  }
}

test("every server in every revision", async () => {
  const head = [`| server | found to speak | ${VERSIONS.join(" | ")} |`, `|${" --- |".repeat(VERSIONS.length + 2)}`];
  const rows = [];
  for (const one of cases) rows.push(await row(one));
  const table = [...head, ...rows].join("\n");
  const text = readFileSync(page, "utf8");
  const written = text.replace(new RegExp(`${TABLE_BEGIN}[^]*${TABLE_END}`), `${TABLE_BEGIN}\n${table}\n${TABLE_END}`);
  if (process.env.UPDATE) writeFileSync(page, written);
  assert.equal(
    process.env.UPDATE ? written : text,
    written,
    "the table is stale: UPDATE=1 node --test tests/parity/mcp-servers.test.mjs",
  );
});
