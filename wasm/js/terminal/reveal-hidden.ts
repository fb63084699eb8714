/**
 * Makes hidden text visible in approval prompts, in linear time. Characters become JSON escapes, gaps become their
 * lengths.
 *
 * Invariant: the result hides and omits nothing.
 */

/** Enough for indented JSON. */
const MAX_SPACES = 24;
const MAX_EMPTY_LINES = 1;
/** Per character. */
const MAX_COMBINING_MARKS = 3;

/** Invisible, or changes how others appear. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\uFFFC\u{E0100}-\u{E01EF}]/gu;
/** All but U+0020. */
const OTHER_SPACES = /[^\S \n]/gu;

/** Short runs of line breaks stay. */
export function revealHidden(text: string): string {
  return text
    .replaceAll("⟨", escapeCharacters)
    .replace(/\n(?:[^\S\n]*\n)+/g, (gap) => {
      const empty = gap.split("\n").length - 2;
      return empty > MAX_EMPTY_LINES ? `\n⟨${empty} empty lines⟩\n` : gap;
    })
    .replace(new RegExp(` {${MAX_SPACES + 1},}`, "g"), ({ length }) => `⟨${length} spaces⟩`)
    .replace(
      new RegExp(`(\\p{M}{${MAX_COMBINING_MARKS}})(\\p{M}+)`, "gu"),
      (_, few: string, more: string) => few + escapeCharacters(more),
    )
    .replace(HIDDEN, (character) => (character === "\n" ? character : escapeCharacters(character)))
    .replace(OTHER_SPACES, escapeCharacters);
}

export function revealHiddenLine(text: string): string {
  return text.split("\n").map(revealHidden).join("\\n");
}

function escapeCharacters(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}
