// Tests the life of a run: events, cancellation, memory, and many runs at once.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PlanError, PlanGraph, Run, run } from "../../dist/node.js";
import { words } from "../../dist/package-internals.js";
import { canonical } from "./canonical.mjs";
import { chain, deferred, decisionPlan, plan } from "./plans.mjs";

const echo = plan("nodes: {a: {type: give}}");
const two = plan("{start: a, nodes: {a: {type: give}, b: {type: give}}, edges: [{from: a, to: b}]}");

function hasErrorCode(code) {
  return (error) => {
    assert.ok(error instanceof PlanError, error.stack);
    assert.equal(error.code, code, error.message);
    return true;
  };
}

test("listeners receive events at once, in the order of the trace", async () => {
  const log = [];
  const { trace } = await run(two, {
    handlers: { give: (node) => (log.push(`in ${node.id}`), node.id) },
    onEvent: (event) => log.push(event.node ? `${event.type} ${event.node}` : event.type),
  });
  assert.deepEqual(log, [
    "run-started",
    "node-started a",
    "in a",
    "node-completed a",
    "edge-decided a",
    "node-started b",
    "in b",
    "node-completed b",
    "edge-decided b",
    "run-ended",
  ]);
  assert.equal(trace.length, 8);
});

test("listeners and the trace tell the same", async () => {
  const graph = decisionPlan("last.n>1 || last.s.contains:x");
  for (const value of [{ n: 2 }, { s: "xyz" }, {}, null]) {
    const events = [];
    const { trace } = await run(graph, { handlers: { give: () => value }, onEvent: (event) => events.push(event) });
    assert.deepEqual(events, trace);
  }
});

test("a late answer notifies listeners of nothing", async () => {
  // The second answer arrives after the first has decided the join.
  const graph = plan(`nodes: {both: {type: parallel, with: {join: any}, branches: {
    a: {nodes: {x: {type: give}}}, b: {nodes: {y: {type: give}}}}}, ask: {type: approve}}
edges: [{from: both, to: ask}]`);
  const heard = [];
  const options = { handlers: { give: () => 1 }, onEvent: (event) => heard.push(event) };
  for (const more of [{}, { record: () => {} }, { decisions: { "ask:1:1": "approved" } }]) {
    heard.length = 0;
    const { trace } = await run(graph, { ...options, ...more });
    assert.deepEqual(heard, trace);
  }
});

test("every kind of event has its documented shape", async () => {
  const graph = plan("{start: a, nodes: {a: {type: log, input: x}, b: {type: give}}, edges: [{from: a, to: b}]}");
  const { trace } = await run(graph, {
    input: 1,
    handlers: {
      give: () => {
        throw new Error("no");
      },
    },
  });
  const keys = Object.fromEntries(trace.map((event) => [event.type, Object.keys(event).sort().join()]));
  assert.deepEqual(keys, {
    "run-started": "atMs,input,type",
    "node-started": "atMs,input,node,type,visit",
    logged: "atMs,node,type,value",
    "node-completed": "atMs,durationMs,node,output,type,visit",
    "edge-decided": "atMs,edge,from,node,reason,to,type,verdicts",
    "node-failed": "atMs,code,durationMs,message,node,type,visit",
    "run-ended": "atMs,outcome,type",
  });
  let before = 0;
  for (const { atMs, durationMs = 0 } of trace) {
    assert.ok(atMs >= before && durationMs >= 0);
    before = atMs;
  }
  assert.ok(Math.abs(before - Date.now()) < 60_000, "times count from the epoch");
});

test("a run whose signal is already aborted is cancelled without a call", async () => {
  let asked = 0;
  const { outcome, path, trace, last } = await run(echo, {
    input: 1,
    signal: AbortSignal.abort(),
    handlers: { give: () => asked++ },
  });
  assert.deepEqual(
    { outcome, path, trace, last, asked },
    { outcome: { type: "cancelled" }, path: [], trace: [], last: 1, asked: 0 },
  );
});

