// Tests a store under attack: refused plans, cut deletions, lost runs, stale decisions.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { storeWorld, watched } from "./store-world.mjs";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

let fixture, library, keeper, pool, close;
before(async () => {
  ({ fixture, library, keeper, pool, close } = await storeWorld());
});
after(() => close());

const plan = (amount) =>
  library.PlanGraph.load(
    `nodes: {ask: {type: approve, input: "pay ${amount}"}, pay: {type: pay}}\nedges: [{from: ask, to: pay, condition: last==approved}]\n`,
  );
const stopper = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};
const payer = () => {
  const paid = [];
  return { paid, handlers: { pay: (node) => (paid.push(node.id), "paid") } };
};

for (const name of ["SQLite", "PostgreSQL"])
  describe(name, () => {
    let store, database;
    before(async () => {
      database = name === "SQLite" ? { db: await fixture.database("hostile.db") } : { pool };
      store = await keeper.openStore(database);
    });

    test("a plan that a hash refuses changes nothing: not the run, its approvals or its plan", async () => {
      const { paid, handlers } = payer();
      const good = plan(5);
      await store.run(good, { runId: "hash", handlers });
      await store.decide("hash", "ask:1:1", "approved");
      const before = [await store.get("hash"), await store.approvals({ run: "hash", open: false })];
      const refused = await store.run(good, { runId: "hash", handlers, planHash: plan(6).hash });
      assert.equal(refused.outcome.code, "run/plan-changed");
      assert.deepEqual([await store.get("hash"), await store.approvals({ run: "hash", open: false })], before);
      const report = await store.run(good, { runId: "hash", handlers, planHash: good.hash });
      assert.deepEqual([report.outcome.type, paid.length], ["completed", 1]);
      await store.run(good, { runId: "hash", handlers, planHash: plan(6).hash });
      assert.equal((await store.get("hash")).status, "completed");
    });

    test("a refused plan does not become the plan of a new run", async () => {
      const { paid, handlers } = payer();
      const [good, evil] = [plan(5), plan(5000)];
      const refused = await store.run(evil, { runId: "new", handlers, planHash: good.hash });
      assert.equal(refused.outcome.code, "run/plan-changed");
      assert.equal(await store.get("new"), null);
      await store.run(good, { runId: "new", handlers, planHash: good.hash });
      assert.equal((await store.approvals({ run: "new" }))[0].approval.input, "pay 5");
      assert.equal(paid.length, 0);
    });

    test("a deletion that is cut short at any statement leaves no decision for a new run", async () => {
      for (let cut = 1; ; cut++) {
        const { paid, handlers } = payer();
        const runId = `cut-${cut}`;
        await store.run(plan(5), { runId, handlers });
        await store.decide(runId, "ask:1:1", "approved");
        let count = 0;
        const failing = watched(database, (sql) => {
          if (/^(UPDATE|DELETE)/.test(sql) && ++count === cut) throw new Error("the process ends");
        });
        const dying = await keeper.openStore(failing);
        const isDone = await dying.delete(runId).then(
          () => true,
          () => false,
        );
        if (cut > 1) assert.equal(await store.get(runId), null, `${cut}`);
        if (cut > 1) assert.deepEqual(await store.approvals({ run: runId, open: false }), []);
        const report = await store.run(plan(5000), { runId, handlers });
        if (cut > 1) assert.deepEqual([report.outcome.type, paid], ["paused", []], `${cut}`);
        assert.equal(await store.delete(runId), true);
        if (isDone) break;
      }
    });

    test("a plan survives a deletion between its row and the row of its run", async () => {
      const { handlers } = payer();
      let isNext = true;
      const racing = watched(database, (sql) => {
        if (!isNext || !sql.includes("INSERT INTO stepgraph_runs")) return;
        isNext = false;
        const remove = "DELETE FROM stepgraph_plans WHERE hash NOT IN (SELECT plan FROM stepgraph_runs)";
        return database.pool ? pool.query(remove) : void database.db.prepare(remove).run();
      });
      const other = await keeper.openStore(racing);
      await other.run(plan(77), { runId: "raced", handlers });
      assert.equal((await store.plan("raced")).hash, plan(77).hash);
    });

    test("no statement grows with the number of approvals", async () => {
      let most = 0;
      const counting = watched(database, (sql) => void (most = Math.max(most, sql.split("?").length - 1)));
      const other = await keeper.openStore(counting);
      const many = library.PlanGraph.load(
        "nodes: {each: {type: map, input: '${input.items}', do: {nodes: {ask: {type: approve, input: x}}}}}\n",
      );
      const input = { items: Array.from({ length: 40 }, (_, at) => at) };
      const { outcome } = await other.run(many, { runId: "many", input });
      assert.deepEqual(
        [outcome.type, (await store.approvals({ run: "many" })).length],
        ["paused", outcome.approvals.length],
      );
      assert.ok(outcome.approvals.length > 1 && most < 12, `${outcome.approvals.length}, ${most}`);
    });

    test("a run whose lease can't be given back still has its report", async () => {
      const { handlers } = payer();
      const failing = watched(database, (sql) => {
        if (sql.includes("SET holder = NULL")) throw new Error("the connection is gone");
      });
      const other = await keeper.openStore(failing);
      const { outcome } = await other.run(plan(5), { runId: "kept-lease", handlers });
      assert.equal(outcome.type, "paused");
    });

    test("a process that lost its run stops waiting, and aborts its calls", async () => {
      const { handlers } = payer();
      const waiting = store.run(plan(5), { runId: "lost", handlers, approvals: "wait" });
      const lost = assert.rejects(waiting, { code: "store/taken" });
      while ((await store.approvals({ run: "lost" })).length === 0) await nextTurn();
      await store.run(plan(5), { runId: "lost", handlers, takeOver: true });
      await lost;
    });

    test("a decision counts only for the request that was shown", async () => {
      const { handlers } = payer();
      await store.run(plan(5), { runId: "stale", handlers });
      const [shown] = await store.approvals({ run: "stale" });
      await store.delete("stale");
      while (Date.now() <= shown.askedMs) await nextTurn();
      await store.run(plan(5000), { runId: "stale", handlers });
      await assert.rejects(store.decide("stale", "ask:1:1", "approved", "Ada", shown.askedMs), {
        code: "store/decided",
        message: /was begun again and asks anew/,
      });
      const [now] = await store.approvals({ run: "stale" });
      await store.decide("stale", "ask:1:1", "approved", "Ada", now.askedMs);
    });

    test("a decision holds only for the input that was shown, also if the context changes", async () => {
      const made = [];
      const text = `nodes: {pay: {type: tool, tool: pay, input: {to: "\${context.who}", api_key: "\${context.api_key}"}}}`;
      const tools = {
        pay: {
          description: "pays",
          input: { type: "object", properties: { to: {}, api_key: {} } },
          annotations: { destructiveHint: true },
          run: (values) => (made.push(values), "done"),
        },
      };
      const go = (runId, who) =>
        store.run(library.PlanGraph.load(text), { runId, tools, context: { who, api_key: "sk-secret-123" } });
      await go("swap", "alice");
      const [asked] = await store.approvals({ run: "swap" });
      assert.ok(!JSON.stringify(asked).includes("sk-secret-123"));
      assert.equal(asked.approval.input.arguments?.to ?? asked.approval.input.to, "alice");
      await store.decide("swap", asked.call, "approved");
      const other = await go("swap", "mallory");
      assert.deepEqual([other.outcome.type, made], ["paused", []]);
      const [again] = await store.approvals({ run: "swap" });
      assert.match(JSON.stringify(again.approval.input), /mallory/);
      await store.decide("swap", again.call, "approved");
      await go("swap", "mallory");
      assert.deepEqual(made, [{ to: "mallory", api_key: "sk-secret-123" }]);
      // The process ended after the decision was recorded, but not the call.
      await go("cut", "alice");
      await store.decide("cut", again.call, "approved");
      const dying = await keeper.openStore(
        watched(database, (sql) => {
          if (sql.includes("INSERT INTO stepgraph_entries") && made.length > 1) throw new Error("the process ends");
        }),
      );
      const options = { runId: "cut", tools, context: { who: "alice", api_key: "sk-secret-123" } };
      await assert.rejects(dying.run(library.PlanGraph.load(text), options));
      await assert.rejects(go("cut", "mallory"), {
        code: "durable/diverged",
        message: /was decided for another input/,
      });
      assert.equal(made.length, 2);
    });

    test("the deadline of an approval is that of its own branch", async () => {
      const branches =
        "branches: {fast: {nodes: {ask: {type: approve, timeout_ms: 3600000}}}, slow: {nodes: {ask: {type: approve}}}}";
      const graph = library.PlanGraph.load(`nodes: {all: {type: parallel, ${branches}}}`);
      const { signal, abort } = stopper();
      const running = store.run(graph, { runId: "due", signal });
      while ((await store.approvals({ run: "due" })).length < 2) await nextTurn();
      abort();
      await running;
      const due = (await store.approvals({ run: "due" })).map(({ call, dueMs }) => [call, dueMs !== null]);
      assert.deepEqual(Object.fromEntries(due), { "all:1/fast/ask:1:1": true, "all:1/slow/ask:1:1": false });
    });

    test("a plan with a name that no database can store is refused before anything is stored", async () => {
      const graph = library.PlanGraph.parse(JSON.stringify({ nodes: { "a\0b": { type: "approve" } } })).graph;
      await assert.rejects(store.run(graph, { runId: "nul" }), { code: "store/failed", message: /NUL/ });
      assert.equal(await store.get("nul"), null);
    });

    test("leases follow the clock of the database", async () => {
      const { handlers } = payer();
      const running = store.run(plan(5), { runId: "skewed", handlers, approvals: "wait" });
      const lost = assert.rejects(running, { code: "store/taken" });
      while ((await store.approvals({ run: "skewed" })).length === 0) await nextTurn();
      const { now } = Date;
      Date.now = () => now() + 3_600_000;
      try {
        await assert.rejects(store.run(plan(5), { runId: "skewed", handlers }), { code: "store/busy" });
        assert.equal((await store.get("skewed")).status, "running");
        assert.equal(await store.delete("skewed"), false);
      } finally {
        Date.now = now;
      }
      await store.run(plan(5), { runId: "skewed", handlers, takeOver: true });
      await lost;
    });
  });

test("a new database is for its owner alone, also behind a link and in an empty file", async () => {
  const folder = fixture.path("modes");
  mkdirSync(folder);
  const old = process.umask(0o022);
  try {
    writeFileSync(`${folder}/empty.db`, "");
    chmodSync(`${folder}/empty.db`, 0o644);
    symlinkSync(`${folder}/target.db`, `${folder}/link.db`);
    for (const name of ["empty.db", "link.db", "new.db"]) {
      const store = await keeper.openStore(`${folder}/${name}`);
      await store.close();
    }
    for (const name of readdirSync(folder)) assert.equal(statSync(`${folder}/${name}`).mode & 0o077, 0, name);
  } finally {
    process.umask(old);
  }
});

test("names that SQLite does not keep in that file are refused", async () => {
  for (const name of [":memory:", "file:runs.db", "file:x?mode=memory"])
    await assert.rejects(keeper.openStore(name), { code: "api/bad-option", message: /is no path of a file/ });
});
