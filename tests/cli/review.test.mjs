// Tests `stepgraph review` and its action, with real repositories and a fake GitHub API.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { PlanGraph, ToolLock } from "../../dist/node.js";
import { json, modern } from "../servers/serve.mjs";
import { example, folder, program, stepgraph } from "./stepgraph.mjs";

const OLD = readFileSync(example("versions/refund.yaml"), "utf8");
const NEW = readFileSync(example("versions/refund.next.yaml"), "utf8");
const HELLO = readFileSync(example("hello.yaml"), "utf8");
const PRICES = "models: {openai:tiny: {input: 1, output: 1, context: 300000, max_output: 1000}}\n";
const MARKER = "<!-- stepgraph review -->";

/** A commit maps paths to texts, or to null for a removed file. */
function repository(...commits) {
  const root = mkdtempSync(join(folder, "repository-"));
  const git = (...args) => {
    const { status, stdout, stderr } = spawnSync("git", args, {
      cwd: root,
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    });
    assert.equal(status, 0, `git ${args[0]}: ${stderr}`);
    return String(stdout).trim();
  };
  git("init", "--quiet", "--initial-branch=main");
  const write = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      if (text === null) rmSync(join(root, path));
      else writeFileSync(join(root, path), text);
    }
  };
  const commit = (files) => {
    write(files);
    git("add", "--all");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--allow-empty", "-m", "x");
    return git("rev-parse", "HEAD");
  };
  return { root, git, write, commit, ids: commits.map(commit) };
}

const review = (cwd, args, env) => stepgraph(["review", ...args], { cwd, env });
const reviewJson = async (cwd, args) => JSON.parse((await review(cwd, [...args, "--json"])).out);

