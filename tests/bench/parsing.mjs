// Measures parsing and checking of a plan: `node parsing.mjs FORMAT NODES [--quick]`, FORMAT `yaml` or `json`.
//
// Stepgraph and the usual JavaScript stack take turns in one process: js-yaml or JSON.parse, a JSON Schema compiled by
// ajv, and a lookup of every name in an edge. For YAML, `yaml`, which keeps positions, also runs instead of js-yaml.
// Stepgraph also parses conditions, finds unreachable nodes and endless loops, and keeps positions. The figures do not
// correct for that.
import Ajv from "ajv";
import { dump, load } from "js-yaml";
import { performance } from "node:perf_hooks";
import { reason } from "./engines/index.mjs";
import { best, median } from "./sampler.mjs";
import { parse } from "yaml";

const [format, size, ...flags] = process.argv.slice(2);
const quick = flags.includes("--quick");

const text = { type: "string" };
const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["nodes", "edges"],
  properties: {
    id: text,
    start: text,
    nodes: {
      type: "object",
      minProperties: 1,
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        required: ["type"],
        properties: {
          id: text,
          type: text,
          tool: text,
          input: {},
          metadata: { type: "object", additionalProperties: text },
        },
      },
    },
    edges: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["from", "to"],
        properties: { from: text, to: text, condition: text },
      },
    },
  },
};

/** Builds a chain with realistic tools, inputs, metadata and conditions. */
function plan(nodes) {
  const ids = Array.from({ length: nodes }, (_, at) => `step-${at}`);
  const node = (at) => ({
    type: "tool",
    tool: "search",
    input: { query: `records of customer ${at}`, limit: 10 },
    metadata: { title: `Look up customer ${at}`, owner: "support" },
  });
  return {
    id: "customers",
    start: ids[0],
    nodes: Object.fromEntries(ids.map((id, at) => [id, node(at)])),
    edges: ids
      .slice(1)
      .map((to, at) => ({ from: ids[at], to, ...(at % 2 ? { condition: `output.${ids[at]}.status==ok` } : {}) })),
  };
}

function plain(read) {
  const validate = new Ajv({ allErrors: true }).compile(SCHEMA);
  return (source) => {
    const value = read(source);
    if (!validate(value)) throw new Error(validate.errors[0].message);
    const isNode = (id) => Object.hasOwn(value.nodes, id);
    if (!isNode(value.start)) throw new Error("start is not a node");
    for (const { from, to } of value.edges) if (!isNode(from) || !isNode(to)) throw new Error("an edge names no node");
  };
}

async function measureStepgraph() {
  const { PlanGraph } = await import("../../dist/node.js");
  return (source) => {
    const { graph, diagnostics } = PlanGraph.parse(source);
    if (!graph?.valid) throw new Error(diagnostics[0].message);
    graph.free?.();
  };
}

const document = plan(Number(size));
const source = format === "yaml" ? dump(document) : JSON.stringify(document, null, 2);
const contenders = { plain: plain(format === "yaml" ? load : JSON.parse) };
if (format === "yaml") contenders.careful = plain(parse);
const result = { bytes: source.length };
try {
  contenders.stepgraph = await measureStepgraph();
} catch (error) {
  result.unavailable = reason(error);
}

const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
const start = performance.now();
const [rounds, budgetMs] = quick ? [3, 1000] : [40, 12_000];
for (let round = 0; round < rounds && (round < 3 || performance.now() - start < budgetMs); round++) {
  for (const [name, read] of Object.entries(contenders)) {
    const before = performance.now();
    read(source);
    times[name].push(performance.now() - before);
  }
}
for (const [name, list] of Object.entries(times)) result[name] = { bestMs: best(list), medianMs: median(list) };
console.log(JSON.stringify(result));
