// Tests audits in a database: they contain every event, never disturb a run, and survive failed writes.
//
// Uses this Node's SQLite, or libsql if it has none.

import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Redactor } from "../../wasm/dist/redact.js";
import { prepareSchema, MIGRATIONS } from "../../wasm/dist/integrations/audit/schema.js";
import { createSqliteFolder } from "../servers/sqlite.mjs";

let fixture, PlanGraph, run, fork, audited, openAudit;
before(async () => {
  fixture = await createSqliteFolder();
  ({ PlanGraph, run, fork } = await fixture.library());
  ({ audited, openAudit } = await fixture.audit());
});
after(() => fixture.remove());

const worker = fileURLToPath(new URL("audit/worker.mjs", import.meta.url));
let files = 0;
const newFilePath = () => fixture.path(`audit-${files++}.db`);
const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};
const plain = (value) => new Redactor().plain(value);
const spillFiles = (file) =>
  readdirSync(fixture.folder).filter((name) => fixture.path(name).startsWith(`${file}.left-`));

const PLAN = `
# Kept with its comments.
id: everything
nodes:
  ask: {type: fetch, retry: {attempts: 2}}
  each:
    type: map
    do: {nodes: {one: {type: log}}}
  fan: {type: parallel, with: {join: settled}, branches: {good: {nodes: {a: {type: log, input: 1}}}, bad: {nodes: {b: {type: broken}}}}}
  end: {type: log, input: {password: "\${input.password}", note: done}}
edges:
  - {from: ask, to: each}
  - {from: each, to: fan, condition: "last.exists"}
  - {from: fan, to: end}
`;
const handlers = () => {
  let tries = 0;
  return {
    fetch: async () => {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error("not yet"), { code: "shop/closed" });
      return ["x", "y"];
    },
    broken: () => {
      throw Object.assign(new Error("it broke"), { code: "part/broken" });
    },
  };
};

const failingStore = (store, code, times = Infinity) => {
  const told = { tried: 0, written: [] };
  return {
    told,
    write(part) {
      told.tried += 1;
      if (told.tried <= times) throw Object.assign(new Error("no"), { code });
      told.written.push(part);
      return store?.write(part);
    },
  };
};

// covers: 002-audit-1 002-audit-2 002-audit-3 002-audit-4 002-audit-5 002-audit-6
test("the store contains an audited run unchanged, and the run can be replayed", async () => {
  const graph = parse(PLAN);
  const file = newFilePath();
  const store = await openAudit(file);
  assert.equal(statSync(file).mode & 0o077, 0, "others could read it");
  const heard = [];
  const lines = [];
  const options = {
    input: { password: "hunter2", n: 1 },
    handlers: handlers(),
    onEvent: (event) => heard.push(event),
    record: (line) => lines.push(line),
  };
  const trail = audited(graph, options, store, { key: "order-1", plan: PLAN });
  assert.equal(store.get(trail.id), null, "nothing has run");
  const report = await trail.end(run(graph, trail.options));
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  assert.equal(trail.unwritten, null);
  const kept = [...store.trace(trail.id)];
  assert.deepEqual(kept, report.trace.map(plain));
  assert.deepEqual(heard, report.trace, "who listened before still does");
  assert.deepEqual(store.cassette(trail.id), lines);
  assert.doesNotMatch(JSON.stringify([kept, lines]), /hunter2/);
  const stages = kept.filter(({ node }) => node === "ask").map(({ type }) => type);
  assert.deepEqual(stages, ["node-started", "node-retried", "node-completed", "edge-decided"]);
  const failed = store.events(trail.id, { type: "node-failed" }).events;
  assert.deepEqual(
    failed.map(({ node, code, message, scope }) => [node, code, message, scope]),
    [["b", "part/broken", "it broke", "fan:1/bad"]],
  );
  assert.deepEqual(store.events(trail.id, { node: "ask", type: "node-completed" }).events[0].output, ["x", "y"]);
  for (const { atMs } of kept) assert.ok(Math.abs(atMs - Date.now()) < 3_600_000, "milliseconds since the epoch");
  const { seenMs: _seen, startedMs, endedMs, ...row } = store.get(trail.id);
  assert.deepEqual(row, {
    id: trail.id,
    key: "order-1",
    continues: null,
    plan: { hash: graph.hash, name: "everything" },
    status: "completed",
    outcome: report.outcome,
    durationMs: report.durationMs,
    counts: report.counts,
    events: kept.length,
    lines: lines.length,
  });
  assert.ok(startedMs <= endedMs);
  assert.equal(store.plan(graph.hash), PLAN);
  const again = await run(parse(store.plan(graph.hash)), { replay: store.cassette(trail.id) });
  assert.deepEqual(again.trace.map(plain), kept);
  const other = await fork(graph, {
    cassette: store.cassette(trail.id),
    input: options.input,
    at: "ask:1:2",
    output: ["z"],
    handlers: handlers(),
  });
  assert.deepEqual(other.outputs.each, ["z"]);
  store.close();
});

