// Tests stored plans: saving, restore points, two tabs, closed pages, and full storage.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./script.mjs";

const {
  OpenPlan,
  MemoryStorage,
  ShareError,
  recoverDrafts,
  expiredPoints,
  reclaimablePoints,
  isDue,
  INTERVAL_MS,
  MAX_POINTS,
  MAX_NAMED_POINTS,
  listPlans,
  renamePlan,
  duplicatePlan,
  uniqueName,
  purgeDeleted,
  addImported,
} = await script(
  "share/open-plan",
  "share/plan-storage",
  "share/errors",
  "share/drafts",
  "share/restore-points",
  "share/library",
);

const DAY = 24 * 3_600_000;

/** Tabs share a storage, the drafts, a set of locks, and a manual clock. */
function browser(storage = new MemoryStorage()) {
  const world = { storage, at: 1_000_000, drawn: new Map(), tabs: [], locks: new Map(), lines: [] };
  const drafts = {
    get length() {
      return world.drawn.size;
    },
    key: (at) => [...world.drawn.keys()][at] ?? null,
    getItem: (key) => world.drawn.get(key) ?? null,
    setItem: (key, text) => void world.drawn.set(key, text),
    removeItem: (key) => void world.drawn.delete(key),
  };
  const tab = (name, text = "") => {
    const told = [];
    const timers = new Set();
    const it = { name, text, extras: "", told, timers, alive: true };
    it.lock = {
      acquire: async (plan, force) => {
        it.lock.release();
        const holder = world.locks.get(plan);
        if (holder && holder !== it) {
          if (!force) return false;
          holder.plan.lockLost(plan);
        }
        world.locks.set(plan, it);
        return true;
      },
      acquireLater: (plan) => void world.lines.push([plan, it]),
      release: () => {
        world.lines = world.lines.filter(([, waiting]) => waiting !== it);
        for (const [plan, holder] of world.locks) if (holder === it) world.locks.delete(plan);
      },
      isTabOpen: async (other) => world.tabs.some((tab) => tab.name === other && tab.alive),
    };
    it.plan = new OpenPlan({
      storage,
      lock: it.lock,
      drafts,
      tab: name,
      now: () => world.at,
      schedule: (ms, work) => {
        const timer = { at: world.at + ms, work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      post: (word) =>
        it.posted.push(
          Promise.all(
            world.tabs.filter((other) => other !== it && other.alive).map((other) => other.plan.receive(word)),
          ),
        ),
      notify: (what) => told.push(what),
      read: () => ({ name: "plan", text: it.text, extras: it.extras }),
    });
    it.posted = [];
    it.type = async (text, ms = 1_000) => {
      it.text = text;
      it.plan.changed();
      await world.pass(ms);
    };
    it.kinds = () =>
      told
        .splice(0)
        .map(({ type, code }) => code ?? type)
        .filter((type) => type !== "plans");
    it.close = async () => {
      it.alive = false;
      it.lock.release();
      timers.clear();
      const next = world.lines.findIndex(([plan]) => !world.locks.has(plan));
      if (next < 0) return;
      const [[plan, heir]] = world.lines.splice(next, 1);
      world.locks.set(plan, heir);
      await heir.plan.lockGranted(plan);
    };
    world.tabs.push(it);
    return it;
  };
  world.pass = async (ms) => {
    world.at += ms;
    for (const { timers } of world.tabs) {
      for (const timer of [...timers]) {
        if (timer.at > world.at || !timers.delete(timer)) continue;
        timer.work();
      }
    }
    for (const { plan } of world.tabs) await plan.save();
    for (const { posted } of world.tabs) await Promise.all(posted.splice(0));
  };
  world.drafts = drafts;
  world.tab = tab;
  return world;
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve) => (parts.resolve = resolve));
  return parts;
}

const textOf = async (world, id) => (await world.storage.read(id))?.content.text;

test("typed text is saved when typing pauses, and at the latest after five seconds", async () => {
  const world = browser();
  const a = world.tab("a");
  a.text = "one";
  a.plan.changed();
  assert.deepEqual(await world.storage.rows(), []);
  for (let at = 0; at < 10; at++) {
    world.at += 500;
    a.plan.changed();
  }
  const due = [...a.timers].filter((timer) => timer.at <= world.at);
  assert.equal(due.length, 1);
  await world.pass(1_000);
  const [row] = await world.storage.rows();
  assert.deepEqual([row.rev, row.name, row.from, await textOf(world, row.id)], [1, "plan", "own", "one"]);
  await a.type("two");
  assert.equal(await textOf(world, row.id), "two");
  assert.deepEqual(a.kinds(), ["saved", "saved"]);
  await a.plan.save();
  assert.equal((await world.storage.rows())[0].rev, 2);
});

