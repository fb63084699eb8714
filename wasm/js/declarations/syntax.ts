/**
 * Writes TypeScript: names, literals, comments and types.
 *
 * Invariant: no text of a plan can end the string or the comment that it is in.
 */

/** A type that says nothing. */
export const UNKNOWN = "unknown";

/** Returns a property's name, in quotes if it is no plain identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : textLiteral(name);
}

/** Also escapes characters that editors don't show, or that change the direction of the line. */
export function textLiteral(text: string): string {
  return JSON.stringify(text).replace(/[\p{C}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Returns the union of texts. Without any, no value fits. */
export function textUnion(texts: Iterable<string>): string {
  return union([...texts].map(textLiteral));
}

/** Returns a documentation comment with a line break, or nothing for an empty text. */
export function documentation(text: unknown): string {
  if (typeof text !== "string") return "";
  const line = [...text.replace(/[\s\p{C}]+/gu, " ").trim()]
    .slice(0, MAX_COMMENT)
    .join("")
    .replaceAll("*/", "*\\/")
    // A tag, or a directive for the compiler.
    .replace(/(^|\s)@/g, "$1\\@");
  return line === "" ? "" : `/** ${line} */\n`;
}

const MAX_COMMENT = 300;

/** Returns the union of types, each once, in parentheses. */
export function union(types: readonly string[]): string {
  if (types.includes(UNKNOWN)) return UNKNOWN;
  return join([...new Set(types)], " | ", "never");
}

/** Returns the intersection of types, in parentheses. Without any, every value fits. */
export function intersection(types: readonly string[]): string {
  return join([...new Set(types.filter((type) => type !== UNKNOWN))], " & ", UNKNOWN);
}

function join(types: readonly string[], operator: string, none: string): string {
  return types.length > 1 ? `(${types.join(operator)})` : (types[0] ?? none);
}

/** Only operators have parentheses around all of a type, so that these can be left out where a type stands alone. */
export function bare(type: string): string {
  return type.startsWith("(") && type.endsWith(")") ? type.slice(1, -1) : type;
}

/** A member of an object type. */
export interface Member {
  /** A finished name, or an index signature. */
  name: string;
  type: string;
  optional?: boolean;
  documentation?: unknown;
}

/** Returns an object type, with one line for each member. */
export function objectType(members: readonly Member[]): string {
  if (members.length === 0) return "Record<never, never>";
  const lines = members.map(
    ({ name, type, optional, documentation: text }) =>
      `${documentation(text)}${name}${optional ? "?" : ""}: ${bare(type)};`,
  );
  return `{\n${indent(lines.join("\n"))}\n}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