test("it reviews new, changed, moved, removed and unchanged plans of two commits", async () => {
  const { root } = repository(
    { "plans/refund.yaml": OLD, "plans/gone.yaml": HELLO, "same.yaml": HELLO, "config.yaml": "a: 1\n" },
    {
      "plans/refund.yaml": NEW,
      "plans/gone.yaml": null,
      "moved.yaml": `# a comment\n${HELLO}`,
      "config.yaml": "a: 2\n",
    },
    { "new.yaml": "nodes: {a: {type: log, input: hi}}\n" },
  );
  const { code, out, err } = await review(root, ["HEAD~2", "HEAD"]);
  assert.equal(code, 0, err);
  assert.match(
    out,
    /^### Stepgraph review\n\n\*\*No plan is broken\*\* · `HEAD~2` → `HEAD` · 1 plan without changes\n/,
  );
  assert.match(out, /\| `new\.yaml` \| new \| – \| – \| none \| – \|/);
  assert.match(out, /\| `plans\/refund\.yaml` \| changed \| 8 \| ⚠️ `delete_claim` \| none \|/);
  assert.match(out, /#### `moved\.yaml` \(was `plans\/gone\.yaml`\) · same meaning/);
  assert.match(out, /- ⚠️ a run may now reach `pay` without `approve`: `find_order` → `judge` → `pay` \(line 21\)/);
  assert.match(out, /\| tools \| `find_order`, `refund` \| `find_order`, `refund`, \*\*`delete_claim`\*\* \|/);
  const { plans, unchanged } = await reviewJson(root, ["HEAD~2", "HEAD"]);
  assert.deepEqual(
    [unchanged, plans.map(({ file, status }) => [file, status])],
    [
      1,
      [
        ["moved.yaml", "same-meaning"],
        ["new.yaml", "added"],
        ["plans/refund.yaml", "changed"],
      ],
    ],
  );
  const refund = plans[2];
  const shown = await stepgraph(["check", "--json", join(root, "plans/refund.yaml")]);
  assert.equal(refund.hash.after, JSON.parse(shown.out).files[0].fingerprint.hash);
  assert.ok(out.includes(`\`stepgraph run --plan-hash ${refund.hash.after}\``));
});

test("it compares with the common ancestor, so changes of the base are not shown as undone", async () => {
  const { root, git, commit } = repository({ "a.yaml": OLD, "b.yaml": HELLO });
  git("checkout", "--quiet", "-b", "feature");
  commit({ "a.yaml": NEW });
  git("checkout", "--quiet", "main");
  commit({ "b.yaml": HELLO.replace("hello, ", "good day, ") });
  const { plans } = await reviewJson(root, ["main", "feature"]);
  assert.deepEqual(
    plans.map(({ file }) => file),
    ["a.yaml"],
  );
});

test("without HEAD it reviews the working tree, also from a folder below, and only under `--path`", async () => {
  const { root, write } = repository({ "a/one.yaml": OLD, "b/two.yaml": OLD, ".gitignore": "ignored.yaml\n" });
  write({ "a/one.yaml": NEW, "b/two.yaml": NEW, "b/untracked.yaml": HELLO, "b/ignored.yaml": HELLO });
  const files = async (...args) => (await reviewJson(join(root, "a"), ["HEAD", ...args])).plans.map(({ file }) => file);
  assert.deepEqual(await files(), ["a/one.yaml", "b/two.yaml", "b/untracked.yaml"]);
  assert.deepEqual(await files("--path", "b/"), ["b/two.yaml", "b/untracked.yaml"]);
  assert.deepEqual(await files("--path", "a/one.yaml"), ["a/one.yaml"]);
});

test("plans in unusual forms are reviewed, and an unreadable one is broken", async () => {
  const wipe = "a: {type: tool, tool: wipe, input: {}}";
  const forms = {
    "flow.yaml": `{nodes: {${wipe}}}\n`,
    "bom.yaml": `\ufeffnodes: {${wipe}}\n`,
    "escaped.yaml": `"no\\u0064es": {${wipe}}\n`,
    "indented.yaml": ` nodes: {${wipe}}\n`,
    "explicit.yaml": `? nodes\n: {${wipe}}\n`,
    "anchored.yaml": `&x {nodes: {${wipe}}}\n`,
    "document.yaml": `--- {nodes: {${wipe}}}\n`,
    "aliased.yaml": `x: &n {${wipe}}\nnodes: *n\n`,
  };
  const gone = { "gone.yaml": "{{{\n", "typo.yaml": `node: {${wipe}}\n` };
  const before = Object.fromEntries(Object.keys(gone).map((name) => [name, OLD]));
  const { root, ids } = repository({ ...before, "other.yaml": "services: {web: {image: x}}\n" }, { ...forms, ...gone });
  const { plans } = await reviewJson(root, ids);
  const found = Object.fromEntries(plans.map(({ file, status, problem }) => [file, [status, typeof problem]]));
  const wanted = Object.keys(forms).map((name) => [name, "added"]);
  assert.deepEqual(
    wanted.map(([name]) => [name, found[name]?.[0]]),
    wanted,
  );
  assert.deepEqual([found["gone.yaml"][0], found["typo.yaml"][0]], ["changed", "changed"]);
  assert.equal((await review(root, ids)).code, 1);
  assert.equal(found["other.yaml"], undefined);
});

test("two folders need no git", async () => {
  const [before, after] = [mkdtempSync(join(folder, "before-")), mkdtempSync(join(folder, "after-"))];
  writeFileSync(join(before, "plan.yaml"), OLD);
  writeFileSync(join(after, "plan.yaml"), NEW);
  const { plans } = await reviewJson(folder, [before, after]);
  assert.deepEqual(
    plans.map(({ file, status }) => [file, status]),
    [["plan.yaml", "changed"]],
  );
  const { code, err } = await review(folder, [before]);
  assert.deepEqual([code, /a second folder is needed/.test(err)], [2, true], err);
});

test("a plan with errors or failing tests ends with 1 and says why", async () => {
  const broken = OLD.replace("to: refuse", "to: refuze");
  const failing = HELLO.replace("hello, ", "good day, ");
  const { root } = repository({ "a.yaml": OLD, "b.yaml": HELLO }, { "a.yaml": broken, "b.yaml": failing });
  const { code, out } = await review(root, ["HEAD~1", "HEAD"]);
  assert.equal(code, 1);
  assert.match(out, /\*\*⛔ 2 plans must not be merged\*\*/);
  assert.match(out, /\| `a\.yaml` \| ⛔ 1 error \|/);
  assert.match(out, /- ⛔ `graph\/unknown-node` .*`refuze`.* \(line \d+\)\. Help: /);
  assert.match(out, /- ⛔ test `.*`: `last\.said` is `"good day, .*"`, expected `"hello, .*"`/);
});

test("a change of the lock is reviewed with the plans that it breaks, and tools of today with `--server`", async () => {
  const plan = "nodes: {a: {type: tool, tool: add, input: {order: 1}}}\n";
  const lock = (argument) => {
    const input_schema = { type: "object", properties: { [argument]: { type: "number" } }, required: [argument] };
    const { graph } = PlanGraph.parse(plan);
    return ToolLock.create([graph], [{ name: "add", server: "math", input_schema }]).print();
  };
  const other = "nodes: {a: {type: log, input: hi}}\n";
  const { root } = repository(
    { "plans/a.yaml": plan, "plans/b.yaml": other, "stepgraph.lock": lock("order") },
    { "stepgraph.lock": lock("order_id") },
  );
  const { code, out } = await review(root, ["HEAD~1", "HEAD"]);
  assert.equal(code, 1);
  assert.match(out, /· 1 plan without changes/);
  assert.match(out, /- ⛔ `math\.add`: the argument `order` is gone; `order_id` has the same schema/);
  const part = await review(root, ["HEAD~1", "HEAD", "--path", "plans"]);
  assert.equal(part.out, out);
  assert.match(out, /- ⛔ here: .*`order` \(line 1\)\. Help: write `order_id`/);
  const server = await modern(({ body, response }) => {
    const inputSchema = { type: "object", properties: { order_id: { type: "number" } }, required: ["order_id"] };
    const tools = [{ name: "add", inputSchema }];
    json(response, 200, { jsonrpc: "2.0", id: body.id, result: { resultType: "complete", tools } });
  });
  try {
    const today = await review(root, ["HEAD~1", "HEAD~1", "--server", `math=${server.url}`]);
    // That commit's lock has another argument, so the unchanged plan breaks.
    assert.deepEqual([today.code, /⛔ its tools have changed/.test(today.out)], [1, true], today.out + today.err);
    writeFileSync(join(root, "plans/a.yaml"), `${plan}description: adds\n`);
    writeFileSync(join(root, "stepgraph.lock"), lock("order"));
    const now = await review(root, ["HEAD~1", "--server", `math=${server.url}`]);
    assert.deepEqual([now.code, /⛔ its tools have changed/.test(now.out)], [1, true], now.out + now.err);
  } finally {
    await server.stop();
  }
  writeFileSync(join(root, "stepgraph.lock"), "format: 1\n");
  const bad = await review(root, ["HEAD"]);
  assert.deepEqual(
    [bad.code, /⛔ .*`stepgraph\.lock` is unusable: .*`lock\/invalid`/.test(bad.out)],
    [1, true],
    bad.out,
  );
});

test("a test that never ends by itself is ended", async () => {
  const loop = `limits: {visits: 100000000}
nodes: {a: {type: noop}, b: {type: noop}}
edges: [{from: a, to: b}, {from: b, to: a, condition: "last != 1"}, {from: b, to: c}]
tests: [{name: forever, input: 2, expect: {}}]
`.replace("b: {type: noop}}", "b: {type: noop}, c: {type: noop}}");
  const { root } = repository({ "x.yaml": OLD }, { "loop.yaml": loop.replace("nodes:", "start: a\nnodes:") });
  const { code, out } = await review(root, ["HEAD~1", "HEAD"]);
  assert.deepEqual([code, /test `forever`: `outcome` is .*run\/step-limit/.test(out)], [1, true], out);
});

test("costs and coverage are compared", async () => {
  const llm = "type: llm, input: hi, with: {max_tokens: 100}";
  const { root } = repository(
    { "a.yaml": `nodes: {a: {${llm}}}\n` },
    { "a.yaml": `nodes: {a: {${llm}}, b: {${llm}}}\nedges: [{from: a, to: b}]\n`, "prices.yaml": PRICES },
  );
  const { out, err } = await review(root, ["HEAD~1", "HEAD", "--prices", "prices.yaml", "--model", "openai:tiny"]);
  const row =
    "| at most | `0 tool calls`, `1 model turn`, `0.30 USD` | `0 tool calls`, **`2 model turns`**, **`0.60 USD`** |";
  assert.ok(out.includes(row.replace("`0 tool calls`, **", "`0 tool calls`, **")), `${out}${err}`);
});

test("the example plays through all steps", () => {
  const play = fileURLToPath(new URL("../../examples/review/play.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [play], { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  for (const words of [
    "5 tools of 3 plans locked in stepgraph.lock",
    "mutation score",
    "3 tools changed since stepgraph.lock, 2 plans break",
    "error[tool/differs-from-lock]",
    "⚠️ a run may now reach `pay` without `ask`",
    "error[upgrade/edges-changed]",
    "proved: the run may continue with this plan",
    "added the test `tea` to `plans/digest.yaml`",
  ])
    assert.ok(stdout.includes(words), `${words}\n${stdout}`);
});

test("files that a plan runs are part of it", async () => {
  const outer = "nodes: {a: {type: graph, graph: ./inner.yaml}}\n";
  const { root } = repository(
    { "plans/outer.yaml": outer, "plans/inner.yaml": "nodes: {x: {type: log, input: one}}\n" },
    { "plans/inner.yaml": "nodes: {x: {type: log, input: two}}\n" },
  );
  const { plans } = await reviewJson(root, ["HEAD~1", "HEAD"]);
  assert.deepEqual(
    plans.map(({ file, status }) => [file, status]),
    [
      ["plans/inner.yaml", "changed"],
      ["plans/outer.yaml", "changed"],
    ],
  );
});

test("a plan that runs a link, or that a link replaced, is not vouched for", async () => {
  const outer = "nodes: {a: {type: graph, graph: ./part.yaml}}\n";
  const { root, commit } = repository({ "a.yaml": outer, "real.txt": HELLO, "b.yaml": OLD });
  symlinkSync("real.txt", join(root, "part.yaml"));
  commit({});
  rmSync(join(root, "b.yaml"));
  symlinkSync("real.txt", join(root, "b.yaml"));
  commit({ "real.txt": OLD });
  const { code, out } = await review(root, ["HEAD~1", "HEAD"]);
  assert.equal(code, 1);
  assert.match(out, /\| `a\.yaml` \| ⛔ .*it runs `part\.yaml`, which the review can't read \|/);
  assert.match(out, /\| `b\.yaml` \| ⛔ it is a link now, which the review does not follow \|/);
  // Parts outside of `--path` are read, too.
  const parts = repository(
    { "x/a.yaml": "nodes: {a: {type: graph, graph: ./p/b.yaml}}\n", "x/p/b.yaml": "nodes: {b: {type: noop}}\n" },
    { "x/p/b.yaml": "nodes: {b: {type: log, input: hi}}\n" },
  );
  const { plans } = await reviewJson(parts.root, ["HEAD~1", "HEAD", "--path", "x/a.yaml"]);
  assert.deepEqual(
    plans.map(({ file, status }) => [file, status]),
    [["x/a.yaml", "changed"]],
  );
});

test("links are skipped, and a missing revision or repository is explained", async () => {
  const { root, git } = repository({ "a.yaml": OLD });
  symlinkSync("/etc/passwd", join(root, "secret.yaml"));
  symlinkSync(example("hello.yaml"), join(root, "link.yaml"));
  assert.deepEqual((await reviewJson(root, ["HEAD"])).plans, []);
  git("add", "--all");
  for (const [revision, words] of [
    ["nowhere", /`nowhere` is neither a revision of git nor a folder/],
    ["--upload-pack=x", /neither a revision/],
  ]) {
    const { code, err } = await review(root, ["--", revision]);
    assert.deepEqual([code, words.test(err)], [2, true], err);
  }
  const outside = await stepgraph(["review", "HEAD"], { env: { GIT_CEILING_DIRECTORIES: dirname(folder) } });
  assert.deepEqual([outside.code, /git failed: .*not a git repository/.test(outside.err)], [2, true], outside.err);
});

test("text of a plan cannot mention, link, load or hide anything in the comment", async () => {
  const evil = [
    "@someone",
    "a` @someone `b",
    "</details><img src=x onerror=y>",
    "![x](https://example.com/x.png)",
    "[click](https://example.com)",
    "www.example.com",
    "https://example.com",
    "```\n# title",
    "a | b",
    "line\n\n- item",
    "#1",
    "\u202Eturned",
    "<!-- stepgraph review -->",
  ];
  const plan = (text) =>
    JSON.stringify({ nodes: { a: { type: "log", input: text }, [text]: { type: "noop" } }, start: "a" });
  for (const text of evil) {
    const { root } = repository({ "plan.json": plan("old") }, { "plan.json": plan(text) });
    const { out } = await review(root, ["HEAD~1", "HEAD"]);
    assert.match(out, /\| `plan\.json` \|/);
    const [chart] = /```mermaid\n[\s\S]*?\n```/.exec(out) ?? [""];
    for (const line of chart.split("\n").slice(2, -1))
      assert.doesNotMatch(
        line
          .replace(/#\d+;/g, "")
          .replace(/<br\/>/g, "")
          .replace(/-->/g, ""),
        /[<>`@]|:\/\//,
        text,
      );
    const rest = out.replace(chart, "");
    // Code spans are literal, and GitHub links nothing in them.
    const outside = rest.replace(/`[^`\n]*`/g, "").replace(/<\/?code>|<\/?details>|<summary>.*<\/summary>/g, "");
    assert.doesNotMatch(outside, /@(?!&#8203;)|<|!\[|\]\(|https?:|www\.|`|\u202E|#\d(?!\d*;)/, `${text}\n${outside}`);
    assert.equal(rest.split("\n").filter((line) => /^- item/.test(line)).length, 0, text);
  }
});

test("a comment that would be too long leaves out whole plans and says so", async () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`node_${at}`, { type: "log", input: "x".repeat(400) }]),
  );
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`p${at}.json`, JSON.stringify({ start: "node_0", nodes, id: `p${at}` })]),
  );
  const { root } = repository({ "a.yaml": OLD }, many);
  const { out } = await review(root, ["HEAD~1", "HEAD"]);
  assert.ok(out.length < 65_000, `${out.length}`);
  assert.match(out, /\n\d+ plans did not fit here\. Run `stepgraph review` to see them\.\n$/);
});

