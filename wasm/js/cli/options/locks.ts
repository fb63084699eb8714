/** Options of `lock` and `drift`. */
import {
  type Command,
  handlers,
  header,
  help,
  json,
  KEYS,
  mcpConfig,
  type Option,
  retries,
  server,
  signIn,
  timeout,
} from "./shared.js";

export const lock: Option = {
  name: "lock",
  value: "FILE",
  help: "the lock, instead of `stepgraph.lock` beside the plan or in a folder above it",
};

const servers = [
  mcpConfig,
  header,
  ...signIn,
  retries,
  timeout,
  { ...handlers, help: "a JavaScript module whose `tools` the plans use, too" },
];

export const lockCommand: Command = {
  name: "lock",
  usage: "stepgraph lock PLAN... [--server URL] [--lock FILE]",
  summary: "write the tools that plans use to a lock",
  operands: [1, Infinity, "plan"],
  options: [
    { ...server, help: "an MCP server whose tools the plans use" },
    ...servers,
    { ...lock, help: "write to this file; default the plan's lock, or a new `stepgraph.lock`" },
    help,
  ],
  notes: [
    "Writes the schemas, annotations and descriptions of the tools that the plans use, and of no others: name all " +
      "plans that share the lock. If an agent may call all tools, writes all. `check` and editors then know the " +
      "tools without a network, `drift` finds what has changed, and `run --locked` refuses changed tools: docs/lock.md.",
    "The lock contains the names of servers, and no URLs or keys. Name servers (`shop=URL`), so that the lock holds " +
      "wherever they run.",
    KEYS,
    "Tools that none of the named plans uses are removed from the lock, with a warning. If a plan has errors with " +
      "the new tools, the lock is written and the errors are printed.",
    "Exit codes: 0 written, or up to date; 1 a server did not answer; 2 a plan has errors, also with the new tools, " +
      "a tool is missing, or bad usage.",
  ],
  examples: [
    ["lock the tools of all plans", "stepgraph lock plans/*.yaml --server shop=http://127.0.0.1:3001/mcp"],
    ["look at what changes", "git diff stepgraph.lock"],
  ],
};

export const driftCommand: Command = {
  name: "drift",
  usage: "stepgraph drift PLAN... [--server URL] [--fix] [--json]",
  summary: "find out which plans break because tools have changed",
  operands: [1, Infinity, "plan"],
  options: [
    { ...server, help: "an MCP server whose tools the plans use" },
    ...servers,
    lock,
    { name: "fix", help: "fix the plans where that is safe, by small edits that keep comments" },
    json,
    help,
  ],
  notes: [
    "Compares the lock with the tools that the servers list now. Shows what has changed, then each problem of a plan " +
      "with its position: errors break the plan, warnings may. docs/lock.md lists them.",
    KEYS,
    "Exit codes: 0 no plan breaks, 1 a plan breaks or a server did not answer, 2 a plan has errors, there is no " +
      "lock, or bad usage.",
  ],
  examples: [
    ["each night, in a pipeline", "stepgraph drift plans/*.yaml --server shop=http://127.0.0.1:3001/mcp"],
    ["fix the plans, then accept the new tools", "stepgraph drift plans/*.yaml --mcp-config mcp.json --fix"],
  ],
};
