/** Options that write and check plans. */
import { lock } from "./locks.js";
import {
  type Command,
  handlers,
  header,
  help,
  json,
  KEYS,
  model,
  mcpConfig,
  MODELS,
  outputForm,
  retries,
  server,
  signIn,
  timeout,
  watch,
} from "./shared.js";

export const checkCommand: Command = {
  name: "check",
  usage: "stepgraph check FILE... [--stubs FILE] [--handlers FILE] [--server URL] [--deny warnings] [--output FORM]",
  summary: "find the errors in plans without running them",
  operands: [1, Infinity, "file"],
  options: [
    { ...server, help: "an MCP server: checks the plan's tools against its own" },
    mcpConfig,
    header,
    ...signIn,
    retries,
    timeout,
    {
      name: "stubs",
      value: "FILE",
      help: "check the plans with these stubs, as `run --stubs` would: a call that no stub answers is an error",
    },
    { ...handlers, help: "check the plans with the handlers and tools of this module, as `run --handlers` would" },
    {
      ...lock,
      help: "check the plan's tools against this lock; default `stepgraph.lock` next to the plan or in a folder above",
    },
    { name: "no-lock", help: "ignore the lock: without a server, tools are not checked" },
    { name: "deny", value: "WHAT", choices: ["warnings"], help: "warnings: count them as errors" },
    { ...watch, help: `check ${watch.help}` },
    outputForm(["text", "json", "sarif", "github"], "for people, programs, code scanning, or GitHub's annotations"),
    { ...json, help: "short for `--output json`" },
    help,
  ],
  notes: [
    "Prints each plan's hash, tools, models, approvals and limits; with --server also which tools read, write and destroy.",
    "A file whose name ends in `.stubs.yaml` (or `.yml`, `.json`) is checked as stubs.",
    "Without --server and --stubs, the tools are those of `stepgraph.lock`, which `stepgraph lock` writes. The " +
      "search ends at the root of the repository.",
    "Exit codes: 0 no errors, 1 a server did not answer, 2 errors, or bad usage.",
  ],
  examples: [
    ["check all plans of a folder", "stepgraph check plans/*.yaml"],
    ["check that a plan runs with these stubs", "stepgraph check plan.yaml --stubs plan.stubs.yaml"],
    ["in a pipeline, where a warning fails the build", "stepgraph check --deny warnings --output github plans/*.yaml"],
    ["check that a server has the plan's tools", "stepgraph check plan.yaml --server http://127.0.0.1:3001/mcp"],
  ],
};

export const planCommand: Command = {
  name: "plan",
  usage: "stepgraph plan REQUEST [--server URL] [--model NAME] [--output FILE]",
  summary: "turn a request into a checked plan",
  operands: [1, 1, "request"],
  options: [
    { ...server, value: "[NAME=]URL", help: "an MCP server whose tools the plan may use" },
    mcpConfig,
    header,
    ...signIn,
    retries,
    ...model,
    timeout,
    {
      name: "stubs",
      value: "FILE",
      help: "stubs for tools and models, as YAML or JSON; the plan may use their tools",
    },
    { name: "output", short: "o", value: "FILE", help: "write the plan to this file instead of standard output" },
    { name: "force", help: "overwrite an existing file" },
    {
      name: "workflows",
      value: "DIR",
      help: "known plans: if one of them meets the whole request, print its name instead",
    },
    { name: "partial", help: "if the tools can do only a part of the request, plan that part" },
    { name: "keep", value: "FILE", help: "write the last attempt to this file if none is valid" },
    { name: "yes", short: "y", help: "run the plan at once with the values in the request" },
    {
      name: "input",
      value: "KEY=VALUE",
      many: true,
      help: "with --yes: a value that is not in the request; `KEY:=JSON` for values other than text",
    },
    {
      name: "context",
      value: "KEY=VALUE",
      many: true,
      help: "with --yes: a trusted value, which no model can change",
    },
    {
      name: "allow",
      value: "TOOL",
      many: true,
      help: "with --yes: approve a tool that may destroy something; `*` for all",
    },
    { name: "snapshot", value: "FILE", help: "with --yes: save a paused or cancelled run to this file" },
    json,
    { name: "verbose", short: "v", help: "show every node of the planner with its input" },
    { name: "quiet", short: "q", help: "show only the plan and errors" },
    help,
  ],
  notes: [
    "REQUEST describes the task in plain words; `-` reads standard input. The plan goes to standard output " +
      "or to --output, the rest to standard error: what the plan may read, write and destroy, and how to run it.",
    "The plan uses your names of the servers, never names from a model. It contains no keys.",
    MODELS,
    KEYS,
    "Exit codes: 0 planned, or found in --workflows; 1 no valid plan, or a server or the model failed; 2 bad " +
      "usage; 3 change the request first: it is unclear, the tools can't do it or only a part of it, or with " +
      "--yes a value or a part of the request is missing; 130 cancelled. If --yes runs the plan, the exit codes of `run` apply.",
  ],
  examples: [
    [
      "a plan for the tools of a server",
      'stepgraph plan "what should I wear in Oslo today?" --server http://127.0.0.1:3001/mcp --output coat.yaml',
    ],
    [
      "use another model and run the plan at once",
      'stepgraph plan "sum up the last 20 issues" --server git=http://127.0.0.1:3002/mcp --model anthropic:claude-sonnet-5 --yes',
    ],
    [
      "use a known plan if one fits",
      'stepgraph plan "the weekly report" --workflows plans --server http://127.0.0.1:3001/mcp',
    ],
  ],
};

