// Tests that forks never repeat calls that a changed answer does not affect.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, PlanGraph, run } from "../../dist/node.js";

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};

function counting(answers) {
  const made = [];
  const names = Object.keys(answers);
  const client = {
    name: "count",
    list: async () => names.map((name) => ({ name, input_schema: { type: "object" } })),
    call: async (name, args, { call }) => {
      made.push(call);
      return { value: await answers[name](args), isError: false };
    },
    close: async () => {},
  };
  return { made, tools: [client] };
}

async function recordRun(graph, options) {
  const lines = [];
  const report = await run(graph, { ...options, record: (line) => lines.push(line) });
  return { lines, report };
}

const diamond = parse(`
start: fan
nodes:
  fan:
    type: parallel
    branches:
      left: {nodes: {l: {type: tool, tool: left, input: {of: "\${input.l}"}}, l2: {type: tool, tool: more, input: {of: "\${output.l}"}}}, edges: [{from: l, to: l2}]}
      right: {nodes: {r: {type: tool, tool: right, input: {of: "\${input.r}"}}, r2: {type: tool, tool: more, input: {of: "\${output.r}"}}}, edges: [{from: r, to: r2}]}
  both: {type: tool, tool: both, input: {all: "\${output.fan}"}}
edges: [{from: fan, to: both}]
`);
const answers = {
  left: ({ of }) => `left ${of}`,
  right: ({ of }) => `right ${of}`,
  more: ({ of }) => `more ${of}`,
  both: ({ all }) => all,
};
const input = { l: 1, r: 2 };

test("one edited output re-runs only the dependent nodes", async () => {
  const first = counting(answers);
  const { lines, report } = await recordRun(diamond, { input, tools: first.tools });
  assert.equal(first.made.length, 5);
  const second = counting(answers);
  const forked = await fork(diamond, {
    cassette: lines,
    at: "fan:1/left/l:1:1",
    output: "edited",
    tools: second.tools,
  });
  assert.deepEqual(second.made, ["fan:1/left/l2:1:1", "both:1:1"]);
  assert.deepEqual(forked.last, { left: "more edited", right: "more right 2" });
  const third = counting(answers);
  const same = await fork(diamond, { cassette: lines, tools: third.tools });
  assert.deepEqual(third.made, []);
  assert.deepEqual(same.outputs, report.outputs);
  assert.deepEqual(same.path, report.path);
  const fourth = counting(answers);
  await fork(diamond, { cassette: lines, input: { l: 1, r: 3 }, tools: fourth.tools });
  assert.deepEqual(
    fourth.made,
    ["fan:1/right/r:1:1", "fan:1/right/r2:1:1", "both:1:1"],
    "another input is an edit, too",
  );
});

test("an edit may fail a call, and a recorded fork can be forked again", async () => {
  const { lines } = await recordRun(diamond, { input, tools: counting(answers).tools });
  const again = [];
  const failed = await fork(diamond, {
    cassette: lines,
    at: "fan:1/left/l2:1:1",
    error: { code: "x/y", message: "no" },
    tools: counting(answers).tools,
    record: (line) => again.push(line),
  });
  assert.equal(failed.outcome.code, "x/y");
  const host = counting(answers);
  const mended = await fork(diamond, { cassette: again, tools: host.tools });
  assert.equal(mended.outcome.type, "completed", JSON.stringify(mended.outcome));
  assert.deepEqual(
    host.made.sort(),
    ["both:1:1", "fan:1/left/l2:1:1", "fan:1/right/r2:1:1"],
    "the sibling had not answered when the run failed",
  );
});

test("without an edit a failed run continues from its cassette: completed calls stay, failed ones are retried", async () => {
  const graph = parse(`
start: a
nodes:
  a: {type: tool, tool: once, input: {}}
  b: {type: tool, tool: flaky, input: {}, retry: {attempts: 3, backoff_ms: 60000}}
  c: {type: tool, tool: broken, input: {}}
  d: {type: tool, tool: once, input: {after: "\${last}"}}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}]
limits: {timeout_ms: 600000}
`);
  let tries = 0;
  const first = counting({
    once: () => 1,
    flaky: () => {
      if (tries++ === 0) throw new Error("not yet");
      return 2;
    },
    broken: () => {
      throw new Error("down");
    },
  });
  const quick = parse(
    JSON.stringify({
      ...graph.toJSON(),
      nodes: {
        ...graph.toJSON().nodes,
        b: { type: "tool", tool: "flaky", input: {}, retry: { attempts: 3, backoff_ms: 1 } },
      },
    }),
  );
  const { lines, report } = await recordRun(quick, { tools: first.tools });
  assert.equal(report.outcome.code, "tool/failed");
  const second = counting({ once: () => 1, flaky: () => 2, broken: () => 3 });
  const began = Date.now();
  const forked = await fork(graph, { cassette: lines, acceptChangedPlan: true, tools: second.tools });
  assert.equal(forked.outcome.type, "completed", JSON.stringify(forked.outcome));
  assert.deepEqual(second.made, ["c:1:1", "d:1:1"]);
  assert.ok(Date.now() - began < 30_000, "it waited for a try that is past");
});

