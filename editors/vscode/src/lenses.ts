/** Code lenses above a plan: run, tests, drawing and the bound of the cost. */
import * as vscode from "vscode";
import { costTitle } from "./cost-title.js";
import { type Plans, rangeOf } from "./plans.js";
import type { Package } from "./server-files.js";

export class Lenses implements vscode.CodeLensProvider {
  readonly #package: Package;
  readonly #plans: Plans;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Costs by address, of the text on the disk. */
  readonly #costs = new Map<string, string | null>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(bundled: Package, plans: Plans) {
    this.#package = bundled;
    this.#plans = plans;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!this.#plans.isPlan(document)) return [];
    const top = this.#plans.symbols(document)[0];
    const range = top ? rangeOf(document, top.nameSpan) : new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string, at = range) =>
      new vscode.CodeLens(at, { title, command, arguments: [document.uri] });
    const lenses = [lens("$(type-hierarchy) Draw", "stepgraph.draw")];
    if (vscode.workspace.isTrusted && document.uri.scheme === "file")
      lenses.unshift(lens("$(play) Run", "stepgraph.run"), ...this.#testLenses(document, lens));
    const cost = this.#cost(document);
    if (cost !== null) lenses.push(new vscode.CodeLens(range, { title: cost, command: "" }));
    return lenses;
  }

  /** Computes the cost again after a save. */
  refresh(document: vscode.TextDocument): void {
    if (this.#costs.delete(document.uri.toString())) this.#changed.fire();
  }

  /** Shows the lenses to run once the user trusts the workspace. */
  trusted(): void {
    this.#changed.fire();
  }

  #testLenses(
    document: vscode.TextDocument,
    lens: (title: string, command: string, at?: vscode.Range) => vscode.CodeLens,
  ): vscode.CodeLens[] {
    const tests = this.#plans.tests(document);
    if (tests.length === 0) return [];
    const title = `$(beaker) Run ${tests.length} ${tests.length === 1 ? "test" : "tests"}`;
    return [lens(title, "stepgraph.runTests")];
  }

  #cost(document: vscode.TextDocument): string | null {
    if (document.uri.scheme !== "file") return null;
    const key = document.uri.toString();
    const known = this.#costs.get(key);
    if (known !== undefined) return known;
    this.#costs.set(key, null);
    const file = document.uri.fsPath;
    // A plan with errors has no cost.
    this.#package
      .output(["cost", file, "--json"], file)
      .then(({ stdout }) => costTitle(stdout))
      .catch(() => null)
      .then((title) => {
        if (title === null || !this.#costs.has(key)) return;
        this.#costs.set(key, title);
        this.#changed.fire();
      });
    return null;
  }
}
