import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FAILURE_CODES, USAGE_CODES } from "../../dist/cli/usage-error.js";
import { file, folder, start, stepgraph } from "./stepgraph.mjs";

const plan = file(
  "plan.yaml",
  `
id: greeting
start: ask
nodes:
  ask: { type: ask }
  met: { type: noop }
  other: { type: noop }
edges:
  - { from: ask, to: met, condition: last==hola }
  - { from: ask, to: other }
`,
);
const stubs = file("stubs.yaml", "types:\n  ask: echo\n");
const invalidPlan = file("broken.yaml", "nodes:\n  a: { type: noop }\nedges:\n  - { from: a, to: aa }\n");

// covers: 002-cli
test("run prints the last output on standard output and its progress on standard error", async () => {
  const { code, out, err } = await stepgraph(["run", "--plan", plan, "--prompt", "hola", "--stubs", stubs]);
  assert.equal(code, 0, err);
  assert.equal(out, "hola\n");
  assert.match(err, /✓ ask .*"hola"\n {2}→ met {2}since last==hola \(last is "hola"\)\n✓ met/);
  assert.match(err, /completed in .*: 2 steps/);
  assert.ok(!err.includes("\x1b"), "no colours in a pipe");
});

test("run reports a fallback edge as a fallback", async () => {
  const { err } = await stepgraph(["run", plan, "--prompt", "adios", "--stubs", stubs]);
  assert.match(err, /→ other {2}since no condition held \(last is "adios"\)/);
});

test("the prompt and the plan may come from standard input", async () => {
  assert.equal((await stepgraph(["run", plan, "--prompt", "-", "--stubs", stubs], { input: "hola" })).out, "hola\n");
  const text = readFileSync(join(folder, plan), "utf8");
  assert.equal(
    (await stepgraph(["run", "--plan", "-", "--prompt", "hola", "--stubs", stubs], { input: text })).out,
    "hola\n",
  );
});

test("--json prints one report on standard output, and nothing else", async () => {
  const { code, out, err } = await stepgraph([
    "run",
    plan,
    "--json",
    "--input",
    "a=1",
    "--input",
    "b:=2",
    "--stubs",
    stubs,
  ]);
  assert.equal(code, 0, err);
  const report = JSON.parse(out);
  assert.deepEqual(report.outcome, { type: "completed", reason: "terminal" });
  assert.deepEqual(report.outputs.input, { a: "1", b: 2 });
  assert.deepEqual(report.path, ["ask", "other"]);
  assert.equal(err, "");
});

