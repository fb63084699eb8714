/**
 * Tools and models that the page's own thread has, for a run in a worker: each call goes over as a line, and its answer
 * comes back.
 *
 * Invariants: each call is settled at most once; what the run gives up is given up over there; an error keeps its code.
 */
import type {
  ChatDelta,
  ChatOptions,
  ChatReply,
  ChatRequest,
  ModelClient,
  ToolClient,
  ToolInfo,
  ToolProgress,
  ToolResult,
} from "stepgraph/web";
import type { Given, Need } from "./protocol.js";

/** A need without its number. */
type Unnumbered = Need extends infer N ? (N extends { id: number } ? Omit<N, "id"> : never) : never;

interface Open {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onDelta?: ChatOptions["onDelta"] | undefined;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** An error as another thread told it. */
class Fault extends Error {
  readonly code?: string;

  constructor(code: string | null, message: string) {
    super(message);
    if (code !== null) this.code = code;
  }
}

export class Remote {
  readonly #send: (need: Need) => void;
  readonly #open = new Map<number, Open>();
  #next = 1;

  constructor(send: (need: Need) => void) {
    this.#send = send;
  }

  /** Takes what comes back. */
  give(given: Given): void {
    const open = this.#open.get(given.id);
    if (open === undefined) return;
    if (given.given === "delta") return open.onDelta?.(given.delta as ChatDelta);
    if (given.given === "progress") return open.onProgress?.(given.progress as ToolProgress);
    this.#open.delete(given.id);
    if (given.given === "value") open.resolve(given.value);
    else open.reject(new Fault(given.code, given.message));
  }

  tools(client: string): ToolClient {
    return {
      name: client,
      list: (signal) => this.#need({ need: "list", client }, { signal }) as Promise<ToolInfo[]>,
      call: (name, args, { signal, call, onProgress } = {}) =>
        this.#need(
          {
            need: "call",
            client,
            name,
            arguments: args,
            ...(call !== undefined && { call }),
            progress: onProgress !== undefined,
          },
          { signal, onProgress },
        ) as Promise<ToolResult>,
      close: () => Promise.resolve(),
    };
  }

  model(model: string): ModelClient {
    return {
      name: model,
      chat: (request: ChatRequest, { signal, call, onDelta }: ChatOptions = {}) =>
        this.#need(
          { need: "ask", model, request, ...(call !== undefined && { call }), deltas: onDelta !== undefined },
          { signal, onDelta },
        ) as Promise<ChatReply>,
    };
  }

  #need(
    need: Unnumbered,
    { signal, ...listeners }: { signal?: AbortSignal | undefined } & Pick<Open, "onDelta" | "onProgress">,
  ): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject, ...listeners });
      signal?.addEventListener(
        "abort",
        () => {
          if (!this.#open.delete(id)) return;
          this.#send({ need: "abort", id });
          reject(new Fault(null, "nobody waits for it any more"));
        },
        { once: true },
      );
      this.#send({ ...need, id } as Need);
    });
  }
}
