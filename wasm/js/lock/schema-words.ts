/** The words of a schema, into which a server can write instructions for a model. */
import { LOWER_BOUNDS, UPPER_BOUNDS } from "./schema-shape.js";

/** They can't hold words of the server. */
const WORDLESS = new Set(["type", "uniqueItems", "multipleOf", ...UPPER_BOUNDS, ...LOWER_BOUNDS]);

/** Whether a schema has texts or keys that another one lacks, also where they change no value: `$comment`. */
export function hasNewWords(before: unknown, after: unknown): boolean {
  const known = wordsOf(before);
  return [...wordsOf(after)].some((word) => !known.has(word));
}

function wordsOf(schema: unknown): Set<string> {
  const words = new Set<string>();
  const open = [schema];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") words.add(value);
    if (typeof value !== "object" || value === null) continue;
    for (const [key, part] of Object.entries(value)) {
      if (!Array.isArray(value) && !WORDLESS.has(key)) words.add(key);
      open.push(part);
    }
  }
  return words;
}
