/**
 * What can be typed: commands, their options, and how arguments are read.
 *
 * One table yields both the reading and the help, so neither can speak of an option that the other does not know. Long
 * because it is one table.
 */
import { parseArgs } from "node:util";
import { near } from "./near.js";

/** One option. `value` names what follows it; without, it is a flag. */
export interface Option {
  name: string;
  short?: string;
  value?: string;
  many?: boolean;
  help: string;
}

/** One command. */
export interface Command {
  name: string;
  usage: string;
  summary: string;
  /** The least and the most that may stand after it, and what that is. */
  operands: [number, number, string];
  options: Option[];
  notes?: string[];
  /** What it is for, and how it is typed. */
  examples: [string, string][];
}

/** A mistake in what was typed: one sentence, and what to do. Ends with exit code 2. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly help: string,
  ) {
    super(message);
  }
}

const help: Option = { name: "help", short: "h", help: "show this" };
const json: Option = { name: "json", help: "one JSON object on standard output, and nothing else there" };
const server: Option = {
  name: "server",
  value: "[NAME=]URL",
  many: true,
  help: "an MCP server whose tools the plan may call; a NAME alone is one that the plan names",
};
const header: Option = {
  name: "header",
  value: "NAME: VALUE",
  many: true,
  help: "sent with every request to the servers; `SERVER=NAME: VALUE` to one of them",
};
const retries: Option = {
  name: "retries",
  value: "N",
  help: "how often a server that can't be reached is tried again; 2 unless given",
};
const signIn: Option[] = [
  { name: "sign-in", help: "where a server wants a token, get one: tells the address to visit" },
  { name: "tokens", value: "FILE", help: "with --sign-in: keeps tokens there for the next time; they are secrets" },
];

const model: Option[] = [
  {
    name: "model",
    value: "NAME",
    help: "the language model to ask, as `NAME` or `PROVIDER:NAME` (or STEPGRAPH_MODEL)",
  },
  {
    name: "model-url",
    value: "URL",
    help: "where it is; OpenAI-compatible unless a provider is named (or STEPGRAPH_MODEL_URL)",
  },
];
const timeout: Option = {
  name: "timeout",
  value: "MS",
  help: "how long one answer may take; 60000 for servers and 600000 for models unless given",
};
/** Whom a plan can talk to: servers, models, or stubs in their place. */
const reach: Option[] = [
  server,
  header,
  ...signIn,
  retries,
  ...model,
  timeout,
  { name: "stubs", value: "FILE", help: "answers in place of handlers, tools and models, as YAML or JSON" },
];

const KEYS =
  "A server's key is read from STEPGRAPH_SERVER_KEY_ and its name in capitals (STEPGRAPH_SERVER_KEY_SHOP for `shop=URL`), or, when there is one server only, from STEPGRAPH_SERVER_KEY.";

const MODELS =
  "Providers of models are openai, openai-responses, anthropic and gemini; their keys are read from OPENAI_API_KEY, ANTHROPIC_API_KEY and GEMINI_API_KEY.";

