/**
 * Something long that may have to ask its caller on the way: a run that needs a person's leave, a plan that is written
 * by the caller's model.
 *
 * Decides nothing about what is asked. The revisions of the protocol differ in how a server asks: one sends requests of
 * its own, the other ends the call with questions and is called again with the answers. The library makes one of both,
 * for tools that can be entered again; a job is what they enter: the work goes on where it waited.
 *
 * Invariants: every question is answered once; a job whose questions nobody answers for ten minutes is given up, and so
 * is one whose call is cancelled.
 */
import { randomBytes } from "node:crypto";
import { inputResponse, type InputRequest, type InputResponseView } from "@modelcontextprotocol/server";

/** How long questions wait. */
const QUESTION_TIMEOUT_MS = 10 * 60_000;

/** Nobody will answer. */
export class UnansweredError extends Error {}

/** What a job's work is given. */
export interface CallerPrompt {
  /** Aborted when nobody wants the work any more. */
  readonly signal: AbortSignal;
  /** Asks the caller. Rejects with {@link UnansweredError}. */
  ask(question: InputRequest): Promise<InputResponseView>;
}

/** How far it is: done, or waiting for answers. */
export type RoundResult<T> = { type: "done"; value: T } | { type: "asks"; questions: Record<string, InputRequest> };

interface OpenQuestion {
  question: InputRequest;
  answer: (view: InputResponseView) => void;
  abandon: () => void;
}

/** Work that is under way. */
export class MultiRoundTrip<T> implements CallerPrompt {
  readonly id = randomBytes(12).toString("hex");
  /** Settles with the work. */
  readonly done: Promise<T>;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, OpenQuestion>();
  #questionCount = 0;
  #progressCount = 0;
  #wake: () => void = () => {};
  #timeout: NodeJS.Timeout | undefined;

  /** `listener` hears how far it is, each time with a number that only grows. */
  constructor(
    work: (prompt: CallerPrompt, tell: (progress: string) => void) => Promise<T>,
    public listener: (progress: string, number: number) => void,
  ) {
    this.done = work(this, (progress) => this.listener(progress, ++this.#progressCount));
    // Who waits for it hears of a failure; nobody has to.
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

  /** Waits until it is done or asks. */
  async nextRound(): Promise<RoundResult<T>> {
    clearTimeout(this.#timeout);
    const asks = new Promise<"asks">((resolve) => (this.#wake = () => resolve("asks")));
    if (this.#open.size === 0) {
      const first = await Promise.race([this.done.then(() => "done" as const), asks]);
      if (first === "done") return { type: "done", value: await this.done };
      // Branches ask in the same breath: their questions go together.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#timeout = setTimeout(() => this.stop(), QUESTION_TIMEOUT_MS).unref();
    return {
      type: "asks",
      questions: Object.fromEntries([...this.#open].map(([key, { question }]) => [key, question])),
    };
  }

  /** Takes the answers that there are; questions without one are asked again. */
  answer(responses: Record<string, unknown> | undefined): void {
    for (const [key, { answer }] of [...this.#open]) {
      const view = inputResponse(responses as Parameters<typeof inputResponse>[0], key);
      if (view.kind === "missing") continue;
      this.#open.delete(key);
      answer(view);
    }
  }

  /** Gives it up: what it waits for is not coming. */
  stop(): void {
    clearTimeout(this.#timeout);
    this.#stop.abort();
    for (const { abandon } of this.#open.values()) abandon();
    this.#open.clear();
  }
}
