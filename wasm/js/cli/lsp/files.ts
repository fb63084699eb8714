/** Open files. Content decides whether one is a plan, which it stays while open. */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Range, TextDocumentItem } from "vscode-languageserver/node";
import { PlanDocument } from "../../editor/node.js";
import type { MissingFile } from "../../package-internals.js";
import type { Diagnostic, PlanFileText } from "../../types.js";
import { folderReader } from "../folder-reader.js";
import { isPlan } from "../detect-plan.js";
import { withLockHelp } from "../lock-file.js";
import { TextPositions, type Encoding } from "./positions.js";
import { hostOf, pathOf, type Settings } from "./settings.js";

/** Guesses if stubs are the only tool list: they become hints. */
const GUESSES = new Set(["graph/unknown-tool", "graph/unknown-type", "graph/unknown-model"]);

export class OpenFile {
  readonly uri: string;
  readonly #language: string;
  readonly positions: TextPositions;
  #plan: PlanDocument | null = null;
  #whole = true;
  #lock: string | null = null;
  /** Files that the plan runs, by path from it. */
  readonly #run = new Map<string, PlanFileText | MissingFile>();
  warnings: readonly string[] = [];

  constructor({ uri, languageId, version, text }: TextDocumentItem, encoding: Encoding) {
    this.uri = uri;
    this.#language = languageId;
    this.positions = new TextPositions(uri, languageId, version, text, encoding);
  }

  get plan(): PlanDocument | null {
    return this.#plan;
  }

  /** True if it just became a plan. */
  recognize(): boolean {
    if (this.#plan !== null || !isPlan(this.#language, this.uri, this.positions.text)) return false;
    this.#plan = new PlanDocument(this.positions.text, this.#language === "json" ? { format: "json" } : {});
    return true;
  }

  change(changes: readonly ({ text: string } | { range: Range; text: string })[], version: number): void {
    const change = this.positions.change(changes, version);
    if (change === null) this.#plan?.setText(this.positions.text);
    else this.#plan?.change([change]);
    this.#readFiles();
  }

  /** Re-reads stubs and tool lists beside the file. */
  updateHost(settings: Settings, folders: readonly string[]): void {
    if (this.#plan === null) return;
    const { offer, whole, lock, warnings } = hostOf(this.uri, settings, folders);
    this.#plan.setHost(offer);
    this.#whole = whole;
    this.#lock = lock;
    this.warnings = warnings;
    if (this.#run.size > 0) this.#plan.setFiles({});
    this.#run.clear();
    this.#readFiles();
  }

  #readFiles(): void {
    const path = pathOf(this.uri);
    if (path === null || this.#plan === null) return;
    const read = folderReader(dirname(path));
    let missing = this.#plan.missingFiles();
    while (missing.length > 0) {
      for (const file of missing) this.#run.set(file, read(file));
      this.#plan.setFiles(Object.fromEntries(this.#run));
      missing = this.#plan.missingFiles();
    }
  }

  get files(): Readonly<Record<string, PlanFileText>> {
    const isText = (file: PlanFileText | MissingFile): file is PlanFileText =>
      typeof file === "string" || file instanceof Uint8Array;
    return Object.fromEntries([...this.#run].filter((entry): entry is [string, PlanFileText] => isText(entry[1])));
  }

  /** The URI of the file whose path is at an offset. */
  fileAt(offset: number): string | null {
    const path = pathOf(this.uri);
    const link = this.#plan?.fileLinks().find(({ span }) => span.start <= offset && offset <= span.end);
    return path === null || link === undefined ? null : pathToFileURL(join(dirname(path), link.path)).href;
  }

  runs(uri: string): boolean {
    const [path, own] = [pathOf(uri), pathOf(this.uri)];
    return path !== null && own !== null && [...this.#run.keys()].some((file) => join(dirname(own), file) === path);
  }

  diagnostics(): Diagnostic[] {
    const all = this.#plan?.diagnostics() ?? [];
    const found = this.#lock === null ? all : withLockHelp(all, this.#lock);
    return this.#whole ? found : found.map((one) => (GUESSES.has(one.code) ? { ...one, severity: "hint" } : one));
  }

  close(): void {
    this.#plan?.free();
    this.#plan = null;
  }
}
