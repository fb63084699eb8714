// Tests attacks that try to block a run or to escape its control: each ends at its limit or with a code.

import assert from "node:assert/strict";
import { linkSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { audited, openAudit } from "../../dist/integrations/audit/node.js";
import { fileJournal, MemoryJournal, runDurable, sqliteJournal } from "../../dist/integrations/durable/node.js";
import { otel } from "../../dist/integrations/otel.js";
import { check, fork, PlanGraph, run } from "../../dist/node.js";
import { parsed } from "./attack-world.mjs";

const folder = mkdtempSync(join(tmpdir(), "stepgraph-denial-of-service-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const unhandledRejections = [];
process.on("unhandledRejection", (error) => unhandledRejections.push(error));
const settled = async () => {
  await new Promise(setImmediate);
  assert.deepEqual(unhandledRejections.splice(0), []);
};

const FOR_EVER = { visits: 1e9, steps: 1e9, calls: 1e9 };
const loop = (node) =>
  parsed({
    nodes: { a: node, b: { type: "noop" }, z: { type: "noop" } },
    start: "a",
    edges: [
      { from: "a", to: "z", condition: "last == never" },
      { from: "a", to: "b" },
      { from: "b", to: "a" },
    ],
  });
const one = (node) => parsed({ start: "a", nodes: { a: node }, edges: [] });
const tool = { name: "get", input_schema: {}, annotations: { readOnlyHint: true } };
const client = (more = {}) => ({
  name: "s",
  list: async () => [tool],
  call: async () => ({ value: 1, isError: false }),
  close: async () => {},
  ...more,
});

const QUICK = {
  "a handler": [{ type: "h" }, { handlers: { h: () => 1 } }],
  "an async handler": [{ type: "h" }, { handlers: { h: async () => 1 } }],
  "a handler that throws": [{ type: "h", retry: { attempts: 1e9 } }, { handlers: { h: () => assert.fail() } }],
  "a tool": [{ type: "tool", tool: "get", input: {} }, { tools: [client()] }],
  "a stub": [{ type: "h" }, { stubs: { types: { h: { return: 1 } } } }],
};
for (const [name, [node, host]] of Object.entries(QUICK))
  for (const trace of [true, false])
    test(`${name} that answers at once, endlessly: timeout and signal end the run${trace ? "" : ", without a trace"}`, async () => {
      const limits = { ...FOR_EVER, timeout_ms: 60 };
      assert.equal((await run(loop(node), { ...host, trace, limits })).outcome.code, "run/timeout");
      const signal = AbortSignal.timeout(60);
      assert.equal((await run(loop(node), { ...host, trace, limits: FOR_EVER, signal })).outcome.type, "cancelled");
      if (host.stubs) return;
      const report = await runDurable(loop(node), new MemoryJournal(), { ...host, trace, limits });
      assert.equal(report.outcome.code, "run/timeout");
    });

test("a map over more elements than the maximum of call arguments", async () => {
  const map = one({ type: "map", input: "${input}", do: { start: "n", nodes: { n: { type: "noop" } }, edges: [] } });
  const { outcome } = await run(map, { input: Array(150_000).fill(1) });
  assert.equal(outcome.type, "completed");
});

test("a signal aborts a run that starts very many calls", async () => {
  const map = one({
    type: "map",
    input: "${input}",
    with: { join: "settled", concurrency: 1000 },
    do: { start: "n", nodes: { n: { type: "h" } }, edges: [] },
  });
  const stop = new AbortController();
  let calls = 0;
  const h = () => {
    if (++calls === 300) setImmediate(() => stop.abort());
    // Long enough that the event loop turns between calls.
    for (const until = performance.now() + 0.2; performance.now() < until; );
  };
  const { outcome } = await run(map, { input: Array(20_000).fill(1), handlers: { h }, signal: stop.signal });
  assert.equal(outcome.type, "cancelled");
  assert.ok(calls < 10_000, `${calls}`);
});

test("a list that never comes: time, by the host or the plan, and the signal end the run", async () => {
  const tools = [client({ list: () => new Promise(() => {}) })];
  const get = { type: "tool", tool: "get", input: {} };
  assert.equal((await run(one(get), { tools, limits: { timeout_ms: 20 } })).outcome.code, "run/timeout");
  const bound = parsed({ start: "a", nodes: { a: get }, edges: [], limits: { timeout_ms: 20 } });
  assert.equal((await run(bound, { tools })).outcome.code, "run/timeout");
  // A signal of `AbortSignal.timeout` would not keep the process alive.
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  assert.equal((await run(one(get), { tools, signal: stop.signal })).outcome.type, "cancelled");
});

test("templates are limited while they are filled", async () => {
  const many = one({ type: "log", input: Array(200).fill("t ${input}") });
  const { outcome } = await run(many, { input: "x".repeat(1_000_000) });
  assert.equal(outcome.code, "template/too-large");
  const made = Number(/made (\d+) bytes/.exec(outcome.message)[1]);
  assert.ok(made < 10_000_000, outcome.message);
});

const THENABLES = {
  "gives a promise": [(give) => give(Promise.resolve(7)), 7],
  "gives a promise that rejects": [(give) => give(Promise.reject(new Error("no"))), undefined],
  "is a function": [(give) => give(7), 7],
};
for (const [name, [then, last]] of Object.entries(THENABLES))
  test(`a handler's thenable that ${name} has the same effect with every driver`, async () => {
    const given = () => (name === "is a function" ? Object.assign(() => {}, { then }) : { then });
    const ways = [{}, { onEvent() {} }, { record() {} }, { onCall() {} }];
    for (const options of ways) {
      const report = await run(one({ type: "h" }), { handlers: { h: given }, ...options });
      if (last === undefined) assert.equal(report.outcome.code, "handler/failed");
      else assert.equal(report.last, last);
    }
    await settled();
  });

test("a decision that is unreadable or has extra keys is no approval", async () => {
  const hides = new Proxy({}, { ownKeys: () => assert.fail() });
  const approve = one({ type: "approve", input: "go?" });
  for (const decision of [hides, { value: 1, approved: true }, Object.create({ value: 1 })]) {
    const { outcome } = await run(approve, { onApproval: () => decision });
    assert.equal(outcome.code, "approval/failed");
    await assert.rejects(run(approve, { decisions: { "a:1:1": decision } }), { code: "api/bad-option" });
  }
  await settled();
});

test("inherited options are rejected, since a copy would lose them", async () => {
  const options = Object.create({ handlers: { h: () => 1 } });
  await assert.rejects(run(one({ type: "h" }), options), { code: "api/bad-option", message: /inherited/ });
});

const cyclic = { key: "cyclic secret" };
cyclic.self = cyclic;
let deep = "a deep secret";
for (let depth = 0; depth < 20_000; depth++) deep = [deep];
const CONTEXTS = {
  "of many texts": [
    Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [at, `secret-${at}-text`])),
    "secret-4999-text",
  ],
  "with a Map and a Set": [
    { m: new Map([["a", "secret in a map"]]), s: new Set(["secret in a set"]) },
    "secret in a map secret in a set",
  ],
  "that is in itself": [{ cyclic }, "cyclic secret"],
  "that is deep": [{ deep }, "a deep secret"],
  "with a long text": [{ long: "long secret ".repeat(10_000) }, "long secret ".repeat(10_000)],
};
const silentOptions = { url: "http://127.0.0.1:9", fetch: async () => new Response("{}"), content: true, onError() {} };
for (const [name, [context, says]] of Object.entries(CONTEXTS))
  test(`a context ${name} appears in no stored file`, async () => {
    const kept = [];
    const options = { context, handlers: { h: () => `it is ${says}.` }, record: (line) => kept.push(line) };
    const audit = audited(one({ type: "h" }), options, { write: (part) => kept.push(JSON.stringify(part)) });
    const report = await audit.end(run(one({ type: "h" }), audit.options));
    assert.equal(report.last, `it is ${says}.`);
    assert.equal(
      (await otel(silentOptions).run(one({ type: "h" }), { ...options, record() {} })).outcome.type,
      "completed",
    );
    assert.ok(kept.some((text) => text.includes("it is [redacted]")));
    assert.ok(
      kept.every((text) => !text.includes("secret")),
      kept.find((text) => text.includes("secret")),
    );
  });

test("an unreadable context is rejected if a run is stored, and accepted otherwise", async () => {
  const unread = Object.defineProperty({}, "key", { enumerable: true, get: () => assert.fail() });
  for (const context of [{ text: "x".repeat(300_000) }, unread]) {
    const options = { context, handlers: { h: () => 1 } };
    await assert.rejects(run(one({ type: "h" }), { ...options, record() {} }), { code: "api/bad-option" });
    assert.equal((await run(one({ type: "h" }), options)).last, 1);
  }
});

test("an invalid name of a file or a run is rejected before the driver", async () => {
  const wrong = { code: "api/bad-option" };
  await assert.rejects(openAudit("a\0b"), wrong);
  for (const [path, name] of [
    [null, "a"],
    ["a\0b", "a"],
    [join(folder, "x.db"), {}],
    [join(folder, "x.db"), Symbol("a")],
    [join(folder, "x.db"), 5],
  ])
    await assert.rejects(sqliteJournal(path, name), wrong);
  for (const path of [null, 5, "a\0b"]) await assert.rejects(fileJournal(path), wrong);
  assert.throws(() => MemoryJournal.lines(5), wrong);
  assert.throws(() => otel({ api: null }), wrong);
  await assert.rejects(audited(one({ type: "h" }), {}, { write() {} }).end(Promise.resolve(undefined)), wrong);
});

test("a cassette whose host or reads are no maps is refused", async () => {
  const lines = [];
  const graph = one({ type: "h" });
  await run(graph, { handlers: { h: (_, { input }) => input }, input: 1, record: (line) => lines.push(line) });
  const changed = (change) => lines.map((line) => JSON.stringify(change(JSON.parse(line))));
  const noHost = changed((line) => (line.type === "cassette" ? { ...line, host: null } : line));
  assert.equal((await run(graph, { replay: noHost })).outcome.code, "replay/unusable");
  const noReads = changed((line) => (line.type === "done" ? { ...line, reads: null } : line));
  const { outcome } = await fork(graph, { cassette: noReads, handlers: { h: () => 1 } });
  assert.match(outcome.code, /unusable$/);
});

test("a journal that has another name, or is moved or replaced meanwhile, is written no more", async () => {
  const chain = parsed({ start: "a", nodes: { a: { type: "h" }, b: { type: "h" } }, edges: [{ from: "a", to: "b" }] });
  const meddling = (meddle) => ({ handlers: { h: ({ id }) => (id === "b" && meddle(), id) } });
  const pathOf = (name) => join(folder, name);
  const MEDDLES = {
    renamed: (path) => renameSync(path, `${path}.moved`),
    replaced: (path) => (writeFileSync(`${path}.new`, "x"), renameSync(`${path}.new`, path)),
    linked: (path) => linkSync(path, `${path}.link`),
    cut: (path) => writeFileSync(path, ""),
  };
  for (const [name, meddle] of Object.entries(MEDDLES)) {
    const path = pathOf(`${name}.journal`);
    const journal = await fileJournal(path);
    await assert.rejects(
      runDurable(
        chain,
        journal,
        meddling(() => meddle(path)),
      ),
      { code: "durable/fenced" },
      name,
    );
    await journal.close();
  }
  await assert.rejects(fileJournal(pathOf("linked.journal")), { code: "durable/fenced" });
  await assert.rejects(fileJournal(pathOf("linked.journal.link")), { code: "durable/fenced" });
});

const times = (count, line) => Array.from({ length: count }, (_, at) => line(at)).join("");
const chain = (count, inputs, input) => {
  const nodes = times(count, (at) => `  n${at}: {type: log, input: "${input(at)}"}\n`);
  const edges = times(count - 1, (at) => `  - {from: n${at}, to: n${at + 1}}\n`);
  return `start: n0\ninputs: ${inputs}\nnodes:\n${nodes}edges:\n${edges}`;
};
const inputs = (count) => `{${times(count, (at) => `name${at}: {type: number}, `)}}`;
const ITEMS = times(60_000, (at) => `{"b":"w${at}","c":[1]},`);
const constants = times(12_000, (at) => `${at}, `);
const set = `  s: {type: set, with: {values: {list: [${constants}]}}}\n`;
const reader = (at) => `  n${at}: {type: log, input: "\${output.s.list[${at}] + 1}"}\n`;

/** Quadratic work, or a stack frame for each node, would not end here. */
/** Nodes that pass on what any node before them gave. */
const joins = (count) => {
  const nodes = Array.from({ length: count }, (_, at) =>
    at % 2 ? `  n${at}: {type: noop}` : `  n${at}: {type: set, with: {values: {k${at}: "\${last}"}}}`,
  );
  const edges = Array.from(
    { length: count - 2 },
    (_, at) => `  - {from: n${at}, to: n${at + 1}}\n  - {from: n${at}, to: n${at + 2}, condition: last.q${at}.exists}`,
  );
  return `start: n0\nnodes:\n${nodes.join("\n")}\nedges:\n${edges.join("\n")}\n`;
};

/** Each node leads to each other one, and half of them ask. */
const dense = (count) => {
  const node = (at) => `  n${at}: {type: ${at % 2 ? "approve" : "fetch"}}\n`;
  const edge = (from) => times(count, (to) => `  - {from: n${from}, to: n${to}, condition: input.x == ${to}}\n`);
  return `start: n0\ninputs: {x: {type: number}}\nnodes:\n${times(count, node)}edges:\n${times(count, edge)}`;
};
const branches = (count) => {
  const asking = times(count, (at) => `b${at}: {nodes: {ask: {type: approve}}}, `);
  const any = times(100, (at) => `last.b${at} == approved || `);
  return `start: p\nnodes:\n  p: {type: parallel, branches: {${asking}}}\n  pay: {type: fetch}\nedges: [{from: p, to: pay, condition: '${any}last.b0 == ok'}]\n`;
};
/** Sound approvals, and one that prevents nothing. */
const approvals = (count) => {
  const sound = times(count, (at) => `  d${at}: {type: approve}\n  p${at}: {type: fetch}\n`);
  const ways = times(
    count,
    (at) => `  - {from: d${at}, to: p${at}, condition: last == approved}\n  - {from: p${at}, to: d${at + 1}}\n`,
  );
  return `start: d0\nnodes:\n${sound}  d${count}: {type: approve}\n  z: {type: fetch}\nedges:\n${ways}  - {from: d${count}, to: z}\n`;
};

const LARGE = {
  "edges between all nodes, of which half ask": [() => dense(80)],
  "branches that each ask": [() => branches(2000)],
  "approvals, of which the last prevents nothing": [() => approvals(2000), ["graph/rejection-ignored"]],
  "a chain of nodes, of which each reads a part of the one before": [
    () => chain(12_000, "{x: {}}", () => "${last.a.b ?? input.x}"),
  ],
  "a text of braces": [() => `nodes:\n  a: {type: log, input: "${"{".repeat(800_000)} n "}\n`],
  "nodes that join": [() => joins(3000), ["reference/unknown-path", "graph/too-many-problems"]],
  "many inputs in many expressions": [() => chain(12_000, inputs(12_000), (at) => `\${input.name${at} + 1}`)],
  "many misspelt inputs in many expressions": [
    () => chain(6_000, inputs(6_000), (at) => `\${input.nmae${at} + 1}`),
    ["reference/unknown-path", "graph/too-many-problems"],
  ],
  "JSON of one line in YAML": [() => `nodes:\n  a: {type: log, input: {"a":[${ITEMS}]}}\n`],
  "many pairs on one line": [() => `nodes:\n  a: {type: log, input: [${times(60_000, () => "k: v, ")}]}\n`],
  "blanks before a mistake": [() => `nodes: [a, ${" ".repeat(100_000)}@]\n`, ["source/syntax"]],
  "a quote that is not closed, in many keys": [
    () => `nodes: {${times(20_000, (at) => `f${at}(\\", `)}a: {type: noop}}\n`,
    ["graph/missing-type"],
  ],
  "many wrong templates in one text": [
    () => `nodes:\n  a: {type: log, input: "\${${"1${".repeat(20_000)}}"}\n`,
    ["template/syntax"],
  ],
  "conditions without operators between them": [
    () =>
      `start: a\nnodes: {a: {type: noop}}\nedges:\n${times(20, () => `  - {from: a, to: a, condition: '${'last=="x"'.repeat(5_000)}'}\n`)}`,
    ["condition/syntax"],
  ],
  "many inputs": [() => `inputs:\n${times(30_000, (at) => `  in${at}: {type: string}\n`)}nodes: {a: {type: noop}}\n`],
  "a long list in many expressions": [
    () =>
      `start: s\nnodes:\n${set}${times(12_000, reader)}edges:\n${times(12_000, (at) => `  - {from: s, to: n${at}}\n`)}`,
  ],
};
const numbered = (count, entry) => Array.from({ length: count }, (_, at) => entry(at));
const LARGE_TOOLS = {
  "misspelt names of tools": [
    numbered(5000, (at) => ({ tool: `toolname_xyz_${at}` })),
    numbered(5000, (at) => [`toolname_xyy_${at}`, {}]),
    ["graph/unknown-tool", "graph/too-many-problems"],
  ],
  "patterns of a result": [
    numbered(3000, (at) => ({ input: `\${output.a.p${at}}` })),
    [["t", { patternProperties: Object.fromEntries(numbered(3000, (at) => [`^p${at}$`, {}])) }]],
  ],
  "options of a result": [
    numbered(5000, (at) => ({ input: `\${output.a.k == "v${at}"}` })),
    [["t", { type: "object", properties: { k: { enum: numbered(5000, (at) => `v${at}`) } } }]],
  ],
  "a result whose parts refer to each other": [
    numbered(500, (at) => ({ input: `\${output.a.p0.p1.p2 + ${at}}` })),
    [["t", mutual(12)]],
  ],
};
for (const [name, [calls, tools, expected = []]] of Object.entries(LARGE_TOOLS))
  test(`a plan is checked to its end: ${name}`, () => {
    const ask = { type: "tool", tool: tools[0][0], input: {} };
    const others = calls.map((call, at) => [`n${at}`, { type: call.tool ? "tool" : "log", input: {}, ...call }]);
    const ids = ["a", ...others.map(([id]) => id)];
    const edges = ids.slice(1).map((to, at) => ({ from: ids[at], to }));
    const graph = parsed({ start: "a", nodes: { a: ask, ...Object.fromEntries(others) }, edges });
    const list = tools.map(([name, outputSchema]) => ({ name, inputSchema: { type: "object" }, outputSchema }));
    const codes = check(graph, { tools: list }).map(({ code }) => code);
    assert.deepEqual([...new Set(codes)], expected);
  });

/** Each part has all parts, and is one of all parts. */
function mutual(count) {
  const all = numbered(count, (at) => ({ $ref: `#/$defs/d${at}` }));
  const part = { type: "object", properties: Object.fromEntries(all.map((one, at) => [`p${at}`, one])), anyOf: all };
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries(all.map((_, at) => [`d${at}`, part])) };
}

for (const [name, [text, expected = []]] of Object.entries(LARGE))
  test(`a plan is checked to its end: ${name}`, () => {
    const { graph, diagnostics } = PlanGraph.parse(text());
    const codes = (graph === null ? diagnostics : check(graph)).map((found) => found.code);
    assert.deepEqual([...new Set(codes)], expected);
  });
