/**
 * Translates the text editor's hovers and completions, paragraph by paragraph. A user's own text stays as it is.
 */
import docs from "./docs.json" with { type: "json" };
import { functionDocs } from "./function-docs.js";
import { alternatives, details, paragraphs, steps, summaries, valueTypes } from "./hovers.js";
import { languageDocs } from "./language-docs.js";
import { translateMessage, translator } from "./translate.js";

export * from "./translate.js";

const documentation = new Map(Object.entries({ ...languageDocs, ...functionDocs, ...docs }));
const paragraph = translator([valueTypes, paragraphs]);
const detail = translator([valueTypes, details, alternatives]);
const summary = translator([summaries]);
const step = translator([steps]);

const REQUIRED = " Required.";
const PROBLEM = /^\*\*`([^`]+)`\*\* (.*)$/s;
const PROPERTY = /^- (`[^`]*`)(?:: (.*?))?(, always there|, required)?(?: — (.*))?$/;
const PRESENCE: Readonly<Record<string, string>> = {
  ", always there": ", siempre existe",
  ", required": ", obligatorio",
};

/** A hover's or a completion's Markdown. */
export function translateMarkdown(markdown: string): string {
  const parts = markdown.split("\n\n");
  const problem = PROBLEM.exec(parts[0]!);
  const rest = problem ? afterProblem(parts) : parts;
  const translated = rest.map((part) => translateParagraph(part) ?? part);
  if (!problem) return translated.join("\n\n");
  return [translateProblem(problem[1]!, problem[2]!), ...translated].join("\n\n");
}

/** Its message is text with escapes. In a card, it is shown as Markdown anyway. */
function translateProblem(code: string, escaped: string): string {
  const message = withoutEscapes(escaped);
  const translated = translateMessage(code, message);
  return `**\`${code}\`** ${translated === message ? escaped : translated}`;
}

function withoutEscapes(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, "$1");
}

/** The explanation of a code is English only. The problem itself says enough. */
function afterProblem(parts: readonly string[]): readonly string[] {
  const end = parts.indexOf("---");
  return end < 0 ? [] : parts.slice(end);
}

function translateParagraph(text: string): string | null {
  return (
    documentOf(text) ??
    translateRequired(text) ??
    (text.startsWith("- ") ? text.split("\n").map(translateProperty).join("\n") : null) ??
    translateEdges(text) ??
    translateUnreadable(text) ??
    paragraph(text)
  );
}

/** Descriptions come with escapes from schemas, and without from keys. */
function documentOf(text: string): string | undefined {
  return documentation.get(text) ?? documentation.get(withoutEscapes(text));
}

function translateUnreadable(text: string): string | null {
  const [, message] = /^This condition can't be read: (.*)\.$/s.exec(text) ?? [];
  return message === undefined
    ? null
    : `Esta condición no se puede leer: ${translateMessage("condition/unreadable", withoutEscapes(message))}.`;
}

function translateRequired(text: string): string | null {
  const doc = text.endsWith(REQUIRED) ? documentation.get(text.slice(0, -REQUIRED.length)) : undefined;
  return doc === undefined ? null : `${doc} Obligatorio.`;
}

function translateProperty(line: string): string {
  const [, name, type, presence, doc] = PROPERTY.exec(line) ?? [];
  if (name === undefined) return paragraph(line) ?? line;
  const typed = type === undefined ? "" : `: ${detail(type) ?? type}`;
  return `- ${name}${typed}${presence === undefined ? "" : PRESENCE[presence]}${doc === undefined ? "" : ` — ${documentOf(doc) ?? doc}`}`;
}

const EDGES = /^(A run begins here\. )?(Comes from|Leads to) (`.*)\.$/s;

function translateEdges(text: string): string | null {
  const [, start, verb, list] = EDGES.exec(text) ?? [];
  if (list === undefined) return null;
  const named = list
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(" when ", " si ").replace(/ and (\d+) more$/, " y $1 más"),
    )
    .join("");
  const from = verb === "Comes from" ? "Viene de" : "Lleva a";
  return `${start === undefined ? "" : "La ejecución empieza aquí. "}${from} ${named}.`;
}

/** The short text beside a completion. Nodes have their type there, which stays. */
export function translateDetail(kind: string, text: string): string {
  // `output.x` completes as an operand, with the type of its node.
  return (
    (kind === "node" || kind === "root" ? summary(text) : null) ?? (kind === "node" ? text : (detail(text) ?? text))
  );
}

/** A step of undo or redo. */
export function translateStep(name: string): string {
  return step(name) ?? name;
}
