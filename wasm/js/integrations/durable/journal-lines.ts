/** A journal's lines. A move to a changed plan appends another head. */
import { HEAD } from "./journal-entry.js";

/** @internal */
export function replayedLines(lines: readonly string[]): string[] {
  const later = lines.slice(1);
  const [first = ""] = lines;
  return lines.length === 0 ? [] : [later.findLast(isHead) ?? first, ...later.filter((line) => !isHead(line))];
}

/** @internal As `replaceHead` writes it. */
export function isHead(line: string): boolean {
  return line.startsWith(`{"name":${JSON.stringify(HEAD)},`);
}
