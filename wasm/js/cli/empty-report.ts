/** Reports without a run. */
import type { Diagnostic, Outcome } from "../types.js";
import type { Io } from "./io.js";
import { type Failure, toFailure } from "./usage-error.js";
import type { Command } from "./options.js";

/** The run did not start, or no longer answers. */
export function writeEmptyReport(
  outcome: Outcome,
  diagnostics: readonly Diagnostic[],
  io: Io,
  more: { error?: Failure } = {},
): void {
  const counts = { steps: 0, calls: 0, retries: 0 };
  const run = { last: null, outputs: {}, path: [], trace: [], durationMs: 0, counts, planHash: null, diagnostics };
  io.out.write(`${JSON.stringify({ outcome, ...run, ...more })}\n`);
}

/** With `--json`. A report of `run` has an outcome, too. */
export function writeJsonFailure(thrown: unknown, command: Command | undefined, io: Io): void {
  const error = toFailure(thrown);
  const { code, message } = error;
  if (command?.name === "run") writeEmptyReport({ type: "failed", code, message }, [], io, { error });
  else io.out.write(`${JSON.stringify({ error })}\n`);
}

/** The arguments or the command may be what is wrong, so they are not parsed. */
export function asksForJson(command: Command | undefined, argv: readonly string[]): boolean {
  if (command !== undefined && !command.options.some(({ name }) => name === "json")) return false;
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.some(
    (word, at) => word === "--json" || word === "--output=json" || (word === "--output" && words[at + 1] === "json"),
  );
}
