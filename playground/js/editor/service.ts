/** The language service as the pane asks it: each question has one answer, or null where there is none. */
import type { CodeAction, Completion, Hover, PlanDocument, RenameTarget, Span, TextChange } from "stepgraph/editor/web";
import type { Edit } from "./messages.js";

/** What the worker hears. */
export type ServiceMessage =
  | { type: "open"; text: string }
  | { type: "change"; changes: Edit[][] }
  | { type: "offer"; host: string }
  | { type: "ask"; id: number; question: string; values: readonly unknown[] };

/** What it says. */
export interface ServiceAnswer {
  id: number;
  answer: unknown;
  failed?: string;
}

/** Edits that were worked out, or why there are none. */
export interface EditOutcome {
  changes: TextChange[];
  refused: { message: string; help: string | null } | null;
}

/** What can be asked, and what comes back. Places are those of the text. */
export interface LanguageRequests {
  complete: [[at: number], Completion[]];
  hover: [[at: number], Hover];
  definition: [[at: number], Span];
  references: [[at: number], Span[]];
  prepareRename: [[at: number], RenameTarget];
  rename: [[at: number, name: string], EditOutcome];
  actions: [[span: Span], CodeAction[]];
  format: [[], EditOutcome];
  tokens: [[], { tokens: Uint32Array; kinds: readonly string[] }];
}

// Each question is a method of the package's document.
type RequestName = keyof LanguageRequests & keyof PlanDocument;

/** So long changes may be gathered. */
const BATCH_MS = 200;

/** The service of one text. */
export class LanguageService {
  readonly #worker: Worker;
  readonly #pending = new Map<number, (answer: unknown) => void>();
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
    this.#worker.addEventListener("message", ({ data }: MessageEvent<ServiceAnswer>) => this.#receive(data));
    // A browser that can't run it has an editor without advice.
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#receive({ id: 0, answer: null });
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
    this.#later ||= setTimeout(() => this.#sendChanges(), BATCH_MS);
  }

  #sendChanges(): void {
    clearTimeout(this.#later);
    this.#later = 0;
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length > 0) this.#post({ type: "change", changes });
  }

  setHost(host: string): void {
    this.#post({ type: "offer", host });
  }

  request<Q extends RequestName>(
    question: Q,
    ...values: LanguageRequests[Q][0]
  ): Promise<LanguageRequests[Q][1] | null> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#sendChanges();
      this.#pending.set(id, (answer) => resolve(answer as LanguageRequests[Q][1] | null));
      this.#post({ type: "ask", id, question, values });
    });
  }

  /** Nothing is asked any more. */
  close(): void {
    clearTimeout(this.#later);
    this.#worker.terminate();
    this.#receive({ id: 0, answer: null });
  }

  #post(message: ServiceMessage): void {
    this.#worker.postMessage(message);
  }

  #receive({ id, answer }: ServiceAnswer): void {
    const waiting = id === 0 ? [...this.#pending.values()] : [this.#pending.get(id)];
    if (id === 0) this.#pending.clear();
    else this.#pending.delete(id);
    for (const resolve of waiting) resolve?.(answer);
  }
}
