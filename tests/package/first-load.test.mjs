// Tests the compressed size of a bundled page's downloads, by job. Prints the table of `docs/runtimes.md`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { visitJobs } from "./page-jobs.mjs";

const PLAN = `start: ask
nodes:
  ask:
    type: ask
    input: "\${input}"
  rate:
    type: rate
    input: {name: "\${output.ask.items[0].name}", total: "\${output.ask.items.map(i, i.price).size()}"}
  done:
    type: log
    input: "\${last.ok ?? 'nothing'}"
edges:
  - {from: ask, to: rate, condition: "size(last.items) > 1 && last.items.exists(i, i.price > 2)"}
  - {from: ask, to: done, condition: last.kind==none}
  - {from: rate, to: done}
`;
const GUIDE = `# Writes until it is good enough, and asks before it sends.
id: letters
inputs:
  topic: {type: string, description: what to write about}
  rounds: {type: integer, default: 3}
limits: {steps: 40}
start: count
nodes:
  count:
    type: set
    with: {values: {round: "\${(output.count.round ?? 0) + 1}"}}
  write:
    type: write
    input: {topic: "\${input.topic}", round: "\${output.count.round}"}
    retry: {attempts: 2, backoff_ms: 1}
  ask:
    type: approve
    description: Send this?
    input: "\${output.write.draft}"
  rest: {type: wait, with: {ms: 1}}
  done:
    type: log
    input: >-
      sent: \${output.write.draft} about
      \${input.topic}
  stop: {type: log, input: not sent}
edges:
  - {from: count, to: write}
  - {from: write, to: ask, condition: last.ok && output.count.round <= input.rounds}
  - {from: write, to: count, condition: output.count.round < 3}
  - {from: write, to: stop}
  - {from: ask, to: rest, condition: last == "approved"}
  - {from: ask, to: stop}
  - {from: rest, to: done}
`;
const HANDLERS = `{
  ask: async () => ({ kind: "x", items: [{ name: "tea", price: 3 }, { name: "jam", price: 1 }] }),
  rate: () => ({ ok: true }),
}`;
const CALLS = `nodes:
  look: {type: tool, tool: price, input: {item: "\${input}"}}
  say: {type: llm, input: "Say \${last.price}"}
edges: [{from: look, to: say}]
`;
const example = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
const text = JSON.stringify;

