// Plays the first minute without a network: `stepgraph init` and `stepgraph examples`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { DEFAULT_TEMPLATE, EXAMPLE_NAMES } from "../../dist/cli/options.js";
import { readYaml } from "../../dist/node.js";
import { example, file, folder, start, stepgraph } from "./stepgraph.mjs";

const offline = file(
  "offline.mjs",
  'import net from "node:net"; net.Socket.prototype.connect = () => { throw new Error("no network"); };',
);
const OFFLINE = { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, offline))}` };

function emptyFolder(name) {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

/** Expands `plans/*.yaml` as a shell does. */
function words(line, cwd) {
  const [program, ...args] = line.match(/'[^']*'|"[^"]*"|\S+/g).map((word) => word.replaceAll(/["']/g, ""));
  assert.equal(program, "npx");
  const plans = () => readdirSync(join(cwd, "plans")).map((name) => `plans/${name}`);
  return args
    .slice(args.findIndex((word) => word.startsWith("stepgraph")) + 1)
    .flatMap((word) => (word === "plans/*.yaml" ? plans() : [word]));
}

/** Ends a command with `--watch` after the first run. */
async function play(line, cwd) {
  const args = words(line, cwd);
  const { child, done, until } = start(args, { cwd, env: OFFLINE });
  if (!args.includes("--watch")) return done;
  await until("watching");
  child.kill("SIGINT");
  const { code, ...rest } = await done;
  return { code: code === 130 ? 0 : code, ...rest };
}

test("the first minute: from an empty folder to a plan that ran, without a network", async () => {
  const cwd = emptyFolder("minute");
  const { code, out, err } = await stepgraph(["init"], { cwd, env: OFFLINE });
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /^7 files written to this folder\n/);
  const suggested = [...out.matchAll(/^ {2}(npx .*)$/gm)].map(([, line]) => line);
  assert.equal(suggested.length, 3);
  for (const line of suggested) assert.equal((await play(line, cwd)).code, 0, line);

  const check = await play("npx stepgraph check --deny warnings plans/*.yaml", cwd);
  assert.equal(check.code, 0, check.out);
  const tested = await play("npx stepgraph test plans/*.yaml", cwd);
  assert.match(tested.out, /\n9 passed, 0 failed\n$/);
  const { run } = readExample(DEFAULT_TEMPLATE);
  const ran = await play(`npx stepgraph ${run}`, cwd);
  assert.equal(JSON.parse(ran.out).advice, "Take a warm coat and gloves, it is freezing out there!");
});

