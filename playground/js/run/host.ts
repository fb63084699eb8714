/**
 * What the page's own thread does for a run: its tools and models, to which windows and sign-ins belong.
 *
 * Invariants: each need is answered once, or given up; an error goes over with its code.
 */
import type { ChatRequest, Model, ToolClient } from "stepgraph/web";
import type { HostResponse, HostRequest } from "./protocol.js";

/** The tools and models that a run may use; `given` is what it is given besides its input, unless it says so itself. */
export interface RunHost {
  tools: ToolClient[];
  models: Record<string, Model>;
  given?: { context?: Record<string, unknown>; memory?: unknown };
}

export class PageHost {
  offer: RunHost | null = null;
  readonly #give: (given: HostResponse) => void;
  readonly #open = new Map<number, AbortController>();

  constructor(give: (given: HostResponse) => void) {
    this.#give = give;
  }

  take(need: HostRequest): void {
    if (need.need === "abort") {
      this.#open.get(need.id)?.abort();
      this.#open.delete(need.id);
      return;
    }
    const control = new AbortController();
    this.#open.set(need.id, control);
    void this.#answer(need, control);
  }

  /** Nobody needs anything any more. */
  close(): void {
    for (const control of this.#open.values()) control.abort();
    this.#open.clear();
  }

  async #answer(need: Exclude<HostRequest, { need: "abort" }>, control: AbortController): Promise<void> {
    const { id } = need;
    const give = (given: HostResponse) => this.#open.get(id) === control && this.#give(given);
    try {
      const value = await this.#carryOut(need, control.signal, give);
      give({ given: "value", id, value: value === undefined ? null : value });
    } catch (error) {
      const { code, message } = Object(error) as { code?: unknown; message?: unknown };
      give({ given: "fault", id, code: typeof code === "string" ? code : null, message: String(message ?? error) });
    } finally {
      if (this.#open.get(id) === control) this.#open.delete(id);
    }
  }

  #carryOut(
    need: Exclude<HostRequest, { need: "abort" }>,
    signal: AbortSignal,
    give: (given: HostResponse) => void,
  ): unknown {
    const { id } = need;
    const named = need.call === undefined ? {} : { call: need.call };
    if (need.need === "ask") {
      const model = this.offer?.models[need.model];
      if (model === undefined) throw new Error(`the page has no model \`${need.model}\``);
      const options = {
        signal,
        ...named,
        ...(need.deltas && { onDelta: (delta: unknown) => give({ given: "delta", id, delta }) }),
      };
      return typeof model === "function"
        ? model(need.request as ChatRequest, options)
        : model.chat(need.request as ChatRequest, options);
    }
    const client = this.offer?.tools.find(({ name }) => name === need.client);
    if (client === undefined) throw new Error(`the page has no server \`${need.client}\``);
    if (need.need === "list") return client.list(signal);
    return client.call(need.name, need.arguments, {
      signal,
      ...named,
      ...(need.progress && { onProgress: (progress: unknown) => give({ given: "progress", id, progress }) }),
    });
  }
}
