/**
 * Translates messages of the engine into Spanish, for display only. Loaded for Spanish pages.
 *
 * A text that no template knows stays English.
 */
import { conditions } from "./conditions.js";
import { edits } from "./edits.js";
import { expressions } from "./expressions.js";
import { findings } from "./findings.js";
import { graphs } from "./graphs.js";
import { imports } from "./imports.js";
import { kinds } from "./kinds.js";
import { plannings } from "./plannings.js";
import { runs } from "./runs.js";
import { sources } from "./sources.js";
import { applyTemplate, compareTemplates, parseTemplate, type SlotKind, type Template } from "./template.js";
import type { Translations } from "./template.js";
import { tests } from "./tests.js";
import { values } from "./values.js";
import { wires } from "./wires.js";

/** The engine shortens what it quotes, so longer texts are not its own. */
const MAX_LENGTH = 2_000;
const MAX_DEPTH = 5;
const MAX_ATTEMPTS = 500;
const MAX_PIECES = 20;
const MAX_LETTERS = 200;
const SEPARATOR = "; ";

/** By the area that writes them. */
export const TABLES: Readonly<Record<string, Translations>> = {
  conditions,
  edits,
  expressions,
  findings,
  graphs,
  imports,
  plannings,
  runs,
  sources,
  tests,
  values,
  wires,
};

/** Codes begin with these. Other tables follow: a code may quote another area. */
const AREAS: Readonly<Record<string, Translations>> = {
  condition: conditions,
  connect: findings,
  edit: edits,
  expression: expressions,
  graph: graphs,
  import: imports,
  author: plannings,
  plan: plannings,
  source: sources,
  stub: tests,
  test: tests,
  schema: values,
  tool: values,
  mcp: wires,
  model: wires,
  run: runs,
};

class Table {
  readonly #exact = new Map<string, string>();
  readonly #templates: readonly Template[];
  /** By the first letter of texts. */
  readonly #candidates = new Map<string, readonly Template[]>();

  constructor(translations: Translations) {
    const entries = Object.entries(translations);
    const templates = entries.map(([english, spanish]) => parseTemplate(english, spanish));
    for (const { literals, slots, spanish } of templates)
      if (slots.length === 0) this.#exact.set(literals[0]!, spanish);
    this.#templates = templates.filter(({ slots }) => slots.length > 0).sort(compareTemplates);
  }

  exact(text: string): string | undefined {
    return this.#exact.get(text);
  }

  /** Most specific first. */
  templatesFor(text: string): readonly Template[] {
    const letter = text.slice(0, 1);
    let found = this.#candidates.get(letter);
    if (!found) {
      found = this.#templates.filter(({ literals }) => literals[0] === "" || literals[0]!.startsWith(letter));
      if (this.#candidates.size < MAX_LETTERS) this.#candidates.set(letter, found);
    }
    return found;
  }
}

const all = new Table(Object.assign({}, ...Object.values(TABLES)) as Translations);
const kindTable = new Table(kinds);
const areaTables = new Map<string, Table>();

/** Compiled when a code of the area comes. */
function areaTable(code: string): Table | undefined {
  const area = code.slice(0, Math.max(0, code.indexOf("/")));
  const translations = Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
  if (translations && !areaTables.has(area)) areaTables.set(area, new Table(translations));
  return areaTables.get(area);
}

/** Returns the Spanish text of a message, a help or a fix's title, or the text itself. */
export function translateMessage(code: string, text: string): string {
  if (text.length > MAX_LENGTH) return text;
  const area = areaTable(code);
  return new Translation(area ? [area, all] : [all]).message(text, MAX_DEPTH) ?? text;
}

/** Translates texts of these tables only. Null if none knows a text. */
export function translator(tables: readonly Translations[]): (text: string) => string | null {
  let table: Table | undefined;
  return (text) => {
    if (text.length > MAX_LENGTH) return null;
    table ??= new Table(Object.assign({}, ...tables) as Translations);
    return new Translation([table]).message(text, MAX_DEPTH);
  };
}

/** Translates an action's title, which may be the help of a problem with a capital letter. */
export function translateTitle(title: string): string {
  const own = translateMessage("edit/title", title);
  if (own !== title) return own;
  const help = title.charAt(0).toLowerCase() + title.slice(1);
  const translated = translateMessage("edit/title", help);
  return translated === help ? title : capitalize(translated);
}

/** A question begins with a sign. */
function capitalize(text: string): string {
  return text.replace(/\p{L}/u, (letter) => letter.toUpperCase());
}

/** One text, with a bound on its work. */
class Translation {
  #attempts = 0;
  readonly #messages = new Map<string, string | null>();

