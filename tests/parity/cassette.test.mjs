// Tests cassettes. A replay makes no call and gives the same trace and times.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fork, PlanGraph, run } from "../../dist/node.js";
import { alignRedacted, isSecret, Redactor } from "../../wasm/dist/redact.js";
import { canonical } from "./canonical.mjs";

const folder = new URL("../suite/cassettes/", import.meta.url);
const source = readFileSync(new URL("everything.yaml", folder), "utf8");

function stage() {
  const made = [];
  const handlers = {
    slow: (node, state) =>
      new Promise((done) => {
        made.push(node.call);
        state.write(`seen_${node.id}`, state.last);
        setTimeout(() => done({ took: node.input }), node.input);
      }),
    bad: (node) => {
      made.push(node.call);
      throw new Error(`try ${node.attempt}`);
    },
    never: (node, state) =>
      new Promise((_, fail) => {
        made.push(node.call);
        state.signal.addEventListener("abort", () => fail(new Error("aborted")));
      }),
  };
  const tools = [
    {
      name: "stage",
      list: async () => [
        {
          name: "search",
          input_schema: { type: "object", properties: { q: {}, api_key: { type: "string" } } },
          annotations: { readOnlyHint: true },
        },
      ],
      call: async (_name, args, { call }) => {
        made.push(call);
        return { value: [{ title: args.q, access_token: "t0p" }], isError: false };
      },
      close: async () => {},
    },
  ];
  const usage = { input: 3, output: 4, cached_input: 0 };
  const calls = [
    { id: "c1", name: "search", arguments: { q: "dogs", password: "k-123" } },
    { id: "c2", name: "serch", arguments: {} },
  ];
  const models = {
    default: () => {
      made.push("model");
      return { text: "well", finish: "stop", usage };
    },
    helper: ({ messages }) => {
      made.push("model");
      return messages.length > 2 ? "found" : { text: "", tool_calls: calls, finish: "tool_calls", usage };
    },
  };
  return {
    made,
    options: {
      handlers,
      tools,
      models,
      onApproval: () => ({ value: { edited: true } }),
      input: { q: "cats", api_key: "k-123" },
    },
  };
}

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};

async function recorded(options = {}, text = source) {
  const lines = [];
  const { made, options: host } = stage();
  const graph = parse(text);
  const report = await run(graph, { ...host, record: (line) => lines.push(line), ...options });
  return { lines, report, made, graph };
}

const plain = (report) => {
  const text = JSON.stringify(report).replaceAll("k-123", "[redacted]").replaceAll("t0p", "[redacted]");
  // The redacted text has another length.
  return JSON.parse(text.replace(/"made_bytes":\d+/, '"made_bytes":0'));
};

test("recordings of this library and of the native one replay to the same trace", async () => {
  if (process.env.UPDATE) writeFileSync(new URL("node.ndjson", folder), `${(await recorded()).lines.join("\n")}\n`);
  for (const name of ["node", "native"]) {
    const read = (end) => readFileSync(new URL(`${name}.${end}`, folder), "utf8");
    const { outcome, trace } = await run(parse(source), { replay: read("ndjson") });
    assert.equal(outcome.type, "completed", `${name}: ${JSON.stringify(outcome)}`);
    if (process.env.UPDATE && name === "node") writeFileSync(new URL(`${name}.trace`, folder), canonical(trace));
    assert.equal(canonical(trace), read("trace"), name);
  }
});

test("secrets go by their names", () => {
  const { secret, plain: open } = JSON.parse(readFileSync(new URL("secrets.json", folder), "utf8"));
  for (const key of secret) assert.ok(isSecret(key), key);
  for (const key of open) assert.ok(!isSecret(key), key);
});

test("known texts are redacted wherever they occur", () => {
  for (const { what, context, lines, plain } of JSON.parse(readFileSync(new URL("redacted.json", folder), "utf8"))) {
    const redactor = new Redactor(context);
    assert.deepEqual(
      lines.map((line) => redactor.plain(line)),
      plain,
      what,
    );
  }
});

test("redaction removes any text and keeps everything else", () => {
  for (const [then, now, same] of [
    ["a", "a", true],
    ["a", "b", false],
    ["[redacted]", { a: 1 }, true],
    ["to [redacted]!", "to Ana!", true],
    ["to Ana!", "to [redacted]!", true],
    ["to [redacted]!", "to Ana", false],
    ["to [redacted], from [redacted], at [redacted].", "to a, from b, at c.", true],
    ["to [redacted], from [redacted], at [redacted].", "to a, at c, from b.", false],
    ["aba[redacted]aba", "aba", false],
    [{ a: ["x [redacted]", 1] }, { a: ["x y", 1] }, true],
    [{ a: ["x [redacted]", 1] }, { a: ["x y", 2] }, false],
    [{ a: "[redacted]" }, { b: 1 }, false],
  ])
    assert.equal(JSON.stringify(alignRedacted(then, now)) === JSON.stringify(then), same, JSON.stringify([then, now]));
});

