/** Which documents are plans, and what they contain. */
import * as vscode from "vscode";
import type { Package, PlanSymbol } from "./server-files.js";

export const SELECTOR: vscode.DocumentSelector = [
  { language: "yaml" },
  { language: "json" },
  { language: "jsonc" },
  { language: "stepgraph" },
];

export class Plans {
  readonly #package: Package;
  /** Symbols by document, until its version changes. */
  readonly #symbols = new WeakMap<vscode.TextDocument, { version: number; symbols: PlanSymbol[] }>();

  constructor(bundled: Package) {
    this.#package = bundled;
  }

  isPlan(document: vscode.TextDocument): boolean {
    if (vscode.languages.match(SELECTOR, document) === 0) return false;
    if (this.isListed(document)) return true;
    return this.#package.isPlan(document.languageId, document.uri.toString(), document.getText());
  }

  /** Whether the setting `stepgraph.files` names the document. */
  isListed(document: vscode.TextDocument): boolean {
    const globs = vscode.workspace.getConfiguration("stepgraph", document).get<unknown>("files");
    if (!Array.isArray(globs)) return false;
    return globs.some((pattern) => typeof pattern === "string" && vscode.languages.match({ pattern }, document) > 0);
  }

  symbols(document: vscode.TextDocument): PlanSymbol[] {
    const known = this.#symbols.get(document);
    if (known?.version === document.version) return known.symbols;
    const symbols = this.#package.symbols(document.getText());
    this.#symbols.set(document, { version: document.version, symbols });
    return symbols;
  }

  /** The cases of `tests`, in the order of the text. */
  tests(document: vscode.TextDocument): PlanSymbol[] {
    const group = this.symbols(document).find(({ kind, name }) => kind === "group" && name === "tests");
    return group?.children.filter(({ kind }) => kind === "test") ?? [];
  }
}

export function rangeOf(document: vscode.TextDocument, { start, end }: PlanSymbol["span"]): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
