// Tests the npm package from the user's side: conversion of values, handlers, and errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, formatDiagnostics, init, PlanError, PlanGraph, readYaml, run } from "../../dist/node.js";
import { deferred, decisionPlan, plan, verdicts } from "./plans.mjs";

const echo = plan("nodes: {a: {type: give}}");

async function outputOf(value) {
  const { outcome, outputs } = await run(echo, { handlers: { give: () => value } });
  assert.equal(outcome.type, "completed");
  return outputs.a;
}

async function evaluateFor(condition, value, options = {}) {
  const { outcome, path } = await run(decisionPlan(condition), { handlers: { give: () => value }, ...options });
  if (outcome.type === "failed") return outcome.code;
  assert.equal(outcome.type, "completed", JSON.stringify(outcome));
  return path.at(-1) === "yes";
}

test("a handler's result becomes the output unchanged", async () => {
  class Money {
    constructor(cents) {
      this.cents = cents;
    }
  }
  const cyclic = {};
  cyclic.self = cyclic;
  const values = [
    0,
    -0,
    "",
    false,
    NaN,
    10n,
    new Date(0),
    new Money(5),
    new Map([[1, 2]]),
    new Set([1]),
    cyclic,
    Symbol.iterator,
    () => 1,
    [undefined],
    new Uint8Array(2),
  ];
  for (const value of values) assert.ok(Object.is(await outputOf(value), value), String(typeof value));
});

test("undefined becomes null", async () => {
  assert.equal(await outputOf(undefined), null);
  assert.equal(await outputOf(null), null);
  assert.equal((await run(echo, { handlers: { give: () => {} } })).last, null);
  const { outputs } = await run(echo, { handlers: { give: (_, state) => state.input } });
  assert.deepEqual(outputs, { input: null, a: null });
});

const cyclic = { name: "loop" };
cyclic.self = cyclic;
class Money {
  #cents = 5;
  currency = "EUR";
  get cents() {
    return this.#cents;
  }
}
const throwingHandlers = {
  good: 1,
  get bad() {
    throw new Error("no");
  },
};
const hostileProxy = new Proxy(
  {},
  {
    getOwnPropertyDescriptor() {
      throw new Error("no");
    },
    ownKeys() {
      throw new Error("no");
    },
  },
);
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

for (const [condition, value, expected] of [
  ["last==null", undefined, true],
  ["last.exists", undefined, true],
  ["last.a.exists", { a: undefined }, false],
  ["last.a.exists", { a: null }, true],
  ["last==null", NaN, true],
  ["last>3", NaN, "expression/type"],
  ["last==null", Infinity, true],
  ["last==5", 5n, true],
  ["last>4", 5n, true],
  ["last==0", -0, true],
  ["last==1970-01-01T00:00:00.000Z", new Date(0), true],
  ["last.at.contains:1970", { at: new Date(0) }, true],
  ["last==5", { toJSON: () => 5 }, true],
  ["last.x==1", { toJSON: () => ({ x: 1 }) }, true],
  [
    "last.exists",
    {
      toJSON() {
        throw new Error("no");
      },
    },
    false,
  ],
  ["last.currency==EUR", new Money(), true],
  ["last.cents.exists", new Money(), false],
  ["last.good==1", throwingHandlers, true],
  ["last.bad.exists", throwingHandlers, false],
  ["last.exists", hostileProxy, true],
  ["last.contains:a", hostileProxy, false],
  ["last.a.exists", hostileProxy, false],
  ["last.inner.exists", { inner: revoked }, false],
  ["last.inner.contains:a", { inner: revoked }, false],
  ["last.size.exists", new Map([["size", 1]]), false],
  ["last.name==loop", cyclic, true],
  ["last.self.self.self.name==loop", cyclic, true],
  ["last=={}", cyclic, false],
  ["last.constructor.exists", {}, false],
  ["last.toString.exists", {}, false],
  ["last.__proto__.exists", {}, false],
  ["last.__proto__.x==1", JSON.parse('{"__proto__": {"x": 1}}'), true],
  ["last.contains:constructor", {}, false],
  ["last.length.exists", [1, 2], false],
  ["last.length.exists", "text", false],
  ["last[1]==b", ["a", "b"], true],
  ["last.1==b", ["a", "b"], true],
  ["last[0].exists", { 0: "a" }, false],
  ["last.01.exists", ["a", "b"], false],
  ["last[0].exists", [undefined], false],
  ["last.exists", () => 1, true],
  ["last==null", Symbol.iterator, true],
  ["last.f.exists", { f: () => 1 }, false],
  ["last==[1,2]", [1, 2], true],
  ["last==😀", "😀", true],
  ["last.contains:😀", "a😀b", true],
  ["last==9007199254740991", Number.MAX_SAFE_INTEGER, true],
]) {
  test(`${condition} is ${expected} for ${label(value)}`, async () =>
    assert.equal(await evaluateFor(condition, value), expected));
}

