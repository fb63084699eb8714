// Tests `stepgraph upgrade`, `run --upgrade` and `run --restart-at` with changed plans.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { createSqliteFolder } from "../servers/sqlite.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const PLAN = `nodes:
  fetch: {type: log, input: "data for \${input}"}
  ask: {type: approve, input: "send \${last}?"}
  send: {type: log, input: sent}
edges:
  - {from: fetch, to: ask, condition: last.exists}
  - {from: ask, to: send, condition: last == approved}
`;
const old = file("old.yaml", PLAN);
const safe = file("safe.yaml", PLAN.replace("sent}", "really sent}"));
const unsafe = file("unsafe.yaml", PLAN.replace("data for", "news for").replace(", condition: last.exists", ""));
const short = file("short.yaml", `limits: {steps: 1}\n${PLAN}`);
const resume = ["--resume", "run.json"];

before(async () => {
  const { code, err } = await stepgraph(["run", old, "--prompt", "hola", "--snapshot", "run.json"]);
  assert.equal(code, 4, err);
});

test("a proved upgrade says so, and changes nothing", async () => {
  const before = readFileSync(join(folder, "run.json"), "utf8");
  const { code, out, err } = await stepgraph(["upgrade", safe, ...resume]);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^proved: the run may continue with this plan/);
  assert.equal(readFileSync(join(folder, "run.json"), "utf8"), before);
  const json = await stepgraph(["upgrade", safe, ...resume, "--json"]);
  assert.deepEqual(JSON.parse(json.out), { proved: true, conflicts: [] });
});

test("conflicts have their place, the line, and a way out", async () => {
  const { code, out } = await stepgraph(["upgrade", unsafe, ...resume, "--from", old]);
  assert.equal(code, 1);
  const lines = out.split("\n");
  assert.equal(lines[0], "error[upgrade/node-changed]: `fetch` has run, and its `input` has changed since");
  assert.equal(lines[1], " --> unsafe.yaml:2:3");
  assert.equal(lines[4], "  |   ^^^^^");
  assert.equal(lines[5], "  = help: restart the run with `--restart-at fetch`, or finish it with the old plan");
  assert.match(
    out,
    /error\[upgrade\/edges-changed\]: the condition of the edge `fetch` → `ask` has changed, and the run/,
  );
  assert.equal(lines.at(-2), "not proved: 2 conflicts");
});

test("a plan from standard input shows its lines, too", async () => {
  const { code, out } = await stepgraph(["upgrade", "-", ...resume], { input: readFileSync(join(folder, unsafe)) });
  assert.equal(code, 1);
  assert.match(out, / --> standard input:2:3\n {2}\|\n2 \| {3}fetch: /);
});

test("a conflict in another file has the file", async () => {
  const inner = "nodes:\n  ask: {type: approve, input: old}\n";
  for (const [name, text] of [
    ["inner.yaml", inner],
    ["changed-inner.yaml", inner.replace("old", "new")],
  ])
    file(name, text);
  file("outer.yaml", "nodes: {sub: {type: graph, graph: inner.yaml}}\n");
  const changed = file("changed-outer.yaml", "nodes: {sub: {type: graph, graph: changed-inner.yaml}}\n");
  assert.equal((await stepgraph(["run", "outer.yaml", "--snapshot", "outer.json", "-q"])).code, 4);
  const { code, out } = await stepgraph(["upgrade", changed, "--resume", "outer.json", "--from", "outer.yaml"]);
  assert.equal(code, 1);
  assert.match(out, /`sub\/ask` waits for an answer, and its `input` has changed since\n --> changed-inner.yaml:2:3\n/);
  assert.match(out, /help: restart the run with `--restart-at sub`/);
});

test("a conflict of a limit shows its line", async () => {
  const { code, out } = await stepgraph(["upgrade", short, ...resume]);
  assert.equal(code, 1);
  assert.match(out, /`limits.steps` is now 1, and the run has used 2\n --> short.yaml:1:1/);
});

test("run --upgrade continues a proved run, and refuses any other", async () => {
  const refused = await stepgraph(["run", safe, ...resume, "--approve", "ask:1:1"]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /run\/plan-changed.*\n {2}= help: add `--upgrade` to continue/);
  const done = await stepgraph(["run", safe, ...resume, "--upgrade", "--approve", "ask:1:1", "-q"]);
  assert.deepEqual([done.code, done.out], [0, "really sent\n"], done.err);
  const conflict = await stepgraph(["run", unsafe, ...resume, "--upgrade", "--approve", "ask:1:1"]);
  assert.equal(conflict.code, 2);
  assert.match(conflict.err, /error\[upgrade\/node-changed\][^]*not run: the plan has changed .*: 2 conflicts\n$/);
  const json = await stepgraph(["run", unsafe, ...resume, "--upgrade", "--json"]);
  const { outcome } = JSON.parse(json.out);
  assert.deepEqual([json.code, outcome.code, outcome.diagnostics[0].line], [2, "run/plan-changed", 2]);
});

test("run --restart-at runs a node and those that follow again", async () => {
  const first = await stepgraph(["run", unsafe, ...resume, "--restart-at", "fetch", "--json"]);
  const { outcome, path } = JSON.parse(first.out);
  assert.deepEqual(
    [first.code, outcome.approval.input, path],
    [4, "send news for hola?", ["fetch", "ask", "fetch", "ask"]],
  );
  const typo = await stepgraph(["run", unsafe, ...resume, "--restart-at", "fetsh"]);
  assert.equal(typo.code, 2, typo.err);
  assert.match(typo.err, /no node `fetsh` to restart at; did you mean `fetch`\?/);
  const unknown = await stepgraph(["run", unsafe, ...resume, "--restart-at", "somewhere"]);
  assert.match(unknown.err, /no node `somewhere` to restart at; use `fetch`, `ask`, `send`/);
  const skips = await stepgraph(["run", unsafe, ...resume, "--restart-at", "send"]);
  assert.equal(skips.code, 0, skips.err);
  assert.match(skips.err, /^warning: the run waits at `ask`, and a restart at `send` skips its answer\n/);
  for (const node of ["fetch", "ask"])
    assert.doesNotMatch((await stepgraph(["run", unsafe, ...resume, "--restart-at", node])).err, /warning/);
});

test("options that need others are refused", async () => {
  for (const [args, message] of [
    [["upgrade", safe], /`stepgraph upgrade` needs a run/],
    [["upgrade", safe, "--store", "runs.db"], /`--store` and `--run-id` belong together/],
    [["upgrade", safe, ...resume, "--store", "runs.db", "--run-id", "x"], /`stepgraph upgrade` needs a run/],
    [["upgrade", safe, "--store", "runs.db", "--run-id", "x", "--from", old], /can't be combined/],
    [["upgrade", safe, "--resume", "nowhere.json"], /can't read `nowhere.json`/],
    [["upgrade", "nowhere.yaml", ...resume], /nowhere.yaml/],
    [["run", safe, "--upgrade"], /`--upgrade` continues a run/],
    [["run", safe, "--restart-at", "ask"], /`--restart-at` continues a run from a snapshot/],
    [["run", safe, ...resume, "--upgrade", "--restart-at", "ask"], /can't be combined/],
    [["run", safe, "--store", "runs.db", "--run-id", "x", "--restart-at", "ask"], /runs export RUN .* --as snapshot/],
    [["run", safe, ...resume, "--from", old], /`--from` names the old plan of a snapshot/],
    [["upgrade", unsafe, ...resume, "--from", safe], /`--from safe.yaml` is not the plan of the snapshot/],
  ]) {
    const { code, err } = await stepgraph(args);
    assert.equal(code, 2, `${args}: ${err}`);
    assert.match(err, message);
  }
});

test("a damaged snapshot is refused with its code", async () => {
  const snapshot = JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
  writeFileSync(join(folder, "cut.json"), JSON.stringify({ ...snapshot, state: { ...snapshot.state, graphs: [] } }));
  const { code, err } = await stepgraph(["upgrade", safe, "--resume", "cut.json"]);
  assert.equal(code, 2);
  assert.match(err, /the snapshot can't be resumed: its state is cut or damaged/);
});

test("a run of a store is compared, and moves", async (context) => {
  const place = await createSqliteFolder();
  context.after(() => place.remove());
  for (const name of [old, safe, unsafe]) copyFileSync(join(folder, name), place.path(name));
  const cli = (args) => place.command(args);
  const kept = ["--store", "runs.db", "--run-id", "order"];
  const first = await cli(["run", old, "--prompt", "hola", ...kept, "-q"]);
  assert.equal(first.code, 4, first.err);
  assert.equal((await cli(["upgrade", safe, ...kept])).code, 0);
  const conflict = await cli(["upgrade", unsafe, ...kept]);
  assert.equal(conflict.code, 1, conflict.err);
  assert.match(conflict.out, /its `input` has changed since\n --> unsafe.yaml:2:3/);
  assert.match(conflict.out, /help: export the run by `runs export --as snapshot` and restart it with `--restart-at f/);
  const refused = await cli(["run", unsafe, ...kept, "--upgrade", "-q"]);
  assert.equal(refused.code, 2, refused.err);
  assert.match(refused.err, /run\/plan-changed/);
  const decided = await cli(["run", unsafe, ...kept, "--upgrade", "--approve", "ask:1:1", "-q"]);
  assert.equal(decided.code, 2, decided.err);
  const hash = ["--plan-hash", "0".repeat(64)];
  const hashed = await cli(["run", old, ...kept, ...hash, "--approve", "ask:1:1", "-q"]);
  assert.equal(hashed.code, 2, hashed.err);
  const { out: open } = await cli(["approvals", "--store", "runs.db"]);
  assert.match(open, /^\? order {2}ask:1:1/, "a refused run takes no decision");
  const own = await cli(["run", safe, ...kept]);
  assert.match(own.err, /^note: the run continues with the plan of the store, .* `--upgrade`\n/);
  const done = await cli(["run", safe, ...kept, "--upgrade", "--approve", "ask:1:1", "-q"]);
  assert.deepEqual([done.code, done.out], [0, "really sent\n"], done.err);
  const ended = await cli(["upgrade", safe, ...kept]);
  assert.deepEqual([ended.code, /upgrade\/ended.*help: begin a new run/s.test(ended.out)], [1, true], ended.out);
  const typo = await cli(["upgrade", safe, "--store", "typo.db", "--run-id", "order"]);
  assert.deepEqual([typo.code, existsSync(place.path("typo.db"))], [1, false], typo.err);
  const unknown = await cli(["upgrade", safe, "--store", "runs.db", "--run-id", "nobody"]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /store\/unknown-run/);
});