test("the store records every outcome of a run, and its resumed runs", async () => {
  const store = await openAudit(newFilePath());
  const graph = parse("nodes: {a: {type: approve}, b: {type: wait}}\nedges: [{from: a, to: b}]");
  const runAudited = async (options, about) => {
    const trail = audited(
      graph,
      {
        handlers: {
          wait: () => {
            throw new Error("no");
          },
        },
        ...options,
      },
      store,
      { name: "given", ...about },
    );
    const report = await trail.end(run(graph, trail.options));
    return { id: trail.id, report };
  };
  const paused = await runAudited({});
  assert.equal(store.get(paused.id).status, "paused");
  assert.equal(store.get(paused.id).outcome.approval.call, "a:1:1");
  const failed = await runAudited(
    { snapshot: paused.report.snapshot, decisions: { "a:1:1": "approved" } },
    { continues: paused.id },
  );
  assert.deepEqual(
    [store.get(failed.id).status, store.get(failed.id).outcome.node, store.get(failed.id).continues],
    ["failed", "b", paused.id],
  );
  assert.deepEqual(
    store.continuations(paused.id).map(({ id }) => id),
    [failed.id],
  );
  const cancelled = await runAudited({ signal: AbortSignal.abort() });
  assert.deepEqual([store.get(cancelled.id).status, store.get(cancelled.id).events], ["cancelled", 0]);
  const refused = await runAudited({ handlers: {} }, { cassette: false });
  assert.deepEqual(
    [store.get(refused.id).outcome.code, store.get(refused.id).plan.name],
    ["run/invalid-plan", "given"],
  );
  const trail = audited(graph, {}, store);
  await assert.rejects(trail.end(Promise.reject(Object.assign(new Error("freed"), { code: "api/freed" }))), /freed/);
  assert.equal(store.get(trail.id).outcome.code, "api/freed");
  const streamed = audited(graph, { decisions: { "a:1:1": "rejected" }, handlers: { wait: () => 1 } }, store);
  const stream = run.stream(graph, streamed.options);
  const events = [];
  for await (const event of stream) events.push(event);
  await streamed.end(stream.report);
  assert.deepEqual([...store.trace(streamed.id)], events);
  const hashOnly = await runAudited({}, { plan: false, cassette: false });
  assert.deepEqual(store.cassette(hashOnly.id), []);
  assert.ok(store.plan(graph.hash), "the text that an earlier run brought stays");
  assert.throws(() => store.events("nobody"), { code: "audit/unknown-run" });
  store.close();
});

function random(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, below: (most) => Math.floor(next() * most), of: (list) => list[Math.floor(next() * list.length)] };
}

