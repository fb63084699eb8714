/** Options of the commands that run plans and read stored runs. */
import { type Command, help, json, KEYS, MODELS, outputForm, reach } from "./shared.js";

export const runCommand: Command = {
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
      help: "makes the input a map; text, unless the plan's `inputs` want another type; `KEY:=JSON` for any value",
    },
    {
      name: "context",
      value: "KEY=VALUE",
      many: true,
      help: "a trusted value, which no model can change; `KEY:=JSON`, too",
    },
    {
      name: "memory",
      value: "KEY=VALUE",
      many: true,
      help: "what the plan reads as `memory.KEY`; `KEY:=JSON`, too",
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
    "The last output goes to standard output, all else to standard error. With --prompt alone the run's input " +
      "is that text; with --input it is a map, in which the prompt stands under `prompt`.",
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
};

export const runsCommand: Command = {
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
    "`list` shows runs, the newest first; `show` one of them, event by event; `replay` plays it again from its " +
      "cassette and its plan, without a call, and says whether it comes out the same; `export` gives its events " +
      "as `run --audit FILE` does, its cassette for `run --replay` and `run --fork`, its report or its plan, and " +
      "without RUN the events of all runs that the filters fit; `prune` forgets those that they fit, but for " +
      "runs under way.",
    "A run is `unfinished` when its process is gone, or has said nothing for half a minute.",
    "Exit codes: 0 done, or it came out the same; 1 it came out otherwise, or somebody else holds the " +
      "database; 2 bad usage, no such run, or no database that can be read.",
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
};

export const testCommand: Command = {
  name: "test",
  usage: "stepgraph test FILE... [--stubs FILE] [--filter TEXT] [--output FORM]",
  summary: "run the tests that stand in plans",
  operands: [1, Infinity, "file"],
  options: [
    {
      name: "stubs",
      value: "FILE",
      help: "stubs of every test, as YAML or JSON; a test's own go before them",
    },
    { name: "filter", value: "TEXT", help: "only tests whose name holds this text; it is a mistake if none does" },
    outputForm(["text", "json", "junit"], "for people, programs, or as XML in the form of JUnit"),
    { ...json, help: "short for `--output json`" },
    help,
  ],
  notes: [
    "Tests stand under `tests` in a plan: input, stubs, what people decide, and what is expected. They need no network.",
    "Exit codes: 0 all passed, 1 some failed, 2 bad usage or plan.",
  ],
  examples: [
    ["every test of a folder", "stepgraph test plans/*.yaml"],
    ["with what most tests have in common", "stepgraph test plan.yaml --stubs plan.stubs.yaml"],
    ["with a report that CI shows", "stepgraph test --output junit plans/*.yaml > tests.xml"],
  ],
};
