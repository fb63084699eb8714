// A plan as a Restate workflow, on a real server: killed at points of its run it comes to the same end, and asks nothing twice that was
// answered and written down; a changed plan is refused, and an older one gone on with beside it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { approve, essence, killed, named, POINTS, repeats } from "./kills.mjs";
import { HERE, planService, restateServer, until, workflow, world } from "./restate.mjs";

let [server, outside, service, whole] = [];
before(async () => {
  if (!HERE) return;
  [server, outside] = [await restateServer(), await world()];
  service = await planService(server, outside);
});
after(async () => {
  await service?.kill();
  await Promise.all([server?.stop(), outside?.stop()]);
});
const here = { skip: HERE ? false : "Restate's server is installed here for Linux on x64 only" };

test("a run gives its report, and asks each call once", here, async () => {
  const { report, made } = await killed(server, service, outside, "whole", null);
  assert.deepEqual([report.outcome.type, report.counts], ["completed", { steps: 13, calls: 11, retries: 1 }]);
  assert.ok([...made.values()].every((times) => times === 1));
  whole = essence(report);
});

for (const [at, point] of POINTS.entries()) {
  test(`killed ${named(point)}, a run ends as if it had not been`, here, async () => {
    const run = await killed(server, service, outside, `killed-${at}`, point);
    assert.deepEqual(essence(run.report), whole);
    assert.deepEqual(repeats(run).wrong, []);
  });
}

test("a decision that nobody waits for, and one that is none, are refused", here, async () => {
  const one = workflow(server, "order", "decided");
  await one.send({ shop: "x" });
  await until("an approval", async () => (await one.approvals()).length > 0);
  await assert.rejects(one.decide("nobody:1:1", "approved"), ({ status, message }) => status === 404 && /durable\/unknown-approval/.test(message));
  await assert.rejects(one.decide("ask:1:1", "perhaps"), ({ status, message }) => status === 400 && /approval\/failed/.test(message));
  await approve(one, "rejected");
  const { outcome, path } = await one.report();
  assert.deepEqual([outcome, path.at(-1)], [{ type: "completed", reason: "no-match" }, "ask"]);
  assert.deepEqual(await one.approvals(), []);
  outside.reset();
});
