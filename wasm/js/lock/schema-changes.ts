/**
 * Compares two JSON Schemas by property.
 *
 * Invariant: schemas of different shapes have at least one change. Unnamable parts count as changed.
 */
import { closestName } from "../suggest.js";
import { sortedText } from "../value-hash.js";
import { quotedText } from "./canonical.js";
import { isRecord, own } from "../records.js";
import { hasNewWords } from "./schema-words.js";
import {
  isSameShape,
  isText,
  LOWER_BOUNDS,
  OTHER_BOUNDS,
  resolved,
  type ShapeBudget,
  shapeBudget,
  UPPER_BOUNDS,
} from "./schema-shape.js";

export type Side = "input" | "output";

export interface SchemaChange {
  /** Names of properties, and `[]` for items. */
  path: readonly string[];
  kind: "removed" | "added" | "required" | "optional" | "narrowed" | "widened" | "changed" | "text";
  message: string;
  /** For a removed property: one with the same schema and a similar name. */
  renamedTo?: string;
  after?: unknown;
  /** For an added property. */
  isRequired?: boolean;
  /** No check covers values of the new schema. */
  isUnchecked?: boolean;
}

/** Compared properties and items. */
const MAX_STEPS = 5000;
const MAX_DEPTH = 30;
/** Per old name. */
const MAX_RENAMES = 50;
const MAX_SHOWN = 6;
/** Compared on their own. */
const OWN = new Set(["properties", "required", "type", "enum", "const", "items"]);

export function compareSchemas(before: unknown, after: unknown, side: Side, budget = shapeBudget()): SchemaChange[] {
  if (sortedText(before) === sortedText(after)) return [];
  const comparison = new SchemaComparison(before, after, side, budget);
  comparison.compare(before, after, []);
  const { found } = comparison;
  if (found.some(({ kind }) => kind !== "text")) return found;
  const noun = side === "input" ? "the schema of the arguments" : "the schema of the output";
  if (!comparison.isSame(before, after))
    return [...found, { path: [], kind: "changed", message: `${noun} has changed`, after }];
  const isSameText = comparison.isSame(before, after, true);
  return found.length > 0 || (isSameText && !hasNewWords(before, after))
    ? found
    : [{ path: [], kind: "text", message: `texts in ${noun} have changed` }];
}

class SchemaComparison {
  readonly found: SchemaChange[] = [];
  readonly #before: unknown;
  readonly #after: unknown;
  readonly #noun: string;
  readonly #budget: ShapeBudget;
  /** Compares a recursive schema once. */
  readonly #compared = new Map<unknown, Set<unknown>>();
  #steps = 0;

  constructor(before: unknown, after: unknown, side: Side, budget: ShapeBudget) {
    this.#budget = budget;
    this.#before = before;
    this.#after = after;
    this.#noun = side === "input" ? "argument" : "output field";
  }