export const formatCommand: Command = {
  name: "format",
  usage: "stepgraph format FILE... [--check]",
  summary: "format plans in the standard style",
  operands: [1, Infinity, "file"],
  options: [{ name: "check", help: "change nothing; list the files that are not formatted" }, help],
  notes: [
    "Keeps the meaning of the plan, its comments and the order of keys. Skips files that can't be read.",
    "`-` reads standard input and writes to standard output.",
    "Exit codes: 0 formatted, or nothing to do; 1 with --check: some files are not formatted; 2 bad usage, or a file that can't be read.",
  ],
  examples: [
    ["all plans of a folder", "stepgraph format plans/*.yaml"],
    ["check the format in a pipeline", "stepgraph format --check plans/*.yaml"],
  ],
};

export const schemaCommand: Command = {
  name: "schema",
  usage: "stepgraph schema",
  summary: "print the JSON Schema of plan files",
  operands: [0, 0, "operand"],
  options: [help],
  notes: [
    "The schema uses draft 2020-12. With it an editor completes keys and types in plans; `stepgraph lsp` does much more.",
  ],
  examples: [["for an editor", "stepgraph schema > stepgraph.schema.json"]],
};

export const typesCommand: Command = {
  name: "types",
  usage: "stepgraph types PLAN... [--check] [--stubs FILE] [--server URL] [--output FILE]",
  summary: "write the TypeScript types of plans",
  operands: [1, Infinity, "plan"],
  options: [
    { name: "check", help: "change nothing; list the declarations that are missing or out of date" },
    { ...server, help: "an MCP server: types the outputs of its tools, and tells tools from handlers" },
    mcpConfig,
    header,
    ...signIn,
    retries,
    timeout,
    { name: "stubs", value: "FILE", help: "stubs that describe tools, as a server would" },
    { name: "output", short: "o", value: "FILE", help: "with one plan: write to this file; `-` is standard output" },
    help,
  ],
  notes: [
    'Writes `plan.d.yaml.ts` next to `plan.yaml`, so that `import plan from "./plan.yaml"` has the types of the ' +
      "plan: its input, its outputs by node, and the handlers, models, tools and approvals that it needs. The " +
      "compiler needs `allowArbitraryExtensions`. docs/typescript.md shows how a program loads the plan.",
    "Skips stubs, and never writes over a file of another origin. `-` reads standard input and writes to standard output.",
    "Exit codes: 0 written, or up to date; 1 with --check: some are not up to date, or a server did not answer; " +
      "2 a plan has errors, or bad usage.",
  ],
  examples: [
    ["all plans of a folder", "stepgraph types plans/*.yaml"],
    ["check in a pipeline", "stepgraph types --check plans/*.yaml"],
    ["with the output types of a server's tools", "stepgraph types plan.yaml --server http://127.0.0.1:3001/mcp"],
  ],
};
