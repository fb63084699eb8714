// Tests `stepgraph serve` with the official client, over both transports and eras.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { mcp, PlanGraph, check, run, stubTools } from "../../dist/node.js";
import { serve, withTools, json } from "../servers/serve.mjs";
import { everything } from "../servers/servers.mjs";
import { steps, tools as chosen, values, prosePlan } from "../servers/author.mjs";
import { ERAS, overHttp, overStdio, textOf } from "./serve/client.mjs";
import { file, folder, program, stepgraph } from "./stepgraph.mjs";

mkdirSync(join(folder, "plans/deep"), { recursive: true });
const shop = file(
  "shop.stubs.yaml",
  `
tools:
  quote: {return: {total: 120}, description: "What it costs.", input_schema: {type: object, properties: {item: {type: string}}, required: [item]}, annotations: {readOnlyHint: true}}
  pay: {return: {paid: 120}, annotations: {destructiveHint: false}}
  wipe: {return: gone, annotations: {destructiveHint: true}}
  slow: {return: done, delay_ms: 600000}
  broken: {fail: "out of stock"}
  large: {return: ${"x".repeat(50_000)}}
`,
);
file(
  "plans/ask.yaml",
  `
id: order
start: quote
nodes:
  quote: {type: tool, tool: quote, input: {item: "\${input.item}"}}
  ask: {type: approve, input: {total: "\${output.quote.total}"}}
  pay: {type: tool, tool: pay, input: {total: "\${output.ask.total ?? output.quote.total}"}}
  kept: {type: log, input: "nothing was paid"}
edges:
  - {from: quote, to: ask}
  - {from: ask, to: kept, condition: last==rejected}
  - {from: ask, to: pay}
`,
);
file("plans/deep/hello.yaml", 'description: Says hello.\nnodes: {hello: {type: log, input: "hi, ${input}"}}');
const WIPE = "nodes: {wipe: {type: tool, tool: wipe, input: {}}}";
const SLOW_PLAN =
  "nodes: {quote: {type: tool, tool: quote, input: {item: tea}}, slow: {type: tool, tool: slow, input: {}}}\nedges: [{from: quote, to: slow}]";
const common = ["--stubs", shop, "--plans", "plans"];

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, options);
async function callTool(client, name, args, options) {
  const result = await call(client, name, args, options);
  assert.ok(!result.isError, textOf(result));
  return result.structuredContent;
}
async function callError(client, name, args, code) {
  const result = await call(client, name, args);
  assert.equal(result.isError, true, textOf(result));
  assert.match(textOf(result), new RegExp(`^error\\[${code}\\]: .+\n  help: .+`), textOf(result));
  return textOf(result);
}
async function waitUntilStopped(client, id) {
  for (;;) {
    const { status } = await callTool(client, "explain_run", id === undefined ? {} : { run: id }).then((found) =>
      id === undefined ? (found.runs[0] ?? { status: "running" }) : found,
    );
    if (status !== "running") return status;
  }
}

const sharedServer = await overHttp(common);
after(() => sharedServer.stop());

