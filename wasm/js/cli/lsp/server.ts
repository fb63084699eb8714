/**
 * The language server. Answers are synchronous, so none is stale. Hovers with costs read the text at once. Answers are
 * null or empty if no plan is open.
 *
 * Source: Language Server Protocol 3.17 and 3.18.
 */
import {
  CodeActionKind,
  createConnection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DocumentDiagnosticReportKind,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  type CodeAction,
  type CodeActionParams,
  type Connection,
  type Hover as LspHover,
  type InitializeParams,
  type InitializeResult,
  type Position,
  type TextDocumentPositionParams,
} from "vscode-languageserver/node";
import type { PlanDocument } from "../../editor/node.js";
import type { Hover } from "../../editor/types.js";
import type { Diagnostic } from "../../types.js";
import { clientFeatures, serverCapabilities, type ClientFeatures } from "./client-capabilities.js";
import * as convert from "./to-protocol.js";
import { withCost } from "./cost-hover.js";
import { OpenFile } from "./files.js";
import { LifecycleGuard, REJECTED_REQUEST } from "./lifecycle.js";
import { pathOf, readSettings, WATCHED_FILES, type Settings } from "./settings.js";

/** The core's limit. */
const MAX_COMPLETIONS = 1000;

const FILE_START: Position = { line: 0, character: 0 };

interface Plan {
  file: OpenFile;
  plan: PlanDocument;
}

