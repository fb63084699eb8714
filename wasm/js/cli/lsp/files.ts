/**
 * Files that are open in the editor: their texts, and the parsed document of each plan.
 *
 * Content decides whether a file is a plan. A plan stays a plan while it is open, however broken it becomes.
 */
import type { Range, TextDocumentItem } from "vscode-languageserver/node";
import { PlanDocument } from "../../editor/node.js";
import type { Diagnostic } from "../../types.js";
import { isPlan } from "./detect-plan.js";
import { TextPositions, type Encoding } from "./positions.js";
import { hostOf, type Settings } from "./settings.js";

/** Only guesses if stubs are the only tool list: they become hints. */
const GUESSES = new Set(["graph/unknown-tool", "graph/unknown-type", "graph/unknown-model"]);

export class OpenFile {
  readonly uri: string;
  readonly #language: string;
  readonly positions: TextPositions;
  #plan: PlanDocument | null = null;
  #whole = true;
  /** Problems with stubs and tool lists next to it. */
  warnings: readonly string[] = [];

  constructor({ uri, languageId, version, text }: TextDocumentItem, encoding: Encoding) {
    this.uri = uri;
    this.#language = languageId;
    this.positions = new TextPositions(uri, languageId, version, text, encoding);
  }

  get plan(): PlanDocument | null {
    return this.#plan;
  }

  /** Returns true if the file has just become a plan. */
  recognize(): boolean {
    if (this.#plan !== null || !isPlan(this.#language, this.uri, this.positions.text)) return false;
    this.#plan = new PlanDocument(this.positions.text, this.#language === "json" ? { format: "json" } : {});
    return true;
  }

  change(changes: readonly ({ text: string } | { range: Range; text: string })[], version: number): void {
    const change = this.positions.change(changes, version);
    if (change === null) this.#plan?.setText(this.positions.text);
    else this.#plan?.change([change]);
  }

  /** Re-reads the stubs and tool lists next to the file. */
  updateHost(settings: Settings, folders: readonly string[]): void {
    if (this.#plan === null) return;
    const { offer, whole, warnings } = hostOf(this.uri, settings, folders);
    this.#plan.setHost(offer);
    this.#whole = whole;
    this.warnings = warnings;
  }

  diagnostics(): Diagnostic[] {
    const found = this.#plan?.diagnostics() ?? [];
    return this.#whole ? found : found.map((one) => (GUESSES.has(one.code) ? { ...one, severity: "hint" } : one));
  }

  close(): void {
    this.#plan?.free();
    this.#plan = null;
  }
}