test("the guide's commands do what it says", async () => {
  const page = readFileSync(new URL("../../docs/upgrade.md", import.meta.url), "utf8");
  const plan = /```yaml\n(# order\.yaml\n[^]*?)```/.exec(page)[1];
  const [first, again, mapped, stored] = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, text]) =>
    text
      .replaceAll(/ *#.*$/gm, "")
      .replaceAll(/ \\\n */g, " ")
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(/ +/).slice(1)),
  );
  const shop = await createSqliteFolder();
  try {
    const write = (text) => writeFileSync(shop.path("order.yaml"), text);
    const sg = async (args, code) => {
      const found = await shop.command(args);
      assert.equal(found.code, code, `${args.join(" ")}: ${found.err}`);
      return found.out;
    };
    const guarded = plan.replace("to: ask}", "to: ask, condition: last != ''}");
    const [pause, compare, upgrade] = first;
    write(plan);
    await sg(pause, 4);
    write(plan.replace("sent}", "really sent}"));
    assert.match(await sg(compare, 0), /^proved/);
    assert.equal(await sg(upgrade, 0), "really sent\n");

    writeFileSync(shop.path("old.yaml"), plan);
    write(plan.replaceAll("ask", "confirm"));
    await sg(mapped[0], 0);

    write(guarded);
    const shown = /```text\n([^]*?)```/.exec(page)[1];
    assert.equal(await sg(compare, 1), shown);
    const [restart, approve] = again;
    await sg(restart, 4);
    assert.equal(await sg(approve, 0), "sent\n");

    write(plan);
    await sg(["run", "order.yaml", "--prompt", "hola", "--store", "runs.db", "--run-id", "order-17"], 4);
    const [exported, resume] = stored;
    await sg(exported, 0);
    write(guarded);
    await sg(resume, 4);
    await sg(["run", "order.yaml", "--resume", "order-17.json", "--approve", "ask:2:1"], 0);
  } finally {
    shop.remove();
  }
});

