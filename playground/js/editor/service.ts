/** The language service as the pane asks it: each question has one answer, or null where there is none. */
import type { CodeAction, Completion, Hover, PlanDocument, RenameTarget, Span, TextChange } from "stepgraph/editor/web";
import type { Edit } from "./shape.js";

/** What the worker hears. */
export type Message =
  | { type: "open"; text: string }
  | { type: "change"; changes: Edit[][] }
  | { type: "offer"; host: string }
  | { type: "ask"; id: number; question: string; values: readonly unknown[] };

/** What it says. */
export interface Answer {
  id: number;
  answer: unknown;
  failed?: string;
}

/** Edits that were worked out, or why there are none. */
export interface Worked {
  changes: TextChange[];
  refused: { message: string; help: string | null } | null;
}

/** What can be asked, and what comes back. Places are those of the text. */
export interface Questions {
  complete: [[at: number], Completion[]];
  hover: [[at: number], Hover];
  definition: [[at: number], Span];
  references: [[at: number], Span[]];
  prepareRename: [[at: number], RenameTarget];
  rename: [[at: number, name: string], Worked];
  actions: [[span: Span], CodeAction[]];
  format: [[], Worked];
  tokens: [[], { tokens: Uint32Array; kinds: readonly string[] }];
}

// Each question is a method of the package's document.
type Known = keyof Questions & keyof PlanDocument;

/** So long changes may be gathered. */
const LATER_MS = 200;

/** The service of one text. */
export class Service {
  readonly #worker: Worker;
  readonly #asked = new Map<number, (answer: unknown) => void>();
  #last = 0;
  /** Changes that nobody has asked about yet. */
  #changes: Edit[][] = [];
  #later = 0;

  constructor(text: string) {
    // From the folder of the bundles, where this stands then.
    this.#worker = new Worker(new URL("./editor/worker.js", import.meta.url), {
      type: "module",
      name: "stepgraph-language",
    });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#heard(data));
    // A browser that can't run it has an editor without advice.
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#heard({ id: 0, answer: null });
    });
    this.open(text);
  }

  open(text: string): void {
    this.#changes = [];
    this.#post({ type: "open", text });
  }

  /** Told when the hands rest, or when something is asked: no letter waits for another thread. */
  change(edits: Edit[]): void {
    this.#changes.push(edits);
    this.#later ||= setTimeout(() => this.#tell(), LATER_MS);
  }

  #tell(): void {
    clearTimeout(this.#later);
    this.#later = 0;
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length > 0) this.#post({ type: "change", changes });
  }

  offer(host: string): void {
    this.#post({ type: "offer", host });
  }

  ask<Q extends Known>(question: Q, ...values: Questions[Q][0]): Promise<Questions[Q][1] | null> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#tell();
      this.#asked.set(id, (answer) => resolve(answer as Questions[Q][1] | null));
      this.#post({ type: "ask", id, question, values });
    });
  }

  /** Nothing is asked any more. */
  end(): void {
    clearTimeout(this.#later);
    this.#worker.terminate();
    this.#heard({ id: 0, answer: null });
  }

  #post(message: Message): void {
    this.#worker.postMessage(message);
  }

  #heard({ id, answer }: Answer): void {
    const waiting = id === 0 ? [...this.#asked.values()] : [this.#asked.get(id)];
    if (id === 0) this.#asked.clear();
    else this.#asked.delete(id);
    for (const resolve of waiting) resolve?.(answer);
  }
}
