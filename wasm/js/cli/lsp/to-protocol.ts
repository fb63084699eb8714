/**
 * What the editor's module answers, in the protocol's shapes.
 *
 * Decides nothing of plans: only how a kind of thing is called in the protocol, and what of it a client can take.
 */
import {
  CodeActionKind,
  CompletionItemKind,
  DiagnosticSeverity,
  DiagnosticTag,
  DocumentHighlightKind,
  FoldingRangeKind,
  InsertTextFormat,
  InsertTextMode,
  MarkupKind,
  SymbolKind,
  type CodeAction as LspCodeAction,
  type CompletionItem,
  type Diagnostic as LspDiagnostic,
  type DocumentHighlight,
  type DocumentSymbol,
  type FoldingRange as LspFoldingRange,
  type Hover as LspHover,
  type Location,
  type MarkupContent,
  type SymbolInformation,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { tokenKinds } from "../../editor/node.js";
import type {
  CodeAction,
  Completion,
  CompletionKind,
  FoldingRange,
  Hover,
  PlanSymbol,
  SymbolKind as PlanSymbolKind,
  TextChange,
} from "../../editor/types.js";
import type { Diagnostic } from "../../types.js";
import type { ClientFeatures } from "./client-capabilities.js";
import type { OpenFile } from "./files.js";
import type { TextPositions } from "./positions.js";

const SEVERITIES = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Information,
};

/** What no run can come to is shown faint. */
const UNNECESSARY = new Set(["graph/unreachable-node", "graph/dead-edge", "graph/no-effect", "graph/ignored-input"]);

const COMPLETIONS: Record<CompletionKind, CompletionItemKind> = {
  key: CompletionItemKind.Property,
  type: CompletionItemKind.Class,
  node: CompletionItemKind.Reference,
  tool: CompletionItemKind.Function,
  model: CompletionItemKind.Module,
  root: CompletionItemKind.Variable,
  property: CompletionItemKind.Field,
  operator: CompletionItemKind.Operator,
  value: CompletionItemKind.EnumMember,
  snippet: CompletionItemKind.Snippet,
};

