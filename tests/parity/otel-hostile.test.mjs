// Tests receivers that refuse, are busy, never answer, or do not exist: losses are reported, and runs unaffected.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { otel } from "../../dist/integrations/otel.js";
import { PlanError, PlanGraph, run } from "../../dist/node.js";
import { json, startRefusingServer, serve } from "../servers/serve.mjs";

const KEY = "the-key-of-the-receiver";
const { graph } = PlanGraph.parse("{id: one, nodes: {a: {type: give}}}");
const handlers = { give: () => 1 };
const spansOf = ({ body }) => body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

async function receiving(context, answer) {
  const receiver = await serve(answer);
  context.after(() => receiver.stop());
  return receiver;
}

async function exportRun(context, answer, more = {}) {
  const receiver = await receiving(context, answer);
  const failures = [];
  const telemetry = otel({
    url: `${receiver.url}/base?key=${KEY}`,
    headers: { authorization: `Bearer ${KEY}` },
    onError: (failure) => failures.push(failure),
    ...more,
  });
  const report = await telemetry.run(graph, { handlers });
  assert.deepEqual(report.outcome, { type: "completed", reason: "terminal" });
  await telemetry.flush();
  const result = { failures, requests: receiver.requests, stats: telemetry.stats };
  await telemetry.close();
  assert.ok(!JSON.stringify(failures).includes(KEY), "a failure tells a key");
  return result;
}

const acceptAll = ({ response }) => json(response, 200, { partialSuccess: {} });
/** The answer, the reported codes and lost spans, the accepted spans, and the requests. */
const receivers = {
  "takes it, with an empty answer": [({ response }) => response.writeHead(200).end(), [], 2, 1],
  "takes it, with a null in the answer": [({ response }) => json(response, 200, { partialSuccess: null }), [], 2, 1],
  "takes it, with an answer that is none": [
    ({ response }) =>
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end(Buffer.from([10, 0, 255])),
    [],
    2,
    1,
  ],
  "takes it, with half an answer": [({ response }) => response.writeHead(200).end('{"partialSucc'), [], 2, 1],
  "takes a part": [
    ({ response }) => json(response, 200, { partialSuccess: { rejectedSpans: "1", errorMessage: "too old" } }),
    [["otel/rejected", 1, "too old"]],
    1,
    1,
  ],
  "says that it took less than none": [
    ({ response }) => json(response, 200, { partialSuccess: { rejectedSpans: "99", errorMessage: "" } }),
    [["otel/rejected", 2, "nothing"]],
    0,
    1,
  ],
  warns: [
    ({ response }) => json(response, 200, { partialSuccess: { rejectedSpans: 0, errorMessage: "soon full" } }),
    [["otel/warning", 0, "soon full"]],
    2,
    1,
  ],
  "refuses, and says why": [
    ({ response }) => json(response, 400, { code: 3, message: "bad\u0007 span" }),
    [["otel/refused", 2, "status 400: bad span"]],
    0,
    1,
  ],
  "refuses the key": [
    ({ response }) => response.writeHead(401).end("no"),
    [["otel/refused", 2, "status 401: no"]],
    0,
    1,
  ],
  "is at another path": [
    ({ response }) => response.writeHead(404).end("<html>".repeat(1000)),
    [["otel/refused", 2, "status 404: <html>"]],
    0,
    1,
  ],
  fails: [({ response }) => response.writeHead(500).end(), [["otel/refused", 2, "status 500"]], 0, 1],
  "sends elsewhere": [
    ({ response }) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    [["otel/refused", 2, "another address"]],
    0,
    1,
  ],
  "is busy once": [
    ({ response, count }) =>
      count === 1 ? response.writeHead(503, { "retry-after": "0" }).end() : acceptAll({ response }),
    [],
    2,
    2,
  ],
  "is busy once, without a time": [
    ({ response, count }) => (count === 1 ? response.writeHead(502).end() : acceptAll({ response })),
    [],
    2,
    2,
  ],
  "has too many requests, until a date": [
    ({ response, count }) =>
      count === 1
        ? response.writeHead(429, { "retry-after": new Date(Date.now() - 1000).toUTCString() }).end()
        : acceptAll({ response }),
    [],
    2,
    2,
  ],
  "is busy for longer than anybody waits": [
    ({ response }) => response.writeHead(429, { "retry-after": "3600" }).end("slow down"),
    [["otel/unavailable", 2, "status 429: slow down"]],
    0,
    1,
  ],
  "never answers": [() => {}, [["otel/timeout", 2, "within 50 ms"]], 0, 1, { timeoutMs: 50, retryMs: 0 }],
  "never ends its answer": [
    ({ response }) => response.writeHead(200).write("{"),
    [["otel/timeout", 2, "within 500 ms"]],
    0,
    1,
    { timeoutMs: 500, retryMs: 0 },
  ],
  "answers without end": [
    ({ response }) => (response.writeHead(400), sendEndless(response)),
    [["otel/refused", 2, "status 400: xxx"]],
    0,
    1,
  ],
  "hangs up": [({ request }) => request.socket.destroy(), [["otel/unreachable", 2, ""]], 0, 1, { retryMs: 0 }],
  "takes no more than one": [
    (call) => (spansOf(call).length > 1 ? call.response.writeHead(413).end() : acceptAll(call)),
    [],
    2,
    3,
  ],
  "takes none so large": [
    ({ response }) => response.writeHead(413).end(),
    [
      ["otel/too-large", 1, "status 413"],
      ["otel/too-large", 1, "status 413"],
    ],
    0,
    3,
  ],
  "repeats the key": [
    ({ request, response }) =>
      json(response, 403, { message: `unknown key ${request.headers.authorization} at ${request.url}` }),
    [["otel/refused", 2, "unknown key Bearer [redacted]"]],
    0,
    1,
  ],
  "is asked with a header that is none": [
    acceptAll,
    [["otel/unreachable", 2, "header value"]],
    0,
    0,
    { retryMs: 0, headers: { authorization: `Bearer ${KEY}\nx` } },
  ],
  "is asked with headers that can't be had": [
    acceptAll,
    [["otel/unreachable", 2, "no key today"]],
    0,
    0,
    { retryMs: 0, headers: () => Promise.reject(new Error("no key today")) },
  ],
};

