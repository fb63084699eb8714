/** Quotes words for shells. */

/** Characters that control a terminal, or hide or turn text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;

/** For POSIX shells. Unprintable characters need bash or zsh. */
export function shellQuote(word: string): string {
  if (UNPRINTABLE.test(word)) return `$'${Array.from(word, escapeCharacter).join("")}'`;
  return /^[\w./:@%+-][\w./:@%+=-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escapeCharacter(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (!UNPRINTABLE.test(character)) return character;
  return Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
