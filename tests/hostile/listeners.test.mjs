// Tests listeners that throw or reject, and values without a JSON form: the report always contains every call.

import assert from "node:assert/strict";
import { test } from "node:test";
import { audited } from "../../dist/integrations/audit/node.js";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { fork, run } from "../../dist/node.js";
import { parsed } from "./attack-world.mjs";

const PLAN = {
  start: "a",
  nodes: { a: { type: "h" }, b: { type: "h" }, ask: { type: "approve", input: "go?" } },
  edges: [
    { from: "a", to: "b" },
    { from: "b", to: "ask" },
  ],
};
const graph = parsed(PLAN);
const calling = parsed({
  start: "a",
  nodes: { a: { type: "tool", tool: "say", input: {} }, b: { type: "tool", tool: "say", input: {} } },
  edges: [{ from: "a", to: "b" }],
});

/** Unhandled rejections would end the process. */
const unhandledRejections = [];
process.on("unhandledRejection", (error) => unhandledRejections.push(error));

const DRIVERS = {
  run: (options) => run(graph, options),
  "run.stream": (options) => run.stream(graph, options).report,
  audited: (options) => {
    const audit = audited(graph, options, { write() {} });
    return audit.end(run(graph, audit.options));
  },
};
const FAILS = {
  throws: () => {
    throw new Error("disk full");
  },
  rejects: async () => Promise.reject(new Error("disk full")),
};

for (const [way, drive] of Object.entries(DRIVERS))
  for (const [how, fail] of Object.entries(FAILS))
    for (const listener of ["onEvent", "record"])
      for (const at of [1, 3, 5])
        test(`${way}: \`${listener}\` ${how} at its call ${at}`, async () => {
          const called = [];
          const handlers = { h: async ({ id }) => (called.push(id), new Promise((done) => setImmediate(done, id))) };
          let told = 0;
          const listen = () => (++told === at ? fail() : undefined);
          const report = await drive({ handlers, [listener]: listen, onApproval: () => "approved" });
          const message = `\`${listener}\` failed: disk full`;
          assert.deepEqual(report.outcome, { type: "failed", code: "run/listener-failed", message });
          // The run notices a rejection a moment later.
          assert.ok(how === "rejects" ? told >= at : told === at, `${told}`);
          for (const id of called) assert.ok(report.path.includes(id));
          if (report.snapshot === null) return;
          const again = await run(graph, { handlers, snapshot: report.snapshot, onApproval: () => "approved" });
          assert.equal(again.outcome.type, "completed", JSON.stringify(again.outcome));
          await new Promise(setImmediate);
          assert.deepEqual(unhandledRejections, []);
        });

test("a run that a listener ended can be replayed", async () => {
  const lines = [];
  let told = 0;
  const onEvent = () => {
    if (++told === 4) throw new Error("no");
  };
  const handlers = { h: () => 1 };
  await run(graph, { handlers, onEvent, record: (line) => lines.push(line) });
  assert.equal((await run(graph, { replay: lines })).outcome.type, "cancelled");
  const failed = await run(graph, { replay: lines, onEvent: FAILS.throws });
  assert.equal(failed.outcome.code, "run/listener-failed");
  assert.equal((await fork(graph, { cassette: lines, handlers })).outcome.type, "paused");
});

function deep(levels) {
  let value = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
const VALUES = {
  "a big integer": () => 10n,
  "a cycle": () => {
    const round = {};
    return (round.round = round);
  },
  "a getter that throws": () => Object.defineProperty({}, "bad", { enumerable: true, get: FAILS.throws }),
  "a `toJSON` that throws": () => ({ toJSON: FAILS.throws }),
  "20 000 levels": () => deep(20_000),
  "3 000 levels": () => deep(3000),
  "a function": () => () => 1,
  "a symbol": () => Symbol("x"),
};

for (const [what, give] of Object.entries(VALUES))
  test(`${what} loses no report`, async () => {
    const handlers = { h: ({ id }) => (id === "a" ? give() : 1) };
    const lines = [];
    const recorded = await run(graph, { handlers, record: (line) => lines.push(line) });
    assert.equal(recorded.outcome.code, "handler/not-json", JSON.stringify(recorded.outcome));
    assert.equal((await run(graph, { replay: lines })).outcome.code, "handler/not-json");
    const audit = audited(graph, { handlers }, { write() {} });
    assert.equal((await audit.end(run(graph, audit.options))).outcome.code, "handler/not-json");
    const bare = audited(graph, { handlers }, { write() {} }, { cassette: false });
    assert.equal((await bare.end(run(graph, bare.options))).outcome.type, "paused");
    const plain = await run(graph, { handlers });
    assert.deepEqual([plain.outcome.type, plain.path], ["paused", ["a", "b", "ask"]]);
    const signed = await run(graph, { handlers, key: "secret" });
    assert.ok(["snapshot/not-json", undefined].includes(signed.outcome.code), JSON.stringify(signed.outcome));
    assert.deepEqual(signed.path, ["a", "b", "ask"]);
  });

// A rejection after the end of the run has no effect, so the later calls only throw.
for (const [how, fail] of Object.entries(FAILS))
  for (const listener of ["onEvent", "onUpdate"])
    for (const at of how === "throws" ? [1, 2, 3, 6] : [1, 2, 3])
      test(`runDurable: \`${listener}\` ${how} at its call ${at}; the journal continues`, async () => {
        const called = [];
        const resolveLater = (value) => new Promise((done) => setImmediate(done, value));
        const list = async () => [{ name: "say", input_schema: {} }];
        const call = async (_name, _, { call, onProgress }) => {
          called.push(call);
          for (let progress = 0; progress < 3; progress++) onProgress?.({ progress });
          return resolveLater({ value: call, isError: false });
        };
        const given = { tools: [{ name: "shop", list, call, close: async () => {} }] };
        let told = 0;
        const listen = () => (++told === at ? fail() : undefined);
        const first = new MemoryJournal();
        const error = { code: "run/listener-failed", message: `\`${listener}\` failed: disk full` };
        await assert.rejects(runDurable(calling, first, { ...given, [listener]: listen }), error);
        const { lines } = first;
        const report = await runDurable(calling, new MemoryJournal({ lines }), given);
        assert.deepEqual([report.outcome.type, report.path], ["completed", ["a", "b"]]);
        // Answered calls are not repeated. An outstanding one may be, under the same name.
        const answered = lines.map((line) => JSON.parse(line).name);
        for (const name of new Set(called))
          assert.ok(called.filter((one) => one === name).length <= (answered.includes(name) ? 1 : 2), name);
        await new Promise(setImmediate);
        assert.deepEqual(unhandledRejections, []);
      });