test("restore points are made by the clock, before large deletions and on request, and never twice for the same text", async () => {
  const world = browser();
  const a = world.tab("a");
  const long = "line\n".repeat(200);
  await a.type(long);
  await a.type(`${long}a`);
  assert.deepEqual(
    (await a.plan.restorePoints()).map(({ kind }) => kind),
    ["auto"],
  );
  await a.type(`${long}b`);
  assert.equal((await a.plan.restorePoints()).length, 1);
  await a.type("gone");
  assert.deepEqual(
    (await a.plan.restorePoints()).map(({ kind, name }) => [kind, name]),
    [
      ["before", "delete"],
      ["auto", ""],
    ],
  );
  await a.plan.addRestorePoint("named", "mine");
  await a.plan.addRestorePoint("before", "import");
  const points = await a.plan.restorePoints();
  assert.deepEqual(points.map(({ kind, name }) => [kind, name])[0], ["named", "mine"]);
  assert.equal((await world.storage.pointContent(points[1].id)).text, `${long}b`);
  world.at += INTERVAL_MS;
  await a.type("more");
  assert.equal((await a.plan.restorePoints())[0].kind, "named", "what stood there was named already");
  world.at += INTERVAL_MS;
  await a.type("most");
  assert.deepEqual((await a.plan.restorePoints())[0].kind, "auto");
});

test("restore points thin out with age and never pass their number", () => {
  const restorePoint = (at, kind = "auto", plan = "p") => ({
    id: `${plan}${kind}${at}`,
    plan,
    at,
    kind,
    name: "",
    size: 1,
    sum: "",
  });
  const now = 400 * DAY;
  const all = Array.from({ length: 4_000 }, (_, at) => restorePoint(now - at * 6 * 60_000));
  const named = Array.from({ length: 100 }, (_, at) => restorePoint(now - at * DAY - 1, "named"));
  const gone = new Set(expiredPoints([...all, ...named], now));
  const left = [...all, ...named].filter(({ id }) => !gone.has(id));
  assert.ok(left.length <= MAX_POINTS && left.some(({ id }) => id === all[0].id));
  assert.equal(left.filter(({ kind }) => kind === "named").length, MAX_NAMED_POINTS);
  const old = Array.from({ length: 300 }, (_, at) => restorePoint(now - at * 3_600_000));
  const kept = old.filter(({ id }) => !expiredPoints(old, now).includes(id));
  assert.ok(
    kept.filter(({ at }) => now - at < DAY).length >= 24 && kept.filter(({ at }) => now - at > DAY).length <= 14,
  );
  assert.deepEqual(
    [isDue([], now), isDue([restorePoint(now - INTERVAL_MS)], now), isDue([restorePoint(now - 1)], now)],
    [true, true, false],
  );
  assert.deepEqual(
    reclaimablePoints([
      restorePoint(1),
      restorePoint(2),
      restorePoint(3),
      restorePoint(9),
      restorePoint(5, "named"),
      restorePoint(1, "auto", "q"),
    ]),
    ["pauto1", "pauto2"],
  );
});

test("one of two tabs edits; the other is notified, shows the saved text and can take over", async () => {
  const world = browser();
  const [a, b] = [world.tab("a"), world.tab("b")];
  await a.type("one");
  const { id } = a.plan.row;
  const opened = await b.plan.open(id);
  assert.deepEqual([opened.owned, opened.content.text], [false, "one"]);
  await a.type("two");
  assert.deepEqual(b.told.at(-1), { type: "follow", content: { text: "two", extras: "" } });
  a.text = "three, not saved yet";
  a.plan.changed();
  b.text = "two";
  const taken = await b.plan.takeOver();
  assert.deepEqual([taken.owned, taken.content.text], [true, "three, not saved yet"]);
  assert.equal(a.kinds().at(-1), "lost");
  await b.type("four");
  await a.type("from a", 10_000);
  assert.equal(await textOf(world, id), "four");
  const back = await a.plan.takeOver();
  assert.deepEqual([back.content.text, back.owned], ["four", true]);
  assert.deepEqual(
    (await a.plan.restorePoints()).map(({ name }) => name).filter(Boolean),
    ["unsaved"],
    "what this tab had typed is a restore point",
  );
});

test("a tab that does not answer loses its plan after a while", async () => {
  const world = browser();
  const [a, b] = [world.tab("a"), world.tab("b")];
  await a.type("one");
  await b.plan.open(a.plan.row.id);
  a.alive = false;
  const taking = b.plan.takeOver();
  await world.pass(2_000);
  assert.equal((await taking).owned, true);
  assert.equal(a.kinds().at(-1), "lost");
});