function label(value) {
  if (typeof value === "object" && value !== null)
    return value === hostileProxy
      ? "a proxy that throws"
      : value === cyclic
        ? "a cycle"
        : `${Object.keys(value).length} keys of ${value.constructor?.name}`;
  return String(value);
}

test("templates format values as JSON, and a single placeholder keeps its type", async () => {
  const graph = plan(`
    start: a
    nodes:
      a: {type: give}
      b: {type: log, input: {whole: "\${last}", at: "on \${last.at}", big: "\${last.big}!", list: "\${last.list}", none: "[\${last.none}]"}}
    edges: [{from: a, to: b}]`);
  const value = { at: new Date(0), big: 12345678901234567890n, list: [undefined, NaN, new Date(0)], none: null };
  const { last, outcome } = await run(graph, { handlers: { give: () => value } });
  assert.equal(outcome.type, "completed", JSON.stringify(outcome));
  assert.equal(last.whole, value);
  assert.equal(last.at, "on 1970-01-01T00:00:00.000Z");
  assert.equal(last.big, "12345678901234567000!");
  assert.equal(last.list, value.list);
  assert.equal(last.none, "[]");
});

test("a key called __proto__ is a key like any other", async () => {
  const graph = plan('{"nodes": {"a": {"type": "log", "input": {"__proto__": {"polluted": "${input}"}}}}}');
  const { last } = await run(graph, { input: 1 });
  assert.deepEqual(Object.entries(last), [["__proto__", { polluted: 1 }]]);
  assert.equal({}.polluted, undefined);
  const { outputs } = await run(plan("nodes: {__proto__: {type: give}}"), { handlers: { give: () => 7 } });
  assert.deepEqual(Object.entries(outputs), [
    ["input", null],
    ["__proto__", 7],
  ]);
});

test("a handler by id takes precedence over one by type, and both over the built-in one", async () => {
  const graph = plan(
    "{start: a, nodes: {a: {type: noop}, b: {type: noop}, c: {type: log, input: built-in}}, edges: [{from: a, to: b}, {from: b, to: c}]}",
  );
  const { outputs } = await run(graph, { handlers: { noop: () => "type" }, byId: { a: () => "id" } });
  assert.deepEqual(outputs, { input: null, a: "id", b: "type", c: "built-in" });
});

test("handlers may return a value, a promise or any thenable", async () => {
  for (const give of [
    () => 5,
    async () => 5,
    () => ({ then: (done) => done(5) }),
    () => ({ then: (done) => setImmediate(() => done(5)) }),
  ]) {
    assert.equal((await run(echo, { handlers: { give } })).last, 5);
  }
});