/** `user` is the token's account, or null for a workflow. */
async function github({ comments = [], user = null, refuse = null } = {}) {
  const requests = [];
  const all = [...comments];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    requests.push(`${request.method} ${request.url}`);
    const send = (status, body) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== "Bearer secret-token") return send(401, { message: "Bad credentials" });
    if (request.url === "/user")
      return user === null
        ? send(403, { message: "Resource not accessible by integration" })
        : send(200, { login: user });
    if (refuse && request.method !== "GET") return send(refuse, { message: "Resource not accessible by integration" });
    const { pathname, searchParams } = new URL(request.url, "http://x");
    const page = Number(searchParams.get("page"));
    if (request.method === "GET") return send(200, all.slice((page - 1) * 100, page * 100));
    const { body } = JSON.parse(text);
    if (request.method === "POST" && pathname === "/repos/o/r/issues/7/comments") {
      all.push({
        id: all.length + 1,
        body,
        user: user ? { login: user, type: "User" } : { login: "github-actions[bot]", type: "Bot" },
      });
      return send(201, { html_url: `https://example.com/c/${all.length}` });
    }
    const one = all.find(({ id }) => pathname === `/repos/o/r/issues/comments/${id}`);
    one.body = body;
    return send(200, { html_url: `https://example.com/c/${one.id}` });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, all, requests, close: () => new Promise((resolve) => server.close(resolve)) };
}

