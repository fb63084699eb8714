/**
 * Writes TypeScript.
 *
 * Invariant: no text of a plan can end its string or comment.
 */

export const UNKNOWN = "unknown";

/** Quotes all but plain identifiers. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : textLiteral(name);
}

/** Escapes characters that are invisible or change direction. */
export function textLiteral(text: string): string {
  return JSON.stringify(text).replace(/[\p{C}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** If there are no texts, no value fits. */
export function textUnion(texts: Iterable<string>): string {
  return union([...texts].map(textLiteral));
}

/** Ends with a line break, unless empty. */
export function documentation(text: unknown): string {
  if (typeof text !== "string") return "";
  const line = [...text.replace(/[\s\p{C}]+/gu, " ").trim()]
    .slice(0, MAX_COMMENT)
    .join("")
    .replaceAll("*/", "*\\/")
    // Tags and directives for the compiler.
    .replace(/(^|\s)@/g, "$1\\@");
  return line === "" ? "" : `/** ${line} */\n`;
}

const MAX_COMMENT = 300;

export function union(types: readonly string[]): string {
  if (types.includes(UNKNOWN)) return UNKNOWN;
  return join([...new Set(types)], " | ", "never");
}

/** If there are no types, every value fits. */
export function intersection(types: readonly string[]): string {
  return join([...new Set(types.filter((type) => type !== UNKNOWN))], " & ", UNKNOWN);
}

function join(types: readonly string[], operator: string, none: string): string {
  return types.length > 1 ? `(${types.join(operator)})` : (types[0] ?? none);
}

/** Only operators have parentheses around a whole type. */
export function bare(type: string): string {
  return type.startsWith("(") && type.endsWith(")") ? type.slice(1, -1) : type;
}

export interface Member {
  /** A finished name, or an index signature. */
  name: string;
  type: string;
  optional?: boolean;
  documentation?: unknown;
}

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
