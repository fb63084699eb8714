// Tests traces from Chromium to a receiver of another origin, and from workerd, which forbids more than other runtimes.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as kits from "../package/toolchains.mjs";
import { visit } from "../package/pages.mjs";
import { json, serve } from "../servers/serve.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TIMEOUT = { timeout: 120_000 };

const open = (allowed, answer, asked) =>
  serve((call) => {
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": allowed };
    if (call.request.method === "OPTIONS") {
      asked.push(call.request.headers["access-control-request-headers"]);
      return call.response.writeHead(204, cors).end();
    }
    json(call.response, 200, answer, cors);
  });

let [receiver, shut, model, visited, found] = [];
const [asked, askedModel] = [[], []];
function bundled(name, platform, out) {
  const { build } = createRequire(import.meta.url)("esbuild");
  const alias = {
    "stepgraph/otel": join(root, "dist/integrations/otel.js"),
    "stepgraph/engine.wasm": join(root, "pkg/stepgraph_wasm_bg.wasm"),
    stepgraph: join(root, `dist/${platform}.js`),
  };
  return build({
    entryPoints: [join(root, "tests/parity", name)],
    bundle: true,
    format: "esm",
    target: "es2022",
    alias,
    assetNames: "[name]",
    ...out,
  });
}

before(async () => {
  receiver = await open("content-type", {}, asked);
  shut = await serve(({ response }) => json(response, 200, {}));
  model = await open(
    "content-type",
    {
      choices: [{ message: { content: "hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    },
    askedModel,
  );
  const { outputFiles } = await bundled("otel-page.mjs", "web", { write: false });
  const respond = async (request, response) => {
    if (!request.url.startsWith("/otel.js")) return false;
    response.writeHead(200, { "content-type": "text/javascript" }).end(outputFiles[0].text);
    return true;
  };
  visited = await visit(
    root,
    { page: `/otel.js?${new URLSearchParams({ receiver: receiver.url, shut: shut.url, model: model.url })}` },
    async (request, response) => respond(request, response),
  );
  found = JSON.parse(await visited.told.page);
}, TIMEOUT);
after(() => Promise.all([visited?.close(), receiver?.stop(), shut?.stop(), model?.stop()]));

test("a page sends spans to a receiver of another origin and preflights only JSON", () => {
  assert.deepEqual([found.open.failures, found.open.stats.exported, found.open.outcome.type], [[], 3, "completed"]);
  assert.ok(asked.length > 0 && asked.every((headers) => headers === "content-type"), asked.join());
  const spans = receiver.requests
    .filter(({ method }) => method === "POST")
    .flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
  const trace = spans.filter(({ traceId }) => traceId === found.open.context.slice(3, 35));
  assert.deepEqual(
    trace.map(({ name }) => name),
    ["chat m", "llm a", "invoke_workflow page"],
  );
  const language = receiver.requests
    .find(({ method }) => method === "POST")
    .body.resourceSpans[0].resource.attributes.find(({ key }) => key === "telemetry.sdk.language");
  assert.deepEqual(language.value, { stringValue: "webjs" });
});

test("model calls carry no header of ours, since no provider allows it", () => {
  assert.equal(askedModel[0], "content-type");
  assert.equal(model.requests.find(({ method }) => method === "POST").headers.traceparent, undefined);
});

test("enabled headers of model calls fail at the providers' CORS", () => {
  assert.equal(found.all.code, "model/unreachable");
  assert.ok(askedModel.includes("content-type,traceparent"));
});

test("a receiver without CORS is reported, and the run is unchanged", () => {
  assert.deepEqual(
    [found.shut.outcome.type, found.shut.failures.map(([code]) => code), found.shut.stats.lost],
    ["completed", ["otel/unreachable"], 3],
  );
  assert.match(found.shut.failures[0][1], /must allow its origin/);
});

test("workerd exports spans, also those created while the module was loaded", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-otel-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  await bundled("otel-worker.mjs", "module", {
    outfile: join(folder, "worker.js"),
    loader: { ".wasm": "copy" },
    define: { RECEIVER: JSON.stringify(receiver.url) },
  });
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(root, "tests/package/workerd.mjs"),
    await kits.miniflare(),
    folder,
  ]);
  const { stats, failures, trace } = JSON.parse(stdout);
  assert.deepEqual([stats, failures], [{ spans: 2, exported: 2, lost: 0, requests: 1 }, []]);
  const told = receiver.requests
    .filter(({ method }) => method === "POST")
    .flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
  assert.deepEqual(
    told.filter(({ traceId }) => traceId === trace).map(({ name }) => name),
    ["log a", "invoke_workflow worker"],
  );
});
