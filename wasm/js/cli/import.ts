/**
 * `stepgraph import`: a plan of another program as a plan of ours, and a report of what was kept of it.
 *
 * The plan goes to standard output or into a file, the report to standard error; with --json both are one object.
 */
import { importPlan, type ImportFinding, type ImportResult } from "../editor/node.js";
import { renderDiagnostics, Source } from "../terminal/diagnostics.js";
import { decode, renderOptions, displayName, readBytes, writeText, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { checkOutputs } from "./output-files.js";
import { pluralize } from "../terminal/text.js";

const LANGUAGES = ["mermaid", "serverless"] as const;

/** Takes over a plan; gives the exit code. */
export async function importCommand(args: Arguments, io: Io): Promise<number> {
  const file = args.operands[0]!;
  checkOutputs(args, { writes: ["output"], reads: [], also: [{ what: "the text", file }] });
  const text = decode(readBytes(file));
  const imported = importPlan(text, { from: parseLanguage(args.one("from")) });
  const name = displayName(file);
  if (args.has("json")) io.out.write(`${JSON.stringify({ file: name, ...imported })}\n`);
  else reportFindings(imported, new Source(name, text), args.has("verbose"), io);
  if (imported.text === null) return 2;
  const output = args.one("output");
  if (output !== undefined) writeText(output, imported.text, { help: "check the file's rights" });
  else if (!args.has("json")) io.out.write(imported.text);
  return args.has("strict") && imported.findings.some((finding) => isLoss(finding)) ? 1 : 0;
}

function parseLanguage(name: string | undefined): "auto" | (typeof LANGUAGES)[number] {
  if (name === undefined) return "auto";
  const found = LANGUAGES.find((language) => language === name);
  if (found) return found;
  const suggestion = closestName(name, LANGUAGES);
  throw new UsageError(
    `nothing is taken over from \`${name}\``,
    suggestion ? `did you mean \`${suggestion}\`?` : "use `mermaid` or `serverless`",
  );
}

/** Looks are no loss: they change nothing in a run. */
function isLoss({ fidelity, code }: ImportFinding): boolean {
  return fidelity === "lost" && code !== "import/appearance";
}

/** What is not as it was, with its place; all of it when asked. */
function reportFindings({ findings, text }: ImportResult, source: Source, verbose: boolean, io: Io): void {
  const options = renderOptions(io.err, io);
  const shown = verbose ? findings : findings.filter(({ severity }) => severity !== "hint");
  if (shown.length > 0) io.err.write(`${renderDiagnostics(shown, source, options)}\n`);
  if (text === null) return;
  const number = (fidelity: string) => findings.filter((finding) => finding.fidelity === fidelity).length;
  io.err.write(
    `${options.style.bold(pluralize(findings.length, "finding"))}: ${number("exact")} exact, ${number("approximated")} approximated, ${number("lost")} lost\n`,
  );
}
