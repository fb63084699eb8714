// Tests the command with real tool servers, a real model, and servers that misbehave.
//
// Only the existence and the tokens of the model's answers matter.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { json, startRefusingServer, serve, withTools } from "../servers/serve.mjs";
import * as servers from "../servers/servers.mjs";
import { example, file, folder, stepgraph } from "./stepgraph.mjs";

const KEY = "sk-marker-0123456789";

let llama;
before(async () => {
  llama = await servers.llama();
});
after(() => llama?.stop());

function group(name, start, tests) {
  test(name, async (context) => {
    const server = await start();
    context.after(() => server.stop());
    await tests(server.url, (title, run) => context.test(title, run));
  });
}

async function report(name, url, input, model = llama.url) {
  const audit = `${name}-${input.join("")}.ndjson`.replace(/[^a-zA-Z.-]/g, "");
  const args = [
    "run",
    "--plan",
    example(`${name}.yaml`),
    ...input,
    "--server",
    url,
    "--model-url",
    model,
    "--json",
    "--audit",
    audit,
  ];
  const { code, out, err } = await stepgraph(args);
  assert.equal(err, "", "with --json all is on standard output");
  const events = readFileSync(join(folder, audit), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ run: _run, plan: _plan, ...event }) => event);
  return { code, report: JSON.parse(out), events };
}

function assertPath({ code, report, events }, path) {
  assert.equal(code, 0);
  assert.deepEqual(report.outcome, { type: "completed", reason: "terminal" });
  assert.deepEqual(report.path, path);
  assert.ok(report.counts.tokens > 0);
  assert.deepEqual(events, report.trace);
  assert.deepEqual([events[0].type, events.at(-1).type], ["run-started", "run-ended"]);
  const started = events.filter((event) => event.type === "node-started").map((event) => event.node);
  assert.deepEqual(started, path);
}

const isText = (value) => typeof value === "string" && value.trim() !== "";