test("a run is cancelled while a handler never answers", async () => {
  const control = new AbortController();
  const events = [];
  const running = run(two, {
    signal: control.signal,
    handlers: {
      give: (node, { signal }) =>
        node.id === "a"
          ? 1
          : (queueMicrotask(() => control.abort()), assert.equal(signal, control.signal), new Promise(() => {})),
    },
    onEvent: ({ type }) => events.push(type),
  });
  const { outcome, path, outputs } = await running;
  assert.deepEqual(
    { outcome, path, outputs },
    { outcome: { type: "cancelled" }, path: ["a", "b"], outputs: { input: null, a: 1 } },
  );
  assert.equal(events.at(-1), "run-ended");
});

test("a signal aborted within a handler that answers at once cancels before the next node", async () => {
  const control = new AbortController();
  const asked = [];
  const { outcome, outputs } = await run(two, {
    signal: control.signal,
    handlers: { give: (node) => (asked.push(node.id), control.abort(), 1) },
  });
  assert.deepEqual([outcome, asked, outputs.a], [{ type: "cancelled" }, ["a"], 1]);
});

test("an answer that comes after its run was cancelled changes nothing, nor does a late failure", async () => {
  for (const settle of ["resolve", "reject"]) {
    const control = new AbortController();
    const late = deferred();
    const running = run(echo, { signal: control.signal, handlers: { give: () => late.promise } });
    control.abort();
    const report = await running;
    const before = JSON.stringify(report);
    late[settle](new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(JSON.stringify(report), before);
    assert.equal(report.outcome.type, "cancelled");
  }
});

test("aborting after the end changes nothing, and no listener stays behind", async () => {
  const control = new AbortController();
  let listening = 0;
  const { signal } = control;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...all) => (listening++, add(...all));
  signal.removeEventListener = (...all) => (listening--, remove(...all));
  const report = await run(echo, { signal, handlers: { give: async () => 1 } });
  control.abort();
  assert.deepEqual([report.outcome.type, listening], ["completed", 0]);
});

test("a stub's delay is cut short", async () => {
  const control = new AbortController();
  const running = run(echo, { signal: control.signal, stubs: { types: { give: { return: 1, delay_ms: 1e9 } } } });
  control.abort();
  assert.equal((await running).outcome.type, "cancelled");
});

test("a stream yields the events of the trace, and the report", async () => {
  const stream = run.stream(decisionPlan("last==1"), { handlers: { give: async () => 1 } });
  const events = [];
  for await (const event of stream) events.push(event);
  const { trace, outcome } = await stream.report;
  assert.equal(outcome.type, "completed");
  assert.deepEqual(events, trace);
});

test("a stream that its reader leaves early cancels its run", async () => {
  const asked = [];
  const stream = run.stream(chain(1000), { handlers: { give: async (node) => asked.push(node.id) } });
  for await (const event of stream) if (event.node === "n3") break;
  const { outcome } = await stream.report;
  assert.equal(outcome.type, "cancelled");
  assert.ok(asked.length < 1000, `${asked.length} nodes ran`);
});

test("a stream that is closed while a call is open cancels its run at once", async () => {
  const stream = run.stream(echo, { handlers: { give: () => new Promise(() => {}) } });
  const events = stream[Symbol.asyncIterator]();
  while ((await events.next()).value.type !== "node-started");
  const waiting = events.next();
  assert.deepEqual(await events.return("left"), { done: true, value: "left" });
  assert.equal((await waiting).value.type, "run-ended");
  assert.equal((await stream.report).outcome.type, "cancelled");
});

test("an unread stream runs, and keeps its events for a later reader", async () => {
  const stream = run.stream(echo, { handlers: { give: () => 1 } });
  assert.equal((await stream.report).last, 1);
  const types = [];
  for await (const { type } of stream) types.push(type);
  assert.deepEqual(types, ["run-started", "node-started", "node-completed", "edge-decided", "run-ended"]);
});

test("a stream of an invalid plan yields no events, only the report", async () => {
  const stream = run.stream(echo, {});
  for await (const event of stream) assert.fail(event.type);
  assert.equal((await stream.report).outcome.code, "run/invalid-plan");
});

