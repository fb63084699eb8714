// The gallery: a plan for each seed system and each feature, in both languages, sound, tested, and run to its end by the demonstration.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/places.mjs";
import { check, PlanGraph, review, run, runTests, testsOf } from "../../dist/node.js";
import { stepgraph } from "../cli/stepgraph.mjs";
import { load } from "./scripts.mjs";

const folder = join(root, "examples", "gallery");
const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
const LANGS = ["en", "es"];
const file = (lang, id) => join(folder, lang, `${id}.yaml`);
const text = (lang, id) => readFileSync(file(lang, id), "utf8");
const { DemoTools } = await load("connect/demo-tools.ts");
const { demoModel } = await load("connect/demo-model.ts");
const all = LANGS.flatMap((lang) => index.plans.map((plan) => ({ lang, ...plan })));

test("the index and the files are the same plans", () => {
  for (const lang of LANGS) assert.deepEqual(readdirSync(join(folder, lang)).sort(), index.plans.map(({ id }) => `${id}.yaml`).sort());
  assert.equal(new Set(index.plans.map(({ id }) => id)).size, index.plans.length);
  for (const { id, title, line, level } of index.plans) {
    for (const lang of LANGS) assert.ok(title[lang].length < 40 && line[lang].length < 90 && line[lang].length > 20, `${id} ${lang}`);
    assert.ok([1, 2, 3].includes(level), id);
  }
});

test("each seed system and each feature has a plan, and no plan speaks of others", () => {
  const [seeds, features] = [index.plans.map(({ seed }) => seed).filter(Boolean), index.plans.flatMap(({ features: own }) => own)];
  assert.deepEqual([...seeds].sort(), Object.keys(index.seeds).sort());
  assert.deepEqual([...new Set(features)].sort(), Object.keys(index.features).sort());
});

test("each plan is sound and written the usual way", async () => {
  const files = all.map(({ lang, id }) => file(lang, id));
  const checked = await stepgraph(["check", ...files]);
  assert.deepEqual([checked.code, checked.err], [0, ""], checked.out);
  assert.match(checked.out, new RegExp(`\n${files.length} plans checked: no problems\n$`));
  assert.equal((await stepgraph(["format", "--check", ...files])).code, 0);
});

test("each begins with what it shows, and passes its tests", async () => {
  for (const { lang, id } of all) {
    assert.match(text(lang, id), /^# \p{Lu}[^\n]+\n#\n(# [^\n]+\n)+id: /u, `${lang}/${id}`);
    const { graph } = PlanGraph.parse(text(lang, id));
    assert.ok(testsOf(graph).length >= 1, `${lang}/${id}`);
    for (const { name, passed, differences } of await runTests(graph)) assert.ok(passed, `${lang}/${id}, ${name}: ${JSON.stringify(differences)}`);
  }
});

/** What of a plan is the same in every language: kinds, tools, ways and bounds, by place. */
function shape(graph) {
  const at = (scope) => graph.nodes.filter((node) => (node.scope ?? "") === (scope ?? "")).map(({ key }) => key);
  const nodes = graph.nodes.map(({ type, tool, scope }) => [type, tool, scope === undefined ? 0 : scope.split("/").length]);
  const edges = graph.edges.map(({ from, to, condition, scope }) => [at(scope).indexOf(from), at(scope).indexOf(to), condition.replace(/[\p{L}_.]+/gu, "x").replace(/x(\[)/g, "x$1")]);
  const { limits, inputs = {}, tests } = graph.toJSON();
  return { nodes, edges, limits, inputs: Object.values(inputs).map(({ type, enum: choices }) => [type, choices]), tests: tests.map(({ expect }) => [expect.path?.length, expect.code, expect.calls]) };
}

test("both languages have the same plan", () => {
  for (const { id } of index.plans) {
    const [english, spanish] = LANGS.map((lang) => PlanGraph.parse(text(lang, id)).graph);
    assert.deepEqual(shape(spanish), shape(english), id);
    const comments = LANGS.map((lang) => text(lang, id).match(/^\s*#/gm).length);
    assert.equal(comments[0], comments[1], `${id}: comments`);
    assert.notEqual(english.toJSON().description, spanish.toJSON().description);
  }
});

test("the demonstration's tools are all that any plan needs, and the index says what each needs", async () => {
  const tools = await new DemoTools().list();
  for (const { lang, id, needs } of all) {
    const { graph } = PlanGraph.parse(text(lang, id));
    assert.deepEqual(check(graph, { tools }).map(({ code, message }) => `${code}: ${message}`), [], `${lang}/${id}`);
    const { tools: called, models, people, handlers } = review(graph, { tools });
    assert.deepEqual(handlers, [], id);
    const plans = graph.nodes.some(({ type }) => ["plan", "react", "component_browsing"].includes(type));
    const trusted = JSON.stringify(graph.toJSON().nodes).includes("${context.") || id === "gather" || id === "plan-node";
    const found = [called.length > 0 || plans ? "tools" : "", models.length > 0 ? "model" : "", trusted ? "context" : "", people.length > 0 ? "person" : ""].filter(Boolean);
    assert.deepEqual([...needs].sort(), found.sort(), `${lang}/${id}`);
  }
});

for (const { lang, id, run: given = {} } of all) {
  test(`${lang}/${id} runs to its end with the demonstration alone`, async () => {
    const { graph } = PlanGraph.parse(text(lang, id));
    const { context, memory, decide } = given;
    const report = await run(graph, {
      tools: [new DemoTools({ lang: () => lang, pace: 0 })], models: { default: demoModel({ pace: 0 }) },
      ...(context && { context }), ...(memory && { memory: memory[lang] }), onApproval: () => decide ?? "rejected",
    });
    assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
    assert.equal(report.outcome.reason, "terminal");
    const said = JSON.stringify(report.last);
    if (process.env.SHOW) console.log(`${lang}/${id}: ${report.path.join(" ")}\n   ${said}`);
    assert.ok(!/Demonstration|Demostración|undefined|NaN|\[object/.test(said), said);
  });
}