function workflow(url, root) {
  writeFileSync(join(root, "..", "event.json"), JSON.stringify({ pull_request: { number: 7 } }));
  return {
    GITHUB_TOKEN: "secret-token",
    GITHUB_REPOSITORY: "o/r",
    GITHUB_API_URL: url,
    GITHUB_EVENT_PATH: join(root, "..", "event.json"),
  };
}

test("`--comment` posts once, then replaces its own comment and no other", async () => {
  const { root } = repository({ "a.yaml": OLD }, { "a.yaml": NEW });
  const strangers = Array.from({ length: 120 }, (_, at) => ({
    id: at + 1,
    body: at === 50 ? `${MARKER}\nfake` : "hello",
    user: at === 50 ? { login: "other[bot]", type: "Bot" } : { login: "stranger", type: "User" },
  }));
  for (const user of [null, "reviewer"]) {
    const api = await github({ comments: structuredClone(strangers), user });
    const env = workflow(api.url, root);
    const first = await review(root, ["HEAD~1", "HEAD", "--comment"], env);
    assert.deepEqual([first.code, first.err], [0, "https://example.com/c/121\n"]);
    const second = await review(root, ["HEAD~1", "HEAD~1", "--comment"], env);
    assert.deepEqual([second.code, second.err], [0, "https://example.com/c/121\n"]);
    assert.equal(api.all.length, 121);
    assert.equal(api.all[50].body, `${MARKER}\nfake`);
    assert.match(api.all[120].body, /^<!-- stepgraph review -->\n### Stepgraph review\n\nNo plan changed\./);
    await api.close();
  }
});

test("if no comment can be posted, the summary has the review, and the exit code is that of the review", async () => {
  const { root } = repository({ "a.yaml": OLD }, { "a.yaml": NEW });
  const summary = join(root, "..", "summary.md");
  const refusing = await github({ refuse: 403 });
  const env = { ...workflow(refusing.url, root), GITHUB_STEP_SUMMARY: summary };
  const { code, err, out } = await review(root, ["HEAD~1", "HEAD", "--comment"], env);
  assert.equal(code, 0);
  assert.match(err, /no comment posted: the API answered 403: Resource not accessible/);
  assert.match(err, /as for one from a fork/);
  assert.equal(readFileSync(summary, "utf8"), out);
  await refusing.close();
  const unreachable = await review(root, ["HEAD~1", "HEAD", "--comment"], env);
  assert.deepEqual([unreachable.code, /the API is unreachable: ECONNREFUSED/.test(unreachable.err)], [0, true]);
  for (const name of ["GITHUB_TOKEN", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH"]) {
    const { code, err } = await review(root, ["HEAD~1", "HEAD", "--comment"], { ...env, [name]: "" });
    assert.equal(code, 2, name);
    assert.match(err, new RegExp(name));
    assert.doesNotMatch(err, /secret-token/);
  }
});

/** `npx` starts the built command. */
async function runAction(root, inputs, env) {
  const action = parse(readFileSync(fileURLToPath(new URL("../../action.yml", import.meta.url)), "utf8"));
  assert.equal(action.runs.using, "composite");
  const bin = mkdtempSync(join(folder, "bin-"));
  writeFileSync(
    join(bin, "npx"),
    `#!/bin/sh\n[ "$1 $2" = "--yes stepgraph@0.1" ] || exit 9\nshift 2\nexec "${process.execPath}" "${program}" "$@"\n`,
  );
  chmodSync(join(bin, "npx"), 0o755);
  const value = (text) =>
    text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name) => {
      assert.ok(name in action.inputs, name);
      return inputs[name] ?? action.inputs[name].default;
    });
  let output = "";
  for (const step of action.runs.steps) {
    // The shell would run a foreign value in a script.
    assert.doesNotMatch(step.run, /\$\{\{/);
    const variables = Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, value(text)]));
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: root,
      env: { ...env, ...variables, PATH: `${bin}:${process.env.PATH}`, RUNNER_TEMP: bin },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0) return { code, output };
  }
  return { code: 0, output };
}

