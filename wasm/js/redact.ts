/**
 * What must not be written into a file that is kept or handed on: secrets, and what the host gave in confidence.
 *
 * A value is taken out by the name that it stands under (`secret-names.ts`). A {@link Redactor} also takes out texts
 * that it knows, wherever they occur: the values of a run's context, the keys and headers of its clients, and what it
 * has taken out by name before.
 * `core/src/cassette/redact.rs` does the same.
 *
 * Invariants: numbers, yes, no and null are taken out by name only; names of calls, nodes, tools and types stay, since
 * a replay goes by them.
 */
import { isSecret } from "./secret-names.js";
import { base64, type Clients, secretsOf } from "./secrets.js";

export { isSecret };

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** Texts of fewer characters are not looked for: they would be found everywhere. */
const SHORTEST = 4;
/** Texts of fewer characters are found as whole words only: `test` is no part of `latest`. */
const SHORTEST_PART = 8;
/** How many texts are looked for. */
const MOST_KNOWN = 1000;

/** Fields of lines and events that hold values of the run. All others hold names, codes and numbers. */
const VALUES = new Set(
  "content description input input_schema last memory message output output_schema provider schema text value values".split(
    " ",
  ),
);

/** Those of them whose own keys are names, too. */
const NAMED = new Set(["arguments", "outputs", "sent", "writes"]);

/** Whether something was taken out. */
export function hasRedacted(value: unknown): boolean {
  return textOf(value, () => {}).includes(REDACTED);
}

/** Takes secrets out of everything that is written of one run, and learns what they are on the way. */
export class Redactor {
  readonly #known = new Set<string>();
  readonly #clients: Clients;
  #pattern: RegExp | null = null;

  /** `context` holds the host's trusted values, all of whose texts are looked for; so are the secrets of `clients`. */
  constructor(context?: unknown, clients: Clients = {}) {
    this.#clients = clients;
    this.#learnAll(context);
  }

