/**
 * Tables of values, and the functions that read them for the engine.
 *
 * The engine knows values by table and slot, paths and literals by number. Values may be any: only own keys count,
 * `undefined` is absent, and `toJSON` is respected.
 */
import { contains } from "./contains.js";

export interface Segment {
  readonly key: string | null;
  readonly index: number;
}

export interface Table {
  values: unknown[];
  readonly paths: readonly (readonly Segment[])[];
  /** Texts that conditions compare with. */
  readonly literals: ReadonlyMap<string, number>;
  /** Texts by number. */
  readonly texts: readonly string[];
}

const tables: (Table | undefined)[] = [];
const free: number[] = [];

export function addTable(table: Table): number {
  const number = free.pop() ?? tables.length;
  tables[number] = table;
  return number;
}

export function replaceTable(number: number, table: Table): void {
  tables[number] = table;
}

export function removeTable(number: number): void {
  tables[number] = undefined;
  free.push(number);
}

/** Values without JSON are absent. */
function toPlain(value: unknown): unknown {
  switch (typeof value) {
    case "object":
      return value !== null && typeof (value as { toJSON?: unknown }).toJSON === "function"
        ? (value as { toJSON(): unknown }).toJSON()
        : value;
    case "undefined":
    case "function":
    case "symbol":
      return undefined;
    default:
      return value;
  }
}

export function toSegment(written: string | number): Segment {
  if (typeof written === "number") return { key: null, index: written };
  return { key: written, index: /^(0|[1-9][0-9]{0,9})$/.test(written) ? Number(written) : -1 };
}

function step(value: unknown, { key, index }: Segment): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return index < 0 ? undefined : value[index];
  if (key === null) return undefined;
  // Plain objects inherit only functions, which are absent. So they skip the slow check.
  const plainObject = Object.getPrototypeOf(value) === Object.prototype && key !== "__proto__";
  return plainObject || Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** The root is never absent. */
export function getPath(value: unknown, path: readonly Segment[]): unknown {
  try {
    let at = toPlain(value);
    if (at === undefined && path.length === 0) return null;
    for (let i = 0; i < path.length; i++) at = toPlain(step(at, path[i]!));
    return at;
  } catch {
    // A getter's error must not reach the engine.
    return undefined;
  }
}

function find(table: number, slot: number, path: number): unknown {
  const { values, paths } = tables[table]!;
  return getPath(values[slot], paths[path]!);
}

let number = 0;
/** The list that `view` read last. */
let list: readonly unknown[] = [];

/** Kinds are numbered as in `wasm/engine/src/value.rs`. */
export function view(table: number, slot: number, path: number): number {
  const { values, paths, literals } = tables[table]!;
  return kindOf(getPath(values[slot], paths[path]!), literals);
}

export function list_has_text(table: number, literal: number): boolean {
  const text = tables[table]!.texts[literal]!;
  for (let index = 0, length = lengthOf(list); index < length; index++) if (itemOf(list, index) === text) return true;
  return false;
}

/** The kind of an element of the last list, or 8 past its end. */
export function view_element(table: number, index: number): number {
  if (index >= lengthOf(list)) return 8;
  const value = itemOf(list, index);
  // A nested list must not replace the last list.
  return Array.isArray(value) ? 6 : kindOf(value, tables[table]!.literals);
}

const ROOT_PATH: readonly Segment[] = [];

/** An absent element of a list is null. */
export function view_item(table: number, slot: number, index: number, path: number): number {
  const { paths, literals } = tables[table]!;
  const items = find(table, slot, 0);
  if (index >= lengthOf(items)) return 0;
  const item = itemOf(items as readonly unknown[], index);
  return kindOf(path === 0 && item === undefined ? null : getPath(item, paths[path]!), literals);
}

function itemOf(items: readonly unknown[], index: number): unknown {
  try {
    return getPath(items[index], ROOT_PATH);
  } catch {
    // A proxy threw.
    return undefined;
  }
}

/** A proxy may return any length or throw, which must not unwind the engine. */
function lengthOf(value: unknown): number {
  try {
    const length: unknown = Array.isArray(value) ? value.length : 0;
    return typeof length === "number" && length > 0 ? Math.min(Math.floor(length), MAX_LENGTH) : 0;
  } catch {
    return 0;
  }
}

const MAX_LENGTH = 2 ** 32 - 1;

function kindOf(value: unknown, literals: ReadonlyMap<string, number>): number {
  switch (typeof value) {
    case "string": {
      const literal = literals.get(value);
      return literal === undefined ? 5 : 16 + literal;
    }
    case "number":
      number = value;
      return Number.isFinite(value) ? 4 : 1;
    case "boolean":
      return value ? 3 : 2;
    case "bigint":
      number = Number(value);
      return 4;
    case "object":
      if (value === null) return 1;
      if (!Array.isArray(value)) return 7;
      list = value;
      return 6;
    default:
      return 0;
  }
}

/**
 * Tests as in `wasm/engine/src/value.rs`. Returns the text's length, to charge the work, or -1 minus it for a failed
 * test.
 */
export function test_text_at(table: number, slot: number, path: number, literal: number, test: number): number {
  const value = find(table, slot, path);
  if (typeof value !== "string") return -1;
  return passes(value, tables[table]!.texts[literal]!, test) ? value.length : -1 - value.length;
}

