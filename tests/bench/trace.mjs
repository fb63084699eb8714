// Prints a trace as a receiver gets it, as a tree: `node trace.mjs [--json]`.
//
// Runs `tests/parity/otel/shop.yaml` with a FastMCP server that emits telemetry, a third-party model server, and Rotel,
// whose exported spans it prints.
import { readFileSync } from "node:fs";
import { otel } from "../../dist/integrations/otel.js";
import { CallError, mcp, openai, PlanGraph } from "../../dist/node.js";
import { walk } from "../parity/otel/tree.mjs";
import * as servers from "../servers/servers.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const collector = await servers.collector();
const [tools, model] = await Promise.all([
  servers.traced(collector.url),
  servers.aimock(new URL("../package/everywhere/model", import.meta.url).pathname),
]);
try {
  const { graph } = PlanGraph.parse(read("../parity/otel/shop.yaml"));
  let turn = 0;
  const createModel = () =>
    turn++ === 0
      ? {
          text: "",
          tool_calls: [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }],
          finish: "tool_calls",
          usage: { input: 30, output: 4, cached_input: 0 },
        }
      : { text: "a coat", finish: "stop", usage: { input: 40, output: 3, cached_input: 0 } };
  const flaky = ({ attempt }) => {
    if (attempt < 3) throw new CallError("flaky/not-yet", `try ${attempt}`);
    return "the rest";
  };
  const telemetry = otel({ url: collector.url });
  const client = mcp(tools.url, { name: "shop" });
  const report = await telemetry.run(graph, {
    input: { items: ["tea", "water"] },
    tools: [client],
    handlers: { flaky },
    onApproval: () => "approved",
    models: { default: openai({ baseUrl: model.url, model: "small" }), thinker: createModel },
  });
  await client.close();
  await telemetry.close();
  const spans = await collector.spans(telemetry.contextOf(report).traceparent.slice(3, 35), telemetry.stats.spans + 4);
  if (process.argv.includes("--json")) console.log(JSON.stringify(spans, null, 2));
  else for (const { span, depth } of walk(spans)) console.log(line(span, depth));
} finally {
  await Promise.all([tools.stop(), model.stop(), collector.stop()]);
}

function line(span, depth) {
  const { attributes, events, scope, resource, name, start, end } = span;
  const ours = scope[0] === "stepgraph";
  const head = `${"  ".repeat(depth)}${ours ? "" : `[${resource["service.name"]}] `}${name}`;
  const decided = events.find((event) => event.name === "edge-decided")?.attributes ?? {};
  const conditions = decided["stepgraph.edge.conditions"]?.filter((_, i) => decided["stepgraph.edge.holds"][i]) ?? [];
  const told = [
    attributes["error.type"] && `ERROR ${attributes["error.type"]}`,
    attributes["gen_ai.provider.name"],
    ours && attributes["mcp.method.name"] && `MCP ${attributes["mcp.protocol.version"]}`,
    attributes["gen_ai.usage.input_tokens"] &&
      `${attributes["gen_ai.usage.input_tokens"]} + ${attributes["gen_ai.usage.output_tokens"]} tokens`,
    attributes["gen_ai.response.finish_reasons"]?.join(),
    decided["stepgraph.edge.to"] &&
      `-> ${decided["stepgraph.edge.to"]}${conditions.length > 0 ? ` (${conditions})` : ""}`,
  ];
  return `${head.padEnd(46)}${((end - start) / 1e6).toFixed(1).padStart(8)} ms  ${told.filter(Boolean).join(", ")}`.trimEnd();
}