  /** A line or an event as JSON text, without secrets. */
  text(line: unknown): string {
    this.#learnSecrets();
    const text = textOf(line, (secret) => this.#learn(secret));
    if (this.#known.size === 0) return text;
    const pattern = (this.#pattern ??= patternOf(this.#known));
    // Most lines hold nothing that is known, and need not be read again.
    return pattern.test(text) ? JSON.stringify(withoutKnown(JSON.parse(text), pattern)) : text;
  }

  /** The same as a value. */
  plain(line: unknown): unknown {
    return JSON.parse(this.text(line));
  }

  /**
   * A snapshot without what is known. Nothing is taken out by its name: a run goes on from it.
   */
  snapshot<T extends { state: unknown; values: unknown[] }>(snapshot: T): T {
    const { state, values } = snapshot;
    return { ...snapshot, ...this.#without({ state, values }, withoutKnown) };
  }

  /** A value without what is known, wherever it stands. */
  value<T>(value: T): T {
    return this.#without(value, withoutKnownAtAll);
  }

  #without<T>(value: T, without: (value: T, pattern: RegExp) => unknown): T {
    this.#learnSecrets();
    if (this.#known.size === 0) return value;
    const pattern = (this.#pattern ??= patternOf(this.#known));
    try {
      return pattern.test(JSON.stringify(value) ?? "") ? (without(value, pattern) as T) : value;
    } catch {
      // What has no JSON is written nowhere.
      return value;
    }
  }

  /** A token may be another by now. */
  #learnSecrets(): void {
    for (const secret of secretsOf(this.#clients)) {
      if (this.#known.has(secret)) continue;
      this.#learn(secret);
      for (const text of this.#known.has(secret) ? base64(secret) : []) this.#learn(text);
    }
  }

  #learn(text: string): void {
    if (text.trim().length < SHORTEST || text.includes(REDACTED) || this.#known.has(text)) return;
    if (this.#known.size >= MOST_KNOWN) return;
    this.#known.add(text);
    this.#pattern = null;
  }

  #learnAll(value: unknown): void {
    if (typeof value === "string") this.#learn(value);
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value as object)) this.#learnAll(inner);
  }
}

/** A pattern that finds texts as they are, and as they stand in JSON and in JSON inside of it; the longest first. */
function patternOf(known: ReadonlySet<string>): RegExp {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  const letter = "[\\p{Alphabetic}\\p{N}]";
  const parts = [...known].flatMap((text) =>
    [...new Set([text, quoted(text), quoted(quoted(text))])].map((form) => {
      const plain = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      const source = text.length < SHORTEST_PART ? `(?<!${letter})${plain}(?!${letter})` : plain;
      return { length: form.length, source };
    }),
  );
  parts.sort((a, b) => b.length - a.length);
  return new RegExp(parts.map(({ source }) => source).join("|"), "u");
}

/** A text without known ones. */
function plainer(pattern: RegExp): (text: string) => string {
  const all = new RegExp(pattern.source, "gu");
  return (text) =>
    text
      .split(REDACTED)
      .map((part) => part.replace(all, REDACTED))
      .join(REDACTED);
}

function withoutKnownAtAll(value: unknown, pattern: RegExp): unknown {
  const plain = plainer(pattern);
  const everywhere = (value: unknown): unknown =>
    mapped(value, plain, (key, inner) => [key.length < SHORTEST_PART ? key : plain(key), everywhere(inner)]);
  return everywhere(value);
}

/** A line without known texts in those of its fields that hold values. */
function withoutKnown(line: unknown, pattern: RegExp): unknown {
  const plain = plainer(pattern);
  const everywhere = (value: unknown) => withoutKnownAtAll(value, pattern);
  const inFields = (value: unknown): unknown =>
    mapped(
      value,
      (text) => text,
      (key, inner) => [key, NAMED.has(key) ? named(inner) : VALUES.has(key) ? everywhere(inner) : inFields(inner)],
    );
  const named = (value: unknown): unknown => mapped(value, plain, (key, inner) => [key, everywhere(inner)]);
  return inFields(line);
}

/** A value whose texts, items and fields are others. */
function mapped(
  value: unknown,
  text: (value: string) => string,
  field: (key: string, inner: unknown) => [string, unknown],
): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((inner) => mapped(inner, text, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => field(key, inner)));
}

/**
 * `now` with what may stand in the place of a redacted text as `then` has it: which texts were known may differ from
 * one run to the next.
 */
export function aligned(then: unknown, now: unknown): unknown {
  if (then === REDACTED || now === REDACTED) return then;
  if (typeof then === "string" && typeof now === "string") return mayBe(then, now) || mayBe(now, then) ? then : now;
  if (Array.isArray(then) && Array.isArray(now)) return now.map((inner, i) => aligned(then[i], inner));
  if (!isMap(then) || !isMap(now)) return now;
  return Object.fromEntries(
    Object.entries(now).map(([key, inner]) => [key, Object.hasOwn(then, key) ? aligned(then[key], inner) : inner]),
  );
}

/** Whether a text is another one of which parts were taken out. */
function mayBe(redacted: string, text: string): boolean {
  const [first = "", ...rest] = redacted.split(REDACTED);
  if (rest.length === 0) return redacted === text;
  const last = rest.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON text without what stands under the name of a secret; `found` hears of each text that was taken out. */
function textOf(value: unknown, found: (secret: string) => void): string {
  const replace = function (this: unknown, key: string, value: unknown): unknown {
    if (key === "content" && typeof value === "string" && (this as { role?: unknown }).role === "tool")
      return resultOf(value, found);
    if (typeof value === "bigint") return isSecret(key) ? REDACTED : Number(value);
    // Yes, no and null tell nothing.
    const telling = value !== null && value !== undefined && typeof value !== "boolean";
    if (!telling || !isSecret(key)) return value;
    for (const inner of Array.isArray(value) ? value : [value])
      if (typeof inner === "string") found(inner);
      else if (typeof inner === "object") textOf(inner, found);
    return REDACTED;
  };
  try {
    return JSON.stringify(value, replace) ?? "null";
  } catch {
    // What holds itself has no JSON; to the machine it is absent.
    return "null";
  }
}

/** What a tool gave, as text without secrets. */
function resultOf(text: string, found: (secret: string) => void): string {
  if (!/^[{[]/.test(text)) return text;
  try {
    const value = JSON.parse(text) as unknown;
    const plain = textOf(value, found);
    return plain === JSON.stringify(value) ? text : plain;
  } catch {
    return text;
  }
}
