// Tests `stepgraph cost`, and prices and dollar limits of `stepgraph run`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createSqliteFolder } from "../servers/sqlite.mjs";

let fixture;
before(async () => {
  fixture = await createSqliteFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(fixture.path(name), text);
});
after(() => fixture.remove());

const sg = (...args) => fixture.command(args);
const FILES = {
  "coat.yaml": `start: ask
nodes:
  ask: {type: tool, tool: weather, input: {city: "\${input}"}}
  coat: {type: log, input: a warm coat}
  word: {type: llm, input: "It is \${last}", with: {max_tokens: 200}, retry: {attempts: 2}}
edges:
  - {from: ask, to: coat}
  - {from: coat, to: word}
`,
  "open.yaml": `start: each
nodes:
  each: {type: map, input: "\${input.items}", do: {nodes: {get: {type: tool, tool: get}}}}
  help: {type: agent, input: x}
edges: [{from: each, to: help}]
`,
  "idle.yaml": "nodes: {a: {type: log, input: x}}\n",
  "limited.yaml": "limits: {usd: 0.004}\nnodes: {word: {type: llm, input: hi}}\n",
  "word.yaml": "nodes: {word: {type: llm, input: hi}}\n",
  "host.mjs": `const usage = { input: 1000, output: 100, cached_input: 0 };
export const models = { default: async () => ({ text: "hi", finish: "stop", usage }) };
export const tools = { weather: { input: { type: "object" }, run: () => 3 } };
`,
  "own.yaml": "date: 2026-01-31\nmodels: {default: {input: 3, output: 15, context: 10000}}\ntools: {weather: 0.002}\n",
};