function sendEndless(response) {
  const more = () => {
    while (response.write("x".repeat(65_536)));
  };
  response.on("drain", more);
  more();
}

for (const [what, [answer, failures, exported, requests, more]] of Object.entries(receivers)) {
  test(`a receiver that ${what}`, async (context) => {
    const told = await exportRun(context, answer, more);
    assert.deepEqual(
      told.failures.map(({ code, spans }) => [code, spans]),
      failures.map(([code, spans]) => [code, spans]),
    );
    for (const [i, [, , words]] of failures.entries())
      assert.ok(told.failures[i].message.includes(words), told.failures[i].message);
    assert.deepEqual(
      [told.stats.spans, told.stats.exported, told.stats.lost, told.requests.length],
      [2, exported, 2 - exported, requests],
    );
    if (requests === 0) return;
    const { url, headers, method } = told.requests[0];
    assert.deepEqual(
      [method, url, headers["content-type"]],
      ["POST", `/base/v1/traces?key=${KEY}`, "application/json"],
    );
    assert.equal(headers.authorization, `Bearer ${KEY}`);
  });
}

test("an unreachable receiver does not slow the run, and the loss is reported once", async (context) => {
  const receiver = await startRefusingServer();
  context.after(receiver.stop);
  const failures = [];
  const telemetry = otel({ url: receiver.url, retryMs: 0, onError: (failure) => failures.push(failure) });
  const reports = await Promise.all(Array.from({ length: 20 }, () => telemetry.run(graph, { handlers })));
  assert.ok(reports.every(({ outcome }) => outcome.type === "completed"));
  await telemetry.close();
  assert.equal(
    failures.reduce((sum, { spans }) => sum + spans, 0),
    40,
  );
  assert.ok(failures.every(({ code, message }) => code === "otel/unreachable" && message.includes("/v1/traces")));
  assert.deepEqual(telemetry.stats.lost, 40);
});

test("close waits only for its timeout and then sends nothing", async (context) => {
  const receiver = await receiving(context, () => {});
  const failures = [];
  const telemetry = otel({ url: receiver.url, onError: (failure) => failures.push(failure) });
  await telemetry.run(graph, { handlers });
  await telemetry.close({ timeoutMs: 30 });
  assert.deepEqual(
    failures.map(({ code, spans }) => [code, spans]),
    [["otel/timeout", 2]],
  );
  await telemetry.run(graph, { handlers });
  assert.deepEqual(
    failures.slice(1).map(({ code, spans }) => [code, spans]),
    [
      ["otel/closed", 1],
      ["otel/closed", 1],
    ],
  );
  await Promise.all([telemetry.flush(), telemetry.close()]);
});

test("the queue is limited and sent in batches, and dropped spans are counted", async (context) => {
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const receiver = await receiving(context, async ({ response }) => (await gate, acceptAll({ response })));
  const failures = [];
  const telemetry = otel({
    url: receiver.url,
    queue: 100,
    batch: { spans: 40 },
    onError: (failure) => failures.push(failure),
  });
  const loop = PlanGraph.parse(
    "{start: a, nodes: {a: {type: give, visits: 600}}, edges: [{from: a, to: a, condition: last<500}]}",
  ).graph;
  let n = 0;
  await telemetry.run(loop, { handlers: { give: () => ++n }, limits: { visits: 600 } });
  assert.equal(telemetry.stats.spans, 501);
  open();
  await telemetry.close();
  const { exported, lost, requests } = telemetry.stats;
  assert.equal(exported + lost, 501);
  assert.ok(
    exported >= 100 && exported <= 140 && failures.every(({ code }) => code === "otel/queue-full"),
    JSON.stringify(telemetry.stats),
  );
  assert.equal(
    failures.reduce((sum, { spans }) => sum + spans, 0),
    lost,
  );
  assert.ok(
    requests === receiver.requests.length && receiver.requests.every((request) => spansOf(request).length <= 40),
  );
});

