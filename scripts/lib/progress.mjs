/** Prints each step's time, updated in place on a terminal. */
import { performance } from "node:perf_hooks";
import { UserError } from "./command.mjs";

const active = [];

const terminal = process.stdout.isTTY === true && process.env.TERM !== "dumb";

/** `work` gets `say` to show progress. Its text ends the line. */
export async function step(label, work) {
  const started = performance.now();
  let note = "";
  const paint = () => {
    if (active[0] === paint) process.stdout.write(`\r\x1b[K${clip(line("·", label, started, note))}`);
  };
  active.push(paint);
  const ticker = terminal ? setInterval(paint, 200) : undefined;
  const writeLine = (text) => {
    if (!terminal && note === "") process.stdout.write(`· ${label} … ${text}\n`);
    note = text;
  };
  const finish = (mark, text) => {
    clearInterval(ticker);
    active.splice(active.indexOf(paint), 1);
    process.stdout.write(`${terminal ? "\r\x1b[K" : ""}${line(mark, label, started, text)}\n`);
  };
  try {
    const result = await work(writeLine);
    finish("✓", typeof result === "string" ? result : "");
    return result;
  } catch (error) {
    finish("✗", "");
    throw error;
  }
}

export function fail(error) {
  if (error.output) process.stderr.write(`\n${error.output.trimEnd()}\n`);
  process.stderr.write(`\n${error instanceof UserError ? error.message : error.stack}\n`);
  process.exitCode = error instanceof UserError ? error.exitCode : 1;
}

export function seconds(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

function line(mark, label, started, text) {
  return `${mark} ${label}  ${seconds(started)}${text ? `  ${text}` : ""}`;
}

function clip(text) {
  return [...text].slice(0, (process.stdout.columns ?? 80) - 1).join("");
}
