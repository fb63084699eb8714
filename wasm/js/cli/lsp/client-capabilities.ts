/**
 * What a client can take, and what the server offers it.
 *
 * Decides once, at the beginning; everything afterwards asks here and not the client's own words.
 */
import {
  CodeActionKind,
  TextDocumentSyncKind,
  type ClientCapabilities,
  type InitializeParams,
  type SemanticTokensLegend,
  type ServerCapabilities,
} from "vscode-languageserver/node";
import { ENCODINGS, type Encoding } from "./positions.js";

/** What the client can take. */
export interface ClientFeatures {
  encoding: Encoding;
  /** It asks for diagnostics itself; else they are sent to it. */
  pulls: boolean;
  /** It asks again for diagnostics when it is told so. */
  refreshes: boolean;
  /** It watches files when it is asked to. */
  watches: boolean;
  /** It has settings that can be asked for. */
  configures: boolean;
  /** It tells when its settings have changed, if it is asked to. */
  tellsOfSettings: boolean;
  /** Edits say of which version of a file they are. */
  versions: boolean;
  snippets: boolean;
  /** Text is inserted as it is when it is told so; else the editor indents it, for which it was not written. */
  asIs: boolean;
  /** After some completions the next list is opened. Only Visual Studio Code and its kin have a command for that. */
  again: boolean;
  markdownHover: boolean;
  markdownDocs: boolean;
  related: boolean;
  tags: boolean;
  /** Symbols within symbols. */
  tree: boolean;
  /** Changes that are proposed may be more than commands. */
  actions: boolean;
  wholeLines: boolean;
}

/** What a client said of itself. */
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

/** What the server offers. */
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
