/** `stepgraph merge`, also git's merge driver. */
import type { MergeResult, MergeConflict } from "../editor/compare.js";
import { renderDiagnostics, Source, tally, type RenderOptions } from "../terminal/diagnostics.js";
import { decode, renderOptions, readBytes, writeText, type Io } from "./io.js";
import type { Arguments } from "./options.js";
import { pluralize, visible, wrap } from "../terminal/text.js";

export async function mergeCommand(args: Arguments, io: Io): Promise<number> {
  const [base, ours, theirs] = args.operands as [string, string, string];
  const texts = [base, ours, theirs].map((file) => decode(readBytes(file))) as [string, string, string];
  const { mergePlans } = await import("../editor/node.js");
  const merged = mergePlans(...texts);
  const output = args.single("output");
  if (output !== undefined) writeText(output, merged.text, { help: "name another file with --output" });
  if (args.has("json")) io.out.write(`${JSON.stringify(merged)}\n`);
  else {
    if (output === undefined) io.out.write(merged.text);
    const name = args.single("name") ?? output ?? ours;
    io.err.write(mergeReport(merged, name, texts, renderOptions(io.err, io)));
  }
  if (merged.conflicts.some(({ kind }) => kind === "unreadable")) return 2;
  return merged.conflicts.length > 0 ? 1 : 0;
}

/** Empty for a clean merge. */
export function mergeReport(
  { text, conflicts, diagnostics }: MergeResult,
  name: string,
  [base, ours, theirs]: [string, string, string],
  options: RenderOptions,
): string {
  if (conflicts.length === 0) return "";
  const sources = {
    base: new Source("base", base),
    ours: new Source("ours", ours),
    theirs: new Source("theirs", theirs),
    text: new Source("merged", text),
  };
  const lines = conflicts.flatMap((conflict) => conflictLines(conflict, sources, options));
  const broken = conflicts.some(({ kind }) => kind === "plan")
    ? diagnostics.filter(({ severity }) => severity === "error")
    : [];
  const shown =
    broken.length > 0
      ? `\n${renderDiagnostics(broken, new Source(name, text), options)}\n${visible(name)} has ${tally(broken)} as it is now\n`
      : "";
  return `${lines.join("\n")}\n${shown}${options.style.bold(`${visible(name)}: ${pluralize(conflicts.length, "conflict")}; ours is kept where they are`)}\n`;
}

function conflictLines(
  { kind, message, spans }: MergeConflict,
  sources: Record<"base" | "ours" | "theirs" | "text", Source>,
  { style, columns }: RenderOptions,
): string[] {
  const title = `conflict[${kind}]`;
  const [first = "", ...rest] = wrap(`${title}: ${visible(message)}`, columns);
  const places = (["base", "ours", "theirs", "text"] as const).flatMap((side) => {
    const span = spans[side];
    return span ? [`${sources[side].name} line ${sources[side].lineAt(span.start)}`] : [];
  });
  const at = places.length > 0 ? [`  ${style.blue("-->")} ${places.join(", ")}`] : [];
  return [
    `${style.red(style.bold(title))}${style.bold(first.slice(title.length))}`,
    ...rest.map((line) => `    ${style.bold(line)}`),
    ...at,
  ];
}