const trustedPlan = `
nodes:
  look: { type: tool, tool: find, input: { q: cats, for: "\${context.user.mail}" } }
  ask: { type: tool, tool: whoami, input: { as: "\${context.user.mail}" } }
  work: { type: work, input: "\${last.said}" }
  say: { type: llm, input: "Greet \${context.user.mail}" }
edges: [{ from: look, to: ask }, { from: ask, to: work }, { from: work, to: say }]
`;
const MARKER = "marker-4711@example.com";

function confidant() {
  const made = [];
  const call = async (name) => {
    made.push(name);
    return { value: name === "find" ? ["a cat"] : { said: `you are ${MARKER}`, session_id: "id-of-the-session" } };
  };
  const list = async () => ["find", "whoami"].map((name) => ({ name }));
  return {
    made,
    options: {
      tools: [{ name: "t", list, call, close: async () => {} }],
      handlers: { work: ({ input }) => `${input}, in id-of-the-session` },
      models: { default: ({ messages }) => `Hello, ${messages.at(-1).content}` },
      context: { user: { mail: MARKER } },
    },
  };
}

test("a cassette contains no text of the context, and still replays and forks", async () => {
  const graph = parse(trustedPlan);
  const lines = [];
  const report = await run(graph, { ...confidant().options, record: (line) => lines.push(line) });
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  assert.ok(JSON.stringify(report.outputs).includes(MARKER), "the run itself sees it");
  assert.ok(!lines.join().includes("marker-4711") && !lines.join().includes("id-of-the-session"), lines.join("\n"));
  const { context } = confidant().options;
  assert.equal((await run(graph, { replay: lines, context })).outcome.type, "completed");
  const second = confidant();
  const again = await fork(graph, { ...second.options, cassette: lines });
  // The fork repeats a call whose answer is redacted, not one whose request is.
  assert.deepEqual([again.outcome.type, second.made], ["completed", ["whoami"]]);
});

test("a value reported before it was known as a secret does not prevent a replay", async () => {
  const graph = parse(`
nodes:
  first: { type: work, input: "\${input.q}" }
  login: { type: login }
  last: { type: work, input: "\${input.q}" }
edges: [{ from: first, to: login }, { from: login, to: last }]
`);
  const lines = [];
  const handlers = { work: ({ input }) => input, login: () => ({ password: "swordfish" }) };
  await run(graph, { input: { q: "a swordfish" }, handlers, record: (line) => lines.push(line) });
  assert.equal((await run(graph, { replay: lines })).outcome.type, "completed");
});

test("a replay makes no call and returns the same report, with all times", async () => {
  const { lines, report } = await recorded();
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  assert.ok(!lines.some((line) => line.includes("k-123") || line.includes("t0p")), "a secret was written");
  const events = [];
  const again = await run(parse(source), { replay: lines, onEvent: (event) => events.push(event) });
  assert.deepEqual(plain(again), plain(report));
  assert.deepEqual(events, again.trace);
  assert.deepEqual(plain(await run(parse(source), { replay: `${lines.join("\n")}\n` })), plain(report));
});

test("recording changes only the recording, and stubs are recorded like other hosts", async () => {
  const stubs = {
    types: {
      slow: { sequence: [{ fail: "no", code: "x/y" }, "echo"] },
      bad: { return: 1, writes: { more: [1] } },
      never: "last",
    },
    tools: { search: "echo" },
    models: { default: { return: "stub", delay_ms: 1 } },
  };
  const { lines, report } = await recorded({ stubs, handlers: {}, models: {}, tools: [] });
  const again = await run(parse(source), { replay: lines });
  assert.deepEqual(plain(again), plain(report));
});

test("a paused run replays to its snapshot, and a resumed run replays too", async () => {
  const { lines, report } = await recorded({ onApproval: undefined });
  assert.equal(report.outcome.type, "paused");
  const again = await run(parse(source), { replay: lines });
  assert.deepEqual(plain(again), plain(report));
  const rest = await recorded({ snapshot: report.snapshot, decisions: { "ask:1:1": "rejected" } });
  assert.deepEqual(rest.made, []);
  assert.deepEqual(plain(await run(parse(source), { replay: rest.lines })), plain(rest.report));
});

