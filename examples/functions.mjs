/**
 * A plan that calls functions of this program as tools, through an agent, with an approval for the one that pays.
 *
 *   node examples/functions.mjs
 *
 * It needs no network: the model is a function, too.
 */
import { createInterface } from "node:readline/promises";
import { PlanGraph, run } from "stepgraph";
import * as z from "zod";

const graph = PlanGraph.load(`
id: shopping
nodes:
  shop:
    type: agent
    input: "Buy the cheapest \${input}."
    with: { tools: [find, pay] }
`);

const STOCK = [
  { id: "t1", name: "tea", price: 3 },
  { id: "t2", name: "tea", price: 5 },
];
const tools = {
  find: {
    description: "Finds articles by name.",
    input: z.object({ name: z.string() }),
    annotations: { readOnlyHint: true },
    run: ({ name }) => STOCK.filter((article) => article.name === name),
  },
  pay: {
    description: "Pays an article.",
    input: z.object({ id: z.string().refine((id) => STOCK.some((one) => one.id === id), "there is no such article") }),
    annotations: { destructiveHint: true },
    run: ({ id }) => `paid ${id}`,
  },
};

/** A scripted model: it looks, makes a mistake, corrects itself, and reports. */
const steps = [
  () => ({ name: "find", arguments: { name: "tea" } }),
  () => ({ name: "pay", arguments: { id: "t9" } }),
  () => ({ name: "pay", arguments: { id: "t1" } }),
];
function model({ messages }) {
  const step = steps.shift();
  if (step === undefined) return `Done: ${messages.at(-1).content}.`;
  return { text: "", tool_calls: [{ id: `c${steps.length}`, ...step() }], finish: "tool_calls", usage: null };
}

async function onApproval({ tool, input }) {
  if (!process.stdin.isTTY) return "approved";
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question(`${tool} ${JSON.stringify(input.arguments)}? [y/n] `);
  lines.close();
  return answer.startsWith("y") ? "approved" : "rejected";
}

const report = await run(graph, {
  input: "tea",
  tools,
  models: { default: model },
  onApproval,
  onEvent: (event) => {
    if (event.type === "tool-answered") console.log(event.tool, event.error?.message ?? JSON.stringify(event.output));
  },
});
if (report.error) throw report.error;
console.log(report.last);
