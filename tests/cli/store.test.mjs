// Tests `stepgraph run --store` and `stepgraph approvals`, on SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../servers/postgres.mjs";
import { createSqliteFolder } from "../servers/sqlite.mjs";

let fixture, postgres;
before(async () => {
  fixture = await createSqliteFolder();
  postgres = await startPostgres();
  symlinkSync(dirname(dirname(fileURLToPath(postgres.driver))), join(fixture.folder, "node_modules", "pg"));
  writeFileSync(
    fixture.path("order.yaml"),
    `id: order
nodes:
  quote: { type: log, input: "\${input.item}" }
  ask: { type: approve, input: { item: "\${last}" } }
  pay: { type: log, input: "paid \${output.quote} with \${context.card}" }
edges: [{ from: quote, to: ask }, { from: ask, to: pay, condition: "last == 'approved'" }]
`,
  );
  writeFileSync(
    fixture.path("host.mjs"),
    "export const handlers = { hang: () => new Promise(() => setInterval(() => {}, 1e6)) };",
  );
  writeFileSync(
    fixture.path("hang.yaml"),
    "nodes: {a: {type: log, input: 1}, b: {type: hang}}\nedges: [{from: a, to: b}]\n",
  );
});
after(async () => {
  fixture.remove();
  await postgres.stop();
});
const sg = (...args) => fixture.command(args);

for (const [name, place] of [
  ["SQLite", () => "runs.db"],
  ["PostgreSQL", () => postgres.url],
])
  test(`${name}: a run pauses, is decided, and continues`, async () => {
    const store = ["--store", place()];
    const begun = await sg(
      "run",
      "order.yaml",
      "--run-id",
      "o 17",
      "--input",
      "item=tea",
      "--context",
      "card=x",
      ...store,
    );
    assert.equal(begun.code, 4, begun.err);
    assert.match(begun.err, /decide: stepgraph approvals decide 'o 17' ask:1:1 approve --store /);
    assert.match(begun.err, /continue: stepgraph run order.yaml --context card --store \S+ --run-id 'o 17'/);
    const listed = await sg("approvals", ...store);
    assert.match(listed.out, /^\? o 17 {2}ask:1:1 {2}\d+ s ago {2}\{"item": "tea"\}\n$/);
    const shown = await sg("approvals", "show", "o 17", "ask:1:1", ...store);
    assert.match(
      shown.out,
      /^ask:1:1 of run o 17 \(plan order\) asks for approval\nasked .*\n\{\n {2}"item": "tea"\n\}\n$/,
    );
    const decided = await sg("approvals", "decide", "o 17", "ask:1:1", "approve", "--by", "Ada", ...store);
    assert.deepEqual([decided.code, /--run-id 'o 17'/.test(decided.err)], [0, true]);
    const late = await sg("approvals", "decide", "o 17", "ask:1:1", "reject", ...store);
    assert.deepEqual([late.code, /store\/decided.*decided by Ada/.test(late.err)], [1, true]);
    const ended = await sg("run", "order.yaml", "--run-id", "o 17", "--context", "card=y", ...store);
    assert.deepEqual([ended.code, ended.out], [0, "paid tea with y\n"]);
    assert.equal((await sg("approvals", ...store)).err, "nothing waits for a decision\n");
    assert.match((await sg("approvals", "list", "--all", ...store)).out, /^– o 17 {2}ask:1:1 .*approved by Ada/);
  });

