/**
 * `npm start`: set-up and build, the main job on an example that needs nothing else, what can be done next, and the
 * playground.
 *
 * `--once` stops after the terminal's part. `--port 8080` asks for another port.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, buildCommand } from "./build.mjs";
import { Trouble } from "./lib/command.mjs";
import { root } from "./lib/places.mjs";
import { fail } from "./lib/progress.mjs";
import { buildPage } from "./playground.mjs";
import { serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";

/** What is run, as it is typed after `stepgraph`. */
export const HELLO = ["run", "--verbose", "--plan", "examples/hello.yaml", "--prompt", "Ada"];

/** What can be done next: why, and how it is typed. */
export const NEXT = [
  ["the other way through the same plan", "npx stepgraph run examples/hello.yaml"],
  [
    "a loop and a branch, with stand-ins for people and programs",
    'npx stepgraph run examples/triage.yaml --prompt "It does not work" --stubs examples/triage.stubs.yaml',
  ],
  ["every mistake of a plan, before it runs", "npx stepgraph check examples/triage.yaml"],
  ["a plan as a drawing", "npx stepgraph graph examples/triage.yaml"],
  ["a real tool server and a real language model, and how to use them", "node examples/servers.mjs weather"],
];

/** Where the playground is unless something else is there: what a browser keeps of plans belongs to the port, too. */
const PORT = 7380;

/** What `npm start` was asked for; `usual` is the port that it takes when none is named. */
export function asked(args, usual = PORT) {
  const at = args.findIndex((arg) => arg === "--port" || arg.startsWith("--port="));
  const said = at < 0 ? `${usual}` : args[at].includes("=") ? args[at].slice("--port=".length) : (args[at + 1] ?? "");
  const port = /^\d{1,5}$/.test(said) ? Number(said) : NaN;
  if (!(port >= 0 && port < 65_536))
    throw new Trouble(`\`${said}\` is no port: write a number up to 65535, such as \`npm start -- --port 8080\`.`);
  return { once: args.includes("--once"), port };
}

/** Runs the command on this very terminal; gives its exit code. */
function stepgraph(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], {
      cwd: root,
      stdio: "inherit",
    });
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

/** Serves the page and the examples until Ctrl-C. */
async function playground(port) {
  await build();
  const folder = await buildPage();
  const server = await serve(folder, { port, beside: { examples: join(root, "examples") } });
  const other =
    port !== 0 && server.port !== port
      ? `\nPort ${port} is taken, so what your browser keeps of plans at that address is not here.\n`
      : "";
  process.stdout.write(
    `\nThe playground is open:\n\n  ${server.url}\n\nA page with plans in it:  ${server.url}examples/embed.html\n${other}\nCtrl-C ends it.\n`,
  );
  const end = () => void server.close().then(() => process.exit(0));
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}

async function main() {
  const { once, port } = asked(process.argv.slice(2));
  await setUp();
  await buildCommand();
  process.stdout.write(`\n$ npx stepgraph ${HELLO.join(" ")}\n`);
  process.exitCode = await stepgraph(HELLO);
  if (process.exitCode !== 0) return;
  const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
  const dim = (text) => (colours ? `\x1b[2m${text}\x1b[0m` : text);
  const lines = NEXT.map(([why, line]) => `  ${dim(`# ${why}`)}\n  ${line}\n`);
  process.stdout.write(
    `\nThat was a plan. What you can do next:\n\n${lines.join("")}\nThe plans are in examples/, and each begins with how to run it.\n`,
  );
  if (!once) await playground(port);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
