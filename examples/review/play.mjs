/**
 * Plays a change of plans through all steps: lock, coverage, cost, drift, review, a paused run and a new test.
 *
 *   node examples/review/play.mjs
 *
 * It works in a copy of this folder, without a network and without a key. The two servers are programs.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "stepgraph-review-"));
cpSync(fileURLToPath(new URL(".", import.meta.url)), folder, { recursive: true });

/** Prints a command and its output. `expected` is the exit code. */
function stepgraph(line, expected = 0) {
  const args = line.split(" ");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" });
  process.stdout.write(`\n$ stepgraph ${line}\n${stdout}${stderr}`);
  if (status !== expected) throw new Error(`it ended with ${status}, and not with ${expected}`);
  return stdout;
}

function title(text) {
  process.stdout.write(`\n== ${text}\n`);
}

function commit(message) {
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: folder });
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

function edit(file, from, to) {
  const text = readFileSync(join(folder, file), "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no \`${from}\``);
  writeFileSync(join(folder, file), text.replace(from, to));
}

try {
  rmSync(join(folder, "changed"), { recursive: true });
  execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: folder });
  const plans = "plans/refund.yaml plans/restock.yaml plans/digest.yaml";

  title("1. Lock the tools that the plans use");
  stepgraph(`lock ${plans} --mcp-config mcp.json`);
  stepgraph(`check ${plans}`);

  title("2. What do the tests miss, and what may a run cost?");
  stepgraph(`test ${plans} --coverage`);
  stepgraph("test plans/refund.yaml --mutate");
  stepgraph("cost plans/refund.yaml --model openai:gpt-4o-mini");
  commit("plans");

  title("3. A run waits for an approval");
  const input = "--input order=A7 --input claim=broken";
  stepgraph(`run plans/refund.yaml ${input} --mcp-config mcp.json --stubs models.stubs.yaml --snapshot run.json`, 4);

  title("4. The shop changes its tools");
  stepgraph(`drift ${plans} --mcp-config mcp.next.json`, 1);
  stepgraph(`run plans/refund.yaml ${input} --mcp-config mcp.next.json --stubs models.stubs.yaml --locked`, 2);
  stepgraph(`drift ${plans} --mcp-config mcp.next.json --fix`, 1);
  commit("mend what can be mended");

  title("5. The plan changes: small claims need no approval");
  execFileSync("git", ["checkout", "--quiet", "HEAD~1", "--", "plans"], { cwd: folder });
  commit("take it back");
  cpSync(fileURLToPath(new URL("changed/refund.yaml", import.meta.url)), join(folder, "plans/refund.yaml"));
  stepgraph("review HEAD --path plans", 1);
  stepgraph("upgrade plans/refund.yaml --resume run.json", 1);

  title("6. A smaller change: the paused run may continue with it");
  execFileSync("git", ["checkout", "--quiet", "HEAD", "--", "plans"], { cwd: folder });
  edit("plans/refund.yaml", "back: ${output.pay.receipt}", "back. Your receipt: ${output.pay.receipt}");
  stepgraph("review HEAD --path plans");
  stepgraph("upgrade plans/refund.yaml --resume run.json");
  const resume = "--resume run.json --upgrade --approve ask:1:1 --mcp-config mcp.json --stubs models.stubs.yaml";
  stepgraph(`run plans/refund.yaml ${resume}`);

  title("7. A run becomes a test");
  const options = "--mcp-config mcp.json --stubs digest.stubs.yaml --record run.ndjson";
  stepgraph(`run plans/digest.yaml --input article=tea --input to=ada@example.com ${options}`);
  stepgraph("runs to-test --cassette run.ndjson --into plans/digest.yaml --name tea");
  stepgraph("test plans/digest.yaml");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
