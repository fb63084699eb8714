// Tests the output of a module of `--handlers`, and its errors outside of a call.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { overStdio } from "./serve/client.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const module = file(
  "noisy.mjs",
  `import { stdout } from "node:process";
process.stdout.write("while loading\\n");
const never = () => new Promise(() => {});
const thrown = () => { throw new Error("from a timer"); };
export const handlers = {
  write() { process.stdout.write("as a stream\\n"); stdout.write("as an import\\n"); console.log("as a line"); return 7; },
  later() { setTimeout(thrown); return never(); },
  reject() { Promise.reject(new Error("from a promise")); return never(); },
  odd() { Promise.reject(null); return never(); },
  quick() { setImmediate(thrown); return 7; },
};
`,
);
const plan = (type) => file(`${type}.yaml`, `nodes: {a: {type: ${type}}}\n`);

test("standard output has only the command's own output", async () => {
  const { out, err, code } = await stepgraph(["run", plan("write"), "--handlers", module, "--json"]);
  assert.deepEqual([code, JSON.parse(out).last], [0, 7]);
  for (const text of ["while loading", "as a stream", "as an import", "as a line"]) assert.ok(err.includes(text), text);
  assert.equal((await stepgraph(["run", plan("write"), "--handlers", module])).out, "7\n");
});

for (const [type, message, place] of [
  ["later", /^error\[handler\/uncaught\]: an error was thrown outside of a call: from a timer$/m, 4],
  ["reject", /^error\[handler\/uncaught\]: a promise that nobody awaits was rejected: from a promise$/m, 8],
])
  test(`a stray error ends the run with its code and place: ${type}`, async () => {
    const { out, err, code } = await stepgraph(["run", plan(type), "--handlers", module]);
    assert.deepEqual([code, out], [1, ""], err);
    assert.match(err, message);
    assert.match(err, new RegExp(`--> .*noisy.mjs:${place}:\\d+$`, "m"));
    assert.match(err, /= help: .*catch/);
  });

test("a rejection without an error ends the run, too", async () => {
  const { err, code } = await stepgraph(["run", plan("odd"), "--handlers", module]);
  assert.equal(code, 1);
  assert.match(err, /error\[handler\/uncaught\]: a promise that nobody awaits was rejected: null$/m);
});

test("the records of a run that a stray error ended are complete", async () => {
  const record = file("stray.ndjson", "");
  const { code } = await stepgraph(["run", plan("later"), "--handlers", module, "--record", record, "--json"]);
  assert.equal(code, 1);
  const lines = readFileSync(join(folder, record), "utf8").trim().split("\n");
  assert.deepEqual(JSON.parse(lines.at(-1)).outcome, "cancelled");
});

test("a module that throws while it loads ends the command", async () => {
  const broken = file("broken.mjs", "setTimeout(() => { throw new Error('soon'); });\nawait new Promise(() => {});\n");
  const { err, code } = await stepgraph(["run", plan("write"), "--handlers", broken]);
  assert.equal(code, 1);
  assert.match(err, /handler\/uncaught.*soon/);
});

test("`test` reports a stray error", async () => {
  const tested = file("tested.yaml", "nodes: {a: {type: later}}\ntests: [{name: once, expect: {last: 7}}]\n");
  const { err, code } = await stepgraph(["test", tested, "--handlers", module]);
  assert.equal(code, 1);
  assert.match(err, /handler\/uncaught.*from a timer/);
});

test("a server keeps its protocol, reports stray errors, and survives them", async () => {
  const client = await overStdio(["--handlers", module, "--limit", "timeout_ms=20000"]);
  const run = async (type) =>
    (await client.callTool({ name: "run_plan", arguments: { plan: `nodes: {a: {type: ${type}}}` } })).structuredContent;
  let err = "";
  client.transport.stderr.on("data", (part) => (err += part));
  try {
    assert.deepEqual((await run("write")).status, "completed");
    assert.deepEqual((await run("quick")).status, "completed");
    while (!err.includes("handler/uncaught")) await once(client.transport.stderr, "data");
    assert.match(err, /outside of a call: from a timer/);
    assert.deepEqual((await run("write")).status, "completed");
  } finally {
    await client.close();
  }
});