test("the store answers every query like a plain filter of the same runs", async () => {
  const file = newFilePath();
  const dice = random(8);
  const nodes = ["a", "a", "a", "b", "fetch", "fan"];
  const scopes = [undefined, undefined, "fan:1/x", "fan:1/y"];
  const known = [];
  const parts = Array.from({ length: 800 }, (_, number) => {
    const hash = dice.of(["ab12cd", "ab12ef", "99aa00"]).padEnd(64, String(dice.below(2)));
    const id = Array.from({ length: 16 }, () => dice.of([..."0123456789abcdefghjkmnpqrstvwxyz"])).join("");
    const events = Array.from({ length: dice.below(12) }, (_, seq) => {
      const event = {
        type: dice.of(["node-started", "node-completed", "logged"]),
        atMs: number * 10 + seq,
        node: dice.of(nodes),
        visit: 1,
        scope: dice.of(scopes),
      };
      return {
        seq,
        atMs: event.atMs,
        type: event.type,
        node: event.node,
        scope: event.scope ?? null,
        visit: 1,
        json: JSON.stringify(event),
      };
    });
    const type = dice.of(["completed", "failed", "cancelled", "paused", null]);
    const end = type && {
      outcome: { type, ...(type === "failed" && { code: "x/y", message: "m" }) },
      endedMs: number,
      durationMs: 1,
      counts: { steps: 1, calls: 0, retries: 0 },
    };
    const key = dice.below(3) === 0 ? `key-${dice.below(40)}` : null;
    const startedMs = 1000 + dice.below(500);
    known.push({
      id,
      key,
      startedMs,
      name: dice.of(["one", "two", null]),
      hash,
      status: type ?? "unfinished",
      events,
      number,
    });
    return {
      run: { id, key, continues: null, plan: { hash, name: known.at(-1).name, text: null }, startedMs },
      events,
      lines: [],
      end,
    };
  });
  // The next open imports the spilled parts of unfinished runs.
  const store = await openAudit(file);
  for (const part of parts) if (part.end) store.write(part);
  for (const part of parts) if (!part.end) store.spill(part);
  store.close();
  const asked = await openAudit(file);
  const order = new Map();
  for (const { id } of asked.runs({ limit: 10_000 }).runs) order.set(id, order.size);
  assert.equal(order.size, known.length);
  const matchesFilter = (f) => (one) =>
    (f.plan === undefined || one.name === f.plan || (/^[0-9a-f]{6,}$/.test(f.plan) && one.hash.startsWith(f.plan))) &&
    (f.status === undefined || [f.status].flat().includes(one.status)) &&
    (f.key === undefined || one.key === f.key) &&
    (f.node === undefined || one.events.some(({ node }) => node === f.node)) &&
    (f.since === undefined || one.startedMs >= f.since) &&
    (f.until === undefined || one.startedMs < f.until);
  const sometimes = (make) => (dice.below(3) === 0 ? make() : undefined);
  let hits = 0;
  for (let round = 0; round < 300; round++) {
    const filter = {
      plan: sometimes(() => dice.of(["one", "two", "ab12cd", "ab12cd0", "99aa00", "none"])),
      status: sometimes(() =>
        dice.of(["completed", "unfinished", ["failed", "paused"], ["running", "unfinished", "cancelled"], "running"]),
      ),
      node: sometimes(() => dice.of([...nodes, "nobody"])),
      key: sometimes(() => `key-${dice.below(45)}`),
      since: sometimes(() => 1000 + dice.below(500)),
      until: sometimes(() => 1000 + dice.below(500)),
    };
    const expected = known
      .filter(matchesFilter(filter))
      .sort((a, b) => b.startedMs - a.startedMs || order.get(a.id) - order.get(b.id))
      .map(({ id }) => id);
    const limit = 1 + dice.below(60);
    const got = [];
    for (let after; ; ) {
      const page = asked.runs({ ...filter, limit, ...(after && { after }) });
      assert.ok(page.runs.length <= limit);
      got.push(...page.runs.map(({ id }) => id));
      if (page.next === null) break;
      after = page.next;
    }
    assert.deepEqual(got, expected, JSON.stringify(filter));
    hits += got.length;
    const one = dice.of(known);
    const of = {
      node: sometimes(() => dice.of(nodes)),
      type: sometimes(() => dice.of(["logged", ["node-started", "logged"]])),
      scope: sometimes(() => dice.of(["", "fan:1/x"])),
      after: sometimes(() => dice.below(10)),
      limit: 1 + dice.below(5),
    };
    const all = one.events.filter(
      (e) =>
        (!of.node || e.node === of.node) &&
        (!of.type || [of.type].flat().includes(e.type)) &&
        (of.scope === undefined || (e.scope ?? "") === of.scope) &&
        (of.after === undefined || e.seq > of.after),
    );
    const { events, next } = asked.events(one.id, of);
    assert.deepEqual(
      events,
      all.slice(0, of.limit).map(({ json, seq }) => ({ ...JSON.parse(json), seq })),
    );
    assert.equal(next, all.length > of.limit ? all[of.limit - 1].seq : null);
  }
  assert.ok(hits > 3000, `${hits}`);
  for (const bad of [
    { status: "dead" },
    { limit: 0 },
    { limit: 1.5 },
    { since: "today" },
    { until: NaN },
    { after: "nobody" },
  ]) {
    assert.throws(() => asked.runs(bad), { code: "audit/bad-query" }, JSON.stringify(bad));
  }
  asked.close();
});

test("every query uses an index", async () => {
  const file = newFilePath();
  (await openAudit(file)).close();
  const db = await fixture.database(file.slice(fixture.folder.length + 1));
  const { commonQuery, eventsQuery, runsQuery } = await import("../../wasm/dist/integrations/audit/queries.js");
  const living = { now: 0, place: "here", gone: [1] };
  const asked = [
    {},
    { plan: "x" },
    { plan: "abcdef" },
    { status: "failed" },
    { node: "a" },
    { key: "k" },
    { since: 1, until: 2 },
  ].map((filter) => runsQuery(filter, living, null));
  asked.push(runsQuery({ node: "a" }, living, null, true), commonQuery("a"));
  for (const { sql, values } of [...asked, eventsQuery(1, {}), eventsQuery(1, { node: "a" })]) {
    const steps = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => detail);
    assert.ok(
      steps.every((step) => !/^SCAN (r|events|e)( |$)(?!USING)/.test(step)),
      `${sql}\n${steps.join("\n")}`,
    );
  }
  db.close();
});