test("a handler's recorded answer is valid as long as its inputs are equal", async () => {
  const graph = parse(`
start: a
nodes: {a: {type: a}, b: {type: b, input: 1}, c: {type: c, input: 1}, d: {type: d, input: 1}}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}]
`);
  const host = () => {
    const made = [];
    const note = (give) => (node, state) => {
      made.push(node.id);
      return give(state);
    };
    return {
      made,
      handlers: {
        a: note(() => "a"),
        b: note(() => "b"),
        c: note((state) => `c of ${state.output("a")}`),
        d: note((state) => `d of ${state.output("b")}`),
      },
    };
  };
  const { lines } = await recordRun(graph, { handlers: host().handlers });
  const second = host();
  const forked = await fork(graph, { cassette: lines, at: "a:1:1", output: "A", handlers: second.handlers });
  assert.deepEqual(second.made, ["c"], "b reads nothing, c reads a, d reads b");
  assert.equal(forked.outputs.c, "c of A");
});

test("the recorded order of answers decides a join", async () => {
  const graph = parse(`
nodes:
  race:
    type: parallel
    with: {join: any}
    branches:
      slow: {nodes: {s: {type: wait, input: 30}}}
      fast: {nodes: {f: {type: wait, input: 1}}}
`);
  const made = [];
  const handlers = {
    wait: (node) => {
      made.push(node.call);
      return node.input === 1 ? Promise.resolve(1) : new Promise(() => {});
    },
  };
  const { lines, report } = await recordRun(graph, { handlers });
  made.length = 0;
  const forked = await fork(graph, { cassette: lines, at: "race:1/fast/f:1:1", output: "quick", handlers });
  assert.deepEqual([report.last, forked.last], [1, "quick"]);
});

test("an attempt that timed out is not repeated beside an edit", async () => {
  const graph = parse(`
nodes:
  fan:
    type: parallel
    with: {join: settled}
    branches:
      late: {nodes: {l: {type: never, timeout_ms: 5}}}
      fine: {nodes: {f: {type: fine}}}
`);
  const made = [];
  const handlers = {
    never: (node) => {
      made.push(node.id);
      return new Promise(() => {});
    },
    fine: (node) => {
      made.push(node.id);
      return 1;
    },
  };
  const { lines } = await recordRun(graph, { handlers });
  made.length = 0;
  await fork(graph, { cassette: lines, at: "fan:1/fine/f:1:1", output: 2, handlers });
  assert.deepEqual(made, []);
  await fork(graph, { cassette: lines, handlers });
  assert.deepEqual(made, ["l"], "without an edit what failed is tried again");
});

test("a timed-out call with a successful retry is not repeated, with or without an edit", async () => {
  const graph = parse(`
start: begin
nodes:
  begin: {type: tool, tool: begin, input: {}}
  slow: {type: tool, tool: slow, input: {}, timeout_ms: 5, retry: {attempts: 2, backoff_ms: 0}}
  end: {type: tool, tool: end, input: {}}
edges: [{from: begin, to: slow}, {from: slow, to: end}]
`);
  const host = () => {
    let tries = 0;
    return counting({
      begin: () => 1,
      slow: () => (tries++ === 0 ? new Promise(() => {}) : 2),
      end: () => {
        throw new Error("no");
      },
    });
  };
  const first = host();
  const { lines, report } = await recordRun(graph, { tools: first.tools });
  assert.deepEqual([report.outcome.code, first.made.length], ["tool/failed", 4]);
  const without = host();
  await fork(graph, { cassette: lines, tools: without.tools });
  assert.deepEqual(without.made, ["end:1:1"]);
  const beside = host();
  await fork(graph, { cassette: lines, at: "begin:1:1", output: 5, tools: beside.tools });
  assert.deepEqual(beside.made, []);
});

