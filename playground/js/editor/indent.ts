/** The class of a wrapped line. `text.css` has one for each even indent. */

const MAX_INDENT = 24;

/** Counts list dashes, which aligns keys. */
export function indentClass(line: string): string {
  const indent = Math.min(/^ *(?:- +)*/.exec(line)![0].length, MAX_INDENT);
  return `wrap-${indent & ~1}`;
}
