// Tests traces of the command, by flag and by the standard OpenTelemetry variables.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { json, serve } from "../servers/serve.mjs";
import { file, folder, start, stepgraph } from "./stepgraph.mjs";

let receiver;
let status = 200;
before(async () => {
  receiver = await serve(({ response }) => json(response, status, {}));
});
after(() => receiver.stop());
beforeEach(() => {
  status = 200;
  receiver.requests.length = 0;
});

const plan = () => file("told.yaml", "{id: told, nodes: {a: {type: log, input: secret words}}}");
const runs = () =>
  receiver.requests
    .flatMap(({ body }) => body.resourceSpans)
    .map(({ resource, scopeSpans }) => ({
      resource: Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue])),
      root: scopeSpans[0].spans.find(({ name }) => name === "invoke_workflow told"),
    }));

test("a flag names the receiver, and spans contain no values", async () => {
  const { code, out, err } = await stepgraph(["run", plan(), "--otlp", receiver.url, "--quiet"]);
  assert.deepEqual([code, out, err], [0, "secret words\n", ""]);
  assert.equal(runs().length, 1);
  assert.equal(runs()[0].root.parentSpanId, undefined);
  assert.ok(!JSON.stringify(receiver.requests).includes("secret words"));
});

test("the environment does, too, with keys, names, and the trace that the run is a part of", async () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20k, x-team = a=b,,wrong",
    OTEL_SERVICE_NAME: "coats",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=t%C3%A9st,x=%zz",
    TRACEPARENT: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    TRACESTATE: "rojo=1",
  };
  const { code } = await stepgraph(["run", plan(), "--json"], { env });
  assert.equal(code, 0);
  const [{ url, headers }] = receiver.requests;
  assert.deepEqual([url, headers.authorization, headers["x-team"]], ["/otlp/v1/traces", "Bearer k", "a=b"]);
  const [{ resource, root }] = runs();
  assert.deepEqual(
    [resource["service.name"], resource["deployment.environment.name"], resource.x],
    ["coats", "tést", "%zz"],
  );
  assert.deepEqual(
    [root.traceId, root.parentSpanId, root.traceState],
    ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "rojo=1"],
  );
});

test("variables for traces override general ones, and values are exported only with permission", async () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=b",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "TRUE",
  };
  assert.equal((await stepgraph(["run", plan()], { env })).code, 0);
  assert.deepEqual(
    receiver.requests.map(({ url, headers }) => [url, headers["x-key"]]),
    [["/v1/traces", "b"]],
  );
  assert.ok(JSON.stringify(receiver.requests).includes("secret words"));
});

test("nothing is exported without a receiver, when disabled, or for replays", async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  await stepgraph(["run", plan(), "--record", "told.ndjson"]);
  const each = [
    [[], {}],
    [[], { ...endpoint, OTEL_SDK_DISABLED: "true" }],
    [[], { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
    [[], { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    [["--replay", "told.ndjson"], endpoint],
  ];
  for (const [more, env] of each) assert.equal((await stepgraph(["run", plan(), ...more], { env })).code, 0);
  assert.deepEqual(runs(), []);
  await stepgraph(["run", plan(), "--replay", "told.ndjson", "--otlp", receiver.url]);
  await stepgraph(["run", plan(), "--fork", "told.ndjson", "--otlp", receiver.url]);
  assert.equal(runs().length, 2);
});

test("a refusing receiver is reported, and the run ends unchanged", async () => {
  status = 401;
  const { code, out, err } = await stepgraph(["run", plan(), "--quiet", "--otlp", receiver.url], {
    env: { OTEL_EXPORTER_OTLP_HEADERS: "authorization=the-key" },
  });
  assert.deepEqual([code, out], [0, "secret words\n"]);
  assert.match(err, /^traces: otel\/refused: .*status 401.*; 2 spans are lost\n$/);
  assert.ok(!err.includes("the-key"));
});

test("an invalid receiver URL is a usage error", async () => {
  const { code, err } = await stepgraph(["run", plan(), "--otlp", "collector"]);
  assert.equal(code, 2);
  assert.match(err, /URL of the trace receiver is invalid[\s\S]*--otlp http:\/\/127\.0\.0\.1:4318/);
});

test("Ctrl-C while the receiver does not answer loses no snapshot", async (context) => {
  let running;
  const silent = await serve(() => running.child.kill("SIGINT"));
  context.after(() => silent.stop());
  const asking = file("asking.yaml", "nodes: {ask: {type: approve, input: go?}}");
  running = start(["run", asking, "--otlp", silent.url, "--snapshot", "asked.json"]);
  await running.done;
  assert.equal(silent.requests.length, 1);
  assert.ok(existsSync(join(folder, "asked.json")));
  const { waiting } = JSON.parse(readFileSync(join(folder, "asked.json"), "utf8"));
  assert.deepEqual(waiting, ["ask:1:1"]);
  const resumed = await stepgraph(["run", asking, "--resume", "asked.json", "--approve", "ask:1:1", "-q"]);
  assert.deepEqual([resumed.code, resumed.out], [0, "approved\n"]);
});
