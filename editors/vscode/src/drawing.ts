/**
 * The drawing beside the text: Stepgraph's page in a webview.
 *
 * The document is the source of truth. An edit in the drawing becomes a minimal edit of the document, so the editor's
 * undo works. If the text has changed meanwhile, the edit is dropped and the text drawn again.
 *
 * The selection follows both ways, but only while both sides have the same text.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { drawingHtml, type Theme } from "./drawing-html.js";
import { minimalEdit } from "./minimal-edit.js";

/** Typing redraws after this pause. */
const REDRAW_DELAY_MS = 300;
/** A cursor that moves on selects nothing. */
const REST_DELAY_MS = 100;

export class Drawings {
  readonly #open = new Map<string, Drawing>();
  readonly #folder: vscode.Uri;

  constructor(context: vscode.ExtensionContext) {
    this.#folder = vscode.Uri.joinPath(context.extensionUri, "embed");
  }

  show(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    const open = this.#open.get(key);
    if (open) open.reveal();
    else this.#open.set(key, new Drawing(document, this.#folder, () => this.#open.delete(key)));
  }

  dispose(): void {
    for (const drawing of this.#open.values()) drawing.dispose();
  }
}

class Drawing {
  readonly #document: vscode.TextDocument;
  readonly #panel: vscode.WebviewPanel;
  readonly #listeners: vscode.Disposable[];
  /** The text that both sides have. Null until the page is ready. */
  #shared: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cursorTimer: ReturnType<typeof setTimeout> | undefined;
  /** Messages of the page apply one after another. */
  #queue: Promise<void> = Promise.resolve();

  constructor(document: vscode.TextDocument, folder: vscode.Uri, closed: () => void) {
    this.#document = document;
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.#panel = vscode.window.createWebviewPanel("stepgraph.drawing", `Drawing: ${this.#name}`, column, {
      enableScripts: true,
      localResourceRoots: [folder],
      retainContextWhenHidden: true,
    });
    this.#listeners = [
      this.#panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      vscode.workspace.onDidChangeTextDocument((event) => event.document === document && this.#textChanged()),
      vscode.workspace.onDidCloseTextDocument((gone) => gone === document && this.dispose()),
      vscode.window.onDidChangeActiveColorTheme(() => this.#post({ type: "theme", theme: theme() })),
      vscode.window.onDidChangeTextEditorSelection((event) => this.#cursorMoved(event)),
    ];
    this.#panel.onDidDispose(() => {
      clearTimeout(this.#timer);
      clearTimeout(this.#cursorTimer);
      for (const listener of this.#listeners) listener.dispose();
      closed();
    });
    const { webview } = this.#panel;
    webview.html = drawingHtml({
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, "index.js")).toString(true),
      source: webview.cspSource,
      nonce: randomBytes(16).toString("base64url"),
      theme: theme(),
      language: vscode.env.language,
    });
  }

  reveal(): void {
    this.#panel.reveal(undefined, true);
  }

  dispose(): void {
    this.#panel.dispose();
  }

  get #name(): string {
    return this.#document.uri.path.split("/").pop() ?? "plan";
  }

  #post(message: object): void {
    void this.#panel.webview.postMessage(message);
  }

  #receive(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    const { type, text, start, end, reason } = message as Record<string, unknown>;
    if (type === "ready") this.#send();
    else if (type === "change" && typeof text === "string") this.#enqueue(() => this.#apply(text));
    else if (type === "select" && typeof start === "number" && typeof end === "number")
      this.#enqueue(async () => this.#showItem(start, end));
    else if (type === "error") void vscode.window.showErrorMessage(`Stepgraph can't draw the plan: ${String(reason)}`);
  }

  #enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch(() => this.#send());
  }

  #textChanged(): void {
    if (this.#shared === null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#document.getText() !== this.#shared) this.#send();
    }, REDRAW_DELAY_MS);
  }

  #send(): void {
    this.#shared = this.#document.getText();
    this.#post({ type: "plan", name: this.#name, text: this.#shared });
  }

  async #apply(text: string): Promise<void> {
    const before = this.#document.getText();
    const edit = minimalEdit(before, text);
    if (!edit) return;
    if (before !== this.#shared) {
      this.#send();
      return;
    }
    const range = new vscode.Range(this.#document.positionAt(edit.start), this.#document.positionAt(edit.end));
    const edits = new vscode.WorkspaceEdit();
    edits.replace(this.#document.uri, range, edit.text);
    this.#shared = text;
    // A read-only document refuses the edit. A document with other line ends stores another text.
    if (!(await vscode.workspace.applyEdit(edits)) || this.#document.getText() !== text) this.#send();
  }

  /** Shows the text of the item that the user selected in the drawing. */
  #showItem(start: number, end: number): void {
    if (this.#document.getText() !== this.#shared) return;
    const range = new vscode.Range(this.#document.positionAt(start), this.#document.positionAt(end));
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document !== this.#document) continue;
      editor.selection = new vscode.Selection(range.start, range.start);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Selects the item at the cursor. A selection by the drawing comes back as a move without a kind. */
  #cursorMoved({ textEditor, selections, kind }: vscode.TextEditorSelectionChangeEvent): void {
    const [selection] = selections;
    if (textEditor.document !== this.#document || kind === undefined || selection === undefined) return;
    clearTimeout(this.#cursorTimer);
    this.#cursorTimer = setTimeout(() => {
      if (this.#document.getText() === this.#shared)
        this.#post({ type: "cursor", offset: this.#document.offsetAt(selection.active) });
    }, REST_DELAY_MS);
  }
}

function theme(): Theme {
  const { kind } = vscode.window.activeColorTheme;
  const isLight = kind === vscode.ColorThemeKind.Light || kind === vscode.ColorThemeKind.HighContrastLight;
  return isLight ? "light" : "dark";
}
