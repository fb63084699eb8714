// Tests schema checks during a run, and the abort of abandoned calls on the wire.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { PlanGraph, Run, run } from "../../dist/node.js";

function plan(text) {
  const { graph, diagnostics } = PlanGraph.parse(typeof text === "string" ? text : JSON.stringify(text));
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  return graph;
}

function tools(...list) {
  return [
    {
      name: "stand",
      list: async () => list.map(({ answer: _, ...info }) => ({ input_schema: {}, ...info })),
      call: async (name, args, options) => ({
        value: await list.find((tool) => tool.name === name).answer(args, options),
        isError: false,
      }),
      close: async () => {},
    },
  ];
}

const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

test("arguments known only at run time are validated, and an invalid call is not made", async () => {
  const graph = plan({ nodes: { a: { type: "tool", tool: "double", input: { n: "${input}" } } } });
  let asked = 0;
  const double = { name: "double", input_schema: number, answer: ({ n }) => (asked++, 2 * n) };
  const good = await run(graph, { input: 4, tools: tools(double) });
  assert.deepEqual([good.outcome.type, good.last, asked], ["completed", 8, 1]);
  const bad = await run(graph, { input: "four", tools: tools(double) });
  assert.deepEqual([bad.outcome.code, bad.outcome.node, asked], ["tool/invalid-arguments", "a", 1]);
  assert.match(bad.outcome.message, /tool `double`.*`\/n` is text, expected a number/);
});

test("results are validated against the output schema, and an edge can handle the failure", async () => {
  const graph = plan({
    start: "a",
    nodes: { a: { type: "tool", tool: "get" }, b: { type: "log", input: "${error.code}" } },
    edges: [{ from: "a", to: "b", condition: "error.code==tool/invalid-result" }],
  });
  const toolReturning = (value) => tools({ name: "get", output_schema: number, answer: () => value });
  assert.deepEqual((await run(graph, { tools: toolReturning({ n: 1 }) })).last, { n: 1 });
  assert.equal((await run(graph, { tools: toolReturning({ n: "1" }) })).last, "tool/invalid-result");
});

test("an unusable schema of a server validates nothing", async () => {
  const graph = plan({ nodes: { a: { type: "tool", tool: "odd", input: { x: "${input}" } } } });
  const report = await run(graph, {
    input: 1,
    tools: tools({ name: "odd", input_schema: { type: "nonsense" }, answer: ({ x }) => x }),
  });
  assert.deepEqual([report.outcome.type, report.last], ["completed", 1]);
});

