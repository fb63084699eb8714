/**
 * Executes calls on the page's thread, which alone opens sign-in windows.
 *
 * Invariants: a request is answered once or aborted. Errors keep their codes.
 */
import type { ChatRequest, Model, ToolClient } from "stepgraph/web";
import type { HostResponse, HostRequest } from "./protocol.js";

/** The run's own values override `initialValues`. */
export interface RunHost {
  tools: ToolClient[];
  models: Record<string, Model>;
  initialValues?: { context?: Record<string, unknown>; memory?: unknown };
}

export class PageHost {
  available: RunHost | null = null;
  readonly #respond: (response: HostResponse) => void;
  readonly #pending = new Map<number, AbortController>();

  constructor(respond: (response: HostResponse) => void) {
    this.#respond = respond;
  }

  receive(request: HostRequest): void {
    if (request.method === "abort") {
      this.#pending.get(request.id)?.abort();
      this.#pending.delete(request.id);
      return;
    }
    const control = new AbortController();
    this.#pending.set(request.id, control);
    void this.#answer(request, control);
  }

  close(): void {
    for (const control of this.#pending.values()) control.abort();
    this.#pending.clear();
  }

  async #answer(request: Exclude<HostRequest, { method: "abort" }>, control: AbortController): Promise<void> {
    const { id } = request;
    const respond = (response: HostResponse) => this.#pending.get(id) === control && this.#respond(response);
    try {
      const value = await this.#execute(request, control.signal, respond);
      respond({ result: "value", id, value: value === undefined ? null : value });
    } catch (error) {
      const { code, message } = Object(error) as { code?: unknown; message?: unknown };
      respond({ result: "error", id, code: typeof code === "string" ? code : null, message: String(message ?? error) });
    } finally {
      if (this.#pending.get(id) === control) this.#pending.delete(id);
    }
  }

  #execute(
    request: Exclude<HostRequest, { method: "abort" }>,
    signal: AbortSignal,
    respond: (response: HostResponse) => void,
  ): unknown {
    const { id } = request;
    const named = request.call === undefined ? {} : { call: request.call };
    if (request.method === "chat") {
      const model = this.available?.models[request.model];
      if (model === undefined) throw new Error(`the page has no model \`${request.model}\``);
      const options = {
        signal,
        ...named,
        ...(request.deltas && { onDelta: (delta: unknown) => respond({ result: "delta", id, delta }) }),
      };
      return typeof model === "function"
        ? model(request.chat as ChatRequest, options)
        : model.chat(request.chat as ChatRequest, options);
    }
    const client = this.available?.tools.find(({ name }) => name === request.client);
    if (client === undefined) throw new Error(`the page has no server \`${request.client}\``);
    if (request.method === "list") return client.list(signal);
    return client.call(request.name, request.arguments, {
      signal,
      ...named,
      ...(request.progress && { onProgress: (progress: unknown) => respond({ result: "progress", id, progress }) }),
    });
  }
}
