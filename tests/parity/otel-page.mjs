// The page script that `otel-page.test.mjs` bundles.

import { init, openai, PlanGraph } from "stepgraph";
import { otel } from "stepgraph/otel";

const { receiver, shut, model } = Object.fromEntries(new URL(import.meta.url).searchParams);
await init("/pkg/stepgraph_wasm_bg.wasm");
const { graph } = PlanGraph.parse("{id: page, nodes: {a: {type: llm, input: hi}}}");

async function tracePage(url, more) {
  const failures = [];
  const telemetry = otel({ url, retryMs: 0, onError: ({ code, message }) => failures.push([code, message]), ...more });
  const report = await telemetry.run(graph, { models: { default: openai({ baseUrl: model, model: "m" }) } });
  await telemetry.close();
  return {
    failures,
    stats: telemetry.stats,
    outcome: report.outcome,
    code: report.outcome.code,
    context: telemetry.contextOf(report).traceparent,
  };
}

globalThis.tell(
  JSON.stringify({
    open: await tracePage(receiver),
    shut: await tracePage(shut),
    all: await tracePage(receiver, { propagate: "all" }),
  }),
);