test("a cancelled run replays", async () => {
  const stop = new AbortController();
  const { lines, report } = await recorded({
    signal: stop.signal,
    onApproval: () => {
      stop.abort();
      return new Promise(() => {});
    },
  });
  assert.equal(report.outcome.type, "cancelled");
  assert.deepEqual(plain(await run(parse(source), { replay: lines })), plain(report));
});

test("a truncated cassette replays or reports the missing part", async () => {
  const { lines } = await recorded();
  for (let length = 1; length < lines.length - 1; length++) {
    const { outcome } = await run(parse(source), { replay: lines.slice(0, length) });
    assert.equal(outcome.code, "replay/incomplete", `${length}: ${JSON.stringify(outcome)}`);
  }
  const { outcome } = await run(parse(source), {
    replay: lines.slice(0, lines.findIndex((line) => line.includes('"call":"look:1:1"')) + 1),
  });
  assert.match(outcome.message, /`look:1:1`/);
  const cut = lines.join("\n").slice(0, -20);
  assert.equal((await run(parse(source), { replay: cut })).outcome.type, "completed", "only the last line was cut");
});

const replaceInPlan = (from, to) => {
  assert.ok(source.includes(from));
  return source.replace(from, to);
};

test("a changed plan is refused with its differences unless accepted, and then the first difference stops the replay", async () => {
  const { lines } = await recorded();
  for (const [text, message] of [
    [
      replaceInPlan('q: "${input.q}"', "q: dogs"),
      /`look:1:1` of tool `search` differs at `arguments.q`: recorded "cats", now "dogs"/,
    ],
    [
      replaceInPlan("{from: fan, to: look}, {from: look, to: say}", "{from: fan, to: say}"),
      /the plan requests model call `say:1:1`, but the recording requests call `look:1:1` of tool `search`/,
    ],
    [
      replaceInPlan("input: 20", "input: 21"),
      /handler call `fan:1\/slow\/x:1:1` differs at `input`: recorded 20, now 21/,
    ],
    [
      replaceInPlan("attempts: 3", "attempts: 2"),
      /contains timer `retry:fan:1\/bad\/y:1:3`|recording does not|makes no sense/,
    ],
    [replaceInPlan("condition: last!=rejected", "condition: last==rejected"), /./],
  ]) {
    const refused = await run(parse(text), { replay: lines });
    assert.equal(refused.outcome.code, "run/plan-changed");
    assert.match(refused.outcome.message, /changed since the cassette was recorded: /);
    const { outcome } = await run(parse(text), { replay: lines, acceptChangedPlan: true });
    if (outcome.type === "completed") continue;
    assert.equal(outcome.code, "replay/diverged", JSON.stringify(outcome));
    assert.match(outcome.message, message);
  }
});

test("a file that is no cassette is rejected", async () => {
  const { lines } = await recorded();
  for (const [replay, message] of [
    ["", /first line/],
    ["{}", /first line/],
    ["nodes: {}", /first line/],
    [[lines[0].replace('"format":1', '"format":2'), ...lines.slice(1)], /format 2/],
    [[lines[0], "{}", ...lines.slice(1)], /line 2/],
    [[lines[0], lines[1], '{"type":"done","call":5}', ...lines.slice(2)], /line 3/],
  ]) {
    const { outcome } = await run(parse(source), { replay });
    assert.equal(outcome.code, "replay/unusable");
    assert.match(outcome.message, message);
  }
});

test("a run that a listener cancels can be replayed and resumed", async () => {
  const graph = parse("start: a\nnodes: {a: {type: give}, b: {type: give}}\nedges: [{from: a, to: b}]");
  const handlers = { give: (node) => node.id };
  const count = (await run(graph, { handlers })).trace.length;
  for (let at = 1; at < count; at++) {
    const controller = new AbortController();
    const lines = [];
    let heard = 0;
    const onEvent = () => ++heard === at && controller.abort();
    const report = await run(graph, {
      handlers,
      signal: controller.signal,
      onEvent,
      record: (line) => lines.push(line),
    });
    const again = await run(graph, { replay: lines });
    assert.deepEqual(again.outcome, report.outcome, `cancelled at event ${at}`);
    assert.deepEqual(again.trace, report.trace);
    assert.deepEqual(again.snapshot, report.snapshot);
    const other = await fork(graph, { cassette: lines, handlers });
    assert.equal(other.last, "b");
  }
});