  compare(left: unknown, right: unknown, path: readonly string[]): void {
    if (this.isSame(left, right, true)) return;
    const [before, after] = [resolved(left, this.#before), resolved(right, this.#after)];
    if (this.#isCompared(before, after)) return;
    if (++this.#steps > MAX_STEPS || path.length > MAX_DEPTH || !isRecord(before) || !isRecord(after)) {
      if (!this.isSame(left, right)) this.#add(path, "changed", "has changed", { after });
      return;
    }
    // It may allow any values, and refuse any.
    if (isUnresolved(after))
      return this.#add(path, "changed", "refers to a schema that is not there", { after, isUnchecked: true });
    this.#compareTexts(before, after, path);
    this.#compareSets("type", typesOf(before), typesOf(after), path, after);
    this.#compareSets("value", valuesOf(before), valuesOf(after), path, after);
    this.#compareProperties(before, after, path);
    if (isRecord(before.items) && isRecord(after.items)) this.compare(before.items, after.items, [...path, "[]"]);
    else if (!this.isSame(before.items, after.items)) this.#add(path, "changed", "has other items", { after });
    this.#compareRest(before, after, path);
  }

  #compareTexts(before: Record<string, unknown>, after: Record<string, unknown>, path: readonly string[]): void {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(isText);
    const changed = keys.filter((key) => sortedText(own(before, key)) !== sortedText(own(after, key)));
    if (changed.length === 0) return;
    const description = own(after, "description");
    const isShown = changed.includes("description") && typeof description === "string";
    const shown = isShown ? `: ${quotedText(description)}` : "";
    this.#add(path, "text", `has another ${listed(changed)}${shown}`);
  }

  /** Null allows all. */
  #compareSets(
    what: "type" | "value",
    before: readonly string[] | null,
    after: readonly string[] | null,
    path: readonly string[],
    schema: unknown,
  ): void {
    const gone = after === null ? [] : (before ?? ["any other"]).filter((item) => !accepts(after, item));
    const more = before === null ? [] : (after ?? ["any other"]).filter((item) => !accepts(before, item));
    if (gone.length === 0 && more.length === 0) return;
    const say = (items: readonly string[]) => listed(items);
    if (more.length === 0) this.#add(path, "narrowed", `no longer allows ${say(gone)}`, { after: schema });
    else if (gone.length === 0) this.#add(path, "widened", `now also allows ${say(more)}`, { after: schema });
    else if (what === "type")
      this.#add(path, "changed", `is of type ${say(after!)}, no longer ${say(before!)}`, { after: schema });
    else this.#add(path, "changed", `allows ${say(more)}, and no longer ${say(gone)}`, { after: schema });
  }

  #compareProperties(before: Record<string, unknown>, after: Record<string, unknown>, path: readonly string[]): void {
    const [left, right] = [propertiesOf(before), propertiesOf(after)];
    const [needed, needs] = [requiredOf(before), requiredOf(after)];
    const gone = [...left.keys()].filter((name) => !right.has(name));
    const added = [...right.keys()].filter((name) => !left.has(name));
    for (const name of gone) this.#addRemoved(name, [left, right], added, path);
    for (const name of added) {
      const isRequired = needs.has(name);
      const message = isRequired ? "is new and required" : "is new";
      this.#add([...path, name], "added", message, { after: right.get(name), isRequired });
    }
    for (const [name, schema] of left) {
      if (!right.has(name)) continue;
      const at = [...path, name];
      if (needs.has(name) && !needed.has(name))
        this.#add(at, "required", "is now required", { after: right.get(name) });
      if (!needs.has(name) && needed.has(name)) this.#add(at, "optional", "is no longer required");
      this.compare(schema, right.get(name), at);
    }
    // A required name need not be declared.
    for (const name of needs)
      if (!needed.has(name) && !right.has(name)) this.#add([...path, name], "required", "is now required");
  }

