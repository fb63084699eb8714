// Tests plans that run other files: commands read nothing outside of the plan's folder.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { PlanGraph } from "../../dist/node.js";
import { createSqliteFolder } from "../servers/sqlite.mjs";
import { editor } from "./lsp/client.mjs";
import { overStdio, textOf } from "./serve/client.mjs";
import { example, file, folder, stepgraph } from "./stepgraph.mjs";

mkdirSync(join(folder, "plans/sub"), { recursive: true });

const MAIN = "start: ask\nnodes:\n  ask: {type: graph, input: {n: 1}, graph: ./sub/ask.yaml}\n";
const ASK =
  'start: a\nnodes:\n  a: {type: approve, input: "${input.n}"}\n  b: {type: log, input: done}\nedges:\n  - {from: a, to: b, condition: last==approved}\n';
const BAD = "nodes:\n  a: {type: log, inptu: 1}\n";

const { hash: HASH } = PlanGraph.load(MAIN, { files: { "sub/ask.yaml": ASK } });

const write = () => {
  file("plans/main.yaml", MAIN);
  file("plans/sub/ask.yaml", ASK);
  file("plans/bad.yaml", "nodes: {a: {type: graph, graph: sub/bad.yaml}}\n");
  file("plans/sub/bad.yaml", BAD);
};
write();

test("the example runs, and its tests pass", async () => {
  const order = example("files/order.yaml");
  const checked = await stepgraph(["check", order, example("files/parts/item.yaml"), example("files/parts/say.yaml")]);
  assert.equal(checked.code, 0, checked.out);
  const tested = await stepgraph(["test", order]);
  assert.deepEqual([tested.code, /\n1 passed, 0 failed\n$/.test(tested.out)], [0, true], tested.out);
  const ran = await stepgraph([
    "run",
    order,
    "--input",
    'items=["tea"]',
    "--stubs",
    file("stock.stubs.yaml", "tools: {stock: {return: {left: 3}}}"),
  ]);
  assert.deepEqual([ran.code, ran.out], [0, "1 items: tea (3 left)\n"], ran.err);
});

test("`check` points into the file", async () => {
  const { code, out } = await stepgraph(["check", "plans/bad.yaml"]);
  assert.equal(code, 2);
  assert.match(
    out,
    /error\[graph\/unknown-key\]: `inptu` is not a known key here\n {1}--> plans\/sub\/bad\.yaml:2:18\n {2}\|\n2 \| {3}a: \{type: log, inptu: 1\}\n/,
  );
  const json = JSON.parse((await stepgraph(["check", "plans/bad.yaml", "--json"])).out);
  const { file: path, line, column } = json.files[0].diagnostics[0];
  assert.deepEqual([json.files[0].file, path, line, column], ["plans/bad.yaml", "sub/bad.yaml", 2, 18]);
  const sarif = JSON.parse((await stepgraph(["check", "plans/bad.yaml", "--output", "sarif"])).out);
  const { artifactLocation, region } = sarif.runs[0].results[0].locations[0].physicalLocation;
  assert.deepEqual([artifactLocation.uri, region.startLine, region.startColumn], ["plans/sub/bad.yaml", 2, 18]);
  const github = await stepgraph(["check", "plans/bad.yaml", "--output", "github"]);
  assert.match(github.out, /^::error file=plans\/sub\/bad\.yaml,line=2,endLine=2,col=18,/);
  const ran = await stepgraph(["run", "plans/bad.yaml"]);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /--> plans\/sub\/bad\.yaml:2:18/);
});

test("files outside of the folder, and files that can't be read, are refused", async () => {
  file("secret.yaml", "nodes: {a: {type: log}}");
  symlinkSync(join(folder, "secret.yaml"), join(folder, "plans/link.yaml"));
  symlinkSync(join(folder, "plans/sub"), join(folder, "plans/inside"));
  mkdirSync(join(folder, "plans/folder.yaml"));
  writeFileSync(join(folder, "plans/latin.yaml"), Buffer.from('nodes: {a: {type: log, input: "\xe9"}}', "latin1"));
  const check = async (path) => {
    file("plans/one.yaml", `nodes: {a: {type: graph, input: {n: 1}, graph: ${path}}}`);
    const { out } = await stepgraph(["check", "plans/one.yaml", "--json"]);
    return JSON.parse(out).files[0].diagnostics.map(({ code, message }) => `${code} ${message}`);
  };
  assert.deepEqual(await check("../secret.yaml"), [
    "file/outside-folder `../secret.yaml` is outside the folder of the plan",
  ]);
  assert.deepEqual(await check("link.yaml"), ["file/outside-folder `link.yaml` is outside the folder of the plan"]);
  assert.deepEqual(await check("gone.yaml"), ["file/unreadable can't read `gone.yaml`: there is no such file"]);
  assert.deepEqual(await check("folder.yaml"), ["file/unreadable can't read `folder.yaml`: it is a folder"]);
  assert.deepEqual(await check("latin.yaml"), ["file/unreadable can't read `latin.yaml`: it is not UTF-8 text"]);
  assert.deepEqual(await check("one.yaml"), ["file/circle `one.yaml` runs itself: `one.yaml` → `one.yaml`"]);
  assert.deepEqual(await check("inside/ask.yaml"), []);
  assert.deepEqual(
    await check(join(folder, "secret.yaml").replaceAll("\\", "/")).then(([one]) => one.split(" ")[0]),
    "file/invalid-path",
  );
});

test("a plan from standard input runs files of the current folder", async () => {
  const { code, out } = await stepgraph(["check", "-", "--json"], { input: MAIN.replace("./sub", "plans/sub") });
  assert.deepEqual([code, JSON.parse(out).errors], [0, 0], out);
});

