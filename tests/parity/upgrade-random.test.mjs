// Tests on random plans that if `compareRun` proves a changed plan, the continued run equals a run of it from the
// start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRun, PlanGraph } from "../../dist/node.js";
import { compareJournal, MemoryJournal } from "../../dist/integrations/durable.js";
import { comparableResult } from "./drivers/comparable.mjs";
import { durable, inMemory } from "./drivers/durable.mjs";
import { generate } from "./drivers/generate.mjs";
import { Host } from "./drivers/host.mjs";
import { driveManually } from "./drivers/manual-driver.mjs";
import { Random } from "./drivers/random.mjs";
import { changePlan } from "./upgrade/change-plan.mjs";

const PLANS = 100;
const CHANGES = 8;
const JOURNALS = 50;

const parsed = (plan) => {
  const { graph } = PlanGraph.parse(JSON.stringify(plan));
  return graph?.valid ? graph : null;
};

/** Null if the plan can't run on this host, or waits forever. */
function drive(graph, one, options) {
  try {
    return driveManually(graph, one, options);
  } catch (error) {
    if (error.code === "api/invalid-plan" || /nothing is due/.test(error.message)) return null;
    throw error;
  }
}

/** An edge's index counts all edges of the plan. */
function comparableTrace(events) {
  const plain = events
    .filter(({ type }) => type !== "run-resumed")
    .map(({ edge: _edge, verdicts, ...event }) => ({
      ...event,
      ...(verdicts && { verdicts: verdicts.map(({ edge: _other, ...verdict }) => verdict) }),
    }));
  return plain;
}

function compare(seed, one, counts) {
  const old = parsed(one.plan);
  const random = new Random("upgrade", seed);
  const steps = drive(old, one, {})?.steps ?? 0;
  if (steps < 2) return;
  for (let at = 0; at < CHANGES; at++) {
    const plan = changePlan(one.plan, `${seed}/${at}`);
    const graph = parsed(plan);
    if (graph === null || graph.hash === old.hash) continue;
    const cancelAt = 1 + random.below(steps - 1);
    const first = drive(old, one, { cancelAt });
    if (first?.snapshot === null || first === null) continue;
    counts.compared++;
    const snapshot = JSON.parse(JSON.stringify(first.snapshot));
    const ways = [compareRun(graph, snapshot), compareRun(graph, snapshot, { from: old })];
    // More knowledge never refutes a proof.
    assert.ok(!ways[0].proved || ways[1].proved, `seed ${seed}, change ${at}: ${JSON.stringify(ways[1].conflicts)}`);
    if (!ways[1].proved) {
      for (const { code } of ways[1].conflicts) counts.codes.add(code);
      continue;
    }
    counts.proved++;
    if (ways[0].proved) counts.byHashes++;
    check(`seed ${seed}, change ${at}, step ${cancelAt}`, cancelAt, { graph, one: { ...one, plan }, first, snapshot });
  }
}

/** A run of the new plan at the same pause stands and ends as the old run does. */
function check(name, cancelAt, { graph, one, first, snapshot }) {
  const own = drive(graph, one, { cancelAt });
  if (own === null) return;
  assert.ok(own.snapshot, `${name}: the new plan does not pause there`);
  assert.equal(beforePause(first), beforePause(own), `${name}: the trace before the pause`);
  const [wanted, got] = [own.snapshot, snapshot].map((state) =>
    drive(graph, one, { snapshot: state, at: first.at, asked: new Map(first.asked) }),
  );
  assert.equal(got === null, wanted === null, name);
  if (got === null) return;
  const [there, here] = [wanted, got].map(({ report, trace }) => comparableResult(report, { trace }));
  assert.equal(here.state, there.state, `${name}: the state`);
  assert.equal(here.trace, there.trace, `${name}: the trace`);
  const whole = drive(graph, one, {});
  // A resumed run counts an open call again, and may reach a limit earlier.
  const { counts, outcome } = got.report;
  if (whole === null || whole.report.counts.calls !== counts.calls || outcome.code === "run/call-limit") return;
  assert.equal(here.state, comparableResult(whole.report).state, `${name}: the whole run`);
}

const beforePause = ({ trace, before, report }) =>
  comparableResult(report, { trace: comparableTrace(trace.slice(0, before)) }).trace;

test("a proved upgrade equals a run of the new plan from its start", () => {
  const counts = { compared: 0, proved: 0, byHashes: 0, codes: new Set() };
  const plans = Math.ceil(PLANS * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  for (let seed = 1; seed <= plans; seed++) {
    const one = generate(seed);
    if (!one.isRace && parsed(one.plan) !== null) compare(seed, one, counts);
  }
  console.log(counts);
  assert.ok(counts.proved > 0.2 * counts.compared, "few upgrades are proved");
  assert.ok(counts.byHashes > 0.5 * counts.proved, "hashes alone prove few upgrades");
  for (const code of ["node-gone", "node-changed", "edges-changed", "start-changed", "limit-exceeded", "limit-changed"])
    assert.ok(counts.codes.has(`upgrade/${code}`), `no change caused ${code}`);
});

async function compareCut(name, old, one, whole, { plan, kept, from }) {
  const graph = parsed(plan);
  if (graph === null || graph.hash === old.hash) return null;
  const lines = whole.lines.slice(0, kept);
  const { options } = new Host({ ...one, plan: one.plan }, { now: () => 0 });
  const given = { input: one.input, ...options, ...(from && { from: old }) };
  const { proved } = await compareJournal(graph, lines, given);
  if (!proved) return false;
  const moved = new MemoryJournal({ lines });
  await moved.movePlan(graph.fingerprint);
  const changed = { ...one, plan };
  let wanted;
  try {
    wanted = await durable(graph, changed, inMemory([]));
  } catch (error) {
    if (/nothing is due/.test(error.message)) return true;
    throw error;
  }
  const at = whole.log.times[kept];
  // Calls after the cut were not made yet.
  const asked = new Map([...whole.host.asked].filter(([, time]) => at === undefined || time <= at));
  const more = { ...(at !== undefined && { at }), asked };
  // The changed plan's host has no handler for a removed node.
  const isGone = (error) => (error.code === "durable/host-changed" ? null : Promise.reject(error));
  const got = await durable(graph, changed, inMemory([...moved.lines]), more).catch(isGone);
  if (got === null) return true;
  assert.equal(got.state, wanted.state, `${name}: the state`);
  assert.equal(got.trace, wanted.trace, `${name}: the trace`);
  return true;
}

test("a journal that moves gives the trace of a run of the new plan from its start", async () => {
  const counts = { compared: 0, proved: 0, alone: 0 };
  const plans = Math.ceil(JOURNALS * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  for (let seed = 1; seed <= plans; seed++) {
    const one = generate(seed);
    const old = parsed(one.plan);
    if (one.isRace || old === null) continue;
    const whole = await durable(old, one, inMemory([]));
    const random = new Random("journals", seed);
    for (let at = 0; at < 4 && whole.lines.length > 2; at++) {
      const cut = { plan: changePlan(one.plan, `${seed}/${at}`), kept: 2 + random.below(whole.lines.length - 2) };
      for (const from of [false, true]) {
        const name = `seed ${seed}, change ${at}, ${cut.kept} entries`;
        const proved = await compareCut(name, old, one, whole, { ...cut, from });
        if (proved === null) continue;
        counts.compared++;
        if (proved) counts[from ? "proved" : "alone"]++;
      }
    }
  }
  console.log(counts);
  assert.ok(counts.proved > 0.15 * counts.compared && counts.alone > 0.1 * counts.compared, "few moves are proved");
});