test("the action fetches both revisions of a shallow clone and posts the review", async () => {
  const { root: origin, ids } = repository(
    { "plans/a.yaml": OLD, "other/b.yaml": HELLO },
    { "plans/a.yaml": NEW, "other/b.yaml": HELLO.replace("hello, ", "good day, ") },
  );
  const root = mkdtempSync(join(folder, "clone-"));
  const cloned = spawnSync("git", ["clone", "--quiet", "--depth=1", `file://${origin}`, root]);
  assert.equal(cloned.status, 0, String(cloned.stderr));
  const api = await github();
  const env = workflow(api.url, root);
  const inputs = { base: ids[0], head: ids[1], token: "secret-token" };
  const whole = await runAction(root, inputs, env);
  assert.deepEqual([whole.code, /comment|https/.test(whole.output)], [1, true], whole.output);
  assert.match(api.all[0].body, /`plans\/a\.yaml`[\s\S]*`other\/b\.yaml`|`other\/b\.yaml`[\s\S]*`plans\/a\.yaml`/);
  const part = await runAction(root, { ...inputs, paths: "plans\n\n" }, env);
  assert.equal(part.code, 0, part.output);
  assert.equal(api.all.length, 1);
  assert.doesNotMatch(api.all[0].body, /other\/b\.yaml/);
  const silent = await runAction(root, { ...inputs, paths: "plans", comment: "false", token: "" }, env);
  assert.equal(silent.code, 0, silent.output);
  await api.close();
});