/** A diagnostic; places of labels are links into the same file. */
export function toLspDiagnostic(
  found: Diagnostic,
  { uri, positions }: OpenFile,
  { related, tags }: ClientFeatures,
): LspDiagnostic {
  const { code, severity, message, span, labels, help } = found;
  return {
    range: positions.range(span ?? { start: 0, end: 0 }),
    severity: SEVERITIES[severity],
    code,
    source: "stepgraph",
    message: help ? `${message}\n${help}` : message,
    ...(tags && UNNECESSARY.has(code) ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(related && labels.length > 0
      ? {
          relatedInformation: labels.map((label) => ({
            location: { uri, range: positions.range(label.span) },
            message: label.message,
          })),
        }
      : {}),
  };
}

/** A completion; `at` is its place in the list, which is the order of likelihood. */
export function toLspCompletion(
  found: Completion,
  at: number,
  positions: TextPositions,
  features: ClientFeatures,
): CompletionItem {
  const { label, kind, detail, documentation, edit, snippet, filter, again } = found;
  const isSnippet = features.snippets && snippet !== null;
  return {
    label,
    kind: COMPLETIONS[kind],
    ...(detail ? { detail } : {}),
    ...(documentation ? { documentation: markup(documentation, features.markdownDocs) } : {}),
    sortText: String(at).padStart(4, "0"),
    filterText: filter,
    textEdit: { range: positions.range(edit.span), newText: isSnippet ? snippet : edit.text },
    ...(isSnippet ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
    ...(features.asIs ? { insertTextMode: InsertTextMode.asIs } : {}),
    ...(again && features.again ? { command: { title: "Suggest", command: "editor.action.triggerSuggest" } } : {}),
  };
}

/** What is known of a thing. */
export function toLspHover(
  { span, markdown }: Hover,
  positions: TextPositions,
  { markdownHover }: ClientFeatures,
): LspHover {
  return { contents: markup(markdown, markdownHover), range: positions.range(span) };
}

/** Markdown, or for a client without it the same without its marks. */
function markup(markdown: string, takes: boolean): MarkupContent {
  return takes
    ? { kind: MarkupKind.Markdown, value: markdown }
    : { kind: MarkupKind.PlainText, value: markdown.replace(/^```\w*\n?/gm, "").replace(/\*\*|`/g, "") };
}

/** A place in a file. */
export function toLspLocation(span: { start: number; end: number }, { uri, positions }: OpenFile): Location {
  return { uri, range: positions.range(span) };
}

/** Where a name stands, to be marked. */
export function toLspHighlight(span: { start: number; end: number }, positions: TextPositions): DocumentHighlight {
  return { range: positions.range(span), kind: DocumentHighlightKind.Text };
}

/** Edits of one file. */
export function toLspEdits(changes: readonly TextChange[], positions: TextPositions): TextEdit[] {
  return changes.map(({ span, text }) => ({ range: positions.range(span), newText: text }));
}

/** Edits of one file as an edit of the folder; they say of which version they are, if the client takes that. */
export function toLspWorkspaceEdit(
  changes: readonly TextChange[],
  { uri, positions }: OpenFile,
  { versions }: ClientFeatures,
): WorkspaceEdit {
  const edits = toLspEdits(changes, positions);
  return versions
    ? { documentChanges: [{ textDocument: { uri, version: positions.version }, edits }] }
    : { changes: { [uri]: edits } };
}

const SYMBOLS: Record<PlanSymbolKind, SymbolKind> = {
  node: SymbolKind.Class,
  edges: SymbolKind.Array,
  edge: SymbolKind.Event,
  graph: SymbolKind.Module,
  group: SymbolKind.Namespace,
  input: SymbolKind.Variable,
  server: SymbolKind.Interface,
  test: SymbolKind.Method,
};

/** A symbol with those within it. */
export function toLspSymbol(
  { name, detail, kind, span, nameSpan, children }: PlanSymbol,
  positions: TextPositions,
): DocumentSymbol {
  return {
    name,
    ...(detail ? { detail } : {}),
    kind: SYMBOLS[kind],
    range: positions.range(span),
    selectionRange: positions.range(nameSpan),
    children: children.map((child) => toLspSymbol(child, positions)),
  };
}

/** The same as a list, for clients that know no symbols within symbols. */
export function flatSymbols(
  symbols: readonly PlanSymbol[],
  file: OpenFile,
  containerName?: string,
): SymbolInformation[] {
  return symbols.flatMap(({ name, kind, span, children }) => [
    { name, kind: SYMBOLS[kind], location: toLspLocation(span, file), ...(containerName ? { containerName } : {}) },
    ...flatSymbols(children, file, name),
  ]);
}

/** A change that is proposed, with the diagnostics that it solves. */
export function toLspCodeAction(
  { title, changes, code, preferred }: CodeAction,
  solved: readonly LspDiagnostic[],
  file: OpenFile,
  features: ClientFeatures,
): LspCodeAction {
  return {
    title,
    kind: code ? CodeActionKind.QuickFix : CodeActionKind.Refactor,
    ...(solved.length > 0 ? { diagnostics: [...solved] } : {}),
    ...(preferred ? { isPreferred: true } : {}),
    edit: toLspWorkspaceEdit(changes, file, features),
  };
}

/** A part of the text that can be folded; null when it has only one line. */
export function toLspFoldingRange(
  { span, kind }: FoldingRange,
  positions: TextPositions,
  { wholeLines }: ClientFeatures,
): LspFoldingRange | null {
  const { start, end } = positions.range(span);
  if (start.line >= end.line) return null;
  return {
    startLine: start.line,
    endLine: end.line,
    ...(wholeLines ? {} : { startCharacter: start.character, endCharacter: end.character }),
    ...(kind === "comment" ? { kind: FoldingRangeKind.Comment } : {}),
  };
}

/**
 * How the protocol calls each kind of token, by its number; it has no name for brackets and dots, which editors colour
 * themselves.
 */
const TOKENS = tokenKinds.map(
  (kind) =>
    ({
      key: "property",
      type: "type",
      node: "class",
      tool: "function",
      name: "parameter",
      root: "variable",
      property: "property",
      operator: "operator",
      text: "string",
      number: "number",
      keyword: "keyword",
      punctuation: null,
    })[kind],
);

/** The names of kinds and of what is said of them beside, in the order of their numbers. */
export const LEGEND = {
  tokenTypes: [...new Set(TOKENS.filter((name) => name !== null))],
  tokenModifiers: ["declaration"],
};

/** The number of each kind in the legend; -1 for none. */
const LEGEND_INDEX = TOKENS.map((name) => (name === null ? -1 : LEGEND.tokenTypes.indexOf(name)));

/** Tokens as the protocol writes them: each by its distance from the one before. They come as four numbers each. */
export function toLspTokens(
  numbers: Uint32Array,
  positions: TextPositions,
  within?: { start: number; end: number },
): number[] {
  const data: number[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at + 3 < numbers.length; at += 4) {
    const [start, end, kind, gives] = [
      numbers[at]!,
      numbers[at + 1]!,
      LEGEND_INDEX[numbers[at + 2]!] ?? -1,
      numbers[at + 3]!,
    ];
    if (kind < 0 || (within && (end <= within.start || start >= within.end))) continue;
    const from = positions.position(start);
    data.push(
      from.line - line,
      from.line === line ? from.character - character : from.character,
      positions.position(end).character - from.character,
      kind,
      gives,
    );
    ({ line, character } = from);
  }
  return data;
}
