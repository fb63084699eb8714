/**
 * Regular expressions for the engine, which has none of its own: those of JavaScript, which are what JSON Schema asks
 * for.
 *
 * Patterns come from schemas, and schemas from servers: what was made ready is kept, but only so much of it.
 */

const KEPT = 1000;

const ready = new Map<string, RegExp | null>();

/** @internal 1 when some part of a text matches, 0 when none does, -1 when the pattern can't be read. */
export function pattern_test(pattern: string, text: string): number {
  let known = ready.get(pattern);
  if (known === undefined) {
    known = read(pattern);
    if (ready.size >= KEPT) ready.clear();
    ready.set(pattern, known);
  }
  return known === null ? -1 : Number(known.test(text));
}

function read(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}
