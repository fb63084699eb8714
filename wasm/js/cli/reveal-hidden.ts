/**
 * Text that a person decides by: everything that is in it can be seen.
 *
 * Decides what would hide: characters that show nothing, that turn text round or pretend to be others, and gaps that
 * push the rest out of sight. Characters stand as JSON writes them; a gap stands with its length. Pure, and linear.
 *
 * Invariant: what is shown holds letters, marks, digits, signs and single blanks alone, and nothing of the text is left
 * out.
 */

/** How many blanks in a row are shown as they are: enough for indented JSON. */
const MAX_SPACES = 24;
/** How many lines may be empty in a row. */
const MAX_EMPTY_LINES = 1;
/** How many marks one letter may bear. */
const MAX_COMBINING_MARKS = 3;

/** What shows nothing, or makes other text show otherwise; blanks and line breaks apart. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\uFFFC\u{E0100}-\u{E01EF}]/gu;
/** Every kind of blank but the plain one. */
const OTHER_SPACES = /[^\S \n]/gu;

/** The text with all that would hide written out. Line breaks stay where there are few. */
export function revealHidden(text: string): string {
  return text
    .replaceAll("⟨", escapeCharacters)
    .replace(/\n(?:[^\S\n]*\n)+/g, (gap) => {
      const empty = gap.split("\n").length - 2;
      return empty > MAX_EMPTY_LINES ? `\n⟨${empty} empty lines⟩\n` : gap;
    })
    .replace(new RegExp(` {${MAX_SPACES + 1},}`, "g"), ({ length }) => `⟨${length} blanks⟩`)
    .replace(
      new RegExp(`(\\p{M}{${MAX_COMBINING_MARKS}})(\\p{M}+)`, "gu"),
      (_, few: string, more: string) => few + escapeCharacters(more),
    )
    .replace(HIDDEN, (character) => (character === "\n" ? character : escapeCharacters(character)))
    .replace(OTHER_SPACES, escapeCharacters);
}

/** The same for what stands on one line, as names do. */
export function revealHiddenLine(text: string): string {
  return text.split("\n").map(revealHidden).join("\\n");
}

function escapeCharacters(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}