group("FastMCP", servers.fastmcp, async (url, check) => {
  await check("weather.yaml branches on the tool's result, asks the model and fills a template", async () => {
    const ran = await report("weather", url, ["--prompt", "Bergen"]);
    assertPath(ran, ["ask", "umbrella", "word", "answer"]);
    const { last, counts } = ran.report;
    assert.deepEqual([last.city, last.temperature, counts.calls], ["Bergen", 8, 2]);
    assert.ok(isText(last.advice));
    const taken = ran.events.filter((event) => event.type === "edge-decided" && event.reason === "condition");
    assert.deepEqual(
      taken.map((event) => [event.from, event.to]),
      [["ask", "umbrella"]],
    );
  });
  await check("a city unknown to the tool takes the edge for failures", async () => {
    const { code, out, err } = await stepgraph([
      "run",
      example("weather.yaml"),
      "--prompt",
      "Atlantis",
      "--server",
      url,
      "--model-url",
      llama.url,
    ]);
    assert.equal(code, 0, err);
    assert.match(err, /✗ ask .*tool\/failed: no weather is known for Atlantis/);
    assert.match(err, /→ unknown {2}since error\.exists/);
    assert.match(err, /completed in .*: 2 steps, 1 call\n/);
    assert.match(out, /^I can't tell for Atlantis: /);
  });
  await check("a missing tool stops the run before the first node", async () => {
    const misspelt = file(
      "misspelt.yaml",
      readFileSync(example("weather.yaml"), "utf8").replace("tool: weather", "tool: wether"),
    );
    const place =
      /error\[graph\/unknown-tool\]: there is no tool `wether`\n.*misspelt\.yaml:\d+:11[^]*did you mean `weather`\?/;
    const ran = await stepgraph(["run", misspelt, "--prompt", "Oslo", "--server", url, "--model-url", llama.url]);
    assert.deepEqual([ran.code, ran.out], [2, ""]);
    assert.match(ran.err, place);
    assert.match(ran.err, /not run: the plan has 1 error\n$/);
    const checked = await stepgraph(["check", misspelt, "--server", url]);
    assert.equal(checked.code, 2);
    assert.match(checked.out, place);
    assert.equal((await stepgraph(["check", example("weather.yaml"), "--server", url])).code, 0);
  });
});

group("server-everything", servers.everything, async (url, check) => {
  const input = (a) => ["--input", `a:=${a}`, "--input", "b:=3", "--input", "city=Chicago"];
  await check("everything.yaml: each answer is part of the next question", async () => {
    const ran = await report("everything", url, input(2));
    assertPath(ran, ["add", "weather", "say", "word", "answer"]);
    assert.match(ran.report.last.said, /^Echo: The sum of 2 and 3 is 5\. It is -?\d+ degrees in Chicago, /);
    assert.ok(isText(ran.report.last.friendlier));
  });
  await check("and decides where to go", async () => {
    const {
      code,
      report: { path, last },
    } = await report("everything", url, input(1));
    assert.deepEqual([code, path, last], [0, ["add", "wrong"], "that does not make five: The sum of 1 and 3 is 4."]);
  });
});

group("FastMCP with pages of two", servers.pages, async (url, check) => {
  await check("tools: lists every page", async () => {
    const { code, out } = await stepgraph(["tools", url]);
    assert.equal(code, 0);
    assert.ok(
      out.startsWith(`${url}: 6 tools\n\nprice(item: string) → object\n    The price of an item of the menu.\n`),
      out,
    );
    const [{ tools }] = JSON.parse((await stepgraph(["tools", url, "--json"])).out).servers;
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ["price", "greet", "add", "menu", "json_text", "weather"],
    );
  });
  await check("menu.yaml uses tools of every page", async () => {
    const ran = await report("menu", url, ["--prompt", "tea"]);
    assertPath(ran, ["menu", "price", "paid", "thanks", "bill"]);
    assert.deepEqual([ran.report.last.item, ran.report.last.total], ["tea", 3.5]);
    assert.ok(isText(ran.report.last.words));
  });
  await check("menu.yaml fails for an item that is not on the menu", async () => {
    const {
      code,
      report: { path, last },
    } = await report("menu", url, ["--prompt", "beer"]);
    assert.deepEqual([code, path], [0, ["menu", "price", "sorry"]]);
    assert.equal(last, 'Sorry, there is no beer on the menu: it has ["tea","coffee","water"].');
  });
});

const plan = file(
  "plan.yaml",
  `
nodes:
  before: { type: log, input: done }
  ask: { type: tool, tool: weather, input: { city: Oslo } }
  word: { type: llm, input: "hi" }
edges:
  - { from: before, to: ask }
  - { from: ask, to: word }
`,
);

/** The short limit still lets earlier nodes finish. No test reaches the long one. */
const timeoutArgs = (code) => ["--timeout", code.endsWith("/timeout") ? "3000" : "60000"];

/** The report must contain the earlier nodes, and no output the key. */
async function assertFailedRun(args, node, code) {
  const env = { OPENAI_API_KEY: KEY };
  const timeout = timeoutArgs(code);
  const audit = `${node}-${code.replace("/", "-")}.ndjson`;
  const ran = await stepgraph(["run", plan, "--json", ...timeout, "--audit", audit, ...args], { env });
  assert.equal(ran.code, 1, ran.err);
  const { outcome, outputs, path, counts } = JSON.parse(ran.out);
  assert.deepEqual([outcome.type, outcome.code, outcome.node], ["failed", code, node]);
  assert.equal(outputs.before, "done");
  if (node === "word") assert.equal(outputs.ask, "snow");
  assert.deepEqual([path, counts.steps], node === "ask" ? [["before", "ask"], 2] : [["before", "ask", "word"], 3]);
  const told = await stepgraph(["run", plan, ...timeout, ...args], { env });
  assert.equal(told.code, 1);
  assert.match(
    told.err,
    new RegExp(
      `✓ before .*"done"[^]*✗ ${node} .*${code}: [^]*error\\[${code}\\]: [^]*--> [^\n]*node \`${node}\`\nfailed in `,
    ),
  );
  const trail = readFileSync(join(folder, audit), "utf8");
  assert.match(trail, /"node-completed".*"before"[^]*"node-failed"/);
  for (const text of [ran.out, told.err, told.out, trail]) assert.ok(!text.includes(KEY), "the key is shown to nobody");
}

