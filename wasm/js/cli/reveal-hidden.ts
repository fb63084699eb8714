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
const BLANKS = 24;
/** How many lines may be empty in a row. */
const EMPTY = 1;
/** How many marks one letter may bear. */
const MARKS = 3;

/** What shows nothing, or makes other text show otherwise; blanks and line breaks apart. */
const HIDING =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\uFFFC\u{E0100}-\u{E01EF}]/gu;
/** Every kind of blank but the plain one. */
const WIDER = /[^\S \n]/gu;

/** The text with all that would hide written out. Line breaks stay where there are few. */
export function exposed(text: string): string {
  return text
    .replaceAll("⟨", escapedOf)
    .replace(/\n(?:[^\S\n]*\n)+/g, (gap) => {
      const empty = gap.split("\n").length - 2;
      return empty > EMPTY ? `\n⟨${empty} empty lines⟩\n` : gap;
    })
    .replace(new RegExp(` {${BLANKS + 1},}`, "g"), ({ length }) => `⟨${length} blanks⟩`)
    .replace(new RegExp(`(\\p{M}{${MARKS}})(\\p{M}+)`, "gu"), (_, few: string, more: string) => few + escapedOf(more))
    .replace(HIDING, (character) => (character === "\n" ? character : escapedOf(character)))
    .replace(WIDER, escapedOf);
}

/** The same for what stands on one line, as names do. */
export function exposedLine(text: string): string {
  return text.split("\n").map(exposed).join("\\n");
}

function escapedOf(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}