for (const era of Object.keys(ERAS)) {
  for (const [over, open] of [
    ["stdio", () => overStdio(common, { era })],
    ["HTTP", () => sharedServer.connect({ era })],
  ]) {
    test(`a plan is written, checked, run and explained, over ${over} by ${era}`, async (context) => {
      const client = await open();
      context.after(() => client.close());
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["describe_tools", "check_plan", "run_plan", "resume_run", "explain_run", "plan_request"],
      );
      for (const tool of tools)
        assert.ok(
          tool.description.length > 100 && tool.outputSchema && tool.annotations.readOnlyHint !== undefined,
          tool.name,
        );

      const described = await callTool(client, "describe_tools", { name: "quote" });
      assert.equal(described.tools[0].signature, "quote(item: string)");
      assert.equal(described.tools[0].effect, "reads");
      assert.deepEqual(described.plans, ["ask.yaml", join("deep", "hello.yaml")]);

      const wrong = await callTool(client, "check_plan", {
        plan: "nodes:\n  a: {type: tool, tool: quote, input: {itm: tea}}\n  b: {type: lgo}\nedges:\n  - {from: a, to: b}\n",
      });
      assert.equal(wrong.ok, false);
      const [slip, type] = wrong.diagnostics;
      assert.deepEqual(
        [slip.code, slip.line, slip.at, slip.fix],
        [
          "tool/invalid-arguments",
          2,
          "node a",
          [{ line: 2, column: 40, end_line: 2, end_column: 43, old: "itm", new: "item" }],
        ],
      );
      assert.deepEqual([type.code, type.line], ["graph/unknown-type", 3]);
      const plan =
        "nodes:\n  look: {type: tool, tool: quote, input: {itm: tea}}\n  say: {type: log, input: x}\nedges:\n  - {from: loook, to: say}\n";
      const { mended } = await callTool(client, "check_plan", { plan, fix: true });
      assert.equal(
        (await callTool(client, "check_plan", { plan: mended })).ok,
        true,
        "the structure and what the tools take, in one pass",
      );
      const right = await call(client, "check_plan", { path: "ask.yaml" });
      assert.deepEqual(
        [right.structuredContent.ok, right.structuredContent.review.reads, right.structuredContent.review.people],
        [true, ["quote"], ["ask"]],
      );
      assert.match(textOf(right), /^ok: the plan can run: no problems\n\nreads: quote\nwrites: pay\npeople: ask$/);

      const ran = await callTool(client, "run_plan", { path: "deep/hello.yaml", input: "Ada" });
      assert.deepEqual([ran.status, ran.last, ran.path, ran.reason], ["completed", "hi, Ada", ["hello"], "terminal"]);

      const told = await callTool(client, "explain_run", { run: ran.run, node: "hello" });
      assert.deepEqual([told.nodes[0].output, told.decisions[0].to], ["hi, Ada", null]);
      const piece = await callTool(client, "explain_run", { run: ran.run, value: "/outputs/hello" });
      assert.equal(piece.piece.text, "hi, Ada");
    });
  }

  test(`the server asks the user through the client, by ${era}`, async (context) => {
    const answers = [];
    const client = await sharedServer.connect({ era, elicit: (params) => (asked.push(params), answers.shift()) });
    context.after(() => client.close());
    let asked = [];
    const order = async (answer) => {
      asked = [];
      answers.push(answer);
      return callTool(client, "run_plan", { path: "ask.yaml", input: { item: "chair" } });
    };
    const approved = await order({ action: "accept", content: { decision: "approve" } });
    assert.deepEqual([approved.status, approved.path.at(-1), approved.outputs.ask], ["completed", "pay", "approved"]);
    assert.match(asked[0].message, /The plan `order` asks for approval at `ask`.*\n\{"total":120\}/);
    const other = await order({ action: "accept", content: { decision: "approve", instead: '{"total": 90}' } });
    assert.deepEqual(other.outputs.ask, { total: 90 });
    assert.equal((await order({ action: "accept", content: { decision: "reject" } })).path.at(-1), "kept");
    // `decline` rejects the approval. `cancel` leaves the run paused.
    assert.equal((await order({ action: "decline" })).path.at(-1), "kept");
    const open = await order({ action: "cancel" });
    assert.deepEqual([open.status, open.asks[0].call], ["paused", "ask:1:1"]);
    answers.push({ action: "accept", content: { decision: "approve" } });
    assert.equal((await callTool(client, "resume_run", { run: open.run })).status, "completed");

    answers.push({ action: "accept", content: { decision: "reject" } });
    asked = [];
    const kept = await call(client, "run_plan", { plan: WIPE });
    assert.match(asked[0].message, /requests the tool `wipe` at `wipe`, which may be destructive/);
    assert.equal(kept.isError, true, "the tool was not called");
    assert.notEqual(kept.structuredContent.last, "gone");

    answers.push(...["approve", "approve"].map((decision) => ({ action: "accept", content: { decision } })));
    const both = await callTool(client, "run_plan", {
      plan: "nodes: {both: {type: parallel, branches: {a: {nodes: {x: {type: approve, input: 1}}}, b: {nodes: {y: {type: approve, input: 2}}}}}}",
    });
    assert.deepEqual(both.last, { a: "approved", b: "approved" });
  });

  test(`a cancelled run starts no further call and can be resumed, by ${era}`, async (context) => {
    const calls = [];
    const release = [];
    const server = await withTools(["first", "second"], ({ body, response }) => {
      const { name } = body.params;
      calls.push(name);
      const answer = () =>
        json(response, 200, {
          jsonrpc: "2.0",
          id: body.id,
          result: { resultType: "complete", content: [{ type: "text", text: name }] },
        });
      if (name === "second" && calls.length === 2) release.push(answer);
      else answer();
    });
    const served = await overHttp(["--server", `shop=${server.url}`]);
    context.after(async () => (await served.stop(), server.stop()));
    const client = await served.connect({ era });
    context.after(() => client.close());
    const stop = new AbortController();
    const plan =
      "nodes: {first: {type: tool, tool: first, input: {}}, second: {type: tool, tool: second, input: {}}, third: {type: tool, tool: first, input: {}}}\nedges: [{from: first, to: second}, {from: second, to: third}]";
    const onprogress = ({ message }) => message === "second started" && stop.abort();
    await assert.rejects(call(client, "run_plan", { plan }, { signal: stop.signal, onprogress }));
    assert.equal(await waitUntilStopped(client), "cancelled");
    const { runs } = await callTool(client, "explain_run");
    const done = await callTool(client, "resume_run", { run: runs[0].run });
    assert.deepEqual([done.status, done.last], ["completed", "first"]);
    assert.deepEqual(calls, ["first", "second", "second", "first"], "what had finished is not called again");
  });

  test(`the client's model plans and answers if the server has none, by ${era}`, async (context) => {
    const questions = [];
    const stages = [
      ["You look whether one", { found: false, name: null, reasoning: "" }],
      ["You find the values in a request", values({ item: "chair" })],
      ["You say what a request asks for", steps("look up what the item costs")],
      ["You choose the components", chosen("quote")],
      ["Give the plan in words.", prosePlan("quote")],
      [
        "Now write the workflow",
        {
          id: "price",
          start: "ask",
          inputs: { item: { type: "string" } },
          nodes: { ask: { type: "tool", tool: "quote", input: { item: "${input.item}" } } },
          edges: [],
        },
      ],
      ["You find the values that a workflow needs", values({ item: "chair" })],
    ];
    const sample = ({ systemPrompt = "", messages }) => {
      const last = messages.at(-1).content.text ?? "";
      questions.push(last);
      const found =
        stages.find(([words]) => last.includes(words)) ?? stages.find(([words]) => systemPrompt.includes(words));
      const answer = found ? found[1] : "lovely";
      const text = typeof answer === "string" ? answer : `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``;
      return { model: "scripted", role: "assistant", content: { type: "text", text } };
    };
    const client = await sharedServer.connect({ era, sample });
    context.after(() => client.close());
    const said = await callTool(client, "run_plan", {
      plan: 'nodes: {say: {type: llm, input: "Say hello to ${input}"}}',
      input: "Ada",
    });
    assert.deepEqual([said.last, questions], ["lovely", ["Say hello to Ada"]]);
    const planned = await call(client, "plan_request", { request: "what does a chair cost?" });
    const { status, plan, params, review, diagnostics } = planned.structuredContent;
    assert.equal(status, "planned", textOf(planned));
    assert.deepEqual([params, review.reads, diagnostics], [{ item: "chair" }, ["quote"], []]);
    const ran = await callTool(client, "run_plan", { plan, input: params });
    assert.deepEqual(ran.last, { total: 120 });
  });
}

test("the server's own model plans, finds an existing plan and lists missing capabilities", async (context) => {
  let [stages, refusing] = [[], false];
  const model = await serve(({ body, response }) => {
    if (refusing) return json(response, 401, { error: { message: "no such key" } });
    const asked = body.messages.map(({ content }) => content).join("\n");
    const [, answer = { found: false, name: null, reasoning: "" }] =
      stages.findLast(([words]) => asked.includes(words)) ?? [];
    const content = typeof answer === "string" ? answer : JSON.stringify(answer);
    json(response, 200, {
      choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
  });
  const client = await overStdio([...common, "--model-url", `${model.url}/v1`, "--model", "scripted"]);
  context.after(async () => (await client.close(), model.stop()));
  stages = [
    ["You look whether one", { found: true, name: join("deep", "hello.yaml"), reasoning: "it says hello" }],
    ["You find the values that a workflow needs", values({})],
  ];
  const found = await call(client, "plan_request", { request: "say hello to Ada" });
  assert.deepEqual(
    [found.structuredContent.status, found.structuredContent.path],
    ["found", join("deep", "hello.yaml")],
    textOf(found),
  );
  stages = [
    ["You find the values in a request", values({})],
    ["You say what a request asks for", { ...steps(), is_clear: false, clarification_needed: "What shall it cost?" }],
  ];
  const unclear = await call(client, "plan_request", { request: "do something" });
  assert.deepEqual(
    [unclear.structuredContent.status, unclear.isError ?? false],
    ["clarification_needed", false],
    textOf(unclear),
  );
  assert.match(textOf(unclear), /^clarification_needed: .*What shall it cost\?/);
  assert.ok(unclear.structuredContent.tokens > 0);
  refusing = true;
  assert.match(await callError(client, "plan_request", { request: "do something" }, "model/unauthorized"), /key/);
});

test("the server answers wrong calls with a code and help", async (context) => {
  const client = await sharedServer.connect();
  context.after(() => client.close());
  assert.match(await callError(client, "run_plan", { pln: "x" }, "serve/bad-arguments"), /did you mean `plan`\?/);
  assert.match(await callError(client, "resume_run", {}, "serve/bad-arguments"), /`run`/);
  assert.match(await callError(client, "explain_run", { run: "x", offset: -1 }, "serve/bad-arguments"), /`offset`/);
  await callError(client, "run_plan", {}, "serve/no-plan");
  await callError(client, "check_plan", { plan: "a", path: "b" }, "serve/no-plan");
  assert.match(
    await callError(client, "check_plan", { path: "asc.yaml" }, "serve/unknown-plan"),
    /did you mean `ask.yaml`\?/,
  );
  for (const path of ["../shop.stubs.yaml", "/etc/passwd", "deep/../../shop.stubs.yaml", "plans", "__proto__", "deep"])
    await callError(client, "check_plan", { path }, "serve/unknown-plan");
  assert.match(
    await callError(client, "describe_tools", { name: "qoute" }, "serve/unknown-tool"),
    /did you mean `quote`\?/,
  );
  await callError(client, "describe_tools", { server: "moon" }, "serve/unknown-tool");
  await callError(client, "explain_run", { run: "run-000000000000" }, "serve/unknown-run");
  await callError(client, "explain_run", { run: "../../x" }, "serve/unknown-run");
  await callError(client, "plan_request", { request: "anything" }, "serve/no-model");
  assert.match(
    await callError(client, "run_plan", { plan: "nodes: {a: {type: tool, tool: qute}}" }, "run/invalid-plan"),
    /error\[graph\/unknown-tool\]/,
  );
  assert.match(
    await callError(client, "run_plan", { plan: "nodes: {a: {type: llm, input: hi}}" }, "run/invalid-plan"),
    /`--model`/,
  );
  const { runs: before } = await callTool(client, "explain_run");
  await callError(client, "run_plan", { plan: "nodes: {" }, "run/invalid-plan");
  assert.equal((await callTool(client, "explain_run")).runs.length, before.length, "what does not run is not kept");

  const failed = await call(client, "run_plan", { plan: "nodes: {a: {type: tool, tool: broken, input: {}}}" });
  assert.equal(failed.isError, true);
  assert.deepEqual(failed.structuredContent.failure, {
    code: "tool/failed",
    message: "out of stock",
    node: "a",
    help: failed.structuredContent.failure.help,
  });
  assert.match(textOf(failed), /error\[tool\/failed\]: node `a`: out of stock\n {2}help: .*error.exists/);
  await callError(client, "resume_run", { run: failed.structuredContent.run }, "serve/run-over");

  const {
    run: large,
    last,
    outputs,
  } = await callTool(client, "run_plan", { plan: "nodes: {large: {type: tool, tool: large, input: {}}}" });
  assert.deepEqual([last.cut, last.characters, outputs.large.cut], [true, 50_002, true]);
  const first = await callTool(client, "explain_run", { run: large, value: "/last" });
  const second = await callTool(client, "explain_run", { run: large, value: "/last", offset: first.piece.next_offset });
  assert.deepEqual([first.piece.text.length, first.piece.next_offset, second.piece.from], [16_000, 16_000, 16_000]);
  assert.match(
    await callError(client, "explain_run", { run: large, value: "/outputs/lrge" }, "serve/unknown-value"),
    /`\/outputs\/large`/,
  );
  await callError(client, "explain_run", { run: large, node: "moon" }, "serve/unknown-value");
  await callError(client, "explain_run", { run: large, value: "/outputs/__proto__/x" }, "serve/unknown-value");
});

test("the server survives hostile plans unchanged", async (context) => {
  const client = await sharedServer.connect();
  context.after(() => client.close());
  const deep = `nodes: {a: {type: log, input: ${"[".repeat(5000)}${"]".repeat(5000)}}}`;
  const names =
    '{"nodes": {"__proto__": {"type": "log", "input": 1}, "constructor": {"type": "log", "input": "${output.__proto__}"}}, "edges": [{"from": "__proto__", "to": "constructor"}], "start": "__proto__"}';
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, i) => `${"bcdefghijklm"[i]}: &${"bcdefghijklm"[i]} [${`*${"abcdefghijkl"[i]},`.repeat(9)}]`).join("\n")}\nnodes: {}`;
  const many = `nodes:\n${Array.from({ length: 3000 }, (_, i) => `  n${i}: {type: lgo}`).join("\n")}\n`;
  for (const plan of [
    deep,
    bomb,
    many,
    "\0",
    "{}",
    "null",
    "nodes: []",
    "nodes: {a: {type: log}}\nedges: [{from: a, to: a}]",
  ]) {
    const { ok, diagnostics } = await callTool(client, "check_plan", { plan });
    assert.equal(ok, false, plan.slice(0, 40));
    assert.ok(diagnostics.length > 0 && diagnostics.length <= 40);
    await callError(client, "run_plan", { plan }, "run/invalid-plan");
  }
  const ran = await call(client, "run_plan", { plan: names });
  assert.deepEqual(ran.structuredContent?.path, ["__proto__", "constructor"], textOf(ran));
  await callTool(client, "explain_run", { run: ran.structuredContent.run, node: "__proto__" });
  assert.equal({}.polluted, undefined);
  const loop = await call(client, "run_plan", {
    plan: "start: a\nnodes: {a: {type: log, input: 1, visits: 1000000}, b: {type: noop}}\nedges: [{from: a, to: a, condition: last==1}, {from: a, to: b}]",
  });
  assert.equal(loop.structuredContent.failure.code, "run/step-limit");
});

test("a caller may decide approvals only if the operator allows it", async (context) => {
  const client = await sharedServer.connect();
  context.after(() => client.close());
  const { run: id, status, asks } = await callTool(client, "run_plan", { path: "ask.yaml", input: { item: "chair" } });
  assert.deepEqual([status, asks[0].call, asks[0].input], ["paused", "ask:1:1", { total: 120 }]);
  await callError(client, "resume_run", { run: id, decisions: { "ask:1:1": "approved" } }, "serve/not-yours-to-decide");
  assert.match(
    await callError(client, "resume_run", { run: id, decisions: { "ask:1": "approved" } }, "serve/unknown-approval"),
    /did you mean `ask:1:1`\?/,
  );
  await callError(client, "resume_run", { run: id, decisions: { "ask:1:1": "yes" } }, "serve/bad-arguments");
  assert.equal((await callTool(client, "resume_run", { run: id })).status, "paused", "without a person it stays so");

  const trusting = await overStdio([...common, "--caller-decides"]);
  context.after(() => trusting.close());
  const other = await callTool(trusting, "run_plan", { path: "ask.yaml", input: { item: "chair" } });
  const done = await callTool(trusting, "resume_run", {
    run: other.run,
    decisions: { "ask:1:1": { value: { total: 5 } } },
  });
  assert.deepEqual([done.status, done.outputs.ask], ["completed", { total: 5 }]);

  const allowing = await overStdio([...common, "--allow", "wipe", "--context", "user_email=a@b.c"]);
  context.after(() => allowing.close());
  assert.equal((await callTool(allowing, "run_plan", { plan: WIPE })).last, "gone");
  assert.equal(
    (
      await callTool(allowing, "run_plan", {
        plan: 'nodes: {who: {type: log, input: "${context.user_email}"}}',
        input: { context: { user_email: "evil@x.y" } },
      })
    ).last,
    "a@b.c",
  );
  await callError(allowing, "run_plan", { plan: WIPE, context: { user_email: "evil@x.y" } }, "serve/bad-arguments");
});

test("stored runs outlive the server, and a user can decide at a terminal", async (context) => {
  const args = [...common, "--runs", "kept"];
  const first = await overStdio(args);
  const paused = await callTool(first, "run_plan", { path: "ask.yaml", input: { item: "chair" } });
  const both = await callTool(first, "run_plan", { path: "ask.yaml", input: { item: "lamp" } });
  const done = await callTool(first, "run_plan", { path: "deep/hello.yaml", input: "Ada" });
  await first.close();
  const second = await overStdio(args, { elicit: () => ({ action: "accept", content: { decision: "approve" } }) });
  context.after(() => second.close());
  assert.equal((await callTool(second, "explain_run")).runs.length, 3);
  assert.equal((await callTool(second, "explain_run", { run: done.run })).nodes[0].output, "hi, Ada");
  assert.deepEqual((await callTool(second, "resume_run", { run: paused.run })).path, ["quote", "ask", "pay"]);

  const { code, out, err } = await stepgraph([
    "run",
    join("kept", `${both.run}.plan.yaml`),
    "--resume",
    join("kept", `${both.run}.snapshot.json`),
    "--approve",
    "ask:1:1",
    "--stubs",
    shop,
  ]);
  assert.equal(code, 0, err);
  assert.match(out, /"paid": 120/);

  const cut = join(folder, "kept", `${both.run}.run.json`);
  const whole = readFileSync(cut, "utf8");
  for (const length of [0, 1, 40, Math.floor(whole.length / 2), whole.length - 2]) {
    writeFileSync(cut, whole);
    truncateSync(cut, length);
    const third = await overStdio(args, { era: "2025-11-25" });
    await callError(third, "resume_run", { run: both.run }, "serve/unreadable-run");
    const { runs } = await callTool(third, "explain_run");
    assert.deepEqual(runs.map(({ status }) => status).sort(), ["completed", "completed", "unreadable"]);
    await third.close();
  }
  writeFileSync(
    cut,
    JSON.stringify({
      ...JSON.parse(whole),
      snapshot: {
        type: "snapshot",
        format: 1,
        plan: JSON.parse(whole).snapshot.plan,
        state: { broken: true },
        values: [],
      },
    }),
  );
  const fourth = await overStdio(args);
  context.after(() => fourth.close());
  await callError(fourth, "resume_run", { run: both.run }, "serve/unreadable-run");
  assert.deepEqual(
    readdirSync(join(folder, "kept")).filter((name) => name.endsWith(".part")),
    [],
  );
});

test("progress precedes the result, a disconnect cancels the run, and standard output contains only the protocol", async () => {
  const child = spawn(process.execPath, [program, "serve", ...common, "--runs", "gone"], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  });
  let out = "";
  const until = (words) =>
    new Promise((resolve) =>
      child.stdout.on("data", function see(part) {
        out += part;
        if (!out.includes(words)) return;
        child.stdout.off("data", see);
        resolve();
      }),
    );
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  const done = until('"id":2');
  send({
    id: 2,
    method: "tools/call",
    params: { name: "run_plan", arguments: { path: "deep/hello.yaml", input: "Ada" }, _meta: { progressToken: "hi" } },
  });
  await done;
  const told = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .slice(1)
    .map(({ params, result }) => params ?? result.structuredContent.last);
  assert.deepEqual(
    told.map((one) => one.message?.replace(/\d+ ms/, "N ms") ?? one),
    ["hello started", "hello completed in N ms", "hi, Ada"],
  );
  assert.ok(told[0].progressToken === "hi" && told[0].progress < told[1].progress);
  const started = until("slow started");
  send({
    id: 3,
    method: "tools/call",
    params: { name: "run_plan", arguments: { plan: SLOW_PLAN }, _meta: { progressToken: 7 } },
  });
  await started;
  const closed = new Promise((resolve) => child.on("close", resolve));
  child.stdin.end();
  assert.equal(await closed, 0);
  for (const line of out.trim().split("\n")) assert.equal(JSON.parse(line).jsonrpc, "2.0", line);
  const files = readdirSync(join(folder, "gone")).filter((file) => file.endsWith(".run.json"));
  const kept = files
    .map((name) => JSON.parse(readFileSync(join(folder, "gone", name), "utf8")))
    .find(({ status }) => status !== "completed");
  assert.deepEqual([kept.status, kept.way], ["cancelled", ["quote", "slow"].slice(0, kept.way.length)]);
  assert.ok(kept.snapshot, "it can be gone on with");
});

