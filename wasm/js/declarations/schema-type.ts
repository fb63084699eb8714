/**
 * Translates JSON Schema to TypeScript.
 *
 * Invariant: the type has every value that the schema allows. It omits keywords that TypeScript can't express.
 * Unreadable parts are `unknown`.
 */
import { isRecord, own } from "../records.js";
import { bare, intersection, type Member, objectType, propertyName, textLiteral, union, UNKNOWN } from "./syntax.js";

type Schema = Record<string, unknown>;

const ANY_MAP = "Record<string, unknown>";
/** Against schemas written to expand. */
const MAX_DEPTH = 16;
const MAX_SCHEMAS = 2000;
const MAX_LITERALS = 200;

/** Shared by the types of one plan. */
export interface Budget {
  left: number;
}

export function newBudget(): Budget {
  return { left: MAX_SCHEMAS };
}

interface Context {
  root: unknown;
  budget: Budget;
  depth: number;
  /** Schemas with followed references. */
  open: readonly unknown[];
  /** The only kind that an enclosing schema allows. */
  kind?: string | undefined;
}

/** References point into the schema itself. */
export function schemaType(schema: unknown, budget: Budget = newBudget()): string {
  return typeOf(schema, { root: schema, budget, depth: 0, open: [] });
}

function typeOf(schema: unknown, context: Context): string {
  if (schema === false) return "never";
  if (!isRecord(schema) || context.depth > MAX_DEPTH || context.budget.left-- <= 0) return UNKNOWN;
  // An own address changes what references mean.
  if (schema !== context.root && own(schema, "$id") !== undefined) return UNKNOWN;
  const kinds = kindsOf(schema, context.kind);
  // Alternatives speak of the same value, so they may omit the kind.
  const inner = { ...context, depth: context.depth + 1, kind: kinds?.length === 1 ? kinds[0] : undefined };
  const nested = { ...inner, kind: undefined };
  const type = literals(schema) ?? union((kinds ?? [""]).map((kind) => kindType(kind, schema, nested)));
  const parts = [
    referenced(schema, inner),
    alternatives(own(schema, "anyOf"), inner),
    alternatives(own(schema, "oneOf"), inner),
    combined(own(schema, "allOf"), inner),
  ];
  // Other parts know that it is a map.
  return intersection(type === ANY_MAP && parts.some((part) => part !== UNKNOWN) ? parts : [type, ...parts]);
}

function kindsOf(schema: Schema, implied: string | undefined): string[] | null {
  const type = own(schema, "type");
  const kinds = typeof type === "string" ? [type] : type === undefined && implied !== undefined ? [implied] : type;
  if (!Array.isArray(kinds) || !kinds.every((kind) => typeof kind === "string") || kinds.length === 0) return null;
  // OpenAPI's keyword, which other readers ignore.
  return own(schema, "nullable") === true ? [...kinds, "null"] : kinds;
}

function kindType(kind: string, schema: Schema, context: Context): string {
  switch (kind) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return kind;
    case "integer":
      return "number";
    case "array":
      return arrayType(schema, context);
    case "object":
      return recordType(schema, context);
    default:
      return UNKNOWN;
  }
}

function literals(schema: Schema): string | null {
  const values = Object.hasOwn(schema, "const") ? [schema.const] : own(schema, "enum");
  if (!Array.isArray(values) || values.length > MAX_LITERALS) return null;
  const type = union(values.map((value) => literalType(value, 0)));
  // The kind may say more.
  return type === UNKNOWN ? null : type;
}

function literalType(value: unknown, depth: number): string {
  if (typeof value === "string") return textLiteral(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "number";
  if (typeof value === "boolean" || value === null) return String(value);
  if (depth > 4) return UNKNOWN;
  if (Array.isArray(value)) return `[${value.map((item) => literalType(item, depth + 1)).join(", ")}]`;
  if (!isRecord(value)) return UNKNOWN;
  return objectType(
    Object.entries(value).map(([name, item]) => ({ name: propertyName(name), type: literalType(item, depth + 1) })),
  );
}

function arrayType(schema: Schema, context: Context): string {
  const first = own(schema, "prefixItems");
  const items = own(schema, "items");
  if (!Array.isArray(first))
    return `${items === undefined || Array.isArray(items) ? UNKNOWN : typeOf(items, context)}[]`;
  const required = Number(own(schema, "minItems") ?? 0);
  const elements = first.map((item, at) => {
    const type = typeOf(item, context);
    return at < required ? bare(type) : `${type}?`;
  });
  if (items !== false) elements.push(`...${items === undefined ? UNKNOWN : typeOf(items, context)}[]`);
  return `[${elements.join(", ")}]`;
}

function recordType(schema: Schema, context: Context): string {
  const properties = own(schema, "properties") ?? {};
  const required = own(schema, "required") ?? [];
  if (!isRecord(properties) || !Array.isArray(required)) return ANY_MAP;
  const needed = new Set(required.filter((name) => typeof name === "string"));
  const members: Member[] = Object.entries(properties).map(([name, property]) => ({
    name: propertyName(name),
    type: typeOf(property, context),
    optional: !needed.has(name),
    documentation: isRecord(property) ? own(property, "description") : undefined,
  }));
  for (const name of needed)
    if (!Object.hasOwn(properties, name)) members.push({ name: propertyName(name), type: UNKNOWN });
  const further = furtherProperties(schema, members, context);
  if (members.length === 0 && further === UNKNOWN) return ANY_MAP;
  if (further !== null) members.push({ name: "[name: string]", type: further });
  return members.length > 0 ? objectType(members) : "Record<string, never>";
}

/** The type of undeclared properties, if mentioned. */
function furtherProperties(schema: Schema, members: readonly Member[], context: Context): string | null {
  const further = own(schema, "additionalProperties");
  if (own(schema, "patternProperties") !== undefined) return UNKNOWN;
  if (further === undefined) return members.length > 0 ? null : UNKNOWN;
  if (further === false) return null;
  // In TypeScript the type of all properties includes each.
  const named = members.map(({ type }) => type);
  const missing = members.some(({ optional }) => optional) ? ["undefined"] : [];
  return union([typeOf(further, context), ...named, ...missing]);
}

function alternatives(schemas: unknown, context: Context): string {
  return Array.isArray(schemas) && schemas.length > 0
    ? union(schemas.map((schema) => typeOf(schema, context)))
    : UNKNOWN;
}

function combined(schemas: unknown, context: Context): string {
  return Array.isArray(schemas) ? intersection(schemas.map((schema) => typeOf(schema, context))) : UNKNOWN;
}

/** A recursive schema ends in `unknown`. */
function referenced(schema: Schema, context: Context): string {
  const target = resolve(own(schema, "$ref"), context.root);
  if (target === undefined || context.open.includes(target)) return UNKNOWN;
  return typeOf(target, { ...context, open: [...context.open, target] });
}

function resolve(reference: unknown, root: unknown): unknown {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found = root;
  for (const part of reference.slice(2).split("/")) {
    if (typeof found !== "object" || found === null) return undefined;
    found = own(found as Schema, decodePointer(part));
    // Its address changes what references mean.
    if (isRecord(found) && own(found, "$id") !== undefined) return undefined;
  }
  return found;
}

function decodePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}
