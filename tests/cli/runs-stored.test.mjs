// Tests `stepgraph run --audit FILE.db` and `stepgraph runs`, also when storage fails.

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { readTime } from "../../dist/cli/runs.js";
import { ago, statusText, listLines } from "../../dist/cli/runs-list.js";
import { plain } from "../../dist/terminal/style.js";
import { createSqliteFolder, hasBuiltInSqlite } from "../servers/sqlite.mjs";
import { example } from "./stepgraph.mjs";

let fixture;
before(async () => {
  fixture = await createSqliteFolder();
  for (const name of ["triage", "approval"])
    for (const end of ["", ".stubs"]) copyFileSync(example(`${name}${end}.yaml`), fixture.path(`${name}${end}.yaml`));
  writeFileSync(
    fixture.path("shaky.yaml"),
    "id: shaky\nnodes:\n  get: {type: tool, tool: get, retry: {attempts: 2}}\n  tell: {type: log, input: 'got ${last.name}'}\nedges: [{from: get, to: tell}]\n",
  );
  writeFileSync(fixture.path("shaky.stubs.yaml"), "tools: {get: {fail: the server is away, code: shop/away}}\n");
  writeFileSync(fixture.path("who.yaml"), "id: who\nnodes: {a: {type: log, input: '${context.user}'}}\n");
});
after(() => fixture.remove());

const sg = (...args) => fixture.command(args);
const runStubbed = (name, ...args) => sg("run", `${name}.yaml`, "--stubs", `${name}.stubs.yaml`, ...args);
const runs = async (...args) => JSON.parse((await sg("runs", "list", "--json", ...args)).out).runs;
function withoutVolatile(text, names) {
  names.forEach((name, index) => {
    text = text.replaceAll(name, `RUN-${index + 1}`).replaceAll(name.slice(0, 8), `RUN-${index + 1}`);
  });
  return text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "DATE")
    .replace(/\d+ s ago/g, "AGO")
    .replace(/ *\b[\d.]+ (ms|s)\b/g, " TIME")
    .replace(/[0-9a-f]{16}…/g, "HASH…")
    .replace(/ +$/gm, "");
}