test("any value that a handler throws fails the run with a code", async () => {
  const codedError = (code, message) => Object.assign(new Error(message), { code });
  for (const [thrown, code, message] of [
    [new Error("kaput"), "handler/failed", "kaput"],
    ["kaput", "handler/failed", "kaput"],
    [null, "handler/failed", "null"],
    [undefined, "handler/failed", "undefined"],
    [codedError("shop/sold-out", "none left"), "shop/sold-out", "none left"],
    [codedError("ENOENT", "no file"), "handler/failed", "no file"],
    [codedError(5, "five"), "handler/failed", "five"],
    [Object.create(null), "handler/failed", /./],
    [Object.assign(new Error(), { message: 5 }), "handler/failed", "5"],
    [
      {
        get code() {
          throw new Error("no");
        },
      },
      "handler/failed",
      /./,
    ],
    [Symbol("s"), "handler/failed", "Symbol(s)"],
    [new Error("lone \ud800"), "handler/failed", /^lone /],
  ]) {
    const handlers = [
      () => {
        throw thrown;
      },
      async () => {
        throw thrown;
      },
      () => ({ then: (_, fail) => fail(thrown) }),
      () => ({
        get then() {
          throw thrown;
        },
      }),
    ];
    for (const [i, give] of handlers.entries()) {
      const { outcome, path, outputs } = await run(echo, { handlers: { give }, input: "kept" });
      assert.equal(outcome.type, "failed");
      assert.deepEqual(
        { code: outcome.code, node: outcome.node, path, outputs },
        { code, node: "a", path: ["a"], outputs: { input: "kept" } },
        `${i}`,
      );
      if (message instanceof RegExp) assert.match(outcome.message, message);
      else assert.equal(outcome.message, message);
    }
  }
});

test("a handler sees its node and the run", async () => {
  const graph = plan(`
    start: a
    nodes:
      a: {type: give}
      k: {id: b, type: look, tool: t, input: "got \${last}", metadata: {n: 1}, with: {x: [1]}}
    edges: [{from: a, to: k}]`);
  const context = { user: "u" };
  const { signal } = new AbortController();
  let seen;
  const recordState = (node, state) => {
    const { id, type, tool, input, metadata, call } = node;
    seen = {
      node: { id, type, tool, input, metadata, with: node.with, call },
      last: state.last,
      a: state.output("a"),
      seeded: state.output("seeded"),
      input: state.input,
      none: state.output("none"),
    };
    assert.equal(state.context, context);
    assert.equal(state.signal, signal);
  };
  await run(graph, {
    input: 1,
    context,
    signal,
    outputs: { seeded: 2 },
    handlers: { give: () => 5, look: recordState },
  });
  assert.deepEqual(seen, {
    node: { id: "b", type: "look", tool: "t", input: "got 5", metadata: { n: "1" }, with: { x: [1] }, call: "b:1:1" },
    last: 5,
    a: 5,
    seeded: 2,
    input: 1,
    none: undefined,
  });
});

test("a handler that aborts the run before it returns a promise does not delay the run", async () => {
  const leave = new AbortController();
  const neverEnds = () => (leave.abort(), new Promise(() => {}));
  const { graph } = PlanGraph.parse("nodes: {a: {type: never}}");
  const { outcome } = await run(graph, { handlers: { never: neverEnds }, signal: leave.signal });
  assert.equal(outcome.type, "cancelled");
});

test("without context and signal a handler receives empty ones", async () => {
  let seen;
  await run(echo, {
    handlers: { give: (_, { context, signal }) => (seen = [context, signal.aborted, signal instanceof AbortSignal]) },
  });
  assert.deepEqual(seen, [{}, false, true]);
});