test("the server evicts ended runs for space and reports it, and never evicts paused runs", async (context) => {
  const client = await overStdio([...common, "--keep", "2"]);
  context.after(() => client.close());
  const hello = () => callTool(client, "run_plan", { path: "deep/hello.yaml", input: "Ada" });
  const [first] = [await hello(), await hello()];
  const third = await hello();
  assert.deepEqual(third.notes, [`to free space, these runs were evicted: ${first.run}`]);
  await callError(client, "explain_run", { run: first.run }, "serve/forgotten-run");
  for (const item of ["a", "b"]) await callTool(client, "run_plan", { path: "ask.yaml", input: { item } });
  await callError(client, "run_plan", { path: "deep/hello.yaml", input: "Ada" }, "serve/too-many-runs");
});

test("hundreds of runs of two clients at once", async (context) => {
  const clients = await Promise.all(Object.keys(ERAS).map((era) => sharedServer.connect({ era })));
  context.after(() => Promise.all(clients.map((client) => client.close())));
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, async (_, lane) => {
      const client = clients[lane % 2];
      const lasts = [];
      for (let i = 0; i < 30; i++)
        lasts.push((await callTool(client, "run_plan", { path: "deep/hello.yaml", input: `${lane}.${i}` })).last);
      return lasts;
    }),
  );
  outcomes.forEach((lasts, lane) =>
    assert.deepEqual(
      lasts,
      Array.from({ length: 30 }, (_, i) => `hi, ${lane}.${i}`),
    ),
  );
});