test("without locks a newer version is never overwritten", async () => {
  const world = browser();
  const [a, b] = [world.tab("a"), world.tab("b")];
  for (const tab of [a, b]) tab.lock.acquire = async () => true;
  await a.type("one");
  const { id } = a.plan.row;
  await b.plan.open(id);
  await b.type("b's");
  await a.type("a's");
  assert.deepEqual(a.kinds(), ["saved", "newer"]);
  assert.equal(await textOf(world, id), "b's");
  const [point] = await a.plan.restorePoints();
  assert.deepEqual([point.kind, (await world.storage.pointContent(point.id)).text], ["named", "a's"]);
});

test("text that was unsaved when a page closed is restored when the next page opens", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("saved");
  const { id } = a.plan.row;
  const stuck = { ...world.storage };
  a.plan.changed();
  a.text = "typed at the last moment";
  const write = world.storage.write;
  world.storage.write = () => new Promise(() => {});
  a.plan.hide();
  await a.close();
  world.storage.write = write;
  void stuck;
  const b = world.tab("b");
  assert.equal(await recoverDrafts(world.drafts, world.storage, b.lock), 1);
  assert.equal(await textOf(world, id), "typed at the last moment");
  assert.equal(world.drawn.size, 0);
  assert.equal(await recoverDrafts(world.drafts, world.storage, b.lock), 0);
});

test("a changed view is restored too, but is no unsaved text", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("same");
  const { id } = a.plan.row;
  a.extras = "turned";
  a.plan.changed();
  const write = world.storage.write;
  world.storage.write = () => new Promise(() => {});
  a.plan.hide();
  await a.close();
  world.storage.write = write;
  const b = world.tab("b");
  assert.equal(await recoverDrafts(world.drafts, world.storage, b.lock), 0);
  assert.deepEqual((await world.storage.read(id)).content, { text: "same", extras: "turned" });
  assert.equal((await world.storage.points(id)).length, 0);
});

test("a change during a save is not reported as saved", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("one");
  a.kinds();
  const write = world.storage.write;
  const { promise, resolve } = deferred();
  world.storage.write = async (...args) => {
    await promise;
    return write.apply(world.storage, args);
  };
  a.text = "two";
  a.plan.changed();
  const saving = a.plan.save();
  a.text = "three";
  a.plan.changed();
  resolve();
  await saving;
  assert.deepEqual(a.kinds(), []);
  await a.plan.save();
  assert.deepEqual(a.kinds(), ["saved"]);
});

test("characters that the page has not processed are stored at once, and stay until they are saved", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("saved");
  const { id } = a.plan.row;
  a.plan.typing(() => "saved, and typed", 16);
  assert.equal(world.drawn.size, 1);
  // A save in between does not cover the pending letters.
  a.plan.changed();
  a.plan.typing(() => "saved, and typed on", 19);
  await a.plan.save();
  a.plan.typing(() => "saved, and typed on and on", 26);
  await a.close();
  const b = world.tab("b");
  assert.equal(await recoverDrafts(world.drafts, world.storage, b.lock), 1);
  assert.equal(await textOf(world, id), "saved, and typed on and on");
  // A long text is stored when the page hides, even without a recorded change, instead of on each letter.
  await b.plan.open(id);
  b.plan.typing(() => assert.fail("nobody asks"), 1_000_000);
  assert.equal(world.drawn.size, 0);
  b.text = "long";
  world.storage.write = () => new Promise(() => {});
  b.plan.hide();
  assert.equal(JSON.parse([...world.drawn.values()][0]).content.text, "long");
});

test("a read-only tab gets the lock and the last text when the editing tab closes", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("one");
  const { id } = a.plan.row;
  const b = world.tab("b");
  assert.equal((await b.plan.open(id)).owned, false);
  a.text = "two";
  a.plan.typing(() => "two", 3);
  await a.close();
  assert.deepEqual(
    b.told.splice(0).map(({ type, content }) => [type, content?.text]),
    [["yours", "one"]],
  );
  assert.equal(await recoverDrafts(world.drafts, world.storage, b.lock), 1);
  await b.plan.refresh();
  assert.deepEqual(
    b.told.splice(0).map(({ type, content }) => [type, content?.text]),
    [["follow", "two"]],
  );
  await b.type("three");
  assert.equal(await textOf(world, id), "three");
  // A refresh keeps later edits.
  b.text = "four";
  b.plan.changed();
  await world.storage.write(id, { text: "elsewhere", extras: "" }, (await world.storage.read(id)).row.rev, world.at);
  await b.plan.refresh();
  assert.deepEqual(b.kinds(), ["saved"]);
});