  constructor(readonly tables: readonly Table[]) {}

  message(text: string, depth: number): string | null {
    if (depth === 0) return null;
    const key = `${depth} ${text}`;
    const known = this.#messages.get(key);
    if (known !== undefined) return known;
    const found = this.#first(this.tables, text, depth) ?? this.#sequence(text, depth);
    this.#messages.set(key, found);
    return found;
  }

  /** Several messages in a row. One may contain a separator itself. */
  #sequence(text: string, depth: number): string | null {
    const pieces = text.split(SEPARATOR);
    if (pieces.length === 1 || pieces.length > MAX_PIECES) return null;
    const translated: string[] = [];
    for (let start = 0, end = 1; start < pieces.length; end++) {
      if (end > pieces.length) return null;
      // The text as a whole may have used up its attempts.
      if (depth === MAX_DEPTH && end === start + 1) this.#attempts = 0;
      const found = this.#first(this.tables, pieces.slice(start, end).join(SEPARATOR), depth - 1);
      if (found === null) continue;
      translated.push(found);
      start = end;
    }
    return translated.join(SEPARATOR);
  }

  #first(tables: readonly Table[], text: string, depth: number): string | null {
    for (const table of tables) {
      const found = table.exact(text);
      if (found !== undefined) return found;
    }
    if (depth === 0) return null;
    const translate = (kind: SlotKind, part: string): string | null | undefined =>
      ++this.#attempts > MAX_ATTEMPTS ? undefined : this.#slot(kind, part, depth - 1);
    for (const table of tables) {
      for (const template of table.templatesFor(text)) {
        if (this.#attempts > MAX_ATTEMPTS) return null;
        const found = applyTemplate(template, text, translate);
        if (found !== null) return found;
      }
    }
    return null;
  }

  #slot(kind: SlotKind, text: string, depth: number): string | null {
    if (kind === "any") return text;
    if (kind === "number") return /^-?\d+(?:\.\d+)?$/.test(text) ? text.replace(".", ",") : null;
    if (kind === "list") return translateList(text);
    if (kind === "kind") return isQuoted(text) ? text : this.#first([kindTable], text, depth);
    return this.message(text, depth);
  }
}

/** A name in back-ticks, a number or a text as JSON. */
function isQuoted(text: string): boolean {
  return /^(?:`[^`]*`|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|"(?:[^"\\]|\\.)*")$/.test(text);
}

const JOINTS: Readonly<Record<string, string>> = { ", ": ", ", " and ": " y ", " or ": " o ", ", and ": " y " };
const MORE: readonly (readonly [RegExp, string])[] = [
  [/^ and (\d+) more$/, " y $1 más"],
  [/^ or …$/, " o …"],
  [/^ or another of its values$/, " u otro de sus valores"],
];

/** Names in back-ticks with words between them, or null. */
function translateList(text: string): string | null {
  // Names at odd positions.
  const parts = text.split(/(`[^`]*`)/);
  const { length } = parts;
  if (length < 3 || parts[0] !== "") return null;
  const words = parts.map((part, index) => {
    if (index % 2 === 1 || index === 0) return part;
    if (index < length - 1) return JOINTS[part] ?? null;
    const more = MORE.find(([pattern]) => pattern.test(part));
    return part === "" ? "" : more ? part.replace(more[0], more[1]) : null;
  });
  return words.includes(null) ? null : words.join("");
}
