/** The lines of a journal. A run that moved to a changed plan has another head at its end. */
import { HEAD } from "./journal-entry.js";

/** @internal Returns the lines that a replay reads. */
export function replayedLines(lines: readonly string[]): string[] {
  const later = lines.slice(1);
  const [first = ""] = lines;
  return lines.length === 0 ? [] : [later.findLast(isHead) ?? first, ...later.filter((line) => !isHead(line))];
}

/** @internal As `replaceHead` writes it. */
export function isHead(line: string): boolean {
  return line.startsWith(`{"name":${JSON.stringify(HEAD)},`);
}