test("a draft overwrites neither a later version nor the draft of an open tab", async () => {
  const world = browser();
  const draft = (tab, over) =>
    world.drawn.set(
      `stepgraph.draft.${tab}`,
      JSON.stringify({
        tab,
        plan: "p",
        follows: 1,
        owned: true,
        name: "n",
        from: "own",
        at: 5,
        content: { text: "draft", extras: "" },
        ...over,
      }),
    );
  await world.storage.add(
    { id: "p", name: "p", from: "own", rev: 2, made: 1, changed: 1, size: 5 },
    { text: "newer", extras: "" },
  );
  const a = world.tab("a");
  draft("a", {});
  draft("gone", {});
  draft("same", { content: { text: "newer", extras: "" } });
  draft("new", { plan: "q" });
  draft("guest", { owned: false, follows: 2 });
  world.drawn.set("stepgraph.draft.bad", "{");
  world.drawn.set("other", "left alone");
  assert.equal(await recoverDrafts(world.drafts, world.storage, a.lock), 3);
  assert.equal(await textOf(world, "p"), "newer");
  assert.equal(await textOf(world, "q"), "draft");
  assert.deepEqual(
    (await world.storage.points("p")).map(({ kind, name }) => [kind, name]),
    [
      ["named", "unsaved"],
      ["named", "unsaved"],
    ],
  );
  assert.deepEqual([...world.drawn.keys()], ["stepgraph.draft.a", "other"]);
});

test("a full storage evicts older restore points first; then it reports, keeps the open plan and opens no other", async () => {
  let room = Infinity;
  class Small extends MemoryStorage {
    async write(...args) {
      if (room < 1) throw new ShareError("storage/full");
      room -= 1;
      return super.write(...args);
    }
    async deletePoints(ids) {
      room += ids.length;
      return super.deletePoints(ids);
    }
  }
  const world = browser(new Small());
  const a = world.tab("a");
  await a.type("one");
  const other = await duplicatePlan(world.storage, a.plan.row.id, world.at);
  for (let at = 0; at < 4; at++)
    await world.storage.addPoint(
      { id: `x${at}`, plan: "x", at, kind: "auto", name: "", size: 1, sum: "" },
      { text: "", extras: "" },
    );
  room = 0;
  await a.type("two");
  assert.equal(await textOf(world, a.plan.row.id), "two");
  assert.ok((await world.storage.points("x")).length < 4);
  for (const { id } of await world.storage.points())
    await MemoryStorage.prototype.deletePoints.call(world.storage, [id]);
  room = 0;
  a.kinds();
  await a.type("three");
  assert.ok(a.kinds().includes("storage/full"));
  await assert.rejects(a.plan.open(other.id), (error) => error.code === "storage/full");
  assert.notEqual(a.plan.row.id, other.id);
  room = Infinity;
  await a.type("three");
  assert.equal(await textOf(world, a.plan.row.id), "three");
});

test("plans are listed, named, doubled, deleted and brought back", async () => {
  const world = browser();
  const { storage } = world;
  const a = world.tab("a");
  const { row } = await a.plan.create("one", { text: "1", extras: "" }, "own");
  assert.equal(await renamePlan(storage, row.id, "  my \n plan  "), "my plan");
  assert.equal(await renamePlan(storage, row.id, "   "), "my plan");
  await assert.rejects(renamePlan(storage, "none", "x"), (error) => error.code === "storage/gone");
  await storage.updateRow(row.id, { from: "gallery" });
  await renamePlan(storage, row.id, "my plan");
  assert.equal((await storage.read(row.id)).row.from, "own", "the user chose its name");
  const second = await duplicatePlan(storage, row.id, 5);
  assert.equal(second.name, "my plan 2");
  assert.equal(uniqueName("my plan 2", new Set(["my plan 2", "my plan 3"])), "my plan 4");
  await storage.updateRow(row.id, { removed: world.at });
  assert.deepEqual(
    (await listPlans(storage)).map(({ name }) => name),
    ["my plan 2", "my plan"],
  );
  await purgeDeleted(storage, world.at + 6 * DAY);
  assert.equal((await storage.rows()).length, 2);
  await purgeDeleted(storage, world.at + 8 * DAY);
  assert.deepEqual(
    (await storage.rows()).map(({ name }) => name),
    ["my plan 2"],
  );
  const first = await addImported(a.plan, storage, "linked", { text: "L", extras: "" }, "link");
  const again = await addImported(a.plan, storage, "linked", { text: "L", extras: "" }, "link");
  const other = await addImported(a.plan, storage, "linked", { text: "M", extras: "" }, "link");
  assert.equal(first.row.id, again.row.id);
  assert.notEqual(first.row.id, other.row.id);
});
