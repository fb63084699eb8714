/**
 * The plans of the stored histories: at least one for each node type and each join.
 *
 * `answers` maps a call's name to its answer or `{ fail }`, `afterMs` to its time. Never change a case that has a
 * history: add another.
 */
const branch = (id, node) => ({ start: id, nodes: { [id]: node } });
const valueAfter = (afterMs, value) => ({ value, afterMs });
const fail = (code, afterMs = 0) => ({ fail: code, afterMs });
const decide = (value, afterMs = 5) => ({ value, afterMs });
const calls = (...list) => ({ text: "", finish: "tool_calls", usage: null, tool_calls: list });
const call = (id, name, args = {}) => ({ id, name, arguments: args });
const chain = (nodes, edges) => ({
  start: Object.keys(nodes)[0],
  nodes,
  edges:
    edges ??
    Object.keys(nodes)
      .slice(1)
      .map((to, i) => ({ from: Object.keys(nodes)[i], to })),
});
const task = (more = {}) => ({ type: "work", ...more });
const branches = { a: branch("x", task()), b: branch("y", task()), c: branch("z", task()) };
const fan = (join) => chain({ fan: { type: "parallel", with: { join }, branches }, end: { type: "log" } });
const each = (join) =>
  chain({ each: { type: "map", input: "${input}", with: { join, concurrency: 2 }, do: branch("x", task()) } });
const OUTPUTS = {
  "fan:1/a/x:1:1": valueAfter(30, "a"),
  "fan:1/b/y:1:1": valueAfter(10, { b: 1 }),
  "fan:1/c/z:1:1": valueAfter(20, [1]),
};
const ELEMENTS = {
  "each:1/0/x:1:1": valueAfter(30, 0),
  "each:1/1/x:1:1": valueAfter(10, 1),
  "each:1/2/x:1:1": valueAfter(15, 2),
};