export class Server {
  readonly #connection: Connection;
  readonly #files = new Map<string, OpenFile>();
  readonly #version: string;
  #features!: ClientFeatures;
  #settings: Settings = {};
  /** `initializationOptions`, below the client's configuration. */
  #initial: unknown;
  #folders: string[] = [];
  /** Each warning appears once. */
  readonly #reportedWarnings = new Set<string>();

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, version: string) {
    this.#version = version;
    this.#connection = createConnection(input, output, { messageStrategy: new LifecycleGuard() });
    this.#registerLifecycle();
    this.#registerDocuments();
    this.#registerPositionRequests();
  }

  /** The process ends when the client exits or disconnects. */
  listen(): void {
    this.#connection.listen();
  }

  #registerLifecycle(): void {
    const connection = this.#connection;
    connection.onRequest(
      REJECTED_REQUEST,
      ({ code, message }: { code: number; message: string }) => new ResponseError(code, message),
    );
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => this.#initialized());
    connection.onDidChangeConfiguration(({ settings }) => this.#configure(settings as Record<string, unknown> | null));
    connection.onDidChangeWatchedFiles(() => this.#updateAll());
  }

  #initialize(params: InitializeParams): InitializeResult {
    this.#features = clientFeatures(params);
    this.#initial = params.initializationOptions;
    this.#settings = readSettings(this.#initial);
    const roots = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
    this.#folders = roots.map(pathOf).filter((path) => path !== null);
    return {
      capabilities: serverCapabilities(this.#features, convert.LEGEND),
      serverInfo: { name: "stepgraph", version: this.#version },
    };
  }

  async #initialized(): Promise<void> {
    const { client } = this.#connection;
    const wishes: Promise<unknown>[] = [];
    if (this.#features.tellsOfSettings)
      wishes.push(client.register(DidChangeConfigurationNotification.type, { section: "stepgraph" }));
    if (this.#features.watches)
      wishes.push(
        client.register(DidChangeWatchedFilesNotification.type, {
          watchers: WATCHED_FILES.map((globPattern) => ({ globPattern })),
        }),
      );
    // A client may refuse a registration.
    await Promise.allSettled(wishes);
    if (this.#features.configures) await this.#configure(null);
  }

  /** Reads settings from the notification, or requests them from the client. */
  async #configure(sent: Record<string, unknown> | null): Promise<void> {
    const asked = this.#features.configures
      ? ((await this.#connection.workspace.getConfiguration("stepgraph").catch(() => null)) as unknown)
      : sent?.stepgraph;
    const merged = { ...(this.#initial as object | undefined), ...(asked as object | null | undefined) };
    const settings = readSettings(merged);
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    this.#settings = settings;
    this.#updateAll();
  }

  #registerDocuments(): void {
    const connection = this.#connection;
    connection.onDidOpenTextDocument(({ textDocument }) => {
      this.#files.get(textDocument.uri)?.close();
      const file = new OpenFile(textDocument, this.#features.encoding);
      this.#files.set(textDocument.uri, file);
      if (file.recognize()) this.#update(file);
      this.#publish(file);
    });
    connection.onDidChangeTextDocument(({ textDocument, contentChanges }) => {
      const file = this.#files.get(textDocument.uri);
      if (!file) return;
      file.change(contentChanges, textDocument.version);
      if (file.recognize()) this.#update(file);
      this.#publish(file);
    });
    connection.onDidSaveTextDocument(({ textDocument }) => {
      // Watching clients report stubs and tool lists. For others, and for files that plans run, a save re-reads.
      const isRun = () => [...this.#files.values()].some((file) => file.runs(textDocument.uri));
      if (!this.#features.watches || isRun()) this.#updateAll();
    });
    connection.onDidCloseTextDocument(({ textDocument: { uri } }) => {
      const file = this.#files.get(uri);
      if (!file) return;
      this.#files.delete(uri);
      if (file.plan && !this.#features.pulls) void connection.sendDiagnostics({ uri, diagnostics: [] });
      file.close();
    });
    connection.onNotification(
      "workspace/didChangeWorkspaceFolders",
      ({ event }: { event: { added: { uri: string }[]; removed: { uri: string }[] } }) => {
        const paths = (list: { uri: string }[]) => list.map(({ uri }) => pathOf(uri)).filter((path) => path !== null);
        const gone = new Set(paths(event.removed));
        this.#folders = [...this.#folders.filter((folder) => !gone.has(folder)), ...paths(event.added)];
        this.#updateAll();
      },
    );
  }

  #update(file: OpenFile): void {
    file.updateHost(this.#settings, this.#folders);
    for (const trouble of file.warnings) {
      if (this.#reportedWarnings.has(trouble)) continue;
      this.#reportedWarnings.add(trouble);
      // The library's method is a request, which waits for the user.
      void this.#connection.sendNotification(ShowMessageNotification.type, {
        type: MessageType.Warning,
        message: `Stepgraph can't use ${trouble}`,
      });
    }
  }

  #updateAll(): void {
    this.#reportedWarnings.clear();
    for (const file of this.#files.values()) {
      if (file.plan === null) continue;
      this.#update(file);
      this.#publish(file);
    }
    if (this.#features.pulls && this.#features.refreshes) this.#connection.languages.diagnostics.refresh();
  }

  /** Only to clients that do not request them. */
  #publish(file: OpenFile): void {
    if (this.#features.pulls || file.plan === null) return;
    void this.#connection.sendDiagnostics({
      uri: file.uri,
      version: file.positions.version,
      diagnostics: this.#diagnostics(file),
    });
  }

  #diagnostics(file: OpenFile) {
    return file.diagnostics().map((found: Diagnostic) => convert.toLspDiagnostic(found, file, this.#features));
  }

  #plan(uri: string): Plan | null {
    const file = this.#files.get(uri);
    return file?.plan ? { file, plan: file.plan } : null;
  }

  #onPosition<T>(
    { textDocument, position }: TextDocumentPositionParams,
    answer: (plan: Plan, offset: number) => T | null,
  ): T | null {
    const plan = this.#plan(textDocument.uri);
    return plan && answer(plan, plan.file.positions.offset(position as Position));
  }

  #onDocument<T>({ textDocument }: { textDocument: { uri: string } }, answer: (plan: Plan) => T | null): T | null {
    const plan = this.#plan(textDocument.uri);
    return plan && answer(plan);
  }

  #registerPositionRequests(): void {
    const connection = this.#connection;
    connection.languages.diagnostics.on(({ textDocument }) => {
      const file = this.#files.get(textDocument.uri);
      return { kind: DocumentDiagnosticReportKind.Full, items: file?.plan ? this.#diagnostics(file) : [] };
    });
    connection.onCompletion((params) =>
      this.#onPosition(params, ({ file, plan }, at) => {
        const items = plan
          .complete(at)
          .map((found, place) => convert.toLspCompletion(found, place, file.positions, this.#features));
        // After more typing, the client requests an incomplete list again.
        return { isIncomplete: items.length >= MAX_COMPLETIONS, items };
      }),
    );
    connection.onHover((params) =>
      this.#onPosition(params, ({ file, plan }, at) => {
        const found = plan.hover(at);
        return found && this.#hoverWithCost(found, file);
      }),
    );
    connection.onDefinition((params) =>
      this.#onPosition(params, ({ file, plan }, at) => {
        const uri = file.fileAt(at);
        if (uri !== null) return { uri, range: { start: FILE_START, end: FILE_START } };
        const span = plan.definition(at);
        return span && convert.toLspLocation(span, file);
      }),
    );
    connection.onReferences((params) =>
      this.#onPosition(params, ({ file, plan }, at) => {
        const own = params.context?.includeDeclaration === false ? plan.definition(at) : null;
        return plan
          .references(at)
          .filter(({ start }) => start !== own?.start)
          .map((span) => convert.toLspLocation(span, file));
      }),
    );
    connection.onDocumentHighlight((params) =>
      this.#onPosition(params, ({ file, plan }, at) =>
        plan.references(at).map((span) => convert.toLspHighlight(span, file.positions)),
      ),
    );
    this.#registerRename();
    this.#registerDocumentRequests();
  }

  /** The text may change while the library loads, so the range is the request's. */
  async #hoverWithCost(found: Hover, file: OpenFile): Promise<LspHover> {
    const range = file.positions.range(found.span);
    return { ...convert.toLspHover(await withCost(found, file, this.#settings), this.#features), range };
  }

  #registerRename(): void {
    const connection = this.#connection;
    connection.onPrepareRename((params) =>
      this.#onPosition(params, ({ file, plan }, at) => {
        const found = plan.prepareRename(at);
        return found && { range: file.positions.range(found.span), placeholder: found.name };
      }),
    );
    connection.onRenameRequest((params) =>
      this.#onPosition(params, ({ file, plan }, at) => {
        const { changes, refused } = plan.rename(at, params.newName);
        if (refused)
          throw new ResponseError(
            LSPErrorCodes.RequestFailed,
            refused.help ? `${refused.message}; ${refused.help}` : refused.message,
          );
        return convert.toLspWorkspaceEdit(changes, file, this.#features);
      }),
    );
  }

  #registerDocumentRequests(): void {
    const connection = this.#connection;
    connection.onDocumentSymbol((params) =>
      this.#onDocument(params, ({ file, plan }) => {
        const symbols = plan.symbols();
        return this.#features.tree
          ? symbols.map((symbol) => convert.toLspSymbol(symbol, file.positions))
          : convert.flatSymbols(symbols, file);
      }),
    );
    connection.onCodeAction((params) => this.#onDocument(params, (plan) => this.#actions(plan, params)));
    connection.onDocumentFormatting((params) =>
      this.#onDocument(params, ({ file, plan }) => convert.toLspEdits(plan.format().changes, file.positions)),
    );
    connection.onFoldingRanges((params) =>
      this.#onDocument(params, ({ file, plan }) =>
        plan
          .folding()
          .map((part) => convert.toLspFoldingRange(part, file.positions, this.#features))
          .filter((part) => part !== null),
      ),
    );
    connection.languages.semanticTokens.on((params) => ({
      data: this.#onDocument(params, ({ file, plan }) => convert.toLspTokens(plan.tokens(), file.positions)) ?? [],
    }));
    connection.languages.semanticTokens.onRange((params) => ({
      data:
        this.#onDocument(params, ({ file, plan }) =>
          convert.toLspTokens(plan.tokens(), file.positions, file.positions.span(params.range)),
        ) ?? [],
    }));
  }

  #actions({ file, plan }: Plan, { range, context }: CodeActionParams): CodeAction[] {
    if (!this.#features.actions) return [];
    const isRequested = (kind: string) =>
      context?.only === undefined || context.only.some((only) => kind === only || kind.startsWith(`${only}.`));
    const span = file.positions.span(range);
    const found = plan.actions(span).map((action) =>
      convert.toLspCodeAction(
        action,
        (context?.diagnostics ?? []).filter(({ code }) => code === action.code),
        file,
        this.#features,
      ),
    );
    const all = this.#fixAll({ file, plan });
    return [
      ...found,
      ...(all && context?.only?.some((only) => CodeActionKind.SourceFixAll.startsWith(only)) ? [all] : []),
    ].filter(({ kind }) => isRequested(kind!));
  }

  /** Skips fixes that overlap an earlier one. */
  #fixAll({ file, plan }: Plan): CodeAction | null {
    let behind = 0;
    const fixes = plan
      .diagnostics()
      .map(({ fix }) => fix)
      .filter((fix) => fix.length > 0)
      .sort((a, b) => a[0]!.span.start - b[0]!.span.start);
    const changes = fixes
      .filter((fix) => {
        const fits = fix.every(({ span }) => span.start >= behind);
        if (fits) behind = Math.max(...fix.map(({ span }) => span.end));
        return fits;
      })
      .flat();
    return changes.length === 0
      ? null
      : {
          title: "fix all",
          kind: CodeActionKind.SourceFixAll,
          edit: convert.toLspWorkspaceEdit(changes, file, this.#features),
        };
  }
}
