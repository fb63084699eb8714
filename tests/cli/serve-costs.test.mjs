// Tests `stepgraph serve --prices FILE --max-usd USD`: results have costs, and a limit ends a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overStdio } from "./serve/client.mjs";
import { file } from "./stepgraph.mjs";

const host = file(
  "priced.mjs",
  `const usage = { input: 1000, output: 100, cached_input: 0 };
export const models = { default: async () => ({ text: "hi", finish: "stop", usage }) };
`,
);
const prices = file("serve-prices.yaml", "models: {default: {input: 3, output: 15}}\n");
const plan = (limits = "") => `${limits}start: a
nodes:
  a: {type: llm, input: hi}
  b: {type: llm, input: hi}
edges: [{from: a, to: b}]
`;

async function served(args, text) {
  const client = await overStdio(["--handlers", host, ...args]);
  try {
    return (await client.callTool({ name: "run_plan", arguments: { plan: text } })).structuredContent;
  } finally {
    await client.close();
  }
}

test("a server with prices says what a run cost", async () => {
  const priced = await served(["--prices", prices], plan());
  assert.deepEqual([priced.status, priced.counts.usd], ["completed", 0.009]);
  assert.equal((await served([], plan())).counts.usd, undefined);
});

test("the smaller limit of server and plan ends a run", async () => {
  for (const [most, own] of [
    ["0.004", ""],
    ["0.004", "limits: {usd: 1}\n"],
    ["1", "limits: {usd: 0.004}\n"],
  ]) {
    const { status, failure, counts } = await served(["--prices", prices, "--max-usd", most], plan(own));
    assert.deepEqual([status, failure.code, counts.usd], ["failed", "run/usd-limit", 0.0045], `${most}, ${own}`);
  }
});

test("a limit without a price refuses the run, and says what to do", async () => {
  const { failure } = await served(["--max-usd", "1"], plan());
  assert.equal(failure.code, "run/unknown-price");
  assert.match(failure.help, /--prices FILE/);
});
