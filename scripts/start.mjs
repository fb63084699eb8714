/** `npm start`: builds, runs an example, suggests commands, and serves the playground. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, buildCommand } from "./build.mjs";
import { start } from "./lib/children.mjs";
import { PORT_OPTION, readOptions, readPort } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail } from "./lib/progress.mjs";
import { buildPage } from "./playground.mjs";
import { portTaken, serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";

export const HELLO = ["run", "--verbose", "--plan", "examples/hello.yaml", "--prompt", "Ada"];

export const NEXT_STEPS = [
  ["the other way through the same plan", "npx stepgraph run examples/hello.yaml"],
  [
    "a loop and a branch, with stubs for people and programs",
    'npx stepgraph run examples/triage.yaml --prompt "It does not work" --stubs examples/triage.stubs.yaml',
  ],
  ["every mistake of a plan, before it runs", "npx stepgraph check examples/triage.yaml"],
  ["a plan as a diagram", "npx stepgraph graph examples/triage.yaml"],
  ["a real tool server and a real language model, and how to use them", "node examples/servers.mjs weather"],
];

/** Fixed, because browsers store plans per port. */
const PORT = 7380;

export const PROGRAM = {
  usage: "npm start -- [options]",
  about: "Builds the command, runs a plan, then builds the playground and serves it.",
  options: {
    "--once": { about: "ends after the plan has run" },
    "--port": PORT_OPTION,
  },
};

function stepgraph(args) {
  return new Promise((resolve, reject) => {
    const program = join(root, "dist", "cli", "main.js");
    const child = start(process.execPath, [program, ...args], { cwd: root, stdio: "inherit", shares: true });
    // Ctrl-C reaches both processes, and the command reports first.
    const wait = () => {};
    process.on("SIGINT", wait);
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("SIGINT", wait);
      resolve(code ?? 1);
    });
  });
}

async function playground(port) {
  await build();
  const folder = await buildPage();
  const server = await serve(folder, { port, beside: { examples: join(root, "examples") } });
  process.stdout.write(
    `\nThe playground is open:\n\n  ${server.url}\n\nA page with plans in it:  ${server.url}examples/embed.html\n${portTaken(server, port, "npm start")}\nCtrl-C ends it.\n`,
  );
  const end = () => void server.close().then(() => process.exit(0));
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}

async function main() {
  const { once, port: wanted } = readOptions(process.argv.slice(2), PROGRAM).options;
  const port = readPort(wanted, PORT);
  await setUp();
  await buildCommand();
  process.stdout.write(`\n$ npx stepgraph ${HELLO.join(" ")}\n`);
  process.exitCode = await stepgraph(HELLO);
  if (process.exitCode !== 0) return;
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
  const dim = (text) => (colours ? `\x1b[2m${text}\x1b[0m` : text);
  const lines = NEXT_STEPS.map(([why, line]) => `  ${dim(`# ${why}`)}\n  ${line}\n`);
  process.stdout.write(
    `\nThat was a plan. What you can do next:\n\n${lines.join("")}\nThe plans are in examples/, and each begins with how to run it.\n`,
  );
  if (!once) await playground(port);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
