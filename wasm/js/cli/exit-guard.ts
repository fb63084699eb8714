/** A module that ends the process, or leaves a call unsettled, must not look successful. */
import { writeSync } from "node:fs";
import { renderFailure, renderOptions } from "./io.js";

let isDone = false;

/** The command itself ends the process. */
export function markDone(): void {
  isDone = true;
}

let loading: string | null = null;
/** Null after loading. */
export function noteLoading(file: string | null): void {
  loading = file;
}

/** Call it before the module runs. */
export function guardExit(failOpenCalls: () => boolean): void {
  process.on("exit", (code) => {
    if (!isDone && code === 0)
      refuseSuccess("a module ended the process", "return from the call instead of `process.exit`");
  });
  process.on("beforeExit", () => {
    if (isDone || failOpenCalls()) return;
    if (loading !== null)
      refuseSuccess(
        `\`${loading}\` never ends loading: a top-level \`await\` has nothing to wait for`,
        "fix the module",
      );
    else
      refuseSuccess(
        "a call never ends: nothing is left that could answer it",
        "settle its promise, or set `timeout_ms`",
      );
    process.exit(1);
  });
}

function refuseSuccess(why: string, help: string): void {
  isDone = true;
  const io = { out: process.stdout, err: process.stderr, env: process.env };
  writeSync(2, renderFailure({ code: "cli/unfinished-module", message: why, help }, renderOptions(process.stderr, io)));
  process.exitCode = 1;
}