test("values that a handler writes count only if it succeeds", async () => {
  const graph = plan(
    "{start: a, nodes: {a: {type: give}, b: {type: noop}, c: {type: noop}}, edges: [{from: a, to: b, condition: output.extra.n==1}, {from: a, to: c}]}",
  );
  const write = (_, state) => {
    state.write("extra", { n: 0 });
    state.write("extra", { n: 1 });
    state.write("nothing", undefined);
    assert.equal(state.output("extra"), undefined);
    return "given";
  };
  const { path, outputs } = await run(graph, { handlers: { give: write } });
  assert.deepEqual(path, ["a", "b"]);
  assert.deepEqual(outputs, { input: null, a: "given", b: "given", extra: { n: 1 }, nothing: null });
  const failed = await run(graph, {
    handlers: {
      give: (...all) => {
        write(...all);
        throw new Error("no");
      },
    },
  });
  assert.deepEqual(failed.outputs, { input: null });
});

test("a handler can't write reserved names, and the run continues", async () => {
  for (const name of ["input", "memory"]) {
    const { outcome } = await run(echo, { handlers: { give: (_, state) => state.write(name, 1) } });
    assert.deepEqual([outcome.type, outcome.code, outcome.node], ["failed", "graph/reserved-id", "a"]);
  }
  const { outputs } = await run(echo, {
    input: 1,
    outputs: { input: 2, memory: 3, x: undefined },
    memory: 4,
    handlers: { give: () => 5 },
  });
  assert.deepEqual(outputs, { input: 1, memory: 4, a: 5, x: null });
});

test("a handler that writes after its run ended gets an error", async () => {
  let late;
  await run(echo, {
    handlers: {
      give: (_, state) => {
        late = state;
      },
    },
  });
  assert.throws(
    () => late.write("x", 1),
    (error) => error instanceof PlanError && error.code === "run/finished",
  );
  assert.equal(late.last, undefined);
  assert.equal(late.output("a"), undefined);
});

test("a plan that can't run ends as an outcome with its diagnostics, nothing having run", async () => {
  const graph = plan("{start: a, nodes: {a: {type: give}, b: {type: mystery}}, edges: [{from: a, to: b}]}");
  let asked = 0;
  const events = [];
  const { outcome, path, trace, outputs, counts, planHash } = await run(graph, {
    input: 1,
    handlers: { give: () => asked++ },
    onEvent: (event) => events.push(event),
  });
  assert.deepEqual([outcome.type, outcome.code], ["failed", "run/invalid-plan"]);
  assert.deepEqual(
    outcome.diagnostics.map(({ code, target }) => [code, target]),
    [["graph/unknown-type", { type: "node", node: "b" }]],
  );
  assert.deepEqual(
    { path, trace, outputs, counts, planHash, events, asked },
    {
      path: [],
      trace: [],
      outputs: { input: 1 },
      counts: { steps: 0, calls: 0, retries: 0 },
      planHash: graph.hash,
      events: [],
      asked: 0,
    },
  );
});

test("check reports problems that only the host knows", () => {
  const graph = plan("nodes: {a: {type: give}}");
  assert.deepEqual(check(graph), []);
  assert.deepEqual(check(graph, { handlers: { give: () => 1 } }), []);
  assert.deepEqual(
    check(graph, { handlers: { gave: () => 1 } }),
    [],
    "it may be a tool's name while tools are not known",
  );
  assert.deepEqual(
    check(graph, { handlers: { gave: () => 1 }, tools: [] }).map(({ code, severity }) => [code, severity]),
    [["graph/unknown-type", "error"]],
  );
  assert.deepEqual(
    check(graph, { handlers: { give: () => 1 }, byId: { b: () => 1 } }).map(({ code, severity }) => [code, severity]),
    [["run/unknown-handler", "warning"]],
  );
});

test("stubs of the wrong shape are rejected before anything runs", async () => {
  await assert.rejects(
    run(echo, { stubs: { types: { give: "ecko" } } }),
    (error) => error instanceof PlanError && error.code === "stub/wrong-shape" && /types\.give/.test(error.message),
  );
});

