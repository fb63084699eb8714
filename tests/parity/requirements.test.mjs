// Tests requirements that no case of the suite covers, and the code in docs/requirements.md.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { flows, mcp, PlanGraph, readYaml, run, startSync, stubTools } from "../../dist/package-internals.js";
import { root } from "../../scripts/lib/paths.mjs";
import { fastmcp } from "../servers/servers.mjs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const HELLO = `
id: hello-graph
start: step-1
nodes:
  step-1: {type: log, input: hola, metadata: {team: support}}
  step-2: {type: log, input: mundo}
edges:
  - {from: step-1, to: step-2}
`;

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.deepEqual(diagnostics, []);
  return graph;
};

test("the code of the page about the documents runs and prints the shown output", async () => {
  const page = read("docs/requirements.md");
  const blocks = [...page.matchAll(/```js[^\n]*\n([^]*?)```/g)].map(([, code]) => code);
  assert.equal(blocks.length, 2);
  const code = `${blocks.join("\n")}\nconsole.log(JSON.stringify(remembered.last));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: root });
  assert.deepEqual(stdout.trim().split("\n"), [
    "undefined run-started",
    "step-1 node-started",
    "step-1 node-completed",
    "step-1 edge-decided",
    "undefined run-ended",
    "{ type: 'completed', reason: 'terminal' } hola",
    '"likes tea"',
  ]);
});

test("every code on the page exists in the checker", () => {
  const known = read("docs/diagnostics.md");
  const named = [...read("docs/requirements.md").matchAll(/`((?:author|condition|graph|plan)\/[a-z-]+)`/g)];
  assert.ok(named.length > 25, `only ${named.length} codes were found`);
  for (const [, code] of named) assert.ok(known.includes(`\`${code}\``), code);
});

// covers: 002-example 002-handler 002-state-last 002-state-outputs 002-go-executor 002-go-context 002-go-node
// covers: 002-go-state 002-go-fields 002-go-value 002-go-execute 002-go-last 002-node-metadata 002-graph-id
// covers: 002-parse 002-agent-run 002-input-run 002-memory
test("a handler by type receives node and state, and its result is the output", async () => {
  const graph = parse(HELLO);
  assert.equal(graph.toJSON().id, "hello-graph");
  const seen = [];
  const log = (node, state) => {
    seen.push([`node ${node.id} input=${node.input}`, state.last, state.output("step-1"), node.metadata]);
    assert.deepEqual([state.output("input"), state.output("memory")], ["input inicial", { facts: 1 }]);
    assert.equal(state.signal.aborted, false);
    return `${node.input}!`;
  };
  const report = await run(graph, { input: "input inicial", memory: { facts: 1 }, handlers: { log } });
  assert.deepEqual(seen, [
    ["node step-1 input=hola", "input inicial", undefined, { team: "support" }],
    ["node step-2 input=mundo", "hola!", "hola!", {}],
  ]);
  assert.deepEqual([report.outcome.type, report.last, report.outputs["step-1"]], ["completed", "mundo!", "hola!"]);
});

// covers: 002-go-error 002-go-handle
test("a handler that throws fails its node, and the caller reads why", async () => {
  const log = () => {
    throw new Error("out of paper");
  };
  const { outcome } = await run(parse(HELLO), { handlers: { log } });
  assert.deepEqual(
    [outcome.type, outcome.code, outcome.message, outcome.node],
    ["failed", "handler/failed", "out of paper", "step-1"],
  );
});

// covers: 002-go-context
test("a handler learns that the run was cancelled", async () => {
  const leave = new AbortController();
  let told = false;
  const log = (_, state) =>
    new Promise(() => {
      state.signal.addEventListener("abort", () => {
        told = true;
      });
      queueMicrotask(() => leave.abort());
    });
  const { outcome } = await run(parse(HELLO), { handlers: { log }, signal: leave.signal });
  assert.deepEqual([outcome.type, told], ["cancelled", true]);
});

// covers: 002-resolve-id 002-resolve-type
test("a handler by id takes precedence over one by type", async () => {
  const options = { handlers: { log: () => "by type" }, byId: { "step-2": () => "by id" } };
  const { outputs } = await run(parse(HELLO), options);
  assert.deepEqual([outputs["step-1"], outputs["step-2"]], ["by type", "by id"]);
});

// covers: 002-audit-hook 002-audit-1 002-audit-2 002-audit-3 002-audit-4 002-audit-5 002-audit-6
test("a hook receives the start, the end and the failure of each node", async () => {
  const heard = [];
  const log = (node) => {
    if (node.id === "step-2") throw new Error("no");
    return node.input;
  };
  await run(parse(HELLO), { handlers: { log }, onEvent: (event) => heard.push(event) });
  const nodes = heard.filter(({ type }) => type.startsWith("node-"));
  assert.deepEqual(
    nodes.map(({ node, type, output, code }) => [node, type, output ?? code]),
    [
      ["step-1", "node-started", undefined],
      ["step-1", "node-completed", "hola"],
      ["step-2", "node-started", undefined],
      ["step-2", "node-failed", "handler/failed"],
    ],
  );
  for (const { atMs } of nodes) assert.ok(Math.abs(atMs - Date.now()) < 60_000, "a time since 1970");
});