test("it lists the most that each node and a run may use, and why figures are missing", async () => {
  const { code, out, err } = await sg("cost", "coat.yaml", "open.yaml", "--model", "gpt-4o-mini");
  assert.equal(code, 0);
  assert.match(err, /^warning: the example prices are \d+ days old \(2025-10-31\)\n= help: .*`--prices FILE`\n$/);
  assert.equal(
    out,
    `coat.yaml
at most  tool calls  model turns  input tokens  output tokens     USD
ask               1            0             0              0       0
word              0            2       256,000            400  0.0387
a run             1            2       256,000            400  0.0387

no recorded runs: name some by --cassette, --audit or --store to see what runs use

open.yaml
at most   tool calls  model turns  input tokens  output tokens     USD
each/get   unbounded            0             0              0       0
help       unbounded            8     1,024,000        131,072  0.2323
a run      unbounded            8     1,024,000        131,072  0.2323

no recorded runs: name some by --cassette, --audit or --store to see what runs use

unbounded  a reply to \`help\` may ask for any number of calls
unbounded  the length of \`\${input.items}\` is unknown (\`each\`)
= help: set \`limits: {calls: 50}\` in the plan
= help: declare the \`maxItems\` of a list in \`inputs\`, or set \`limits: {calls: 50}\`

prices: examples of 2025-10-31; pass your own by --prices FILE
`,
  );
  const unpriced = await sg("cost", "coat.yaml");
  assert.match(unpriced.out, /^word +0 +2 +unknown +400 +unknown$/m);
  assert.match(
    unpriced.out,
    /^unknown +there is no price for the model `default`\n= help: name the model by `--model/m,
  );
});

test("recorded runs of cassettes and databases give the mean and the most", async () => {
  const host = ["--prompt", "Oslo", "--handlers", "host.mjs", "--prices", "own.yaml"];
  for (const record of [
    ["--record", "run.ndjson"],
    ["--audit", "runs.db"],
  ]) {
    const { code, err } = await sg("run", "coat.yaml", ...host, ...record);
    assert.equal(code, 0, err);
    assert.match(err, /1100 tokens, 0\.0045 USD\n/);
  }
  const { code, out } = await sg(
    "cost",
    "coat.yaml",
    "--prices",
    "own.yaml",
    "--cassette",
    "run.ndjson",
    "--audit",
    "runs.db",
  );
  assert.equal(code, 0);
  assert.match(out, /^mean \/ most of 2 runs/m);
  assert.match(out, /^a run +1 \/ 1 +1 \/ 1 +1,000 \/ 1,000 +100 \/ 100 +0\.0065 \/ 0\.0065$/m);
  assert.match(out, /^prices: own\.yaml of 2026-01-31, and examples of 2025-10-31 for other models$/m);
  const json = JSON.parse((await sg("cost", "coat.yaml", "open.yaml", "--json", "--audit", "runs.db")).out);
  assert.deepEqual(
    json.plans.map(({ plan, runs }) => [plan, runs]),
    [
      ["coat.yaml", 1],
      ["open.yaml", 0],
    ],
  );
  assert.deepEqual(json.plans[0].total.expected.usd, { mean: 0.0045, max: 0.0045 });
});

test("a recorded run of another plan is an error", async () => {
  await sg("run", "coat.yaml", "--prompt", "Oslo", "--handlers", "host.mjs", "--record", "other.ndjson");
  const alone = await sg("cost", "open.yaml", "--cassette", "other.ndjson");
  assert.equal(alone.code, 2);
  assert.match(alone.err, /open\.yaml: the run calls `ask:1:1`, and the plan has no such node/);
  const several = await sg("cost", "open.yaml", "limited.yaml", "--cassette", "other.ndjson");
  assert.match(several.err, /`other\.ndjson` is no recorded run of these plans/);
  assert.match(
    (await sg("cost", "coat.yaml", "--cassette", "own.yaml")).err,
    /this is no recorded run: its first line/,
  );
  assert.match((await sg("cost", "coat.yaml", "--audit", "none.db")).err, /can't read `none\.db`/);
  assert.match((await sg("cost", "open.yaml", "--audit", "runs.db")).err, /runs\.db has no recorded run of open\.yaml/);
});

test("a mistake in prices is shown with its line", async () => {
  const mistakes = [
    [
      "models:\n  a:\n    input: 3\n    outptu: 15\n",
      /wrong\.yaml:4: `models\.a\.outptu`: .*\n.*did you mean `output`/,
    ],
    ["models:\n  a: {input: 3}\n", /wrong\.yaml:2: `models\.a`: it has no `output`/],
    ["tools: {a: 1, 'b.c': cheap}\n", /wrong\.yaml:1: `tools\.b\.c`: it is no price/],
    ["model: {}\n", /wrong\.yaml:1: `model`: .*\n.*did you mean `models`/],
    ["models: [\n", /wrong\.yaml:\d: /],
    ["- 3\n", /wrong\.yaml:1: the file: it is no map/],
    ["", /wrong\.yaml/],
  ];
  for (const [text, message] of mistakes) {
    writeFileSync(fixture.path("wrong.yaml"), text);
    const { code, out, err } = await sg("cost", "coat.yaml", "--prices", "wrong.yaml");
    assert.deepEqual([code, out], [2, ""], text);
    assert.match(err, message);
  }
});

test("a run stops at its limit in dollars, and needs the prices of its models", async () => {
  const at = (...more) => sg("run", "limited.yaml", "--handlers", "host.mjs", ...more);
  const unpriced = await at();
  assert.equal(unpriced.code, 2);
  assert.match(unpriced.err, /run\/unknown-price.*the run has the limit 0\.004 USD.*`default`[^]*--prices FILE/);
  const stopped = await at("--prices", "own.yaml");
  assert.equal(stopped.code, 1);
  assert.match(stopped.err, /run\/usd-limit\]: models cost 0\.0045 USD, and 0\.004 are allowed/);
  assert.equal((await at("--prices", "own.yaml", "--max-usd", "0.01")).code, 1);
  const word = (...more) => sg("run", "word.yaml", "--handlers", "host.mjs", "--prices", "own.yaml", ...more);
  assert.equal((await word("--max-usd", "0.0045")).code, 0);
  assert.equal((await word("--limit", "usd=0.0045")).code, 0);
  assert.equal((await word("--max-usd", "0.004")).code, 1);
  for (const text of ["x", "1e999", "NaN"]) {
    const { code, err } = await at("--max-usd", text);
    assert.equal(code, 2);
    assert.match(err, /is no amount of US dollars/);
  }
  assert.match((await at("--max-usd", "1", "--limit", "usd=1")).err, /the limit `usd` is set twice/);
  assert.match((await sg("check", "limited.yaml")).out, /25 visits per node, 0\.004 USD, no time limit/);
});

test("the guide's plan, prices and output are those of the command", async () => {
  const page = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text);
  const [rooms, prices, limited] = blocks;
  assert.equal(blocks.length, 3);
  for (const [name, text] of [
    ["rooms.yaml", rooms],
    ["prices.yaml", prices],
    ["half.yaml", limited],
  ])
    writeFileSync(fixture.path(name), text);
  const [, args, shown] = /```console\n\$ stepgraph (.*)\n([^]*?)```/.exec(page);
  assert.equal((await sg(...args.split(" "))).out, shown);
  const own = JSON.parse(
    (await sg("cost", "rooms.yaml", "--model", "openai:gpt-4o-mini", "--prices", "prices.yaml", "--json")).out,
  );
  assert.equal(own.prices.source, "our contract");
  assert.equal((await sg("check", "half.yaml")).code, 0);
});

test("the guide's commands record a run and count it", async () => {
  const page = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
  writeFileSync(fixture.path("rooms.yaml"), /```yaml\n(# rooms[^]*?)```/.exec(page)[1]);
  const lines = /```sh\n([^]*?)```/.exec(page)[1].replaceAll("\\\n", " ").trim().split("\n");
  assert.equal(lines.length, 3);
  const [record, ...costs] = lines.map((line) => line.replaceAll("'", "").split(/ +/).slice(1));
  // A module has the model, so no network is needed.
  const found = ["--server", "--model"].flatMap((name) => record.splice(record.indexOf(name), 2));
  assert.equal(found.length, 4);
  const own = "export const tools = { rooms: { input: { type: 'object' }, run: () => 3 } };";
  writeFileSync(
    fixture.path("rooms.mjs"),
    readFileSync(fixture.path("host.mjs"), "utf8").replace(/export const tools.*/, own),
  );
  const begun = await sg(...record, "--handlers", "rooms.mjs");
  assert.equal(begun.code, 0, begun.err);
  for (const args of costs) {
    const { code, out } = await sg(...args);
    assert.equal(code, 0);
    assert.match(out, /mean \/ most of 1 run /);
  }
});

test("it counts the runs of a store", async () => {
  const host = ["--prompt", "Oslo", "--handlers", "host.mjs", "--prices", "own.yaml"];
  for (const id of ["one", "two"]) {
    const { code, err } = await sg("run", "coat.yaml", ...host, "--store", "kept.db", "--run-id", id);
    assert.equal(code, 0, err);
  }
  const { code, out, err } = await sg("cost", "coat.yaml", "idle.yaml", "--prices", "own.yaml", "--store", "kept.db");
  assert.equal(code, 0, err);
  assert.match(out, /^a run +1 \/ 1 +1 \/ 1 +1,000 \/ 1,000 +100 \/ 100 +0\.0065 \/ 0\.0065$/m);
  assert.match(err, /^kept\.db has no run of idle\.yaml as it is now$/m);
  assert.match((await sg("cost", "coat.yaml", "--store", "none.db")).err, /none\.db/);
});

test("a plan without a model needs no example price, so their age does not matter", async () => {
  const { code, err } = await sg("cost", "idle.yaml");
  assert.deepEqual([code, err], [0, ""]);
});

test("old prices are named with their age", async () => {
  const warned = async (date) => {
    writeFileSync(fixture.path("dated.yaml"), `${date === null ? "" : `date: ${date}\n`}models: {}\n`);
    return (await sg("cost", "coat.yaml", "--prices", "dated.yaml")).err;
  };
  assert.match(await warned("2001-01-31"), /^warning: the prices of dated\.yaml are \d+ days old \(2001-01-31\)\n/);
  for (const date of ["2999-01-31", "'spring'", null]) assert.equal(await warned(date), "", date);
});

test("a store is no audit database, and the help says how to count its runs", async () => {
  assert.equal((await sg("run", "idle.yaml", "--store", "orders.db", "--run-id", "one")).code, 0);
  const { code, err } = await sg("cost", "idle.yaml", "--audit", "orders.db");
  assert.equal(code, 2);
  assert.match(err, /`orders\.db` is a store, not an audit database[^]*stepgraph runs export RUN --store/);
});

test("plans with errors, and none, are bad usage", async () => {
  writeFileSync(fixture.path("bad.yaml"), "nodes: {a: {type: llm, inputt: x}}\n");
  const bad = await sg("cost", "coat.yaml", "bad.yaml");
  assert.deepEqual([bad.code, bad.out], [2, ""]);
  assert.match(bad.err, /unknown-key[^]*no cost: bad\.yaml has 1 error/);
  assert.equal((await sg("cost")).code, 2);
  assert.match((await sg("cost", "a.stubs.yaml")).err, /the files are all stubs/);
  writeFileSync(fixture.path("idle.yaml"), "nodes: {a: {type: log, input: x}}\n");
  assert.match((await sg("cost", "idle.yaml")).out, /calls no tool and no model/);
});