test("stubs may wait, and may be combined with handlers", async () => {
  const graph = plan("{start: a, nodes: {a: {type: give}, b: {type: other}}, edges: [{from: a, to: b}]}");
  const { outputs } = await run(graph, {
    stubs: { types: { give: { return: 1, delay_ms: 1 } } },
    handlers: { other: (node) => node.input + 1 },
  });
  assert.deepEqual(outputs, { input: null, a: 1, b: 2 });
});

test("limits of the run go before those of the plan", async () => {
  const graph = plan(
    "{start: a, nodes: {a: {type: give}, b: {type: noop}}, edges: [{from: a, to: b}, {from: b, to: a, condition: last==1}]}",
  );
  const handlers = { give: () => 1 };
  const place = "in the options of the run";
  for (const [limits, code, steps, message] of [
    [
      undefined,
      "run/visit-limit",
      50,
      "node `a` was visited 25 times, and 25 are allowed by default: raise `visits` of the node",
    ],
    [
      { visits: 3 },
      "run/visit-limit",
      6,
      `node \`a\` was visited 3 times, and 3 are allowed: raise \`limits.visits\` ${place}`,
    ],
    [{ steps: 4 }, "run/step-limit", 4, `4 nodes were run, and 4 are allowed: raise \`limits.steps\` ${place}`],
    [{ calls: 2 }, "run/call-limit", 5, `2 calls were made, and 2 are allowed: raise \`limits.calls\` ${place}`],
  ]) {
    const { outcome, counts } = await run(graph, { handlers, limits });
    assert.deepEqual([outcome.code, counts.steps, outcome.message], [code, steps, message]);
  }
});

test("a failure at a limit says where the limit is set", async () => {
  for (const [graph, message] of [
    [
      plan("{start: a, nodes: {a: {type: give, visits: 2}}, edges: [{from: a, to: a, condition: last==1}]}"),
      "node `a` was visited 2 times, and 2 are allowed: raise `visits` of the node",
    ],
    [
      plan("{start: a, limits: {steps: 3}, nodes: {a: {type: give}}, edges: [{from: a, to: a, condition: last==1}]}"),
      "3 nodes were run, and 3 are allowed: raise `limits.steps` of the plan",
    ],
    [
      plan("{limits: {timeout_ms: 5}, nodes: {a: {type: wait, with: {ms: 500}}}}"),
      "the run took longer than 5 ms: raise `limits.timeout_ms` of the plan",
    ],
  ]) {
    const { outcome } = await run(graph, { handlers: { give: () => 1 } });
    assert.equal(outcome.message, message);
  }
});

test("the hash is that of the meaning", async () => {
  const yaml = plan(
    "# a comment\nstart: a\nnodes:\n  a: {type: log, input: {x: 1, y: [2]}}\n  b: {type: noop}\nedges:\n  - {from: a, to: b}\n",
  );
  const same = [
    '{"edges": [{"to": "b", "from": "a"}], "nodes": {"a": {"input": {"y": [2], "x": 1.0}, "type": "log"}, "b": {"type": "noop"}}, "start": "a"}',
    "start: a\nnodes: {a: {type: log, input: {x: 1, y: [2]}}, b: {type: noop}}\nedges: [{from: a, to: b}]\nlayout: {a: [1, 2]}\n",
  ];
  for (const text of same) assert.equal(plan(text).hash, yaml.hash, text);
  for (const text of [
    same[0].replace("[2]", "[3]"),
    same[0].replace('"log"', '"noop"'),
    same[0].replace('"from": "a"', '"from": "a", "condition": "last==1"'),
  ])
    assert.notEqual(plan(text).hash, yaml.hash, text);
  assert.equal((await run(yaml, { planHash: yaml.hash })).outcome.type, "completed");
  const refused = await run(yaml, { planHash: plan(same[0].replace("[2]", "[3]")).hash });
  assert.deepEqual([refused.outcome.type, refused.outcome.code, refused.path], ["failed", "run/plan-changed", []]);
});