  #addRemoved(
    name: string,
    [left, right]: [Map<string, unknown>, Map<string, unknown>],
    added: readonly string[],
    path: readonly string[],
  ): void {
    const equal = added.slice(0, MAX_RENAMES).filter((other) => this.isSame(left.get(name), right.get(other)));
    const renamedTo = similarName(name, equal);
    const message = renamedTo === undefined ? "is gone" : `is gone; \`${renamedTo}\` has the same schema`;
    this.#add([...path, name], "removed", message, renamedTo === undefined ? {} : { renamedTo });
  }

  #compareRest(before: Record<string, unknown>, after: Record<string, unknown>, path: readonly string[]): void {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const skips = (key: string) => OWN.has(key) || isText(key) || key.startsWith("$") || key === "definitions";
    const changed = keys.filter((key) => !skips(key) && !this.isSame(part(before, key), part(after, key)));
    const [keyword] = changed;
    if (keyword === undefined) return;
    const [old, now] = [own(before, keyword), own(after, keyword)];
    const isPlain = changed.length === 1 && [old, now].every((value) => typeof value !== "object");
    const text = isPlain
      ? `has \`${keyword}\` ${plain(now)}, and had ${plain(old)}`
      : `has another ${listed(changed.sort())}`;
    const kinds = new Set(changed.map((key) => directionOf(key, own(before, key), own(after, key))));
    const kind = kinds.size === 1 ? [...kinds][0]! : "changed";
    this.#add(path, kind, text, { after });
  }

  #isCompared(before: unknown, after: unknown): boolean {
    const known = this.#compared.get(before) ?? new Set();
    if (known.has(after) && isRecord(before)) return true;
    this.#compared.set(before, known.add(after));
    return false;
  }

  isSame(left: unknown, right: unknown, withTexts = false): boolean {
    return isSameShape([left, this.#before], [right, this.#after], this.#budget, withTexts);
  }

  #add(path: readonly string[], kind: SchemaChange["kind"], text: string, more: Partial<SchemaChange> = {}): void {
    const subject = path.length === 0 ? `the ${this.#noun === "argument" ? "input" : "output"}` : this.#subject(path);
    this.found.push({ path, kind, message: `${subject} ${text}`, ...more });
  }

  #subject(path: readonly string[]): string {
    return `the ${this.#noun} \`${pathText(path)}\``;
  }
}

/** As in plans: `items[].title`. */
export function pathText(path: readonly string[]): string {
  return path.join(".").replaceAll(".[]", "[]");
}

function directionOf(keyword: string, before: unknown, after: unknown): "widened" | "narrowed" | "changed" {
  const isUpper = UPPER_BOUNDS.has(keyword);
  if (!isUpper && !LOWER_BOUNDS.has(keyword) && !OTHER_BOUNDS.has(keyword)) return "changed";
  if (after === undefined) return "widened";
  if (before === undefined) return "narrowed";
  if (OTHER_BOUNDS.has(keyword) || typeof before !== "number" || typeof after !== "number") return "changed";
  return after > before === isUpper ? "widened" : "narrowed";
}

/** After local references were followed. */
function isUnresolved(schema: Record<string, unknown>): boolean {
  return Object.hasOwn(schema, "$ref") || Object.hasOwn(schema, "$dynamicRef");
}

/** A keyword alone, to read its value as the keyword's. */
function part(schema: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(schema, key) ? { [key]: schema[key] } : undefined;
}

function propertiesOf(schema: unknown): Map<string, unknown> {
  const properties = own(schema, "properties");
  return new Map(isRecord(properties) ? Object.entries(properties) : []);
}

function requiredOf(schema: unknown): Set<string> {
  const required = own(schema, "required");
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
}

function typesOf(schema: Record<string, unknown>): string[] | null {
  const type = own(schema, "type");
  const types = Array.isArray(type) ? type : [type];
  return type !== undefined && types.every((name) => typeof name === "string") ? types : null;
}

/** As JSON. Null allows all. */
export function valuesOf(schema: unknown): string[] | null {
  if (isRecord(schema) && Object.hasOwn(schema, "const")) return [sortedText(schema.const)];
  const values = own(schema, "enum");
  return Array.isArray(values) ? values.map(sortedText) : null;
}

/** Each integer is a number. */
function accepts(items: readonly string[], item: string): boolean {
  return items.includes(item) || (item === "integer" && items.includes("number"));
}

/** Another case, a few typos, or a longer form: `q` for `query`. */
export function similarName(name: string, others: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  const own = plain(name);
  const contains = (other: string) => own !== "" && (plain(other).includes(own) || own.includes(plain(other)));
  return closestName(name, others) ?? others.find((other) => plain(other) !== "" && contains(other));
}

function plain(value: unknown): string {
  return value === undefined ? "none" : `\`${sortedText(value).slice(0, 80)}\``;
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, MAX_SHOWN).map((item) => `\`${item}\``);
  return items.length > MAX_SHOWN ? `${shown.join(", ")} and ${items.length - MAX_SHOWN} more` : shown.join(", ");
}