test("the program of docs/review.md prints what it says", async () => {
  const page = readFileSync(fileURLToPath(new URL("../../docs/review.md", import.meta.url)), "utf8");
  const [, script] = /```js[^\n]*\n([\s\S]*?)```/.exec(page);
  const name = join(dirname(program), "..", "..", "tests", "cli", `.review-${process.pid}.mjs`);
  writeFileSync(name, script);
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, [name]);
    assert.equal(status, 0, String(stderr));
    const [, comment] = /\/\/ (changed \[\])/.exec(script);
    assert.match(String(stdout), new RegExp(`^${comment.replace(/[[\]]/g, "\\$&")}\n### Stepgraph review`));
  } finally {
    rmSync(name);
  }
});

test("the comment of docs/review.md is that of the command", async () => {
  const page = readFileSync(fileURLToPath(new URL("../../docs/review.md", import.meta.url)), "utf8");
  const [, before] = /```yaml\n(# pay\.yaml\n[^]*?)```/.exec(page);
  const [, edge] = /adds the edge `(.*?)`/.exec(page);
  const after = before.replace("edges:\n", () => `edges:\n  - ${edge}\n`);
  const { root, git } = repository({ "pay.yaml": before });
  git("checkout", "--quiet", "-b", "my-branch");
  writeFileSync(join(root, "pay.yaml"), after);
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--all", "-m", "x");
  const { code, out } = await review(root, ["main", "my-branch"]);
  assert.equal(code, 0);
  assert.equal(out, /````markdown\n([^]*?)````/.exec(page)[1]);
});
