// Tests `stepgraph tools` with programs as servers, and with other applications' files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { file, stepgraph } from "./stepgraph.mjs";

const SERVER = fileURLToPath(new URL("../servers/stdio.mjs", import.meta.url));
const mem = { command: process.execPath, args: [SERVER] };
const config = () => file("mcp.json", JSON.stringify({ mcpServers: { mem, other: mem } }));

const names = async (...args) => {
  const { code, out, err } = await stepgraph(["tools", ...args, "--json"]);
  assert.equal(code, 0, err);
  return JSON.parse(out).servers.map(({ name, tools }) => [name, tools.some((tool) => tool.name === "echo")]);
};

test("`--mcp-config` lists all servers of the file, or the named ones", async () => {
  assert.deepEqual(await names("--mcp-config", config()), [
    ["mem", true],
    ["other", true],
  ]);
  assert.deepEqual(await names("mem", "--mcp-config", config()), [["mem", true]]);
  const own = `own=stdio:'${process.execPath}' "${SERVER}"`;
  assert.deepEqual(await names(own, "mem", "--mcp-config", config()), [
    ["own", true],
    ["mem", true],
  ]);
});

const refused = [
  [[], /`stepgraph tools` needs an address[^]*stdio:COMMAND[^]*--mcp-config FILE/],
  [["--mcp-config", "empty.json"], /the file of `--mcp-config` has no servers/],
  [["nobody", "--mcp-config", "mcp.json"], /nobody/],
  [["--mcp-config", "missing.json"], /missing\.json/],
];
for (const [args, message] of refused)
  test(`refused: tools ${args.join(" ")}`, async () => {
    config();
    file("empty.json", '{"mcpServers": {}}');
    const { code, err } = await stepgraph(["tools", ...args]);
    assert.equal(code, 2, err);
    assert.match(err, message);
  });
