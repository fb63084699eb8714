/**
 * Removes secrets from everything that is stored or passed on, as `core/src/cassette/redact.rs` does.
 *
 * Redacts by name (`secret-names.ts`), and known texts anywhere: context values, keys and headers of clients, and texts
 * redacted before. Context values, even numbers, are also redacted under their own name.
 *
 * Invariants: other numbers are redacted by name only, booleans and null never. Names that a replay needs stay: of
 * calls, nodes, tools and types.
 */
import { isSecret } from "./secret-names.js";
import { PlanError } from "./errors.js";
import { base64, type Clients, secretsOf } from "./secrets.js";
import { MIN_PART_LENGTH, TextMatcher } from "./text-matcher.js";

export { isSecret };

export const REDACTED = "[redacted]";

/** Shorter texts would match everywhere. */
const MIN_LENGTH = 4;
const MAX_GIVEN = { texts: 10_000, characters: 200_000 };
/** Tools could add texts forever. */
const MAX_LEARNED = { texts: 1000, characters: 20_000 };

/** All other fields hold names, codes and numbers. */
const VALUE_FIELDS = new Set(
  "content description input input_schema last memory message output output_schema provider schema text value values".split(
    " ",
  ),
);

/** Their keys are names, too. */
const NAMED_FIELDS = new Set(["arguments", "outputs", "sent", "writes"]);

/** Values without JSON become null. */
export function redactedText(value: unknown): string {
  return redactJson(value, () => {});
}

export function hasRedacted(value: unknown): boolean {
  return redactedText(value).includes(REDACTED);
}

/** Redacts all records of a run, and learns its secrets. */
export class Redactor {
  readonly #given = new KnownSecrets(MAX_GIVEN);
  readonly #learned = new KnownSecrets(MAX_LEARNED);
  /** As redacted JSON. */
  readonly #named: ReadonlyMap<string, string>;
  readonly #clients: Clients;

