/** `stepgraph import`: losses go to standard error, except with `--json`. */
import { importPlan, type ImportFinding, type ImportResult } from "../editor/node.js";
import { renderDiagnostics, Source } from "../terminal/diagnostics.js";
import { decode, renderOptions, displayName, readBytes, writeText, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { checkOutputs } from "./output-files.js";
import { pluralize } from "../terminal/text.js";

const LANGUAGES = ["mermaid", "serverless"] as const;

export async function importCommand(args: Arguments, io: Io): Promise<number> {
  const file = args.operands[0]!;
  checkOutputs(args, { writes: ["output"], reads: [], also: [{ what: "the workflow", file }] });
  const text = decode(readBytes(file));
  const imported = importPlan(text, { from: parseLanguage(args.single("from")) });
  const name = displayName(file);
  if (args.has("json")) io.out.write(`${JSON.stringify({ file: name, ...imported })}\n`);
  else reportFindings(imported, new Source(name, text), args.has("verbose"), io);
  if (imported.text === null) return 2;
  const output = args.single("output");
  if (output !== undefined) writeText(output, imported.text, { help: "check the file's permissions" });
  else if (!args.has("json")) io.out.write(imported.text);
  return args.has("strict") && imported.findings.some((finding) => isLoss(finding)) ? 1 : 0;
}

function parseLanguage(name: string | undefined): "auto" | (typeof LANGUAGES)[number] {
  if (name === undefined) return "auto";
  const found = LANGUAGES.find((language) => language === name);
  if (found) return found;
  const suggestion = closestName(name, LANGUAGES);
  throw new UsageError(
    "cli/bad-value",
    `there is no importer for \`${name}\``,
    suggestion ? `did you mean \`${suggestion}\`?` : "use `mermaid` or `serverless`",
  );
}

/** Appearance does not affect runs. */
function isLoss({ fidelity, code }: ImportFinding): boolean {
  return fidelity === "lost" && code !== "import/appearance";
}

/** Hints only with `--verbose`. */
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
