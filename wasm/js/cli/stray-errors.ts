/**
 * A module's error outside of calls, as in a timer, cancels the run and ends with code 1. A server only reports it,
 * because it belongs to none of its runs.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { headline } from "../terminal/diagnostics.js";
import { visible } from "../terminal/text.js";
import { markDone } from "./exit-guard.js";
import { renderOptions } from "./io.js";

const listeners = new Set<() => void>();
let isCaught = false;
let hasEnded = false;

/** Errors do not end the process while a listener exists. Returns the function that removes it. */
export function onStrayError(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function isEndedByError(): boolean {
  return hasEnded;
}

/** Call it before the module runs. */
export function catchStrayErrors(): void {
  if (isCaught) return;
  isCaught = true;
  // Unhandled rejections arrive here, too.
  process.on("uncaughtException", (error, origin) => {
    process.stderr.write(`${strayErrorLines(error, origin === "unhandledRejection").join("\n")}\n`);
    if (listeners.size === 0) {
      markDone();
      process.exit(1);
    }
    for (const listener of listeners) listener();
  });
}

/** Call it if an error cancels the command. */
export function endByError(): void {
  hasEnded = true;
}

function strayErrorLines(error: unknown, isRejection: boolean): string[] {
  const options = renderOptions(process.stderr, { out: process.stderr, err: process.stderr, env: process.env });
  const { style } = options;
  const thrown = messageOf(error);
  const what = isRejection ? "a promise that nobody awaits was rejected" : "an error was thrown outside of a call";
  const place = error instanceof Error ? placeOf(error) : null;
  return [
    ...headline({ severity: "error", code: "handler/uncaught", message: `${what}: ${visible(thrown)}` }, options),
    ...(place === null ? [] : [`  ${style.blue("-->")} ${visible(place)}`]),
    `  ${style.blue("=")} ${style.bold("help")}: ${
      isRejection ? "await the promise in the handler, or catch its error" : "catch the error in the module"
    }`,
  ];
}

/** Node describes a rejection without an error in a sentence. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, reason] = /with the reason "([\s\S]*)"\.$/.exec(error.message) ?? [];
  return (error as { code?: string }).code === "ERR_UNHANDLED_REJECTION" ? (reason ?? error.message) : error.message;
}

const PACKAGE = new URL("../", import.meta.url).href;

/** The innermost line of the user's code. */
function placeOf({ stack = "" }: Error): string | null {
  const frames = typeof stack === "string" ? stack.split("\n").filter((line) => /^\s+at /.test(line)) : [];
  const own = frames.find((frame) => !frame.includes(PACKAGE) && !/[ (]node:/.test(frame));
  const [, url, position] = /(file:\/\/[^\s?)]+?)(?:\?[^:)]*)?(:\d+:\d+)\)?$/.exec(own ?? "") ?? [];
  if (url === undefined) return null;
  const file = fileURLToPath(url);
  const near = relative(process.cwd(), file);
  return `${near.startsWith("..") ? file : near}${position}`;
}
