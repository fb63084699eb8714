// Parts and scripts that can't be loaded, in a page: calls fail with a code, aborts don't wait, later calls work.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bodyOf, visitJobs } from "./page-jobs.mjs";

/** In each script: `fault(pattern, how)` breaks files, `fault()` mends them, `code(act)` is the code of an error. */
const HEAD = `import * as stepgraph from "stepgraph";
  const { init, mcp, openai, PlanGraph, run, Run, check } = stepgraph;
  const fault = (pattern = null, how = null) =>
    fetch(new URL("../fault", import.meta.url), { method: "POST", body: JSON.stringify({ pattern, how }) });
  const code = async (act) => {
    try {
      return (await act()) ?? "nothing";
    } catch (error) {
      return error.code ?? error.name + ": " + error.message;
    }
  };
`;

const TOOLS = `const tools = [mcp(location.origin + "/mcp")];
  const models = { default: openai({ baseUrl: location.origin + "/v1", model: "m" }) };
  const look = PlanGraph.load("nodes: {look: {type: tool, tool: price, input: {item: tea}}, say: {type: llm, input: hi}}\\nedges: [{from: look, to: say}]");
  const call = async (options = {}) => {
    const { last, outcome } = await run(look, { tools, models, ...options });
    return outcome.type === "completed" ? String(last) : outcome.code ?? outcome.type;
  };`;

const JOBS = {
  ...Object.fromEntries(
    ["empty", "garbage", "404"].map((how) => [
      `the first part: ${how}`,
      {
        isStarted: false,
        script: `await fault("first", "${how}");
          const codes = [await code(init), await code(init)];
          await fault();
          codes.push(await code(init));
          const result = [...codes, (await run(PlanGraph.load("nodes: {a: {type: log, input: hi}}"))).last].join();`,
        expected: "api/not-loaded,api/not-loaded,nothing,hi",
      },
    ]),
  ),
  "a step of a machine": {
    script: `const graph = PlanGraph.load("nodes: {a: {type: x}, b: {type: log, input: hi}}\\nedges: [{from: a, to: b}]");
      const start = () => {
        const machine = new Run(graph, { types: ["x"] });
        return { machine, call: machine.step({ type: "start", atMs: 0 }).commands[0].call };
      };
      const [{ machine, call }, other] = [start(), start()];
      const done = { type: "call-done", call, output: 1, atMs: 2 };
      await fault("\\\\.wasm", "404");
      const codes = [];
      for (const act of [
        () => machine.step({ type: "cancel", atMs: 1 }),
        () => machine.step(done),
        () => machine.report,
        () => machine.snapshot(3),
        () => machine.last(call),
      ])
        codes.push(await code(act));
      machine.free();
      codes.push(other.machine.step(done).commands[0].outcome.type);
      await fault();
      codes.push(start().machine.step({ type: "cancel", atMs: 1 }).commands.at(-1).outcome.type);
      const result = codes.join();`,
    expected: [...Array(5).fill("api/not-loaded"), "completed", "cancelled"].join(),
  },
  "an abort while the engine's part loads": {
    script: `const plan = PlanGraph.load("nodes: {a: {type: log, input: hi}}");
      await fault("language|common", "hang");
      const codes = [];
      for (const options of [{ stubs: {} }, { stubs: {}, record: () => {} }]) {
        const stop = new AbortController();
        const running = run(plan, { ...options, signal: stop.signal });
        stop.abort();
        codes.push((await running).outcome.type);
      }
      await fault();
      const result = [...codes, (await run(plan, { stubs: {} })).last].join();`,
    expected: "cancelled,cancelled,hi",
  },
  "an abort while the wire loads": {
    script: `${TOOLS}
      const chat = { model: null, messages: [{ role: "user", content: "hi" }], schema: null, max_tokens: null };
      await fault("wire", "hang");
      const codes = [];
      for (const act of [
        (signal) => models.default.chat(chat, { signal }),
        (signal) => tools[0].list(signal),
        (signal) => tools[0].call("price", {}, { signal }),
      ]) {
        const stop = new AbortController();
        const calling = code(() => act(stop.signal));
        stop.abort({ code: "stopped" });
        codes.push(await calling);
      }
      await fault();
      codes.push((await models.default.chat(chat)).text);
      const result = codes.join();`,
    expected: "stopped,stopped,stopped,four",
  },
  "an abort while a script loads": {
    script: `${TOOLS}
      await fault("web-", "hang");
      const codes = [];
      for (const options of [{ record: () => {} }, { replay: [] }, { prices: { models: {} } }]) {
        const stop = new AbortController();
        const running = run(look, { ...options, signal: stop.signal });
        stop.abort();
        codes.push((await running).outcome.type);
      }
      await fault();
      const result = [...codes, await call()].join();`,
    expected: "cancelled,cancelled,cancelled,four",
  },
  ...Object.fromEntries(
    ["empty", "garbage", "404"].map((how) => [
      `scripts: ${how}`,
      {
        script: `${TOOLS}
          const plan = PlanGraph.load("nodes: {a: {type: log, input: hi}}");
          const recorded = async () => (await run(plan, { record: () => {} })).last;
          const codes = [];
          for (const [pattern, act] of [["web-", call], ["web-", recorded], ["stepgraph-wire", call]]) {
            await fault(pattern, "${how}");
            codes.push(await code(act), await code(act));
            await fault();
            // The wire is the next thing that the first one needs.
            if (act !== call || pattern !== "web-") codes.push(await code(act));
          }
          const result = codes.join();`,
        expected: "api/not-loaded,api/not-loaded,api/not-loaded,api/not-loaded,hi,api/not-loaded,api/not-loaded,four",
      },
    ]),
  ),
  ...Object.fromEntries(
    ["empty", "garbage", "404", "foreign"].map((how) => [
      `parts: ${how}`,
      {
        script: `${TOOLS}
          const plan = PlanGraph.load("nodes: {a: {type: log, input: hi}}");
          const act = ${how === "foreign" ? "() => call({ record: () => {} })" : "call"};
          await fault("${how === "foreign" ? "history" : "wire_"}", "${how}");
          const codes = [await code(act), await code(act)];
          await fault();
          codes.push(await code(act));
          const stubbed = async () => (await run(plan, { stubs: {} })).last;
          await fault("language|common", "${how}");
          codes.push(await code(stubbed), await code(stubbed));
          await fault();
          codes.push(await code(stubbed));
          const mistake = () => PlanGraph.parse("nodes: {a: {type: lgo, inptu: 1}}").diagnostics[0].code;
          await fault("mistakes", "${how}");
          codes.push(await code(mistake), await code(mistake));
          await fault();
          codes.push(await code(mistake));
          const result = codes.join();`,
        expected: [
          ...["api/not-loaded", "api/not-loaded", "four"],
          ...["api/not-loaded", "api/not-loaded", "hi"],
          ...["api/not-loaded", "api/not-loaded", "graph/unknown-key"],
        ].join(),
      },
    ]),
  ),
  "refusals of a server": {
    script: `${TOOLS}
      const chat = { model: null, messages: [{ role: "user", content: "hi" }], schema: null, max_tokens: null };
      const refused = openai({ baseUrl: location.origin + "/refused", model: "m" });
      const strange = mcp(location.origin + "/strange");
      const acts = [() => refused.chat(chat), () => strange.list(), () => tools[0].request("resources/list")];
      await tools[0].list();
      const codes = [];
      await fault("wire_rest", "404");
      for (const act of acts) codes.push(await code(act), await code(act));
      await fault();
      for (const act of acts) codes.push(await code(act));
      codes.push(await call());
      const result = codes.join();`,
    expected: [
      ...Array(6).fill("api/not-loaded"),
      ...["model/unauthorized", "tool/bad-reply", "mcp/protocol", "four"],
    ].join(),
  },
};