  /** @throws PlanError `api/bad-option` for a context that cannot be read, or exceeds the limits. */
  constructor(context?: unknown, clients: Clients = {}) {
    this.#clients = clients;
    for (const text of textsOf(context)) {
      if (this.#given.add(text)) continue;
      const { texts, characters } = MAX_GIVEN;
      const max = `more than ${texts} texts or ${characters} characters`;
      throw new PlanError("api/bad-option", `\`context\` has ${max}: stored data of a run can't be redacted`);
    }
    // Readable, because its texts were collected.
    const entries = Object.entries(isMap(context) ? context : {});
    const telling = entries.filter(([, value]) => (value ?? null) !== null && typeof value !== "boolean");
    this.#named = new Map(telling.map(([name, value]) => [name, redactedText(value)]));
  }

  text(line: unknown): string {
    this.#learnSecrets();
    const text = redactJson(line, (secret) => this.#learn(secret));
    // Most lines hold no known text.
    const known = this.#isKnown(text) || [...this.#named.keys()].some((key) => text.includes(JSON.stringify(key)));
    return known ? JSON.stringify(redactValueFields(JSON.parse(text), this.#redactKnown, this.#named)) : text;
  }

  plain(line: unknown): unknown {
    return JSON.parse(this.text(line));
  }

  /** Ignores names, because a run resumes from the values. */
  snapshot<T extends { state: unknown; values: unknown[] }>(snapshot: T): T {
    const { state, values } = snapshot;
    return { ...snapshot, ...this.#without({ state, values }, redactValueFields) };
  }

  value<T>(value: T): T {
    return this.#without(value, redactAnywhere);
  }

  #without<T>(value: T, without: (value: T, redact: RedactText) => unknown): T {
    this.#learnSecrets();
    if (this.#given.size + this.#learned.size === 0) return value;
    try {
      return this.#isKnown(JSON.stringify(value) ?? "") ? (without(value, this.#redactKnown) as T) : value;
    } catch {
      // Never written, because it has no JSON.
      return value;
    }
  }

  #isKnown(text: string): boolean {
    return this.#given.isIn(text) || this.#learned.isIn(text);
  }

  readonly #redactKnown = (text: string): string =>
    text
      .split(REDACTED)
      .map((part) => this.#learned.removeFrom(this.#given.removeFrom(part)))
      .join(REDACTED);

  /** Tokens may change during a run. */
  #learnSecrets(): void {
    for (const secret of secretsOf(this.#clients))
      if (!this.#given.has(secret) && this.#given.add(secret)) for (const text of base64(secret)) this.#given.add(text);
  }

  #learn(text: string): void {
    if (!this.#given.has(text)) this.#learned.add(text);
  }
}

class KnownSecrets {
  readonly #all = new Set<string>();
  readonly #most: { texts: number; characters: number };
  #characters = 0;
  #texts: TextMatcher | null = null;

  constructor(max: { texts: number; characters: number }) {
    this.#most = max;
  }

  get size(): number {
    return this.#all.size;
  }

  get #found(): TextMatcher {
    return (this.#texts ??= new TextMatcher(this.#all));
  }

  isIn(text: string): boolean {
    return this.#all.size > 0 && this.#found.isIn(text);
  }

  removeFrom(text: string): string {
    return this.#all.size > 0 ? this.#found.replaceIn(text, REDACTED) : text;
  }

  has(text: string): boolean {
    return this.#all.has(text);
  }

  /** Returns false at the limits. Skips short texts. */
  add(text: string): boolean {
    if (text.trim().length < MIN_LENGTH || text.includes(REDACTED) || this.#all.has(text)) return true;
    if (this.#all.size >= this.#most.texts || this.#characters + text.length > this.#most.characters) return false;
    this.#all.add(text);
    this.#characters += text.length;
    this.#texts = null;
    return true;
  }
}

function* textsOf(value: unknown): Iterable<string> {
  const seen = new Set<unknown>();
  const pending = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one === "string") yield one;
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    seen.add(one);
    for (const inner of insideOf(one)) pending.push(inner);
  }
}

function insideOf(value: object): Iterable<unknown> {
  try {
    const own = Object.values(value);
    if (value instanceof Map) return own.concat([...value.keys()], [...value.values()]);
    return value instanceof Set ? own.concat([...value]) : own;
  } catch (error) {
    throw new PlanError("api/bad-option", `\`context\` can't be read: ${String(error)}`);
  }
}

type RedactText = (text: string) => string;

const NO_CONTEXT: ReadonlyMap<string, string> = new Map();

function redactAnywhere(value: unknown, redact: RedactText, given = NO_CONTEXT): unknown {
  const everywhere = (value: unknown): unknown =>
    mapTexts(value, redact, (key, inner) => [
      key.length < MIN_PART_LENGTH ? key : redact(key),
      isContextValue(given, key, inner) ? REDACTED : everywhere(inner),
    ]);
  return everywhere(value);
}

function isContextValue(given: ReadonlyMap<string, string>, key: string, value: unknown): boolean {
  return given.has(key) && given.get(key) === JSON.stringify(value);
}

function redactValueFields(line: unknown, redact: RedactText, given = NO_CONTEXT): unknown {
  const everywhere = (value: unknown) => redactAnywhere(value, redact, given);
  const inFields = (value: unknown): unknown =>
    mapTexts(
      value,
      (text) => text,
      (key, inner) => [
        key,
        NAMED_FIELDS.has(key) ? named(inner) : VALUE_FIELDS.has(key) ? everywhere(inner) : inFields(inner),
      ],
    );
  const named = (value: unknown): unknown =>
    mapTexts(value, redact, (key, inner) => [key, isContextValue(given, key, inner) ? REDACTED : everywhere(inner)]);
  return inFields(line);
}

function mapTexts(
  value: unknown,
  text: (value: string) => string,
  field: (key: string, inner: unknown) => [string, unknown],
): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, text, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => field(key, inner)));
}

/** Known texts vary between runs. */
export function alignRedacted(then: unknown, now: unknown): unknown {
  if (then === REDACTED || now === REDACTED) return then;
  if (typeof then === "string" && typeof now === "string")
    return mayMatch(then, now) || mayMatch(now, then) ? then : now;
  if (Array.isArray(then) && Array.isArray(now)) return now.map((inner, i) => alignRedacted(then[i], inner));
  if (!isMap(then) || !isMap(now)) return now;
  return Object.fromEntries(
    Object.entries(now).map(([key, inner]) => [
      key,
      Object.hasOwn(then, key) ? alignRedacted(then[key], inner) : inner,
    ]),
  );
}

function mayMatch(redacted: string, text: string): boolean {
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

function redactJson(value: unknown, found: (secret: string) => void): string {
  const replace = function (this: unknown, key: string, value: unknown): unknown {
    if (key === "content" && typeof value === "string" && (this as { role?: unknown }).role === "tool")
      return redactResult(value, found);
    if (typeof value === "bigint") return isSecret(key) ? REDACTED : Number(value);
    // These reveal nothing.
    const telling = value !== null && value !== undefined && typeof value !== "boolean";
    if (!telling || !isSecret(key)) return value;
    for (const inner of Array.isArray(value) ? value : [value])
      if (typeof inner === "string") found(inner);
      else if (typeof inner === "object") redactJson(inner, found);
    return REDACTED;
  };
  try {
    return JSON.stringify(value, replace) ?? "null";
  } catch {
    // Cyclic. The engine treats it as absent.
    return "null";
  }
}

/** A tool's result is JSON within text. */
function redactResult(text: string, found: (secret: string) => void): string {
  if (!/^[{[]/.test(text)) return text;
  try {
    const value = JSON.parse(text) as unknown;
    const plain = redactJson(value, found);
    return plain === JSON.stringify(value) ? text : plain;
  } catch {
    return text;
  }
}
