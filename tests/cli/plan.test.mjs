// Tests `stepgraph plan` from request to run, with real tool servers and a scripted model in two formats.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { plannedLines } from "../../dist/cli/plan-report.js";
import { Source } from "../../dist/terminal/diagnostics.js";
import { plain } from "../../dist/terminal/style.js";
import { excerptAround } from "../../dist/cli/plan-writer.js";
import { scripted, steps, tools, values, prosePlan } from "../servers/author.mjs";
import * as servers from "../servers/servers.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";
import { onTerminal } from "./terminal.mjs";

const KEY = "sk-marker-0123456789";
const REQUEST = "What do 2 cups of tea cost at the shop? Tell it to Ada.";
const TEA = {
  description: "Says what cups of a drink cost.",
  inputs: { cups: { type: "integer", description: "How many." }, item: { type: "string" }, name: { type: "string" } },
  start: "look",
  nodes: {
    look: { type: "tool", tool: "price", input: { item: "${input.item}" } },
    total: { type: "tool", tool: "shop.add", input: { a: "${output.look.price}", b: "${output.look.price}" } },
    tell: {
      type: "tool",
      tool: "echo",
      input: {
        message: "${input.name}: ${input.cups} cups of ${input.item} are ${last.result} ${output.look.currency}",
      },
    },
  },
  edges: [
    { from: "look", to: "total" },
    { from: "total", to: "tell" },
  ],
};
const ECHO_OUTPUT = "Echo: Ada: 2 cups of tea are 7 EUR";
/** A patch of one node repairs the unknown tool. */
const PLAN_WITH_TYPO = { ...TEA, nodes: { ...TEA.nodes, total: { ...TEA.nodes.total, tool: "shop.ad" } } };
const ALL = {
  values: values({ cups: "2", item: "tea", name: "Ada" }),
  requirements: steps("Look up the price of a drink at the shop", "Add up the cups", "Tell the total"),
  tools: tools("price", "shop.add", "echo"),
  way: prosePlan("price >> shop.add >> echo"),
  plan: TEA,
};
const SCRIPTS = {
  tea: ALL,
  slip: { ...ALL, plan: PLAN_WITH_TYPO, mend: { patch: { nodes: { total: TEA.nodes.total } } } },
  stubborn: { ...ALL, plan: PLAN_WITH_TYPO, mend: PLAN_WITH_TYPO },
  prose: { ...ALL, plan: "I would rather not write JSON.", mend: "No." },
  vague: { ...ALL, requirements: { ...steps(), is_clear: false, clarification_needed: "Which shop do you mean?" } },
  nothing: { ...ALL, way: prosePlan("none", "IMPOSSIBLE", ["pay the bill"]) },
  part: { ...ALL, way: prosePlan("price >> shop.add >> echo", "PARTIAL", ["pay the bill"]) },
  knows: {
    ...ALL,
    known: { found: true, name: "tea", reasoning: "it says what cups cost" },
    mapping: values({ cups: "2", item: "tea", name: "Ada" }),
  },
  // These models add their own servers to the plan. `sly` repairs its plan, `slier` does not.
  sly: { ...ALL, plan: { ...TEA, servers: { shop: { url: "http://127.0.0.1:1/evil" } } }, mend: TEA },
  slier: {
    ...ALL,
    plan: { ...TEA, servers: { shop: { url: "http://127.0.0.1:1/evil" } } },
    mend: { ...TEA, servers: { shop: { url: "http://127.0.0.1:1/evil" } } },
  },
  silent: { ...ALL, values: values({ cups: "2", item: "tea" }), mapping: values({}) },
  // The plan must ask for approval first.
  rash: {
    ...ALL,
    requirements: steps(
      "Look up the price of a drink at the shop",
      "Add up the cups",
      "Wait for approval",
      "Tell the total",
    ),
    tools: tools("price", "shop.add", "approve", "echo"),
    way: prosePlan("price >> shop.add >> approve >> echo"),
    plan: {
      ...TEA,
      nodes: {
        look: { ...TEA.nodes.look, metadata: { step: "1" } },
        total: { ...TEA.nodes.total, metadata: { step: "Step 2" } },
        tell: { ...TEA.nodes.tell, metadata: { step: 4 } },
      },
    },
  },
};
SCRIPTS.rash.mend = SCRIPTS.rash.plan;
const STUBS = `
tools:
  price: {by: item, cases: {tea: {return: {item: tea, price: 3.5, currency: EUR}}}, description: The price of an item of the menu., annotations: {readOnlyHint: true}, input_schema: {type: object, properties: {item: {type: string}}, required: [item]}}
  shop.add: {return: {result: 7}, description: The sum of two numbers.}
  echo: {sequence: [{return: "Echo: Ada: 2 cups of tea are 7 EUR"}], description: Says it again., annotations: {destructiveHint: false}}
`;