/** Every command, in the order of the help. */
export const COMMANDS: Command[] = [
  {
    name: "run",
    usage: "stepgraph run PLAN [--prompt TEXT] [options]",
    summary: "check a plan and run it",
    operands: [0, 1, "plan"],
    options: [
      { name: "plan", value: "FILE", help: "the plan; `-` reads standard input" },
      { name: "prompt", value: "TEXT", help: "the run's input as text; `-` reads standard input" },
      {
        name: "input",
        value: "KEY=VALUE",
        many: true,
        help: "makes the input a map; `KEY:=JSON` for what is not text",
      },
      {
        name: "context",
        value: "KEY=VALUE",
        many: true,
        help: "a trusted value, which no model can change; `KEY:=JSON`, too",
      },
      ...reach,
      {
        name: "limit",
        value: "NAME=NUMBER",
        many: true,
        help: "a bound instead of the plan's own: visits, steps, calls, timeout_ms, tokens, output_bytes",
      },
      {
        name: "plan-hash",
        value: "HASH|FILE",
        help: "refuse any plan but the one reviewed: its hash, or what `check --json` printed",
      },
      { name: "snapshot", value: "FILE", help: "where a run that pauses or is cancelled is kept" },
      { name: "resume", value: "FILE", help: "go on from a snapshot; no finished call is made again" },
      { name: "approve", value: "CALL", many: true, help: "yes to what a run asks under that name" },
      { name: "reject", value: "CALL", many: true, help: "no to it" },
      { name: "decide", value: "CALL=JSON", many: true, help: "a value to go on with instead" },
      {
        name: "allow",
        value: "TOOL",
        many: true,
        help: "call it without asking, though it may destroy something; `*` for all",
      },
      { name: "record", value: "FILE", help: "write the run's cassette as it goes, without secrets" },
      { name: "replay", value: "FILE", help: "play a cassette: no call is made" },
      { name: "fork", value: "FILE", help: "go on from a cassette; only what has no recorded answer is asked" },
      { name: "at", value: "CALL", help: "with --fork: the call whose answer is another" },
      { name: "set", value: "JSON", help: "with --fork: that answer" },
      {
        name: "otlp",
        value: "URL",
        help: "tell the receiver there of the run, as a trace of OpenTelemetry (or OTEL_EXPORTER_OTLP_ENDPOINT)",
      },
      {
        name: "audit",
        value: "FILE",
        many: true,
        help: "append every event as a line of JSON, as it happens; into a database where the name ends in .db or .sqlite, for `stepgraph runs`",
      },
      { name: "audit-key", value: "TEXT", help: "with --audit FILE.db: what the run is called there" },
      json,
      { name: "verbose", short: "v", help: "show inputs and every condition that was looked at" },
      { name: "quiet", short: "q", help: "show only the last output, and errors" },
      help,
    ],
    notes: [
      "The last output goes to standard output, all else to standard error. With --prompt alone the run's input is that text; with --input it is a map, in which the prompt stands under `prompt`.",
      MODELS,
      KEYS,
      "On a terminal a person is asked for approvals; elsewhere the run pauses. A call's name is node, visit and try: `ask:1:1`.",
      "Exit codes: 0 completed, 1 failed, 2 bad usage or plan, 3 completed after a rejection, 4 paused, 130 cancelled.",
    ],
    examples: [
      ["run a plan on a text", 'stepgraph run plan.yaml --prompt "hola"'],
      ["with the tools of a server", "stepgraph run plan.yaml --server http://127.0.0.1:3001/mcp"],
      [
        "with those of several: a tool that both have is `shop.search` or `docs.search` in the plan",
        "stepgraph run plan.yaml --server shop=http://127.0.0.1:3001/mcp --server docs=http://127.0.0.1:3002/mcp",
      ],
      ["without a network, keeping the audit trail", "stepgraph run plan.yaml --stubs stubs.yaml --audit audit.ndjson"],
      [
        "keep a run that waits for a person, and go on",
        "stepgraph run plan.yaml --snapshot run.json && stepgraph run plan.yaml --resume run.json --approve ask:1:1",
      ],
      [
        "record a run, and see where another answer leads",
        "stepgraph run plan.yaml --record run.ndjson && stepgraph run plan.yaml --fork run.ndjson --at search:1:1 --set '[]'",
      ],
    ],
  },
  {
    name: "runs",
    usage: "stepgraph runs list|show|replay|export|prune [RUN] --db FILE [options]",
    summary: "look at runs that were audited to a database",
    operands: [0, 2, "run"],
    options: [
      { name: "db", value: "FILE", help: "the database that `run --audit FILE.db` wrote (or STEPGRAPH_AUDIT)" },
      { name: "plan", value: "NAME|HASH", help: "runs of this plan; of a hash the first six characters are enough" },
      {
        name: "status",
        value: "STATUS",
        many: true,
        help: "runs that stand so: running, unfinished, completed, failed, cancelled or paused",
      },
      { name: "node", value: "NODE", help: "runs that came to this node; with show and export its events only" },
      { name: "key", value: "TEXT", help: "runs that were called so by `--audit-key`" },
      {
        name: "since",
        value: "TIME",
        help: "runs that began then or later: `2026-01-31`, `2026-01-31T18:00`, or how long ago, as `90s`, `30m`, `2h`, `7d`",
      },
      { name: "until", value: "TIME", help: "runs that began before" },
      { name: "limit", value: "N", help: "at most so many; 20 unless given" },
      { name: "after", value: "RUN", help: "the page after this run" },
      { name: "type", value: "EVENT", many: true, help: "with show and export: events of this type, as `node-failed`" },
      { name: "as", value: "FORMAT", help: "with export: events (the default), cassette, report or plan" },
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "with export: where it is written; standard output unless given",
      },
      {
        name: "context",
        value: "KEY=VALUE",
        many: true,
        help: "with replay: a trusted value that the run had; no store keeps them",
      },
      json,
      { name: "verbose", short: "v", help: "with show and replay: inputs, and every condition that was looked at" },
      help,
    ],
    notes: [
      "RUN is a run's name or its first few characters, or the key of the only run that has it.",
      "`list` shows runs, the newest first; `show` one of them, event by event; `replay` plays it again from its cassette and its plan, without a call, and says whether it comes out the same; `export` gives its events as `run --audit FILE` does, its cassette for `run --replay` and `run --fork`, its report or its plan, and without RUN the events of all runs that the filters fit; `prune` forgets those that they fit, but for runs under way.",
      "A run is `unfinished` when its process is gone, or has said nothing for half a minute.",
      "Exit codes: 0 done, or it came out the same; 1 it came out otherwise, or somebody else holds the database; 2 bad usage, no such run, or no database that can be read.",
    ],
    examples: [
      ["keep runs", "stepgraph run plan.yaml --audit audit.db"],
      ["those of today that failed", "stepgraph runs list --db audit.db --status failed --since 24h"],
      ["one of them", "stepgraph runs show k3f9 --db audit.db"],
      [
        "try again from where it failed",
        "stepgraph runs export k3f9 --db audit.db --as cassette -o run.ndjson && stepgraph run plan.yaml --fork run.ndjson",
      ],
    ],
  },
  {
    name: "check",
    usage: "stepgraph check FILE... [--server URL] [--json]",
    summary: "find every mistake of plans without running them",
    operands: [1, Infinity, "file"],
    options: [
      { ...server, help: "an MCP server: checks the plan's tools against its own" },
      header,
      ...signIn,
      retries,
      timeout,
      json,
      help,
    ],
    notes: [
      "Of each plan its hash is told, whom it asks, and its bounds; with --server also what its tools read, write and destroy.",
      "A file whose name ends in `.stubs.yaml` (or `.yml`, `.json`) is checked as stubs.",
      "Exit codes: 0 no errors, 1 a server did not answer, 2 errors, or bad usage.",
    ],
    examples: [
      ["check all plans of a folder", "stepgraph check plans/*.yaml"],
      ["and that a server has the tools they name", "stepgraph check plan.yaml --server http://127.0.0.1:3001/mcp"],
    ],
  },
  {
    name: "test",
    usage: "stepgraph test FILE... [--filter TEXT] [--json]",
    summary: "run the tests that stand in plans",
    operands: [1, Infinity, "file"],
    options: [{ name: "filter", value: "TEXT", help: "only tests whose name holds this text" }, json, help],
    notes: [
      "Tests stand under `tests` in a plan: input, stubs, what people decide, and what is expected. They need no network.",
      "Exit codes: 0 all passed, 1 some failed, 2 bad usage or plan.",
    ],
    examples: [["every test of a folder", "stepgraph test plans/*.yaml"]],
  },
  {
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
      "REQUEST is what is to be done, in plain words; `-` reads standard input. The plan goes to standard output or to --output, all else to standard error: what the plan may read, write and destroy, and how it is run.",
      "The plan names the servers that it needs as they were named here, never as a model writes them. No key stands in it.",
      MODELS,
      KEYS,
      "Exit codes: 0 planned, or found among --workflows; 1 no sound plan came of it, or a server or the model failed; 2 bad usage; 3 the request has to change first: it is not clear, can't be met, only a part of it can, or with --yes it does not say a value; 130 cancelled. Once --yes runs the plan, those of `run`.",
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
  },
  {
    name: "diff",
    usage: "stepgraph diff BEFORE AFTER [--server URL] [--json]",
    summary: "say what differs between two plans in meaning",
    operands: [2, 9, "plan"],
    options: [
      { ...server, help: "an MCP server: tells which of the tools that runs may call now may destroy something" },
      header,
      ...signIn,
      retries,
      timeout,
      { name: "git", help: "take the arguments that git gives to an external diff, and end with 0" },
      json,
      help,
    ],
    notes: [
      "Layout, comments, formatting and the order of keys are no difference. What runs may do now that they could not before is told last, tools that may destroy something first.",
      "Exit codes: 0 same meaning, 1 they differ, 2 one of them is no sound plan, or bad usage.",
    ],
    examples: [
      ["two versions", "stepgraph diff plan.yaml plan.new.yaml"],
      ["what was changed since the last commit", "git show HEAD:plan.yaml | stepgraph diff - plan.yaml"],
      [
        "in every `git diff`",
        "git config diff.stepgraph.command 'stepgraph diff --git' && echo '*.plan.yaml diff=stepgraph' >> .gitattributes",
      ],
    ],
  },
  {
    name: "merge",
    usage: "stepgraph merge BASE OURS THEIRS [--output FILE] [--json]",
    summary: "put two changed versions of a plan together",
    operands: [3, 3, "plan"],
    options: [
      { name: "output", short: "o", value: "FILE", help: "where the plan is written; standard output unless given" },
      { name: "name", value: "NAME", help: "what the plan is called in messages" },
      json,
      help,
    ],
    notes: [
      "What THEIRS changed since BASE is done to the text of OURS, field by field; its comments and style stay. A conflict is one field with two new values, a node that one changed and the other took away, or a plan that is not sound any more. There OURS is kept, and the conflict is told.",
      "Exit codes: 0 clean, 1 conflicts, 2 one of them can't be read, or bad usage.",
    ],
    examples: [
      ["by hand", "stepgraph merge base.yaml ours.yaml theirs.yaml --output plan.yaml"],
      [
        "in every `git merge`",
        "git config merge.stepgraph.driver 'stepgraph merge %O %A %B -o %A --name %P' && echo '*.plan.yaml merge=stepgraph' >> .gitattributes",
      ],
    ],
  },
  {
    name: "graph",
    usage: "stepgraph graph FILE [--output mermaid|dot|json] [--direction TD|LR]",
    summary: "draw a plan",
    operands: [1, 1, "file"],
    options: [
      { name: "output", short: "o", value: "FORMAT", help: "mermaid (the default), dot or json" },
      { name: "direction", short: "d", value: "WAY", help: "TD (top to bottom, the default), LR, BT or RL" },
      help,
    ],
    examples: [
      ["for a Markdown page", "stepgraph graph plan.yaml"],
      ["as a picture, by Graphviz", "stepgraph graph plan.yaml --output dot | dot -Tsvg > plan.svg"],
    ],
  },
  {
    name: "import",
    usage: "stepgraph import FILE [--from mermaid|serverless] [--output FILE] [--strict]",
    summary: "take over a plan of another program",
    operands: [1, 1, "file"],
    options: [
      {
        name: "from",
        value: "LANGUAGE",
        help: "mermaid (flowcharts) or serverless (Serverless Workflow 1.0); told from the text unless given",
      },
      { name: "output", short: "o", value: "FILE", help: "where the plan is written; standard output unless given" },
      { name: "strict", help: "end with 1 when something has no equal" },
      json,
      { name: "verbose", short: "v", help: "tell of everything, also of what has an equal" },
      help,
    ],
    notes: [
      "The plan goes to standard output, the report to standard error: what is said a little differently, and what has no equal, each at its place. docs/exchange.md has the whole table.",
      "Exit codes: 0 taken over, 1 with --strict: something is lost, 2 bad usage, or a text that can't be read.",
    ],
    examples: [
      ["a flowchart from a Markdown page", "stepgraph import flow.mmd > plan.yaml"],
      [
        "a workflow, and stop if anything of it is lost",
        "stepgraph import workflow.yaml --from serverless --strict --output plan.yaml",
      ],
    ],
  },
  {
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
      "A tool is shown as it is called: parameters with their types, `?` after those that may be left out, and after `→` what it gives, if its server says so. --json tells the schemas whole.",
      KEYS,
      "Exit codes: 0 listed, 1 a server did not answer, 2 bad usage.",
    ],
    examples: [
      ["what a server offers", "stepgraph tools http://127.0.0.1:3001/mcp"],
      ["one tool with all that is known of it", "stepgraph tools http://127.0.0.1:3001/mcp --filter weather --verbose"],
    ],
  },
  {
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
  },
  {
    name: "schema",
    usage: "stepgraph schema",
    summary: "print the JSON Schema of plan files",
    operands: [0, 0, "operand"],
    options: [help],
    notes: [
      "It is of draft 2020-12. An editor that is told of it completes keys and types in plans; `stepgraph lsp` knows much more.",
    ],
    examples: [["for an editor", "stepgraph schema > stepgraph.schema.json"]],
  },
  {
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
      "Speaks the Model Context Protocol, in its revisions from 2024-11-05 to 2026-07-28. Clients are told of it as docs/server.md says; the tools are describe_tools, check_plan, run_plan, resume_run, explain_run and plan_request.",
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
  },
  {
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
  },
];

