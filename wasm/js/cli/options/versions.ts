/** Options that compare and convert plans. */
import {
  type Command,
  handlers,
  header,
  help,
  json,
  mcpConfig,
  prices,
  retries,
  server,
  signIn,
  timeout,
} from "./shared.js";

export const diffCommand: Command = {
  name: "diff",
  usage: "stepgraph diff BEFORE AFTER [--server URL] [--json]",
  summary: "compare two plans by meaning",
  operands: [2, 9, "plan"],
  options: [
    { ...server, help: "an MCP server: shows which newly callable tools may destroy something" },
    mcpConfig,
    header,
    ...signIn,
    retries,
    timeout,
    { name: "git", help: "accept the arguments of git's external diff, and exit with 0" },
    json,
    help,
  ],
  notes: [
    "Ignores layout, comments, formatting and the order of keys. Shows last what runs may newly do, " +
      "tools that may destroy something first.",
    "Exit codes: 0 same meaning, 1 they differ, 2 one of them is not a valid plan, or bad usage.",
  ],
  examples: [
    ["two versions", "stepgraph diff plan.yaml plan.new.yaml"],
    ["compare with the last commit", "git show HEAD:plan.yaml | stepgraph diff - plan.yaml"],
    [
      "in every `git diff`",
      "git config diff.stepgraph.command 'stepgraph diff --git' && echo '*.plan.yaml diff=stepgraph' >> .gitattributes",
    ],
  ],
};

export const reviewCommand: Command = {
  name: "review",
  usage: "stepgraph review BASE [HEAD] [--path FOLDER] [--server URL] [--comment] [options]",
  summary: "write one comment about all plans that changed",
  operands: [1, 2, "version"],
  options: [
    { name: "path", value: "PATH", many: true, help: "review only plans in this folder, or this file" },
    { ...handlers, help: "a JavaScript module with `handlers` for the tests; it runs with your rights" },
    { ...server, help: "an MCP server: compares its current tools with the lock" },
    mcpConfig,
    header,
    ...signIn,
    retries,
    timeout,
    prices,
    { name: "model", value: "NAME", help: "the model of the runs, for its price (or STEPGRAPH_MODEL); needs no key" },
    { name: "output", short: "o", value: "FILE", help: "write the comment to this file instead of standard output" },
    { name: "comment", help: "post it to the pull request of the workflow, or replace the one of an earlier commit" },
    json,
    help,
  ],
  notes: [
    "BASE and HEAD are revisions of git, compared from their common ancestor, or two folders. Without HEAD, the " +
      "working tree is compared.",
    "The comment is Markdown: a table of all changed plans, and for each a diagram with its changes marked, the " +
      "changes in meaning, what runs may do now, effects, costs, tests and their coverage, and the hash to approve. " +
      "Tests run with stubs, without a network.",
    "If there is a `stepgraph.lock` next to a plan or above it, the review takes the tools from it, and shows what a " +
      "change of the lock breaks. With --server it compares the lock with the current tools.",
    "`--comment` reads GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_EVENT_PATH and GITHUB_API_URL, which a workflow of " +
      "GitHub sets. If there is GITHUB_STEP_SUMMARY, the job's page shows the review too.",
    "Exit codes: 0 reviewed, 1 a changed plan has errors, failing tests or tools that break it, 2 bad usage.",
  ],
  examples: [
    ["your changes since the last commit", "stepgraph review HEAD"],
    ["a branch", "stepgraph review main my-branch"],
    ["post to the pull request, in a workflow", 'stepgraph review "$BASE" "$HEAD" --comment'],
  ],
};

export const mergeCommand: Command = {
  name: "merge",
  usage: "stepgraph merge BASE OURS THEIRS [--output FILE] [--json]",
  summary: "merge two changed versions of a plan",
  operands: [3, 3, "plan"],
  options: [
    { name: "output", short: "o", value: "FILE", help: "write the plan to this file instead of standard output" },
    { name: "name", value: "NAME", help: "the plan's name in messages" },
    json,
    help,
  ],
  notes: [
    "Applies the changes from BASE to THEIRS to the text of OURS, field by field, and keeps its comments and style. " +
      "A conflict is one field with two new values, a node that one side changed and the other removed, or a plan " +
      "that is no longer valid. There OURS stays, and the conflict is reported.",
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
  summary: "print a plan as a diagram or as JSON",
  operands: [1, 1, "file"],
  options: [
    { name: "output", short: "o", value: "FORMAT", help: "mermaid (the default), dot or json" },
    { name: "direction", short: "d", value: "WAY", help: "TD (top to bottom, the default), LR, BT or RL" },
    help,
  ],
  examples: [
    ["for a Markdown page", "stepgraph graph plan.yaml"],
    ["as a picture, with Graphviz", "stepgraph graph plan.yaml --output dot | dot -Tsvg > plan.svg"],
  ],
};

export const importCommand: Command = {
  name: "import",
  usage: "stepgraph import FILE [--from mermaid|serverless] [--output FILE] [--strict]",
  summary: "convert a workflow of another format to a plan",
  operands: [1, 1, "file"],
  options: [
    {
      name: "from",
      value: "LANGUAGE",
      help: "mermaid (flowcharts) or serverless (Serverless Workflow 1.0); detected by default",
    },
    { name: "output", short: "o", value: "FILE", help: "write the plan to this file instead of standard output" },
    { name: "strict", help: "exit with 1 if something is not supported" },
    json,
    { name: "verbose", short: "v", help: "report everything, also what is supported" },
    help,
  ],
  notes: [
    "The plan goes to standard output, the report to standard error: approximations and unsupported " +
      "constructs with their positions. docs/interop.md has the complete table.",
    "Exit codes: 0 imported, 1 with --strict: something is lost, 2 bad usage, or an unreadable text.",
  ],
  examples: [
    ["a flowchart from a Markdown page", "stepgraph import flow.mmd > plan.yaml"],
    [
      "a workflow, failing if anything is lost",
      "stepgraph import workflow.yaml --from serverless --strict --output plan.yaml",
    ],
  ],
};