test("runs stores, lists, shows, replays and deletes runs of a database", async () => {
  const first = await runStubbed(
    "triage",
    "--prompt",
    "It does not work",
    "--audit",
    "a.db",
    "--audit-key",
    "ticket-9",
    "--audit",
    "a.ndjson",
  );
  assert.equal(first.code, 0, first.err);
  const [id] = /[0-9a-z]{16}(?= in a\.db)/.exec(first.err);
  const failed = await runStubbed("shaky", "--audit", "a.db");
  assert.equal(failed.code, 1);
  const paused = await runStubbed(
    "approval",
    "--input",
    "item=chair",
    "--input",
    "count:=4",
    "--audit",
    "a.db",
    "--snapshot",
    "run.json",
  );
  assert.equal(paused.code, 4);
  const resumed = await runStubbed("approval", "--audit", "a.db", "--resume", "run.json", "--approve", "ask:1:1");
  assert.equal(resumed.code, 0, resumed.err);
  const names = (await runs("--db", "a.db")).map((run) => run.id);
  assert.deepEqual([names.length, names[3]], [4, id]);

  const list = await sg("runs", "--db", "a.db");
  assert.equal(
    withoutVolatile(list.out, names),
    `✓ RUN-1  approval  DATE TIME  5 steps, 3 calls
? RUN-2  approval  DATE TIME  waits for ask:1:1
✗ RUN-3  shaky     DATE TIME  get: shop/away: the server is away
✓ RUN-4  triage    DATE TIME  ticket-9: 8 steps, 6 calls
`,
  );
  const page = await sg("runs", "list", "--db", "a.db", "--limit", "3");
  assert.match(page.err, new RegExp(`there are more: add \`--after ${names[2]}\``));
  assert.equal((await runs("--db", "a.db", "--limit", "3", "--after", names[2])).length, 1);

  const shown = await sg("runs", "show", names[2].slice(0, 6), "--db", "a.db");
  assert.equal(
    withoutVolatile(shown.out, names),
    `✗ shaky  RUN-3
  started DATE, AGO; took TIME
  plan    HASH…
  stored  8 events, 7 lines of its cassette

↻ get   attempt 2 in TIME  shop/away: the server is away
✗ get TIME  shop/away: the server is away
failed in TIME: 1 step, 2 calls, 1 retry
`.replace("8 events, 7", /stored +(\d+ events, \d+)/.exec(shown.out)[1]),
  );
  const went = await sg("runs", "show", names[1], "--db", "a.db", "--verbose");
  assert.match(withoutVolatile(went.out, names), /resumed as RUN-1/);
  assert.match(went.out, /▸ quote +receives \{"item": "chair", "count": 4\}|receives/);
  const only = JSON.parse((await sg("runs", "show", "ticket-9", "--db", "a.db", "--json", "--node", "route")).out);
  assert.deepEqual([only.run.id, new Set(only.events.map(({ node }) => node))], [id, new Set(["route"])]);

  for (const name of names) {
    const again = await sg("runs", "replay", name, "--db", "a.db");
    assert.equal(again.code, 0, again.out + again.err);
    assert.match(again.out, /the same: \d+ events, (completed|failed|paused)\n$/);
  }
  const told = JSON.parse((await sg("runs", "replay", id, "--db", "a.db", "--json")).out);
  assert.deepEqual([told.same, told.first, told.report.outcome.type], [true, null, "completed"]);

  const events = await sg("runs", "export", id, "--db", "a.db");
  const lines = (text) => text.trimEnd().split("\n").map(JSON.parse);
  const appended = lines(readFileSync(fixture.path("a.ndjson"), "utf8"));
  assert.deepEqual(
    lines(events.out),
    appended.map(({ run: _run, plan: _plan, ...event }) => event),
  );
  await sg("runs", "export", id, "--db", "a.db", "--as", "cassette", "--output", "c.ndjson");
  const replayed = await sg("run", "triage.yaml", "--replay", "c.ndjson");
  assert.equal(replayed.out, first.out, replayed.err);
  const forked = await sg("run", "shaky.yaml", "--fork", "f.ndjson", "--stubs", "shaky.stubs.yaml");
  assert.equal(forked.code, 2);
  await sg("runs", "export", names[2], "--db", "a.db", "--as", "cassette", "-o", "f.ndjson");
  writeFileSync(fixture.path("well.stubs.yaml"), "tools: {get: {return: {name: Ada}}}\n");
  const well = await sg("run", "shaky.yaml", "--fork", "f.ndjson", "--stubs", "well.stubs.yaml", "--audit", "a.db");
  assert.equal(well.out, "got Ada\n", well.err);
  const plan = await sg("runs", "export", id, "--db", "a.db", "--as", "plan");
  assert.equal(plan.out, readFileSync(fixture.path("triage.yaml"), "utf8"), "with its comments");
  const report = JSON.parse((await sg("runs", "export", id, "--db", "a.db", "--as", "report")).out);
  assert.deepEqual([report.outcome.type, report.trace.length], ["completed", told.events]);
  const all = await sg("runs", "export", "--db", "a.db", "--type", "node-failed");
  assert.deepEqual(
    all.out
      .trim()
      .split("\n")
      .map((line) => {
        const { run, type, code } = JSON.parse(line);
        return [run, type, code];
      }),
    [[names[2], "node-failed", "shop/away"]],
  );

  for (const [filter, most] of [
    [["--status", "failed"], 1],
    [["--status", "failed,paused"], 2],
    [["--plan", "approval"], 2],
    [["--node", "pay"], 1],
    [["--key", "ticket-9"], 1],
    [["--since", "1h"], 5],
    [["--until", "1h"], 0],
  ]) {
    assert.equal((await runs("--db", "a.db", ...filter)).length, most, filter.join(" "));
  }
  const none = await sg("runs", "--db", "a.db", "--plan", "nothing");
  assert.deepEqual([none.code, none.out, none.err], [0, "", "no matching runs\n"]);
  const byName = await fixture.command(["runs", "--json"], { env: { STEPGRAPH_AUDIT: "a.db" } });
  assert.equal(JSON.parse(byName.out).runs.length, 5, byName.err);
  assert.equal((await sg("runs", "prune", "--db", "a.db", "--plan", "approval")).err, "deleted 2 runs\n");
  assert.equal((await runs("--db", "a.db")).length, 3);
});

test("a replay with another result reports the difference", async () => {
  await sg("run", "who.yaml", "--context", "user=Ada", "--audit", "who.db");
  const [{ id }] = await runs("--db", "who.db");
  const without = await sg("runs", "replay", id, "--db", "who.db");
  assert.equal(without.code, 1);
  assert.match(without.out, /error\[replay\/differs\]: event \d, `node-\w+` of `a`: .*\n/);
  assert.match(without.out, /set it again with `--context KEY=VALUE`/);
  const withIt = await sg("runs", "replay", id, "--db", "who.db", "--context", "user=Ada");
  assert.deepEqual([withIt.code, /the same/.test(withIt.out)], [0, true], withIt.out);
  const { first } = JSON.parse(
    (await sg("runs", "replay", id, "--db", "who.db", "--context", "user=Bob", "--json")).out,
  );
  assert.deepEqual([first.path, first.stored, first.now], ["input", "Ada", "Bob"]);
});

