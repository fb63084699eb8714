// A plan in a Cloudflare Workflow, in workerd under miniflare. After a kill at any point and a resume, the run ends
// with the same result and repeats no call with a recorded answer.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { essence, named, repeats, waited } from "./kills.mjs";
import { HERE, until, world } from "./restate.mjs";
import { workflows } from "./workflows.mjs";

const text = (name) => readFileSync(new URL(`plans/${name}.yaml`, import.meta.url), "utf8");
const here = { skip: HERE ? false : "workerd's processes are found on Linux only" };
const POINTS = [
  { number: 0, when: "before" },
  { number: 2, when: "after" },
  { number: 4, when: "before" },
  { number: 7, when: "before" },
  { number: 8, when: "after" },
  { when: "while a person is asked" },
  { number: 11, when: "before" },
];

let [outside, cloud, whole] = [];
before(async () => {
  if (!HERE) return;
  outside = await world();
  cloud = await workflows(outside);
  await cloud.start([text("order")]);
});
after(async () => {
  await cloud?.stop();
  await outside?.stop();
});

/** Restarts workerd. It continues stored instances only after a resume. */
async function revived(id, plans = [text("order")], killed = () => {}) {
  await cloud.kill();
  killed();
  await cloud.start(plans);
  await cloud.ask("pause", id);
  await cloud.ask("resume", id);
}

const asked = (id) => until("an approval", async () => outside.asked.has(`${id} ask:1:1.asked`));

async function ended(id) {
  const { output } = await until("the end", async () => {
    const status = await cloud.ask("status", id);
    if (status.status === "errored") throw new Error(JSON.stringify(status.error));
    return status.output && status;
  });
  const made = outside.of(id);
  outside.reset();
  return { report: output, made };
}

async function disturbed(id, point) {
  let [done, finished] = [false, []];
  const struck = new Promise((resolve, reject) => {
    const strike = () =>
      revived(id, [text("order")], () => (finished = [...outside.of(id).keys()])).then(resolve, reject);
    if (point === null) return resolve();
    if (point.number === undefined) return void asked(id).then(strike).catch(reject);
    outside.hooks[point.when] = async ({ number }) => {
      if (number !== point.number || done) return;
      done = true;
      await strike();
    };
  });
  await cloud.ask("create", id, { payload: { shop: "x" } });
  if (point === null || point.number < 10) {
    await struck;
    await asked(id);
  } else if (point.number === undefined) await struck;
  else await asked(id);
  await cloud.ask("decide", id, { call: "ask:1:1", payload: "approved" });
  await struck;
  return { ...(await ended(id)), finished };
}

test("a run gives its report, and asks each call once", here, async () => {
  const { report, made } = await disturbed("whole", null);
  assert.deepEqual([report.outcome.type, report.counts], ["completed", { steps: 13, calls: 11, retries: 1 }]);
  assert.ok([...made.values()].every((times) => times === 1));
  whole = essence(report);
});

for (const [at, point] of POINTS.entries()) {
  test(`killed ${named(point)}, a run that is resumed ends as if it had not been`, here, async () => {
    const run = await disturbed(`killed-${at}`, point);
    assert.deepEqual(essence(run.report), whole);
    assert.deepEqual(repeats(run).wrong, []);
  });
}

test("a run of another plan is kept, and goes on when its plan is there again", here, async () => {
  await cloud.ask("create", "pinned", { payload: { shop: "x" } });
  await asked("pinned");
  let finished = [];
  await revived("pinned", [text("changed")], () => (finished = [...outside.of("pinned").keys()]));
  await cloud.ask("decide", "pinned", { call: "ask:1:1", payload: "approved" });
  await revived("pinned", [text("changed"), text("order")]);
  const { report, made } = await ended("pinned");
  assert.deepEqual(essence(report), whole);
  // A call that ended right before the kill may not be recorded.
  assert.deepEqual(repeats({ made, finished }).wrong, []);
});

test("a wait is a sleep of Workflows, which goes on while no process runs", here, async () => {
  const payload = { ms: 200, until: new Date(Date.now() + 4000).toISOString() };
  await cloud.kill();
  await cloud.start([text("waits")]);
  await cloud.ask("create", "waits", { payload });
  await until("a wait", async () => (await cloud.ask("status", "waits")).status === "running");
  await revived("waits", [text("waits")]);
  const { report } = await ended("waits");
  assert.deepEqual([report.outcome.type, report.path], ["completed", ["pause", "opens", "end"]]);
  assert.deepEqual(waited(report), [200, Date.parse(payload.until)]);
});