function passes(text: string, part: string, test: number): boolean {
  if (test === 0) return contains(text, part);
  return test === 1 ? text.startsWith(part) : text.endsWith(part);
}

export function seen_number(): number {
  return number;
}

export function put_at(into: number, slot: number, table: number, from: number, path: number): boolean {
  const value = find(table, from, path);
  if (value === undefined) return false;
  tables[into]!.values[slot] = value;
  return true;
}

export function put_json(table: number, slot: number, json: string): void {
  tables[table]!.values[slot] = JSON.parse(json);
}

/** JSON bytes of template results, in which one value may occur many times. */
const templateWeights = new WeakMap<object, number>();

/** For class instances and cycles. */
const OPAQUE_WEIGHT = 64;
const MAX_WEIGHT = 16_777_216;
const MAX_WEIGHT_DEPTH = 500;

function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  return typeof value === "object" && value !== null ? (templateWeights.get(value) ?? measureWeight(value)) : 8;
}

/** A tool may return a template's result, which must keep its size. */
function measureWeight(value: object): number {
  const known = new Map<object, number>();
  let counted = 0;
  const measure = (inner: unknown, depth: number): number => {
    if (typeof inner !== "object" || inner === null) {
      counted += weightOf(inner);
      return weightOf(inner);
    }
    const before = templateWeights.get(inner) ?? known.get(inner);
    if (before !== undefined) return before;
    known.set(inner, OPAQUE_WEIGHT);
    counted += 2;
    if (depth > MAX_WEIGHT_DEPTH || counted > MAX_WEIGHT || !isPlain(inner)) return OPAQUE_WEIGHT;
    const isList = Array.isArray(inner);
    let weight = 2;
    for (const [key, item] of Object.entries(inner)) weight += measure(item, depth + 1) + (isList ? 1 : key.length + 4);
    known.set(inner, weight);
    return weight;
  };
  let weight = OPAQUE_WEIGHT;
  try {
    weight = measure(value, 0);
  } catch {
    // Its reader will see the getter's error.
  }
  templateWeights.set(value, weight);
  return weight;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function weight_at(table: number, slot: number): number {
  return weightOf(tables[table]!.values[slot]);
}

export function put_list(table: number, slot: number, slots: Uint32Array): void {
  const list = new Array<unknown>(slots.length / 2);
  let weight = 2;
  for (let i = 0; i < list.length; i++) {
    list[i] = valueAt(slots, i);
    weight += weightOf(list[i]) + 1;
  }
  templateWeights.set(list, weight);
  tables[table]!.values[slot] = list;
}

export function put_map(table: number, slot: number, keys: string, slots: Uint32Array): void {
  const names = JSON.parse(keys) as string[];
  // Unlike assignment, `fromEntries` has no special `__proto__`.
  const map = Object.fromEntries(names.map((name, i) => [name, valueAt(slots, i)]));
  templateWeights.set(
    map,
    names.reduce((sum, name, i) => sum + name.length + 4 + weightOf(valueAt(slots, i)), 2),
  );
  tables[table]!.values[slot] = map;
}

function valueAt(slots: Uint32Array, i: number): unknown {
  return tables[slots[2 * i]!]!.values[slots[2 * i + 1]!];
}

export function text_at(table: number, slot: number, path: number): string | undefined {
  const value = find(table, slot, path);
  return typeof value === "string" ? value : undefined;
}

export function list_length(table: number, slot: number): number {
  return lengthOf(find(table, slot, 0));
}

export function put_item(into: number, slot: number, table: number, from: number, index: number): boolean {
  const value = find(table, from, 0);
  if (index >= lengthOf(value)) return false;
  const item = itemOf(value as readonly unknown[], index);
  tables[into]!.values[slot] = item === undefined ? null : item;
  return true;
}

export function put_entry(into: number, slot: number, table: number, from: number, key: string): boolean {
  const entry = getPath(find(table, from, 0), [toSegment(key)]);
  if (entry === undefined) return false;
  tables[into]!.values[slot] = entry;
  return true;
}

function keysOf(value: unknown): string[] {
  try {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.keys(value).filter((key) => getPath(value, [{ key, index: -1 }]) !== undefined);
  } catch {
    // A proxy threw.
    return [];
  }
}

export function count_at(table: number, slot: number): number {
  const value = find(table, slot, 0);
  return Array.isArray(value) ? lengthOf(value) : keysOf(value).length;
}

export function keys_at(table: number, slot: number): string {
  return JSON.stringify(keysOf(find(table, slot, 0)));
}

const encoder = /* @__PURE__ */ new TextEncoder();

export function json_bytes(table: number, slot: number): number {
  const json = json_at(table, slot, 0);
  return json === undefined ? 0 : encoder.encode(json).length;
}

export function json_at(table: number, slot: number, path: number): string | undefined {
  return toJson(find(table, slot, path));
}

/** Big integers become numbers. Values without JSON are `undefined`. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? Number(inner) : inner));
  } catch {
    return undefined;
  }
}

export function has_key_at(table: number, slot: number, path: number, key: string): boolean {
  const value = find(table, slot, path);
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
  } catch {
    // A proxy threw.
    return false;
  }
}