test("runs reports usage errors with suggestions", async () => {
  await sg("run", "who.yaml", "--context", "user=Ada", "--audit", "typed.db", "--audit-key", "monday");
  await sg("run", "who.yaml", "--context", "user=Ada", "--audit", "typed.db", "--audit-key", "twice");
  await sg("run", "who.yaml", "--context", "user=Ada", "--audit", "typed.db", "--audit-key", "twice");
  const { id } = (await runs("--db", "typed.db")).at(-1);
  const slip = id.slice(0, 7) + (id[7] === "x" ? "y" : "x");
  for (const [args, words, code = 2] of [
    [["runs"], /needs a database.*--db FILE.*STEPGRAPH_AUDIT/s],
    [["runs", "lsit", "--db", "typed.db"], /did you mean `stepgraph runs list`/],
    [["runs", "show", "--db", "typed.db"], /needs a run/],
    [["runs", "list", id, "--db", "typed.db"], new RegExp(`did you mean \`stepgraph runs show ${id}\``)],
    [["runs", "show", slip, "--db", "typed.db"], new RegExp(`did you mean \`${id.slice(0, 8)}\``)],
    [["runs", "show", "mondoy", "--db", "typed.db"], /did you mean `monday`/],
    [["runs", "show", "twice", "--db", "typed.db"], /`twice` may be 2 runs/],
    [["runs", "show", "something-else", "--db", "typed.db"], /the last one is `[0-9a-z]{8}`/],
    [["runs", "list", "--db", "tipped.db"], /did you mean `typed\.db`/],
    [["runs", "list", "--db", "who.yaml"], /error\[audit\/unreadable\]/],
    [["runs", "list", "--db", "typed.db", "--since", "yesterday"], /is not a time.*2026-01-31/s],
    [["runs", "list", "--db", "typed.db", "--limit", "few"], /is not a number of runs/],
    [["runs", "list", "--db", "typed.db", "--status", "dead"], /error\[audit\/bad-query\].*`dead`/s],
    [["runs", "list", "--db", "typed.db", "--after", "dead"], /error\[audit\/bad-query\]/],
    [["runs", "list", "kept.db"], /takes no run.*`stepgraph runs list --db kept.db`/s],
    [["runs", "list", "abc"], /takes no run.*`stepgraph runs show abc`/s],
    [
      ["runs", "show", id, "--db", "typed.db", "--status", "failed"],
      /does not apply to `stepgraph runs show`.*`list`/s,
    ],
    [["runs", "export", id, "--db", "typed.db", "--plan", "x"], /filters runs/],
    [["runs", "export", id, "--db", "typed.db", "--as", "plann"], /did you mean `plan`/],
    [["runs", "export", "--db", "typed.db", "--as", "cassette"], /needs a run/],
    [["runs", "export", id, "--db", "typed.db", "-o", "no/folder/x"], /can't write/],
    [["runs", "prune", "--db", "typed.db"], /--until 30d/],
    [["run", "who.yaml", "--audit", "a.txt", "--audit", "b.txt"], /names two files of the same kind/],
    [["run", "who.yaml", "--audit-key", "x"], /--audit FILE\.db/],
    [["run", "who.yaml", "--audit", "no/folder/x.db"], /error\[audit\/not-opened\]/],
    [["run", "who.yaml", "--audit", "who.stubs.db"], /error\[audit\/unreadable\]/],
  ]) {
    writeFileSync(fixture.path("who.stubs.db"), "this is a text\n".repeat(100));
    const { code: got, err, out } = await sg(...args);
    assert.match(err, words, args.join(" "));
    assert.deepEqual([got, out], [code, ""], `${args.join(" ")}: ${err}`);
  }
});

test("a locked database neither stops a run nor loses its events", async () => {
  await sg("run", "who.yaml", "--context", "user=Ada", "--audit", "held.db");
  const holder = await fixture.database("held.db");
  holder.exec("BEGIN EXCLUSIVE");
  const held = await sg("run", "who.yaml", "--context", "user=Bob", "--audit", "held.db");
  assert.deepEqual([held.code, held.out], [0, "Bob\n"], held.err);
  assert.match(held.err, /warning\[audit\/locked\].*another process has locked the database/s);
  const [kept] = /held\.db\.left-[0-9a-z]{16}-1\.ndjson/.exec(held.err);
  assert.ok(existsSync(fixture.path(kept)));
  holder.exec("ROLLBACK");
  holder.close();
  const listed = await runs("--db", "held.db");
  assert.deepEqual(
    listed.map(({ status }) => status),
    ["completed", "completed"],
  );
  assert.ok(!existsSync(fixture.path(kept)));
});

test("runs shows a killed run as unfinished and replays its events", async () => {
  writeFileSync(
    fixture.path("slow.yaml"),
    "id: slow\nnodes: {a: {type: log, input: 1}, b: {type: tool, tool: wait}}\nedges: [{from: a, to: b}]\n",
  );
  writeFileSync(fixture.path("slow.stubs.yaml"), "tools: {wait: {return: 1, delay_ms: 600000}}\n");
  const { child, done } = fixture.node([
    fixture.path("node_modules/stepgraph/dist/cli/main.js"),
    "run",
    "slow.yaml",
    "--stubs",
    "slow.stubs.yaml",
    "--audit",
    "slow.db",
  ]);
  let one;
  while (one === undefined) {
    if (existsSync(fixture.path("slow.db")))
      [one] = JSON.parse((await sg("runs", "--db", "slow.db", "--json")).out || '{"runs": []}').runs;
  }
  assert.equal(one.status, "running");
  child.kill("SIGKILL");
  await done;
  const list = await sg("runs", "--db", "slow.db");
  assert.match(list.out, /^! [0-9a-z]{8} +slow .* unfinished after \d+ events?, last seen \d+ s ago\n$/);
  const shown = await sg("runs", "show", one.id, "--db", "slow.db");
  assert.match(shown.out, /\n✓ a +\d?.*\n▸ b {2}was running\nunfinished: last seen .*, after \d+ events\n$/s);
  const again = await sg("runs", "replay", one.id, "--db", "slow.db");
  assert.deepEqual(
    [again.code, /the same: \d+ events, as far as it is stored\n$/.test(again.out)],
    [0, true],
    again.out + again.err,
  );
});

test("without SQLite runs names a remedy", async () => {
  if (hasBuiltInSqlite) return;
  const bare = await createSqliteFolder({ sqlite: false });
  try {
    writeFileSync(bare.path("p.yaml"), "nodes: {a: {type: log, input: 1}}\n");
    const { code, err, out } = await bare.command(["run", "p.yaml", "--audit", "p.db"]);
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, /error\[audit\/no-driver\].*npm install libsql/s);
  } finally {
    bare.remove();
  }
});