test("a failing sink never delays the run: the failure is reported once, retried, and all events arrive in order", async () => {
  const graph = parse(
    "start: n\nlimits: {visits: 1000}\nnodes: {n: {type: count}}\nedges: [{from: n, to: n, condition: 'last<300'}]",
  );
  const nearTimeout = () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });
  const counting = () => {
    let count = 0;
    return {
      count: async () => {
        await nearTimeout();
        return (count += 1);
      },
    };
  };
  for (const [name, sink] of [
    ["throws", () => failingStore(null, "audit/locked", 7)],
    [
      "rejects later",
      () => {
        const inner = failingStore(null, "audit/io", 5);
        return {
          told: inner.told,
          write: async (part) => {
            await nearTimeout();
            inner.write(part);
          },
        };
      },
    ],
    [
      "takes its time",
      () => {
        const inner = failingStore(null, "", 0);
        return {
          told: inner.told,
          write: async (part) => {
            for (let i = 0; i < 20; i++) await nearTimeout();
            inner.write(part);
          },
        };
      },
    ],
  ]) {
    const kept = sink();
    const errors = [];
    const trail = audited(graph, { handlers: counting() }, kept, {
      batch: 40,
      delayMs: 0,
      onError: (error, count) => {
        errors.push([error.name, count > 0]);
        throw new Error("who listens fails, too");
      },
    });
    const report = await trail.end(run(graph, trail.options));
    assert.equal(report.outcome.type, "completed", name);
    assert.equal(trail.unwritten, null, name);
    const events = kept.told.written.flatMap((part) => part.events);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      report.trace.map((_, index) => index),
      name,
    );
    assert.deepEqual(
      events.map(({ json }) => JSON.parse(json)),
      report.trace,
      name,
    );
    assert.deepEqual(kept.told.written.map(({ end }) => end?.outcome.type).filter(Boolean), ["completed"], name);
    assert.deepEqual(errors, name === "takes its time" ? [] : [["AuditError", true]], name);
    if (name === "takes its time") assert.ok(kept.told.written.length > 5, "in batches");
  }
});

test("after any failure of a sink each event of many concurrent runs is stored exactly once", async () => {
  const graph = parse(
    "id: many\nstart: n\nlimits: {visits: 1000}\nnodes: {n: {type: count}}\nedges: [{from: n, to: n, condition: 'last<25'}]",
  );
  const dice = random(11);
  const nearTimeout = () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });
  let [shared, failures, kept, handed] = [0, 0, 0, 0];
  for (let round = 0; round < 24; round++) {
    const store = await openAudit(newFilePath());
    const odds = dice.of([0, 0.2, 0.6, 0.95]);
    const late = dice.below(2) === 0;
    const aside = [];
    const fail = () => {
      failures += 1;
      throw Object.assign(new Error("no"), { code: dice.of(["audit/locked", "other", "audit/failed"]) });
    };
    const work = (parts) => {
      if (parts.length > 1) shared += 1;
      if (dice.next() < odds / 2) fail();
      store.writeAll(parts);
      // The write succeeds, but the caller cannot know it.
      if (dice.next() < odds / 2) fail();
    };
    const writeAll = late
      ? async (parts) => {
          await nearTimeout();
          work(parts);
        }
      : work;
    const sink = {
      write: (part) => writeAll([part]),
      ...(dice.below(3) > 0 && { writeAll }),
      ...(dice.below(3) > 0 && {
        spill: (part) => {
          if (dice.next() < odds / 3) throw new Error("no room");
          kept += 1;
          return `part ${aside.push(part)}`;
        },
      }),
    };
    const runs = await Promise.all(
      Array.from({ length: 1 + dice.below(12) }, async () => {
        let count = 0;
        const trail = audited(
          graph,
          {
            handlers: {
              count: async () => {
                await nearTimeout();
                return (count += 1);
              },
            },
          },
          sink,
          {
            batch: 1 + dice.below(40),
            delayMs: dice.below(3),
            maxPending: 30 + dice.below(50),
            flushTimeoutMs: dice.of([0, 30]),
          },
        );
        const report = await trail.end(run(graph, trail.options));
        return { trail, report };
      }),
    );
    for (const part of aside) store.write(part);
    for (const { trail, report } of runs) {
      if (trail.unwritten) {
        handed += 1;
        store.write(trail.unwritten);
      }
      assert.deepEqual([...store.trace(trail.id)], report.trace, `round ${round}`);
      assert.equal(store.get(trail.id).status, "completed");
      assert.deepEqual((await run(graph, { replay: store.cassette(trail.id) })).trace, report.trace);
    }
    store.close();
  }
  for (const number of [shared, failures, kept, handed]) assert.ok(number > 0, `${[shared, failures, kept, handed]}`);
});

test("unwritable entries are passed to the host, and permanent failures are not retried for long", async () => {
  const graph = parse("nodes: {n: {type: log, input: 1}}");
  for (const code of ["audit/full", "audit/read-only", "audit/closed", "other/thing"]) {
    const { AuditError } = await fixture.audit();
    const errors = [];
    let tried = 0;
    const trail = audited(
      graph,
      {},
      {
        write() {
          tried += 1;
          throw new AuditError(code, "no", "help");
        },
      },
      { flushTimeoutMs: code === "other/thing" ? 60 : 3_600_000, onError: (error) => errors.push(error.code) },
    );
    const report = await trail.end(run(graph, trail.options));
    assert.equal(report.outcome.type, "completed");
    assert.deepEqual(errors, [code, "audit/not-kept"]);
    assert.deepEqual(
      trail.unwritten.events.map(({ json }) => JSON.parse(json)),
      report.trace,
    );
    assert.equal(trail.unwritten.end.outcome.type, "completed");
    assert.ok(trail.unwritten.lines.length >= 3);
    assert.ok(code === "other/thing" ? tried > 1 : tried <= 2, `${code}: ${tried}`);
  }
});

