// Tests decisions that arrive while a run stores an answer, on SQLite and PostgreSQL.
//
// Invariant: a run takes what `decide` accepted, or the approval says that it came too late.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { storeWorld, watched } from "./store-world.mjs";

let fixture, library, keeper, pool, close;
before(async () => {
  ({ fixture, library, keeper, pool, close } = await storeWorld());
});
after(() => close());

const PLAN = `nodes:
  fan:
    type: parallel
    branches:
      pay: { nodes: { ask: { type: approve, input: 5 } } }
      work: { nodes: { own: { type: own } } }
`;
const CALL = "fan:1/pay/ask:1:1";
const ENTRY = /INSERT INTO stepgraph_entries/;
const HOLD = /SET open = 2/;

for (const [name, connect] of [
  ["SQLite", async () => ({ db: await fixture.database("decisions.db") })],
  ["PostgreSQL", async () => ({ pool })],
])
  describe(name, () => {
    let database, store, other, hooks;
    const graph = (text = PLAN) => library.PlanGraph.load(text);
    before(async () => {
      database = await connect();
      hooks = { before: () => {} };
      other = await keeper.openStore(database);
      store = await keeper.openStore(watched(database, (sql) => hooks.before(sql)));
    });

    /** `own` gets a function that settles its handler. */
    async function start(runId, work) {
      const asked = Promise.withResolvers?.() ?? deferred();
      const answer = Promise.withResolvers?.() ?? deferred();
      hooks.before = (sql) => void (/INSERT INTO stepgraph_approvals/.test(sql) && asked.resolve());
      const running = store.run(graph(), { runId, approvals: "wait", handlers: { own: () => answer.promise } });
      running.catch(() => {});
      await asked.promise;
      while ((await other.approvals({ run: runId })).length === 0) await new Promise(setImmediate);
      return { running, finish: () => work(answer) };
    }
    const fails = (answer) => answer.reject(new Error("no work"));
    const works = (answer) => answer.resolve("done");
    /** Calls `then` once, before the first statement that matches. */
    const once = (pattern, then) => {
      hooks.before = (sql) => {
        if (!pattern.test(sql)) return undefined;
        hooks.before = () => {};
        return then();
      };
    };
    const row = async (run) => (await other.approvals({ run, open: false })).find(({ call }) => call === CALL);

    test("the run takes a decision that was accepted just before it stores an answer", async () => {
      const { running, finish } = await start("before", fails);
      let decided;
      once(HOLD, () => (decided = other.decide("before", CALL, "approved")));
      finish();
      const report = await running;
      await decided;
      assert.equal(report.outcome.type, "failed");
      const taken = report.trace.find(({ type, node }) => type === "node-completed" && node === "ask");
      assert.equal(taken?.output, "approved");
      const { open, tooLate, decision } = await row("before");
      assert.deepEqual([open, tooLate, decision], [false, false, "approved"]);
    });

    test("a decision is refused if the answer that the run stores ends the wait", async () => {
      const { running, finish } = await start("after", fails);
      let refused;
      once(ENTRY, () => void (refused = assert.rejects(other.decide("after", CALL, "approved"), REFUSED)));
      finish();
      assert.equal((await running).outcome.type, "failed");
      await refused;
      const { open, tooLate, decision } = await row("after");
      assert.deepEqual([open, tooLate, decision], [false, false, null]);
    });

    test("a decision waits for an answer that does not end the wait", async () => {
      const { running, finish } = await start("during", works);
      let decided;
      once(ENTRY, () => void (decided = other.decide("during", CALL, { value: 7 })));
      finish();
      await decided;
      assert.deepEqual((await running).last, { pay: 7, work: "done" });
      assert.deepEqual([(await row("during")).open, (await row("during")).tooLate], [false, false]);
    });

    test("a decision is stored if the run gives the approval back before the second look", async () => {
      const { running, finish } = await start("back", works);
      const setOpen = (open) => {
        const sql = `UPDATE stepgraph_approvals SET open = ${open} WHERE run = 'back'`;
        return "pool" in database ? database.pool.query(sql) : database.db.exec(sql);
      };
      let isHeld = true;
      const slow = await keeper.openStore(
        watched(database, (sql) => {
          if (/SET decision = /.test(sql) && isHeld) return setOpen(2);
          if (!/^SELECT \* FROM stepgraph_approvals/.test(sql)) return undefined;
          isHeld = false;
          return setOpen(1);
        }),
      );
      await slow.decide("back", CALL, { value: 7 });
      finish();
      assert.deepEqual((await running).last, { pay: 7, work: "done" });
    });

    test("a process that ends while it stores an answer leaves the question undecided", async () => {
      const { running, finish } = await start("ended", works);
      once(ENTRY, () => {
        throw new Error("the disk is gone");
      });
      finish();
      await assert.rejects(running, { code: "store/failed" });
      await assert.rejects(other.decide("ended", CALL, "approved"), {
        code: "store/busy",
        message: /continue the run/,
      });
      assert.equal((await other.approvals({ run: "ended" })).length, 1);
      const options = { runId: "ended", handlers: { own: () => "again" } };
      assert.equal((await store.run(graph(), options)).outcome.type, "paused");
      await other.decide("ended", CALL, "approved");
      assert.deepEqual((await store.run(graph(), options)).last, { pay: "approved", work: "again" });
    });

    test("a decision that the run did not take came too late", async () => {
      const two = graph(`nodes:
  fan:
    type: parallel
    branches:
      first:
        nodes: { ask: { type: approve, input: 1 }, spin: { type: log, input: 1, visits: 1 } }
        edges: [{ from: ask, to: spin }, { from: spin, to: spin, condition: "last == 1" }]
      pay: { nodes: { ask: { type: approve, input: 2 } } }
`);
      assert.equal((await store.run(two, { runId: "late" })).outcome.approvals.length, 2);
      await other.decide("late", "fan:1/first/ask:1:1", "approved");
      await other.decide("late", CALL, "approved");
      const report = await store.run(two, { runId: "late" });
      assert.equal(report.outcome.type, "failed");
      const [first, second] = await other.approvals({ run: "late", open: false });
      assert.deepEqual([first.tooLate, second.tooLate, second.open], [false, true, false]);
    });

    test("nobody decides after the deadline, even while no process has the run", async () => {
      const timed = graph("nodes: { ask: { type: approve, input: 1, timeout_ms: 3600000 } }");
      const stop = new AbortController();
      // The run ends while the approval is on its way.
      once(/INSERT INTO stepgraph_approvals/, async () => {
        stop.abort();
        for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      });
      await store.run(timed, { runId: "due", approvals: "wait", signal: stop.signal });
      const sql = "UPDATE stepgraph_approvals SET due = 1 WHERE run = 'due'";
      if (name === "SQLite") (await fixture.database("decisions.db")).exec(sql);
      else await pool.query(sql);
      await assert.rejects(other.decide("due", "ask:1:1", "approved"), { ...REFUSED, message: /its deadline is over/ });
    });

    test("an entry of a decision counts, even if its process ended before it closed the row", async () => {
      await store.run(graph(), { runId: "row", handlers: { own: () => "done" } });
      await other.decide("row", CALL, "approved");
      once(/SET open = 0 WHERE run = (\?|\$1) AND call/, () => {
        throw new Error("the disk is gone");
      });
      await assert.rejects(store.run(graph(), { runId: "row", handlers: { own: () => "done" } }));
      await store.run(graph(), { runId: "row", handlers: { own: () => "done" } });
      assert.deepEqual([(await row("row")).open, (await row("row")).tooLate], [false, false]);
    });
  });

const REFUSED = { code: "store/decided" };

const deferred = () => {
  let settle;
  const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
};
