/** Options that run plans. */
import { lock } from "./locks.js";
import { type Command, handlers, help, json, KEYS, MODELS, outputForm, prices, reach, watch } from "./shared.js";

const store = {
  name: "store",
  value: "FILE|URL",
  help: "a file of SQLite, or a URL of PostgreSQL, that keeps the run, so that any process can continue it; SQLite needs Node 22.13, or `npm install libsql`",
};

const from = { name: "from", value: "FILE" };
const map = { name: "map", value: "OLD=NEW", many: true };

export const runCommand: Command = {
  name: "run",
  usage: "stepgraph run PLAN [--prompt TEXT] [options]",
  summary: "check a plan and run it",
  operands: [0, 1, "plan"],
  options: [
    { name: "plan", value: "FILE", help: "the plan; `-` reads standard input" },
    { name: "prompt", value: "TEXT", mayBeEmpty: true, help: "the run's input as text; `-` reads standard input" },
    {
      name: "input",
      value: "KEY=VALUE",
      many: true,
      help: "make the input a map; text, unless the plan's `inputs` declare another type; `KEY:=JSON` for any value",
    },
    {
      name: "context",
      value: "KEY=VALUE",
      many: true,
      help: "a trusted value, which no model can change; also `KEY:=JSON`",
    },
    {
      name: "memory",
      value: "KEY=VALUE",
      many: true,
      help: "a value that the plan reads as `memory.KEY`; also `KEY:=JSON`",
    },
    handlers,
    ...reach,
    {
      name: "limit",
      value: "NAME=NUMBER",
      many: true,
      help: "override a limit of the plan: visits, steps, calls, timeout_ms, tokens, usd, output_bytes",
    },
    { name: "max-usd", value: "USD", help: "stop the run when its models have cost more; short for `--limit usd=USD`" },
    prices,
    {
      name: "plan-hash",
      value: "HASH|FILE",
      help: "reject any plan but the reviewed one: its hash, or a file with the output of `check --json`",
    },
    { name: "locked", help: "reject tools that differ from `stepgraph.lock` in what the plan uses, before any call" },
    { ...lock, help: "with --locked: this lock instead of `stepgraph.lock` next to the plan or in a folder above" },
    store,
    { name: "run-id", value: "ID", help: "with --store: the run's id; a known run continues, and needs no input" },
    { name: "take-over", help: "with --store: take the run from a process that may still have it" },
    { name: "snapshot", value: "FILE", help: "save a paused or cancelled run to this file" },
    { name: "resume", value: "FILE", help: "resume from a snapshot; finished calls are not repeated" },
    {
      name: "upgrade",
      help: "continue a run with a changed plan, if nothing that ran or waits has changed; with --fork: use the answers of equal calls",
    },
    { ...from, help: "with --resume and --upgrade: the old plan, to compare more exactly" },
    { ...map, help: "with --from: the new name of a node" },
    { name: "restart-at", value: "NODE", help: "with --resume: run this node and those that follow again" },
    { name: "approve", value: "CALL", many: true, help: "approve a call of a paused run, or of a new run in advance" },
    { name: "reject", value: "CALL", many: true, help: "reject it" },
    { name: "decide", value: "CALL=JSON", many: true, help: "continue with this value instead" },
    {
      name: "allow",
      value: "TOOL",
      many: true,
      help: "approve a tool that may destroy something; `*` for all",
    },
    { name: "record", value: "FILE", help: "record the run to a cassette, without secrets" },
    { name: "replay", value: "FILE", help: "replay a cassette without making calls" },
    { name: "fork", value: "FILE", help: "rerun from a cassette; make only the calls without a recorded answer" },
    { name: "at", value: "CALL", help: "with --fork: the call whose answer changes" },
    { name: "set", value: "JSON", help: "with --fork: the new answer" },
    {
      name: "otlp",
      value: "URL",
      help: "send an OpenTelemetry trace of the run there (or OTEL_EXPORTER_OTLP_ENDPOINT)",
    },
    {
      name: "audit",
      value: "FILE",
      many: true,
      help: "append every event as a line of JSON; a name that ends in .db or .sqlite is a database for `stepgraph runs`",
    },
    { name: "audit-key", value: "TEXT", help: "with --audit FILE.db: a key for the run" },
    { ...watch, help: `run ${watch.help}` },
    json,
    { name: "verbose", short: "v", help: "show inputs and every evaluated condition" },
    { name: "quiet", short: "q", help: "show only the last output and errors" },
    help,
  ],
  notes: [
    "The last output goes to standard output, the rest to standard error. With --prompt alone the run's input " +
      "is that text; with --input it is a map that has the prompt under `prompt`.",
    MODELS,
    KEYS,
    "On a terminal `run` prompts for approvals; elsewhere the run pauses. A call's name is node, visit and attempt: `ask:1:1`.",
    "Exit codes: 0 completed, 1 failed, 2 bad usage or plan, 3 completed after a rejection, 4 paused, 130 cancelled.",
  ],
  examples: [
    ["run a plan with a text as input", 'stepgraph run plan.yaml --prompt "hola"'],
    ["with the tools of a server", "stepgraph run plan.yaml --server http://127.0.0.1:3001/mcp"],
    [
      "with several servers: if both have a tool, the plan names it `shop.search` or `docs.search`",
      "stepgraph run plan.yaml --server shop=http://127.0.0.1:3001/mcp --server docs=http://127.0.0.1:3002/mcp",
    ],
    ["run again at every change of the plan or its stubs", "stepgraph run plan.yaml --stubs stubs.yaml --watch"],
    ["without a network, with an audit trail", "stepgraph run plan.yaml --stubs stubs.yaml --audit audit.ndjson"],
    ["save a run that waits for an approval; it exits with 4", "stepgraph run plan.yaml --snapshot run.json"],
    ["resume it with your decision", "stepgraph run plan.yaml --resume run.json --approve ask:1:1"],
    [
      "record a run, and try another answer",
      "stepgraph run plan.yaml --record run.ndjson && stepgraph run plan.yaml --fork run.ndjson --at search:1:1 --set '[]'",
    ],
  ],
};

