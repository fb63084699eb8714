// Tests a plan on a real Restate server: a killed run ends with the same result and repeats no recorded call. A changed
// plan is refused, an older one continues.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  approve,
  runConcurrently,
  withoutTimes,
  runWithKill,
  killName,
  POINTS,
  repeatedCalls,
  waitTimes,
} from "./kills.mjs";
import { IS_SUPPORTED, planService, restateServer, until, workflow, startCallServer } from "./restate.mjs";

let [server, callServer, service, undisturbed] = [];
before(async () => {
  if (!IS_SUPPORTED) return;
  [server, callServer] = [await restateServer(), await startCallServer()];
  service = await planService(server, callServer);
});
after(async () => {
  await service?.kill();
  await Promise.all([server?.stop(), callServer?.stop()]);
});
const skipOptions = { skip: IS_SUPPORTED ? false : "Restate's server is installed here for Linux on x64 only" };

test("a run returns its report and requests each call once", skipOptions, async () => {
  const { report, made } = await runWithKill(server, service, callServer, "whole", null);
  assert.deepEqual([report.outcome.type, report.counts], ["completed", { steps: 13, calls: 11, retries: 1 }]);
  assert.ok([...made.values()].every((times) => times === 1));
  undisturbed = withoutTimes(report);
});

for (const [at, point] of POINTS.entries()) {
  test(`a run killed ${killName(point)} ends with an unchanged result`, skipOptions, async () => {
    const run = await runWithKill(server, service, callServer, `killed-${at}`, point);
    assert.deepEqual(withoutTimes(run.report), undisturbed);
    assert.deepEqual(repeatedCalls(run).wrong, []);
  });
}

test(
  "concurrent runs survive repeated kills of their process: each call is made exactly once",
  skipOptions,
  async () => {
    const { lost, expected, made, twice, struck } = await runConcurrently(server, service, callServer, 40, 3);
    assert.deepEqual({ lost, made, twice, struck }, { lost: [], made: expected, twice: [], struck: 3 });
  },
);

test("an unexpected decision and an invalid one are refused", skipOptions, async () => {
  const one = workflow(server, "order", "decided");
  await one.send({ shop: "x" });
  await until("an approval", async () => (await one.approvals()).length > 0);
  await assert.rejects(
    one.decide("nobody:1:1", "approved"),
    ({ status, message }) => status === 404 && /durable\/unknown-approval/.test(message),
  );
  await assert.rejects(
    one.decide("ask:1:1", "perhaps"),
    ({ status, message }) => status === 400 && /approval\/failed/.test(message),
  );
  await approve(one, "rejected");
  const { outcome, path } = await one.report();
  assert.deepEqual([outcome, path.at(-1)], [{ type: "completed", reason: "no-match" }, "ask"]);
  assert.deepEqual(await one.approvals(), []);
  callServer.reset();
});

test("a run of another plan is refused and stored, and continues when its plan is available", skipOptions, async () => {
  const one = workflow(server, "order", "pinned");
  await one.send({ shop: "x" });
  await until("an approval", async () => (await one.approvals()).length > 0);
  await service.restart({ PLAN: "changed" });
  await one.decide("ask:1:1", "approved");
  const { last_failure: failure } = await until("the refusal", async () => {
    const row = await one.invocation();
    return /run\/plan-changed|the plan has changed/.test(row?.last_failure) && row;
  });
  assert.match(failure, /the plan has changed since the run began: .*ask/);
  await service.restart({ PLAN: "changed,order" });
  assert.deepEqual(withoutTimes(await one.report()), undisturbed);
  assert.ok([...callServer.of("pinned").values()].every((times) => times === 1));
  callServer.reset();
});

