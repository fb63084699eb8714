/**
 * An operation that may ask its caller. Older revisions send requests during the call. The newer one ends the call, and
 * the client repeats it with the answers.
 *
 * Invariants: each request is answered once. An operation stops after ten minutes without an answer, or if its call is
 * cancelled.
 */
import { randomBytes } from "node:crypto";
import { inputResponse, type InputRequest, type InputResponseView } from "@modelcontextprotocol/server";

const QUESTION_TIMEOUT_MS = 10 * 60_000;

/** The caller will not answer. */
export class UnansweredError extends Error {}

export interface CallerPrompt {
  readonly signal: AbortSignal;
  /** Rejects with {@link UnansweredError}. */
  ask(question: InputRequest): Promise<InputResponseView>;
}

export type RoundResult<T> = { type: "done"; value: T } | { type: "asks"; questions: Record<string, InputRequest> };

interface OpenQuestion {
  question: InputRequest;
  answer: (view: InputResponseView) => void;
  abandon: () => void;
}

export class MultiRoundTrip<T> implements CallerPrompt {
  readonly id = randomBytes(12).toString("hex");
  readonly done: Promise<T>;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, OpenQuestion>();
  #questionCount = 0;
  #progressCount = 0;
  #wake: () => void = () => {};
  #timeout: NodeJS.Timeout | undefined;

  /** `number` increases. */
  constructor(
    work: (prompt: CallerPrompt, tell: (progress: string) => void) => Promise<T>,
    public listener: (progress: string, number: number) => void,
  ) {
    this.done = work(this, (progress) => this.listener(progress, ++this.#progressCount));
    // Waiters still receive the error.
    this.done.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  ask(question: InputRequest): Promise<InputResponseView> {
    if (this.signal.aborted) return Promise.reject(new UnansweredError("the operation has stopped"));
    return new Promise((resolve, reject) => {
      const key = `q${++this.#questionCount}`;
      const abandon = () => reject(new UnansweredError("no answer arrived"));
      this.#open.set(key, { question, answer: resolve, abandon });
      this.#wake();
    });
  }

  /** Waits for the result or requests. */
  async nextRound(): Promise<RoundResult<T>> {
    clearTimeout(this.#timeout);
    const asks = new Promise<"asks">((resolve) => (this.#wake = () => resolve("asks")));
    if (this.#open.size === 0) {
      const first = await Promise.race([this.done.then(() => "done" as const), asks]);
      if (first === "done") return { type: "done", value: await this.done };
      // Parallel branches share a round.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#timeout = setTimeout(() => this.stop(), QUESTION_TIMEOUT_MS).unref();
    return {
      type: "asks",
      questions: Object.fromEntries([...this.#open].map(([key, { question }]) => [key, question])),
    };
  }

  /** Unanswered requests are sent again. */
  answer(responses: Record<string, unknown> | undefined): void {
    for (const [key, { answer }] of [...this.#open]) {
      const view = inputResponse(responses as Parameters<typeof inputResponse>[0], key);
      if (view.kind === "missing") continue;
      this.#open.delete(key);
      answer(view);
    }
  }

  stop(): void {
    clearTimeout(this.#timeout);
    this.#stop.abort();
    for (const { abandon } of this.#open.values()) abandon();
    this.#open.clear();
  }
}
