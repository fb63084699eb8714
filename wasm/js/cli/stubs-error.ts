/** Stubs with errors. */
import { renderDiagnostics, tally, type Source } from "../terminal/diagnostics.js";
import type { Diagnostic, Stubs } from "../types.js";
import { renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { toFailure } from "./usage-error.js";

export class StubsError extends UsageError {
  constructor(
    readonly file: string,
    readonly diagnostics: Diagnostic[],
    readonly source: Source,
    readonly stubs: Stubs,
  ) {
    super("cli/invalid-file", `\`${file}\` has ${tally(diagnostics)}`, "fix the stubs");
  }
}

/** For commands that print no diagnostics. */
export function reportStubsError(error: StubsError, args: Arguments, io: Io): number {
  const { file, message, diagnostics, source } = error;
  const options = renderOptions(io.err, io);
  if (args.has("json")) io.out.write(`${JSON.stringify({ file, message, diagnostics, error: toFailure(error) })}\n`);
  else io.err.write(`${renderDiagnostics(diagnostics, source, options)}\n${options.style.bold(message)}\n`);
  return 2;
}
