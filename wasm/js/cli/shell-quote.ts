/** Command lines that users copy. */

/** Quotes a word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[\w./:@%+-][\w./:@%+=-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
