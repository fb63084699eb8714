/** Options of the commands that convert, compare and merge plans. */
import { type Command, header, help, json, retries, server, signIn, timeout } from "./shared.js";

export const diffCommand: Command = {
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
    "Layout, comments, formatting and the order of keys are no difference. What runs may do now that they " +
      "could not before is told last, tools that may destroy something first.",
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
};

export const mergeCommand: Command = {
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
    "What THEIRS changed since BASE is done to the text of OURS, field by field; its comments and style stay. " +
      "A conflict is one field with two new values, a node that one changed and the other took away, or a plan " +
      "that is not sound any more. There OURS is kept, and the conflict is told.",
    "Exit codes: 0 clean, 1 conflicts, 2 one of them can't be read, or bad usage.",
  ],
  examples: [
    ["by hand", "stepgraph merge base.yaml ours.yaml theirs.yaml --output plan.yaml"],
    [
      "in every `git merge`",
      "git config merge.stepgraph.driver 'stepgraph merge %O %A %B -o %A --name %P' && echo '*.plan.yaml merge=stepgraph' >> .gitattributes",
    ],
  ],
};

export const graphCommand: Command = {
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
};

export const importCommand: Command = {
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
    "The plan goes to standard output, the report to standard error: what is said a little differently, and " +
      "what has no equal, each at its place. docs/interop.md has the whole table.",
    "Exit codes: 0 taken over, 1 with --strict: something is lost, 2 bad usage, or a text that can't be read.",
  ],
  examples: [
    ["a flowchart from a Markdown page", "stepgraph import flow.mmd > plan.yaml"],
    [
      "a workflow, and stop if anything of it is lost",
      "stepgraph import workflow.yaml --from serverless --strict --output plan.yaml",
    ],
  ],
};