test("the parts of a report are read lazily, in any order, and stay the same", async () => {
  const graph = decisionPlan("last.a==1");
  const report = await run(graph, { input: "in", handlers: { give: () => ({ a: 1 }) } });
  const { trace, path, outputs } = report;
  assert.equal(report.trace, trace);
  assert.equal(report.path, path);
  assert.equal(report.outputs, outputs);
  const data = JSON.parse(JSON.stringify(report));
  assert.deepEqual(Object.keys(data), [
    "outcome",
    "last",
    "outputs",
    "path",
    "partial",
    "trace",
    "durationMs",
    "counts",
    "planHash",
    "diagnostics",
  ]);
  assert.deepEqual(data, {
    outcome: { type: "completed", reason: "terminal" },
    last: { a: 1 },
    outputs: { input: "in", a: { a: 1 }, yes: { a: 1 } },
    path: ["a", "yes"],
    partial: {},
    trace: JSON.parse(JSON.stringify(trace)),
    durationMs: report.durationMs,
    counts: { steps: 2, calls: 1, retries: 0 },
    planHash: graph.hash,
    diagnostics: [],
  });
  assert.ok(report.durationMs >= 0);
});

test("the trace contains every condition with the compared values", async () => {
  const graph = plan(`
    start: a
    nodes: {a: {type: give}, b: {type: log, input: "x"}, c: {type: noop}}
    edges:
      - {from: a, to: c}
      - {from: a, to: c, condition: "last.n==2 || last.gone.exists"}
      - {from: a, to: b, condition: "last.n>0 && !(output.a.list.contains:z)"}`);
  const value = { n: 1, list: ["z", "y"].slice(1) };
  const { trace } = await run(graph, { handlers: { give: () => value } });
  assert.deepEqual(
    trace.map((event) => event.type),
    [
      "run-started",
      "node-started",
      "node-completed",
      "edge-decided",
      "node-started",
      "logged",
      "node-completed",
      "edge-decided",
      "run-ended",
    ],
  );
  const { atMs, ...decision } = trace[3];
  assert.equal(typeof atMs, "number");
  assert.deepEqual(decision, {
    type: "edge-decided",
    node: "a",
    from: "a",
    to: "b",
    edge: 2,
    reason: "condition",
    verdicts: [
      {
        edge: 1,
        condition: "last.n==2 || last.gone.exists",
        holds: false,
        saw: [
          { reference: "last.n", value: 1 },
          { reference: "last.gone", missing: true },
        ],
      },
      {
        edge: 2,
        condition: "last.n>0 && !(output.a.list.contains:z)",
        holds: true,
        saw: [
          { reference: "last.n", value: 1 },
          { reference: "output.a.list", value: ["y"] },
        ],
      },
    ],
  });
  assert.equal(verdicts(trace)[1].saw[1].value, value.list, "values are shown, not copied");
});

test("a run without a trace has the same report otherwise", async () => {
  const graph = decisionPlan("last==1");
  const handlers = { give: () => 1 };
  const events = [];
  const kept = await run(graph, { handlers });
  const silent = await run(graph, { handlers, trace: false, onEvent: (event) => events.push(event.type) });
  assert.deepEqual(silent.trace, []);
  assert.deepEqual(
    events,
    kept.trace.map((event) => event.type),
  );
  assert.deepEqual({ ...silent.toJSON(), trace: 0, durationMs: 0 }, { ...kept.toJSON(), trace: 0, durationMs: 0 });
  assert.deepEqual((await run(graph, { handlers, trace: false })).path, ["a", "yes"]);
});

test("init may be called repeatedly", async () => {
  await Promise.all([init(), init()]);
  await init("nowhere");
  assert.equal((await run(echo, { handlers: { give: () => 1 } })).last, 1);
});