function readExample(name) {
  const plan = readFileSync(example(`${name}.yaml`), "utf8").replaceAll(`examples/${name}.`, `plans/${name}.`);
  const runs = [...plan.matchAll(/^# {3}npx stepgraph (run .*)$/gm)].map(([, run]) => run);
  return { plan, run: runs.find((run) => run.includes("--stubs")) ?? runs[0] };
}

for (const name of EXAMPLE_NAMES)
  test(`a project with the template ${name} passes its own workflow, and runs`, async () => {
    const cwd = emptyFolder(`project-${name}`);
    const { code, out } = await stepgraph(["init", "--template", name, "--json"], { cwd });
    assert.equal(code, 0);
    const { template, files, next, hints } = JSON.parse(out);
    assert.deepEqual([template, hints], [name, []]);
    for (const { path, status } of files) assert.ok(status === "written" && existsSync(join(cwd, path)), path);
    const plan = readFileSync(join(cwd, `plans/${name}.yaml`), "utf8");
    assert.equal(plan, readExample(name).plan);
    assert.ok(!/examples\/[a-z-]+\.yaml/.test(plan), "the comments name the copy");

    const workflow = readYaml(readFileSync(join(cwd, ".github/workflows/stepgraph.yml"), "utf8")).value;
    const steps = workflow.jobs.plans.steps.flatMap(({ run }) => run ?? []);
    assert.equal(steps.length, 3);
    for (const line of steps) {
      const { code, out, err } = await play(line, cwd);
      assert.equal(code, 0, `${line}\n${out}${err}`);
    }
    const shown = readFileSync(join(cwd, "README.md"), "utf8");
    for (const [, line] of [
      ...next,
      ...[...shown.matchAll(/^(npx (?!.*--server).*)$/gm)].map(([, line]) => ["", line]),
    ]) {
      const { code, out, err } = await play(line, cwd);
      // If there is no terminal, a run that asks for approval pauses.
      const expected = name === "approval" && line.includes(" run ") && !line.includes("--watch") ? 4 : 0;
      assert.equal(code, expected, `${line}\n${out}${err}`);
    }
  });

test("editors get the schema for plans, and not for stubs", async () => {
  const cwd = emptyFolder("editor");
  await stepgraph(["init"], { cwd });
  const settings = JSON.parse(readFileSync(join(cwd, ".vscode/settings.json"), "utf8"));
  assert.deepEqual(settings, {
    "yaml.schemas": { "./stepgraph.schema.json": ["plans/*.yaml", "!plans/*.stubs.yaml"] },
  });
  const { out } = await stepgraph(["schema"]);
  assert.equal(readFileSync(join(cwd, "stepgraph.schema.json"), "utf8"), out);
});

test("files that exist stay unchanged, and the command says so", async () => {
  const cwd = emptyFolder("mine");
  mkdirSync(join(cwd, ".vscode"));
  const mine = { "README.md": "mine\n", "package.json": "{}\n", ".vscode/settings.json": "{ /* mine */ }\n" };
  for (const [name, text] of Object.entries(mine)) writeFileSync(join(cwd, name), text);
  const { code, out } = await stepgraph(["init"], { cwd });
  assert.equal(code, 0);
  assert.match(out, /^5 files written/);
  assert.match(out, /· README\.md +kept, because it exists already/);
  assert.match(out, /help: add "yaml\.schemas":\{.*\} to `\.vscode\/settings\.json`/);
  assert.match(out, /help: `package\.json` is unchanged; `npm pkg set .*` adds scripts/);
  for (const [name, text] of Object.entries(mine)) assert.equal(readFileSync(join(cwd, name), "utf8"), text);

  const again = await stepgraph(["init"], { cwd });
  assert.match(again.out, /^0 files written/);
  assert.equal(again.code, 0);
});

test("a link is a file that exists, even if its target does not", { skip: process.platform === "win32" }, async () => {
  const cwd = emptyFolder("links");
  symlinkSync("../elsewhere.md", join(cwd, "README.md"));
  const { code, out } = await stepgraph(["init"], { cwd });
  assert.equal(code, 0);
  assert.match(out, /· README\.md +kept/);
  assert.ok(!existsSync(join(folder, "elsewhere.md")));
});

test("a new folder is made, and the next commands begin in it", async () => {
  const { code, out } = await stepgraph(["init", "new/two words", "--template", "hello"]);
  assert.equal(code, 0);
  assert.match(out, /^6 files written to `new\/two words`\n/);
  assert.match(out, /\nnext\n {2}cd 'new\/two words'\n/);
  assert.ok(!existsSync(join(folder, "new/two words/package.json")));
});

test("a folder that can't be a project is refused", async () => {
  file("taken", "");
  const blocked = emptyFolder("blocked");
  writeFileSync(join(blocked, "plans"), "");
  for (const [args, message, help] of [
    [["init", "taken"], /`taken` is not a folder/, /name a folder/],
    [["init", "taken/below"], /can't write .*: a part of its path is not a folder/, /name another folder/],
    [["init", "blocked"], /can't write .*: a part of its path is not a folder/, /name another folder/],
    [["init", ""], /the folder's name is empty/, /leave it out/],
    [["init", "a", "b"], /takes one folder, not 2/, /stepgraph init/],
    [["init", "--template", "agnet"], /does not accept `agnet`/, /did you mean `--template agent`\?/],
    [["init", "--template", "nothing"], /does not accept `nothing`/, /use `hello`, `weather`/],
    [["init", "--force"], /knows no `--force`/, /help/],
    [["examples", "aprovol"], /there is no example `aprovol`/, /did you mean `approval`\?/],
    [["examples", "../package"], /there is no example/, /lists them/],
    [["examples", "hello", "--stubs"], /`hello` has no stubs/, /no tool and no model/],
    [["examples", "--stubs"], /of one example/, /NAME --stubs/],
    [["examples", "agent", "--stubs", "--json"], /has the stubs already/, /leave out/],
  ]) {
    const { code, out, err } = await stepgraph(args);
    assert.equal(code, 2, `${args}: ${err}`);
    if (args.includes("--json")) assert.match(JSON.parse(out).error.message, message);
    else assert.equal(out, "", args.join(" "));
    assert.match(err, message);
    assert.match(err, help);
  }
});

test("`examples` lists each example with its first sentence", async () => {
  const { code, out } = await stepgraph(["examples"]);
  assert.equal(code, 0);
  for (const name of EXAMPLE_NAMES) assert.match(out, new RegExp(`^  ${name} +[A-Z].*[.:]$`, "m"));
  const { examples } = JSON.parse((await stepgraph(["examples", "--json"])).out);
  assert.deepEqual(
    examples.map(({ name }) => name),
    [...EXAMPLE_NAMES],
  );
  for (const { run, summary } of examples) assert.ok(run.startsWith("run ") && summary.length > 20, summary);
});

test("a printed example runs where it is saved", async () => {
  const cwd = emptyFolder("printed");
  const print = async (args) => (await stepgraph(["examples", ...args])).out;
  writeFileSync(join(cwd, "triage.yaml"), await print(["triage"]));
  writeFileSync(join(cwd, "triage.stubs.yaml"), await print(["triage.yaml", "--stubs"]));
  const { run, plan, stubs } = JSON.parse(await print(["triage", "--json"]));
  assert.deepEqual([plan, stubs], [await print(["triage"]), await print(["triage", "--stubs"])]);
  const { code, out } = await play(`npx stepgraph ${run}`, cwd);
  assert.deepEqual([code, out], [0, "Thank you. engineering has it (ticket 4711).\n"]);
});