for (const [name, place] of [
  ["SQLite", () => "records.db"],
  ["PostgreSQL", () => postgres.url],
])
  test(`${name}: runs are listed, shown, replayed, exported and pruned`, async () => {
    const store = ["--store", place()];
    const card = ["--context", "card=visa-4242"];
    const id = `${name} 1`;
    await sg("run", "order.yaml", "--run-id", id, "--input", "item=tea", ...card, ...store);
    assert.match((await sg("runs", ...store)).out, new RegExp(`^\\? ${id} +order .* waits for ask:1:1$`, "m"));
    const early = await sg("runs", "export", id, "--as", "snapshot", "-o", "early.json", ...card, ...store);
    assert.equal(early.code, 0, early.err);
    const resumed = await sg("run", "order.yaml", "--resume", "early.json", "--approve", "ask:1:1", ...card);
    assert.equal(resumed.out, "paid tea with visa-4242\n");

    const ended = await sg("run", "order.yaml", "--run-id", id, "--approve", "ask:1:1", ...card, ...store);
    assert.equal(ended.code, 0, ended.err);
    const { runs } = JSON.parse((await sg("runs", "--status", "completed", "--plan", "order", "--json", ...store)).out);
    assert.ok(runs.some((run) => run.id === id && run.outcome.type === "completed"));
    const shown = await sg("runs", "show", id.slice(0, -1), ...card, ...store);
    assert.match(shown.out, /✓ pay +"paid tea with \[redacted\]"[\s\S]*completed in/);
    const blind = await sg("runs", "show", id, ...store);
    assert.deepEqual([blind.code, /durable\/diverged.*`context`/.test(blind.err)], [1, true]);
    const again = await sg("runs", "replay", id, ...card, ...store);
    assert.match(again.out, /the same: 13 events, completed\n$/);

    const cassette = await sg("runs", "export", id, "--as", "cassette", "-o", "run.ndjson", ...card, ...store);
    assert.equal(cassette.code, 0, cassette.err);
    assert.doesNotMatch(readFileSync(fixture.path("run.ndjson"), "utf8"), /visa/);
    const replayed = await sg("run", "order.yaml", "--replay", "run.ndjson", ...card);
    assert.equal(replayed.out, "paid tea with visa-4242\n");
    const late = await sg("runs", "export", id, "--as", "snapshot", ...card, ...store);
    assert.deepEqual([late.code, /has no snapshot: it is completed/.test(late.err)], [2, true]);
    const report = JSON.parse((await sg("runs", "export", id, "--as", "report", ...card, ...store)).out);
    assert.deepEqual([report.outcome.type, report.trace.length, report.counts.steps], ["completed", 13, 3]);

    const pruned = await sg("runs", "prune", "--status", "completed", "--until", "2100-01-01", ...store);
    assert.match(pruned.err, /^deleted \d+ runs?\n$/);
    assert.match((await sg("runs", "show", id, ...store)).err, /there is no run/);
  });

test("a decision that the run did not take is listed as too late", async () => {
  writeFileSync(
    fixture.path("late.yaml"),
    `nodes:
  fan:
    type: parallel
    branches:
      first:
        nodes: { ask: { type: approve, input: 1 }, spin: { type: log, input: 1, visits: 1 } }
        edges: [{ from: ask, to: spin }, { from: spin, to: spin, condition: "last == 1" }]
      second: { nodes: { ask: { type: approve, input: 2 } } }
`,
  );
  const store = ["--store", "late.db"];
  const run = ["run", "late.yaml", "--run-id", "l", ...store];
  await sg(...run);
  const calls = ["fan:1/first/ask:1:1", "fan:1/second/ask:1:1"];
  assert.equal((await sg(...run, ...calls.flatMap((call) => ["--approve", call]))).code, 1);
  const { out } = await sg("approvals", "list", "--all", ...store);
  assert.match(out, /first\/ask:1:1 .* approved {2}1\n.*second\/ask:1:1 .* approved, too late {2}2\n/);
  const { approvals } = JSON.parse((await sg("approvals", "list", "--all", "--json", ...store)).out);
  assert.deepEqual(
    approvals.map(({ tooLate }) => tooLate),
    [false, true],
  );
});

test("a database is recognised by its tables", async () => {
  await sg("run", "order.yaml", "--store", "one.db", "--run-id", "s", "--input", "item=tea");
  await sg("run", "order.yaml", "--audit", "two.db", "--input", "item=tea");
  assert.match((await sg("runs", "--db", "one.db")).out, /^\? s /);
  assert.match((await sg("runs", "--store", "two.db")).out, /^\? [0-9a-z]{8} /);
  const error = await sg("approvals", "--store", "two.db");
  assert.deepEqual([error.code, /store\/not-found.*has no store/.test(error.err)], [1, true]);
  const missing = await sg("approvals", "--store", "three.db");
  assert.deepEqual([missing.code, existsSync(fixture.path("three.db"))], [1, false]);
});

test("keys in the environment are in no record", async () => {
  const env = { OPENAI_API_KEY: "the-key-of-a-model", STEPGRAPH_SERVER_KEY_SHOP: "the-key-of-a-shop" };
  const input = ["--input", "item=the-key-of-a-model and the-key-of-a-shop"];
  await sg("run", "order.yaml", "--store", "keys.db", "--run-id", "k", ...input);
  for (const format of ["events", "cassette", "snapshot"]) {
    const { out } = await fixture.command(["runs", "export", "k", "--as", format, "--store", "keys.db"], { env });
    assert.match(out, /\[redacted\]/);
    assert.doesNotMatch(out, /the-key/);
  }
});

