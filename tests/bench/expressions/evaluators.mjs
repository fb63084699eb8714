// Each evaluator compiles a case once, if it can.

import { CASES, record } from "./cases.mjs";

/** The number of nodes in a run, and of records. */
export const COUNT = 200;
const records = Array.from({ length: COUNT }, (_, at) => record(at));

/** Our run: a chain of nodes whose edges have the condition. `condition` null measures the chain alone. */
async function stepgraph(condition) {
  const { PlanGraph, run } = await import("../../../dist/node.js");
  const names = Array.from({ length: COUNT + 1 }, (_, at) => `n${at}`);
  const edge = (at) => ({ from: names[at], to: names[at + 1], ...(condition === null ? {} : { condition }) });
  const plan = {
    start: names[0],
    nodes: Object.fromEntries(names.map((name) => [name, { type: "work" }])),
    edges: records.map((_, at) => edge(at)),
  };
  const { graph, diagnostics } = PlanGraph.parse(JSON.stringify(plan));
  if (!graph?.valid) throw new Error(diagnostics[0].message);
  let next = 0;
  const options = { handlers: { work: () => records[next++ % COUNT] }, limits: { steps: COUNT + 9 } };
  return async () => {
    next = 0;
    await run(graph, options);
    return next - 1;
  };
}

const loop = (holds) => () => {
  let count = 0;
  for (let at = 0; at < COUNT; at++) if (holds({ last: records[at] }) === true) count++;
  return count;
};

const plain = [
  ({ n }) => n > 5,
  ({ status, n }) => status === "open" && n >= 3,
  ({ n, limit }) => n === limit,
  ({ price, count, tax }) => price * count + tax > 100,
  ({ items }) => items.length > 2,
  ({ tags }) => tags.includes("hot"),
  ({ items }) => items.some((i) => i.price > 20),
  ({ items }) => items.filter((i) => i.done).map((i) => i.price).length === 4,
  ({ name }) => name.toLowerCase().startsWith("ada"),
  ({ mail }) => /^[a-z0-9]+@example/.test(mail),
];

/** Each resolves to a function that returns, or resolves to, the number of records for which the case holds. */
export const EVALUATORS = {
  "chain alone": () => stepgraph(null),
  stepgraph: (at) => stepgraph(CASES[at].cel),
  JavaScript: async (at) => loop(({ last }) => plain[at](last)),
  "cel-js": async (at) => {
    const { parse } = await import("@marcbachmann/cel-js");
    return loop(parse(CASES[at].cel));
  },
  // ZEN compiles an expression outside a decision each time.
  ZEN: async (at) => {
    const { evaluateExpressionSync } = await import("@gorules/zen-engine");
    return loop((scope) => evaluateExpressionSync(CASES[at].zen, scope));
  },
  JSONata: async (at) => {
    const { default: jsonata } = await import("jsonata");
    const compiled = jsonata(CASES[at].jsonata);
    return async () => {
      let count = 0;
      for (let n = 0; n < COUNT; n++) if ((await compiled.evaluate({ last: records[n] })) === true) count++;
      return count;
    };
  },
  // jq takes JSON text and starts again each time. A few records are enough.
  jq: async (at) => {
    const jq = await import("jq-wasm");
    return async () => {
      let count = 0;
      for (let n = 0; n < 5; n++) if ((await jq.json({ last: records[n] }, CASES[at].jq)) === true) count++;
      return count;
    };
  },
};

/** The number of records that an evaluator visits. */
export const visits = (name) => (name === "jq" ? 5 : COUNT);