test("a stream heeds its caller's signal and listener, too", async () => {
  const control = new AbortController();
  const heard = [];
  const stream = run.stream(two, {
    signal: control.signal,
    onEvent: ({ type }) => heard.push(type),
    handlers: { give: () => new Promise(() => {}) },
  });
  for await (const { type } of stream) if (type === "node-started") control.abort();
  assert.equal((await stream.report).outcome.type, "cancelled");
  assert.equal(heard.at(-1), "run-ended");
});

test("misuse of a stream rejects at its reader", async () => {
  const graph = plan("nodes: {a: {type: give}}");
  graph.free();
  const stream = run.stream(graph, {});
  await assert.rejects(async () => {
    for await (const event of stream) assert.fail(event.type);
  }, hasErrorCode("api/freed"));
  await assert.rejects(stream.report, hasErrorCode("api/freed"));
});

test("a throwing listener ends the run with a report, and the engine continues to work", async () => {
  for (const when of ["run-started", "node-completed", "run-ended"]) {
    const onEvent = ({ type }) => {
      if (type === when) throw new Error("no room");
    };
    const { outcome } = await run(two, { handlers: { give: () => 1 }, onEvent });
    const message = "`onEvent` failed: no room";
    assert.deepEqual(outcome, { type: "failed", code: "run/listener-failed", message });
  }
  assert.equal((await run(two, { handlers: { give: () => 1 } })).outcome.type, "completed");
});

test("the machine is fed by hand", () => {
  const graph = plan(
    "{start: a, nodes: {a: {type: give}, t: {type: tool, tool: add, input: {x: 1}}, m: {type: llm, input: hi}}, edges: [{from: a, to: t}, {from: t, to: m}]}",
  );
  const machine = new Run(graph, {
    input: "in",
    types: ["give"],
    tools: [{ name: "add", input_schema: { type: "object" } }],
    models: ["default"],
  });
  const ask = (event) => machine.step({ ...event, atMs: 5 }).commands;
  assert.equal(machine.outcome, null);
  assert.deepEqual(ask({ type: "start" }), [
    { type: "call-handler", call: "a:1:1", node: "a", nodePath: "a", input: "in" },
  ]);
  assert.deepEqual(ask({ type: "call-done", call: "a:1:1", output: 1, writes: { w: 2 } }), [
    { type: "call-tool", call: "t:1:1", node: "t", nodePath: "t", tool: "add", arguments: { x: 1 } },
  ]);
  assert.deepEqual(machine.report.outputs, { input: "in", a: 1, w: 2 });
  const [command] = ask({ type: "call-done", call: "t:1:1", output: { sum: 2 } });
  assert.deepEqual(
    { ...command, request: command.request.messages },
    { type: "call-model", call: "m:1:1", node: "m", nodePath: "m", request: [{ role: "user", content: "hi" }] },
  );
  const reply = { text: "ho", finish: "stop", usage: { input: 3, output: 4, cached_input: 0 } };
  assert.deepEqual(ask({ type: "call-done", call: "m:1:1", reply }), [
    { type: "finish", outcome: { type: "completed", reason: "terminal" } },
  ]);
  assert.deepEqual(machine.outcome, { type: "completed", reason: "terminal" });
  assert.deepEqual([machine.report.last, machine.report.counts], ["ho", { steps: 3, calls: 3, retries: 0, tokens: 7 }]);
  machine.free();
  assert.equal(machine.report.last, "ho", "the report of a run that is over stays");
});

