// Tests with every planner that a trusted value reaches the tools that take it, but no model and no file.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { audited } from "../../dist/integrations/audit/node.js";
import { fileJournal, runDurable } from "../../dist/integrations/durable/node.js";
import { otel } from "../../dist/integrations/otel.js";
import { flows, PlanGraph, run } from "../../dist/node.js";
import { json, serve } from "../servers/serve.mjs";

const MARKER = "marker-4711@example.org";
const root = fileURLToPath(new URL("../..", import.meta.url));

let folder;
let collector;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepgraph-trusted-"));
  collector = await serve(({ response }) => json(response, 200, {}));
});
after(async () => {
  await collector.stop();
  rmSync(folder, { recursive: true });
});

const schema = {
  type: "object",
  properties: { user_email: { type: "string" }, page: { type: "integer" } },
  required: ["user_email"],
};

function client() {
  const called = [];
  const tools = [
    { name: "jobs", input_schema: schema, annotations: { readOnlyHint: true } },
    { name: "pay", input_schema: schema, annotations: { destructiveHint: true } },
  ];
  const call = async (name, args) => (called.push([name, args.user_email]), { value: { open: 2 }, isError: false });
  return { called, name: "own", list: async () => tools, call, close: async () => {} };
}

function model(tool = "jobs") {
  const asked = [];
  const call = { tool_name: tool, parameters: { page: 1, user_email: "boss@evil.example" }, reasoning: "r" };
  const answer = (request) => {
    asked.push(JSON.stringify(request));
    const { messages, tools = [] } = request;
    if (request.schema && /tool_calls/.test(JSON.stringify(request.schema))) {
      return JSON.stringify({ plan: "p", tool_calls: [call], reasoning: "r", response_strategy: "s" });
    }
    const told = messages.some(({ role }) => role === "tool");
    if (told || tools.length === 0) return "Two are open.";
    return {
      text: "",
      tool_calls: [{ id: "c1", name: tool, arguments: call.parameters }],
      finish: "tool_calls",
      usage: null,
    };
  };
  return { asked, answer };
}

const plan = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.deepEqual(diagnostics, []);
  return graph;
};

const PLANNERS = {
  "plan and gather": flows.planGather.graph(),
  react: flows.react.graph(),
  agent: plan(
    "nodes: {help: {type: agent, input: hi}, say: {type: llm, input: '${last}'}}\nedges: [{from: help, to: say}]",
  ),
};

async function recordingOptions(graph, options) {
  const lines = [];
  const parts = [];
  const telemetry = otel({ url: collector.url, content: true });
  const first = collector.requests.length;
  const audit = audited(
    graph,
    { ...options, record: (line) => lines.push(line) },
    { write: (part) => void parts.push(part) },
  );
  const report = await audit.end(telemetry.run(graph, audit.options));
  await telemetry.close();
  const sent = collector.requests.slice(first).map(({ body }) => body);
  const kept = [lines, parts, sent, report.snapshot];
  assert.ok(lines.length > 3 && sent.length > 0 && parts.some(({ events }) => events.length > 3));
  return { report, text: JSON.stringify(kept) };
}

