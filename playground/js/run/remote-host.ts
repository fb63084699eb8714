/**
 * A worker's access to tools and models on the page's thread. Invariants: a call completes at most once. Aborts reach
 * the other thread.
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
import type { HostResponse, HostRequest, ModelName } from "./protocol.js";

type UnnumberedRequest = HostRequest extends infer N ? (N extends { id: number } ? Omit<N, "id"> : never) : never;

interface PendingRequest {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onDelta?: ChatOptions["onDelta"] | undefined;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
}

class RemoteError extends Error {
  readonly code?: string;

  constructor(code: string | null, message: string) {
    super(message);
    if (code !== null) this.code = code;
  }
}

export class RemoteHost {
  readonly #send: (request: HostRequest) => void;
  readonly #pending = new Map<number, PendingRequest>();
  #next = 1;

  constructor(send: (request: HostRequest) => void) {
    this.#send = send;
  }

  receive(response: HostResponse): void {
    const pending = this.#pending.get(response.id);
    if (pending === undefined) return;
    if (response.result === "delta") return pending.onDelta?.(response.delta as ChatDelta);
    if (response.result === "progress") return pending.onProgress?.(response.progress as ToolProgress);
    this.#pending.delete(response.id);
    if (response.result === "value") pending.resolve(response.value);
    else pending.reject(new RemoteError(response.code, response.message));
  }

  toolClient(client: string): ToolClient {
    return {
      name: client,
      list: (signal) => this.#request({ method: "list", client }, { signal }) as Promise<ToolInfo[]>,
      call: (name, args, { signal, call, onProgress } = {}) =>
        this.#request(
          {
            method: "call",
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

  modelClient(model: string, named: ModelName = { name: model }): ModelClient {
    return {
      ...named,
      chat: (chat: ChatRequest, { signal, call, onDelta }: ChatOptions = {}) =>
        this.#request(
          { method: "chat", model, chat, ...(call !== undefined && { call }), deltas: onDelta !== undefined },
          { signal, onDelta },
        ) as Promise<ChatReply>,
    };
  }

  #request(
    request: UnnumberedRequest,
    { signal, ...listeners }: { signal?: AbortSignal | undefined } & Pick<PendingRequest, "onDelta" | "onProgress">,
  ): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, ...listeners });
      signal?.addEventListener(
        "abort",
        () => {
          if (!this.#pending.delete(id)) return;
          this.#send({ method: "abort", id });
          reject(new RemoteError(null, "the call was abandoned"));
        },
        { once: true },
      );
      this.#send({ ...request, id } as HostRequest);
    });
  }
}
