// Tests runs in a store, on SQLite and PostgreSQL: pauses, decisions, crashes, and several processes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { handlersOf, PLAN } from "./store-plan.mjs";
import { storeWorld } from "./store-world.mjs";

let fixture, library, keeper, postgres, close;
before(async () => {
  ({ fixture, library, keeper, postgres, close } = await storeWorld());
});
after(() => close());

const WORKER = fileURLToPath(new URL("./store-worker.mjs", import.meta.url));

/** `lines` are its calls and its result, `said` waits for a line. */
function worker(location, run, mode = "go") {
  const env = { PATH: process.env.PATH, PG_DRIVER: postgres.driver };
  const child = spawn(process.execPath, [WORKER, fixture.entry().href, location, run, mode], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = [];
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(() => lines);
  const said = async (line) => {
    while (!lines.includes(line)) await Promise.race([once(output, "line"), ended.then(() => assert.fail(`${lines}`))]);
  };
  return { child, ended, said };
}

for (const [name, open, location] of [
  ["SQLite", async () => keeper.openStore(fixture.path("runs.db")), () => fixture.path("runs.db")],
  ["PostgreSQL", async () => keeper.openStore({ pool: pool() }), () => postgres.url],
])
  describe(name, () => {
    let store;
    const graph = () => library.PlanGraph.load(PLAN);
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("a run pauses, is decided elsewhere, and continues without repeating a call", async () => {
      const calls = [];
      const handlers = handlersOf((id) => calls.push(id));
      const paused = await library.run(graph(), { store, runId: "p1", input: 5, handlers });
      assert.deepEqual([paused.outcome.type, paused.outcome.approvals.length], ["paused", 1]);
      const [open] = await store.approvals({ run: "p1" });
      assert.deepEqual([open.call, open.approval.input, open.open, open.decision], ["ask:1:1", 7, true, null]);
      assert.equal((await store.get("p1")).status, "paused");
      await store.decide("p1", "ask:1:1", { value: 1 }, "Ada");
      const report = await library.run(graph(), { store, runId: "p1", handlers });
      assert.deepEqual([report.outcome.type, report.last, calls], ["completed", 8, ["a", "b", "c"]]);
      assert.deepEqual(await store.events("p1"), report.trace);
      const [row] = await store.approvals({ run: "p1", open: false });
      assert.deepEqual([row.open, row.decision, row.decidedBy], [false, { value: 1 }, "Ada"]);
      assert.deepEqual(await store.approvals(), []);
      const { status, outcome, name: id } = await store.get("p1");
      assert.deepEqual([status, outcome, id], ["completed", { type: "completed", reason: "terminal" }, "order"]);
      assert.equal((await store.run(graph(), { runId: "p1", handlers })).last, 8);
      assert.equal(calls.length, 3);
    });

    test("a waiting run continues with a decision of another program", async () => {
      const seen = [];
      const handlers = handlersOf((id) => seen.push(id));
      const running = store.run(graph(), { runId: "w1", input: 5, handlers, approvals: "wait" });
      while ((await store.approvals({ run: "w1" })).length === 0) await new Promise(setImmediate);
      assert.equal((await store.get("w1")).status, "running");
      await store.decide("w1", "ask:1:1", "approved");
      assert.equal((await running).last, 8);
    });

    test("the first decision holds, and only what is asked can be decided", async () => {
      await store.run(graph(), { runId: "d1", input: 5, handlers: handlersOf(() => {}) });
      await store.decide("d1", "ask:1:1", "rejected", "Ada");
      await assert.rejects(store.decide("d1", "ask:1:1", "approved"), { code: "store/decided", message: /by Ada/ });
      await assert.rejects(store.decide("d1", "ask:2:1", "approved"), { code: "store/unknown-approval" });
      await assert.rejects(store.decide("nobody", "ask:1:1", "approved"), { code: "store/unknown-approval" });
      await assert.rejects(store.decide("d1", "ask:1:1", "yes"), { code: "api/bad-option" });
      const report = await store.run(graph(), { runId: "d1", handlers: handlersOf(() => {}) });
      assert.equal(report.outputs.ask, "rejected");
    });

    test("a deadline decides, and the approval is closed", async () => {
      const timed = library.PlanGraph.load(`nodes:
  ask: { type: approve, input: pay, timeout_ms: 50 }
  late: { type: log, input: escalated }
edges: [{ from: ask, to: late, condition: "error.code == 'node/timeout'" }]
`);
      const report = await store.run(timed, { runId: "t1" });
      assert.deepEqual([report.outcome.type, report.last], ["completed", "escalated"]);
      const [row] = await store.approvals({ run: "t1", open: false });
      assert.deepEqual([row.open, row.dueMs - row.askedMs], [false, 50]);
      await assert.rejects(store.decide("t1", "ask:1:1", "approved"), { message: /no longer waits/ });
    });

    test("a killed process loses no answer, and another process continues", async () => {
      const first = worker(location(), "k1", "hang");
      await first.said("b");
      assert.deepEqual(await worker(location(), "k1").ended, ['["store/busy"]']);
      first.child.kill("SIGKILL");
      await first.ended;
      assert.equal((await store.get("k1")).status, "running");
      assert.deepEqual(await worker(location(), "k1", "take").ended, ["b", '["paused",7]']);
      await store.decide("k1", "ask:1:1", "approved");
      assert.deepEqual(await worker(location(), "k1").ended, ["c", '["completed",8]']);
    });

    test("a process that lost its run stores nothing more", async () => {
      let release;
      const waiting = new Promise((resolve) => (release = resolve));
      const began = Promise.withResolvers?.() ?? deferred();
      const handlers = {
        own: async ({ id, input }) => {
          if (id === "b") began.resolve();
          if (id === "b") await waiting;
          return input + 1;
        },
      };
      const first = store.run(graph(), { runId: "f1", input: 5, handlers });
      await began.promise;
      const second = await store.run(graph(), { runId: "f1", handlers: handlersOf(() => {}), takeOver: true });
      assert.equal(second.outcome.type, "paused");
      release();
      await assert.rejects(first, { code: "store/taken" });
      assert.equal((await store.get("f1")).status, "paused");
    });

    test("of many processes that begin one run, one gets it", async () => {
      const results = await Promise.all(Array.from({ length: 4 }, () => worker(location(), "m1", "hang"))).then(
        async (workers) => {
          await Promise.any(workers.map((one) => one.said("b")));
          const others = await Promise.all(
            workers.map((one) => Promise.race([one.ended, one.said("b").then(() => "has it")])),
          );
          for (const { child } of workers) child.kill("SIGKILL");
          await Promise.all(workers.map((one) => one.ended));
          return others.map(String);
        },
      );
      assert.deepEqual(results.sort(), ["has it", ...Array(3).fill('["store/busy"]')].sort());
    });

    test("a started run keeps its plan, and refuses another input", async () => {
      const handlers = handlersOf(() => {});
      await store.run(graph(), { runId: "v1", input: 5, handlers });
      await store.decide("v1", "ask:1:1", "approved");
      const other = library.PlanGraph.load(PLAN.replace("output.b", "output.a"));
      await assert.rejects(store.run(graph(), { runId: "v1", input: 6, handlers }), { code: "durable/diverged" });
      assert.equal((await store.run(other, { runId: "v1", handlers })).last, 8);
      const plan = await store.plan("v1");
      assert.equal(plan.hash, graph().hash);
    });

    test("runs are listed by page and by status, and deleted", async () => {
      const ids = [];
      for (let after; ; ) {
        const { runs, next } = await store.runs({ limit: 2, ...(after && { after }) });
        ids.push(...runs.map(({ id }) => id));
        if (next === null) break;
        after = next;
      }
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(ids.includes("p1") && ids.includes("d1"));
      assert.ok((await store.runs({ status: "completed" })).runs.every(({ status }) => status === "completed"));
      assert.equal(await store.delete("p1"), true);
      assert.deepEqual([await store.delete("p1"), await store.get("p1")], [false, null]);
      for (const asks of [() => store.events("p1"), () => store.plan("p1")])
        await assert.rejects(asks(), { code: "store/unknown-run" });
    });

    test("texts and numbers of any kind come back", async () => {
      const input = { text: "a\0b \u{1f600} ' \" \\ $1 ?", big: 2 ** 53, small: 1e-9, list: [null, true] };
      const echo = library.PlanGraph.load('nodes: {a: {type: own, input: "${input}"}}');
      const runId = "odd ' id ?";
      const report = await store.run(echo, { runId, input, handlers: { own: (node) => node.input } });
      assert.deepEqual(report.last, input);
      assert.deepEqual((await store.run(echo, { runId, handlers: { own() {} } })).last, input);
    });
  });

const deferred = () => {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
};

const pools = [];
function pool() {
  const made = new postgres.pg.Pool({ connectionString: postgres.url });
  made.on("error", () => {});
  pools.push(made);
  return made;
}
after(() => Promise.all(pools.map((one) => one.end())));

test("the file is only for its owner", async () => {
  const store = await keeper.openStore(fixture.path("private.db"));
  await store.close();
  assert.equal(statSync(fixture.path("private.db")).mode & 0o077, 0);
});

test("a store fails with a code", async () => {
  await assert.rejects(keeper.openStore("/nowhere/at/all.db"), { code: "store/failed" });
  await assert.rejects(keeper.openStore(5), { code: "api/bad-option" });
  await assert.rejects(keeper.openStore({ poll: 1 }), { code: /api\/(bad|unknown)-option/ });
  const down = { query: async () => Promise.reject(new Error("it is down")) };
  await assert.rejects(keeper.openStore({ pool: down }), { code: "store/failed", message: /it is down/ });
});

test("whichever statement fails, before or after it ran, the next run continues", async () => {
  const db = await fixture.database("faults.db");
  let count = 0;
  let fault = null;
  const failing = (when) => {
    if (fault !== null && fault.when === when && count === fault.at) throw new Error("the disk is gone");
  };
  const statement = (real) => {
    const run =
      (name) =>
      (...values) => {
        count++;
        failing("before");
        const rows = real[name](...values);
        failing("after");
        return rows;
      };
    return { all: run("all"), run: run("run") };
  };
  const store = await keeper.openStore({
    db: { exec: (sql) => db.exec(sql), prepare: (sql) => statement(db.prepare(sql)) },
  });
  const graph = library.PlanGraph.load(PLAN);
  const execute = async (runId, calls) => {
    const options = { runId, handlers: handlersOf((id) => calls.push(id)), takeOver: true };
    const run = (more) => store.run(graph, { ...options, ...more }).catch((error) => error);
    const first = await run({ input: 5 });
    fault = null;
    const second = first.outcome?.type === "paused" ? first : await run({ input: 5 });
    assert.equal(second.outcome?.type, "paused", String(second.stack));
    return first;
  };
  count = 0;
  await execute("none", []);
  const statements = count;
  assert.ok(statements > 8);
  let failures = 0;
  for (const when of ["before", "after"])
    for (let at = 1; at <= statements; at++) {
      const runId = `${when}-${at}`;
      const calls = [];
      count = 0;
      fault = { when, at };
      const first = await execute(runId, calls);
      if (first instanceof Error) failures++;
      if (first instanceof Error) assert.equal(first.code, "store/failed", String(first.stack));
      // At most one answer was not stored.
      assert.ok(calls.length <= 3, `${runId}: ${calls}`);
      await store.decide(runId, "ask:1:1", "approved");
      const report = await store.run(graph, { runId, handlers: handlersOf((id) => calls.push(id)), takeOver: true });
      assert.equal(report.last, 8);
      assert.deepEqual(await store.events(runId), report.trace);
      assert.equal((await store.get(runId)).status, "completed");
      assert.deepEqual(await store.approvals({ run: runId }), []);
    }
  assert.ok(failures > statements);
  db.close();
});
