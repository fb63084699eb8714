/** Client features. Other modules never read the client's raw capabilities. */
import {
  CodeActionKind,
  TextDocumentSyncKind,
  type ClientCapabilities,
  type InitializeParams,
  type SemanticTokensLegend,
  type ServerCapabilities,
} from "vscode-languageserver/node";
import { ENCODINGS, type Encoding } from "./positions.js";

export interface ClientFeatures {
  encoding: Encoding;
  /** Otherwise the server publishes diagnostics. */
  pulls: boolean;
  /** Requests diagnostics again after a refresh. */
  refreshes: boolean;
  /** Watches files on request. */
  watches: boolean;
  /** Answers `workspace/configuration`. */
  configures: boolean;
  /** Notifies of changed settings on request. */
  tellsOfSettings: boolean;
  versions: boolean;
  snippets: boolean;
  /** Inserts verbatim. Otherwise editors indent a second time. */
  asIs: boolean;
  /** Only Visual Studio Code and derivatives retrigger completion. */
  again: boolean;
  markdownHover: boolean;
  markdownDocs: boolean;
  related: boolean;
  tags: boolean;
  /** Nested symbols. */
  tree: boolean;
  /** Code actions with edits, not only commands. */
  actions: boolean;
  wholeLines: boolean;
}

export function clientFeatures({ capabilities, clientInfo, initializationOptions }: InitializeParams): ClientFeatures {
  const { general, textDocument: text, workspace }: ClientCapabilities = capabilities ?? {};
  const item = text?.completion?.completionItem;
  const wished = (general?.positionEncodings ?? []) as string[];
  const again = (initializationOptions as { suggestAgain?: unknown } | null | undefined)?.suggestAgain;
  return {
    encoding: (wished.find((name) => (ENCODINGS as readonly string[]).includes(name)) ?? "utf-16") as Encoding,
    pulls: text?.diagnostic !== undefined,
    refreshes: workspace?.diagnostics?.refreshSupport === true,
    watches: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    configures: workspace?.configuration === true,
    tellsOfSettings: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    versions: workspace?.workspaceEdit?.documentChanges === true,
    snippets: item?.snippetSupport === true,
    asIs: item?.insertTextModeSupport?.valueSet?.includes(1) === true,
    again:
      typeof again === "boolean"
        ? again
        : /visual studio code|vscode|vscodium|cursor|windsurf/i.test(clientInfo?.name ?? ""),
    markdownHover: text?.hover?.contentFormat?.includes("markdown") === true,
    markdownDocs: item?.documentationFormat?.includes("markdown") === true,
    related: text?.publishDiagnostics?.relatedInformation === true || text?.diagnostic?.relatedInformation === true,
    tags: (text?.publishDiagnostics?.tagSupport ?? text?.diagnostic?.tagSupport) !== undefined,
    tree: text?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
    actions: text?.codeAction?.codeActionLiteralSupport !== undefined,
    wholeLines: text?.foldingRange?.lineFoldingOnly === true,
  };
}

export function serverCapabilities(
  { encoding, pulls }: ClientFeatures,
  legend: SemanticTokensLegend,
): ServerCapabilities {
  return {
    positionEncoding: encoding,
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: { includeText: false } },
    ...(pulls
      ? { diagnosticProvider: { identifier: "stepgraph", interFileDependencies: false, workspaceDiagnostics: false } }
      : {}),
    completionProvider: {
      triggerCharacters: [".", ":", " ", '"', "'", "{", "[", "$", "-", "&", "|"],
      resolveProvider: false,
    },
    hoverProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
    documentSymbolProvider: { label: "Stepgraph" },
    codeActionProvider: {
      codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.Refactor, CodeActionKind.SourceFixAll],
      resolveProvider: false,
    },
    documentFormattingProvider: true,
    foldingRangeProvider: true,
    semanticTokensProvider: { legend, full: true, range: true },
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  };
}
