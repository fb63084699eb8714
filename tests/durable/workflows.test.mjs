// Tests a plan in a Cloudflare Workflow: a killed and resumed run ends with the same result and repeats no recorded
// call.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { withoutTimes, killName, repeatedCalls, waitTimes } from "./kills.mjs";
import { IS_SUPPORTED, until, startCallServer } from "./restate.mjs";
import { workflows } from "./workflows.mjs";

const text = (name) => readFileSync(new URL(`plans/${name}.yaml`, import.meta.url), "utf8");
const skipOptions = { skip: IS_SUPPORTED ? false : "workerd's processes are found on Linux only" };
const POINTS = [
  { number: 0, when: "before" },
  { number: 2, when: "after" },
  { number: 4, when: "before" },
  { number: 7, when: "before" },
  { number: 8, when: "after" },
  { when: "while a person is asked" },
  { number: 11, when: "before" },
];

let [callServer, cloud, undisturbed] = [];
before(async () => {
  if (!IS_SUPPORTED) return;
  callServer = await startCallServer();
  cloud = await workflows(callServer);
  await cloud.start([text("order")]);
});
after(async () => {
  await cloud?.stop();
  await callServer?.stop();
});

/** Stored instances continue only after a resume. */
async function restartWorkerd(id, plans = [text("order")], killed = () => {}) {
  await cloud.kill();
  killed();
  await cloud.start(plans);
  await cloud.ask("pause", id);
  await cloud.ask("resume", id);
}

const approvalRequested = (id) => until("an approval", async () => callServer.asked.has(`${id} ask:1:1.asked`));

async function ended(id) {
  const { output } = await until("the end", async () => {
    const status = await cloud.ask("status", id);
    if (status.status === "errored") throw new Error(JSON.stringify(status.error));
    return status.output && status;
  });
  const made = callServer.of(id);
  callServer.reset();
  return { report: output, made };
}

async function runWithKill(id, point) {
  let [done, finished] = [false, []];
  const struck = new Promise((resolve, reject) => {
    const killOnce = () =>
      restartWorkerd(id, [text("order")], () => (finished = [...callServer.of(id).keys()])).then(resolve, reject);
    if (point === null) return resolve();
    if (point.number === undefined) return void approvalRequested(id).then(killOnce).catch(reject);
    callServer.hooks[point.when] = async ({ number }) => {
      if (number !== point.number || done) return;
      done = true;
      await killOnce();
    };
  });
  await cloud.ask("create", id, { payload: { shop: "x" } });
  if (point === null || point.number < 10) {
    await struck;
    await approvalRequested(id);
  } else if (point.number === undefined) await struck;
  else await approvalRequested(id);
  await cloud.ask("decide", id, { call: "ask:1:1", payload: "approved" });
  await struck;
  return { ...(await ended(id)), finished };
}

test("a run returns its report and requests each call once", skipOptions, async () => {
  const { report, made } = await runWithKill("whole", null);
  assert.deepEqual([report.outcome.type, report.counts], ["completed", { steps: 13, calls: 11, retries: 1 }]);
  assert.ok([...made.values()].every((times) => times === 1));
  undisturbed = withoutTimes(report);
});

for (const [at, point] of POINTS.entries()) {
  test(`a resumed run killed ${killName(point)} ends with an unchanged result`, skipOptions, async () => {
    const run = await runWithKill(`killed-${at}`, point);
    assert.deepEqual(withoutTimes(run.report), undisturbed);
    assert.deepEqual(repeatedCalls(run).wrong, []);
  });
}

test("a run of another plan is stored and continues when its plan is available", skipOptions, async () => {
  await cloud.ask("create", "pinned", { payload: { shop: "x" } });
  await approvalRequested("pinned");
  let finished = [];
  await restartWorkerd("pinned", [text("changed")], () => (finished = [...callServer.of("pinned").keys()]));
  await cloud.ask("decide", "pinned", { call: "ask:1:1", payload: "approved" });
  await restartWorkerd("pinned", [text("changed"), text("order")]);
  const { report, made } = await ended("pinned");
  assert.deepEqual(withoutTimes(report), undisturbed);
  // A call that ended right before the kill may not be recorded.
  assert.deepEqual(repeatedCalls({ made, finished }).wrong, []);
});

test("a run moves to a proved plan when its decision arrives", skipOptions, async () => {
  await cloud.kill();
  await cloud.start([text("order")]);
  await cloud.ask("create", "moves", { payload: { shop: "x", moves: true } });
  await approvalRequested("moves");
  await restartWorkerd("moves", ["changed", "moved", "order"].map(text));
  await cloud.ask("decide", "moves", { call: "ask:1:1", payload: "approved" });
  const { report } = await ended("moves");
  assert.deepEqual(report.outputs.noted, { decided: "approved", moved: true });
  await cloud.kill();
  await cloud.start([text("moved")]);
  await cloud.ask("create", "moved", { payload: { shop: "x", moves: true } });
  await approvalRequested("moved");
  await cloud.ask("decide", "moved", { call: "ask:1:1", payload: "approved" });
  const whole = await ended("moved");
  assert.deepEqual(withoutTimes(report), withoutTimes(whole.report));
});

test("a wait is a sleep of Workflows, which continues without a process", skipOptions, async () => {
  const payload = { ms: 200, until: new Date(Date.now() + 4000).toISOString() };
  await cloud.kill();
  await cloud.start([text("waits")]);
  await cloud.ask("create", "waits", { payload });
  await until("a wait", async () => (await cloud.ask("status", "waits")).status === "running");
  await restartWorkerd("waits", [text("waits")]);
  const { report } = await ended("waits");
  assert.deepEqual([report.outcome.type, report.path], ["completed", ["pause", "opens", "end"]]);
  assert.deepEqual(waitTimes(report), [200, Date.parse(payload.until)]);
});