export const upgradeCommand: Command = {
  name: "upgrade",
  usage: "stepgraph upgrade PLAN --resume FILE [--from FILE [--map OLD=NEW]] [--json]",
  summary: "check whether a paused run may continue with a changed plan",
  operands: [1, 1, "plan"],
  options: [
    { name: "resume", value: "FILE", help: "the snapshot of the run" },
    { ...from, help: "the old plan, to compare more exactly and to name what changed" },
    { ...map, help: "with --from: the new name of a node" },
    { ...store, help: "the store of the run, instead of a snapshot" },
    { name: "run-id", value: "ID", help: "with --store: the run's id" },
    json,
    help,
  ],
  notes: [
    "The run may continue if nothing that ran, or waits, has changed. Then it equals a run of the changed plan from " +
      "its start, with the same answers. Changes nothing: `stepgraph run PLAN --resume FILE --upgrade` continues the run.",
    "Exit codes: 0 proved, 1 conflicts, or the store failed, 2 bad usage or plan.",
  ],
  examples: [
    ["ask", "stepgraph upgrade plan.yaml --resume run.json"],
    ["continue", "stepgraph run plan.yaml --resume run.json --upgrade --approve ask:1:1"],
    ["after a node got another name", "stepgraph upgrade plan.yaml --resume run.json --from old.yaml --map fetch=load"],
    ["run a part again", "stepgraph run plan.yaml --resume run.json --restart-at fetch"],
  ],
};