test("a model's structured answer is validated against the plan's schema", async () => {
  const graph = plan({ nodes: { a: { type: "llm", input: "hi", with: { schema: number } } } });
  assert.deepEqual((await run(graph, { models: { default: () => '{"n": 1}' } })).last, { n: 1 });
  const bad = await run(graph, { models: { default: () => '{"m": 1}' } });
  assert.equal(bad.outcome.code, "model/bad-reply");
  assert.match(bad.outcome.message, /the model's answer/);
});

test("a run's input is validated against the plan, and defaults are filled in", async () => {
  const graph = plan({
    inputs: { city: { type: "string" }, days: { type: "integer", default: 3 } },
    nodes: { a: { type: "log", input: "${input.city}: ${input.days}" } },
  });
  assert.equal((await run(graph, { input: { city: "Lima" } })).last, "Lima: 3");
  assert.equal((await run(graph, { input: { city: "Lima", days: 5 } })).last, "Lima: 5");
  for (const input of [undefined, { days: 1 }, { city: 5 }, { city: "Lima", days: 1.5 }, "Lima"]) {
    const { outcome, path } = await run(graph, { input });
    assert.deepEqual([outcome.type, outcome.code, path], ["failed", "run/invalid-input", []], JSON.stringify(input));
  }
  const { outcome } = await run(graph, { input: { city: "Lima", dayz: 5 } });
  assert.equal(outcome.code, "run/invalid-input");
  assert.match(outcome.message, /the plan declares no input `dayz` \(did you mean `days`\?\)/);
  const open = plan({ nodes: { a: { type: "log", input: "${input.any}" } } });
  assert.equal((await run(open, { input: { any: 1, other: 2 } })).last, 1);
});

async function startDeafServer() {
  const state = { asked: 0, left: 0 };
  const server = createServer((_request, response) => {
    state.asked++;
    response.on("close", () => state.left++);
    state.arrived?.();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/`;
  return {
    url,
    state,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const fetches = (url) => ({ name: "wait", answer: (_, { signal }) => fetch(url, { signal }).then(() => "answered") });

async function leaves(server, count) {
  while (server.state.left < count) await new Promise((resolve) => setImmediate(resolve));
}

test("calls abandoned by a join, a timeout or a signal end on the wire", async () => {
  const server = await startDeafServer();
  try {
    const wait = { type: "tool", tool: "wait" };
    // The quick branch answers only when the slow call has reached the server.
    const quick = () =>
      new Promise((resolve) => {
        server.state.arrived = () => resolve("quick");
      });
    const any = plan({
      nodes: {
        f: {
          type: "parallel",
          with: { join: "any" },
          branches: { a: { nodes: { w: wait } }, b: { nodes: { q: { type: "quick" } } } },
        },
      },
    });
    const first = await run(any, { tools: tools(fetches(server.url)), handlers: { quick } });
    assert.deepEqual([first.last, first.counts.calls], ["quick", 2]);
    assert.deepEqual(
      first.trace
        .filter(({ type }) => type === "scope-ended")
        .map(({ scope, status }) => `${scope} ${status}`)
        .sort(),
      ["f:1/a abandoned", "f:1/b completed"],
    );
    await leaves(server, 1);

    const limits = limitsAtArrival(server);
    const late = await run(plan({ nodes: { w: { ...wait, timeout_ms: 30, retry: { attempts: 2, backoff_ms: 1 } } } }), {
      tools: tools(fetches(server.url)),
      clock: limits,
    });
    assert.deepEqual([late.outcome.code, late.counts.retries, late.counts.calls], ["node/timeout", 1, 2]);
    await leaves(server, 3);

    const stop = new AbortController();
    server.state.arrived = () => stop.abort();
    const cancelled = await run(plan({ nodes: { w: wait } }), {
      tools: tools(fetches(server.url)),
      signal: stop.signal,
    });
    assert.equal(cancelled.outcome.type, "cancelled");
    assert.equal(cancelled.trace.at(-1).outcome.type, "cancelled");
    await leaves(server, 4);

    const whole = await run(plan({ limits: { timeout_ms: 20 }, nodes: { w: wait } }), {
      tools: tools(fetches(server.url)),
      clock: limitsAtArrival(server),
    });
    assert.equal(whole.outcome.code, "run/timeout");
    await leaves(server, 5);
  } finally {
    server.close();
  }
});

/** Limits end when a request has arrived: on a busy machine a real limit may end earlier. */
function limitsAtArrival(server) {
  const limits = new Set();
  server.state.arrived = () => {
    const [end] = limits;
    limits.delete(end);
    end?.();
  };
  const after = (ms, then) => {
    if (ms < 20) {
      const timer = setTimeout(then, ms);
      return () => clearTimeout(timer);
    }
    const end = () => then();
    limits.add(end);
    return () => void limits.delete(end);
  };
  return { now: () => performance.now(), after };
}

const busy = {
  nodes: {
    f: {
      type: "parallel",
      with: { join: "settled" },
      branches: {
        a: { nodes: { x: { type: "give" }, y: { type: "give" } }, edges: [{ from: "x", to: "y" }] },
        b: { nodes: { z: { type: "fail", retry: { attempts: 3, backoff_ms: 1 } } } },
        c: {
          nodes: {
            m: { type: "map", input: [1, 2, 3], with: { concurrency: 2 }, do: { nodes: { i: { type: "give" } } } },
          },
        },
      },
    },
    end: { type: "give", input: "${output.f}" },
  },
  edges: [{ from: "f", to: "end" }],
};

function answers(counts) {
  return {
    give: async (node) => ((counts[node.call] = (counts[node.call] ?? 0) + 1), { of: node.input ?? null }),
    fail: (node) => {
      counts[node.call] = (counts[node.call] ?? 0) + 1;
      throw Object.assign(new Error(`try ${node.attempt}`), { code: "handler/failed" });
    },
  };
}

test("a run cancelled at any moment has a trace and resumes without repeated calls", async () => {
  const graph = plan(busy);
  const whole = await run(graph, { handlers: answers({}) });
  assert.equal(whole.outcome.type, "completed");
  const length = whole.trace.length;
  assert.ok(length > 30);
  for (let after = 0; after < length - 1; after++) {
    const counts = {};
    const stop = new AbortController();
    let seen = 0;
    const onEvent = () => {
      if (seen++ === after) stop.abort();
    };
    const cut = await run(graph, { handlers: answers(counts), signal: stop.signal, onEvent });
    // An abort at the event that ends the run comes too late.
    if (
      cut.outcome.type === "completed" &&
      whole.trace[after].node === "end" &&
      whole.trace[after].type !== "node-started"
    )
      continue;
    assert.equal(cut.outcome.type, "cancelled", `after ${after}`);
    assert.equal(cut.trace.at(-1).type, "run-ended");
    const finished = new Set(
      cut.trace
        .filter(({ type }) => type === "node-completed")
        .map(({ scope, node, visit }) => `${scope ?? ""}/${node}:${visit}`),
    );
    const before = { ...counts };
    const snapshot = JSON.parse(JSON.stringify(cut.snapshot));
    const rest = await run(graph, { handlers: answers(counts), snapshot });
    assert.deepEqual(
      [rest.outcome, rest.outputs, rest.path],
      [whole.outcome, whole.outputs, whole.path],
      `after ${after}`,
    );
    assert.equal(rest.counts.steps, whole.counts.steps);
    for (const [call, count] of Object.entries(counts)) {
      const node = `${call.includes("/") ? call.slice(0, call.lastIndexOf("/")) : ""}/${call.slice(call.lastIndexOf("/") + 1).replace(/:\d+$/, "")}`;
      if (finished.has(node)) assert.equal(count, before[call], `${call} was asked again after ${after}`);
      assert.ok(count <= 2, `${call} was asked ${count} times`);
    }
  }
});

test("a snapshot of another plan is refused with the differences, unless accepted", async () => {
  const graph = plan({
    nodes: { ask: { type: "approve", input: 1 }, end: { type: "log", input: "x" } },
    edges: [{ from: "ask", to: "end", condition: "last!=rejected" }],
  });
  const paused = await run(graph);
  assert.equal(paused.outcome.type, "paused");
  const changed = plan({
    nodes: { ask: { type: "approve", input: 1 }, end: { type: "log", input: "y" } },
    edges: [{ from: "ask", to: "end", condition: "last==approved" }],
  });
  const refused = await run(changed, { snapshot: paused.snapshot });
  assert.equal(refused.outcome.code, "run/plan-changed");
  assert.match(refused.outcome.message, /node `end` was changed, edge `ask` → `end` was changed/);
  const accepted = await run(changed, {
    snapshot: paused.snapshot,
    acceptChangedPlan: true,
    onApproval: () => "approved",
  });
  assert.equal(accepted.last, "y");
  const reviewed = await run(changed, { planHash: graph.fingerprint });
  assert.match(reviewed.outcome.message, /node `end` was changed/);
});

test("an invalid snapshot is rejected with a message", async () => {
  const graph = plan({
    nodes: { ask: { type: "approve" }, end: { type: "noop" } },
    edges: [{ from: "ask", to: "end", condition: "last!=rejected" }],
  });
  const { snapshot } = await run(graph);
  const text = JSON.stringify(snapshot);
  for (const broken of [
    { ...snapshot, state: null },
    { ...snapshot, state: {} },
    { ...snapshot, values: [] },
    { ...snapshot, state: { ...snapshot.state, format: 2 } },
    { ...snapshot, state: { ...snapshot.state, scope_states: [] } },
    {
      ...snapshot,
      state: { ...snapshot.state, scope_states: [...snapshot.state.scope_states, ...snapshot.state.scope_states] },
    },
    JSON.parse(text.replaceAll('"ask"', '"gone"')),
    JSON.parse(text.replace(/"call":\d+/, '"backoff":[1]')),
  ]) {
    await assert.rejects(run(graph, { snapshot: { ...broken, plan: graph.fingerprint } }), {
      code: "snapshot/unusable",
    });
  }
});

test("users decide at once, later, or with another value; a rejection takes the same edges as any value", async () => {
  const graph = plan({
    start: "ask",
    nodes: {
      ask: { type: "approve", input: { pay: "${input}" } },
      yes: { type: "log", input: "paid" },
      no: { type: "log", input: "kept" },
      other: { type: "log", input: "${output.ask.pay}" },
    },
    edges: [
      { from: "ask", to: "yes", condition: "last==approved" },
      { from: "ask", to: "no", condition: "last==rejected" },
      { from: "ask", to: "other" },
    ],
  });
  for (const [decision, last] of [
    ["approved", "paid"],
    ["rejected", "kept"],
    [{ value: { pay: 2 } }, 2],
  ]) {
    const asked = [];
    const report = await run(graph, { input: 5, onApproval: (approval) => (asked.push(approval), decision) });
    assert.deepEqual([report.last, asked.length, asked[0].input, asked[0].call], [last, 1, { pay: 5 }, "ask:1:1"]);
    const paused = await run(graph, { input: 5 });
    assert.deepEqual([paused.outcome.type, paused.outcome.approval.call], ["paused", "ask:1:1"]);
    const resumed = await run(graph, { snapshot: paused.snapshot, decisions: { "ask:1:1": decision } });
    assert.deepEqual([resumed.last, resumed.outputs.input], [last, 5]);
  }
  const odd = await run(graph, { onApproval: () => "maybe" });
  assert.equal(odd.outcome.code, "approval/failed");
});

test("other branches continue while an approval is open", async () => {
  const graph = plan({
    nodes: {
      f: {
        type: "parallel",
        branches: {
          p: { nodes: { ask: { type: "approve" } } },
          q: { nodes: { one: { type: "give" }, two: { type: "give" } }, edges: [{ from: "one", to: "two" }] },
        },
      },
    },
  });
  const counts = {};
  const paused = await run(graph, { handlers: answers(counts) });
  assert.deepEqual([paused.outcome.type, Object.keys(counts)], ["paused", ["f:1/q/one:1:1", "f:1/q/two:1:1"]]);
  const done = await run(graph, { handlers: answers(counts), snapshot: paused.snapshot, onApproval: () => "approved" });
  assert.deepEqual([done.last, Object.values(counts)], [{ p: "approved", q: { of: { of: null } } }, [1, 1]]);
});

test("a hand-driven machine: timers are commands, and a snapshot is possible between any two events", () => {
  const graph = plan({ nodes: { a: { type: "give", timeout_ms: 50, retry: { attempts: 2, backoff_ms: 10 } } } });
  const machine = new Run(graph, { types: ["give"] });
  const { commands } = machine.step({ type: "start", atMs: 0 });
  assert.deepEqual(commands, [
    { type: "call-handler", call: "a:1:1", node: "a", nodePath: "a", input: null },
    { type: "set-timer", timer: "timeout:a:1:1", afterMs: 50 },
  ]);
  const late = machine.step({ type: "timer-fired", timer: "timeout:a:1:1", atMs: 50 });
  assert.deepEqual(late.commands, [
    { type: "abandon", call: "a:1:1" },
    { type: "set-timer", timer: "retry:a:1:2", afterMs: 10 },
  ]);
  assert.throws(() => machine.step({ type: "call-done", call: "a:1:1", output: 1, atMs: 51 }), {
    code: "run/unknown-call",
  });
  assert.throws(() => machine.step({ type: "timer-fired", timer: "timeout:a:1:1", atMs: 51 }), {
    code: "run/unknown-timer",
  });
  const snapshot = JSON.parse(JSON.stringify(machine.snapshot(54)));
  const again = new Run(graph, { types: ["give"], snapshot });
  assert.throws(() => again.step({ type: "start", atMs: 0 }), { code: "run/already-started" });
  // The pause does not count: six of ten milliseconds remain.
  assert.deepEqual(again.step({ type: "resume", atMs: 1_000 }).commands, [
    { type: "set-timer", timer: "retry:a:1:2", afterMs: 6 },
  ]);
  const second = again.step({ type: "timer-fired", timer: "retry:a:1:2", atMs: 1_006 });
  assert.deepEqual(
    second.commands.map(({ type }) => type),
    ["call-handler", "set-timer"],
  );
  const { commands: last } = again.step({ type: "call-done", call: "a:1:2", output: "ok", atMs: 1_010 });
  assert.deepEqual(
    last.map(({ type }) => type),
    ["clear-timer", "finish"],
  );
  assert.deepEqual([again.report.last, again.report.counts.retries, again.snapshot(1_011)], ["ok", 1, null]);
});
