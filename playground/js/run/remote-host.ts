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
import type { HostResponse, HostRequest } from "./protocol.js";

/** A need without its number. */
type UnnumberedRequest = HostRequest extends infer N ? (N extends { id: number } ? Omit<N, "id"> : never) : never;

interface PendingRequest {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onDelta?: ChatOptions["onDelta"] | undefined;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** An error as another thread told it. */
class RemoteError extends Error {
  readonly code?: string;

  constructor(code: string | null, message: string) {
    super(message);
    if (code !== null) this.code = code;
  }
}

export class RemoteHost {
  readonly #send: (need: HostRequest) => void;
  readonly #open = new Map<number, PendingRequest>();
  #next = 1;

  constructor(send: (need: HostRequest) => void) {
    this.#send = send;
  }

  /** Takes what comes back. */
  give(given: HostResponse): void {
    const open = this.#open.get(given.id);
    if (open === undefined) return;
    if (given.given === "delta") return open.onDelta?.(given.delta as ChatDelta);
    if (given.given === "progress") return open.onProgress?.(given.progress as ToolProgress);
    this.#open.delete(given.id);
    if (given.given === "value") open.resolve(given.value);
    else open.reject(new RemoteError(given.code, given.message));
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
    need: UnnumberedRequest,
    { signal, ...listeners }: { signal?: AbortSignal | undefined } & Pick<PendingRequest, "onDelta" | "onProgress">,
  ): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject, ...listeners });
      signal?.addEventListener(
        "abort",
        () => {
          if (!this.#open.delete(id)) return;
          this.#send({ need: "abort", id });
          reject(new RemoteError(null, "nobody waits for it any more"));
        },
        { once: true },
      );
      this.#send({ ...need, id } as HostRequest);
    });
  }
}
