// Plans that are kept: saving, restore points, two tabs, pages that are closed, and no room.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./script.mjs";

const {
  OpenPlan,
  MemoryStorage,
  ShareError,
  recover,
  superfluous,
  spare,
  isDue,
  EVERY,
  MOST,
  MOST_NAMED,
  list,
  rename,
  duplicate,
  unlike,
  sweep,
  arrive,
} = await script(
  "share/open-plan",
  "share/plan-storage",
  "share/errors",
  "share/drafts",
  "share/restore-points",
  "share/library",
);

const DAY = 24 * 3_600_000;

/** Tabs of one browser: one shelf, one drawer, one set of locks, a clock that is turned by hand. */
function browser(shelf = new MemoryStorage()) {
  const world = { shelf, at: 1_000_000, drawn: new Map(), tabs: [], locks: new Map(), lines: [] };
  const drawer = {
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
    const it = { name, text, told, timers, alive: true };
    it.owner = {
      take: async (plan, force) => {
        it.owner.release();
        const holder = world.locks.get(plan);
        if (holder && holder !== it) {
          if (!force) return false;
          holder.desk.lost(plan);
        }
        world.locks.set(plan, it);
        return true;
      },
      wait: (plan) => void world.lines.push([plan, it]),
      release: () => {
        world.lines = world.lines.filter(([, waiting]) => waiting !== it);
        for (const [plan, holder] of world.locks) if (holder === it) world.locks.delete(plan);
      },
      lives: async (other) => world.tabs.some((tab) => tab.name === other && tab.alive),
    };
    it.desk = new OpenPlan({
      shelf,
      owner: it.owner,
      drawer,
      tab: name,
      now: () => world.at,
      after: (ms, work) => {
        const timer = { at: world.at + ms, work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      post: (word) =>
        it.posted.push(
          Promise.all(world.tabs.filter((other) => other !== it && other.alive).map((other) => other.desk.heard(word))),
        ),
      tell: (what) => told.push(what),
      read: () => ({ name: "plan", text: it.text, extras: "" }),
    });
    it.posted = [];
    /** What a person does, and the pause after it. */
    it.type = async (text, ms = 1_000) => {
      it.text = text;
      it.desk.changed();
      await world.pass(ms);
    };
    it.kinds = () =>
      told
        .splice(0)
        .map(({ type, code }) => code ?? type)
        .filter((type) => type !== "plans");
    it.close = async () => {
      it.alive = false;
      it.owner.release();
      timers.clear();
      const next = world.lines.findIndex(([plan]) => !world.locks.has(plan));
      if (next < 0) return;
      const [[plan, heir]] = world.lines.splice(next, 1);
      world.locks.set(plan, heir);
      await heir.desk.granted(plan);
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
    for (const { desk } of world.tabs) await desk.save();
    for (const { posted } of world.tabs) await Promise.all(posted.splice(0));
  };
  world.drawer = drawer;
  world.tab = tab;
  return world;
}

const textOf = async (world, id) => (await world.shelf.read(id))?.content.text;

test("what is typed is kept, once typing pauses, and at the latest after five seconds", async () => {
  const world = browser();
  const a = world.tab("a");
  a.text = "one";
  a.desk.changed();
  assert.deepEqual(await world.shelf.rows(), []);
  for (let at = 0; at < 10; at++) {
    world.at += 500;
    a.desk.changed();
  }
  const due = [...a.timers].filter((timer) => timer.at <= world.at);
  assert.equal(due.length, 1);
  await world.pass(1_000);
  const [row] = await world.shelf.rows();
  assert.deepEqual([row.rev, row.name, row.from, await textOf(world, row.id)], [1, "plan", "own", "one"]);
  await a.type("two");
  assert.equal(await textOf(world, row.id), "two");
  assert.deepEqual(a.kinds(), ["saved", "saved"]);
  await a.desk.save();
  assert.equal((await world.shelf.rows())[0].rev, 2);
});

test("restore points are made by the clock, before much is deleted, and by hand; the same is not kept twice", async () => {
  const world = browser();
  const a = world.tab("a");
  const long = "line\n".repeat(200);
  await a.type(long);
  await a.type(`${long}a`);
  assert.deepEqual(
    (await a.desk.points()).map(({ kind }) => kind),
    ["auto"],
  );
  await a.type(`${long}b`);
  assert.equal((await a.desk.points()).length, 1);
  await a.type("gone");
  assert.deepEqual(
    (await a.desk.points()).map(({ kind, name }) => [kind, name]),
    [
      ["before", "delete"],
      ["auto", ""],
    ],
  );
  await a.desk.mark("named", "mine");
  await a.desk.mark("before", "import");
  const points = await a.desk.points();
  assert.deepEqual(points.map(({ kind, name }) => [kind, name])[0], ["named", "mine"]);
  assert.equal((await world.shelf.point(points[1].id)).text, `${long}b`);
  world.at += EVERY;
  await a.type("more");
  assert.equal((await a.desk.points())[0].kind, "named", "what stood there was named already");
  world.at += EVERY;
  await a.type("most");
  assert.deepEqual((await a.desk.points())[0].kind, "auto");
});

test("restore points thin out with age and never pass their number", () => {
  const point = (at, kind = "auto", plan = "p") => ({
    id: `${plan}${kind}${at}`,
    plan,
    at,
    kind,
    name: "",
    size: 1,
    sum: "",
  });
  const now = 400 * DAY;
  const all = Array.from({ length: 4_000 }, (_, at) => point(now - at * 6 * 60_000));
  const named = Array.from({ length: 100 }, (_, at) => point(now - at * DAY - 1, "named"));
  const gone = new Set(superfluous([...all, ...named], now));
  const left = [...all, ...named].filter(({ id }) => !gone.has(id));
  assert.ok(left.length <= MOST && left.some(({ id }) => id === all[0].id));
  assert.equal(left.filter(({ kind }) => kind === "named").length, MOST_NAMED);
  const old = Array.from({ length: 300 }, (_, at) => point(now - at * 3_600_000));
  const kept = old.filter(({ id }) => !superfluous(old, now).includes(id));
  assert.ok(
    kept.filter(({ at }) => now - at < DAY).length >= 24 && kept.filter(({ at }) => now - at > DAY).length <= 14,
  );
  assert.deepEqual(
    [isDue([], now), isDue([point(now - EVERY)], now), isDue([point(now - 1)], now)],
    [true, true, false],
  );
  assert.deepEqual(spare([point(1), point(2), point(3), point(9), point(5, "named"), point(1, "auto", "q")]), [
    "pauto1",
    "pauto2",
  ]);
});

test("of two tabs one edits; the other is told, shows what is saved, and can take over", async () => {
  const world = browser();
  const [a, b] = [world.tab("a"), world.tab("b")];
  await a.type("one");
  const { id } = a.desk.row;
  const opened = await b.desk.open(id);
  assert.deepEqual([opened.owned, opened.content.text], [false, "one"]);
  await a.type("two");
  assert.deepEqual(b.told.at(-1), { type: "follow", content: { text: "two", extras: "" } });
  a.text = "three, not saved yet";
  a.desk.changed();
  b.text = "two";
  const taken = await b.desk.take();
  assert.deepEqual([taken.owned, taken.content.text], [true, "three, not saved yet"]);
  assert.equal(a.kinds().at(-1), "lost");
  await b.type("four");
  await a.type("from a", 10_000);
  assert.equal(await textOf(world, id), "four");
  const back = await a.desk.take();
  assert.deepEqual([back.content.text, back.owned], ["four", true]);
  assert.deepEqual(
    (await a.desk.points()).map(({ name }) => name).filter(Boolean),
    ["unsaved"],
    "what this tab had typed is a restore point",
  );
});

test("a tab that does not answer loses its plan after a while", async () => {
  const world = browser();
  const [a, b] = [world.tab("a"), world.tab("b")];
  await a.type("one");
  await b.desk.open(a.desk.row.id);
  a.alive = false;
  const taking = b.desk.take();
  await world.pass(2_000);
  assert.equal((await taking).owned, true);
  assert.equal(a.kinds().at(-1), "lost");
});

test("where nothing tells whose plan it is, a newer version is still never overwritten", async () => {
  const world = browser();
  const [a, b] = [world.tab("a"), world.tab("b")];
  for (const tab of [a, b]) tab.owner.take = async () => true;
  await a.type("one");
  const { id } = a.desk.row;
  await b.desk.open(id);
  await b.type("b's");
  await a.type("a's");
  assert.deepEqual(a.kinds(), ["saved", "newer"]);
  assert.equal(await textOf(world, id), "b's");
  const [point] = await a.desk.points();
  assert.deepEqual([point.kind, (await world.shelf.point(point.id)).text], ["named", "a's"]);
});

test("what was not saved when a page was closed is there when the next one opens", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("saved");
  const { id } = a.desk.row;
  const stuck = { ...world.shelf };
  a.desk.changed();
  a.text = "typed at the last moment";
  const write = world.shelf.write;
  world.shelf.write = () => new Promise(() => {});
  a.desk.hide();
  await a.close();
  world.shelf.write = write;
  void stuck;
  const b = world.tab("b");
  assert.equal(await recover(world.drawer, world.shelf, b.owner), 1);
  assert.equal(await textOf(world, id), "typed at the last moment");
  assert.equal(world.drawn.size, 0);
  assert.equal(await recover(world.drawer, world.shelf, b.owner), 0);
});

test("letters that the page has not taken yet are written down at once, and stay until they are saved", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("saved");
  const { id } = a.desk.row;
  a.desk.typing(() => "saved, and typed", 16);
  assert.equal(world.drawn.size, 1);
  // What is saved meanwhile is not what was typed.
  a.desk.changed();
  a.desk.typing(() => "saved, and typed on", 19);
  await a.desk.save();
  a.desk.typing(() => "saved, and typed on and on", 26);
  await a.close();
  const b = world.tab("b");
  assert.equal(await recover(world.drawer, world.shelf, b.owner), 1);
  assert.equal(await textOf(world, id), "saved, and typed on and on");
  // A long text is not, but is on leaving, even if the page did not know of it before.
  await b.desk.open(id);
  b.desk.typing(() => assert.fail("nobody asks"), 1_000_000);
  assert.equal(world.drawn.size, 0);
  b.text = "long";
  world.shelf.write = () => new Promise(() => {});
  b.desk.hide();
  assert.equal(JSON.parse([...world.drawn.values()][0]).content.text, "long");
});

test("whoever looks on has the plan once the tab that edits it is closed, and sees what that one left behind", async () => {
  const world = browser();
  const a = world.tab("a");
  await a.type("one");
  const { id } = a.desk.row;
  const b = world.tab("b");
  assert.equal((await b.desk.open(id)).owned, false);
  a.text = "two";
  a.desk.typing(() => "two", 3);
  await a.close();
  assert.deepEqual(
    b.told.splice(0).map(({ type, content }) => [type, content?.text]),
    [["yours", "one"]],
  );
  assert.equal(await recover(world.drawer, world.shelf, b.owner), 1);
  await b.desk.refresh();
  assert.deepEqual(
    b.told.splice(0).map(({ type, content }) => [type, content?.text]),
    [["follow", "two"]],
  );
  await b.type("three");
  assert.equal(await textOf(world, id), "three");
  // What was typed since is not lost for it.
  b.text = "four";
  b.desk.changed();
  await world.shelf.write(id, { text: "elsewhere", extras: "" }, (await world.shelf.read(id)).row.rev, world.at);
  await b.desk.refresh();
  assert.deepEqual(b.kinds(), ["saved"]);
});

test("a draft never overwrites what was saved after it, nor that of a tab that is still there", async () => {
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
  await world.shelf.add(
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
  assert.equal(await recover(world.drawer, world.shelf, a.owner), 3);
  assert.equal(await textOf(world, "p"), "newer");
  assert.equal(await textOf(world, "q"), "draft");
  assert.deepEqual(
    (await world.shelf.points("p")).map(({ kind, name }) => [kind, name]),
    [
      ["named", "unsaved"],
      ["named", "unsaved"],
    ],
  );
  assert.deepEqual([...world.drawn.keys()], ["stepgraph.draft.a", "other"]);
});

test("no room: older restore points go first; then it says so, keeps what is open, and lets nothing else be opened over it", async () => {
  let room = Infinity;
  class Small extends MemoryStorage {
    async write(...args) {
      if (room < 1) throw new ShareError("storage/full");
      room -= 1;
      return super.write(...args);
    }
    async unmark(ids) {
      room += ids.length;
      return super.unmark(ids);
    }
  }
  const world = browser(new Small());
  const a = world.tab("a");
  await a.type("one");
  const other = await duplicate(world.shelf, a.desk.row.id, world.at);
  for (let at = 0; at < 4; at++)
    await world.shelf.mark(
      { id: `x${at}`, plan: "x", at, kind: "auto", name: "", size: 1, sum: "" },
      { text: "", extras: "" },
    );
  room = 0;
  await a.type("two");
  assert.equal(await textOf(world, a.desk.row.id), "two");
  assert.ok((await world.shelf.points("x")).length < 4);
  for (const { id } of await world.shelf.points()) await MemoryStorage.prototype.unmark.call(world.shelf, [id]);
  room = 0;
  a.kinds();
  await a.type("three");
  assert.ok(a.kinds().includes("storage/full"));
  await assert.rejects(a.desk.open(other.id), (error) => error.code === "storage/full");
  assert.notEqual(a.desk.row.id, other.id);
  room = Infinity;
  await a.type("three");
  assert.equal(await textOf(world, a.desk.row.id), "three");
});

test("plans are listed, named, doubled, deleted and brought back", async () => {
  const world = browser();
  const { shelf } = world;
  const a = world.tab("a");
  const { row } = await a.desk.create("one", { text: "1", extras: "" }, "own");
  assert.equal(await rename(shelf, row.id, "  my \n plan  "), "my plan");
  assert.equal(await rename(shelf, row.id, "   "), "my plan");
  await assert.rejects(rename(shelf, "none", "x"), (error) => error.code === "storage/gone");
  const second = await duplicate(shelf, row.id, 5);
  assert.equal(second.name, "my plan 2");
  assert.equal(unlike("my plan 2", new Set(["my plan 2", "my plan 3"])), "my plan 4");
  await shelf.note(row.id, { removed: world.at });
  assert.deepEqual(
    (await list(shelf)).map(({ name }) => name),
    ["my plan 2", "my plan"],
  );
  await sweep(shelf, world.at + 6 * DAY);
  assert.equal((await shelf.rows()).length, 2);
  await sweep(shelf, world.at + 8 * DAY);
  assert.deepEqual(
    (await shelf.rows()).map(({ name }) => name),
    ["my plan 2"],
  );
  const first = await arrive(a.desk, shelf, "linked", { text: "L", extras: "" }, "link");
  const again = await arrive(a.desk, shelf, "linked", { text: "L", extras: "" }, "link");
  const other = await arrive(a.desk, shelf, "linked", { text: "M", extras: "" }, "link");
  assert.equal(first.row.id, again.row.id);
  assert.notEqual(first.row.id, other.row.id);
});
