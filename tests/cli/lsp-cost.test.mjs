// Tests that hovers show the maximal cost of a node or a run.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { PlanGraph, estimateCost, examplePrices } from "../../dist/node.js";
import { editor } from "./lsp/client.mjs";

const editors = [];
after(() => editors.forEach((one) => one.gone()));

const PLAN = `nodes:
  find: {type: tool, tool: find_order, retry: {attempts: 3}}
  each:
    type: map
    input: [1, 2]
    do: {nodes: {say: {type: llm, input: "hi", with: {max_tokens: 100}}}}
  fan: {type: parallel, branches: {a: {nodes: {tell: {type: llm, input: x}}}}}
  end: {type: log, input: done}
edges: [{from: find, to: each}, {from: each, to: fan}, {from: fan, to: end}]
`;

async function opened(text, initializationOptions = {}) {
  const one = editor({ files: {} });
  editors.push(one);
  await one.initialize(undefined, { initializationOptions });
  await one.open("plan.yaml", text);
  const lines = text.split("\n");
  return async (word) => {
    const line = lines.findIndex((one) => one.includes(word));
    const position = { line, character: lines[line].indexOf(word) };
    const found = await one.ask("textDocument/hover", { textDocument: { uri: one.uri("plan.yaml") }, position });
    assert.deepEqual(found?.range?.start, position);
    return found.contents.value;
  };
}

test("hovers show the most that each node and a run may cost", async () => {
  const hover = await opened(PLAN, { model: "openai:gpt-4o-mini" });
  const estimate = estimateCost(PlanGraph.load(PLAN), {
    prices: examplePrices,
    models: { default: "openai:gpt-4o-mini" },
  });
  const [, say] = estimate.nodes;
  assert.equal(say.path, "each/say");
  assert.match(await hover("find:"), /\*\*costs at most\*\*: 3 tool calls$/);
  const shown = await hover("say:");
  assert.match(shown, /\*\*costs at most\*\*: 2 model turns, \d+ input tokens, 200 output tokens, 0\.\d+ USD$/);
  assert.match(await hover("tell:"), /\*\*costs at most\*\*: 1 model turn, /);
  assert.match(await hover("nodes:"), /\*\*a run costs at most\*\*: 3 tool calls, 3 model turns, /);
  assert.doesNotMatch(await hover("end:"), /cost/);
  assert.doesNotMatch(await hover("type: log"), /costs at most/);
});

test("unknown figures say why, and a plan with errors has no cost", async () => {
  const hover = await opened(PLAN);
  assert.match(await hover("say:"), /unknown USD\n\n\* .*price/s);
  const broken = await opened(PLAN.replace("done}", "done, wth: {}}"));
  assert.doesNotMatch(await broken("say:"), /costs at most/);
});