test("the server lists its resources: the format, plans, the schema, runs and the prompt", async (context) => {
  const client = await sharedServer.connect();
  context.after(() => client.close());
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map(({ uri }) => uri).sort(), [
    "stepgraph://format",
    "stepgraph://plans/ask.yaml",
    "stepgraph://plans/deep%2Fhello.yaml",
    "stepgraph://schema",
  ]);
  const read = async (uri) => (await client.readResource({ uri })).contents[0].text;
  const format = await read("stepgraph://format");
  const described = await call(client, "describe_tools", { format: true });
  assert.equal(described.structuredContent.format, format, "for hosts whose models can't read resources");
  assert.ok(textOf(described).includes(format));
  const plans = [...format.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text);
  assert.equal(plans.length, 2);
  const weather = stubTools({
    tools: {
      weather: {
        return: {},
        input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
  });
  for (const plan of plans) {
    const { graph, diagnostics } = PlanGraph.parse(plan);
    assert.deepEqual([...diagnostics, ...(graph ? check(graph, { tools: weather }) : [])], [], plan);
  }
  for (const type of format.matchAll(/^- `(\w+)`/gm))
    assert.deepEqual(
      PlanGraph.parse(`nodes: {a: {type: ${type[1]}}}`).diagnostics.filter(({ code }) => code === "graph/unknown-type"),
      [],
      type[1],
    );
  assert.equal(JSON.parse(await read("stepgraph://schema")).$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.match(await read("stepgraph://plans/deep%2Fhello.yaml"), /Says hello/);
  const { run: id } = await callTool(client, "run_plan", { path: "deep/hello.yaml", input: "Ada" });
  assert.equal(JSON.parse(await read(`stepgraph://runs/${id}`)).last, "hi, Ada");
  for (const uri of ["stepgraph://plans/..%2Fshop.stubs.yaml", "stepgraph://runs/none", "stepgraph://other"])
    await assert.rejects(read(uri), { code: -32602 });
  const { messages } = await client.getPrompt({ name: "write_plan", arguments: { request: "say hello" } });
  assert.match(messages[0].content.text, /Request:\nsay hello\n\nTools that the plan may call:\nquote\(item: string\)/);
});

test("the tools of a real server are checked, called and explained", async (context) => {
  const sample = await everything();
  const client = await overStdio(["--server", `sample=${sample.url}`]);
  context.after(async () => (await client.close(), sample.stop()));
  const { tools } = await callTool(client, "describe_tools", { server: "sample", name: "get-sum" });
  assert.deepEqual([tools[0].server, tools[0].input_schema.required], ["sample", ["a", "b"]]);
  const plan =
    'start: add\nnodes:\n  add: {type: tool, tool: get-sum, input: {a: "${input.a}", b: 3}}\n  five: {type: log, input: "it is five"}\n  other: {type: log, input: "${last}"}\nedges:\n  - {from: add, to: five, condition: \'last.contains:" is 5."\'}\n  - {from: add, to: other}\n';
  assert.equal((await callTool(client, "check_plan", { plan })).ok, true);
  const { run: id, last } = await callTool(client, "run_plan", { plan, input: { a: 2 } });
  assert.equal(last, "it is five");
  const { decisions } = await callTool(client, "explain_run", { run: id, node: "add" });
  assert.match(decisions[0].why, /`last.contains:" is 5."` held: last was "The sum of 2 and 3 is 5\."/);
  assert.match(
    await callError(client, "run_plan", { plan: plan.replace("b: 3", "b: three") }, "run/invalid-plan"),
    /error\[tool\/invalid-arguments\]/,
  );
});

test("a run has a trace, which is part of the request's trace", async (context) => {
  const spans = [];
  const receiver = await serve(({ body, response }) => {
    spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    json(response, 200, {});
  });
  context.after(() => receiver.stop());
  const client = await overStdio([...common, "--otlp", receiver.url]);
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const ran = await client.callTool({
    name: "run_plan",
    arguments: { path: "deep/hello.yaml", input: "Ada" },
    _meta: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
  });
  assert.equal(ran.structuredContent.last, "hi, Ada");
  await client.close();
  while (spans.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(
    spans.every(({ traceId }) => traceId === trace),
    JSON.stringify(spans.map(({ name, traceId }) => [name, traceId])),
  );
  assert.ok(spans.some(({ parentSpanId }) => parentSpanId === "b7ad6b7169203331"));
});

test("our own client asks its user, and an agent node checks, fixes, runs and explains a plan through the tools", async (context) => {
  const asked = [];
  const client = mcp(sharedServer.url, {
    name: "plans",
    elicitation: { form: (question) => (asked.push(question), { action: "accept", content: { decision: "approve" } }) },
  });
  context.after(() => client.close());
  const ordered = await client.call("run_plan", { path: "ask.yaml", input: { item: "chair" } });
  assert.deepEqual([ordered.isError, ordered.value.status, asked.length], [false, "completed", 1]);

  let plan =
    'start: look\nnodes:\n  look: {type: tool, tool: quote, input: {item: "${input}"}}\n  say: {type: log, input: "it costs ${output.lok.total}"}\nedges:\n  - {from: look, to: saay}\n';
  const called = [];
  const model = ({ messages }) => {
    const last = messages.at(-1);
    const told = last.role === "tool" ? JSON.parse(last.content) : null;
    const ask = (name, args) => (
      called.push(name),
      { text: "", finish: "tool_calls", usage: null, tool_calls: [{ id: `c${called.length}`, name, arguments: args }] }
    );
    if (told === null) return ask("describe_tools", {});
    if (told.tools) return ask("check_plan", { plan });
    if (told.diagnostics && !told.ok) {
      for (const { fix, help, message } of told.diagnostics) {
        const [, wrong] = /`([^`]+)`/.exec(message);
        const [, meant] = /did you mean `([^`]+)`/.exec(help ?? "") ?? [];
        if (fix.length > 0)
          plan = fix.reduceRight(
            (text, { line, column, old, new: put }) =>
              text
                .split("\n")
                .map((one, i) =>
                  i === line - 1 ? one.slice(0, column - 1) + put + one.slice(column - 1 + old.length) : one,
                )
                .join("\n"),
            plan,
          );
        else if (meant) plan = plan.replace(wrong, meant);
      }
      return ask("check_plan", { plan });
    }
    if (told.ok) return ask("run_plan", { plan, input: "chair" });
    if (told.last !== undefined) return ask("explain_run", { run: told.run });
    return told.decisions.map(({ from, to }) => `${from} -> ${to ?? "end"}`).join(", ");
  };
  const { graph } = PlanGraph.parse(
    'nodes: {go: {type: agent, input: "what does a chair cost?", with: {tools: [describe_tools, check_plan, run_plan, explain_run], max_turns: 10}}}',
  );
  const report = await run(graph, { tools: [client], models: { default: model }, allow: true });
  assert.equal(report.last, "look -> say, say -> end", JSON.stringify(report.outcome));
  assert.deepEqual(
    called.filter((name, at) => name !== called[at - 1]),
    ["describe_tools", "check_plan", "run_plan", "explain_run"],
  );
  assert.ok(called.filter((name) => name === "check_plan").length >= 2, "it was mended on the way");
});

test("options that can't be meant are refused before anybody is served", async () => {
  const startError = async (args, words, env) => {
    const { code, err, out } = await stepgraph(["serve", ...args], { env });
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, words);
  };
  await startError(["--port", "80"], /`--port` is for a server over HTTP/);
  await startError(["--http", "--port", "x"], /out of range/);
  await startError(["--http", "--host", "0.0.0.0"], /set STEPGRAPH_SERVE_TOKEN/);
  await startError(["--http"], /too short/, { STEPGRAPH_SERVE_TOKEN: "short" });
  await startError(["--http", "--allow-origin", "https://a.b/c"], /is not an origin/);
  await startError(["--http", "--port", new URL(sharedServer.url).port], /can't listen on 127.0.0.1, port \d+/);
  await startError(["--plans", "nowhere"], /can't use the folder `nowhere`/);
  await startError(["--runs", shop], /can't use the folder/);
  await startError(["--limit", "steps=0"], /not a limit/);
  await startError(["--keep", "0"], /out of range/);
  await startError(["--caller-decide"], /did you mean `--caller-decides`\?/);
});
