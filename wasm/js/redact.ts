/**
 * What must not be written into a file that is kept or handed on: secrets, and what the host gave in confidence.
 *
 * A value is taken out by the name that it stands under (`secret-names.ts`). A {@link Redactor} also takes out texts
 * that it knows, wherever they occur: the values of a run's context, the keys and headers of its clients, and what it
 * has taken out by name before. A value of the context is taken out under its own name, whatever it is: `tenant: 7`.
 * `core/src/cassette/redact.rs` does the same.
 *
 * Invariants: numbers, yes, no and null are taken out by name only; names of calls, nodes, tools and types stay, since
 * a replay goes by them.
 */
import { isSecret } from "./secret-names.js";
import { PlanError } from "./errors.js";
import { base64, type Clients, secretsOf } from "./secrets.js";
import { MIN_PART_LENGTH, TextMatcher } from "./text-matcher.js";

export { isSecret };

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** Texts of fewer characters are not looked for: they would be found everywhere. */
const MIN_LENGTH = 4;
/** How many texts of a context are looked for, and how many characters they have. */
const MAX_GIVEN = { texts: 10_000, characters: 200_000 };
/** The same of those that were taken out by name before: what a tool says must not grow without bound. */
const MAX_LEARNED = { texts: 1000, characters: 20_000 };

/** Fields of lines and events that hold values of the run. All others hold names, codes and numbers. */
const VALUE_FIELDS = new Set(
  "content description input input_schema last memory message output output_schema provider schema text value values".split(
    " ",
  ),
);

/** Those of them whose own keys are names, too. */
const NAMED_FIELDS = new Set(["arguments", "outputs", "sent", "writes"]);

/** JSON text without what stands under the name of a secret. What JSON does not have is null. */
export function redactedText(value: unknown): string {
  return redactJson(value, () => {});
}

/** Whether something was taken out. */
export function hasRedacted(value: unknown): boolean {
  return redactedText(value).includes(REDACTED);
}

/** Takes secrets out of everything that is written of one run, and learns what they are on the way. */
export class Redactor {
  /** What the host gave in confidence, and what was taken out by name. */
  readonly #given = new KnownSecrets(MAX_GIVEN);
  readonly #learned = new KnownSecrets(MAX_LEARNED);
  /** The values of the context as JSON text without secrets, by the names that they stand under. */
  readonly #named: ReadonlyMap<string, string>;
  readonly #clients: Clients;

  /**
   * `context` holds the host's trusted values, all of whose texts are looked for; so are the secrets of `clients`.
   *
   * @throws PlanError `api/bad-option` for a context that can't be read, or holds more than can be looked for.
   */
  constructor(context?: unknown, clients: Clients = {}) {
    this.#clients = clients;
    for (const text of textsOf(context)) {
      if (this.#given.add(text)) continue;
      const { texts, characters } = MAX_GIVEN;
      const max = `more than ${texts} texts or ${characters} characters`;
      throw new PlanError("api/bad-option", `\`context\` has ${max}: what is kept of a run can't be without them`);
    }
    // That it can be read is known by now.
    const entries = Object.entries(isMap(context) ? context : {});
    const telling = entries.filter(([, value]) => (value ?? null) !== null && typeof value !== "boolean");
    this.#named = new Map(telling.map(([name, value]) => [name, redactedText(value)]));
  }

  /** A line or an event as JSON text, without secrets. */
  text(line: unknown): string {
    this.#learnSecrets();
    const text = redactJson(line, (secret) => this.#learn(secret));
    // Most lines hold nothing that is known, and need not be read again.
    const known = this.#knows(text) || [...this.#named.keys()].some((key) => text.includes(JSON.stringify(key)));
    return known ? JSON.stringify(redactValueFields(JSON.parse(text), this.#redactKnown, this.#named)) : text;
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
    return { ...snapshot, ...this.#without({ state, values }, redactValueFields) };
  }

  /** A value without what is known, wherever it stands. */
  value<T>(value: T): T {
    return this.#without(value, redactAnywhere);
  }

  #without<T>(value: T, without: (value: T, redact: RedactText) => unknown): T {
    this.#learnSecrets();
    if (this.#given.size + this.#learned.size === 0) return value;
    try {
      return this.#knows(JSON.stringify(value) ?? "") ? (without(value, this.#redactKnown) as T) : value;
    } catch {
      // What has no JSON is written nowhere.
      return value;
    }
  }

  #knows(text: string): boolean {
    return this.#given.isIn(text) || this.#learned.isIn(text);
  }

  /** A text without known ones. */
  readonly #redactKnown = (text: string): string =>
    text
      .split(REDACTED)
      .map((part) => this.#learned.removeFrom(this.#given.removeFrom(part)))
      .join(REDACTED);

  /** A token may be another by now. */
  #learnSecrets(): void {
    for (const secret of secretsOf(this.#clients))
      if (!this.#given.has(secret) && this.#given.add(secret)) for (const text of base64(secret)) this.#given.add(text);
  }

  #learn(text: string): void {
    if (!this.#given.has(text)) this.#learned.add(text);
  }
}

/** Texts that are looked for, up to a bound. */
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

  /** Whether it is looked for now, if it can be: short ones would be found everywhere. */
  add(text: string): boolean {
    if (text.trim().length < MIN_LENGTH || text.includes(REDACTED) || this.#all.has(text)) return true;
    if (this.#all.size >= this.#most.texts || this.#characters + text.length > this.#most.characters) return false;
    this.#all.add(text);
    this.#characters += text.length;
    this.#texts = null;
    return true;
  }
}

/** All texts in a value of the host's, which may be anything. */
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

/** Whether a value is that of the context under the same name. */
function isContextValue(given: ReadonlyMap<string, string>, key: string, value: unknown): boolean {
  return given.has(key) && given.get(key) === JSON.stringify(value);
}

/** A line without known texts in those of its fields that hold values. */
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

/** A value whose texts, items and fields are others. */
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

/**
 * `now` with what may stand in the place of a redacted text as `then` has it: which texts were known may differ from
 * one run to the next.
 */
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

/** Whether a text is another one of which parts were taken out. */
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

/** JSON text without what stands under the name of a secret; `found` hears of each text that was taken out. */
function redactJson(value: unknown, found: (secret: string) => void): string {
  const replace = function (this: unknown, key: string, value: unknown): unknown {
    if (key === "content" && typeof value === "string" && (this as { role?: unknown }).role === "tool")
      return redactResult(value, found);
    if (typeof value === "bigint") return isSecret(key) ? REDACTED : Number(value);
    // Yes, no and null tell nothing.
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
    // What holds itself has no JSON; to the machine it is absent.
    return "null";
  }
}

/** What a tool gave, as text without secrets. */
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