export const approvalsCommand: Command = {
  name: "approvals",
  usage: "stepgraph approvals list|show|decide [RUN] [CALL] [DECISION] --store FILE [options]",
  summary: "list, show and decide what runs of a store wait for",
  operands: [0, 4, "word"],
  options: [
    { ...store, help: "the store that `run --store` keeps (or STEPGRAPH_STORE)" },
    { name: "all", help: "with list: also decided approvals" },
    { name: "by", value: "NAME", help: "with decide: who decided" },
    json,
    help,
  ],
  notes: [
    "A decision is `approve`, `reject`, or JSON to continue with instead. The first one holds.",
    "A run that waits in a process continues at once. For others: `stepgraph run PLAN --store FILE --run-id RUN`.",
    "`--all` shows `too late` if the run ended its wait without taking a decision.",
    "Exit codes: 0 done, 1 the store failed or the decision came too late, 2 bad usage.",
  ],
  examples: [
    ["show what waits", "stepgraph approvals list --store runs.db"],
    ["show one request in full", "stepgraph approvals show order-17 ask:1:1 --store runs.db"],
    ["approve it", "stepgraph approvals decide order-17 ask:1:1 approve --by Ada --store runs.db"],
  ],
};

export const runsCommand: Command = {
  name: "runs",
  usage: "stepgraph runs list|show|replay|export|to-test|prune [RUN] --db FILE|--store FILE [options]",
  summary: "list, show, replay and export the runs of an audit database or a store, or make tests of them",
  operands: [0, 2, "word"],
  options: [
    { name: "db", value: "FILE", help: "the database that `run --audit FILE.db` wrote (or STEPGRAPH_AUDIT)" },
    { ...store, help: "instead of --db: the store that `run --store` keeps (or STEPGRAPH_STORE)" },
    { name: "plan", value: "NAME|HASH", help: "runs of this plan; the first six characters of a hash are enough" },
    {
      name: "status",
      value: "STATUS",
      many: true,
      help: "runs with this status: running, unfinished (interrupted in a store), completed, failed, cancelled or paused",
    },
    { name: "node", value: "NODE", help: "runs that visited this node; with show and export only its events" },
    { name: "key", value: "TEXT", help: "runs with this `--audit-key`" },
    {
      name: "since",
      value: "TIME",
      help: "runs that started then or later: `2026-01-31`, `2026-01-31T18:00`, or an age such as `90s`, `30m`, `2h`, `7d`",
    },
    { name: "until", value: "TIME", help: "runs that started before" },
    { name: "limit", value: "N", help: "at most this many runs (default 20)" },
    { name: "after", value: "RUN", help: "the page after this run" },
    {
      name: "type",
      value: "EVENT",
      many: true,
      help: "with show and export: events of this type, such as `node-failed`",
    },
    {
      name: "as",
      value: "FORMAT",
      help: "with export: events (the default), cassette, report, plan, or a store's snapshot",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "with export: write to this file instead of standard output",
    },
    {
      name: "context",
      value: "KEY=VALUE",
      many: true,
      help: "with replay and to-test, and for a run of a store: a trusted value of the run, which no database has",
    },
    { name: "into", value: "FILE", help: "with to-test: add the test to this plan, and keep its comments" },
    {
      name: "expect",
      value: "NAME,...",
      many: true,
      help: "with to-test: outcome, last, path, calls or outputs.NODE; default outcome, last and path",
    },
    { name: "name", value: "TEXT", help: "with to-test: the name of the test" },
    { name: "cassette", value: "FILE", help: "with to-test: a cassette that `run --record` wrote, instead of a run" },
    { name: "plan-file", value: "FILE", help: "with to-test: the plan, if it is not stored and not changed" },
    json,
    { name: "verbose", short: "v", help: "with show and replay: inputs, and every evaluated condition" },
    help,
  ],
  notes: [
    "RUN is a run's id, its first few characters, or a key that only one run has.",
    "`list` shows runs, newest first; `show` prints one run, event by event; `replay` replays it from its " +
      "cassette and plan, without calls, and reports whether the result is the same; `export` writes its events as " +
      "`run --audit FILE` does, its cassette for `run --replay` and `run --fork`, its report or its plan, and " +
      "without RUN the events of all runs that match the filters; `to-test` prints a test for the plan, with the " +
      "recorded answers as stubs; `prune` deletes the runs that match them, " +
      "except running ones.",
    "A store has the journal of each run, and this command derives the other records from it. It removes values " +
      "with names of secrets, the texts of --context, and keys in the environment, except from plans. A run that " +
      "reads a context needs the same --context here.",
    "A run is `unfinished` if its process has ended, or has sent nothing for half a minute.",
    "Exit codes: 0 done, or the result is the same; 1 the result differs, or another process locks the " +
      "database; 2 bad usage, no such run, or an unreadable database.",
  ],
  examples: [
    ["store runs", "stepgraph run plan.yaml --audit audit.db"],
    ["list the runs that failed today", "stepgraph runs list --db audit.db --status failed --since 24h"],
    ["show one of them", "stepgraph runs show k3f9 --db audit.db"],
    ["keep a run as a test", "stepgraph runs to-test k3f9 --db audit.db --into plan.yaml --expect outcome,last"],
    [
      "retry from the failure",
      "stepgraph runs export k3f9 --db audit.db --as cassette -o run.ndjson && stepgraph run plan.yaml --fork run.ndjson",
    ],
    [
      "replay a run of a store",
      "stepgraph runs export order-17 --store runs.db --as cassette -o run.ndjson && stepgraph run plan.yaml --replay run.ndjson",
    ],
  ],
};