test("the machine rejects invalid events and stays unchanged", () => {
  const done = (call) => ({ type: "call-done", call, output: 1, atMs: 0 });
  const start = { type: "start", atMs: 0 };
  const machine = new Run(two, { types: ["give"] });
  assert.throws(() => machine.step(done("a:1:1")), hasErrorCode("run/unknown-call"));
  machine.step(start);
  assert.throws(() => machine.step(start), hasErrorCode("run/already-started"));
  for (const call of ["b:1:1", "a:2:1", "", "0"])
    assert.throws(() => machine.step(done(call)), hasErrorCode("run/unknown-call"));
  assert.deepEqual(machine.step(done("a:1:1")).commands, [
    { type: "call-handler", call: "b:1:1", node: "b", nodePath: "b", input: 1 },
  ]);
  assert.throws(() => machine.step(done("a:1:1")), hasErrorCode("run/unknown-call"));
  machine.step(done("b:1:1"));
  for (const event of [start, done("b:1:1"), { type: "cancel", atMs: 0 }])
    assert.throws(() => machine.step(event), hasErrorCode("run/finished"));
  assert.deepEqual(machine.report.path, ["a", "b"]);
});

test("a failed call ends the machine's run, and a cancelled call is abandoned", () => {
  const failed = new Run(two, { types: ["give"] });
  failed.step({ type: "start", atMs: 0 });
  const { commands } = failed.step({ type: "call-failed", call: "a:1:1", code: "shop/closed", message: "no", atMs: 1 });
  assert.deepEqual(commands, [
    { type: "finish", outcome: { type: "failed", code: "shop/closed", message: "no", node: "a" } },
  ]);
  const cancelled = new Run(two, { types: ["give"] });
  cancelled.step({ type: "start", atMs: 0 });
  assert.deepEqual(cancelled.step({ type: "cancel", atMs: 1 }).commands, [
    { type: "abandon", call: "a:1:1" },
    { type: "finish", outcome: { type: "cancelled" } },
  ]);
  const unborn = new Run(two, { types: ["give"] });
  assert.deepEqual(unborn.step({ type: "cancel", atMs: 1 }).commands, [
    { type: "finish", outcome: { type: "cancelled" } },
  ]);
});

test("the same events give the same steps", () => {
  const replay = () => {
    const machine = new Run(decisionPlan("last.n==1"), { types: ["give"] });
    return [
      { type: "start", atMs: 0 },
      { type: "call-done", call: "a:1:1", output: { n: 1 }, atMs: 7 },
    ].map((event) => JSON.stringify(machine.step(event)));
  };
  assert.deepEqual(replay(), replay());
});

test("a machine for a plan that can't run is a misuse", () => {
  assert.throws(() => new Run(echo), hasErrorCode("api/invalid-plan"));
});

test("use after free throws an error instead of a trap", async () => {
  const graph = plan("nodes: {a: {type: give}}");
  const { raw } = graph;
  graph.free();
  graph.free();
  graph[Symbol.dispose]();
  void raw;
  for (const use of [
    () => graph.nodes,
    () => graph.edges,
    () => graph.hash,
    () => graph.start,
    () => graph.toJSON(),
    () => new Run(graph, { types: ["give"] }),
  ])
    assert.throws(use, hasErrorCode("api/freed"));
  await assert.rejects(run(graph, { handlers: { give: () => 1 } }), hasErrorCode("api/freed"));
});

test("a machine that was freed is refused, not a trap", () => {
  for (const begin of [false, true]) {
    const machine = new Run(echo, { types: ["give"] });
    if (begin) machine.step({ type: "start", atMs: 0 });
    machine.free();
    machine.free();
    machine[Symbol.dispose]();
    for (const event of [
      { type: "start", atMs: 0 },
      { type: "cancel", atMs: 0 },
      { type: "call-done", call: "a:1:1", output: 1, atMs: 0 },
    ]) {
      assert.throws(() => machine.step(event), PlanError, event.type);
    }
    assert.throws(() => machine.report, PlanError);
  }
});

test("a run outlives its plan", async () => {
  const graph = plan("nodes: {a: {type: give}}");
  const { hash } = graph;
  const { promise, resolve } = deferred();
  const running = run(graph, { handlers: { give: () => promise } });
  graph.free();
  resolve(1);
  const report = await running;
  assert.deepEqual([report.last, report.path, report.trace.length, report.planHash], [1, ["a"], 5, hash]);
});

