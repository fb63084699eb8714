// Checks every example and runs it as its first lines describe.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { HELLO, NEXT_STEPS } from "../../scripts/start.mjs";
import { checkToolPlan, PlanGraph, readYaml, run, stubTools } from "../../dist/node.js";
import { example, stepgraph } from "./stepgraph.mjs";

const names = readdirSync(example("")).filter((name) => name.endsWith(".yaml"));
const plans = names.filter((name) => !name.endsWith(".stubs.yaml"));

test("every example checks without a warning", async () => {
  assert.ok(plans.length >= 6, `${plans}`);
  const { code, out, err } = await stepgraph(["check", ...names.map(example)]);
  assert.deepEqual([code, err], [0, ""], out);
  assert.ok(out.endsWith(`\n${names.length} files checked: no problems\n`), out);
});

test("every example has passing tests in the plan", async () => {
  const { code, out } = await stepgraph(["test", ...names.map(example)]);
  assert.equal(code, 0, out);
  for (const name of plans) assert.match(out, new RegExp(`${name.replace(".", "\\.")}: [3-9] tests`));
  assert.match(out, /\n[3-9][0-9] passed, 0 failed\n$/);
});

test("every example starts with a description and the command to run", () => {
  for (const name of plans) {
    const head = /^(#.*\n)+/.exec(readFileSync(example(name), "utf8"))?.[0] ?? "";
    assert.match(head, /^# [A-Z].*[.:]/, name);
    assert.match(head, new RegExp(`^# {3}npx stepgraph run examples/${name.replace(".", "\\.")}\\b`, "m"), name);
    for (const [, option] of head.matchAll(/ (--[a-z-]+)/g)) {
      assert.ok(
        [
          "--prompt",
          "--input",
          "--server",
          "--model-url",
          "--stubs",
          "--verbose",
          "--snapshot",
          "--resume",
          "--approve",
          "--allow",
          "--context",
        ].includes(option),
        `${name}: ${option}`,
      );
    }
  }
});

const RUNS = [
  { name: "fan-out", input: ["--prompt", "tea"], stubs: true, path: ["ask", "gather", "read", "report"] },
  {
    name: "hello",
    input: ["--prompt", "Ada"],
    path: ["who", "greet", "done"],
    last: { said: "hello, Ada!", to: "Ada" },
  },
  { name: "hello", input: [], path: ["who", "stranger", "done"], last: { said: "hello, whoever you are!", to: null } },
  { name: "weather", input: ["--prompt", "Oslo"], stubs: true, path: ["ask", "coat", "word", "answer"] },
  {
    name: "agent",
    input: ["--prompt", "a room in Oslo for two"],
    stubs: true,
    path: ["find", "write"],
    last: "The room to the south is yours, for 70 a night.",
  },
  {
    name: "plan-gather",
    input: ["--prompt", "How do my applications stand?"],
    stubs: true,
    path: ["plan", "gather", "answer"],
    last: "You are invited to an interview as a designer; it takes an hour.",
  },
  {
    name: "talent",
    input: ["--prompt", "How do my applications stand?", "--context", "user_email=ana.silva@example.com"],
    stubs: true,
    path: ["plan", "gather", "facts", "answer"],
    last: "You are invited to a second interview as a product designer on 10 March. It is an hour by video. The application as an illustrator was turned down.",
  },
  {
    name: "triage",
    input: ["--prompt", "It does not work"],
    stubs: true,
    path: ["read", "ask", "read", "ask", "read", "route", "bug", "thanks"],
    last: "Thank you. engineering has it (ticket 4711).",
  },
  {
    name: "retry-loop",
    input: [],
    stubs: true,
    path: ["fetch", "wait", "fetch", "wait", "fetch", "done"],
    last: { status: "ok", page: "tea 3.50, coffee 4.25" },
  },
];

for (const { name, input, stubs, path, last } of RUNS) {
  test(`${name}.yaml with ${input.join(" ") || "nothing"} takes the expected path`, async () => {
    const stand = stubs ? ["--stubs", example(`${name}.stubs.yaml`)] : [];
    const { code, out, err } = await stepgraph(["run", example(`${name}.yaml`), ...input, ...stand, "--json"]);
    assert.equal(code, 0, err);
    const report = JSON.parse(out);
    assert.deepEqual(report.path, path);
    if (last !== undefined) assert.deepEqual(report.last, last);
  });
}

/** Tools about a user require `user_email`. One tool requires three arguments, and one none. */
// covers: 000-tools-list 000-tools-1 000-tool-background 000-tool-applications 000-tool-detailed
// covers: 000-tool-jobs 000-tool-interviews 000-tool-trials 000-tool-fraud 000-tool-details
// covers: 000-tools-docs 000-tools-2 000-tools-3
test("the catalogue of talent.stubs.yaml is that of a server: listed, checked against, answered from", () => {
  const stubs = readYaml(readFileSync(example("talent.stubs.yaml"), "utf8")).value;
  const tools = stubTools(stubs);
  const wants = Object.fromEntries(tools.map(({ name, input_schema }) => [name, input_schema.required ?? []]));
  const ofUser = [
    "background_status",
    "applications",
    "applications_detailed",
    "jobs",
    "interviews",
    "work_trials",
    "fraud_reports",
    "details",
  ].map((what) => `get_user_${what}`);
  assert.deepEqual(Object.keys(wants).sort(), [...ofUser, "get_talent_docs_stats", "search_talent_docs"].sort());
  for (const name of ofUser) assert.deepEqual(wants[name], ["user_email"]);
  assert.deepEqual([wants.search_talent_docs, wants.get_talent_docs_stats], [["query", "threshold", "limit"], []]);
  assert.ok(
    tools.every(
      ({ description, output_schema, annotations }) => description && output_schema && annotations.readOnlyHint,
    ),
  );
  const search = (parameters) =>
    checkToolPlan({ tool_calls: [{ tool_name: "search_talent_docs", parameters }] }, tools).map(({ code }) => code);
  assert.deepEqual(search({ query: "interview process", threshold: 0.7, limit: 5 }), []);
  assert.deepEqual(search({ query: "interview process", threshold: "high", limit: 5 }), ["plan/invalid-type"]);
  assert.deepEqual(search({ query: "interview process", threshold: 0.7 }), ["plan/missing-parameter"]);
  const context = { user_email: "ana.silva@example.com" };
  const all = { tool_calls: ofUser.map((tool_name) => ({ tool_name, parameters: {} })) };
  assert.deepEqual(checkToolPlan(all, tools, { context }), []);
  assert.deepEqual(
    new Set(checkToolPlan(all, tools, { context: {} }).map(({ code }) => code)),
    new Set(["plan/missing-context"]),
  );
});

// covers: 001-tool-background 001-tool-applications 001-tool-detailed
// covers: 001-tool-jobs 001-tool-interviews 001-tool-trials 001-tool-fraud 001-tool-details 001-tool-stats
test("every tool of talent.stubs.yaml returns a valid result for every applicant", async () => {
  const stubs = readYaml(readFileSync(example("talent.stubs.yaml"), "utf8")).value;
  const tools = stubTools(stubs)
    .map(({ name }) => name)
    .filter((name) => name.startsWith("get_user_"));
  const { graph } = PlanGraph.parse('nodes: {g: {type: gather, input: "${input}"}}');
  for (const email of Object.keys(stubs.tools.get_user_details.cases)) {
    const calls = [
      ...tools.map((tool_name) => ({ tool_name, parameters: { user_email: email } })),
      { tool_name: "get_talent_docs_stats" },
    ];
    const { last } = await run(graph, { input: { tool_calls: calls }, stubs, context: { user_email: email } });
    assert.deepEqual([last.failed_tools, last.success_rate], [[], 1], email);
    assert.equal(last.get_user_details_data.email, email);
    const ids = last.get_user_applications_data.applications.map(({ application_id }) => application_id);
    assert.deepEqual(
      last.get_user_applications_detailed_data.applications.map(({ application_id }) => application_id),
      ids,
    );
    for (const { application_id } of [
      ...last.get_user_interviews_data.interviews,
      ...last.get_user_work_trials_data.work_trials,
    ])
      assert.ok(ids.includes(application_id));
  }
  const nobody = await run(graph, {
    input: { tool_calls: [{ tool_name: "get_user_jobs", parameters: { user_email: "x@y.z" } }] },
    stubs,
    context: { user_email: "x@y.z" },
  });
  assert.deepEqual(
    [nobody.last.execution_status, nobody.last.tool_results[0].error.code],
    ["failed", "talent/unknown-user"],
  );
});

test("the commands that `npm start` runs and proposes work unchanged", async () => {
  const proposed = NEXT_STEPS.map(([, line]) => line).filter((line) => line.startsWith("npx stepgraph "));
  assert.ok(proposed.length >= 4);
  const splitWords = (line) =>
    line
      .match(/"[^"]*"|\S+/g)
      .slice(2)
      .map((word) => word.replaceAll('"', "").replace(/^examples\//, example("")));
  for (const args of [HELLO.map((word) => word.replace(/^examples\//, example(""))), ...proposed.map(splitWords)]) {
    const { code, err } = await stepgraph(args);
    assert.equal(code, 0, `${args}: ${err}`);
  }
});
