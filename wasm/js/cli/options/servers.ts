/** Options around servers. */
import {
  type Command,
  handlers,
  header,
  help,
  json,
  KEYS,
  mcpConfig,
  MODELS,
  prices,
  reach,
  retries,
  signIn,
  timeout,
} from "./shared.js";

export const toolsCommand: Command = {
  name: "tools",
  usage: "stepgraph tools [[NAME=]URL|stdio:COMMAND|NAME]... [options]",
  summary: "list the tools of MCP servers",
  operands: [0, Infinity, "address"],
  options: [
    { name: "filter", value: "TEXT", help: "only tools whose name contains this text" },
    {
      ...mcpConfig,
      help: "the servers of a file of Claude Desktop, Cursor or VS Code; all of them, or those that you name",
    },
    header,
    ...signIn,
    retries,
    timeout,
    json,
    { name: "verbose", short: "v", help: "show the description of every parameter" },
    help,
  ],
  notes: [
    "Shows each tool's signature: parameters with their types, `?` after optional ones, and after `→` the type of " +
      "the result, if the server declares it. --json prints the complete schemas.",
    KEYS,
    "Exit codes: 0 listed, 1 a server did not answer, 2 bad usage.",
  ],
  examples: [
    ["list the tools of a server", "stepgraph tools http://127.0.0.1:3001/mcp"],
    ["show one tool with all its details", "stepgraph tools http://127.0.0.1:3001/mcp --filter weather --verbose"],
    ["list the tools of a program", "stepgraph tools 'stdio:npx -y @modelcontextprotocol/server-memory'"],
    ["list the tools of a server in Cursor's file", "stepgraph tools memory --mcp-config ~/.cursor/mcp.json"],
  ],
};

export const serveCommand: Command = {
  name: "serve",
  usage: "stepgraph serve [--http] [--server URL] [--model NAME] [options]",
  summary: "serve agents: an MCP server to write, check and run plans",
  operands: [0, 0, "operand"],
  options: [
    { name: "http", help: "serve over HTTP and print the URL; otherwise over standard input and output" },
    { name: "port", value: "N", help: "with --http: the port (default: any free one)" },
    {
      name: "host",
      value: "ADDRESS",
      help: "with --http: the address (default 127.0.0.1). Any other needs a token in STEPGRAPH_SERVE_TOKEN",
    },
    {
      name: "allow-host",
      value: "NAME",
      many: true,
      help: "with --http: a host name of the server besides those of this machine",
    },
    {
      name: "allow-origin",
      value: "ORIGIN",
      many: true,
      help: "with --http: an origin whose pages may connect, such as `https://app.example.com`",
    },
    ...reach,
    { ...handlers, help: "a JavaScript module that exports `handlers`, `tools` or `models` for all plans" },
    {
      name: "store",
      value: "FILE|URL",
      help: "with --http: a page on which people decide what runs of this store wait for; prints its address with a key",
    },
    { name: "plans", value: "DIR", help: "plans that clients may run by name" },
    { name: "runs", value: "DIR", help: "store runs in this folder, so that they outlive the server" },
    { name: "quota", value: "MIB", help: "with --runs: the disk space for runs (default 1024)" },
    { name: "keep", value: "N", help: "the number of runs in memory (default 1000)" },
    {
      name: "context",
      value: "KEY=VALUE",
      many: true,
      help: "a trusted value, which no client can change; also `KEY:=JSON`",
    },
    {
      name: "allow",
      value: "TOOL",
      many: true,
      help: "approve a tool that may destroy something; `*` for all",
    },
    { name: "caller-decides", help: "accept decisions on approvals from the client's model" },
    {
      name: "otlp",
      value: "URL",
      help: "send an OpenTelemetry trace of every run there (or OTEL_EXPORTER_OTLP_ENDPOINT)",
    },
    {
      name: "limit",
      value: "NAME=NUMBER",
      many: true,
      help: "a limit of every run: visits, steps, calls, timeout_ms, tokens, usd, output_bytes",
    },
    { name: "max-usd", value: "USD", help: "stop a run when its models have cost more; short for `--limit usd=USD`" },
    { ...prices, help: `${prices.help}. Results then say what models cost` },
    help,
  ],
  notes: [
    "Supports the Model Context Protocol in its revisions from 2024-11-05 to 2026-07-28. docs/server.md describes how to " +
      "set up clients. The tools are describe_tools, check_plan, run_plan, resume_run, explain_run and " +
      "plan_request.",
    "If a plan requires approval, the client asks the user. If the client can't ask, the run pauses.",
    MODELS,
    KEYS,
    "Exit codes: 0 the client disconnected, or a signal ended the server; 2 bad usage.",
  ],
  examples: [
    [
      "for an agent on this machine, which starts the server itself",
      "stepgraph serve --server http://127.0.0.1:3001/mcp --plans plans --runs runs",
    ],
    ["over HTTP", "stepgraph serve --http --port 7420 --server shop=http://127.0.0.1:3001/mcp"],
  ],
};

export const lspCommand: Command = {
  name: "lsp",
  usage: "stepgraph lsp [--stdio]",
  summary: "serve editors: the language server of plans",
  operands: [0, 0, "operand"],
  options: [{ name: "stdio", help: "use standard input and output, which is the default" }, help],
  notes: [
    "Supports the Language Server Protocol. Editors start the server themselves: docs/editors.md describes the setup.",
    "A file is a plan if its language is `stepgraph`, or if it has a map `nodes`. Other files get no diagnostics.",
    "Reads tools from `stepgraph.tools.json` in the plan's folder or one above, or else from `stepgraph.lock`, " +
      "and from `NAME.stubs.yaml` next to `NAME.yaml`.",
    "Exit codes: 0 the editor ended it; 1 the editor disconnected without `shutdown`; 2 bad usage.",
  ],
  examples: [
    [
      "write the tools of a server for the editor",
      "stepgraph tools http://127.0.0.1:3001/mcp --json > stepgraph.tools.json",
    ],
  ],
};