test("mistakes in a plan are never thrown", () => {
  for (const text of [
    "",
    "{",
    "nodes: [",
    "nodes: {}",
    "\0",
    "[]",
    "a: &a [*a]",
    "5",
    "- 1",
    "nodes: {a: {}}",
    "%",
    "\ud800",
  ]) {
    const { graph, diagnostics } = PlanGraph.parse(text);
    assert.equal(graph?.valid ?? false, false, text);
    assert.ok(
      diagnostics.some(({ severity }) => severity === "error"),
      text,
    );
  }
});

const validText = "nodes: {a: {type: log, input: ü😀}}";
test("plans may be bytes, with a mark in front or without", () => {
  const bytes = new TextEncoder().encode(validText);
  for (const input of [
    validText,
    bytes,
    `\ufeff${validText}`,
    new Uint8Array([0xef, 0xbb, 0xbf, ...bytes]),
    Buffer.from(bytes),
    validText.replaceAll(", ", ",\r\n "),
  ]) {
    const { graph, diagnostics } = PlanGraph.parse(input);
    assert.deepEqual(diagnostics, []);
    assert.equal(graph.toJSON().nodes.a.input, "ü😀");
  }
});

test("invalid bytes are reported with their position", () => {
  const bytes = new Uint8Array([...new TextEncoder().encode("id: 😀\nnodes: "), 0xff, 0xfe]);
  const {
    graph,
    diagnostics: [problem, ...others],
  } = PlanGraph.parse(bytes);
  assert.equal(graph, null);
  assert.deepEqual(others, []);
  assert.deepEqual([problem.severity, problem.line, problem.column, problem.span.start], ["error", 2, 8, 14]);
});

test("places count as JavaScript's strings do", () => {
  for (const text of [
    'id: "😀"\nnodes: {a: {type: log}, "😀": {type: log, inputt: 1}}\nedges: [{from: a, to: "😀"}]',
    "nodes: {a: {type: log, inputt: 1}}",
    "# 😀 é\r\nnodes: {a: {type: log, metadata: {k: é😀}, inputt: 1}}",
  ]) {
    const {
      diagnostics: [problem],
    } = PlanGraph.parse(text);
    assert.equal(problem.code, "graph/unknown-key", JSON.stringify(problem));
    const at = text.indexOf("inputt");
    const lineStart = text.lastIndexOf("\n", at) + 1;
    assert.equal(text.slice(problem.span.start, problem.span.end), "inputt");
    assert.deepEqual([problem.line, problem.column], [text.slice(0, at).split("\n").length, at - lineStart + 1]);
    assert.deepEqual(
      problem.fix.map(({ span, text: better }) => text.slice(0, span.start) + better + text.slice(span.end)),
      problem.fix.map(() => text.replace("inputt", "input")),
    );
  }
});

test("any YAML or JSON can be read", () => {
  assert.deepEqual(readYaml("a: [1, 2.5, 0x10, true, ~, '7']").value, { a: [1, 2.5, 16, true, null, "7"] });
  assert.deepEqual(Object.keys(readYaml('{"__proto__": 1}').value), ["__proto__"]);
  const { value, diagnostics } = readYaml("a: 1\na: 2");
  assert.equal(diagnostics.length, 1);
  assert.equal(diagnostics[0].line, 2);
  void value;
});

test("a plan returns its nodes and edges as written", () => {
  const text =
    "start: k\nnodes: {k: {id: n, type: log, input: x}, m: {type: noop}}\nedges: [{from: k, to: m, condition: ' last==x '}]";
  const graph = plan(text);
  assert.equal(graph.start, "k");
  assert.deepEqual(
    graph.nodes.map(({ key, id, type, tool }) => [key, id, type, tool]),
    [
      ["k", "n", "log", null],
      ["m", "m", "noop", null],
    ],
  );
  assert.deepEqual(
    graph.edges.map(({ from, to }) => [from, to]),
    [["k", "m"]],
  );
  assert.deepEqual(graph.toJSON(), {
    start: "k",
    nodes: { k: { id: "n", type: "log", input: "x" }, m: { type: "noop" } },
    edges: [{ from: "k", to: "m", condition: " last==x " }],
  });
  assert.equal(plan(JSON.stringify(graph)).hash, graph.hash);
});

