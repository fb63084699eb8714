/** The smallest replacement that turns one text into another. */

export interface TextEdit {
  /** UTF-16 offsets in the old text. */
  start: number;
  end: number;
  text: string;
}

/** Returns the range that differs, or null if the texts are equal. Never splits a surrogate pair or a line end. */
export function minimalEdit(before: string, after: string): TextEdit | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  if (splits(before, start) || splits(after, start)) start--;
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  if (splits(before, before.length - tail) || splits(after, after.length - tail)) tail--;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

function splits(text: string, at: number): boolean {
  return /^(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|\r\n)$/.test(text.slice(Math.max(at - 1, 0), at + 1));
}