const bigText = "x".repeat(1000);
for (const [kind, once] of Object.entries({
  "that complete": (graph) =>
    run(graph, {
      input: bigText,
      outputs: { big: bigText },
      memory: bigText,
      handlers: { give: (_, state) => (state.write("more", bigText), { n: 1 }) },
    }),
  "that fail": (graph) =>
    run(graph, {
      handlers: {
        give: async () => {
          throw new Error(bigText);
        },
      },
      onEvent: () => {},
    }),
  "with stubs": (graph) => run(graph, { stubs: { types: { give: { return: { n: 1, big: bigText } } } } }),
  "whose parts are read": async (graph) => (await run(graph, { handlers: { give: () => ({ n: 1 }) } })).toJSON(),
  "by hand that are given up": (graph) => {
    const machine = new Run(graph, { types: ["give"], input: bigText });
    machine.step({ type: "start", atMs: 0 });
    machine.free();
  },
  "of hosts that take turns": async (graph) => {
    await run(graph, { handlers: { give: () => bigText } });
    await run(graph, { byId: { a: () => bigText } });
  },
})) {
  test(`a thousand runs ${kind} leave nothing behind`, async () => {
    const graph = decisionPlan("last.n==1");
    const round = async (count) => {
      for (let i = 0; i < count; i++) await once(graph);
    };
    await round(100);
    const before = words().buffer.byteLength;
    await round(1000);
    assert.equal(words().buffer.byteLength, before);
  });
}

test("unreferenced machines and plans are collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const alive = [];
  (() => {
    for (let i = 0; i < 20; i++) {
      const value = { i };
      const machine = new Run(plan("nodes: {a: {type: give, input: {constant: 1}}}"), {
        input: value,
        types: ["give"],
      });
      machine.step({ type: "start", atMs: 0 });
      alive.push(new WeakRef(value));
    }
  })();
  // Finalizers run while the event loop is idle. Each collection frees values that the previous one released.
  const aliveCount = () => alive.filter((value) => value.deref()).length;
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  for (const end = Date.now() + 20_000; aliveCount() > 1 && Date.now() < end; ) {
    // `deref` keeps its value alive until the end of the turn.
    await nextTurn();
    collect();
    await nextTurn();
  }
  assert.ok(aliveCount() <= 1, `${aliveCount()} of 20; the last may still stand on the interpreter's stack`);
});

test("plans that are freed leave nothing behind, nor do their runs", async () => {
  const text = JSON.stringify(chain(200));
  const round = async () => {
    for (let i = 0; i < 100; i++) {
      const { graph } = PlanGraph.parse(text);
      await run(graph, { handlers: Object.fromEntries(graph.nodes.map(({ type }) => [type, () => i])) });
      graph.free();
    }
  };
  await round();
  const before = words().buffer.byteLength;
  for (let i = 0; i < 5; i++) await round();
  assert.equal(words().buffer.byteLength, before);
});

test("a loop of runs of new plans returns to the event loop, where collected plans are freed", async () => {
  let hasTurned = false;
  setImmediate(() => (hasTurned = true));
  const text = JSON.stringify(chain(200));
  const before = words().buffer.byteLength;
  const kept = [];
  while (words().buffer.byteLength < before + 40_000_000) {
    const { graph } = PlanGraph.parse(text);
    kept.push(graph);
    await run(graph, { handlers: Object.fromEntries(graph.nodes.map(({ type }) => [type, () => 1])) });
  }
  const inLoop = hasTurned;
  for (const graph of kept) graph.free();
  assert.ok(inLoop);
});

test("ten thousand runs at once", async () => {
  const gates = [];
  const graph = plan(
    "{start: a, nodes: {a: {type: give}, b: {type: keep}, c: {type: log, input: 'got ${output.a.n}'}}, edges: [{from: a, to: b}, {from: b, to: c, condition: last.n>=0}]}",
  );
  const running = Array.from({ length: 10_000 }, (_, n) => {
    const gate = deferred();
    gates.push(gate);
    return run(graph, {
      input: n,
      handlers: { give: () => gate.promise.then(() => ({ n })), keep: (node) => node.input },
    });
  });
  for (let i = 0; i < gates.length; i++) gates[(i * 7919) % gates.length].resolve();
  const reports = await Promise.all(running);
  reports.forEach(({ last, outputs, path }, n) =>
    assert.deepEqual([last, outputs.input, outputs.b.n, path.length], [`got ${n}`, n, n, 3]),
  );
});

