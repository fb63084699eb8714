/**
 * A long operation that may send requests to its caller: approvals to the user, or prompts to the client's model.
 *
 * Older protocol revisions send such requests during the call. The newer one ends the call with them, and the client
 * calls again with the answers. The protocol library hides the difference for tools that can be re-entered. This class
 * is what they re-enter: the operation continues where it waited.
 *
 * Invariants: each request is answered once. An operation stops if its requests stay unanswered for ten minutes, or if
 * its call is cancelled.
 */
import { randomBytes } from "node:crypto";
import { inputResponse, type InputRequest, type InputResponseView } from "@modelcontextprotocol/server";

/** How long requests wait for an answer. */
const QUESTION_TIMEOUT_MS = 10 * 60_000;

/** The caller will not answer. */
export class UnansweredError extends Error {}

/** The operation's access to its caller. */
export interface CallerPrompt {
  /** Aborts when the operation must stop. */
  readonly signal: AbortSignal;
  /** Sends a request to the caller. Rejects with {@link UnansweredError}. */
  ask(question: InputRequest): Promise<InputResponseView>;
}

/** Result of a round: done, or waiting for answers. */
export type RoundResult<T> = { type: "done"; value: T } | { type: "asks"; questions: Record<string, InputRequest> };

interface OpenQuestion {
  question: InputRequest;
  answer: (view: InputResponseView) => void;
  abandon: () => void;
}

/** A running operation. */
export class MultiRoundTrip<T> implements CallerPrompt {
  readonly id = randomBytes(12).toString("hex");
  /** Settles with the operation's result. */
  readonly done: Promise<T>;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, OpenQuestion>();
  #questionCount = 0;
  #progressCount = 0;
  #wake: () => void = () => {};
  #timeout: NodeJS.Timeout | undefined;

  /** `listener` receives progress with an increasing number. */
  constructor(
    work: (prompt: CallerPrompt, tell: (progress: string) => void) => Promise<T>,
    public listener: (progress: string, number: number) => void,
  ) {
    this.done = work(this, (progress) => this.listener(progress, ++this.#progressCount));
    // Prevents an unhandled rejection. Waiters still receive the error.
    this.done.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  ask(question: InputRequest): Promise<InputResponseView> {
    if (this.signal.aborted) return Promise.reject(new UnansweredError("nobody is there to ask"));
    return new Promise((resolve, reject) => {
      const key = `q${++this.#questionCount}`;
      const abandon = () => reject(new UnansweredError("nobody answered"));
      this.#open.set(key, { question, answer: resolve, abandon });
      this.#wake();
    });
  }

  /** Waits until the operation is done or sends requests. */
  async nextRound(): Promise<RoundResult<T>> {
    clearTimeout(this.#timeout);
    const asks = new Promise<"asks">((resolve) => (this.#wake = () => resolve("asks")));
    if (this.#open.size === 0) {
      const first = await Promise.race([this.done.then(() => "done" as const), asks]);
      if (first === "done") return { type: "done", value: await this.done };
      // Parallel branches send requests in the same turn of the event loop: they go into one round.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#timeout = setTimeout(() => this.stop(), QUESTION_TIMEOUT_MS).unref();
    return {
      type: "asks",
      questions: Object.fromEntries([...this.#open].map(([key, { question }]) => [key, question])),
    };
  }

  /** Applies answers. Requests without one are sent again. */
  answer(responses: Record<string, unknown> | undefined): void {
    for (const [key, { answer }] of [...this.#open]) {
      const view = inputResponse(responses as Parameters<typeof inputResponse>[0], key);
      if (view.kind === "missing") continue;
      this.#open.delete(key);
      answer(view);
    }
  }

  /** Stops the operation and its open requests. */
  stop(): void {
    clearTimeout(this.#timeout);
    this.#stop.abort();
    for (const { abandon } of this.#open.values()) abandon();
    this.#open.clear();
  }
}