export const CASES = {
  "set-and-wait": {
    plan: chain({
      first: { type: "set", with: { values: { n: "${input.n * 2}", text: "${input.n} of ${input.of}" } } },
      pause: { type: "wait", with: { ms: "${last.n * 10}" } },
      until: { type: "wait", with: { until: "1970-01-01T00:16:41Z" } },
      past: { type: "wait", with: { until: "1970-01-01T00:00:00Z" } },
      ask: { type: "approve" },
      late: { type: "wait", with: { ms: 5 } },
      end: { type: "set", with: { values: { said: "${last}", n: "${output.first.n}" } } },
    }),
    input: { n: 4, of: 5 },
    answers: { "ask:1:1": decide("approved") },
  },
  tool: {
    plan: chain({
      find: { type: "tool", tool: "get", input: { q: "${input}" } },
      also: { type: "get", input: { q: 2 } },
    }),
    input: "Ada",
    answers: { "find:1:1": valueAfter(5, { found: [1, 2] }), "also:1:1": "text" },
  },
  "tool-allowed": {
    plan: chain({ drop: { type: "tool", tool: "drop", input: { id: 7 } }, end: { type: "log" } }),
    answers: { "drop:1:1/approval": decide({ value: { id: 8 } }), "drop:1:1": valueAfter(5, true) },
  },
  "tool-refused": {
    plan: chain({ drop: { type: "tool", tool: "drop" }, end: { type: "log", input: "${error.code}" } }, [
      { from: "drop", to: "end", condition: "error.exists" },
    ]),
    answers: { "drop:1:1/approval": decide("rejected") },
  },
  llm: {
    plan: chain({
      say: { type: "llm", input: "hello ${input}", with: { system: "Be brief.", conversation: "talk" } },
      more: { type: "llm", input: "and?", with: { conversation: "talk", model: "small" } },
      number: {
        type: "llm",
        input: "how many?",
        with: { schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
      },
    }),
    input: "Ada",
    answers: {
      "say:1:1": valueAfter(5, { text: "hi", finish: "stop", usage: { input: 3, output: 1, cached_input: 0 } }),
      "more:1:1": "no more",
      "number:1:1": '{"n": 3}',
    },
  },
  agent: {
    plan: chain({ help: { type: "agent", input: "${input}", with: { system: "You look up.", max_turns: 4 } } }),
    input: "what is there?",
    answers: {
      "help:1:1/1": calls(call("c1", "get", { q: 1 }), call("c2", "drop", { id: 1 }), call("c3", "nowhere")),
      "help:1:1/1/0": valueAfter(5, { rows: 2 }),
      "help:1:1/1/1/approval": decide("approved", 7),
      "help:1:1/1/1": fail("shop/closed", 3),
      "help:1:1/2": "two rows",
    },
  },
  "plan-and-gather": {
    plan: chain({ think: { type: "plan", input: "${input}" }, gather: { type: "gather" } }),
    input: "which orders?",
    answers: {
      "think:1:1/1": "no plan",
      "think:1:1/2": JSON.stringify({
        plan: "look",
        tool_calls: [
          { tool_name: "get", parameters: { q: 1 }, reasoning: "first" },
          { tool_name: "get", parameters: { q: "${call[0].id}" }, reasoning: "then" },
        ],
        reasoning: "so",
        response_strategy: "tell",
      }),
      "gather:1:1/1/0": valueAfter(5, { id: 7 }),
      "gather:1:1/1/1": fail("shop/closed", 5),
    },
  },
  "react-and-execute-tools": {
    plan: chain(
      {
        think: { type: "react", input: "${input}" },
        tools: { type: "execute_tools", input: "${output.tool_calls}" },
        end: { type: "log", input: "${output.plan}" },
      },
      [
        { from: "think", to: "tools", condition: "last==execute_tools" },
        { from: "tools", to: "think" },
        { from: "think", to: "end" },
      ],
    ),
    input: "what is new?",
    answers: {
      "think:1:1/1": calls(call("c1", "get", { q: 1 }), call("c2", "get", { q: 2 })),
      "tools:1:1/1/0": valueAfter(9, "one"),
      "tools:1:1/1/1": valueAfter(4, "two"),
      "think:2:1/1": calls(call("c3", "SubmitPlan", { query: ["a"], rationale: "b" })),
    },
  },
  approve: {
    plan: chain({
      ask: { type: "approve", input: "${input}" },
      again: { type: "approve" },
      last: { type: "approve", retry: { attempts: 2, backoff_ms: 10 } },
    }),
    input: { order: 1 },
    answers: {
      "ask:1:1": decide("approved"),
      "again:1:1": decide({ value: { other: true } }),
      "last:1:1": fail("approval/failed", 5),
      "last:1:2": decide("rejected"),
    },
  },
  "log-noop-decision": {
    plan: chain(
      {
        say: { type: "log", input: "${input.n}" },
        way: { type: "decision" },
        low: { type: "noop" },
        high: { type: "noop" },
      },
      [
        { from: "say", to: "way" },
        { from: "way", to: "high", condition: "input.n > 5" },
        { from: "way", to: "low" },
      ],
    ),
    input: { n: 3 },
    answers: {},
  },
  handlers: {
    plan: chain({
      one: task({ input: { n: "${input}" } }),
      special: { type: "own", metadata: { a: "b" } },
      end: { type: "log", input: "${output.extra}" },
    }),
    input: 4,
    answers: {
      "one:1:1": { value: { n: 5 }, writes: { extra: [1, null] }, afterMs: 3 },
      "special:1:1": valueAfter(0, null),
    },
  },
  "retry-timeout-error": {
    plan: chain(
      {
        first: task({ retry: { attempts: 3, backoff_ms: 20, factor: 2, on: ["part/*"] } }),
        slow: task({ timeout_ms: 15, retry: { attempts: 2 } }),
        mend: { type: "log", input: "${error.code} ${error.node}" },
      },
      [
        { from: "first", to: "slow" },
        { from: "slow", to: "mend", condition: "error.code==node/timeout" },
      ],
    ),
    answers: {
      "first:1:1": fail("part/busy", 2),
      "first:1:2": fail("part/busy"),
      "first:1:3": valueAfter(1, "done"),
      "slow:1:1": "never",
      "slow:1:2": "never",
    },
  },
  "visits-and-limits": {
    plan: {
      ...chain({ work: task(), back: { type: "noop" }, end: { type: "log" } }, [
        { from: "work", to: "end", condition: "last==never" },
        { from: "work", to: "back" },
        { from: "back", to: "work" },
      ]),
      limits: { visits: 3, calls: 9 },
    },
    answers: { "work:1:1": 1, "work:2:1": 2, "work:3:1": 3 },
  },
  "output-limit": {
    plan: { ...chain({ fan: { type: "parallel", branches } }), limits: { output_bytes: 4 } },
    answers: { ...OUTPUTS, "fan:1/b/y:1:1": valueAfter(10, "too much") },
  },
  "failed-run": {
    plan: chain({ work: task(), bad: task() }),
    answers: { "work:1:1": 1, "bad:1:1": fail("part/broken", 2) },
  },
  graph: {
    plan: chain({
      sub: {
        type: "graph",
        input: "${input}",
        graph: chain({ work: task(), say: { type: "log", input: "${last} ${input}" } }),
      },
      end: { type: "log" },
    }),
    input: "in",
    answers: { "sub:1/work:1:1": valueAfter(1, "out") },
  },
  "parallel-all": { plan: fan("all"), answers: OUTPUTS },
  "parallel-all-failed": { plan: fan("all"), answers: { ...OUTPUTS, "fan:1/c/z:1:1": fail("part/broken", 20) } },
  "parallel-any": { plan: fan("any"), answers: { ...OUTPUTS, "fan:1/b/y:1:1": fail("part/broken", 10) } },
  "parallel-any-none": {
    plan: fan("any"),
    answers: {
      "fan:1/a/x:1:1": fail("part/a", 3),
      "fan:1/b/y:1:1": fail("part/b", 2),
      "fan:1/c/z:1:1": fail("part/c", 1),
    },
  },
  "parallel-settled": { plan: fan("settled"), answers: { ...OUTPUTS, "fan:1/b/y:1:1": fail("part/broken", 10) } },
  "parallel-tried-again": {
    plan: chain({ fan: { type: "parallel", retry: { attempts: 2, backoff_ms: 7 }, branches } }),
    answers: {
      ...OUTPUTS,
      "fan:1/b/y:1:1": fail("part/broken", 10),
      "fan:1:2/a/x:1:1": valueAfter(1, 1),
      "fan:1:2/b/y:1:1": valueAfter(2, 2),
      "fan:1:2/c/z:1:1": valueAfter(3, 3),
    },
  },
  "abandoned-at-once": {
    plan: chain({
      fan: {
        type: "parallel",
        with: { join: "any" },
        branches: {
          a: branch("say", { type: "llm" }),
          b: branch("help", { type: "agent" }),
          c: branch("end", { type: "log", input: 1 }),
        },
      },
    }),
    answers: {},
  },
  "map-all": { plan: each("all"), input: [1, 2, 3], answers: ELEMENTS },
  "map-all-failed": {
    plan: each("all"),
    input: [1, 2, 3],
    answers: { ...ELEMENTS, "each:1/1/x:1:1": fail("part/broken", 10) },
  },
  "map-any": { plan: each("any"), input: [1, 2, 3], answers: ELEMENTS },
  "map-settled": {
    plan: each("settled"),
    input: [1, 2, 3],
    answers: { ...ELEMENTS, "each:1/0/x:1:1": fail("part/broken", 30) },
  },
  "map-empty": { plan: each("all"), input: [], answers: {} },
  nested: {
    plan: chain({
      each: {
        type: "map",
        input: "${input}",
        do: branch("fan", {
          type: "parallel",
          with: { join: "settled" },
          branches: {
            a: branch("x", task({ input: "${item} ${index}" })),
            b: branch("sub", { type: "graph", graph: branch("y", task()) }),
          },
        }),
      },
    }),
    input: ["p", "q"],
    answers: {
      "each:1/0/fan:1/a/x:1:1": valueAfter(4, "pa"),
      "each:1/0/fan:1/b/sub:1/y:1:1": valueAfter(3, "pb"),
      "each:1/1/fan:1/a/x:1:1": fail("part/broken", 2),
      "each:1/1/fan:1/b/sub:1/y:1:1": valueAfter(1, "qb"),
    },
  },
  // One step spans several turns of the event loop. The trace is stored as a hash.
  turns: {
    plan: {
      ...chain({ a: { type: "noop" }, b: { type: "noop" }, end: { type: "log" } }, [
        { from: "a", to: "end", condition: "last==never" },
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ]),
      limits: { visits: 20_000 },
    },
    answers: {},
  },
};
