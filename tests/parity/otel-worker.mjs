// The worker script that `otel-page.test.mjs` bundles, with the receiver's address.

import { init, PlanGraph } from "stepgraph";
import { otel } from "stepgraph/otel";
import wasm from "stepgraph/engine.wasm";

init(wasm);
const failures = [];
const telemetry = otel({ url: RECEIVER, retryMs: 0, onError: (failure) => failures.push(failure) });
const { graph } = PlanGraph.parse("{id: worker, nodes: {a: {type: log, input: hi}}}");

export default {
  async fetch() {
    const report = await telemetry.run(graph);
    await telemetry.flush();
    return Response.json({
      stats: telemetry.stats,
      failures,
      trace: telemetry.contextOf(report).traceparent.slice(3, 35),
    });
  },
};