/** What is broken in each job's folder. */
const faults = new Map();
/** Requests without an answer yet. */
const waiting = new Map();

async function answer(request, response, user) {
  const { pathname } = new URL(request.url, "http://host");
  if (pathname.startsWith("/refused"))
    return response.writeHead(401, { "content-type": "application/json" }).end("{}") && true;
  if (pathname.startsWith("/strange"))
    return response.writeHead(200, { "content-type": "text/event-stream" }).end("data: [1, {]}\n\n") && true;
  const [, folder, path] = /^\/(faulty\d+)(\/.*)$/.exec(pathname) ?? [];
  if (folder === undefined) return false;
  if (path === "/fault") {
    faults.set(folder, JSON.parse(await bodyOf(request)));
    for (const serve of waiting.get(folder) ?? []) serve();
    waiting.delete(folder);
    return response.writeHead(204).end() && true;
  }
  const own = () => readFileSync(join(user.folder, path));
  const serve = () => {
    const { pattern = null, how } = faults.get(folder) ?? {};
    if (pattern === null || !new RegExp(pattern).test(path)) return send(response, path, own());
    if (how === "404") return response.writeHead(404).end();
    if (how === "foreign") return send(response, path, ofAnotherBuild(own()));
    // Browsers and servers may keep such files.
    if (how !== "hang") return send(response, path, how === "empty" ? "" : "<!doctype html>");
    return waiting.set(folder, [...(waiting.get(folder) ?? []), serve]);
  };
  serve();
  return true;
}

/** The part imports the memory by a name that tells builds apart. */
function ofAnotherBuild(part) {
  const at = part.indexOf("$m");
  assert.match(part.toString("latin1", at, at + 10), /^\$m[0-9a-f]{8}$/);
  part[at + 2] = part[at + 2] === 48 ? 49 : 48;
  return part;
}

function send(response, path, body) {
  const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  response.writeHead(200, { "content-type": type, "cache-control": "max-age=600" }).end(body);
}

let visited;
before(async () => {
  const jobs = Object.entries(JOBS).map(([name, { script, isStarted = true }], at) => [
    name,
    {
      script: `${HEAD}\n${isStarted ? "await init();" : ""}\n${script}\nexport { result };`,
      folder: `/faulty${at}/bundle`,
    },
  ]);
  visited = await visitJobs(Object.fromEntries(jobs), answer);
});
after(() => visited?.close());

for (const [name, { expected }] of Object.entries(JOBS)) {
  test(`loads that fail in a page: ${name}`, async () => {
    const told = await visited.told[name];
    assert.ok(told.startsWith("{"), told);
    assert.equal(JSON.parse(told).result, expected);
  });
}
