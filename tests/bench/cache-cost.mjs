/**
 * Computes the input cost of retries with and without the providers' caches, from the recorded requests.
 *
 *     node tests/bench/cache-cost.mjs [--json]
 *
 * Runs the flow `author` with a scripted model, in the wire formats of Anthropic and of OpenAI. Two generations fail
 * the check, the third passes. The script puts each request's prompt parts in the provider's order and counts the
 * tokens that the cache holds, those that the request adds, and the rest. A token counts as four bytes of UTF-8, since
 * providers do not publish their tokenizers. The shares hardly depend on it. Build the package first.
 *
 * Source: the multipliers and minimum lengths that providers publish, see `PRICES`.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { anthropic, openai, PlanGraph, run, startSync } from "../../dist/package-internals.js";

/**
 * Cache prices as multiples of the price of an input token. `least` is the minimum number of tokens for a cache entry.
 */
export const PRICES = {
  anthropic: { title: "Anthropic", read: 0.1, write: 1.25, least: 1024 },
  openai: { title: "OpenAI", read: 0.1, write: 1, least: 1024, step: 128 },
  "openai, writes paid": { title: "OpenAI, GPT-5.6 and later", read: 0.1, write: 1.25, least: 1024, step: 128 },
};

/** How many blocks before a mark Anthropic searches for a cached prefix. */
const LOOK_BACK = 20;

/** Estimates the number of tokens of a text. */
export const tokens = (text) => Math.ceil(Buffer.byteLength(text) / 4);

/**
 * Returns the prompt of a request to Anthropic in cache order: tools, system, messages. The output schema comes first.
 */
function anthropicBlocks({ tools = [], system = [], messages = [], output_config: output }) {
  const block = ({ cache_control: mark, ...rest }, role) => ({
    text: `${role}: ${rest.text ?? JSON.stringify(rest)}`,
    marked: mark !== undefined,
  });
  return [
    ...(output ? [block(output, "output")] : []),
    ...tools.map((tool) => block(tool, "tool")),
    ...[system].flat().map((part) => block(typeof part === "string" ? { text: part } : part, "system")),
    ...messages.flatMap(({ role, content }) =>
      (typeof content === "string" ? [{ text: content }] : content).map((part) => block(part, role)),
    ),
  ];
}

const openaiPrompt = ({ tools, response_format: format, messages }) =>
  [format, tools, ...messages]
    .filter(Boolean)
    .map((part) => (part.role ? `${part.role}: ${part.content}` : JSON.stringify(part)))
    .join("\n");

/** Counts per request the tokens that Anthropic's cache serves and writes, and all. */
export function anthropicCache(bodies, { least }) {
  const kept = new Set();
  return bodies.map((body) => {
    const blocks = anthropicBlocks(body);
    const upTo = [0];
    const prefixes = blocks.map(
      ({ text }, at) => (
        upTo.push(upTo[at] + tokens(text)),
        blocks
          .slice(0, at + 1)
          .map((block) => block.text)
          .join("\u0000")
      ),
    );
    const marks = blocks.flatMap(({ marked }, at) => (marked && upTo[at + 1] >= least ? [at] : []));
    const found = marks.flatMap((mark) => {
      for (let at = mark; at >= 0 && at > mark - LOOK_BACK; at--) if (kept.has(prefixes[at])) return [upTo[at + 1]];
      return [];
    });
    for (const mark of marks) kept.add(prefixes[mark]);
    const read = Math.max(0, ...found);
    const written = marks.length === 0 ? 0 : upTo[marks.at(-1) + 1] - read;
    return { tokens: upTo.at(-1), read, written: Math.max(0, written), marks: marks.length };
  });
}

