// Tests that each plan of the gallery is valid in both languages and runs to its end with the demo tools and model.
// `UPDATE=1` records all runs again.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { check, PlanGraph, review, run, runTests, testsOf } from "../../dist/node.js";
import { stepgraph } from "../cli/stepgraph.mjs";
import { withVirtualClock } from "./virtual-clock.mjs";
import { runner } from "./runner.mjs";
import { load } from "./scripts.mjs";

const folder = join(root, "examples", "gallery");
const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
const LANGS = ["en", "es"];
const file = (lang, id) => join(folder, lang, `${id}.yaml`);
const recording = (lang, id) => join(folder, "recorded", lang, `${id}.ndjson`);
const text = (lang, id) => readFileSync(file(lang, id), "utf8");
const { DemoTools } = await load("connect/demo-tools.ts");
const { demoModel } = await load("connect/demo-model.ts");
const { initialValuesFor } = await load("dialogs/gallery-plans.ts");
const all = LANGS.flatMap((lang) => index.plans.map((plan) => ({ lang, ...plan })));

test("the index and the files are the same plans", () => {
  for (const lang of LANGS)
    assert.deepEqual(readdirSync(join(folder, lang)).sort(), index.plans.map(({ id }) => `${id}.yaml`).sort());
  assert.equal(new Set(index.plans.map(({ id }) => id)).size, index.plans.length);
  for (const { id, title, line, level } of index.plans) {
    for (const lang of LANGS)
      assert.ok(title[lang].length < 40 && line[lang].length < 90 && line[lang].length > 20, `${id} ${lang}`);
    assert.ok([1, 2, 3].includes(level), id);
  }
});

test("each seed system and each feature has a plan, and no plan names other systems", () => {
  const [seeds, features] = [
    index.plans.map(({ seed }) => seed).filter(Boolean),
    index.plans.flatMap(({ features: own }) => own),
  ];
  assert.deepEqual([...seeds].sort(), Object.keys(index.seeds).sort());
  assert.deepEqual([...new Set(features)].sort(), Object.keys(index.features).sort());
});

test("each plan is valid and formatted", async () => {
  const files = all.map(({ lang, id }) => file(lang, id));
  const checked = await stepgraph(["check", ...files]);
  assert.deepEqual([checked.code, checked.err], [0, ""], checked.out);
  assert.match(checked.out, new RegExp(`\n${files.length} plans checked: no problems\n$`));
  assert.equal((await stepgraph(["format", "--check", ...files])).code, 0);
});