/** A script that exports a text, and the most that it may load, in kB: of everything, and of scripts. */
const JOBS = {
  "a plan with handlers": {
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(PLAN)});
      export const result = String((await run(graph, { input: 1, handlers: ${HANDLERS} })).last);`,
    expected: "true",
    files: ["stepgraph_first.wasm"],
    most: 219,
    scripts: 31,
  },
  "a plan whose handler fails": {
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const ask = () => { throw new Error("no"); };
      const { outcome } = await run(PlanGraph.load(${text(PLAN)}), { input: 1, handlers: { ask, rate: ask } });
      export const result = [outcome.type, outcome.code, outcome.node].join();`,
    expected: "failed,handler/failed,ask",
    files: ["stepgraph_first.wasm"],
    most: 219,
    scripts: 31,
  },
  "a plan as guides have them": {
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(GUIDE)});
      const handlers = { write: ({ input }) => ({ draft: input.round + "!", ok: input.round > 1 }) };
      const { last } = await run(graph, { input: { topic: "tea" }, handlers, onApproval: () => "approved" });
      export const result = String(last);`,
    expected: "sent: 2! about tea",
    files: undefined,
    most: 303,
    scripts: 33,
  },
  "tools and a model": {
    script: `import { init, mcp, openai, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(CALLS)});
      const tools = [mcp(location.origin + "/mcp")];
      const models = { default: openai({ baseUrl: location.origin + "/v1", model: "m" }) };
      const report = await run(graph, { input: "tea", tools, models });
      export const result = String(report.last ?? JSON.stringify(report.outcome));`,
    expected: "four",
    files: ["stepgraph_first.wasm", "stepgraph_open_calls.wasm", "stepgraph_calls.wasm", "stepgraph_wire_first.wasm"],
    most: 329,
    scripts: 45,
  },
  "a planner with stubs": {
    script: `import { init, PlanGraph, readYaml, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(example("plan-gather.yaml"))});
      const stubs = readYaml(${text(example("plan-gather.stubs.yaml"))}).value;
      export const result = (await run(graph, { input: "How do my applications stand?", stubs })).outcome.type;`,
    expected: "completed",
    files: undefined,
    most: 450,
    scripts: 38,
  },
  "a plan with a type that resembles a built-in one": {
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load("nodes: {a: {type: weather}}");
      export const result = String((await run(graph, { handlers: { weather: () => "sun" } })).last);`,
    expected: "sun",
    files: ["stepgraph_first.wasm"],
    most: 219,
    scripts: 31,
  },
  "a plan with a mistake": {
    script: `import { init, PlanGraph } from "stepgraph";
      await init();
      export const result = PlanGraph.parse("nodes: {a: {type: lgo, inptu: 1}}").diagnostics[0].code;`,
    expected: "graph/unknown-key",
    files: undefined,
    most: 298,
    scripts: 18,
  },
  "a plan with a mistake while parts can't be loaded": {
    folder: "/gone-parts/bundle",
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const parse = () => PlanGraph.parse("nodes: {a: {type: lgo, inptu: 1}}").diagnostics[0].code;
      const attempt = () => {
        try {
          return parse();
        } catch (error) {
          return error.code;
        }
      };
      const [first, second] = [attempt(), attempt()];
      // Each failure leaves frames of the engine: their stack must come back.
      for (let at = 0; at < 400; at++) await attempt();
      const graph = PlanGraph.load(${text(PLAN)});
      const { last } = await run(graph, { input: 1, handlers: ${HANDLERS} });
      await fetch("/gone-parts/back", { method: "POST" });
      export const result = [first, second, last, attempt()].join();`,
    expected: "api/not-loaded,api/not-loaded,true,graph/unknown-key",
    files: undefined,
    most: 245,
    scripts: 33,
  },
  "a plan that is recorded and pauses": {
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load("nodes: {ok: {type: approve}}");
      const lines = [];
      const { outcome, snapshot } = await run(graph, { record: (line) => lines.push(line), key: "k" });
      const resumed = await run(graph, { snapshot, key: "k", onApproval: () => "approved" });
      const stop = new AbortController();
      const cancelled = await run(graph, { signal: stop.signal, onApproval: () => new Promise(() => stop.abort()) });
      const replayed = await run(graph, { replay: lines });
      export const result = [outcome, resumed.outcome, cancelled.outcome, replayed.outcome].map(({ type }) => type).join();`,
    expected: "paused,completed,cancelled,paused",
    files: undefined,
    most: 309,
    scripts: 45,
  },
  "a plan while its scripts can't be loaded": {
    folder: "/gone-scripts/bundle",
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(PLAN)});
      const options = { input: 1, handlers: ${HANDLERS} };
      const attempt = async () => {
        try {
          return (await run(graph, { ...options, prices: { models: {} } })).outcome.type;
        } catch (error) {
          return error.code + " " + error.message.startsWith("the script \`run-prices\` was not loaded: ");
        }
      };
      const failed = await attempt();
      const { last } = await run(graph, options);
      await fetch("/gone-scripts/back", { method: "POST" });
      export const result = [failed, last, await attempt()].join();`,
    expected: "api/not-loaded true,true,completed",
    files: undefined,
    most: 240.5,
    scripts: 37,
  },
  "an editor: comparing plans": {
    script: `import { comparePlans, init } from "stepgraph/editor";
      await init();
      export const result = String(comparePlans("nodes: {a: {type: log}}", "nodes: {b: {type: log}}").same);`,
    expected: "false",
    files: ["stepgraph_editor_bg.wasm"],
    most: 920,
    scripts: 10,
  },
};

let visited;
before(async () => {
  visited = await visitJobs(JOBS, answer);
});
after(() => visited?.close());

/** Folders that lack later parts of the engine and later scripts, until a page asks for them. */
const gone = new Set(["gone-parts", "gone-scripts"]);

async function answer(request, response, user) {
  const { pathname } = new URL(request.url, "http://host");
  const [, folder] = pathname.split("/", 2);
  return folder.startsWith("gone-") && serveCopy(user, folder, pathname.slice(folder.length + 1), response);
}

function serveCopy(user, folder, path, response) {
  if (path === "/back") {
    gone.delete(folder);
    return response.writeHead(204).end() && true;
  }
  const isLater = /^\/bundle\/web-/.test(path) || (path.endsWith(".wasm") && !path.includes("first"));
  if (isLater && gone.has(folder)) return response.writeHead(404).end() && true;
  const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  response.writeHead(200, { "content-type": type }).end(readFileSync(join(user.folder, path)));
  return true;
}

for (const [name, { expected, files, most, scripts: mostScripts }] of Object.entries(JOBS)) {
  test(`a page that runs ${name}`, async (context) => {
    const told = JSON.parse(await visited.told[name]);
    assert.equal(told.result, expected);
    const paths = told.files.map((file) => file.replace(/^\/gone-\w+/, ""));
    const loaded = [...new Set(paths)].filter((file) => /^\/(bundle|pkg)\//.test(file));
    const modules = loaded.filter((file) => file.endsWith(".wasm")).map((file) => file.replace("/pkg/", ""));
    if (files) assert.deepEqual(modules.sort(), files.sort());
    const zipped = (list) =>
      list.reduce(
        (sum, file) => sum + gzipSync(readFileSync(join(visited.user.folder, file)), { level: 9 }).length,
        0,
      ) / 1000;
    const scripts = zipped(loaded.filter((file) => file.endsWith(".js")));
    const total = zipped(loaded);
    context.diagnostic(`${name}: ${total.toFixed(1)} kB, ${scripts.toFixed(0)} of them scripts; ${modules.join(", ")}`);
    assert.ok(total < most, `${total.toFixed(1)} kB gzipped`);
    assert.ok(scripts < mostScripts, `${scripts.toFixed(1)} kB of scripts, gzipped`);
  });
}
