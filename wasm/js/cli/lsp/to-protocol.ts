/** Converts results to protocol types. */
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

/** Editors show these ranges faded. */
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
  function: CompletionItemKind.Function,
  value: CompletionItemKind.EnumMember,
  snippet: CompletionItemKind.Snippet,
};

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

/** `at` is the rank, which editors keep. */
export function toLspCompletion(
  found: Completion,
  at: number,
  positions: TextPositions,
  features: ClientFeatures,
): CompletionItem {
  const { label, kind, detail, documentation, edit, snippet, filter, retriggers } = found;
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
    ...(retriggers && features.again ? { command: { title: "Suggest", command: "editor.action.triggerSuggest" } } : {}),
  };
}

export function toLspHover({ markdown }: Hover, { markdownHover }: ClientFeatures): LspHover {
  return { contents: markup(markdown, markdownHover) };
}

/** Removes Markdown for clients without it. */
function markup(markdown: string, takes: boolean): MarkupContent {
  return takes
    ? { kind: MarkupKind.Markdown, value: markdown }
    : { kind: MarkupKind.PlainText, value: markdown.replace(/^```\w*\n?/gm, "").replace(/\*\*|`/g, "") };
}

export function toLspLocation(span: { start: number; end: number }, { uri, positions }: OpenFile): Location {
  return { uri, range: positions.range(span) };
}

export function toLspHighlight(span: { start: number; end: number }, positions: TextPositions): DocumentHighlight {
  return { range: positions.range(span), kind: DocumentHighlightKind.Text };
}

export function toLspEdits(changes: readonly TextChange[], positions: TextPositions): TextEdit[] {
  return changes.map(({ span, text }) => ({ range: positions.range(span), newText: text }));
}

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

/** For clients without nested symbols. */
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

/** Null for a single line. */
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

/** Editors colour punctuation themselves. */
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

/** The order defines their numbers. */
export const LEGEND = {
  tokenTypes: [...new Set(TOKENS.filter((name) => name !== null))],
  tokenModifiers: ["declaration"],
};

/** Or -1. */
const LEGEND_INDEX = TOKENS.map((name) => (name === null ? -1 : LEGEND.tokenTypes.indexOf(name)));

/** Relative to the previous token. `numbers` has start, end, kind, declaration. */
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
