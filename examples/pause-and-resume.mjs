/**
 * Pauses a run for an approval, ends its process, and resumes the run from a file in another process.
 *
 *   npm run build && node examples/pause-and-resume.mjs
 *
 * A local shop counts its calls, and each call arrives once. The plan is `approval.yaml`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PlanGraph, run } from "../dist/node.js";

const NAMES = ["quote", "reserve", "pay", "release"];
const say = (line) => process.stdout.write(`${line}\n`);

if (process.argv[2] === "begin") await begin(...process.argv.slice(3));
else if (process.argv[2] === "resume") await resume(...process.argv.slice(3));
else await demonstrate();

/** Starts the shop, which counts each request under its call name. The name is the same in all processes. */
async function demonstrate() {
  const calls = [];
  const answers = { quote: { total: 120 }, reserve: { order: "A7" }, pay: { paid: 120 }, release: {} };
  const shop = createServer((request, response) => {
    const name = request.url.slice(1);
    calls.push({ name, call: request.headers["idempotency-key"] });
    response.setHeader("content-type", "application/json").end(JSON.stringify(answers[name] ?? null));
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-pause-"));
  const file = join(folder, "run.json");
  const url = `http://127.0.0.1:${shop.address().port}`;
  const counts = () => NAMES.map((name) => `${name} ${calls.filter((one) => one.name === name).length}`).join(", ");
  try {
    say("1. a process runs the plan until a person has to decide");
    await inNewProcess("begin", url, file);
    say(`   the shop was called: ${counts()}`);
    say(`2. that process has ended; what is left is a file of ${readFileSync(file).length} bytes`);
    say("3. another process goes on from the file, with the decision");
    await inNewProcess("resume", url, file);
    say(`   the shop was called: ${counts()}`);
    const names = new Set(calls.map(({ call }) => call));
    if (names.size !== calls.length) throw new Error(`a call was repeated: ${JSON.stringify(calls)}`);
    say(`4. ${calls.length} calls, ${names.size} names: no call was repeated`);
  } finally {
    shop.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inNewProcess(...args) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the process ended with ${code}`);
}

/** The tools of the shop. For a real MCP server, use `mcp(url)`. */
function shopTools(url) {
  return {
    name: "shop",
    list: async () => NAMES.map((name) => ({ name, input_schema: { type: "object" } })),
    call: async (name, args, { call, signal }) => {
      const headers = { "content-type": "application/json", "idempotency-key": call };
      const response = await fetch(`${url}/${name}`, { method: "POST", body: JSON.stringify(args), headers, signal });
      return { value: await response.json(), isError: !response.ok };
    },
    close: async () => {},
  };
}

function plan() {
  return PlanGraph.parse(readFileSync(new URL("approval.yaml", import.meta.url), "utf8")).graph;
}

async function begin(url, file) {
  const report = await run(plan(), { input: { item: "chair", count: 4 }, tools: [shopTools(url)] });
  const { call, input } = report.outcome.approval;
  say(`   process ${process.pid}: ${report.outcome.type}, \`${call}\` asks for approval of ${JSON.stringify(input)}`);
  writeFileSync(file, JSON.stringify(report.snapshot));
}

async function resume(url, file) {
  const snapshot = JSON.parse(readFileSync(file, "utf8"));
  const report = await run(plan(), { snapshot, decisions: { "ask:1:1": "approved" }, tools: [shopTools(url)] });
  say(`   process ${process.pid}: ${report.outcome.type}, ${report.path.join(" → ")}: "${report.last}"`);
}