const replySnow = ({ body, response }) =>
  json(response, 200, {
    jsonrpc: "2.0",
    id: body.id,
    result: { resultType: "complete", content: [{ type: "text", text: "snow" }] },
  });
const html = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>");

for (const [what, call, code] of [
  ["does not answer in time", () => {}, "tool/timeout"],
  ["answers garbage", ({ response }) => html(response), "tool/bad-reply"],
  ["hangs up", ({ response }) => response.destroy(), "tool/unreachable"],
  ["does not know us any more", ({ response }) => json(response, 401, {}), "tool/unauthorized"],
]) {
  test(`a tool server that ${what}: the node fails, and earlier outputs stay in the report`, async (context) => {
    const { url, stop } = await withTools(["weather"], call);
    context.after(stop);
    await assertFailedRun(["--server", url, "--model-url", url], "ask", code);
  });
}

for (const [what, answer, code] of [
  ["does not answer in time", () => {}, "model/timeout"],
  ["answers garbage", html, "model/bad-reply"],
  [
    "wants another key",
    (response) => json(response, 401, { error: { message: `wrong key ${KEY}` } }),
    "model/unauthorized",
  ],
  [
    "has had enough",
    (response) => json(response, 429, { error: { message: "slow down" } }, { "retry-after-ms": "1" }),
    "model/rate-limited",
  ],
]) {
  test(`a model that ${what}: the node fails, and earlier outputs stay in the report`, async (context) => {
    const tools = await withTools(["weather"], replySnow);
    const model = await serve(({ response }) => answer(response));
    context.after(() => Promise.all([tools.stop(), model.stop()]));
    await assertFailedRun(["--server", tools.url, "--model-url", model.url], "word", code);
  });
}

test("a model that is down: the node fails, and earlier outputs stay in the report", async (context) => {
  const tools = await withTools(["weather"], replySnow);
  const model = await startRefusingServer();
  context.after(() => Promise.all([tools.stop(), model.stop()]));
  await assertFailedRun(["--server", tools.url, "--model-url", model.url], "word", "model/unreachable");
});

for (const [what, start, code, help] of [
  ["is down", startRefusingServer, "tool/unreachable", "no server answers at `127.0.0.1:"],
  ["does not answer in time", () => serve(() => {}), "tool/timeout", "raise `--timeout MS`"],
  [
    "answers garbage",
    () => serve(({ response }) => html(response)),
    "tool/bad-reply",
    ".* answers, but not as a server of tools: <h1>hello</h1>",
  ],
]) {
  test(`a tool server that ${what} when the client lists its tools: nothing runs`, async (context) => {
    const { url, stop } = await start();
    context.after(() => stop());
    const args = ["--server", url, "--model-url", url, ...timeoutArgs(code)];
    const ran = await stepgraph(["run", plan, "--json", ...args]);
    assert.equal(ran.code, 1, ran.err);
    const { outcome, path } = JSON.parse(ran.out);
    assert.deepEqual([outcome.type, outcome.code, path], ["failed", code, []]);
    const told = await stepgraph(["run", plan, ...args]);
    assert.match(
      told.err,
      new RegExp(`error\\[${code}\\]: [^]*--> --server ${url}\n.*help: .*${help}[^]*not run: no node was reached\n$`),
    );
    for (const command of [
      ["tools", url],
      ["check", plan, "--server", url],
    ]) {
      const asked = await stepgraph([...command, ...timeoutArgs(code)]);
      assert.deepEqual([asked.code, asked.out], [1, ""]);
      assert.match(
        asked.err,
        new RegExp(`^error\\[tool/[a-z-]+\\]: can't list the tools: \`127.*\` [^]*help: .*${help}`, "m"),
      );
    }
  });
}
