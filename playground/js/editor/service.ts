/** The language service's client. Each request has one answer, or null. */
import type { CodeAction, Completion, Hover, PlanDocument, RenameTarget, Span, TextChange } from "stepgraph/editor/web";
import { pageFile, workerType } from "../page-file.js";
import type { Edit } from "./messages.js";

export type ServiceMessage =
  | { type: "open"; text: string }
  | { type: "change"; changes: Edit[][] }
  | { type: "set-host"; host: string }
  | { type: "ask"; id: number; question: string; values: readonly unknown[] };

export interface ServiceAnswer {
  id: number;
  answer: unknown;
  failed?: string;
}

/** Edits, or why there are none. */
export interface EditOutcome {
  changes: TextChange[];
  refused: { code: string; message: string; help: string | null } | null;
}

/** Requests with arguments and answers, in file offsets. */
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

// Names are `PlanDocument` methods.
type RequestName = keyof LanguageRequests & keyof PlanDocument;

const BATCH_MS = 200;

export class LanguageService {
  readonly #worker: Worker;
  readonly #pending = new Map<number, (answer: unknown) => void>();
  #last = 0;
  /** Not yet sent. */
  #changes: Edit[][] = [];
  #later = 0;

  constructor(text: string) {
    // Relative to the bundles.
    this.#worker = new Worker(pageFile("./editor/worker.js", import.meta.url), {
      type: workerType(),
      name: "stepgraph-language",
    });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<ServiceAnswer>) => this.#receive(data));
    // The editor works without it.
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

  /** Sent later or before a request, so no keystroke waits. */
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
    this.#post({ type: "set-host", host });
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