test("a bundle resumes a run without the files", async () => {
  write();
  const paused = await stepgraph(["run", "plans/main.yaml", "--snapshot", "paused.json", "--quiet"]);
  assert.equal(paused.code, 4, paused.err);
  const bundle = await stepgraph(["graph", "plans/main.yaml", "--output", "json"]);
  file("bundle.json", bundle.out);
  assert.equal(PlanGraph.load(bundle.out).hash, HASH);
  rmSync(join(folder, "plans/sub/ask.yaml"));
  const gone = await stepgraph(["run", "plans/main.yaml", "--resume", "paused.json"]);
  assert.equal(gone.code, 2);
  assert.match(gone.err, /error\[file\/unreadable\]: can't read `sub\/ask\.yaml`: there is no such file/);
  const [, call] = /--approve (\S+)/.exec(paused.err);
  const resumed = await stepgraph(["run", "bundle.json", "--resume", "paused.json", "--approve", call, "--quiet"]);
  assert.deepEqual([resumed.code, resumed.out], [0, "done\n"], resumed.err);
  write();
});

test("an audit keeps the plan with its files", async () => {
  const place = await createSqliteFolder();
  try {
    mkdirSync(place.path("sub"));
    writeFileSync(place.path("main.yaml"), MAIN);
    writeFileSync(place.path("sub/ask.yaml"), ASK);
    assert.equal((await place.command(["run", "main.yaml", "--audit", "audit.db", "--quiet"])).code, 4);
    rmSync(place.path("sub/ask.yaml"));
    const [stored] = JSON.parse((await place.command(["runs", "list", "--json", "--db", "audit.db"])).out).runs;
    const kept = await place.command(["runs", "export", stored.id, "--as", "plan", "--db", "audit.db"]);
    assert.equal(PlanGraph.load(kept.out).hash, HASH, kept.err);
    const replayed = await place.command(["runs", "replay", stored.id, "--db", "audit.db"]);
    assert.equal(replayed.code, 0, replayed.err);
  } finally {
    place.remove();
  }
});

test("`format` keeps the path, and `diff` looks into the files", async () => {
  file("plans/loose.yaml", "nodes:   {a: {type: graph,   graph: ./sub/ask.yaml}}\n");
  assert.equal((await stepgraph(["format", "plans/loose.yaml"])).code, 0);
  assert.equal(
    readFileSync(join(folder, "plans/loose.yaml"), "utf8"),
    "nodes: {a: {type: graph, graph: ./sub/ask.yaml}}\n",
  );
  mkdirSync(join(folder, "next/sub"), { recursive: true });
  file("next/main.yaml", MAIN);
  file("next/sub/ask.yaml", ASK.replace("input: done", "input: ended"));
  const { code, out } = await stepgraph(["diff", "plans/main.yaml", "next/main.yaml"]);
  assert.equal(code, 1);
  assert.match(out, /input.*`b`/);
  const drawn = await stepgraph(["graph", "plans/main.yaml"]);
  assert.match(drawn.out, /b<br\/>log/);
});

test("the server runs files of its folder, and resumes without them", async () => {
  write();
  const client = await overStdio(["--plans", "plans", "--caller-decides"]);
  try {
    const call = async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      assert.ok(result.structuredContent, textOf(result));
      return result.structuredContent;
    };
    const bad = await call("check_plan", { path: "bad.yaml" });
    assert.deepEqual(
      bad.diagnostics.map(({ code, file: path, line, column }) => [code, path, line, column]),
      [["graph/unknown-key", "sub/bad.yaml", 2, 18]],
    );
    const sent = await call("check_plan", { plan: MAIN });
    assert.deepEqual(
      sent.diagnostics.map(({ code }) => code),
      ["file/not-given"],
    );
    const good = await call("check_plan", { path: "main.yaml" });
    assert.equal(good.ok, true);
    const paused = await call("run_plan", { path: "main.yaml" });
    assert.equal(paused.status, "paused");
    assert.equal(paused.plan_hash, good.plan_hash);
    rmSync(join(folder, "plans/sub/ask.yaml"));
    const [{ call: asked }] = paused.asks;
    const done = await call("resume_run", { run: paused.run, decisions: { [asked]: "approved" } });
    assert.deepEqual([done.status, done.last], ["completed", "done"]);
  } finally {
    await client.close();
    write();
  }
});

test("the language server reads the files beside the plan", async () => {
  const one = editor({ files: { "bad.yaml": BAD } });
  after(() => one.gone());
  await one.initialize();
  const text =
    "nodes:\n  a: {type: graph, input: {n: 1}, graph: ./bad.yaml}\n  b: {type: map, input: [1], do: gone.yaml}\nedges: [{from: a, to: b}]\n";
  await one.open("open.yaml", text);
  const found = ({ diagnostics }) =>
    diagnostics.map(({ message, range }) => [message.split("\n")[0], range.start.line]);
  assert.deepEqual(found(await one.next("textDocument/publishDiagnostics")), [
    ["bad.yaml:2:18: `inptu` is not a known key here", 1],
    ["can't read `gone.yaml`: there is no such file", 2],
  ]);
  const at = { textDocument: { uri: one.uri("open.yaml") }, position: { line: 1, character: 46 } };
  const definition = await one.ask("textDocument/definition", at);
  assert.deepEqual([definition.uri, definition.range.start.line], [one.uri("bad.yaml"), 0]);
  assert.deepEqual((await one.ask("textDocument/completion", at)).items, []);
  one.write("bad.yaml", BAD.replace("inptu", "input"));
  await one.tell("textDocument/didSave", { textDocument: { uri: one.uri("bad.yaml") } });
  assert.deepEqual(found(await one.next("textDocument/publishDiagnostics")), [
    ["can't read `gone.yaml`: there is no such file", 2],
  ]);
  await one.end();
});