test("each plan starts with a description and passes its tests", async () => {
  for (const { lang, id } of all) {
    assert.match(text(lang, id), /^# \p{Lu}[^\n]+\n#\n(# [^\n]+\n)+id: /u, `${lang}/${id}`);
    const { graph } = PlanGraph.parse(text(lang, id));
    assert.ok(testsOf(graph).length >= 1, `${lang}/${id}`);
    for (const { name, passed, differences } of await runTests(graph))
      assert.ok(passed, `${lang}/${id}, ${name}: ${JSON.stringify(differences)}`);
  }
});

/** Nodes by position: types, tools, edges and limits. */
function shape(graph) {
  const at = (scope) => graph.nodes.filter((node) => (node.scope ?? "") === (scope ?? "")).map(({ key }) => key);
  const nodes = graph.nodes.map(({ type, tool, scope }) => [
    type,
    tool,
    scope === undefined ? 0 : scope.split("/").length,
  ]);
  const edges = graph.edges.map(({ from, to, condition, scope }) => [
    at(scope).indexOf(from),
    at(scope).indexOf(to),
    condition.replace(/[\p{L}_.]+/gu, "x").replace(/x(\[)/g, "x$1"),
  ]);
  const { limits, inputs = {}, tests } = graph.toJSON();
  return {
    nodes,
    edges,
    limits,
    inputs: Object.values(inputs).map(({ type, enum: choices }) => [type, choices]),
    tests: tests.map(({ expect }) => [expect.path?.length, expect.code, expect.calls]),
  };
}

test("both languages have the same plans", () => {
  for (const { id } of index.plans) {
    const [english, spanish] = LANGS.map((lang) => PlanGraph.parse(text(lang, id)).graph);
    assert.deepEqual(shape(spanish), shape(english), id);
    const comments = LANGS.map((lang) => text(lang, id).match(/^\s*#/gm).length);
    assert.equal(comments[0], comments[1], `${id}: comments`);
    assert.notEqual(english.toJSON().description, spanish.toJSON().description);
  }
});

test("the demonstration's tools suffice for all plans, and the index lists the needs of each", async () => {
  const tools = await new DemoTools().list();
  for (const { lang, id, needs } of all) {
    const { graph } = PlanGraph.parse(text(lang, id));
    assert.deepEqual(
      check(graph, { tools }).map(({ code, message }) => `${code}: ${message}`),
      [],
      `${lang}/${id}`,
    );
    const { tools: called, models, people, handlers } = review(graph, { tools });
    assert.deepEqual(handlers, [], id);
    const plans = graph.nodes.some(({ type }) => ["plan", "react", "component_browsing"].includes(type));
    const trusted =
      JSON.stringify(graph.toJSON().nodes).includes("${context.") || id === "gather" || id === "plan-node";
    const found = [
      called.length > 0 || plans ? "tools" : "",
      models.length > 0 ? "model" : "",
      trusted ? "context" : "",
      people.length > 0 ? "person" : "",
    ].filter(Boolean);
    assert.deepEqual([...needs].sort(), found.sort(), `${lang}/${id}`);
  }
});

test("the values of a run besides its input belong to the plan's name, as listed in the index", () => {
  for (const { lang, id, run: { of, context, memory } = {} } of all) {
    assert.equal(of === undefined, context === undefined && memory === undefined, id);
    if (of !== undefined) assert.equal(PlanGraph.parse(text(lang, id)).graph.toJSON().id, of[lang], `${lang}/${id}`);
    assert.deepEqual(
      initialValuesFor(text(lang, id)),
      { ...(context && { context }), ...(memory && { memory: memory[lang] }) },
      `${lang}/${id}`,
    );
  }
  assert.deepEqual(
    [initialValuesFor("nodes: {a: {type: log}}"), initialValuesFor("id: mine\nnodes: {a: {type: log}}")],
    [{}, {}],
  );
});

/** A recording contains the full model requests, with the tools on offer. */
const MOST_BYTES = 40_000;
/** How long a person looks before deciding. */
const VIEWING_MS = 4000;

/** Runs in virtual time, with only the tools and models that the plan uses. */
async function runDemo(lang, id, decide = "rejected") {
  const { graph } = PlanGraph.parse(text(lang, id));
  const all = new DemoTools({ lang: () => lang });
  const infos = await all.list();
  const called = review(graph, { tools: infos }).tools.map(({ name }) => name);
  const chosen = graph.nodes.some(({ type }) => ["plan", "react", "component_browsing"].includes(type));
  const tools = {
    name: all.name,
    list: () => Promise.resolve(infos.filter(({ name }) => chosen || called.includes(name))),
    call: (...asked) => all.call(...asked),
    close: () => all.close(),
  };
  const { context, memory } = initialValuesFor(text(lang, id));
  let cassette = "";
  const report = await withVirtualClock((clock) =>
    run(graph, {
      clock,
      tools: [tools],
      models: { default: demoModel() },
      ...(context && { context }),
      ...(memory && { memory }),
      onApproval: () => new Promise((resolve) => clock.after(VIEWING_MS, () => resolve(decide))),
      // If there is a listener, the model streams word by word at its own pace.
      onUpdate: () => {},
      record: (line) => void (cassette += `${line}\n`),
    }),
  );
  return { report, cassette };
}

for (const { lang, id, run: { decide } = {} } of all) {
  test(`${lang}/${id} runs to its end with the demonstration alone, and its recording is that run`, async () => {
    const { graph } = PlanGraph.parse(text(lang, id));
    const { report, cassette } = await runDemo(lang, id, decide);
    assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
    assert.equal(report.outcome.reason, "terminal");
    const said = JSON.stringify(report.last);
    if (process.env.SHOW) console.log(`${lang}/${id}: ${report.path.join(" ")}\n   ${said}`);
    assert.ok(!/\(Demo\)|undefined|NaN|\[object/.test(said), said);
    if (process.env.UPDATE) writeFileSync(recording(lang, id), cassette);
    const recorded = readFileSync(recording(lang, id), "utf8");
    assert.ok(
      recorded === cassette,
      "the recording is another run: record it anew with `UPDATE=1 node --test tests/playground/gallery.test.mjs`",
    );
    assert.ok(
      Buffer.byteLength(recorded) < MOST_BYTES,
      `${Buffer.byteLength(recorded)} bytes: what of it need not be there?`,
    );
    const given = initialValuesFor(text(lang, id));
    const again = await run(graph, { replay: recorded, ...(given.context && { context: given.context }) });
    assert.deepEqual(
      [again.outcome, again.last, again.path, again.trace],
      [report.outcome, report.last, report.path, report.trace],
    );
    // The replay makes no requests and needs no decisions, and its result can be forked and shared.
    const page = runner();
    page.ask({ type: "replay", plan: text(lang, id), cassette: recorded, ...given });
    const { outcome, last, steps } = await page.ended();
    assert.deepEqual([outcome, steps], ["completed", report.counts.steps]);
    assert.ok(last.cut || last.text === said);
    assert.deepEqual(
      page.told.filter(({ need, type }) => need !== undefined || type === "approval"),
      [],
    );
    assert.equal(
      page
        .lines()
        .map((line) => `${line}\n`)
        .join(""),
      recorded,
    );
  });
}

test("each plan has a recording, and no other recordings exist", () => {
  for (const lang of LANGS)
    assert.deepEqual(
      readdirSync(join(folder, "recorded", lang)).sort(),
      index.plans.map(({ id }) => `${id}.ndjson`).sort(),
      lang,
    );
});