// covers: 002-graph 002-json 002-yaml
test("a graph takes the same path each time, from YAML and from JSON", async () => {
  const yaml = parse(read("examples/hello.yaml"));
  const json = parse(JSON.stringify(yaml));
  assert.equal(json.hash, yaml.hash);
  assert.equal(parse(PlanGraph.print(yaml.toJSON())).hash, yaml.hash);
  const ways = [];
  for (const graph of [yaml, yaml, json]) {
    const { trace } = await run(graph, { input: "hola", handlers: { log: (node) => node.input } });
    ways.push(trace.map(({ atMs, durationMs, ...event }) => event));
  }
  assert.deepEqual(ways[1], ways[0]);
  assert.deepEqual(ways[2], ways[0]);
});

const talentStubs = readYaml(read("examples/talent.stubs.yaml")).value;
const ANA = "ana.silva@example.com";

/** The tests never call these ten tools of document 000. */
const LISTED = {
  name: "talent",
  list: async () => stubTools(talentStubs),
  call: async (name) => assert.fail(`${name} was called`),
  close: async () => {},
};

// covers: 002-type-llm 002-agent-new 002-runtime
test("llm offers a model no tools and agent offers all, in one run with the agent's model and tools", async () => {
  const asked = [];
  const model = (request) => (asked.push(request), "fine");
  const plan = "{start: a, nodes: {a: {type: llm, input: hi}, b: {type: agent, input: ho}}, edges: [{from: a, to: b}]}";
  const report = await run(parse(plan), { models: { default: model }, tools: [LISTED] });
  assert.equal(report.outcome.type, "completed");
  assert.deepEqual(
    asked.map(({ tools = [] }) => tools.length),
    [0, 10],
  );
});

const OF_USER = stubTools(talentStubs).flatMap(({ name }) => (name.startsWith("get_user_") ? [name] : []));
const gather = () => parse('nodes: {g: {type: gather, input: "${input}"}}');

// covers: 001-example-1 001-example-email 001-tool-search 001-output-names
test("the example state of gather: the run's email replaces the written one", async () => {
  const input = {
    tool_calls: [
      { tool_name: "get_user_applications", parameters: { user_email: "user@example.com" }, reasoning: "r" },
      { tool_name: "search_talent_docs", parameters: { query: "interview tips", threshold: 0.7, limit: 5 } },
    ],
  };
  const { last } = await run(gather(), { input, stubs: talentStubs, context: { user_email: ANA } });
  assert.deepEqual([last.successful_tools, last.failed_tools], [["get_user_applications", "search_talent_docs"], []]);
  assert.equal(last.get_user_applications_data.applications[0].application_id, "a-5521", "those of Ana");
  assert.equal(last.search_talent_docs_data.passages.length, 1);
  const without = (await run(gather(), { input, stubs: talentStubs })).last;
  assert.deepEqual([without.success_rate, without.failed_tools], [0.5, ["get_user_applications"]]);
  assert.equal(without.tool_results[0].error.code, "plan/missing-context");
});

// covers: 001-tools-user
test("eight tools of gather need the email of the run", async () => {
  const input = OF_USER.map((tool_name) => ({ tool_name }));
  const { last } = await run(gather(), { input, stubs: talentStubs, context: { user_email: ANA } });
  assert.deepEqual([last.successful_tools.length, last.success_rate], [8, 1]);
  const without = (await run(gather(), { input, stubs: talentStubs })).last;
  assert.deepEqual(
    without.tool_results.map(({ error }) => error.code),
    Array(8).fill("plan/missing-context"),
  );
});

// covers: 001-purpose-2 001-error-2
test("gather calls the tools of an MCP server, and a tool that refuses is a failed call", async () => {
  const { url, stop } = await fastmcp();
  try {
    const input = ["tea", "gold"].map((item) => ({ tool_name: "price", parameters: { item } }));
    const { last } = await run(gather(), { input, tools: [mcp(url)] });
    assert.deepEqual(last.tool_results[0].data, { item: "tea", price: 3.5, currency: "EUR" });
    assert.deepEqual(
      last.tool_results.map(({ success }) => success),
      [true, false],
    );
    assert.match(last.tool_results[1].error.message, /there is no gold on the menu/);
  } finally {
    await stop();
  }
});

// covers: 004-scope-handlers
test("the flow from a request to a plan has the document's nodes and no error nodes", () => {
  const types = Object.values(flows.author.graph().toJSON().nodes).map(({ type }) => type);
  assert.deepEqual(types, [
    "discovery",
    "parameter_discovery",
    "requirements_analysis",
    "component_browsing",
    "planning",
    "workflow_generator",
    "parameter_mapping",
    "validator",
    "result_preparation",
  ]);
});

// covers: 004-output-error 004-error-llm
test("a model that fails ends the flow with its code, its words and the node", async () => {
  const model = () => {
    throw Object.assign(new Error("no network"), { code: "model/unreachable" });
  };
  const { status, outcome } = await flows.author("issues of a/b", { models: { default: model } });
  assert.deepEqual(
    [status, outcome.type, outcome.code, outcome.message, outcome.node],
    ["unfinished", "failed", "model/unreachable", "no network", "parameter_discovery"],
  );
});