test("a locked database does not stop the run, and its unwritten entries are imported later, once", async () => {
  const file = newFilePath();
  const graph = parse("id: held\nnodes: {a: {type: log, input: 1}, b: {type: log}}\nedges: [{from: a, to: b}]");
  const store = await openAudit(file);
  const holder = await fixture.database(file.slice(fixture.folder.length + 1));
  holder.exec("BEGIN EXCLUSIVE");
  const errors = [];
  const about = { flushTimeoutMs: 0, onError: (error) => errors.push(error.code) };
  const trail = audited(graph, {}, store, about);
  const report = await trail.end(run(graph, trail.options));
  assert.deepEqual([report.outcome.type, trail.unwritten, errors], ["completed", null, ["audit/locked"]]);
  assert.deepEqual(trail.spilledTo.length, 1);
  assert.equal(statSync(trail.spilledTo[0]).mode & 0o077, 0, "others could read it");
  const copy = fixture.path("copy.ndjson");
  copyFileSync(trail.spilledTo[0], copy);
  const patient = audited(graph, {}, store, {
    onError: (error) => {
      errors.push(error.code);
      setTimeout(() => holder.exec("ROLLBACK"), 1);
    },
  });
  await patient.end(run(graph, patient.options));
  assert.deepEqual([patient.unwritten, patient.spilledTo, store.get(patient.id).status], [null, [], "completed"]);
  assert.equal(store.get(trail.id), null);
  store.close();
  const again = await openAudit(file);
  const taken = [again.get(trail.id).status, ...again.trace(trail.id)];
  assert.deepEqual(taken, ["completed", ...report.trace]);
  assert.deepEqual(spillFiles(file), []);
  again.close();
  // A second import changes nothing. A foreign file stays and causes a warning. A truncated file is imported up to the
  // cut.
  renameSync(copy, `${file}.left-${trail.id}-1.ndjson`);
  writeFileSync(`${file}.left-x-1.ndjson`, "not ours\n");
  const head = readFileSync(`${file}.left-${trail.id}-1.ndjson`, "utf8").split("\n");
  writeFileSync(
    `${file}.left-y-1.ndjson`,
    `${JSON.stringify({ audit: 1, run: { ...JSON.parse(head[0]).run, id: "y".repeat(16), startedMs: 1 } })}\n${head[1]}\n${head[2].slice(0, 20)}`,
  );
  holder.exec("BEGIN EXCLUSIVE");
  const meanwhile = await openAudit(file);
  assert.deepEqual(
    [meanwhile.get(trail.id).status, spillFiles(file).length],
    ["completed", 3],
    "who reads need not wait",
  );
  meanwhile.close();
  holder.exec("ROLLBACK");
  const warnings = [];
  const third = await openAudit(file, { onWarning: (message) => warnings.push(message) });
  assert.deepEqual([third.get(trail.id).status, ...third.trace(trail.id)], taken);
  assert.equal(warnings.length, 1);
  assert.deepEqual(spillFiles(file), [`${file.slice(fixture.folder.length + 1)}.left-x-1.ndjson`]);
  const cut = third.get("y".repeat(16));
  assert.deepEqual([cut.status, cut.events], ["unfinished", 1]);
  holder.close();
  third.close();
});