for (const [name, graph] of Object.entries(PLANNERS)) {
  test(`${name}: a trusted value reaches the tool, but no model, output or stored file`, async () => {
    const [tools, { asked, answer }] = [client(), model()];
    const options = {
      input: "Which jobs?",
      tools: [tools],
      models: { default: answer },
      context: { user_email: MARKER },
    };
    const { report, text } = await recordingOptions(graph, options);
    assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
    assert.deepEqual(tools.called, [["jobs", MARKER]]);
    assert.ok(asked.length >= 2 && !asked.join().includes("marker-4711"), asked.join("\n"));
    assert.doesNotMatch(JSON.stringify(report.outputs), /marker-4711/);
    assert.doesNotMatch(JSON.stringify(report.trace), /marker-4711/);
    assert.doesNotMatch(text, /marker-4711/);
  });

  test(`${name}: the approver sees a trusted value, and the snapshot does not contain it`, async () => {
    const [tools, { asked, answer }] = [client(), model("pay")];
    const options = { input: "Pay me", tools: [tools], models: { default: answer }, context: { user_email: MARKER } };
    const { report, text } = await recordingOptions(graph, options);
    assert.equal(report.outcome.type, "paused", JSON.stringify(report.outcome));
    const [waiting] = report.outcome.approvals;
    assert.equal(waiting.input.arguments.user_email, MARKER);
    assert.doesNotMatch(text, /marker-4711/);
    const snapshot = JSON.parse(JSON.stringify(report.snapshot));
    const decisions = { [waiting.call]: "approved" };
    const { input: _, ...rest } = options;
    const ended = await run(graph, { ...rest, snapshot, decisions });
    assert.equal(ended.outcome.type, "completed", JSON.stringify(ended.outcome));
    assert.deepEqual(tools.called, [["pay", MARKER]]);
    assert.doesNotMatch(asked.join(), /marker-4711/);
    // If the value is missing, the run does not resume and makes no calls.
    const { context: _context, ...bare } = rest;
    const refused = await run(graph, { ...bare, snapshot, decisions }).catch((error) => error);
    assert.match(JSON.stringify(refused.outcome ?? refused.message), /user_email/);
    assert.equal(tools.called.length, 1);
  });

  test(`${name}: an edit of the arguments changes everything but a trusted value`, async () => {
    const outcomes = [];
    for (const arguments_ of [{ user_email: MARKER, page: 5 }, { page: 5 }, { user_email: "x@y.z" }]) {
      const [tools, { answer }] = [client(), model("pay")];
      const options = { input: "Pay me", tools: [tools], models: { default: answer }, context: { user_email: MARKER } };
      const { outcome } = await run(graph, options);
      const decisions = { [outcome.approval.call]: { value: arguments_ } };
      await run(graph, { ...options, decisions });
      outcomes.push(tools.called);
    }
    assert.deepEqual(outcomes, [[["pay", MARKER]], [["pay", MARKER]], []]);
  });
}

test("a journal does not contain a trusted value", async () => {
  for (const [name, graph] of Object.entries(PLANNERS)) {
    const [tools, { answer }] = [client(), model()];
    const file = join(folder, `${name}.journal`);
    const journal = await fileJournal(file);
    const options = {
      input: "Which jobs?",
      tools: [tools],
      models: { default: answer },
      context: { user_email: MARKER },
    };
    const report = await runDurable(graph, journal, options);
    await journal.close();
    assert.deepEqual([report.outcome.type, tools.called], ["completed", [["jobs", MARKER]]]);
    assert.doesNotMatch(readFileSync(file, "utf8"), /marker-4711/);
  }
});

test("nor do the files and the output of the command, for the examples", async () => {
  const at = mkdtempSync(join(folder, "cli-"));
  const file = (name) => join(at, name);
  const examples = [
    ["examples/talent.yaml", "--stubs", "examples/talent.stubs.yaml"],
    ["examples/plan-gather.yaml", "--stubs", "examples/plan-gather.stubs.yaml"],
  ];
  for (const [number, example] of examples.entries()) {
    const kept = ["record", "audit", "snapshot"].flatMap((name) => [`--${name}`, file(`${number}.${name}`)]);
    const context = ["--context", "user_email=ana.silva@example.com"];
    const args = [
      "dist/cli/main.js",
      "run",
      ...example,
      "--prompt",
      "How do my applications stand?",
      ...context,
      ...kept,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, "--json"], { cwd: root });
    assert.equal(JSON.parse(stdout).outcome.type, "completed");
    assert.doesNotMatch(stdout, /ana\.silva/);
  }
  const names = readdirSync(at);
  assert.deepEqual(names.sort(), ["0.audit", "0.record", "1.audit", "1.record"]);
  for (const name of names) assert.ok(!readFileSync(file(name), "latin1").includes("ana.silva"), name);
});
