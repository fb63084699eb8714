/**
 * Matches English texts against templates and fills the Spanish ones.
 *
 * Invariants: the work for a text has a fixed bound. Names and values of the user are copied, never translated. A text
 * is translated as a whole or not at all, so a name in back-ticks contains none.
 */

/** English to Spanish, by template. */
export type Translations = Readonly<Record<string, string>>;

/**
 * `any` is the user's own text. `kind` names a value or a thing, such as "a list". `list` has names in back-ticks.
 * `message` is another message.
 */
export type SlotKind = "any" | "number" | "kind" | "list" | "message";

/** Slots of an English text. The Spanish text numbers them from 1. */
const SLOT = /\{(?:(n|kind|list|message))?\}/g;
const NUMBERED = /\{(\d)\}/g;
const KINDS: Readonly<Record<string, SlotKind>> = { n: "number", kind: "kind", list: "list", message: "message" };

export interface Template {
  /** The text around the slots: one more than slots. */
  readonly literals: readonly string[];
  readonly slots: readonly SlotKind[];
  /** The length of the literals. */
  readonly weight: number;
  readonly spanish: string;
}

/** Returns the Spanish text of a slot, null if it has none, or undefined if the work is over its bound. */
export type TranslateSlot = (kind: SlotKind, text: string) => string | null | undefined;

export function parseTemplate(english: string, spanish: string): Template {
  const slots = [...english.matchAll(SLOT)].map(([, name]): SlotKind => KINDS[name ?? ""] ?? "any");
  const literals = english.split(/\{(?:n|kind|list|message)?\}/);
  return { literals, slots, weight: literals.reduce((sum, one) => sum + one.length, 0), spanish };
}

/** More literal text first, then fewer slots. */
export function compareTemplates(a: Template, b: Template): number {
  return b.weight - a.weight || a.slots.length - b.slots.length;
}

/** Returns the Spanish text, or null. */
export function applyTemplate(template: Template, text: string, translate: TranslateSlot): string | null {
  const { literals, spanish } = template;
  const [first, last] = [literals[0]!, literals.at(-1)!];
  const isPossible = text.length >= first.length + last.length && text.startsWith(first) && text.endsWith(last);
  if (!isPossible) return null;
  const values: string[] = [];
  if (!fillSlots(template, text, first.length, values, translate)) return null;
  return spanish.replace(NUMBERED, (_, number: string) => values[Number(number) - 1] ?? "");
}

/** A user's text ends at the next literal. A translated text may contain the literal. */
function fillSlots(
  template: Template,
  text: string,
  start: number,
  values: string[],
  translate: TranslateSlot,
): boolean {
  const { literals, slots } = template;
  const index = values.length;
  const kind = slots[index];
  if (kind === undefined) return start === text.length;
  const literal = literals[index + 1]!;
  const isLast = index === slots.length - 1;
  let end = isLast ? text.length - literal.length : text.indexOf(literal, start);
  for (; end >= start; end = isLast ? -1 : text.indexOf(literal, end + 1)) {
    const part = text.slice(start, end);
    if (kind === "any" && part.includes("`") && isQuoted(template, index)) return false;
    const value = translate(kind, part);
    if (value === undefined) return false;
    if (value !== null) {
      values.push(value);
      if (fillSlots(template, text, end + literal.length, values, translate)) return true;
      values.length = index;
    }
    if (kind === "any") return false;
  }
  return false;
}

function isQuoted({ literals }: Template, index: number): boolean {
  return literals[index]!.endsWith("`") && literals[index + 1]!.startsWith("`");
}