test("a handler may run other plans, and its own plan", async () => {
  const give = async (_node, state) => {
    if (state.input === 0) return [0];
    const inner = await run(two, { input: state.input - 1, handlers: { give } });
    assert.equal(inner.outcome.type, "completed");
    return [state.input, ...inner.last];
  };
  const { last } = await run(two, { input: 5, handlers: { give } });
  assert.deepEqual(last, [5, 4, 3, 2, 1, 0]);
});

test("a handler may drive a machine to its end", async () => {
  const runNested = () => {
    const machine = new Run(two, { input: "inner", types: ["give"] });
    let {
      commands: [command],
    } = machine.step({ type: "start", atMs: 0 });
    while (command.type === "call-handler")
      [command] = machine.step({ type: "call-done", call: command.call, output: [command.input], atMs: 0 }).commands;
    return machine.report.last;
  };
  const { outputs } = await run(two, { handlers: { give: runNested } });
  assert.deepEqual(outputs, { input: null, a: [["inner"]], b: [["inner"]] });
});

test("a listener may start runs", async () => {
  const inner = [];
  const handlers = { give: () => ({ n: 1 }) };
  const graph = decisionPlan("last.n==1");
  const { trace } = await run(graph, { handlers, onEvent: () => inner.push(run(graph, { handlers })) });
  const reports = await Promise.all(inner);
  assert.equal(reports.length, trace.length);
  for (const report of reports) assert.equal(canonical(report.trace), canonical(trace));
});

test("a getter that runs a plan inside the engine does no harm", async () => {
  const graph = decisionPlan("last.n==1");
  const nested = [];
  const value = {
    get n() {
      nested.push(run(graph, { handlers: { give: () => ({ n: 1 }) } }));
      return 1;
    },
  };
  const { path } = await run(graph, { handlers: { give: () => value } });
  assert.deepEqual(path, ["a", "yes"]);
  for (const report of await Promise.all(nested)) assert.deepEqual(report.path, ["a", "yes"]);
  assert.ok(nested.length > 0);
});

test("a getter that steps its own machine is rejected and does no harm", () => {
  const machine = new Run(decisionPlan("last.n==1"), { types: ["give"] });
  machine.step({ type: "start", atMs: 0 });
  const errors = [];
  const value = {
    get n() {
      try {
        machine.step({ type: "cancel", atMs: 0 });
      } catch (error) {
        errors.push(error);
      }
      return 1;
    },
  };
  machine.step({ type: "call-done", call: "a:1:1", output: value, atMs: 0 });
  assert.deepEqual(machine.report.path, ["a", "yes"]);
  assert.ok(errors.length > 0 && errors.every((error) => error instanceof Error));
});

test("long runs without a trace use limited memory of the engine", async () => {
  const graph = plan(
    "{start: a, nodes: {a: {type: give}, b: {type: noop}}, edges: [{from: a, to: b}, {from: b, to: a, condition: last<20000}]}",
  );
  const count = async () => {
    let n = 0;
    const { counts, last } = await run(graph, { trace: false, limits: { visits: 1e6 }, handlers: { give: () => ++n } });
    assert.deepEqual([counts.steps, last], [40_000, 20_000]);
  };
  await count();
  const before = words().buffer.byteLength;
  await count();
  assert.equal(words().buffer.byteLength, before);
});

test("a chain of ten thousand nodes without calls uses no stack", async () => {
  const graph = plan(JSON.stringify(chain(10_000)).replaceAll('"give"', '"noop"'));
  const { path, outcome } = await run(graph, { input: 1 });
  assert.deepEqual([path.length, outcome.type], [10_000, "completed"]);
});

