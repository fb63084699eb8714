/**
 * The drawing beside the text: Stepgraph's page in a webview.
 *
 * The document is the source of truth. An edit in the drawing becomes a minimal edit of the document, so the editor's
 * own undo works. If the text has changed in the meantime, the drawing's edit is dropped and the text is drawn again.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { drawingHtml, pageAddress } from "./drawing-html.js";
import { minimalEdit } from "./minimal-edit.js";
import { PageServer } from "./page-server.js";

/** Typing redraws after this pause. */
const REDRAW_DELAY_MS = 300;

export class Drawings {
  readonly #open = new Map<string, Drawing>();
  readonly #folder: string;
  #server: Promise<PageServer> | null = null;

  constructor(context: vscode.ExtensionContext) {
    this.#folder = context.asAbsolutePath("page");
  }

  async show(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    const open = this.#open.get(key);
    if (open) {
      open.reveal();
      return;
    }
    this.#server ??= PageServer.start(this.#folder);
    const { url } = await this.#server;
    const page = await vscode.env.asExternalUri(vscode.Uri.parse(url));
    this.#open.set(key, new Drawing(document, page.toString(true), () => this.#open.delete(key)));
  }

  async dispose(): Promise<void> {
    for (const drawing of this.#open.values()) drawing.dispose();
    (await this.#server)?.dispose();
  }
}

class Drawing {
  readonly #document: vscode.TextDocument;
  readonly #panel: vscode.WebviewPanel;
  readonly #listeners: vscode.Disposable[];
  /** The text that both sides have. Null until the page is ready. */
  #shared: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Edits apply one after another. */
  #queue: Promise<void> = Promise.resolve();

  constructor(document: vscode.TextDocument, page: string, closed: () => void) {
    this.#document = document;
    const name = document.uri.path.split("/").pop() ?? "plan";
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.#panel = vscode.window.createWebviewPanel("stepgraph.drawing", `Drawing: ${name}`, column, {
      enableScripts: true,
      localResourceRoots: [],
      retainContextWhenHidden: true,
    });
    this.#listeners = [
      this.#panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      vscode.workspace.onDidChangeTextDocument((event) => event.document === document && this.#textChanged()),
      vscode.workspace.onDidCloseTextDocument((gone) => gone === document && this.dispose()),
      vscode.window.onDidChangeActiveColorTheme(() => this.#load(page)),
    ];
    this.#panel.onDidDispose(() => {
      clearTimeout(this.#timer);
      for (const listener of this.#listeners) listener.dispose();
      closed();
    });
    this.#load(page);
  }

  reveal(): void {
    this.#panel.reveal(undefined, true);
  }

  dispose(): void {
    this.#panel.dispose();
  }

  #load(page: string): void {
    const { kind } = vscode.window.activeColorTheme;
    const isLight = kind === vscode.ColorThemeKind.Light || kind === vscode.ColorThemeKind.HighContrastLight;
    this.#shared = null;
    const address = pageAddress(page, isLight ? "light" : "dark", vscode.env.language);
    this.#panel.webview.html = drawingHtml(address, randomBytes(16).toString("base64url"));
  }

  #receive(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    const { type, text } = message as Record<string, unknown>;
    if (type === "ready") this.#send();
    else if (type === "change" && typeof text === "string")
      this.#queue = this.#queue.then(() => this.#apply(text)).catch(() => this.#send());
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
    const name = this.#document.uri.path.split("/").pop() ?? "plan";
    void this.#panel.webview.postMessage({ type: "plan", name, text: this.#shared });
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
}
