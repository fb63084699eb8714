/** Options of the commands that call servers, and of the servers `serve` and `lsp`. */
import { type Command, header, help, json, KEYS, MODELS, reach, retries, signIn, timeout } from "./shared.js";

export const toolsCommand: Command = {
  name: "tools",
  usage: "stepgraph tools [NAME=]URL... [--filter TEXT] [--json]",
  summary: "list the tools of MCP servers",
  operands: [1, Infinity, "address"],
  options: [
    { name: "filter", value: "TEXT", help: "only tools whose name holds this text" },
    header,
    ...signIn,
    retries,
    timeout,
    json,
    { name: "verbose", short: "v", help: "show what is said of every parameter" },
    help,
  ],
  notes: [
    "A tool is shown as it is called: parameters with their types, `?` after those that may be left out, and " +
      "after `→` what it gives, if its server says so. --json tells the schemas whole.",
    KEYS,
    "Exit codes: 0 listed, 1 a server did not answer, 2 bad usage.",
  ],
  examples: [
    ["what a server offers", "stepgraph tools http://127.0.0.1:3001/mcp"],
    ["one tool with all that is known of it", "stepgraph tools http://127.0.0.1:3001/mcp --filter weather --verbose"],
  ],
};

export const serveCommand: Command = {
  name: "serve",
  usage: "stepgraph serve [--http] [--server URL] [--model NAME] [options]",
  summary: "serve agents: an MCP server to write, check and run plans",
  operands: [0, 0, "operand"],
  options: [
    { name: "http", help: "serve over HTTP, and tell the address; over standard input and output unless given" },
    { name: "port", value: "N", help: "with --http: where to listen; any that is free unless given" },
    {
      name: "host",
      value: "ADDRESS",
      help: "with --http: on which address; 127.0.0.1 unless given. Any other takes a token in STEPGRAPH_SERVE_TOKEN",
    },
    {
      name: "allow-host",
      value: "NAME",
      many: true,
      help: "with --http: a name that the server is reached by, beside those of this machine",
    },
    {
      name: "allow-origin",
      value: "ORIGIN",
      many: true,
      help: "with --http: whose pages may ask, as `https://app.example.com`",
    },
    ...reach,
    { name: "plans", value: "DIR", help: "plans that clients may run by their names" },
    { name: "runs", value: "DIR", help: "where runs are kept, so that they outlive the server" },
    { name: "quota", value: "MIB", help: "with --runs: how much of the disk runs may take; 1024 unless given" },
    { name: "keep", value: "N", help: "how many runs are kept in memory; 1000 unless given" },
    {
      name: "context",
      value: "KEY=VALUE",
      many: true,
      help: "a trusted value, which no client can change; `KEY:=JSON`, too",
    },
    {
      name: "allow",
      value: "TOOL",
      many: true,
      help: "call it without asking, though it may destroy something; `*` for all",
    },
    { name: "caller-decides", help: "take what the client's model says about approvals for a person's word" },
    {
      name: "otlp",
      value: "URL",
      help: "tell the receiver there of every run, as a trace of OpenTelemetry (or OTEL_EXPORTER_OTLP_ENDPOINT)",
    },
    {
      name: "limit",
      value: "NAME=NUMBER",
      many: true,
      help: "a bound of every run: visits, steps, calls, timeout_ms, tokens, output_bytes",
    },
    help,
  ],
  notes: [
    "Speaks the Model Context Protocol, in its revisions from 2024-11-05 to 2026-07-28. Clients are told of it " +
      "as docs/server.md says; the tools are describe_tools, check_plan, run_plan, resume_run, explain_run and " +
      "plan_request.",
    "Where a plan needs leave, the person is asked through their client. If it can't ask, the run pauses.",
    MODELS,
    KEYS,
    "Exit codes: 0 the client went away, or it was told to end; 2 bad usage.",
  ],
  examples: [
    [
      "for an agent on this machine, which starts it by itself",
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
  options: [{ name: "stdio", help: "speak over standard input and output, as it does anyway" }, help],
  notes: [
    "Speaks the Language Server Protocol. Editors start it by themselves once they are told of it: docs/editors.md says how.",
    "Files are plans if the editor calls their language `stepgraph`, or if a map `nodes` stands in them; of others nothing is said.",
    "Tools are known from `stepgraph.tools.json` in the plan's folder or one above it, and from `NAME.stubs.yaml` beside `NAME.yaml`.",
    "Exit codes: 0 the editor ended it; 1 the editor went away without a word; 2 bad usage.",
  ],
  examples: [
    [
      "let the editor know the tools of a server",
      "stepgraph tools http://127.0.0.1:3001/mcp --json > stepgraph.tools.json",
    ],
  ],
};