test("a run continues after its node got another name", async () => {
  const renamed = file("renamed.yaml", PLAN.replaceAll("fetch", "load").replaceAll("ask", "confirm"));
  const gone = await stepgraph(["upgrade", renamed, ...resume, "--from", old]);
  assert.equal(gone.code, 1);
  assert.match(gone.out, /if the node has another name now,\s+add `--from OLD.yaml --map OLD=NEW`/);
  const map = ["--from", old, "--map", "fetch=load", "--map", "ask=confirm"];
  const { code, out, err } = await stepgraph(["upgrade", renamed, ...resume, ...map]);
  assert.deepEqual([code, err], [0, ""], out);
  const stale = await stepgraph(["run", renamed, ...resume, "--upgrade", ...map, "--approve", "ask:1:1"]);
  assert.equal(stale.code, 2);
  assert.match(stale.err, /the run does not wait for `ask:1:1`/);
  const run = await stepgraph(["run", renamed, ...resume, "--upgrade", ...map, "--approve", "confirm:1:1", "--json"]);
  assert.deepEqual([run.code, JSON.parse(run.out).path], [0, ["load", "confirm", "send"]], run.err);
});

for (const [args, message] of [
  [["--map", "fetch=load"], /`--map` renames nodes of the old plan/],
  [["--from", old, "--map", "fetch"], /`--map fetch` names no two nodes/],
  [["--from", old, "--map", "fetsch=fetch"], /did you mean `fetch`\?/],
  [["--from", old, "--map", "fetch=sned"], /the new plan has no node `sned`[^]*did you mean `send`\?/],
  [["--from", old, "--map", "fetch=ask"], /the nodes can't have these names/],
])
  test(`\`upgrade ${args.join(" ")}\` is a mistake`, async () => {
    const { code, err } = await stepgraph(["upgrade", safe, ...resume, ...args]);
    assert.equal(code, 2);
    assert.match(err, message);
  });
