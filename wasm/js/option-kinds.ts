/**
 * Kinds of options as short texts, to keep the file small.
 *
 * A kind is a name below, `=word` for that text, or `.a.b` for an object with those functions. `x|y` is either. `[]`
 * and `{}` precede the kind of items: `{}function|.chat`.
 */
import { isDecision, isMap } from "./guards.js";

const NAMED = {
  any: ["anything", () => true],
  text: ["text", (value: unknown) => typeof value === "string"],
  // Others end the process in SQLite drivers.
  place: ["text without NUL", (value: unknown) => typeof value === "string" && !value.includes("\0")],
  bytes: ["bytes", (value: unknown) => value instanceof Uint8Array],
  flag: ["`true` or `false`", (value: unknown) => typeof value === "boolean"],
  function: ["a function", (value: unknown) => typeof value === "function"],
  number: ["a number", (value: unknown) => typeof value === "number"],
  amount: ["a number from 0 up", isAmount],
  count: ["a whole number from 0 up", (value: unknown) => Number.isInteger(value) && (value as number) >= 0],
  ms: ["milliseconds, a number from 0 up", isAmount],
  map: ["a map", isMap],
  list: ["a list", Array.isArray],
  key: ["text or bytes that are not empty", isKey],
  decision: ["`approved`, `rejected` or `{ value }`", isDecision],
  signal: [
    "an `AbortSignal`",
    (value: unknown) => isMap(value) && hasMethod(value, "addEventListener") && "aborted" in value,
  ],
  off: ["`false`", (value: unknown) => value === false],
  // `assertKind` distinguishes them.
  tools: ["tool clients or functions", (value: unknown) => Array.isArray(value) || isMap(value)],
  null: ["null", (value: unknown) => value === null],
} as const;

type Name = keyof typeof NAMED;
/** The compiler checks the first name, tests the others. */
export type Kind = `${"" | "[]" | "{}"}${Name | `${Name}|${string}` | `.${string}` | `=${string}`}`;

export interface KindMismatch {
  at: string;
  kind: string;
  value: unknown;
}

/** An empty key signs nothing. Bytes may be of another realm. */
function isKey(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return Object.prototype.toString.call(value) === "[object Uint8Array]" && (value as Uint8Array).length > 0;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

type Predicate = (value: unknown) => boolean;

/** Every run checks its options. */
const predicates = new Map<string, Predicate>();

function accepts(kind: string): Predicate {
  let known = predicates.get(kind);
  if (known === undefined) predicates.set(kind, (known = predicate(kind)));
  return known;
}

function predicate(kind: string): Predicate {
  if (kind.startsWith("[]")) {
    const item = accepts(kind.slice(2));
    // `every` skips holes, iteration does not.
    return (value) => Array.isArray(value) && Array.from(value).every(item);
  }
  if (kind.startsWith("{}")) {
    const item = accepts(kind.slice(2));
    return (value) => isMap(value) && Object.values(value).every(item);
  }
  const cut = kind.indexOf("|");
  if (cut > 0) {
    const [first, others] = [accepts(kind.slice(0, cut)), accepts(kind.slice(cut + 1))];
    return (value) => first(value) || others(value);
  }
  if (kind.startsWith("=")) return (value) => value === kind.slice(1);
  if (kind.startsWith(".")) {
    const names = methodNames(kind);
    return (value) => names.every((name) => hasMethod(value, name));
  }
  return NAMED[kind as Name][1];
}

export function findMismatch(kind: string, value: unknown): KindMismatch | null {
  // A getter may return another value.
  return accepts(kind)(value) ? null : (locateMismatch(kind, value) ?? { at: "", kind, value });
}

function locateMismatch(kind: string, value: unknown): KindMismatch | null {
  const items = kind.slice(2);
  if (kind.startsWith("[]") && Array.isArray(value))
    return firstMismatch(value.entries(), items, (index) => `[${index}]`);
  if (kind.startsWith("{}") && isMap(value)) return firstMismatch(Object.entries(value), items, (name) => `.${name}`);
  const cut = /^[[{]/.test(kind) ? -1 : kind.indexOf("|");
  if (cut < 0) return accepts(kind)(value) ? null : { at: "", kind, value };
  if (accepts(kind.slice(0, cut))(value)) return null;
  const mismatch = findMismatch(kind.slice(cut + 1), value);
  // A deeper mismatch says more.
  return mismatch?.at === "" ? { at: "", kind, value } : mismatch;
}

function firstMismatch<K>(
  entries: Iterable<[K, unknown]>,
  kind: string,
  place: (key: K) => string,
): KindMismatch | null {
  for (const [key, value] of entries) {
    const mismatch = findMismatch(kind, value);
    if (mismatch !== null) return { ...mismatch, at: place(key) + mismatch.at };
  }
  return null;
}

function methodNames(kind: string): string[] {
  return kind.slice(1).split(".");
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function";
}

export function describeKind(kind: string): string {
  if (kind.startsWith("[]")) return `a list whose items are each ${describeKind(kind.slice(2))}`;
  if (kind.startsWith("{}")) return `a map whose values are each ${describeKind(kind.slice(2))}`;
  const cut = kind.indexOf("|");
  if (cut > 0) return `${describeKind(kind.slice(0, cut))} or ${describeKind(kind.slice(cut + 1))}`;
  if (kind.startsWith("=")) return `\`${kind.slice(1)}\``;
  if (kind.startsWith("."))
    return `an object with ${methodNames(kind)
      .map((name) => `\`${name}()\``)
      .join(" and ")}`;
  return NAMED[kind as Name][0];
}

/** Never secret. */
const PUBLIC_KINDS = /^(number|amount|count|ms|=)/;

export function describeValue(value: unknown, kind: string): string {
  if (value === null || value === undefined || typeof value === "boolean") return `\`${value}\``;
  if (typeof value === "number") return PUBLIC_KINDS.test(kind) ? `${value}` : "a number";
  if (typeof value === "string") return PUBLIC_KINDS.test(kind) && value.length < 40 ? `\`${value}\`` : "text";
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "a list";
  const lacking = methodNames(/(?:^|\|)(\..+)$/.exec(kind)?.[1] ?? "").find(
    (name) => name !== "" && !hasMethod(value, name),
  );
  if (lacking !== undefined) return `an object without \`${lacking}()\``;
  return isMap(value) ? "an object" : "an iterable such as a `Map`";
}