test("without access next to the database, spill files go to the temporary folder and are imported only on request", async () => {
  const file = newFilePath();
  const { TMPDIR } = process.env;
  mkdirSync(fixture.path("tmp"), { recursive: true });
  process.env.TMPDIR = fixture.path("tmp");
  try {
    const store = await openAudit(file, { spill: fixture.path("no/such/folder") });
    store.close();
    const graph = parse("nodes: {a: {type: log, input: 1}}");
    const trail = audited(graph, {}, store);
    const report = await trail.end(run(graph, trail.options));
    const name = `${file.slice(fixture.folder.length + 1)}.left-${trail.id}-1.ndjson`;
    assert.deepEqual([trail.spilledTo, trail.unwritten], [[fixture.path(`tmp/${name}`)], null]);
    const before = await openAudit(file);
    assert.equal(before.get(trail.id), null);
    before.close();
    renameSync(trail.spilledTo[0], fixture.path(name));
    const then = await openAudit(file);
    assert.deepEqual([...then.trace(trail.id)], report.trace);
    then.close();
    assert.deepEqual(readdirSync(fixture.path("tmp")), []);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});

test("a full database returns a code, writes no partial batch and loses nothing", async () => {
  const name = newFilePath().slice(fixture.folder.length + 1);
  const db = await fixture.database(name);
  const store = await openAudit({ db });
  db.exec("PRAGMA max_page_count = 40");
  const graph = parse(
    "start: n\nlimits: {visits: 1000}\nnodes: {n: {type: count}}\nedges: [{from: n, to: n, condition: 'last.count<200'}]",
  );
  let count = 0;
  const errors = [];
  const kept = [];
  // A database handle has no folder beside it, so the host stores the spilled parts.
  const sink = {
    write: (part) => store.write(part),
    spill: (part) => {
      kept.push(part);
      return `part ${kept.length}`;
    },
  };
  const trail = audited(graph, { handlers: { count: () => ({ count: (count += 1), text: "x".repeat(1000) }) } }, sink, {
    batch: 20,
    maxPending: 100,
    onError: (error) => errors.push(error.code),
  });
  const report = await trail.end(run(graph, trail.options));
  assert.equal(report.outcome.type, "completed");
  assert.deepEqual(new Set(errors), new Set(["audit/full"]));
  assert.ok(kept.length > 1, "memory is bounded");
  const there = [...store.trace(trail.id)].length;
  assert.ok(there > 0 && there < report.trace.length);
  db.exec("PRAGMA max_page_count = 100000");
  for (const part of kept) store.write(part);
  assert.deepEqual([...store.trace(trail.id)], report.trace);
  assert.equal(store.get(trail.id).status, "completed");
  store.close();
});

test("a foreign database is rejected with a code and stays unchanged", async () => {
  const good = newFilePath();
  const store = await openAudit(good);
  for (let number = 0; number < 30; number++) {
    const graph = parse(`nodes: {n: {type: log, input: ${JSON.stringify("x".repeat(3000))}}}`);
    const trail = audited(graph, {}, store);
    await trail.end(run(graph, trail.options));
  }
  store.close();
  const db = await fixture.database(good.slice(fixture.folder.length + 1));
  db.exec(`VACUUM INTO '${fixture.path("whole.db")}'`);
  db.close();
  const bytes = readFileSync(fixture.path("whole.db"));
  const variant = (name, change) => {
    const file = fixture.path(name);
    writeFileSync(file, bytes);
    change(file);
    return file;
  };
  const sql = (text) => async (file) => {
    const raw = await fixture.database(file.slice(fixture.folder.length + 1));
    raw.exec(text);
    raw.close();
  };
  const foreign = fixture.path("foreign.db");
  await sql("CREATE TABLE recipes (name TEXT)")(foreign);
  const newer = variant("newer.db", () => {});
  await sql("PRAGMA user_version = 99")(newer);
  const cases = [
    [variant("text.db", (file) => writeFileSync(file, "nodes: {}\n".repeat(500))), "audit/unreadable"],
    [
      variant("noise.db", (file) =>
        writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(50_000, 7)])),
      ),
      "audit/unreadable",
    ],
    [foreign, "audit/unreadable"],
    [newer, "audit/version"],
    [fixture.path("no/such/folder/audit.db"), "audit/not-opened"],
    [fixture.folder, "audit/not-opened"],
  ];
  for (const [file, code] of cases) {
    const whole = existsSync(file) && statSync(file).isFile();
    const before = whole && readFileSync(file);
    await assert.rejects(openAudit(file), (error) => {
      assert.deepEqual(
        [error.name, error.code, error.help.length > 5],
        ["AuditError", code, true],
        `${file}: ${error.message}`,
      );
      return true;
    });
    if (whole) assert.ok(readFileSync(file).equals(before), file);
  }
  // Half of the file may still be readable. Reads of the rest fail with a code.
  const cut = variant("cut.db", (file) => truncateSync(file, Math.floor(bytes.length / 8192) * 4096));
  const codes = new Set();
  try {
    const half = await openAudit(cut);
    for (const ask of [
      () => half.runs({ limit: 100 }).runs.map(({ id }) => [...half.trace(id)]),
      () => half.runs({ node: "n" }),
      () => half.prune({ until: Date.now() }),
    ]) {
      try {
        ask();
      } catch (error) {
        codes.add(error.code);
      }
    }
    half.close();
  } catch (error) {
    codes.add(error.code);
  }
  assert.deepEqual([...codes], ["audit/unreadable"]);
  const held = await fixture.database("held-new.db");
  held.exec("BEGIN EXCLUSIVE");
  await assert.rejects(openAudit(fixture.path("held-new.db"), { waitMs: 30 }), { code: "audit/locked" });
  const patient = openAudit(fixture.path("held-new.db"), { waitMs: 60_000 });
  held.exec("ROLLBACK");
  held.close();
  (await patient).close();
  await assert.rejects(openAudit(fixture.path("none.db"), { create: false }), { code: "audit/no-database" });
  writeFileSync(fixture.path("empty.db"), "");
  await assert.rejects(openAudit(fixture.path("empty.db"), { create: false }), { code: "audit/unreadable" });
  const reader = await openAudit(good, { readOnly: true });
  assert.equal(reader.runs().runs.length, 30);
  assert.throws(() => reader.delete(reader.runs().runs[0].id), { code: "audit/read-only" });
  reader.close();
  assert.throws(() => reader.runs(), { code: "audit/closed" });
});