export const testCommand: Command = {
  name: "test",
  usage: "stepgraph test FILE... [--stubs FILE] [--handlers FILE] [--timeout MS] [--coverage] [--mutate] [options]",
  summary: "run the tests in plans",
  operands: [1, Infinity, "file"],
  options: [
    {
      name: "stubs",
      value: "FILE",
      help: "stubs for every test, as YAML or JSON; a test's own stubs override them",
    },
    { ...handlers, help: "a JavaScript module that exports `handlers` or `tools`, for all that has no stub" },
    {
      name: "timeout",
      value: "MS",
      help: "how long a call of a handler or function may take; 10000 by default",
    },
    { name: "filter", value: "TEXT", help: "only tests whose name contains this text; it is an error if none does" },
    {
      name: "coverage",
      help: "list the nodes, edges and conditions that the tests miss, and those that no input reaches",
    },
    { name: "coverage-svg", value: "FILE", help: "draw the plan with its coverage into this file" },
    { name: "min-coverage", value: "PERCENT", help: "fail if the tests cover less of the plans" },
    { name: "mutate", help: "change the plans in many small ways, and list the changes that no test notices" },
    { name: "mutate-limit", value: "N", help: "test at most this many changes of a plan (default 500)" },
    { name: "min-score", value: "PERCENT", help: "with --mutate: fail if the tests notice fewer of the changes" },
    { name: "locked", help: "check plans and stubs against the tools of `stepgraph.lock`, too" },
    { ...lock, help: "with --locked: this lock instead of `stepgraph.lock` beside the plan or in a folder above" },
    { ...watch, help: `test ${watch.help}` },
    outputForm(["text", "json", "junit"], "for users, programs, or as JUnit XML"),
    { ...json, help: "short for `--output json`" },
    help,
  ],
  notes: [
    "Tests are under `tests` in a plan: input, stubs, decisions and expectations. They need no network.",
    "With `--locked`, stubs of tools get the schemas and annotations of the lock. A test then fails if a stub " +
      "answers what the tool can't, and a plan that does not fit the lock is not tested.",
    "`--coverage-svg` and `--min-coverage` imply `--coverage`.",
    "Exit codes: 0 all passed, 1 some failed or a minimum is not reached, 2 bad usage or plan.",
  ],
  examples: [
    ["run all tests of a folder", "stepgraph test plans/*.yaml"],
    ["fail if the tests miss more than a tenth of the plans", "stepgraph test plans/*.yaml --min-coverage 90"],
    ["list changes of a plan that no test notices", "stepgraph test plan.yaml --mutate"],
    ["with stubs that most tests share", "stepgraph test plan.yaml --stubs plan.stubs.yaml"],
    ["with the tools of the lock", "stepgraph test plans/*.yaml --locked"],
    ["test again at every change", "stepgraph test plan.yaml --watch"],
    ["with a report for CI", "stepgraph test --output junit plans/*.yaml > tests.xml"],
  ],
};