test("a run of many spans is sent in many requests within the size limit, without loss", async (context) => {
  const receiver = await receiving(context, acceptAll);
  const telemetry = otel({ url: receiver.url, queue: 1e6, batch: { bytes: 50_000 }, content: true });
  const loop = PlanGraph.parse(
    "{start: a, nodes: {a: {type: give}}, edges: [{from: a, to: a, condition: last.n<3000}]}",
  ).graph;
  let n = 0;
  await telemetry.run(loop, {
    handlers: { give: () => ({ n: ++n, text: "ü".repeat(n % 50) }) },
    limits: { visits: 4000 },
  });
  await telemetry.close();
  assert.deepEqual([telemetry.stats.exported, telemetry.stats.lost], [3001, 0]);
  const sizes = receiver.requests.map(({ headers }) => Number(headers["content-length"]));
  assert.ok(
    sizes.every((size) => size < 51_000) && sizes.length > 20,
    `${sizes.length} requests, ${Math.max(...sizes)} bytes`,
  );
  const ids = receiver.requests.flatMap(spansOf).map(({ spanId }) => spanId);
  assert.equal(new Set(ids).size, 3001);
});

test("failing listeners, id generators and span factories do not change a run", async () => {
  const fail = () => {
    throw new Error("not today");
  };
  const expected = await run(graph, { handlers });
  const api = {
    trace: { getTracer: () => ({ startSpan: fail }), setSpan: fail, setSpanContext: fail },
    context: { active: fail, with: fail },
  };
  const each = [
    { url: "http://127.0.0.1:1", ids: { traceId: fail, spanId: fail } },
    { url: "http://127.0.0.1:1", fetch: fail, retryMs: 0, onError: fail },
    { api },
  ];
  for (const options of each) {
    const codes = [];
    const telemetry = otel({ onError: ({ code }) => codes.push(code), ...options });
    const tools = [{ name: "t", list: async () => [], call: fail, close: async () => {} }];
    const report = await telemetry.run(graph, { handlers, tools });
    assert.deepEqual(
      [report.outcome, report.path, report.trace.map(({ type }) => type)],
      [expected.outcome, expected.path, expected.trace.map(({ type }) => type)],
    );
    await telemetry.close();
    if (!options.onError) assert.ok(codes.length > 0 && codes.every((code) => code === "otel/failed"), codes.join());
  }
  // An exception of the host's own listener still fails the run.
  const telemetry = otel({ url: "http://127.0.0.1:1", fetch: async () => new Response("{}") });
  const { outcome } = await telemetry.run(graph, { handlers, onEvent: fail });
  assert.match(`${outcome.code}: ${outcome.message}`, /^run\/listener-failed: `onEvent` failed: not today/);
  await telemetry.close();
});

test("without an error callback the first failure of each kind is written to the console", async (context) => {
  const warned = context.mock.method(console, "warn", () => {});
  const telemetry = otel({ url: "http://127.0.0.1:1", fetch: async () => new Response("no", { status: 403 }) });
  for (let i = 0; i < 3; i++) await telemetry.run(graph, { handlers }).then(() => telemetry.flush());
  assert.deepEqual(
    warned.mock.calls.map(({ arguments: [text] }) => text),
    ["stepgraph/otel: otel/refused: `http://127.0.0.1:1/v1/traces` answers with status 403: no (2 spans lost)"],
  );
  await telemetry.close();
});

test("the documentation lists every code, and no other", () => {
  const codes = (name) =>
    [
      ...new Set(
        readFileSync(new URL(`../../${name}`, import.meta.url), "utf8").match(/(?<=["`])otel\/[a-z-]+(?=["`])/g),
      ),
    ].sort();
  assert.deepEqual(codes("docs/observability.md"), codes("dist/integrations/otel.js"));
});

test("options that make no sense are refused at once", () => {
  const wrong = [
    [{}, "otel/invalid-option"],
    [{ url: "collector" }, "otel/invalid-url"],
    [{ url: "ftp://a" }, "otel/invalid-url"],
    [{ url: "http://a", sampling: 2 }, "otel/invalid-option"],
    [{ url: "http://a", sampling: NaN }, "otel/invalid-option"],
    [{ api: {} }, "otel/invalid-option"],
    [{ url: `http://user:${KEY}@a` }, "otel/invalid-url"],
    ...["queue", "timeoutMs", "textLimit"].map((name) => [{ url: "http://a", [name]: 0 }, "otel/invalid-option"]),
    [{ url: "http://a", batch: { spans: 0 } }, "otel/invalid-option"],
    [{ url: "http://a", delayMs: NaN }, "otel/invalid-option"],
  ];
  for (const [options, code] of wrong)
    assert.throws(
      () => otel(options),
      (error) => error instanceof PlanError && error.code === code && !error.message.includes(KEY),
    );
});