/** Does the same for OpenAI, which caches every prompt that is long enough, in steps. */
export function openaiCache(bodies, { least, step }) {
  const kept = [];
  return bodies.map((body) => {
    const prompt = openaiPrompt(body);
    const whole = tokens(prompt);
    const common = Math.max(
      0,
      ...kept
        .filter(({ key }) => key === body.prompt_cache_key)
        .map(({ text }) => tokens(prompt.slice(0, commonPrefixLength(text, prompt)))),
    );
    const read = common >= least ? common - ((common - least) % step) : 0;
    if (whole >= least) kept.push({ text: prompt, key: body.prompt_cache_key });
    return { tokens: whole, read, written: whole >= least ? whole - read : 0 };
  });
}

function commonPrefixLength(a, b) {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

/** Returns the cost of a request, in input tokens at the plain price. */
export const cost = ({ tokens: whole, read, written }, { read: cheap, write }) =>
  read * cheap + written * write + (whole - read - written);

const text = (description) => ({ type: "string", description });
const tool = (name, description, properties, required) => ({
  name,
  description,
  input_schema: { type: "object", properties, required },
});
const repo = text("the repository, as owner/name");

/** Tools as servers describe them, from which the flow chooses. */
export const tools = [
  tool(
    "list_issues",
    "Lists issues of a repository, newest first. Pull requests are left out.",
    {
      repo,
      state: { type: "string", enum: ["open", "closed", "all"], description: "which issues; open unless given" },
      labels: { type: "array", items: { type: "string" }, description: "only issues with all of these labels" },
      since: text("only issues that changed after this time, ISO 8601"),
      limit: { type: "integer", minimum: 1, maximum: 100, description: "how many at most; 30 unless given" },
    },
    ["repo"],
  ),
  tool(
    "list_commits",
    "Lists commits of a branch, newest first, with author, time and message.",
    {
      repo,
      branch: text("the branch; the default one unless given"),
      path: text("only commits that touch this path"),
      limit: { type: "integer", minimum: 1, maximum: 100 },
    },
    ["repo"],
  ),
  tool(
    "read_file",
    "Reads a file of a repository as text. Fails for files over a megabyte.",
    { repo, path: text("the path from the root"), ref: text("a branch, tag or commit") },
    ["repo", "path"],
  ),
  tool(
    "write_file",
    "Writes a file of a repository as one commit, over what was there.",
    {
      repo,
      path: text("the path from the root"),
      content: text("all of the new text"),
      message: text("the message of the commit"),
      branch: text("the branch; the default one unless given"),
    },
    ["repo", "path", "content"],
  ),
  tool(
    "create_release",
    "Makes a release of a tag, with notes in Markdown.",
    {
      repo,
      tag: text("the tag, which is made when it is not there"),
      notes: text("the notes"),
      draft: { type: "boolean", description: "whether only members see it" },
    },
    ["repo", "tag"],
  ),
  tool(
    "post_message",
    "Posts a message to a channel of the team's chat.",
    {
      channel: text("the name of the channel, with its #"),
      text: text("the message, in Markdown"),
      thread: text("the message that it answers"),
    },
    ["channel", "text"],
  ),
];
const toText = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const node = (tool, input) => ({ type: "tool", tool, input });
const validPlan = {
  description: "Writes a changelog.",
  start: "fetch",
  inputs: { repo: { type: "string" }, limit: { type: "integer" } },
  nodes: {
    fetch: node("list_issues", { repo: "${input.repo}", state: "closed", limit: "${input.limit}" }),
    write: { type: "llm", input: "A changelog of ${output.fetch}" },
    save: node("write_file", { repo: "${input.repo}", path: "CHANGELOG.md", content: "${output.write}" }),
  },
  edges: [
    { from: "fetch", to: "write" },
    { from: "write", to: "save" },
  ],
};
const invalidPlan = {
  ...validPlan,
  nodes: { ...validPlan.nodes, fetch: node("list_issue", {}) },
  edges: [
    { from: "fetch", to: "writ" },
    { from: "write", to: "save" },
  ],
};

/** The model's reply to each request of an author run with three generations. The first two fail the check. */
export const SCRIPT = [
  {
    parameters: [
      { name: "limit", value: "20" },
      { name: "repo", value: "a/b" },
    ],
  },
  {
    is_clear: true,
    clarification_needed: null,
    steps: ["Fetch issues", "Write a changelog", "Save it"],
    estimated_nodes: 3,
    required_capabilities: ["read issues", "write files"],
    complexity_indicators: {},
  },
  {
    node_ids: ["list_issues", "list_commits", "read_file", "write_file", "llm"],
    workflow_names: [],
    reasoning: "they read issues and write files",
  },
  "## Plan\nFetch, write, save.\n\n**Status:** FEASIBLE\n**Node Chain:** list_issues >> llm >> write_file\n",
  invalidPlan,
  { patch: { nodes: { fetch: node("list_issues", { repository: "${input.repo}" }) } } },
  validPlan,
].map(toText);

/** The user's request to the flow. */
export const REQUEST = "Write a changelog of the last 20 issues of a/b and save it";

/** Runs the flow with that model and returns the report. */
export async function authorRun(model, offered = tools) {
  const { graph, diagnostics } = PlanGraph.parse(
    readFileSync(new URL("../../core/flows/author.yaml", import.meta.url), "utf8"),
  );
  if (!graph?.valid) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const client = {
    name: "own",
    list: async () => offered,
    call: async () => ({ value: null, isError: false }),
    close: async () => {},
  };
  return run(graph, { input: { user_input: REQUEST }, tools: [client], models: { default: model } });
}

const answers = {
  anthropic: (text) => ({
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  openai: (text) => ({
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  }),
};
const clientFactories = { anthropic, openai };

/** Returns an author run's request bodies, as the provider would receive them. */
export async function recorded(wire) {
  const bodies = [];
  const fetchScripted = async (_url, { body }) => {
    bodies.push(JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)));
    return new Response(JSON.stringify(answers[wire](SCRIPT[bodies.length - 1])), {
      status: 200,
      headers: { "content-type": "application/json" },
    });
  };
  const report = await authorRun(clientFactories[wire]({ model: "m", apiKey: "none", fetch: fetchScripted }));
  return { bodies, report };
}

/** Returns the cost of one provider: each request from planning to the last generation, and the sum of the retries. */
export function providerCost(bodies, name) {
  const prices = PRICES[name];
  const played = name === "anthropic" ? anthropicCache(bodies, prices) : openaiCache(bodies, prices);
  const rows = played.map((row) => ({ ...row, cost: cost(row, prices) })).slice(3);
  const retries = rows.slice(-2);
  const sum = (key) => retries.reduce((all, row) => all + row[key], 0);
  return {
    name: prices.title,
    rows,
    retries: { tokens: sum("tokens"), cost: sum("cost"), share: sum("cost") / sum("tokens") },
  };
}

/** Measures all providers: `[{name, rows, retries}]`, in tokens. */
export async function measured() {
  const sent = { anthropic: await recorded("anthropic"), openai: await recorded("openai") };
  return Object.keys(PRICES).map((name) => providerCost(sent[name.split(",")[0]].bodies, name));
}

const percent = (share) => `${Math.round(100 * share)} %`;

/** Formats the result as a Markdown table. */
export function describe(all) {
  const titles = ["planning", "generation 1", "generation 2", "generation 3"];
  const rows = all.flatMap(({ name, rows: each, retries }) => [
    ...each.map((row, at) => [
      at === 0 ? name : "",
      titles[at],
      row.tokens,
      row.read,
      row.written,
      Math.round(row.cost),
      percent(row.cost / row.tokens),
    ]),
    ["", "**both retries**", retries.tokens, "", "", Math.round(retries.cost), `**${percent(retries.share)}**`],
  ]);
  const head = [
    ["", "request", "input tokens", "read from cache", "written to it", "cost", "of uncached"],
    ["---", "---", "---:", "---:", "---:", "---:", "---:"],
  ];
  return [...head, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url)));
  const all = await measured();
  console.log(process.argv.includes("--json") ? JSON.stringify(all, null, 2) : describe(all));
}
