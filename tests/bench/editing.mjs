// What a key costs in an editor: `node tests/bench/editing.mjs [--quick]`, after a build.
//
// A plan of so many lines, as people write them, is typed in: every round a letter is put into a condition in its middle and taken away
// again, and everything an editor may ask afterwards is asked. Measured in one process, at the border to JavaScript, the answers read;
// the first rounds, in which the module is compiled, are shown apart.

import { performance } from "node:perf_hooks";
import { editPlan, formatPlan, PlanDocument } from "../../dist/editor/node.js";
import { table } from "./table.mjs";

const quick = process.argv.includes("--quick");
const rounds = quick ? 10 : 60;

/** A chain with conditions, inputs and comments. */
function plan(lines) {
  const count = Math.floor(lines / 6);
  const nodes = Array.from({ length: count }, (_, at) => `  step-${at}:\n    type: tool # looks it up\n    tool: search\n    input: {query: "records of \${output.step-${Math.max(0, at - 1)}.name ?? 'nobody'}", limit: 10}\n`);
  const edges = Array.from({ length: count - 1 }, (_, at) => `  - {from: step-${at}, to: step-${at + 1}${at % 2 ? `, condition: output.step-${at}.status == ok` : ""}}\n  # next\n`);
  return `id: customers\nstart: step-0\nnodes:\n${nodes.join("")}edges:\n${edges.join("")}`;
}

const tools = [{
  name: "search",
  input_schema: { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } }, required: ["query"] },
  output_schema: { type: "object", properties: { name: { type: "string" }, status: { type: "string" } }, required: ["status"] },
}];

const time = (work) => {
  const began = performance.now();
  work();
  return performance.now() - began;
};
const at = (times, part) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];
const ms = (value) => value.toFixed(value < 1 ? 2 : 1);

const head = ["lines", "what", "first, ms", "median, ms", "95 of 100, ms"];
const rows = [];
for (const lines of [100, 1000, 10_000]) {
  const text = plan(lines);
  let document;
  const samples = { open: [time(() => { document = new PlanDocument(text, { tools }); document.diagnostics(); })] };
  const put = text.indexOf("status == ok", text.length / 2) + "status == o".length;
  const type = (letter) => document.change([{ span: { start: put, end: put + (letter ? 0 : 1) }, text: letter }]);
  const asked = {
    "a key, and what is wrong": () => { type("o"); document.diagnostics(); },
    "the key taken back": () => { type(""); document.diagnostics(); },
    completion: () => document.complete(put - 6),
    hover: () => document.hover(put - 8),
    references: () => document.references(put - 15),
    symbols: () => document.symbols(),
    tokens: () => document.tokens(),
    folding: () => document.folding(),
    "what there is to draw": () => document.outline(),
    "a node renamed": () => document.edit([{ op: "rename_node", node: "step-3", to: "step-x" }]),
    "a condition set": () => document.edit([{ op: "set_condition", edge: 3, condition: "last.exists" }]),
    format: () => document.format(),
    "the text": () => { type("o"); type(""); document.text.charCodeAt(7); },
  };
  for (let round = 0; round < rounds; round++) for (const [name, work] of Object.entries(asked)) (samples[name] ??= []).push(time(work));
  samples["edited without a document"] = Array.from({ length: 5 }, () => time(() => editPlan(text, [{ op: "remove_node", node: "step-5" }]).text));
  samples["formatted without a document"] = Array.from({ length: 5 }, () => time(() => formatPlan(text).text));
  const settled = (times) => (times.length > 10 ? times.slice(times.length / 3) : times);
  for (const [name, times] of Object.entries(samples)) rows.push([text.split("\n").length, name, ms(times[0]), ms(at(settled(times), 0.5)), ms(at(settled(times), 0.95))]);
  document.free();
}
process.stdout.write(`${table(head, rows)}\n`);
