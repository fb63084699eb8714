/** The shape of a JSON Schema: the accepted values, without texts and references. */
import { sortedText } from "../value-hash.js";
import { isRecord, own } from "../records.js";

/** These accept or refuse no value. */
const TEXTS = new Set(["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"]);
const IGNORED = new Set(["$defs", "definitions", "$schema", "$id", "$comment", "$anchor"]);
export const UPPER_BOUNDS = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
export const LOWER_BOUNDS = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
export const OTHER_BOUNDS = new Set(["pattern", "format", "uniqueItems", "multipleOf"]);
/** Their keys are names, their values schemas. */
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
/** Nested references can make a small schema huge. */
const MAX_PARTS = 500_000;
const MAX_DEPTH = 300;

/** Work left for comparing all tools. */
export interface ShapeBudget {
  parts: number;
}

export function shapeBudget(): ShapeBudget {
  return { parts: MAX_PARTS };
}

/** False if it takes too much work. `withTexts`: texts count. */
export function isSameShape(
  [left, leftRoot]: readonly [unknown, unknown],
  [right, rightRoot]: readonly [unknown, unknown],
  budget: ShapeBudget,
  withTexts = false,
): boolean {
  const text = (schema: unknown, root: unknown) => sortedText(new Shape(root, withTexts, budget).of(schema, [], 0));
  try {
    return text(left, leftRoot) === text(right, rightRoot);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return false;
  }
}

/** Returns the schema itself without a valid reference. */
export function resolved(schema: unknown, root: unknown): unknown {
  const seen = new Set<unknown>();
  let at = schema;
  for (;;) {
    const target = seen.has(at) ? undefined : targetOf(at, root);
    if (target === undefined) return at;
    seen.add(at);
    const { $ref: _ref, ...rest } = at as Record<string, unknown>;
    if (!isRecord(target)) return target;
    at = Object.keys(rest).length === 0 ? target : { ...target, ...rest };
  }
}

function targetOf(schema: unknown, root: unknown): unknown {
  const ref = own(schema, "$ref");
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return undefined;
  const steps = ref.split("/").slice(1);
  return steps.reduce<unknown>((value, step) => {
    const key = unescaped(step);
    return Array.isArray(value) ? value[Number(key)] : own(value, key);
  }, root);
}

function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

class TooLarge extends Error {}

class Shape {
  readonly #root: unknown;
  readonly #withTexts: boolean;
  readonly #budget: ShapeBudget;

  constructor(root: unknown, withTexts: boolean, budget: ShapeBudget) {
    this.#root = root;
    this.#withTexts = withTexts;
    this.#budget = budget;
  }

  /** `around` holds followed references. */
  of(schema: unknown, around: readonly string[], depth: number): unknown {
    if (--this.#budget.parts < 0 || depth > MAX_DEPTH) throw new TooLarge();
    if (Array.isArray(schema)) return schema.map((part) => this.of(part, around, depth + 1));
    if (!isRecord(schema)) return schema;
    const { $ref: ref } = schema;
    const target = typeof ref === "string" && !around.includes(ref) ? targetOf(schema, this.#root) : undefined;
    if (target === undefined) return this.#keywords(schema, around, depth);
    const { $ref: _ref, ...rest } = schema;
    const merged = isRecord(target) ? { ...target, ...rest } : target;
    return this.of(merged, [...around, ref as string], depth + 1);
  }

  #keywords(schema: Record<string, unknown>, around: readonly string[], depth: number): unknown {
    const entries = Object.entries(schema).filter(([key]) => !IGNORED.has(key) && (this.#withTexts || !isText(key)));
    return Object.fromEntries(entries.map(([key, value]) => [key, this.#keyword(key, value, around, depth)]));
  }

  #keyword(key: string, value: unknown, around: readonly string[], depth: number): unknown {
    if (["const", "default", "examples"].includes(key)) return value;
    if ((key === "enum" || key === "required" || key === "type") && Array.isArray(value)) return sortedItems(value);
    if (!MAPS.has(key) || !isRecord(value)) return this.of(value, around, depth + 1);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.of(part, around, depth + 1)]));
  }
}

/** Their order has no meaning. */
function sortedItems(items: readonly unknown[]): string[] {
  return items.map(sortedText).sort();
}

export function isText(key: string): boolean {
  return TEXTS.has(key) || key.startsWith("x-");
}