/** The command of a name; a wrong one is answered by the one that was meant. */
export function findCommand(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  const meant = near(
    name,
    COMMANDS.map((command) => command.name),
  );
  const isPlan = /\.(ya?ml|json)$/.test(name);
  const advice = meant
    ? `did you mean \`stepgraph ${meant}\`?`
    : isPlan
      ? `did you mean \`stepgraph run ${name}\`?`
      : "see `stepgraph --help`";
  throw new UsageError(`there is no command \`${name}\``, advice);
}

/** What was typed after a command. */
export class Arguments {
  readonly operands: string[] = [];
  readonly #values = new Map<string, string[]>();

  /** Adds what an option was given; a flag is given the empty text. */
  add(name: string, value: string): void {
    this.#values.set(name, [...this.all(name), value]);
  }

  /** Whether the option stands there. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** The value of an option that stands at most once. */
  one(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** The values of an option that may stand several times. */
  all(name: string): string[] {
    return this.#values.get(name) ?? [];
  }
}

/** Reads the arguments of a command. Throws {@link UsageError}; `--help` goes before all mistakes. */
export function readArguments(command: Command, argv: string[]): Arguments {
  const options = Object.fromEntries(
    command.options.map((option) => [
      option.name,
      {
        type: option.value ? ("string" as const) : ("boolean" as const),
        ...(option.short ? { short: option.short } : {}),
      },
    ]),
  );
  const { tokens } = parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true });
  const read = new Arguments();
  if (tokens.some((token) => token.kind === "option" && token.name === "help")) {
    read.add("help", "");
    return read;
  }
  for (const token of tokens) {
    if (token.kind === "positional") read.operands.push(token.value);
    else if (token.kind === "option") readOption(command, token, read);
  }
  checkOperands(command, read.operands.length);
  return read;
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function readOption(command: Command, token: OptionToken, read: Arguments): void {
  const option = command.options.find(({ name }) => name === token.name);
  if (!option) throw unknownOption(command, token.rawName, token.name);
  const { rawName, value } = token;
  if (!option.value) {
    if (value !== undefined) throw new UsageError(`\`${rawName}\` takes no value`, `write \`${rawName}\` alone`);
  } else if (value === undefined) {
    throw new UsageError(`\`${rawName}\` needs a value`, `write \`${rawName} ${option.value}\``);
  } else if (!token.inlineValue && value.length > 1 && value.startsWith("-")) {
    throw new UsageError(
      `\`${rawName}\` needs a value before \`${value}\``,
      `write \`${rawName}=${value}\` if that is its value`,
    );
  }
  if (read.has(option.name) && !option.many && option.value) {
    throw new UsageError(`\`${rawName}\` stands twice`, "leave one of them out");
  }
  read.add(option.name, value ?? "");
}

function unknownOption(command: Command, rawName: string, name: string): UsageError {
  const meant = near(
    name,
    command.options.map((option) => option.name),
  );
  const advice = meant ? `did you mean \`--${meant}\`?` : `see \`stepgraph ${command.name} --help\``;
  return new UsageError(`\`stepgraph ${command.name}\` knows no \`${rawName}\``, advice);
}

function checkOperands(command: Command, number: number): void {
  const [least, most, noun] = command.operands;
  const advice = `write \`${command.usage}\``;
  if (number < least)
    throw new UsageError(`\`stepgraph ${command.name}\` needs ${most > 1 ? "at least one" : "a"} ${noun}`, advice);
  if (number > most) throw new UsageError(`\`stepgraph ${command.name}\` takes one ${noun}, not ${number}`, advice);
}