test("--audit appends one event per line to an existing file", async () => {
  file("audit.ndjson", '{"type":"earlier"}\n');
  const { out } = await stepgraph([
    "run",
    plan,
    "--json",
    "--prompt",
    "hola",
    "--stubs",
    stubs,
    "--audit",
    "audit.ndjson",
  ]);
  const [earlier, ...events] = readFileSync(join(folder, "audit.ndjson"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(earlier.type, "earlier");
  assert.ok(events.length > 4);
  const { trace, planHash } = JSON.parse(out);
  const [{ run }] = events;
  assert.match(run, /^[0-9a-f]{32}$/);
  // One file can hold several runs.
  assert.deepEqual(
    events,
    trace.map((event) => ({ ...event, run, plan: planHash })),
  );
});

test("--quiet: nothing but the output", async () => {
  assert.deepEqual(await stepgraph(["run", plan, "-q", "--prompt", "hola", "--stubs", stubs]), {
    code: 0,
    out: "hola\n",
    err: "",
  });
});

test("a failed run names the failed node and exits with 1", async () => {
  const failing = file("failing.yaml", "types:\n  ask: { fail: no answer, code: ask/none }\n");
  const { code, out, err } = await stepgraph(["run", plan, "--stubs", failing]);
  assert.equal(code, 1, err);
  assert.equal(out, "");
  assert.match(err, /✗ ask .*ask\/none: no answer/);
  assert.match(err, /error\[ask\/none\]: no answer\n {2}--> [^\n]*node `ask`/);
  assert.match(err, /failed in /);
});

test("a plan with errors does not run, and ends with 2", async () => {
  const { code, out, err } = await stepgraph(["run", invalidPlan]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /error\[graph\/unknown-node\]: .*\n --> broken\.yaml:4:\d+\n/);
  assert.match(err, /not run: the plan has 1 error/);
  const report = JSON.parse((await stepgraph(["run", invalidPlan, "--json"])).out);
  assert.equal(report.outcome.code, "run/invalid-plan");
  assert.equal(report.outcome.diagnostics[0].code, "graph/unknown-node");
});

test("a type without a handler is found before anything runs", async () => {
  const { code, err } = await stepgraph(["run", plan]);
  assert.equal(code, 2, err);
  assert.match(err, /error\[graph\/unknown-type\]/);
});

test("Ctrl-C cancels the run, which prints its report and exits with 130", async () => {
  const slow = file("slow.yaml", "types:\n  ask: { return: 1, delay_ms: 600000 }\n");
  const { child, done, until } = start(["run", plan, "-v", "--stubs", slow, "--audit", "slow.ndjson"]);
  await until("▸ ask");
  child.kill("SIGINT");
  const { code, err } = await done;
  assert.equal(code, 130, err);
  assert.match(err, /– ask +abandoned\n/);
  assert.match(err, /cancelled in /);
  const events = readFileSync(join(folder, "slow.ndjson"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map((event) => event.type),
    ["run-started", "node-started", "run-ended"],
  );
  assert.equal(events.at(-1).outcome.type, "cancelled");
});

test("check rejects a folder and names the plan files in it", async () => {
  mkdirSync(join(folder, "empty"));
  const empty = await stepgraph(["check", "empty/"]);
  assert.equal(empty.code, 2);
  assert.match(
    empty.out,
    /can't read `empty\/`: it is a folder\n.*help: it contains no file that ends in \.yaml, \.yml, \.json;/,
  );
  assert.match(empty.out, /\nnothing checked, 1 file not read\n$/);
  writeFileSync(join(folder, "empty", "a.yml"), "nodes: {}");
  const full = await stepgraph(["check", "empty"]);
  assert.match(full.out, /help: name the files in it, as in `empty\/\*\.yml`\n/);
});

test("check: every problem of every file, then the tally", async () => {
  const { code, out } = await stepgraph(["check", plan, invalidPlan, "missing.yaml"]);
  assert.equal(code, 2);
  assert.match(out, /error\[graph\/unknown-node\]/);
  assert.match(out, /can't read `missing\.yaml`: there is no such file/);
  assert.match(out, /2 plans checked: 1 error, 1 file not read\n$/);
  const fine = await stepgraph(["check", plan]);
  assert.deepEqual([fine.code, fine.err], [0, ""]);
  assert.match(
    fine.out,
    /^plan\.yaml {2}[0-9a-f]{64}\n {2}handlers {2}ask\n {2}limits {4}25 visits per node, no time limit\n1 plan checked: no problems\n$/,
  );
  const report = JSON.parse((await stepgraph(["check", invalidPlan, "--json"])).out);
  assert.deepEqual([report.errors, report.files[0].file, report.files[0].diagnostics[0].line], [1, "broken.yaml", 4]);
});

test("check --stubs reports exactly the plans that run --stubs refuses", async () => {
  const lacking = file(
    "lacking.yaml",
    `
start: a
nodes:
  a: {type: ask}
  b: {type: llm, input: hi}
  c: {type: tool, tool: pay, input: {}}
  d: {type: foo}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}]
`,
  );
  const codes = (text) =>
    [...text.matchAll(/^(?:error|warning)\[(.*?)\]|lacking.yaml:\d+:\d+/gm)].map(([found]) => found);
  const checked = await stepgraph(["check", lacking, "--stubs", stubs]);
  const ran = await stepgraph(["run", lacking, "--stubs", stubs]);
  assert.deepEqual([checked.code, ran.code, codes(checked.out).length], [2, 2, 6], checked.out);
  assert.deepEqual(codes(checked.out), codes(ran.err));
  assert.equal((await stepgraph(["check", plan, "--stubs", stubs])).code, 0);
});

test("check and run treat an empty `with` like a missing one", async () => {
  const empty = file("empty-with.yaml", "start: a\nnodes:\n  a:\n    type: llm\n    input: hi\n    with:\n");
  const answer = file("empty-with.stubs.yaml", "models: {default: {return: hola}}\n");
  const checked = await stepgraph(["check", empty, "--stubs", answer]);
  assert.deepEqual([checked.code, /no problems/.test(checked.out)], [0, true], checked.out + checked.err);
  const ran = await stepgraph(["run", empty, "--stubs", answer]);
  assert.deepEqual([ran.code, ran.out], [0, "hola\n"], ran.err);
});

test("check reports wrong settings and nested nodes without a host", async () => {
  const wrong = file(
    "settings.yaml",
    `start: m
nodes:
  m: {type: map, input: [1], with: {concurency: 4, join: setled}, do: {nodes: {q: {type: noop}}}}
  g: {type: graph}
  l: {type: llm, input: hi, with: {schema: {type: objekt}, max_tokens: 0, temperature: 9}}
  ag: {type: agent, with: {max_turns: 0}}
  t: {type: tool}
edges: [{from: m, to: g}, {from: g, to: l}, {from: l, to: ag}, {from: ag, to: t}]
`,
  );
  const { code, out } = await stepgraph(["check", wrong, "--json"]);
  const { errors, warnings, files } = JSON.parse(out);
  assert.deepEqual([code, errors, warnings], [2, 8, 0]);
  assert.deepEqual(
    files[0].diagnostics.map((one) => one.code),
    [
      "graph/unknown-key",
      "graph/wrong-shape",
      "graph/nothing-inside",
      "schema/invalid",
      "graph/wrong-shape",
      "graph/wrong-shape",
      "graph/wrong-shape",
      "graph/missing-tool",
    ],
  );
  const hosted = file(
    "hosted.yaml",
    "start: a\nnodes: {a: {type: tool, tool: t}, b: {type: llm, input: hi}, c: {type: own}}\nedges: [{from: a, to: b}, {from: b, to: c}]\n",
  );
  const fine = await stepgraph(["check", hosted]);
  assert.equal(fine.code, 0, fine.out);
});

test("check recognizes stub files next to plans", async () => {
  const fine = file("fine.stubs.yaml", "types: {ask: echo}\n");
  const both = await stepgraph(["check", plan, fine]);
  assert.deepEqual([both.code, both.err], [0, ""]);
  assert.match(both.out, /\n2 files checked: no problems\n$/);
  const bad = file("bad.stubs.yaml", "tools: {ask: {retrun: 1}}\n");
  const { code, out } = await stepgraph(["check", bad]);
  assert.equal(code, 2);
  assert.match(out, /^error\[stub\/unknown-key\].*`retrun`\n --> bad\.stubs\.yaml:1:15\n[^]*did you mean `return`\?/);
});

test("run names the flag for each missing input", async () => {
  const needy = file(
    "needy.yaml",
    "start: a\nnodes: {a: {type: tool, tool: t}, b: {type: llm, input: hi}}\nedges: [{from: a, to: b}]\n",
  );
  const { code, err } = await stepgraph(["run", needy]);
  assert.equal(code, 2);
  assert.match(
    err,
    /no tool `t`[^]*help: name the server that has it by `--server URL`[^]*no model `default`[^]*help: name one by `--model-url URL`/,
  );
  assert.match(err, /not run: the plan has 2 errors\n$/);
});

test("check rejects bytes that are not text, and too many bytes", async () => {
  for (const [name, bytes] of [
    ["latin.yaml", Buffer.from("a: \xff", "latin1")],
    ["zeros.yaml", Buffer.alloc(1000)],
    ["large.yaml", Buffer.alloc(20_000_000, "a: b\n")],
  ]) {
    const { code, out, err } = await stepgraph(["check", file(name, bytes)]);
    assert.equal(code, 2, err);
    assert.match(out, /error\[[a-z]+\/[a-z-]+\]: /);
    assert.ok(out.length < 10_000, `${name}: ${out.length} characters`);
  }
});

test("graph: Mermaid, Graphviz and JSON", async () => {
  assert.match(
    (await stepgraph(["graph", plan])).out,
    /^flowchart TD\n[^]* {2}start\(\(start\)\)\n[^]* {2}start --> n0\n[^]*n0 -->\|"last==hola"\| n1/,
  );
  assert.match(
    (await stepgraph(["graph", plan, "--output", "dot"])).out,
    /^digraph "greeting" \{[^]*n0 -> n2 \[label=" else "\];[^]*\n\}\n$/,
  );
  const drawn = JSON.parse((await stepgraph(["graph", plan, "--output=json"])).out);
  assert.deepEqual([drawn.start, Object.keys(drawn.nodes)], ["ask", ["ask", "met", "other"]]);
  assert.equal((await stepgraph(["graph", invalidPlan])).code, 2);
});

test("tools names a server that does not exist", async () => {
  const { code, err } = await stepgraph(["tools", "http://127.0.0.1:1/mcp"]);
  assert.equal(code, 1);
  assert.match(err, /can't list the tools: `127\.0\.0\.1:1\/mcp` could not be reached/);
});

test("bad usage prints one sentence with a remedy and exits with 2", async () => {
  const cases = [
    [["run", plan, "--promt", "x"], "unknown-option", /knows no `--promt`[^]*did you mean `--prompt`\?/],
    [["rnu"], "unknown-command", /did you mean `stepgraph run`\?/],
    [["run"], "missing-argument", /needs a plan/],
    [["run", plan, "--plan", plan], "extra-argument", /takes one plan, not 2/],
    [["run", "nowhere.yaml"], "unreadable-file", /can't read `nowhere\.yaml`: there is no such file\n.*check the name/],
    [["run", "plan.yml"], "unreadable-file", /can't read `plan\.yml`[^]*did you mean `plan\.yaml`\?/],
    [["check"], "missing-argument", /needs at least one file[^]*write `stepgraph check FILE\.\.\./],
    [["graph", plan, plan], "extra-argument", /takes one file, not 2/],
    [["run", plan, "--server", "nonsense"], "not-found", /the plan names no server `nonsense`[^]*write an address/],
    [
      ["run", plan, "--timeout", "5s"],
      "bad-value",
      /`--timeout 5s` is not a number of milliseconds[^]*write `--timeout 5000`/,
    ],
    [["run", plan, "--audit", "no/such/folder.ndjson", "--stubs", stubs], "unwritable-file", /can't write/],
    [["graph", plan, "-o", "doot"], "bad-value", /did you mean `dot`\?/],
    [["upgrade", plan, "--store", "a.db", "--run-id", "r", "--from", "b"], "conflicting-options", /can't be combined/],
    [["run", plan, "--model", "anthropic:m"], "missing-setup", /there is no key for it[^]*ANTHROPIC_API_KEY/],
    [["run", plan, "--resume", file("no-snapshot.json", "{}")], "invalid-file", /is not a snapshot/],
  ];
  for (const [args, slug, words] of cases) {
    const { code, out, err } = await stepgraph(args);
    assert.deepEqual([code, out], [2, ""], `${args}: ${err}`);
    assert.ok(err.startsWith(`error[cli/${slug}]: `), err);
    assert.match(err, words);
  }
  const badStubs = file("bad-stubs.yaml", "tpyes: {}\n");
  const { code, err } = await stepgraph(["run", plan, "--stubs", badStubs]);
  const { out } = await stepgraph(["rnu", "--json"]);
  assert.equal(JSON.parse(out).error.code, "cli/unknown-command");
  assert.equal(code, 2);
  assert.match(err, /stubs have no `tpyes`[^]*did you mean `types`\?/);
  assert.match((await stepgraph([])).err, /usage: stepgraph COMMAND/);
});

test("with --json a usage error is one object, and a report of `run`", async () => {
  const read = async (...args) => {
    const { code, out, err } = await stepgraph(args);
    assert.equal(code, 2, err);
    assert.match(err, /^error\[cli\//);
    assert.equal(out.trimEnd().split("\n").length, 1);
    return JSON.parse(out);
  };
  const error = {
    code: "cli/unknown-option",
    message: "`stepgraph run` knows no `--promt`",
    help: "did you mean `--prompt`?",
  };
  const { code, message } = error;
  const report = await read("run", plan, "--promt", "x", "--json");
  assert.deepEqual([report.outcome, report.error, report.trace], [{ type: "failed", code, message }, error, []]);
  for (const args of [
    ["check", "--json"],
    ["check", "--output=json"],
    ["test", "--output", "json"],
    ["diff", plan, "--json"],
    ["cost", "--json"],
  ])
    assert.equal((await read(...args)).error.code, "cli/missing-argument", args.join(" "));
  assert.equal((await read("run", "none.yaml", "--json")).outcome.code, "cli/unreadable-file");
  const checked = await stepgraph(["check", "none.yaml", "--json"]);
  assert.equal(JSON.parse(checked.out).files[0].error.code, "cli/unreadable-file");
  const unknown = await stepgraph(["schema", "--json"]);
  assert.deepEqual([unknown.code, unknown.out], [2, ""], "`schema` has no --json");
});

test("a PostgreSQL store without the package `pg` says in one line how to install it", async () => {
  const url = "postgres://user:secret@127.0.0.1:1/runs";
  for (const args of [
    ["run", file("without-pg.yaml", "nodes: {a: {type: noop}}\n"), "--store", url],
    ["approvals", "list", "--store", url],
  ]) {
    const { code, out, err } = await stepgraph(args);
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(
      err,
      /^error\[cli\/missing-setup\]: can't load the package `pg`: .*\n {2}= help: .*npm install pg`\n$/,
    );
  }
});

test("docs/cli.md lists each code of the command with its meaning", () => {
  const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(cli\/[a-z-]+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
  assert.deepEqual(Object.fromEntries(rows), { ...USAGE_CODES, ...FAILURE_CODES });
});

test("help and version answer on standard output", async () => {
  assert.match((await stepgraph(["--help"])).out, /usage: stepgraph COMMAND/);
  for (const args of [
    ["run", "--help"],
    ["help", "run"],
    ["run", "-h", "--nonsense"],
  ]) {
    const { code, out, err } = await stepgraph(args);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /usage: stepgraph run/);
  }
  assert.match((await stepgraph(["--version"])).out, /^\d+\.\d+\.\d+\n$/);
});

test("the output has colours only if they are requested", async () => {
  assert.ok((await stepgraph(["run", invalidPlan], { env: { FORCE_COLOR: "1" } })).err.includes("\x1b[31m"));
  assert.ok(
    !(await stepgraph(["run", invalidPlan], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).err.includes("\x1b"),
  );
});

test("the command ends quietly when its reader closes the pipe", async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
  const long = file("long.yaml", `start: n0\nnodes:\n${names.map((name) => `  ${name}: { type: noop }\n`).join("")}`);
  const { child, done } = start(["graph", long]);
  child.stdout.once("data", () => child.stdout.destroy());
  const { code, err } = await done;
  assert.deepEqual([code, err], [0, ""]);
});
