/**
 * Answers requests of a server during an operation.
 *
 * Invariants: every request is answered or refused, unless the server withdraws it or ends. Callers never see the
 * host's errors.
 */
import { CallError } from "./errors.js";
import { type HttpRequest, sendForHead, type SendOptions } from "./http.js";
import type { OperationDeadline } from "./mcp-deadline.js";
import type { OperationOptions } from "./mcp-operation.js";
import { answerRequest, type ServerRequest } from "./mcp-host.js";

const MAX_CONCURRENT = 8;
/** A server with more waiting requests would never stop. */
const MAX_WAITING = 200;

export class ServerRequests {
  readonly #options: OperationOptions;
  readonly #sendOptions: SendOptions;
  readonly #ended = new AbortController();
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #open = new Map<string, AbortController>();
  #busy = 0;

  constructor(options: OperationOptions, aside: SendOptions) {
    this.#options = options;
    this.#sendOptions = aside;
  }

  send(request: HttpRequest): void {
    this.#begin(async () => {
      await sendForHead(request, this.#sendOptions);
    });
  }

  /** All deadlines stop meanwhile. */
  answerRequest({ id, method, params }: { id: unknown } & ServerRequest): void {
    const name = JSON.stringify(id);
    const open = new AbortController();
    this.#open.set(name, open);
    const answered = this.#begin(() =>
      this.#answer(name, { method, params }, open).finally(() => this.#open.delete(name)),
    );
    pauseDeadlines(this.#options.deadlines, answered);
  }

  withdraw(id: unknown): void {
    this.#open.get(JSON.stringify(id))?.abort();
  }

  end(): void {
    this.#ended.abort();
    for (const open of this.#open.values()) open.abort();
  }

  /** Never rejects. */
  #begin(work: () => Promise<void>): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new CallError("tool/bad-reply", `the server asks more than ${MAX_WAITING} things at once`);
    return new Promise((resolve) => {
      this.#waiting.push(() =>
        work()
          .catch(() => {})
          .finally(resolve),
      );
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#busy < MAX_CONCURRENT && this.#waiting.length > 0) {
      this.#busy++;
      void this.#waiting.shift()!().finally(() => {
        this.#busy--;
        this.#startNext();
      });
    }
  }

  async #answer(id: string, request: ServerRequest, open: AbortController): Promise<void> {
    if (this.#ended.signal.aborted || open.signal.aborted) return;
    const { options } = this.#options;
    const [value, error] = await answerRequest(options, request, open.signal)
      .then(toJson)
      .then(
        (text) => [text, ""] as const,
        (error: unknown) => [undefined, `the client has no answer: ${errorMessage(error)}`] as const,
      );
    if (open.signal.aborted) return;
    const { status, wwwAuthenticate } = await this.#send(id, value, error);
    // The token may have expired meanwhile.
    const { auth } = this.#options;
    if (
      status === 401 &&
      auth !== undefined &&
      (await auth.challenged(status, wwwAuthenticate, open.signal, auth.token()))
    )
      await this.#send(id, value, error);
  }

  async #send(id: string, value: string | undefined, error: string) {
    const { auth, options, session } = this.#options;
    if (auth) session.set_key(auth.token() ?? options.key);
    const request = session.reply(id, value, error);
    return request === undefined
      ? { status: 0, wwwAuthenticate: null }
      : sendForHead(JSON.parse(request) as HttpRequest, this.#sendOptions);
  }
}

/** Throws for cycles. */
function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

function pauseDeadlines(clocks: Iterable<OperationDeadline>, work: Promise<void>): void {
  for (const deadline of [...clocks]) void deadline.pauseWhile(work);
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
