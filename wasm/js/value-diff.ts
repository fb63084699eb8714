/** Compares JSON values. */
import { sortedText } from "./value-hash.js";

/** Missing values are undefined. */
export interface Difference {
  path: string;
  expected: unknown;
  got: unknown;
}

/** @internal `part` allows further keys in maps. */
export function differences(expected: unknown, got: unknown, { most = 20, part = false } = {}): Difference[] {
  const found: Difference[] = [];
  compare(expected, got, "", part, (difference) => found.push(difference) < most);
  return found;
}

/** Stops when `report` returns false. */
function compare(
  expected: unknown,
  got: unknown,
  path: string,
  part: boolean,
  report: (difference: Difference) => boolean,
): boolean {
  const [remaining, right] = [membersOf(expected), membersOf(got)];
  if (remaining === null || right === null || Array.isArray(expected) !== Array.isArray(got)) {
    return sortedText(expected) === sortedText(got) || report({ path, expected, got });
  }
  const keys = part ? remaining.keys() : new Set([...remaining.keys(), ...right.keys()]);
  for (const key of keys) {
    const at = Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const [a, b] = [remaining.get(key), right.get(key)];
    const there = remaining.has(key) && right.has(key);
    if (!(there ? compare(a, b, at, false, report) : report({ path: at, expected: a, got: b }))) return false;
  }
  return true;
}

function membersOf(value: unknown): Map<string, unknown> | null {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null;
}

/** @internal */
export function clippedJson(value: unknown, max = 80): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing");
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