test("a decision can be another, and secrets are never handed on", async () => {
  const graph = parse(`
start: get
nodes:
  get: {type: tool, tool: login, input: {}}
  use: {type: tool, tool: use, input: {token: "\${output.get.token}"}}
  ask: {type: approve, input: go}
  end: {type: tool, tool: done, input: {}}
edges: [{from: get, to: use}, {from: use, to: ask}, {from: ask, to: end, condition: last!=rejected}]
`);
  const seen = [];
  const host = () =>
    counting({
      login: () => ({ token: "s3cret" }),
      use: ({ token }) => {
        seen.push(token);
        return 1;
      },
      done: () => 2,
    });
  const { lines, report } = await recordRun(graph, { tools: host().tools, onApproval: () => "rejected" });
  assert.deepEqual(report.path, ["get", "use", "ask"]);
  const second = host();
  const forked = await fork(graph, { cassette: lines, at: "ask:1:1", decision: "approved", tools: second.tools });
  assert.deepEqual(forked.path, ["get", "use", "ask", "end"]);
  assert.deepEqual(second.made, ["get:1:1", "end:1:1"], "the answer that held a secret is asked for anew");
  assert.deepEqual(seen, ["s3cret"]);
});

test("the delay before a retried nested graph is over when the first attempt is replayed", async () => {
  const graph = parse(`
start: race
nodes:
  race:
    type: parallel
    with: {join: any}
    branches:
      slow: {nodes: {s: {type: slow}}}
      again: {nodes: {sub: {type: graph, graph: {nodes: {t: {type: give}}}, retry: {attempts: 2, backoff_ms: 30}}}}
`);
  const handlers = {
    give: ({ call }) => {
      if (call.includes("sub:1/")) throw new Error("not yet");
      return call;
    },
    slow: () => new Promise((resolve) => setTimeout(() => resolve("slow"), 20_000).unref()),
  };
  const { lines, report } = await recordRun(graph, { handlers });
  assert.equal(report.last, "race:1/again/sub:1:2/t:1:1");
  // The slow branch answers at once, but recorded answers still come first.
  const quick = { ...handlers, slow: () => "slow" };
  const at = "race:1/again/sub:1:2/t:1:1";
  const forked = await fork(graph, { cassette: lines, handlers: quick, at, output: "edited" });
  assert.equal(forked.last, "edited");
  assert.deepEqual(forked.path, report.path);
});

test("misuse throws an error", async () => {
  const { lines } = await recordRun(diamond, { input, tools: counting(answers).tools });
  const at = (call, cassette = lines) => fork(diamond, { cassette, at: call, output: 1 });
  const unknown = (message) => ({ code: "fork/unknown-call", message });
  await assert.rejects(
    at("nobody:1:1"),
    unknown(/^the cassette knows no call `nobody:1:1`; it contains `.+:1:1`(, `.+`)*$/),
  );
  await assert.rejects(at("bothh:1:1"), unknown("the cassette knows no call `bothh:1:1`; did you mean `both:1:1`?"));
  await assert.rejects(fork(diamond, { cassette: lines, at: "both:1:1" }), { code: "fork/no-change" });
  await assert.rejects(fork(diamond, { cassette: lines, output: 1 }), { code: "fork/no-change" });
  assert.equal((await fork(diamond, { cassette: "{}" })).outcome.code, "replay/unusable");
});

test("a fork of a changed plan asks again what its nodes say, and reuses the rest", async () => {
  const plan = (type, to, question) =>
    parse(`
start: first
nodes:
  first: {type: work, input: x}
  send: {type: ${type}, input: x, with: {to: ${to}}}
  ask: {type: approve, description: ${question}, input: x}
edges: [{from: first, to: send}, {from: send, to: ask}]`);
  const made = [];
  const work = (node) => (made.push([node.id, node.with?.to]), node.with?.to ?? "done");
  const handlers = { work, post: work };
  const { lines } = await recordRun(plan("work", "alice", "Pay 1?"), { handlers, onApproval: () => "approved" });
  const forked = async (graph) => {
    made.length = 0;
    const { outcome, outputs } = await fork(graph, { cassette: lines, acceptChangedPlan: true, handlers });
    return [made.map(([id]) => id), outputs.send, outcome.type];
  };
  assert.deepEqual(await forked(plan("work", "alice", "Pay 1?")), [[], "alice", "completed"]);
  assert.deepEqual(await forked(plan("work", "bob", "Pay 1?")), [["send"], "bob", "completed"]);
  assert.deepEqual(await forked(plan("post", "alice", "Pay 1?")), [["send"], "alice", "completed"]);
  assert.deepEqual(await forked(plan("work", "alice", "Pay 1000?")), [[], "alice", "paused"]);
});
