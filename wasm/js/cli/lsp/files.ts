/**
 * The files that are open in the editor: their texts, and of plans what is known of them.
 *
 * A file is a plan or not by what stands in it; one that was a plan stays one while it is open, however broken it
 * becomes.
 */
import type { Range, TextDocumentItem } from "vscode-languageserver/node";
import { PlanDocument } from "../../editor/node.js";
import type { Diagnostic } from "../../types.js";
import { isPlan } from "./detect-plan.js";
import { TextPositions, type Encoding } from "./positions.js";
import { hostOf, type Settings } from "./settings.js";

/** What is only a guess where nothing but stubs tells of a host. */
const GUESSES = new Set(["graph/unknown-tool", "graph/unknown-type", "graph/unknown-model"]);

/** A file that is open. */
export class OpenFile {
  readonly uri: string;
  readonly #language: string;
  readonly positions: TextPositions;
  #plan: PlanDocument | null = null;
  #whole = true;
  /** What could not be used of what stands beside it. */
  warnings: readonly string[] = [];

  constructor({ uri, languageId, version, text }: TextDocumentItem, encoding: Encoding) {
    this.uri = uri;
    this.#language = languageId;
    this.positions = new TextPositions(uri, languageId, version, text, encoding);
  }

  /** The plan that it is, or null. */
  get plan(): PlanDocument | null {
    return this.#plan;
  }

  /** Finds out whether it is a plan, unless that is known. Gives whether it has just become one. */
  recognize(): boolean {
    if (this.#plan !== null || !isPlan(this.#language, this.uri, this.positions.text)) return false;
    this.#plan = new PlanDocument(this.positions.text, this.#language === "json" ? { format: "json" } : {});
    return true;
  }

  /** Makes changes one after another. */
  change(changes: readonly ({ text: string } | { range: Range; text: string })[], version: number): void {
    const change = this.positions.change(changes, version);
    if (change === null) this.#plan?.setText(this.positions.text);
    else this.#plan?.change([change]);
  }

  /** Looks again at what stands beside it. */
  updateHost(settings: Settings, folders: readonly string[]): void {
    if (this.#plan === null) return;
    const { offer, whole, warnings } = hostOf(this.uri, settings, folders);
    this.#plan.setHost(offer);
    this.#whole = whole;
    this.warnings = warnings;
  }

  /** What is wrong with it. */
  diagnostics(): Diagnostic[] {
    const found = this.#plan?.diagnostics() ?? [];
    return this.#whole ? found : found.map((one) => (GUESSES.has(one.code) ? { ...one, severity: "hint" } : one));
  }

  close(): void {
    this.#plan?.free();
    this.#plan = null;
  }
}
