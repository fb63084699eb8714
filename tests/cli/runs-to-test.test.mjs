// Tests `stepgraph runs to-test`, which turns a recorded run into a test.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { createSqliteFolder } from "../servers/sqlite.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const PLAN = `# My plan.
nodes:
  fetch: {type: tool, tool: find, input: {q: "\${input}"}} # searches
  send: {type: greet, input: "for \${last.n}"}
edges: [{from: fetch, to: send}]
`;
const HOST = `export const handlers = { greet: ({ input }) => ({ text: input, apiKey: "k-12345678" }) };
export const tools = { find: { input: { type: "object" }, run: ({ q }) => ({ n: q.length }) } };
`;
const plan = file("plan.yaml", PLAN);
file("host.mjs", HOST);
const record = ["--prompt", "hola", "--handlers", "host.mjs", "-q"];

before(async () => {
  const { code, err } = await stepgraph(["run", plan, ...record, "--record", "run.ndjson"]);
  assert.equal(code, 0, err);
});

test("a cassette becomes a test that is printed", async () => {
  const { code, out, err } = await stepgraph(["runs", "to-test", "--cassette", "run.ndjson", "--plan-file", plan]);
  assert.deepEqual([code, err], [0, ""]);
  assert.equal(
    out,
    `tests:
  - name: completed after fetch, send
    input: hola
    stubs:
      tools:
        find: {return: {"n": 4}}
      types:
        greet: {return: {text: for 4, apiKey: "[redacted]"}}
    expect: {outcome: completed, last: {text: for 4, apiKey: "[redacted]"}, path: [fetch, send]}
`,
  );
  assert.equal(readFileSync(join(folder, plan), "utf8"), PLAN);
});

test("--into adds tests, keeps comments, and the tests pass", async () => {
  const into = file("into.yaml", PLAN);
  const add = (...more) => stepgraph(["runs", "to-test", "--cassette", "run.ndjson", "--into", into, ...more]);
  const first = await add("--expect", "outcome,outputs.fetch");
  assert.deepEqual([first.code, first.out], [0, ""], first.err);
  assert.match(
    first.err,
    /^added the test `completed after fetch, send` to `into.yaml`; run it: stepgraph test into.yaml\n$/,
  );
  assert.equal((await add("--name", "another")).code, 0);
  assert.equal((await add("--name", "another", "--json")).code, 0);
  const text = readFileSync(join(folder, into), "utf8");
  assert.ok(text.startsWith(PLAN), text);
  assert.match(text, /outputs:\n {8}fetch: \{"n": 4\}\n/);
  const tested = await stepgraph(["test", into]);
  assert.equal(tested.code, 0, tested.out);
  assert.match(tested.out, /✓ completed after fetch, send\n {2}✓ another\n {2}✓ another \(2\)\n3 passed, 0 failed\n$/);
});

test("mistakes are refused with the way out", async () => {
  writeFileSync(join(folder, "changed.yaml"), PLAN.replace("for $", "of $"));
  writeFileSync(join(folder, "broken.yaml"), "nodes: {a: {}}\n");
  const cassette = ["--cassette", "run.ndjson"];
  for (const [args, message] of [
    [[], /`stepgraph runs to-test` needs a run/],
    [cassette, /the plan of the run is not known\n {2}= help: name it by `--plan-file FILE`/],
    [["x", ...cassette], /`--cassette` and a run can't be combined/],
    [
      [...cassette, "--into", "changed.yaml"],
      /the plan has changed since the run was recorded: node `send` was changed/,
    ],
    [[...cassette, "--into", "broken.yaml"], /`broken.yaml` has 1 error/],
    [[...cassette, "--into", plan, "--expect", "lst"], /can't expect `lst` of this run; did you mean `last`\?/],
    [["--cassette", "host.mjs", "--into", plan], /no cassette that can be used/],
    [["--cassette", "nowhere", "--into", plan], /can't read `nowhere`/],
    [["--into", plan, "--as", "plan"], /`--as` does not apply to `stepgraph runs to-test`/],
  ]) {
    const { code, err } = await stepgraph(["runs", "to-test", ...args]);
    assert.equal(code, 2, `${args}: ${err}`);
    assert.match(err, message);
  }
  assert.equal(readFileSync(join(folder, plan), "utf8"), PLAN);
});

test("a run of an audit database and of a store becomes a test", async (context) => {
  const place = await createSqliteFolder();
  context.after(() => place.remove());
  writeFileSync(place.path("plan.yaml"), PLAN);
  writeFileSync(place.path("host.mjs"), HOST);
  const audited = await place.command(["run", "plan.yaml", ...record, "--audit", "audit.db"]);
  assert.equal(audited.code, 0, audited.err);
  const { out: listed } = await place.command(["runs", "list", "--db", "audit.db", "--json"]);
  const [{ id }] = JSON.parse(listed).runs;
  const printed = await place.command(["runs", "to-test", id.slice(0, 8), "--db", "audit.db", "--json"]);
  assert.deepEqual(JSON.parse(printed.out).expect.path, ["fetch", "send"], printed.err);
  const added = await place.command(["runs", "to-test", id, "--db", "audit.db", "--into", "plan.yaml"]);
  assert.equal(added.code, 0, added.err);
  const kept = await place.command(["run", "plan.yaml", ...record, "--store", "runs.db", "--run-id", "order"]);
  assert.equal(kept.code, 0, kept.err);
  const stored = ["runs", "to-test", "order", "--store", "runs.db"];
  const second = await place.command([...stored, "--into", "plan.yaml", "--name", "stored"]);
  assert.equal(second.code, 0, second.err);
  const tested = await place.command(["test", "plan.yaml"]);
  assert.match(tested.out, /✓ completed after fetch, send\n {2}✓ stored\n2 passed, 0 failed\n$/);
  const unknown = await place.command(["runs", "to-test", "nobody", "--store", "runs.db"]);
  assert.deepEqual([unknown.code, /there is no run `nobody`/.test(unknown.err)], [2, true], unknown.err);
  const both = await place.command([...stored, "--db", "audit.db"]);
  assert.match(both.err, /`--db` and `--store` can't be combined/);
});

test("no secret of the command line or the environment gets into the plan", async () => {
  const into = file("secret.yaml", PLAN.replace("last.n}", "last.n} and ${context.user_key}"));
  file("secret.mjs", HOST.replace("text: input", 'text: input, key: "the-key-of-a-model"'));
  const context = ["--context", "user_key=the-key-of-ada"];
  const given = ["--prompt", "hola", "--handlers", "secret.mjs", "-q"];
  const recorded = await stepgraph(["run", into, ...given, ...context, "--record", "secret.ndjson"]);
  assert.equal(recorded.code, 0, recorded.err);
  const env = { OPENAI_API_KEY: "the-key-of-a-model" };
  const args = ["runs", "to-test", "--cassette", "secret.ndjson", "--into", into, ...context];
  const { code, err } = await stepgraph(args, { env });
  assert.equal(code, 0, err);
  const text = readFileSync(join(folder, into), "utf8");
  assert.doesNotMatch(text, /the-key/);
  assert.match(text, /context: \{user_key: "\[redacted\]"\}/);
  assert.equal((await stepgraph(["test", into])).code, 0);
});