test("no output shows the password of the store", async () => {
  const store = ["--store", postgres.url.replace("//test@", "//test:top@secret@")];
  const begun = await sg(
    "run",
    "order.yaml",
    "--run-id",
    "masked",
    "--input",
    "item=tea",
    "--context",
    "card=x",
    ...store,
  );
  const decided = await sg("approvals", "decide", "masked", "ask:1:1", "approve", ...store);
  for (const { out, err } of [begun, decided]) {
    assert.doesNotMatch(out + err, /top@|secret/);
    assert.match(err, /--store '?postgres:\/\/\.\.\.@127/);
  }
});

test("decisions of the command line count, and JSON is for programs", async () => {
  const store = ["--store", "json.db", "--json"];
  const first = await sg("run", "order.yaml", "--run-id", "j", "--input", "item=tea", ...store);
  assert.equal(JSON.parse(first.out).outcome.type, "paused");
  const { approvals } = JSON.parse((await sg("approvals", ...store)).out);
  assert.deepEqual(
    [approvals[0].run, approvals[0].call, approvals[0].approval.input],
    ["j", "ask:1:1", { item: "tea" }],
  );
  const second = await sg("run", "order.yaml", "--run-id", "j", "--reject", "ask:1:1", ...store);
  assert.deepEqual([second.code, JSON.parse(second.out).last], [3, "rejected"]);
});

test("Ctrl-C leaves a run that continues", async () => {
  const args = ["run", "hang.yaml", "--store", "hang.db", "--run-id", "h", "--handlers", "host.mjs"];
  const program = join(fixture.folder, "node_modules/stepgraph/dist/cli/main.js");
  const first = fixture.node([program, ...args]);
  let err = "";
  first.child.stderr.on("data", (part) => (err += part));
  while (!err.includes("✓ a")) await once(first.child.stderr, "data");
  const busy = await sg(...args);
  assert.deepEqual([busy.code, /store\/busy/.test(busy.err)], [1, true]);
  first.child.kill("SIGINT");
  assert.equal((await first.done).code, 130);
  writeFileSync(fixture.path("host.mjs"), "export const handlers = { hang: () => 'done' };");
  const { code, out } = await sg(...args);
  assert.deepEqual([code, out], [0, "done\n"]);
});

test("a known run keeps its limits, and its models get prices", async () => {
  writeFileSync(
    fixture.path("paid.yaml"),
    "nodes: {say: {type: llm, input: x}, ask: {type: approve}, more: {type: llm, input: y}}\n" +
      "edges: [{from: say, to: ask}, {from: ask, to: more}]\n",
  );
  const usage = "{ input: 10, output: 2, cached_input: 0 }";
  const chat = `chat: async () => ({ text: "hi", finish: "stop", usage: ${usage} })`;
  writeFileSync(
    fixture.path("paid.mjs"),
    `export const models = { default: { provider: "openai", name: "gpt-4o", ${chat} } };`,
  );
  writeFileSync(
    fixture.path("free.mjs"),
    `export const models = { default: { provider: "openai", name: "mine", ${chat} } };`,
  );
  const run = (host, ...more) =>
    sg("run", "paid.yaml", "--store", "paid.db", "--run-id", "p", "--handlers", host, ...more);
  assert.equal((await run("paid.mjs", "--max-usd", "1", "--prompt", "x")).code, 4);
  const shown = await sg("runs", "show", "p", "--store", "paid.db");
  assert.match(shown.out, /paused in .* 0\.000045 USD/, shown.err);
  for (const limit of [
    ["--max-usd", "0.5"],
    ["--limit", "steps=9"],
  ]) {
    const other = await run("paid.mjs", ...limit, "--approve", "ask:1:1");
    assert.equal(other.code, 2, other.err);
    assert.match(other.err, /the run `p` keeps the limits that it began with: usd=1\n.*leave `--limit`/);
  }
  const unpriced = await run("free.mjs", "--approve", "ask:1:1");
  assert.deepEqual([unpriced.code, /run\/unknown-price/.test(unpriced.err)], [2, true], unpriced.err);
  assert.match((await sg("approvals", "--store", "paid.db")).out, /^\? p {2}ask:1:1/);
  assert.equal((await sg("upgrade", "paid.yaml", "--store", "paid.db", "--run-id", "p")).code, 0);
  const done = await run("paid.mjs", "--approve", "ask:1:1");
  assert.deepEqual([done.code, /0\.00009 USD/.test(done.err)], [0, true], done.err);
});

const mistakes = [
  [["run", "order.yaml", "--run-id", "x"], /`--run-id` is for a run in a store/],
  [["run", "order.yaml", "--store", "x.db", "--record", "x"], /`--store` and `--record` can't be combined/],
  [["run", "order.yaml", "--store", "x.db", "--stubs", "s.yaml"], /`--stubs`/],
  [["runs"], /needs a database/],
  [["runs", "--db", "a.db", "--store", "b.db"], /can't be combined/],
  [["runs", "--store", "runs.db", "--key", "a"], /can't select runs by `--key`/],
  [["runs", "--store", "runs.db", "--status", "unfinished"], /did you mean `interrupted`/],
  [["runs", "show", "nobody", "--store", "runs.db"], /there is no run `nobody`/],
  [["runs", "--store", "none.db"], /there is no such file/],
  [["approvals"], /needs a store/],
  [["approvals", "decid", "--store", "x.db"], /did you mean `stepgraph approvals decide`/],
  [["approvals", "decide", "a", "--store", "x.db"], /got 1 words/],
  [["approvals", "decide", "a", "b", "perhaps", "--store", "x.db"], /`perhaps` is no decision/],
  [["approvals", "show", "a", "b", "--store", "runs.db"], /no run `a` asked for a decision/],
  [["approvals", "list", "--by", "me", "--store", "x.db"], /`--by` does not apply/],
];
for (const [args, message] of mistakes)
  test(`refused: ${args.join(" ")}`, async () => {
    const { code, err } = await sg(...args);
    assert.equal(code, 2, err);
    assert.match(err, message);
  });

test("a store that fails exits with 1", async () => {
  const { code, err } = await sg("run", "order.yaml", "--store", "nowhere/at/all.db", "--input", "item=tea");
  assert.deepEqual([code, /store\/failed/.test(err)], [1, true]);
});

test("the guide's examples run", async () => {
  const text = readFileSync(new URL("../../docs/stores.md", import.meta.url), "utf8");
  const [first, second] = [...text.matchAll(/```js[^\n]*\n([\s\S]*?)```/g)].map(([, code]) => code);
  for (const [code, said] of [
    [first, "paused\npaid tea\n"],
    [first, "completed\npaid tea\n"],
    [second, "hello tea from Ada Lovelace false\n"],
  ]) {
    writeFileSync(fixture.path("guide.mjs"), code);
    const { out, err } = await fixture.node(["guide.mjs"]).done;
    assert.equal(out, said, err);
  }
});

test("the guide's commands run next to its first example, in one store", async () => {
  const text = readFileSync(new URL("../../docs/stores.md", import.meta.url), "utf8");
  const program = /```js[^\n]*\n([^]*?)```/.exec(text)[1];
  writeFileSync(fixture.path("guide.mjs"), program.replace('"runs.db"', '"guide.db"'));
  assert.equal((await fixture.node(["guide.mjs"]).done).out, "paused\npaid tea\n");
  writeFileSync(fixture.path("guide.yaml"), /```yaml\n(# order\.yaml\n[^]*?)```/.exec(text)[1]);
  const [first, second] = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => lines.trim().split("\n"));
  const ran = [];
  for (const line of [...first, ...second]) {
    const args = line.replaceAll("runs.db", "guide.db").replaceAll("order.yaml", "guide.yaml").split(" ").slice(1);
    ran.push({ line, ...(await sg(...args)) });
  }
  assert.deepEqual(
    ran.map(({ code }) => code),
    [4, 0, 0, 0, 0, 0, 0, 0, 0],
    ran.map(({ line, err }) => `${line}\n${err}`).join("\n"),
  );
  assert.match(ran[1].out, /order-18 {2}ask:1:1/);
  assert.equal(ran[3].out, "paid coffee\n");
  assert.equal(ran[8].out, "paid tea\n");
});

test("`--locked` refuses other tools before any call, and the store keeps the refusal", async () => {
  const module = (name) =>
    writeFileSync(
      fixture.path("tools.mjs"),
      `export const tools = { search: { description: "Finds.", run: () => "found", input:
         { type: "object", properties: { ${name}: { type: "string" } }, required: ["${name}"] } } };`,
    );
  const host = ["--handlers", "tools.mjs"];
  writeFileSync(fixture.path("search.yaml"), "nodes: {a: {type: tool, tool: search, input: {q: tea}}}\n");
  module("q");
  assert.equal((await sg("lock", "search.yaml", ...host)).code, 0);
  const run = (id) =>
    sg("run", "search.yaml", "--locked", "--store", "locked.db", "--run-id", id, "--allow", "*", ...host);
  const fits = await run("fits");
  assert.deepEqual([fits.code, fits.out], [0, "found\n"], fits.err);
  module("query");
  const refused = await run("other");
  assert.equal(refused.code, 2, refused.err);
  assert.match(refused.err, /tool\/differs-from-lock[^]*the argument `q` is gone/);
  const shown = await sg("runs", "show", "other", "--store", "locked.db");
  assert.match(shown.out, /differs-from-lock/);
});
