/**
 * Finds values that JSON can't hold, such as a `Map`, which becomes `{}`. A later node, recording or replay would see
 * another value.
 */
import { partFlaw } from "./strict-json.js";

/** @internal `undefined` is absent, and `toJSON` is respected. */
export function jsonFlaw(value: unknown): string | null {
  try {
    const flaw = findFlaw(value, new Set(), new Set());
    if (flaw === null) return null;
    return flaw.path.length === 0 ? `it is ${flaw.what}` : `\`${pathText(flaw.path)}\` is ${flaw.what}`;
  } catch (error) {
    if (error instanceof RangeError) return "it is nested too deeply";
    return `reading it throws: ${String((error as Error | null)?.message ?? error).split("\n")[0]}`;
  }
}

interface Flaw {
  /** Outermost first. */
  path: (string | number)[];
  what: string;
}

/** `around` holds enclosing objects, `seen` flawless ones, which are read once. */
function findFlaw(value: unknown, around: Set<object>, seen: Set<object>): Flaw | null {
  if (typeof value !== "object" || value === null) return flawOf(value);
  if (seen.has(value)) return null;
  if (around.has(value)) return { path: [], what: "an object that contains itself" };
  around.add(value);
  const flaw = findObjectFlaw(value, around, seen);
  around.delete(value);
  if (flaw === null) seen.add(value);
  return flaw;
}

function findObjectFlaw(value: object, around: Set<object>, seen: Set<object>): Flaw | null {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return findFlaw(toJSON.call(value, ""), around, seen);
  const own = flawOf(value);
  if (own !== null) return own;
  for (const [key, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const flaw = findFlaw(part, around, seen);
    if (flaw === null) continue;
    flaw.path.unshift(key);
    return flaw;
  }
  return null;
}

function flawOf(value: unknown): Flaw | null {
  const what = partFlaw(value);
  return what === undefined ? null : { path: [], what };
}

function pathText(path: Flaw["path"]): string {
  const parts = path.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  const text = parts.join("").replace(/^\./, "");
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