test("new or changed handlers are read again", async () => {
  const handlers = { give: () => 1 };
  assert.equal((await run(echo, { handlers })).last, 1);
  handlers.give = () => 2;
  assert.equal((await run(echo, { handlers })).last, 2);
  delete handlers.give;
  assert.equal((await run(echo, { handlers })).outcome.code, "run/invalid-plan");
  handlers.give = () => 3;
  assert.equal((await run(echo, { handlers })).last, 3);
  handlers.noop = () => 4;
  assert.equal((await run(plan("nodes: {a: {type: noop}}"), { handlers })).last, 4);
});

test("a handler may come from a prototype as little as a key does", async () => {
  const { outcome } = await run(plan("nodes: {a: {type: toString}}"), { handlers: {} });
  assert.equal(outcome.code, "run/invalid-plan");
  const inherited = await run(echo, { handlers: Object.create({ give: () => 1 }) });
  assert.equal(inherited.outcome.code, "run/invalid-plan");
});

test("a promise is waited for once, and its value looked into afterwards", async () => {
  const { promise, resolve } = deferred();
  const running = run(decisionPlan("last.ok==true"), { handlers: { give: () => promise } });
  resolve({ ok: true });
  assert.deepEqual((await running).path, ["a", "yes"]);
});

test("diagnostics are formatted as in the command, with or without the text", () => {
  const text = "start: a\nnodes:\n  a: {type: nop, retry: 3}\n";
  const { diagnostics } = PlanGraph.parse(text);
  const lines = formatDiagnostics(diagnostics, { text, name: "p.yaml" }).split("\n");
  assert.ok(lines.includes("error[graph/wrong-shape]: `retry` is a map, not `3`"), lines.join("\n"));
  assert.ok(lines.includes("3 |   a: {type: nop, retry: 3}"));
  assert.ok(lines.some((line) => line.endsWith("= help: write `retry: {attempts: 3}`")));
  const bare = formatDiagnostics(diagnostics, { color: true });
  assert.ok(bare.includes("plan:3:") && bare.includes("\x1b[") && !bare.includes("type: nop"), bare);
  assert.equal(formatDiagnostics([]), "");
  assert.throws(() => formatDiagnostics("no list"), { code: "api/bad-option" });
});

test("load returns a plan or throws all errors of the text", () => {
  const sound = PlanGraph.load("nodes: {a: {type: log}}");
  assert.equal(sound.nodes[0].key, "a");
  assert.ok(PlanGraph.load("start: a\nnodes: {a: {type: log}, b: {type: log}}").valid);
  const text = "start: b\nnodes:\n  a: {type: log}\n  w: {type: delay, with: {ms: x}}\nedges: [{from: a, to: w}]\n";
  const bytes = new TextEncoder().encode(text);
  for (const given of [text, bytes]) {
    assert.throws(
      () => PlanGraph.load(given, { name: "p.yaml" }),
      (error) => {
        assert.ok(error instanceof PlanError);
        assert.equal(error.code, "plan/invalid");
        const { graph, diagnostics } = PlanGraph.parse(given);
        const known = new Set([...diagnostics, ...check(graph)].map(({ code }) => code));
        assert.deepEqual(new Set(error.diagnostics.map(({ code }) => code)), known);
        assert.equal(error.message, formatDiagnostics(error.diagnostics, { text, name: "p.yaml" }));
        assert.match(error.message, /p\.yaml:1:8/);
        return true;
      },
    );
  }
  assert.throws(() => PlanGraph.load("nodes: ["), { code: "plan/invalid" });
  assert.throws(() => PlanGraph.load("", { nam: "x" }), { code: "api/unknown-option" });
  assert.throws(() => PlanGraph.load(1), { code: "api/bad-text" });
});