test("a run moves to a proved plan when its decision arrives, and each replay moves there", skipOptions, async () => {
  await service.restart({ MOVES: "yes" });
  const one = workflow(server, "order", "moves");
  await one.send({ shop: "x" });
  await until("an approval", async () => (await one.approvals()).length > 0);
  // `changed` has another question, so it is not proved. `moved` is.
  await service.restart({ MOVES: "yes", PLAN: "changed,moved,order" });
  let killed = false;
  callServer.hooks.after = async ({ call }) => {
    if (killed || !call.startsWith("note")) return;
    killed = true;
    await service.restart({ MOVES: "yes", PLAN: "changed,moved,order" });
  };
  await one.decide("ask:1:1", "approved");
  const report = await one.report();
  assert.deepEqual(report.outputs.noted, { decided: "approved", moved: true });
  assert.ok(killed);
  const whole = workflow(server, "order", "moved-from-start");
  await service.restart({ MOVES: "yes", PLAN: "moved" });
  await whole.send({ shop: "x" });
  await until("an approval", async () => (await whole.approvals()).length > 0);
  await whole.decide("ask:1:1", "approved");
  assert.deepEqual(withoutTimes(report), withoutTimes(await whole.report()));
  const made = [...callServer.of("moves")];
  assert.deepEqual(
    made.filter(([call, times]) => times > 1 && !call.startsWith("note")),
    [],
  );
  callServer.reset();
  await service.restart();
});

test("a run cancelled by Restate ends as cancelled, with its outputs", skipOptions, async () => {
  await service.restart({ PLAN: "order" });
  const one = workflow(server, "order", "cancelled");
  await one.send({ shop: "x" });
  await until("an approval", async () => (await one.approvals()).length > 0);
  const { id } = await one.invocation();
  assert.ok(await one.cancel(id));
  const { outcome, outputs } = await one.report();
  assert.deepEqual([outcome.type, outputs.each.length], ["cancelled", 3]);
  callServer.reset();
});

test("Restate retries, if enabled, as often as the plan allows, under one name", skipOptions, async () => {
  await service.restart({ PLAN: "hosted", RETRIES: "host" });
  const one = workflow(server, "order", "hosted");
  await one.send(null);
  const report = await one.report();
  assert.deepEqual([report.outcome.type, report.last.code, report.counts.retries], ["completed", "node/timeout", 0]);
  assert.deepEqual(
    [...callServer.of("hosted")],
    [
      ["flaky:1:1", 3],
      ["broken:1:1", 2],
      ["refused:1:1", 1],
    ],
  );
  callServer.reset();
});

test("neither abandoned calls nor timers delay the end of a run", skipOptions, async () => {
  await service.restart({ PLAN: "first" });
  const one = workflow(server, "order", "first");
  let killed;
  callServer.hooks.before = async ({ call }) => {
    if (call === "book:1:1" && killed === undefined) await (killed = service.restart({ PLAN: "first" }));
  };
  await one.send(null);
  const report = await one.report();
  await killed;
  assert.deepEqual([report.outcome.type, report.path], ["completed", ["fan", "book"]]);
  assert.deepEqual(
    [...callServer.of("first")],
    [
      ["fan:1/fast/one:1:1", 1],
      ["book:1:1", 2],
    ],
  );
  callServer.reset();
});

test("a wait is a sleep of Restate, which continues without a process", skipOptions, async () => {
  await service.restart({ PLAN: "waits" });
  const one = workflow(server, "order", "waits");
  const input = { ms: 200, until: new Date(Date.now() + 3000).toISOString() };
  await one.send(input);
  await until("a sleep", async () => (await one.invocation()).status === "running");
  await service.restart({ PLAN: "waits" });
  const report = await one.report();
  assert.deepEqual([report.outcome.type, report.path], ["completed", ["pause", "opens", "end"]]);
  assert.deepEqual(report.last, { opened: input.until });
  assert.deepEqual(waitTimes(report), [200, Date.parse(input.until)]);
});

test("a report that is too large for Restate is truncated and says so", skipOptions, async () => {
  await service.restart({ PLAN: "big" });
  const one = workflow(server, "order", "big");
  await one.send(null);
  const report = await one.report();
  assert.deepEqual([report.outcome.type, report.trace, report.leftOut], ["completed", [], ["trace"]]);
  assert.deepEqual([report.outputs.large.length, report.last], [9_000_000, "durable/result-too-large"]);
  callServer.reset();
});
