// Tests that `check` finds exactly the errors for which `run` refuses a random plan.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, PlanGraph, run } from "../../dist/node.js";
import { generate } from "./drivers/generate.mjs";
import { Random } from "./drivers/random.mjs";
import { NAMES, applyMutation } from "./check-agrees-with-run/mutations.mjs";

const PLANS = 4000;

const X_SCHEMA = {
  type: "object",
  properties: { x: { type: "integer" } },
  required: ["x"],
  additionalProperties: false,
};
const OUTPUT_SCHEMA = {
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
};
const READS = { readOnlyHint: true };
const SERVERS = {
  shop: [
    { name: "get", input_schema: { type: "object" }, annotations: READS },
    { name: "put", input_schema: X_SCHEMA, output_schema: OUTPUT_SCHEMA, annotations: READS },
    { name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } },
  ],
  sample: [{ name: "find", input_schema: { type: "object" }, annotations: READS }],
};
const STUBS = {
  types: { greet: "echo", special: { return: 1 }, foo: { return: 2 } },
  nodes: { h1: { return: 3 } },
  tools: { get: { return: {} }, buy: { return: 1 }, put: { return: { id: "a" } } },
  models: { default: { return: "hello" }, huge: { return: "HELLO" } },
};

function randomPart(map, random, share) {
  return Object.fromEntries(Object.entries(map).filter(() => random.chance(share)));
}

function hostOf(random) {
  const share = random.pick([0.5, 0.9, 1]);
  const servers = randomPart(SERVERS, random, share);
  const handler = () => ({ n: 1 });
  const common = {
    handlers: randomPart({ greet: handler, special: handler, foo: handler }, random, share),
    byId: randomPart({ h1: handler, h2: handler }, random, 0.3),
    models: randomPart({ default: () => "hello", small: () => "hello" }, random, share),
    ...(random.chance(0.3) && { outputs: { before: 1 } }),
    ...(random.chance(0.3) && {
      stubs: Object.fromEntries(Object.entries(STUBS).map(([kind, stubs]) => [kind, randomPart(stubs, random, 0.6)])),
    }),
  };
  const tools = Object.entries(servers).map(([name, list]) => ({
    name,
    list: async () => list,
    call: async () => ({ value: { id: "a" }, isError: false }),
    close: async () => {},
  }));
  const listed = Object.entries(servers).flatMap(([server, list]) => list.map((tool) => ({ server, ...tool })));
  return { runs: { ...common, tools }, checks: { ...common, tools: listed } };
}

function errorsOf(diagnostics) {
  const told = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message, span, help }) => JSON.stringify([span?.start, code, message, help]));
  return [...new Set(told)].sort();
}

test("check reports exactly the errors for which run refuses a plan", async () => {
  const count = Math.ceil(PLANS * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  const met = { refused: 0, ran: 0, unread: 0 };
  const codes = new Map();
  for (let seed = 1; seed <= count; seed++) {
    const random = new Random("judges", seed);
    const { plan, input } = generate(seed);
    const names = Array.from({ length: random.below(3) }, () => random.pick(NAMES));
    for (const name of names) applyMutation(plan, name, random);
    const { runs, checks } = hostOf(random);
    const where = `seed ${seed}: ${names.join(", ")}`;
    const { graph, diagnostics } = PlanGraph.parse(JSON.stringify(plan));
    if (graph === null) {
      met.unread++;
      assert.ok(errorsOf(diagnostics).length > 0, where);
      continue;
    }
    const found = errorsOf([...diagnostics, ...check(graph, checks)]);
    // A run that starts is valid, so the test stops it at once.
    const stop = new AbortController();
    const { outcome } = await run(graph, { ...runs, input, signal: stop.signal, onEvent: () => stop.abort() });
    if (outcome.code === "run/invalid-plan") {
      met.refused++;
      assert.deepEqual(errorsOf(outcome.diagnostics), found, where);
      for (const one of outcome.diagnostics) codes.set(one.code, (codes.get(one.code) ?? 0) + 1);
    } else {
      met.ran++;
      assert.deepEqual(found, [], `${where}: ${JSON.stringify(outcome)}`);
      assert.ok(
        outcome.type === "cancelled" || outcome.type === "completed" || !outcome.code.startsWith("api/"),
        where,
      );
    }
    graph.free();
  }
  console.log(JSON.stringify({ ...met, codes: Object.fromEntries([...codes].sort()) }));
  assert.ok(met.refused > count / 4 && met.ran > count / 10 && codes.size >= 25, JSON.stringify(met));
});
