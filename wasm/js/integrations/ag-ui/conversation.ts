/** A thread's messages, as a client holds them. */
import type { Part } from "../chat/events.js";
import type { AgUiMessage } from "./types.js";

export class Conversation {
  #messages: AgUiMessage[];

  constructor(messages: readonly AgUiMessage[]) {
    this.#messages = [...messages];
  }

  get messages(): AgUiMessage[] {
    return this.#messages.map((message) => ({ ...message }));
  }

  start({ id, kind }: Part): void {
    this.#set({ id, role: kind === "text" ? "assistant" : "reasoning", content: "" });
  }

  grow(id: string, text: string): void {
    const message = this.#find(id);
    if (message) message.content = `${String(message.content)}${text}`;
  }

  remove(parts: readonly Part[]): void {
    const ids = new Set(parts.map(({ id }) => id));
    this.#messages = this.#messages.filter(({ id }) => !ids.has(id));
  }

  /** Returns the reply's message. Otherwise the call has its own. */
  addCall(parent: string | undefined, id: string, name: string, args: string): string | undefined {
    const call = { id, type: "function", function: { name, arguments: args } };
    const message = parent === undefined ? undefined : this.#find(parent);
    if (message) message.toolCalls = [...(message.toolCalls ?? []), call];
    else this.#set({ id, role: "assistant", toolCalls: [call] });
    return message?.id;
  }

  addResult(id: string, toolCallId: string, content: string): void {
    this.#set({ id, role: "tool", toolCallId, content });
  }

  #find(id: string): AgUiMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  /** A resumed run may repeat a reply that was cut off. */
  #set(message: AgUiMessage): void {
    const at = this.#messages.findIndex(({ id }) => id === message.id);
    if (at < 0) this.#messages.push(message);
    else this.#messages[at] = message;
  }
}
