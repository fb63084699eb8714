/** `stepgraph format`: writes only changed files, skips unreadable ones. */
import { formatPlan } from "../editor/node.js";
import type { Diagnostic } from "../types.js";
import { renderDiagnostics, Source } from "../terminal/diagnostics.js";
import { renderOptions, displayName, readBytes, renderFailure, writeText, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { pluralize } from "../terminal/text.js";

type FormatResult = "changed" | "same" | "failed";

export async function formatCommand(args: Arguments, io: Io): Promise<number> {
  const checks = args.has("check");
  const done = args.operands.map((file) => formatFile(file, checks, io));
  const number = (result: FormatResult) => done.filter((one) => one === result).length;
  const [changed, failed] = [number("changed"), number("failed")];
  const parts = [
    `${pluralize(changed, "file")} ${checks ? "to be formatted" : "formatted"}`,
    `${pluralize(number("same"), "file")} already formatted`,
    ...(failed > 0 ? [`${pluralize(failed, "file")} not read`] : []),
  ];
  if (!args.operands.includes("-")) io.err.write(`${renderOptions(io.err, io).style.bold(parts.join(", "))}\n`);
  return failed > 0 ? 2 : checks && changed > 0 ? 1 : 0;
}

function formatFile(file: string, checks: boolean, io: Io): FormatResult {
  const options = renderOptions(io.err, io);
  try {
    const before = textOf(file);
    const { text, refused } = formatPlan(before, file.endsWith(".json") ? { format: "json" } : {});
    if (refused) {
      io.err.write(`${renderDiagnostics([refused as Diagnostic], new Source(displayName(file), before), options)}\n`);
      return "failed";
    }
    if (file === "-" && !checks) io.out.write(text);
    if (text === before) return "same";
    if (checks) io.out.write(`${file}\n`);
    else if (file !== "-") writeText(file, text, { help: "check the file's permissions" });
    return "changed";
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.err.write(renderFailure(error, options));
    return "failed";
  }
}

/** Rewriting would change bytes that are not UTF-8. */
function textOf(file: string): string {
  const bytes = readBytes(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError("cli/invalid-file", `\`${file}\` is not UTF-8 text`, "save the file with the encoding UTF-8");
  }
}
