/** Options of the commands that write and check plans. */
import {
  type Command,
  header,
  help,
  json,
  KEYS,
  model,
  MODELS,
  outputForm,
  retries,
  server,
  signIn,
  timeout,
} from "./shared.js";

export const checkCommand: Command = {
  name: "check",
  usage: "stepgraph check FILE... [--stubs FILE] [--server URL] [--deny warnings] [--output FORM]",
  summary: "find every mistake of plans without running them",
  operands: [1, Infinity, "file"],
  options: [
    { ...server, help: "an MCP server: checks the plan's tools against its own" },
    header,
    ...signIn,
    retries,
    timeout,
    {
      name: "stubs",
      value: "FILE",
      help: "judges the plans with these stand-ins, as `run --stubs` would: what nobody answers for is an error",
    },
    { name: "deny", value: "WHAT", choices: ["warnings"], help: "warnings: they count as errors" },
    outputForm(["text", "json", "sarif", "github"], "for people, programs, code scanning, or GitHub's annotations"),
    { ...json, help: "short for `--output json`" },
    help,
  ],
  notes: [
    "Of each plan its hash is told, whom it asks, and its bounds; with --server also what its tools read, write and destroy.",
    "A file whose name ends in `.stubs.yaml` (or `.yml`, `.json`) is checked as stubs.",
    "Exit codes: 0 no errors, 1 a server did not answer, 2 errors, or bad usage.",
  ],
  examples: [
    ["check all plans of a folder", "stepgraph check plans/*.yaml"],
    ["and that these stand-ins let it run", "stepgraph check plan.yaml --stubs plan.stubs.yaml"],
    ["in a pipeline, where a warning fails the build", "stepgraph check --deny warnings --output github plans/*.yaml"],
    ["and that a server has the tools they name", "stepgraph check plan.yaml --server http://127.0.0.1:3001/mcp"],
  ],
};

export const planCommand: Command = {
  name: "plan",
  usage: "stepgraph plan REQUEST [--server URL] [--model NAME] [--output FILE]",
  summary: "turn a request into a plan that is checked",
  operands: [1, 1, "request"],
  options: [
    { ...server, value: "[NAME=]URL", help: "an MCP server whose tools the plan may use" },
    header,
    ...signIn,
    retries,
    ...model,
    timeout,
    {
      name: "stubs",
      value: "FILE",
      help: "answers in place of tools and models, as YAML or JSON; its tools may be planned with, too",
    },
    { name: "output", short: "o", value: "FILE", help: "where the plan is written; standard output unless given" },
    { name: "force", help: "write over a file that is there" },
    {
      name: "workflows",
      value: "DIR",
      help: "plans that there are already: one that does the whole of it is named instead",
    },
    { name: "partial", help: "where only a part can be done, plan that part" },
    { name: "keep", value: "FILE", help: "where the last attempt is written if none of them is sound" },
    { name: "yes", short: "y", help: "run the plan at once with the values of the request" },
    {
      name: "input",
      value: "KEY=VALUE",
      many: true,
      help: "with --yes: a value that the request does not say; `KEY:=JSON` for what is not text",
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
      help: "with --yes: call it without asking, though it may destroy something; `*` for all",
    },
    { name: "snapshot", value: "FILE", help: "with --yes: where a run that pauses or is cancelled is kept" },
    json,
    { name: "verbose", short: "v", help: "show every node of the way to the plan, and what it is given" },
    { name: "quiet", short: "q", help: "show only the plan, and errors" },
    help,
  ],
  notes: [
    "REQUEST is what is to be done, in plain words; `-` reads standard input. The plan goes to standard output " +
      "or to --output, all else to standard error: what the plan may read, write and destroy, and how it is run.",
    "The plan names the servers that it needs as they were named here, never as a model writes them. No key stands in it.",
    MODELS,
    KEYS,
    "Exit codes: 0 planned, or found among --workflows; 1 no sound plan came of it, or a server or the model " +
      "failed; 2 bad usage; 3 the request has to change first: it is not clear, can't be met, only a part of it " +
      "can, or with --yes it does not say a value; 130 cancelled. Once --yes runs the plan, those of `run`.",
  ],
  examples: [
    [
      "a plan for the tools of a server",
      'stepgraph plan "what should I wear in Oslo today?" --server http://127.0.0.1:3001/mcp --output coat.yaml',
    ],
    [
      "with another model, run at once",
      'stepgraph plan "sum up the last 20 issues" --server git=http://127.0.0.1:3002/mcp --model anthropic:claude-sonnet-5 --yes',
    ],
    [
      "use what is there already, if it does",
      'stepgraph plan "the weekly report" --workflows plans --server http://127.0.0.1:3001/mcp',
    ],
  ],
};

export const formatCommand: Command = {
  name: "format",
  usage: "stepgraph format FILE... [--check]",
  summary: "write plans the usual way",
  operands: [1, Infinity, "file"],
  options: [{ name: "check", help: "change nothing; tell which files are written another way" }, help],
  notes: [
    "What the plan means stays the same, and so do comments and the order of keys. A file that can't be read is left as it is.",
    "`-` reads standard input and writes to standard output.",
    "Exit codes: 0 formatted, or nothing to do; 1 with --check: some are written another way; 2 bad usage, or a file that can't be read.",
  ],
  examples: [
    ["all plans of a folder", "stepgraph format plans/*.yaml"],
    ["make sure of it, in a pipeline", "stepgraph format --check plans/*.yaml"],
  ],
};

export const schemaCommand: Command = {
  name: "schema",
  usage: "stepgraph schema",
  summary: "print the JSON Schema of plan files",
  operands: [0, 0, "operand"],
  options: [help],
  notes: [
    "It is of draft 2020-12. An editor that is told of it completes keys and types in plans; `stepgraph lsp` knows much more.",
  ],
  examples: [["for an editor", "stepgraph schema > stepgraph.schema.json"]],
};
