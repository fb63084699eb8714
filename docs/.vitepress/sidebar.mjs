/** The path through the documents. A test finds pages that it lacks. */
import { apiPages } from "../../scripts/lib/api-pages.mjs";

const items = (pages) => Object.entries(pages).map(([link, text]) => ({ text, link: `/${link}` }));
/** Not collapsible: the theme would nest a button in a button. */
const group = (text, pages) => ({ text, items: items(pages) });

/** Pages for contributors, which the site leaves out. */
export const UNPUBLISHED = ["compliance.md", "requirements.md"];

export const sidebar = [
  group("Start", {
    start: "One minute",
    "tutorial/1-first-plan": "1 · A first plan",
    "tutorial/2-branches": "2 · Choose a branch",
    "tutorial/3-tools": "3 · Call a tool",
    "tutorial/4-approval": "4 · Ask a person",
    "tutorial/5-failures": "5 · Handle failures",
    "tutorial/6-many": "6 · Work on many things",
    "tutorial/7-tests": "7 · Test it",
    "tutorial/8-production": "8 · Run it in production",
  }),
  group("Guides: call", {
    guides: "All guides",
    library: "Use the library",
    mcp: "Call tools of MCP servers",
    auth: "Sign in to MCP servers",
    "connection-diagnostics": "Diagnose a connection",
    models: "Connect models",
    functions: "Use your own functions",
    "guides/ask-a-person": "Ask a person",
    "guides/retry": "Retry and give up",
    "guides/repeat": "Repeat until (loops)",
    agents: "Run agents",
    concurrency: "Run in parallel",
    streaming: "Stream to a chat",
  }),
  group("Guides: keep", {
    stores: "Keep runs in a store",
    durable: "Survive crashes and deployments",
    "guides/restate": "Run on Restate",
    "guides/cloudflare": "Run on Cloudflare Workflows",
    "guides/engines": "Run on another engine",
    cassettes: "Record, replay and fork",
    audit: "Store events for audits",
    observability: "Trace with OpenTelemetry",
    "call-hooks": "Delay or refuse calls",
  }),
  group("Guides: change", {
    "guides/test": "Test a plan",
    coverage: "Find what tests miss",
    lock: "Lock the tools",
    cost: "Estimate and limit costs",
    upgrade: "Upgrade paused runs",
    review: "Review in a pull request",
    "diff-and-merge": "Compare and merge",
    editing: "Edit from a program",
    interop: "Import and export",
  }),
  group("Guides: adopt", {
    typescript: "Types for plans",
    runtimes: "Runtimes and bundlers",
    embedding: "Embed in a page",
    editors: "Set up your editor",
    playground: "The playground",
    server: "Serve plans to agents",
  }),
  group("Reference", {
    plans: "Plan file",
    expressions: "Expressions",
    checking: "What the checker finds",
    diagnostics: "Diagnostics",
    stubs: "Stubs",
    planning: "Planning nodes",
    authoring: "Plans from requests",
  }),
  group("Reference: command", {
    cli: "All commands",
    "cli/init": "init",
    "cli/examples": "examples",
    "cli/run": "run",
    "cli/runs": "runs",
    "cli/approvals": "approvals",
    "cli/upgrade": "upgrade",
    "cli/check": "check",
    "cli/test": "test",
    "cli/lock": "lock",
    "cli/drift": "drift",
    "cli/plan": "plan",
    "cli/cost": "cost",
    "cli/diff": "diff",
    "cli/review": "review",
    "cli/merge": "merge",
    "cli/types": "types",
    "cli/graph": "graph",
    "cli/import": "import",
    "cli/tools": "tools",
    "cli/format": "format",
    "cli/schema": "schema",
    "cli/serve": "serve",
    "cli/lsp": "lsp",
  }),
  group("Reference: library", Object.fromEntries(apiPages().map(({ link, text }) => [link, text]))),
  group("Concepts", {
    concepts: "All concepts",
    "concepts/runs": "How a run works",
    "concepts/text": "The text is the truth",
    "concepts/coming-from": "Coming from another tool",
    compare: "Compared with others",
    security: "Security",
  }),
  group("Project", {
    versioning: "Versions",
    fuzzing: "Fuzz the parsers",
  }),
];

/** Only the pages of commands list all commands, and those of the library all names. Each page contains its sidebar. */
const shorten = (title) => (group) => (group.text === title ? { ...group, items: group.items.slice(0, 1) } : group);
const [command, library] = ["Reference: command", "Reference: library"].map(shorten);
export const sidebars = {
  "/cli": sidebar.map(library),
  "/api": sidebar.map(command).filter(({ text }) => !text.startsWith("Guides")),
  "/": sidebar.map(command).map(library),
};