test("a database of an earlier version is migrated with all its contents", async () => {
  const file = newFilePath();
  const store = await openAudit(file);
  const graph = parse("nodes: {n: {type: log, input: 1}}");
  const trail = audited(graph, {}, store);
  await trail.end(run(graph, trail.options));
  store.close();
  const db = await fixture.database(file.slice(fixture.folder.length + 1));
  const steps = [...MIGRATIONS, "ALTER TABLE runs ADD COLUMN mood TEXT DEFAULT 'good'"];
  prepareSchema(db, file, { create: false, steps });
  assert.deepEqual(
    db
      .prepare("SELECT id, mood FROM runs")
      .all()
      .map(({ id, mood }) => [id, mood]),
    [[trail.id, "good"]],
  );
  assert.equal(db.prepare("PRAGMA user_version").all()[0].user_version, steps.length);
  assert.throws(() =>
    prepareSchema(db, file, { create: false, steps: [...steps, "ALTER TABLE runs ADD COLUMN more TEXT; nonsense"] }),
  );
  assert.equal(db.prepare("PRAGMA user_version").all()[0].user_version, steps.length);
  assert.doesNotMatch(db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'runs'").all()[0].sql, /more/);
  db.close();
  await assert.rejects(openAudit(file), { code: "audit/version" });
});

test("concurrent processes write to one database without loss", async () => {
  const file = newFilePath();
  copyFileSync(worker, fixture.path("worker.mjs"));
  const all = await Promise.all([1, 2, 3].map(() => fixture.node(["worker.mjs", file, "12", "30"]).done));
  const runs = all.flatMap(({ code, out, err }) => {
    assert.equal(code, 0, err);
    return out
      .split("\n")
      .filter((line) => line.startsWith('{"id"'))
      .map((line) => JSON.parse(line));
  });
  assert.equal(runs.length, 36);
  const store = await openAudit(file);
  assert.equal(store.runs({ limit: 100 }).runs.length, 36);
  for (const { id, events, outcome, left, kept } of runs) {
    assert.deepEqual([left, kept, outcome], [false, [], "completed"]);
    assert.deepEqual([store.get(id).events, [...store.trace(id)].length], [events, events]);
  }
  store.close();
  const db = await fixture.database(file.slice(fixture.folder.length + 1));
  assert.equal(Object.values(db.prepare("PRAGMA integrity_check").all()[0])[0], "ok");
  db.close();
});

test("a killed process leaves a readable database with all batches but the last, and an unfinished run", async () => {
  copyFileSync(worker, fixture.path("worker.mjs"));
  for (const when of ["while it waits", "while it writes"]) {
    const file = newFilePath();
    const { child, done, until } = fixture.node([
      "worker.mjs",
      file,
      "3",
      when === "while it waits" ? "200" : "1000000",
      "cut",
    ]);
    let told = 0;
    if (when === "while it waits") told = Number(/events (\d+)/.exec(await until("events "))[1]);
    else {
      await until("begun");
      for (let count = 0; count < 3000; ) {
        await new Promise((soon) => {
          setImmediate(soon);
        });
        const reader = existsSync(file) && (await openAudit(file, { readOnly: true }).catch(() => null));
        if (!reader) continue;
        count = reader.runs().runs[0]?.events ?? 0;
        if (count > 0) assert.equal(reader.runs().runs[0].status, "running");
        reader.close();
      }
    }
    child.kill("SIGKILL");
    assert.equal((await done).signal, "SIGKILL");
    const store = await openAudit(file);
    const [one, ...others] = store.runs().runs;
    assert.deepEqual([others.length, one.status, one.outcome], [0, "unfinished", null], when);
    const events = [...store.trace(one.id)];
    assert.equal(events.length, one.events);
    if (told > 0) assert.equal(events.length, told, "what was told before it waited");
    assert.deepEqual(store.runs({ status: "unfinished" }).runs.length, 1);
    assert.deepEqual(store.runs({ status: "running" }).runs.length, 0);
    const graph = parse(store.plan(one.plan.hash));
    const again = await run(graph, { replay: store.cassette(one.id) });
    assert.equal(again.outcome.code, "replay/incomplete");
    const common = Math.min(again.trace.length, events.length);
    assert.ok(common >= events.length - 50 && common > 100, `${common} of ${events.length}`);
    assert.deepEqual(again.trace.slice(0, common), events.slice(0, common));
    store.close();
  }
});

test("a silent run sends heartbeats, and a silent run of another machine counts as ended", async (context) => {
  const file = newFilePath();
  const store = await openAudit(file);
  const graph = parse("nodes: {a: {type: wait}}");
  let answer;
  const asked = new Promise((resolve) => {
    answer = resolve;
  });
  context.mock.timers.enable({ apis: ["setInterval", "Date"], now: Date.now() });
  let done;
  const waits = new Promise((resolve) => {
    done = resolve;
  });
  const trail = audited(
    graph,
    {
      handlers: {
        wait: () => {
          answer();
          return waits;
        },
      },
    },
    store,
  );
  const ended = trail.end(run(graph, trail.options));
  await asked;
  while (!(await trail.flush()));
  const begun = store.get(trail.id).seenMs;
  context.mock.timers.tick(10_000);
  while (!(await trail.flush()));
  assert.equal(store.get(trail.id).seenMs, begun + 10_000);
  const db = await fixture.database(file.slice(fixture.folder.length + 1));
  db.exec("UPDATE runs SET place = 'elsewhere', pid = 1");
  context.mock.timers.setTime(begun + 39_999);
  assert.equal(store.get(trail.id).status, "running");
  context.mock.timers.setTime(begun + 40_001);
  assert.deepEqual([store.get(trail.id).status, store.runs({ status: "unfinished" }).runs.length], ["unfinished", 1]);
  // The run was only slow.
  done("late");
  await ended;
  assert.equal(store.get(trail.id).status, "completed");
  db.close();
  store.close();
});

test("deleting old runs deletes all their rows, and no current run", async () => {
  const file = newFilePath();
  const store = await openAudit(file);
  const ids = [];
  for (let number = 0; number < 250; number++) {
    const id = `run${String(number).padStart(13, "0")}`;
    ids.push(id);
    const hash = String(number % 2).repeat(64);
    const end =
      number % 10 === 0
        ? null
        : {
            outcome: { type: "completed", reason: "terminal" },
            endedMs: number,
            durationMs: 0,
            counts: { steps: 0, calls: 0, retries: 0 },
          };
    store.write({
      run: { id, key: null, continues: null, plan: { hash, name: null, text: `p${hash[0]}` }, startedMs: number },
      events: [{ seq: 0, atMs: 0, type: "logged", node: "n", scope: null, visit: null, json: "{}" }],
      lines: [],
      end,
    });
  }
  assert.throws(() => store.prune({}), { code: "audit/bad-query" });
  assert.equal(store.prune({ until: 210 }), 189);
  const kept = store.runs({ limit: 300 }).runs;
  assert.deepEqual(
    kept.map(({ startedMs }) => startedMs).sort((a, b) => a - b),
    ids.map((_, number) => number).filter((number) => number >= 210 || number % 10 === 0),
  );
  assert.equal(store.runs({ node: "n", limit: 300 }).runs.length, kept.length);
  assert.equal(store.prune({ plan: "1".repeat(64) }), 20);
  assert.equal(store.plan("1".repeat(64)), null, "nobody's plan");
  assert.equal(store.delete(ids[0]), true);
  assert.equal(store.delete(ids[0]), false);
  assert.ok(!readFileSync(file).includes(ids[0]), "what is forgotten is written over");
  assert.equal(store.get(ids[0]), null);
  store.close();
});

test("values that have no JSON don't stop an audit", async () => {
  const store = await openAudit(newFilePath());
  const graph = parse("nodes: {a: {type: odd}, b: {type: log, input: after}}\nedges: [{from: a, to: b}]");
  const ring = {};
  ring.ring = ring;
  const trail = audited(graph, { handlers: { odd: () => ring } }, store, { cassette: false });
  const report = await trail.end(run(graph, trail.options));
  assert.equal(report.outcome.type, "completed");
  const events = [...store.trace(trail.id)];
  assert.deepEqual(
    events.map(({ type, node }) => [type, node]),
    report.trace.map(({ type, node }) => [type, node]),
  );
  assert.equal(events.find(({ type }) => type === "node-completed").output, null);
  store.close();
});

test("the examples of the page about audits work", async () => {
  const page = readFileSync(new URL("../../docs/audit.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/```js[^\n]*\n([^]*?)```/g)].map(([, code]) => code);
  assert.equal(blocks.length, 3);
  writeFileSync(fixture.path("page.mjs"), blocks.join("\n"));
  const { code, out, err } = await fixture.node(["page.mjs"]).done;
  assert.equal(code, 0, err);
  assert.deepEqual(out.trim().split("\n"), [
    "run-started",
    "node-started",
    "node-completed",
    "edge-decided",
    "run-ended",
    "completed hello, Ada true",
    "completed",
  ]);
  const text = readFileSync(new URL("../../wasm/js/integrations/audit/sink.ts", import.meta.url), "utf8");
  for (const [code] of text.matchAll(/audit\/[a-z-]+(?=")/g)) assert.ok(page.includes(`| \`${code}\` |`), code);
});

test("a host without files provides the database of a store", async () => {
  const web = await import(new URL("integrations/audit/web.js", fixture.entry()).href);
  await assert.rejects(web.openAudit("audit.db"), { code: "audit/no-driver" });
  const store = await web.openAudit({ db: await fixture.database("web.db") });
  const graph = parse("nodes: {a: {type: log, input: 1}}");
  const trail = web.audited(graph, {}, store);
  const report = await trail.end(run(graph, trail.options));
  assert.deepEqual([...store.trace(trail.id)], report.trace);
  assert.equal(store.keep, undefined, "there is no folder to put anything in");
  store.close();
});