test("runs accepts typed times and prints relative times", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  for (const [text, at] of [
    ["90s", now - 90_000],
    ["30m", now - 1_800_000],
    ["2h", now - 7_200_000],
    ["7d", now - 604_800_000],
    ["2026-02-28T11:00:00Z", Date.parse("2026-02-28T11:00:00Z")],
    ["2026-02-28", new Date(2026, 1, 28).getTime()],
    [undefined, undefined],
  ]) {
    assert.equal(readTime("since", text, now), at, text);
  }
  for (const text of ["", "soon", "5", "5y", "2026-13-01"])
    assert.throws(() => readTime("since", text, now), /is not a time/, text);
  for (const [ms, text] of [
    [0, "0 s ago"],
    [89_000, "89 s ago"],
    [120_000, "2 min ago"],
    [7_200_000, "2 h ago"],
    [3 * 86_400_000, "3 days ago"],
    [-5, "0 s ago"],
  ])
    assert.equal(ago(ms), text);
});

test("a listed run has one line without control characters", () => {
  const run = {
    id: "0123456789abcdef",
    key: "k\u001b[31m".repeat(20),
    plan: { hash: "f".repeat(64), name: "名".repeat(60) },
    status: "failed",
    startedMs: 0,
    durationMs: 5,
    seenMs: 0,
    events: 1,
    counts: { steps: 1, calls: 0, retries: 0 },
    outcome: { type: "failed", code: "a/b", message: `\u001b[2J${"long ".repeat(100)}`, node: "n" },
  };
  const alike = { ...run, id: "0123456789xxxxxx", outcome: null, counts: null, status: "unfinished", durationMs: null };
  const lines = listLines([run, alike], 100_000, { style: plain, columns: 120 });
  for (const line of lines) assert.doesNotMatch(line, /[\x00-\x1f]/);
  assert.match(lines[0], /^✗ 0123456789a /);
  assert.equal(statusText(alike, 100_000), "unfinished after 1 event, last seen 2 min ago");
});

test("a database is for its owner only, and holds no text of the context", async () => {
  writeFileSync(fixture.path("private.db"), "", { mode: 0o644 });
  for (const round of [1, 2]) {
    const ran = await sg("run", "who.yaml", "--context", "user=marker-4711", "--audit", "private.db");
    assert.equal(ran.code, 0, ran.err);
    assert.equal(statSync(fixture.path("private.db")).mode & 0o777, 0o600, `run ${round}`);
    chmodSync(fixture.path("private.db"), 0o644);
  }
  for (const end of ["", "-wal"].filter((end) => existsSync(fixture.path(`private.db${end}`))))
    assert.ok(!readFileSync(fixture.path(`private.db${end}`), "latin1").includes("marker-4711"), end);
  const [{ id }] = await runs("--db", "private.db");
  const again = await sg("runs", "replay", id, "--db", "private.db", "--context", "user=marker-4711");
  assert.equal(again.code, 0, again.out + again.err);
});
