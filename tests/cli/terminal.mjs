// Runs the command on a real pseudo-terminal, whose screen an emulator renders.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { npmPackages } from "../servers/install.mjs";
import { folder, program } from "./stepgraph.mjs";

const helper = fileURLToPath(new URL("terminal.py", import.meta.url));

/**
 * `typed` receives the screen and returns the keys to type. Returns the exit `code`, the last `screen` as lines, and
 * earlier `screens`.
 */
export async function onTerminal(args, { columns = 100, rows = 40, env = {}, typed = () => "" } = {}) {
  const installed = await npmPackages("xterm-headless-6.0.0", ["@xterm/headless@6.0.0"]);
  const { Terminal } = createRequire(import.meta.url)(join(installed, "node_modules/@xterm/headless"));
  const terminal = new Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
  const command = [helper, columns, rows, process.execPath, program, ...args].map(String);
  const child = spawn("python3", command, {
    cwd: folder,
    env: { PATH: process.env.PATH, TERM: "xterm-256color", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const screens = [];
  let shown = Promise.resolve();
  child.stdout.on("data", (bytes) => {
    shown = shown
      .then(() => new Promise((done) => terminal.write(bytes, done)))
      .then(() => {
        screens.push(linesOf(terminal));
        const answer = typed(screens.at(-1).join("\n"));
        if (answer !== "") child.stdin.write(answer);
      });
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  await shown;
  return { code, screen: linesOf(terminal), screens };
}

function linesOf({ buffer: { active } }) {
  const lines = Array.from({ length: active.length }, (_, index) => active.getLine(index).translateToString(true));
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
