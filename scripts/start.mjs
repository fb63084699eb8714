/**
 * `npm start`: set-up and build, then the main job on an example that needs nothing else, and what can be done next.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { root } from "./lib/places.mjs";
import { fail } from "./lib/progress.mjs";
import { setUp } from "./setup.mjs";

/** What is run, as it is typed after `stepgraph`. */
export const HELLO = ["run", "--verbose", "--plan", "examples/hello.yaml", "--prompt", "Ada"];

/** What can be done next: why, and how it is typed. */
export const NEXT = [
  ["the other way through the same plan", "npx stepgraph run examples/hello.yaml"],
  ["a loop and a branch, with stand-ins for people and programs", 'npx stepgraph run examples/triage.yaml --prompt "It does not work" --stubs examples/triage.stubs.yaml'],
  ["every mistake of a plan, before it runs", "npx stepgraph check examples/triage.yaml"],
  ["a plan as a drawing", "npx stepgraph graph examples/triage.yaml"],
  ["a real tool server and a real language model, and how to use them", "node examples/servers.mjs weather"],
];

/** Runs the command on this very terminal; gives its exit code. */
function stepgraph(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], { cwd: root, stdio: "inherit" });
    // Ctrl-C reaches both: the command tells how far it came, and only then is it our turn.
    const wait = () => {};
    process.on("SIGINT", wait);
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("SIGINT", wait);
      resolve(code ?? 1);
    });
  });
}

async function main() {
  await setUp();
  await build();
  process.stdout.write(`\n$ npx stepgraph ${HELLO.join(" ")}\n`);
  process.exitCode = await stepgraph(HELLO);
  if (process.exitCode !== 0) return;
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
  const dim = (text) => (colours ? `\x1b[2m${text}\x1b[0m` : text);
  const lines = NEXT.map(([why, line]) => `  ${dim(`# ${why}`)}\n  ${line}\n`);
  process.stdout.write(`\nThat was a plan. What you can do next:\n\n${lines.join("")}\nThe plans are in examples/, and each begins with how to run it.\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
