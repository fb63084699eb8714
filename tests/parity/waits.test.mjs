// Tests `wait` nodes in `run`, `Run`, replays and forks: real time counts, even while no process has the run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, PlanGraph, Run, run } from "../../dist/node.js";
import { Time } from "./drivers/virtual-time.mjs";

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph?.valid, JSON.stringify(diagnostics));
  return graph;
};
const HOUR = 3_600_000;
const hour = parse(`
start: pause
nodes: {pause: {type: wait, with: {ms: ${HOUR}}}, end: {type: set, with: {values: {before: "\${last}"}}}}
edges: [{from: pause, to: end}]
`);
const date = parse(`nodes: {opens: {type: wait, with: {until: "\${input}"}}}`);

async function snapshotAfter(ms, time) {
  const abort = new AbortController();
  time.after(ms, () => abort.abort());
  const { outcome, snapshot } = await time.during(run(hour, { input: 7, clock: time.clock, signal: abort.signal }));
  assert.equal(outcome.type, "cancelled");
  return JSON.parse(JSON.stringify(snapshot));
}

test("a run waits by its clock, and a wait is no call", async () => {
  const time = new Time();
  const report = await time.during(run(hour, { input: 7, clock: time.clock }));
  assert.deepEqual([report.outcome.type, report.durationMs, report.last], ["completed", HOUR, { before: 7 }]);
  assert.deepEqual([report.counts.calls, report.path], [0, ["pause", "end"]]);
});

test("a wait until a date uses the host's clock, or the platform's if the host has none", async () => {
  const until = Date.now() + 30;
  const soon = await run(date, { input: new Date(until).toISOString(), trace: false });
  assert.equal(soon.outcome.type, "completed");
  // Timers may fire up to a millisecond early.
  assert.ok(Date.now() >= until - 1);
  const time = new Time();
  const input = new Date(time.now() + HOUR).toISOString();
  const told = await time.during(run(date, { input, clock: time.clock }));
  assert.deepEqual([told.outcome.type, told.durationMs], ["completed", HOUR]);
  const { now, after } = time.clock;
  const untold = await run(date, { input, clock: { now, after } });
  assert.deepEqual([untold.outcome.type, untold.outcome.code], ["failed", "wait/no-clock"]);
  const past = await run(date, { input: "2001-02-03T04:05:06Z" });
  assert.equal(past.outcome.type, "completed");
});

test("a run resumed after the end of its wait does not wait again", async () => {
  for (const [pausedMs, restMs] of [
    [HOUR / 2, HOUR / 4],
    [2 * HOUR, 0],
  ]) {
    const time = new Time();
    const snapshot = await snapshotAfter(HOUR / 4, time);
    const later = new Time(time.now() + pausedMs);
    const report = await later.during(run(hour, { snapshot, clock: later.clock }));
    assert.deepEqual([report.outcome.type, report.last], ["completed", { before: 7 }]);
    assert.equal(later.now() - (time.now() + pausedMs), restMs);
  }
});

test("without a date the run waits for the rest of its time", async () => {
  const snapshot = await snapshotAfter(HOUR / 4, new Time());
  const later = new Time(0);
  const { now, after } = later.clock;
  await later.during(run(hour, { snapshot, clock: { now, after } }));
  assert.equal(later.now(), (HOUR * 3) / 4);
});

test("a replay and a fork do not wait", async () => {
  const time = new Time();
  const lines = [];
  const input = new Date(time.now() + HOUR).toISOString();
  const report = await time.during(run(date, { input, clock: time.clock, record: (line) => lines.push(line) }));
  assert.equal(JSON.parse(lines[0]).epochMs, 0);
  const again = await run(date, { replay: lines });
  assert.deepEqual([again.outcome, again.durationMs], [report.outcome, HOUR]);
  const other = new Time();
  const forked = await other.during(fork(date, { cassette: lines, clock: other.clock }));
  assert.deepEqual([forked.outcome.type, other.now()], ["completed", new Time().now()]);
});

test("a wait is a timer of the machine, by the name of its visit", () => {
  const machine = new Run(date, { input: "1970-01-01T01:00:00Z", epochMs: HOUR / 2 });
  const { commands } = machine.step({ type: "start", atMs: 5 });
  assert.deepEqual(commands, [{ type: "set-timer", timer: "wait:opens:1:1", afterMs: HOUR / 2 - 5 }]);
  const { commands: ended } = machine.step({ type: "timer-fired", timer: "wait:opens:1:1", atMs: HOUR / 2 });
  assert.deepEqual(
    ended.map(({ type }) => type),
    ["finish"],
  );
  machine.free();
});