let model;
let stubs;
before(async () => {
  model = await scripted(SCRIPTS);
  stubs = file("shop.stubs.yaml", STUBS);
});
after(() => model.stop());

const openai = (name) => ({ flags: ["--model", name, "--model-url", model.url], env: { OPENAI_API_KEY: KEY } });
const anthropic = (name) => ({
  flags: ["--model", `anthropic:${name}`, "--model-url", model.url],
  env: { ANTHROPIC_API_KEY: KEY },
});

const plan = (name, ...more) =>
  stepgraph(["plan", REQUEST, "--stubs", stubs, ...openai(name).flags, ...more], { env: openai(name).env });

test("plan turns a request into a checked plan and runs it, against four real servers", async (context) => {
  const all = {
    shop: await servers.fastmcp(),
    sample: await servers.everything(),
    modern: await servers.modern(),
    plain: await servers.pymcp(),
  };
  context.after(() => Promise.all(Object.values(all).map((server) => server.stop())));
  const named = Object.entries(all).flatMap(([name, { url }]) => ["--server", `${name}=${url}`]);
  for (const [form, make] of Object.entries({ openai, anthropic })) {
    await context.test(`the model answers in the form of ${form}`, async () => {
      const { flags, env } = make("tea");
      const keys = { ...env, STEPGRAPH_SERVER_KEY_SHOP: KEY };
      const output = `tea-${form}.yaml`;
      const planned = await stepgraph(["plan", REQUEST, ...named, ...flags, "--output", output], { env: keys });
      assert.deepEqual([planned.code, planned.out], [0, ""], planned.err);
      const text = readFileSync(join(folder, output), "utf8");
      assert.ok(!`${text}${planned.err}`.includes(KEY));
      for (const line of [
        "# Planned by `stepgraph plan` for the request:\n#   What do 2 cups of tea cost at the shop? Tell it to Ada.\n",
        '  # The request contains "What do 2 cups of …".\n  cups: {type: integer, description: How many., default: 2}\n',
        '  # The request contains "… Tell it to Ada."',
        `  shop: {url: "${all.shop.url}"}\n`,
        `  sample: {url: "${all.sample.url}"}\n`,
        "  # 1. Look up the price of a drink at the shop\n  # Tool `price` of server `shop`, reads: The price of an item of the menu.\n  look:\n",
        "  # 2. Add up the cups\n  # Tool `add` of server `shop`, may write: The sum of two numbers.\n",
        "  - {from: look, to: total}\n",
      ])
        assert.ok(text.includes(line), `${line}\n${text}`);
      assert.ok(!text.includes(all.modern.url) && !text.includes(all.plain.url), text);
      assert.match(
        planned.err,
        /^✓ values .*cups = "2", item = "tea", name = "Ada"\n✓ requirements .*Look up[^]*✓ way .*feasible: price >> shop.add >> echo\n✓ plan .*3 nodes: look, total, tell\n✓ check .*valid\nplanned in .*: 1 generation, 5 calls/,
      );
      assert.match(
        planned.err,
        // A server with a key appears by its URL, because keys never go to a server that only a plan names.
        new RegExp(`= help: run it by {2}stepgraph run ${output} --server shop=${all.shop.url} --server sample\\n$`),
      );

      const checked = await stepgraph([
        "check",
        output,
        "--server",
        `shop=${all.shop.url}`,
        "--server",
        `sample=${all.sample.url}`,
        "--server",
        `plain=${all.plain.url}`,
      ]);
      assert.equal(checked.code, 0, checked.out);
      assert.match(checked.out, /1 plan checked: no problems\n$/);
      const ran = await stepgraph(["run", output, "--server", "shop", "--server", "sample"]);
      assert.deepEqual([ran.code, ran.out], [0, `${ECHO_OUTPUT}\n`], ran.err);

      const { code, out, err } = await stepgraph(["plan", REQUEST, ...named, ...flags, "--yes"], { env: keys });
      assert.deepEqual([code, out], [0, `${ECHO_OUTPUT}\n`], err);
      assert.match(err, /^# Planned by[^]*✓ look [^]*✓ total [^]*✓ tell [^]*completed in .*: 3 steps, 3 calls\n$/m);
      assert.ok(!err.includes(KEY));
    });
  }
});

test("plan without --output prints only the plan on standard output", async () => {
  const { code, out, err } = await plan("tea");
  assert.equal(code, 0, err);
  const again = await stepgraph(["check", file("printed.yaml", out)]);
  assert.match(again.out, /1 plan checked: no problems\n$/);
  assert.match(err, /\n {2}reads +price\n {2}writes +echo\n {2}may write shop\.add\n/);
  assert.match(err, /= help: keep it by `--output FILE`, or run it at once by `--yes`\n$/);
  assert.deepEqual((await plan("tea", "--quiet")).err, "");
});

test("plan fixes an invalid plan with a patch, and reports its stages", async () => {
  const { code, out, err } = await plan("slip");
  assert.equal(code, 0, err);
  assert.match(err, /! check .*shop\.ad[^]*✓ plan ×2 [^]*✓ check ×2 [^]*planned in .*: 2 generations, 6 calls/);
  assert.match(out, /tool: shop\.add\n/);
});

test("an unclear request is answered by a question", async () => {
  const { code, out, err } = await plan("vague");
  assert.deepEqual([code, out], [3, ""], err);
  assert.match(err, /not planned in .*: the request is not clear\n {2}Which shop do you mean\?\n= help: /);
  const empty = await stepgraph(["plan", "", "--stubs", stubs, ...openai("vague").flags], { env: openai("vague").env });
  assert.deepEqual([empty.code, empty.out], [3, ""], empty.err);
});

test("plan lists missing capabilities with alternatives", async () => {
  const { code, out, err } = await plan("nothing");
  assert.deepEqual([code, out], [3, ""], err);
  assert.match(
    err,
    /not planned in .*: the available tools can't do this\n[^]* missing +pay the bill\n +instead +\S[^]*= help: /,
  );
});

test("plan covers a part of a request only after the user's consent", async () => {
  const asked = await plan("part");
  assert.deepEqual([asked.code, asked.out], [3, ""], asked.err);
  assert.match(
    asked.err,
    /the available tools can do only a part of the request\n[^]*missing +pay the bill\n[^]*add `--partial`/,
  );
  const { code, out, err } = await plan("part", "--partial");
  assert.equal(code, 0, err);
  assert.match(err, /\n! left out: pay the bill\n/);
  assert.match(out, /\n# Left out, since no tool or node type does it:\n# {3}- pay the bill\n/);
});

test("plan finds an existing plan and runs it with the values of the request", async () => {
  mkdirSync(join(folder, "plans"), { recursive: true });
  await plan("tea", "--output", "plans/tea.yaml", "--force");
  file("plans/broken.yaml", "nodes: 1");
  const { code, out, err } = await plan("knows", "--workflows", "plans");
  assert.deepEqual([code, out], [0, "plans/tea.yaml\n"], err);
  assert.match(err, /^`plans\/broken\.yaml` is not a valid plan: skipped\n✓ known plans .*tea does it\n/);
  assert.match(
    err,
    /= help: run it by {2}stepgraph run plans\/tea\.yaml --input cups:=2 --input item=tea --input name=Ada/,
  );
  const ran = await plan("knows", "--workflows", "plans", "--yes");
  assert.deepEqual([ran.code, ran.out], [0, `${ECHO_OUTPUT}\n`], ran.err);
});

test("plan reports and saves the last generation if none is valid", async () => {
  const { code, out, err } = await plan("stubborn", "--output", "never.yaml");
  assert.deepEqual([code, out], [1, ""], err);
  assert.ok(!existsSync(join(folder, "never.yaml")));
  assert.match(err, /the last generated plan:\n[^]*tool: shop\.ad\n/);
  assert.match(
    err,
    /error\[graph\/unknown-tool\]: there is no tool `shop\.ad`\n +--> the last plan:\d+:\d+\n[^]*tool: shop\.ad\n[^]*did you mean `shop\.add`\?/,
  );
  assert.match(err, /failed in .*: 3 generations, the last with 1 error, 7 calls/);
  const kept = await plan("stubborn", "--keep", "last.yaml");
  assert.match(kept.err, /--> last\.yaml:\d+:\d+\n[^]*fix `last\.yaml` by hand/);
  assert.equal((await stepgraph(["check", "last.yaml"])).code, 0);
  const prose = await plan("prose", "--keep", "prose.txt");
  assert.equal(prose.code, 1, prose.err);
  assert.equal(readFileSync(join(folder, "prose.txt"), "utf8"), "No.\n");
});

test("plan does not run an incomplete plan at once, and shows the node of each requirement", async () => {
  const { code, out, err } = await plan("rash", "--yes", "--output", "rash.yaml");
  assert.deepEqual([code, out], [3, ""], err);
  assert.match(
    err,
    /\n! the plan in prose uses `approve`, and no node of the workflow does\n! no node serves a requirement: 3\./,
  );
  assert.match(
    err,
    /\n {2}serves {4}1\. Look up the price of a drink at the shop: look\n {12}2\. Add up the cups: total\n {12}3\. Wait for approval: no node\n {12}4\. Tell the total: tell\n/,
  );
  assert.match(
    err,
    /= help: it was not run, because it may leave out a part of the request: review it, and run it by {2}stepgraph run rash\.yaml/,
  );
  const text = readFileSync(join(folder, "rash.yaml"), "utf8");
  assert.match(text, /# {3}3\. Wait for approval \(no node serves this\)\n/);
  assert.match(text, /# 4\. Tell the total\n/);
  const told = JSON.parse((await plan("rash", "--yes", "--json")).out);
  assert.deepEqual(
    [told.status, told.run, told.unresolved.map(({ code }) => code), told.coverage[2]],
    [
      "planned",
      undefined,
      ["author/left-out", "author/unserved-step"],
      { step: 3, text: "Wait for approval", nodes: [] },
    ],
  );
  assert.match((await plan("rash", "--yes")).err, /review it, and keep it by `--output FILE`\n$/);
});

const request = (name, words, ...more) => {
  const { flags, env } = openai(name);
  return stepgraph(["plan", words, "--stubs", stubs, ...flags, "--force", ...more], { env });
};

test("plan does not run at once what does more than the request says, although the model says nothing", async () => {
  const asks = "What do 2 cups of tea cost at the shop? Wait for my approval, and say it to Ada.";
  const { code, out, err } = await request("tea", asks, "--yes", "--output", "asked.yaml");
  assert.deepEqual([code, out], [3, ""], err);
  assert.match(err, /\n✗ "Wait for my approval": the approval is missing, or comes after the call\n/);
  assert.match(err, /= help: it was not run.*: review it, and run it by {2}stepgraph run asked\.yaml/);
  const told = JSON.parse((await request("tea", asks, "--yes", "--json")).out);
  assert.deepEqual([told.status, told.run, told.unresolved], ["planned", undefined, []]);
  assert.deepEqual(
    told.demands.find(({ text }) => text === "Wait for my approval"),
    { text: "Wait for my approval", nodes: [], why: "unmetApproval" },
  );
  // The planner alone, without a run, only shows it.
  const shown = await request("tea", asks, "--output", "asked.yaml");
  assert.equal(shown.code, 0);
  assert.match(shown.err, /✗ "Wait for my approval"/);
});

test("plan checks the approvals of a known plan before it runs it at once", async () => {
  mkdirSync(join(folder, "plans"), { recursive: true });
  await plan("tea", "--output", "plans/tea.yaml", "--force");
  const asks = "What do 2 cups of tea cost at the shop? Ask me before you say it to Ada.";
  const { code, err } = await request("knows", asks, "--workflows", "plans", "--yes");
  assert.equal(code, 3, err);
  assert.match(err, /✗ "Ask me before you say it to Ada": the approval is missing, or comes after the call\n/);
  assert.match(err, /run it by {2}stepgraph run plans\/tea\.yaml/);
});

test("plan runs what does less than the request says, or can't be compared with it, and says so", async () => {
  const less = await request("tea", "What do 2 cups of tea cost at the shop? Tell it to Ada.", "--yes");
  assert.deepEqual([less.code, less.out], [0, `${ECHO_OUTPUT}\n`], less.err);
  assert.match(less.err, /\n! "Tell it to Ada": no tool in the plan does this\n/);
  const foreign = await request("tea", "Was kosten 2 Tassen tea nach der Karte? Sag es bitte Ada.", "--yes");
  assert.deepEqual([foreign.code, foreign.out], [0, `${ECHO_OUTPUT}\n`], foreign.err);
  assert.match(foreign.err, /! "Sag es bitte Ada": this could not be compared with the plan\n/);
});

test("a plan contains only servers that the user named", async () => {
  const { code, out, err } = await plan("sly");
  assert.equal(code, 0, err);
  assert.ok(!out.includes("evil") && !out.includes("servers:"), out);
  const kept = await plan("slier", "--keep", "slier.yaml");
  assert.equal(kept.code, 1, kept.err);
  assert.ok(!`${kept.err}${readFileSync(join(folder, "slier.yaml"), "utf8")}`.includes("evil"), kept.err);
});

test("plan asks for a value that is missing in the request", async () => {
  const { code, out, err } = await plan("silent", "--output", "silent.yaml");
  assert.deepEqual([code, out], [0, ""], err);
  assert.match(
    readFileSync(join(folder, "silent.yaml"), "utf8"),
    / {2}# Not in the request: pass it by `--input name=\.\.\.`\.\n {2}name: \{type: string\}\n/,
  );
  assert.match(
    err,
    / {2}asks for +name\n[^]*stepgraph run silent\.yaml --input name=\.\.\. --stubs shop\.stubs\.yaml\n/,
  );
  const refused = await plan("silent", "--yes");
  assert.equal(refused.code, 3, refused.err);
  assert.match(refused.err, /the request does not contain `name`; add `--input name=\.\.\.`/);
  const ran = await plan("silent", "--yes", "--input", "name=Ada");
  assert.deepEqual([ran.code, ran.out], [0, `${ECHO_OUTPUT}\n`], ran.err);
});

test("plan --json prints one object for every outcome", async () => {
  const keys = [
    "status",
    "message",
    "workflow_name",
    "params",
    "missing_params",
    "missing_capabilities",
    "alternatives",
    "errors",
    "more_errors",
    "unresolved",
    "coverage",
    "warnings",
    "missed_deadlines",
    "generations",
    "report",
  ];
  for (const [name, status, code, ...more] of [
    ["tea", "planned", 0],
    ["tea", "planned", 0, "--yes"],
    ["vague", "clarification_needed", 3],
    ["nothing", "impossible_requirements", 3],
    ["part", "partial_solution", 3],
    ["stubborn", "failed", 1],
  ]) {
    const ended = await plan(name, "--json", ...more);
    assert.deepEqual([ended.code, ended.err], [code, ""], ended.out);
    const told = JSON.parse(ended.out);
    assert.equal(told.status, status);
    for (const key of keys) assert.ok(key in told, `${name}: ${key}`);
    assert.ok(!ended.out.includes(KEY));
    if (status === "planned")
      assert.deepEqual(
        [told.params, told.review.tools.length, told.yaml.startsWith("# Planned")],
        [{ cups: 2, item: "tea", name: "Ada" }, 3, true],
      );
    if (more.length > 0) assert.equal(told.run.last, ECHO_OUTPUT);
    if (status === "failed")
      assert.deepEqual([told.diagnostics[0].code, typeof told.generated], ["graph/unknown-tool", "string"]);
  }
});

test("plan reports a failed model or server as run does", async () => {
  const away = await stepgraph([
    "plan",
    REQUEST,
    "--model",
    "m",
    "--model-url",
    "http://127.0.0.1:9/v1",
    "--timeout",
    "2000",
  ]);
  assert.equal(away.code, 1, away.err);
  assert.match(away.err, /error\[model\/unreachable\]/);
  const json = await stepgraph(["plan", REQUEST, "--model", "m", "--model-url", "http://127.0.0.1:9/v1", "--json"]);
  const told = JSON.parse(json.out);
  assert.deepEqual([told.status, told.message], ["failed", told.report.outcome.message]);
  assert.match(told.message, /\S/);
  const silent = await stepgraph(
    ["plan", REQUEST, "--server", "shop=http://127.0.0.1:9/mcp", "--retries", "0", ...openai("tea").flags],
    { env: openai("tea").env },
  );
  assert.equal(silent.code, 1, silent.err);
  assert.match(silent.err, /error\[tool\/unreachable\][^]*--> --server http:\/\/127\.0\.0\.1:9\/mcp\n/);
});

test("plan reports usage errors before it asks anybody", async () => {
  const taken = file("taken.yaml", "mine");
  mkdirSync(join(folder, "empty"), { recursive: true });
  for (const [args, words] of [
    [[], /needs a request|takes a request/],
    [["a", "b"], /request/],
    [[REQUEST], /needs a language model\n.*--model-url URL/],
    [[REQUEST, "--model", "m"], /no URL or key is set/],
    [[REQUEST, "--stubs", stubs], /needs a language model/],
    [[REQUEST, "--model-url", "http://127.0.0.1:9/v1", "--output", taken], /`taken\.yaml` already exists\n.*--force/],
    [[REQUEST, "--model-url", "http://127.0.0.1:9/v1", "--input", "a=b"], /`--input` is for a run\n.*--yes/],
    [
      [REQUEST, "--model-url", "http://127.0.0.1:9/v1", "--workflows", "nowhere"],
      /can't read the folder `nowhere`: there is no such file/,
    ],
    [[REQUEST, "--model-url", "http://127.0.0.1:9/v1", "--workflows", "empty"], /there is no plan in `empty`/],
    [[REQUEST, "--model-url", "http://127.0.0.1:9/v1", "--server", "shop"], /`shop` is not an address/],
    [
      [REQUEST, "--model-url", "http://127.0.0.1:9/v1", "--server", "a=http://x", "--server", "a=http://y"],
      /two servers are called `a`/,
    ],
    [[REQUEST, "--parital"], /did you mean `--partial`\?/],
  ]) {
    const { code, out, err } = await stepgraph(["plan", ...args]);
    assert.deepEqual([code, out], [2, ""], `${args}: ${err}`);
    assert.match(err, words);
  }
  assert.equal(readFileSync(join(folder, taken), "utf8"), "mine");
});

test("the output ends with hints about timeouts and the like", () => {
  const result = {
    params: {},
    missing_capabilities: ["pay"],
    warnings: ["odd", { message: "queer" }],
    missed_deadlines: [{ node: "requirements_analysis", deadline_ms: 2000, took_ms: 2400 }, "late"],
    unresolved: [],
    coverage: [],
    generations: 1,
  };
  const report = { durationMs: 5000, counts: { steps: 9, calls: 5, retries: 0, tokens: 10 } };
  const bounds = {
    visits: 25,
    steps: null,
    calls: null,
    timeoutMs: null,
    tokens: null,
    usd: null,
    outputBytes: null,
    tries: 1,
  };
  const reviewed = { fingerprint: { hash: "h" }, tools: [], models: [], people: [], handlers: [], bounds };
  const command = {
    file: "f",
    servers: ["a", "b=..."],
    model: ["--model", "m"],
    stubs: [],
    missing: [],
    asks: true,
    yes: false,
  };
  const lines = plannedLines(
    report,
    result,
    { file: "my plan.yaml", diagnostics: [], source: new Source("f", ""), reviewed, demands: [] },
    command,
    { style: plain, columns: 80 },
  );
  assert.deepEqual(lines.slice(0, 6), [
    "planned in 5.0 s: 1 generation, 5 calls, 10 tokens",
    "! left out: pay",
    "! odd",
    "! queer",
    "! slow: requirements took 2.4 s, 400 ms over its deadline",
    "! slow: late",
  ]);
  assert.equal(lines.at(-1), "= help: run it by  stepgraph run 'my plan.yaml' --server a --server b=... --model m");
});

test("words around a value are those of the request", () => {
  for (const [whole, part, expect] of [
    ["Get the last 20 closed issues of the repo", "20", "Get the last 20 closed issues …"],
    ["Get the last 20 closed issues of the repo", "repo", "… issues of the repo"],
    ["20 of 120 and 20", "20", "20 of 120 …"],
    ["120", "20", null],
    ['say  "hi"\n to ADA', "ada", 'say "hi" to ADA'],
    ["anything", "", null],
    ["what costs $5?", "$5", "what costs $5?"],
  ])
    assert.equal(excerptAround(whole, part), expect, whole);
});

test("a terminal shows the progress of the stages, and removes it afterwards", async () => {
  const { flags, env } = openai("slip");
  const { code, screen, screens } = await onTerminal(
    ["plan", REQUEST, "--stubs", stubs, ...flags, "--output", "seen.yaml", "--force"],
    { columns: 90, env },
  );
  assert.equal(code, 0, screen.join("\n"));
  assert.ok(
    screens.some((lines) => lines.some((line) => /^[⠀-⣿] (values|requirements|tools|way|plan) /.test(line))),
    "a stage under way",
  );
  assert.ok(screens.flat().every((line) => line.length <= 90));
  assert.ok(!screen.join("\n").match(/[⠀-⣿]/), screen.join("\n"));
  assert.match(screen.join("\n"), /^✓ values[^]*✓ check ×2[^]*planned in[^]*seen\.yaml[^]*run it by/);
});