test("the browser's entry reports that it is not initialized", async () => {
  const program = `
    import { PlanGraph, readYaml, mcp, init } from "./dist/web.js";
    const codes = [() => PlanGraph.parse(""), () => readYaml("")].map((use) => { try { use(); } catch (error) { return error.code; } });
    await mcp("http://127.0.0.1:1/mcp").list().catch((error) => codes.push(error.code));
    const { readFile } = await import("node:fs/promises");
    const bytes = await readFile("pkg/stepgraph_wasm_bg.wasm");
    await Promise.all([init(bytes), init(bytes)]);
    await init("nowhere");
    console.log(JSON.stringify([...codes, PlanGraph.parse("nodes: {a: {type: noop}}").graph.start]));`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd,
  });
  assert.deepEqual(JSON.parse(stdout), ["api/not-started", "api/not-started", "api/not-started", "a"]);
  assert.equal(stderr, "");
});

test("the entry for compiled modules starts at once", async () => {
  const program = `
    import { PlanGraph, init } from "./dist/module.js";
    import { readFileSync } from "node:fs";
    const module = new WebAssembly.Module(readFileSync("pkg/stepgraph_wasm_bg.wasm"));
    init(module);
    init(module);
    console.log(PlanGraph.parse("nodes: {a: {type: noop}}").graph.start);`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd,
  });
  assert.deepEqual([stdout, stderr], ["a\n", ""]);
});

test("events stay readable while the engine's memory grows", () => {
  const { graph } = PlanGraph.parse("nodes: {each: {type: map, with: {join: settled}, do: {nodes: {a: {type: ask}}}}}");
  const kept = [];
  for (let i = 0; i < 3000; i++) {
    const machine = new Run(graph, { types: ["ask"], input: [1, 2, 3, 4, 5, 6, 7, 8] });
    kept.push(machine);
    const { trace, commands } = machine.step({ type: "start", atMs: 0 });
    assert.deepEqual(
      trace.flatMap(({ type, node }) => (type === "node-started" ? [node] : [])),
      ["each", ..."aaaaaaaa"],
    );
    assert.deepEqual(
      commands.map(({ call }) => call),
      [0, 1, 2, 3, 4, 5, 6, 7].map((at) => `each:1/${at}/a:1:1`),
    );
  }
  for (const machine of kept) machine.free();
});

test("a call abandoned in the step that requested it is not made", async () => {
  const graph = plan(
    "{start: fan, nodes: {fan: {type: parallel, branches: {a: {nodes: {x: {type: give}}}, b: {nodes: {y: {type: log, input: '${input.no.where}'}}}}}}}",
  );
  const called = [];
  const { outcome } = await run(graph, { input: {}, handlers: { give: ({ call }) => called.push(call) } });
  assert.deepEqual([outcome.type, outcome.code, outcome.scope, called], ["failed", "template/missing", "fan:1/b", []]);
});

test("a cancelled run can be resumed, whenever it was cancelled", async () => {
  const asking = PlanGraph.load(`
start: get
nodes: {get: {type: tool, tool: get, input: {}}, ask: {type: approve, input: "\${last}"}, put: {type: tool, tool: get, input: {}}}
edges: [{from: get, to: ask}, {from: ask, to: put}]
`);
  let calls = 0;
  const tools = { get: { input: { type: "object" }, run: async () => (await null, ++calls) } };
  for (const key of [undefined, "the key of the snapshots"]) {
    const options = { tools, ...(key && { key }) };
    const { snapshot } = await run(asking, options);
    const seen = new Set();
    for (let turns = 0; turns < 20; turns++) {
      const abort = new AbortController();
      const running = run(asking, { ...options, snapshot, signal: abort.signal });
      // Listing tools and verifying the signature take some turns before the run goes on.
      for (let turn = 0; turn < turns; turn++) await null;
      abort.abort();
      const report = await running;
      seen.add(report.outcome.type);
      assert.ok(report.snapshot, `${report.outcome.type} after ${turns} turns`);
      calls = 0;
      const resumed = await run(asking, { ...options, snapshot: report.snapshot, onApproval: () => "approved" });
      assert.deepEqual([resumed.outcome.type, calls], ["completed", 1]);
    }
    assert.ok(seen.has("cancelled"));
  }
});
