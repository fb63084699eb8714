/** Spans of agents' calls that no traced function makes: stubs, replays, ended runs. Each call has one span. */
import type { TraceEvent } from "stepgraph";
import { chatAttributes, type Content, replyAttributes, toolAttributes } from "./genai.js";
import type { OpenCall } from "./open-spans.js";
import { type SpanStart, CLIENT, INTERNAL } from "./span.js";

type AgentEvent = Extract<TraceEvent, { type: "model-asked" | "model-replied" | "tool-asked" | "tool-answered" }>;
type AgentCallEvent = Extract<AgentEvent, { type: "model-asked" | "tool-asked" }>;
type OpenCallSpan = (call: string, ms: number, how: Pick<SpanStart, "name" | "kind" | "attributes">) => OpenCall;

export class AgentCallSpans {
  readonly #content: Content;
  readonly #openCall: OpenCallSpan;
  /** Not started by a function. */
  readonly #pending = new Map<string, { event: AgentCallEvent; ms: number }>();

  constructor(content: Content, openCall: OpenCallSpan) {
    this.#content = content;
    this.#openCall = openCall;
  }

  callStarted(call: string): void {
    this.#pending.delete(call);
  }

  event(event: AgentEvent, ms: number): void {
    switch (event.type) {
      case "model-asked":
      case "tool-asked":
        this.#pending.set(event.call, { event, ms });
        return;
      case "model-replied":
        return this.#start(event.call)?.done(ms, replyAttributes(event.reply, this.#content));
      case "tool-answered": {
        const { error, output } = event;
        const call = this.#start(event.call);
        if (error) call?.failed(ms, error);
        else
          call?.done(
            ms,
            this.#content.of(() => ({ "gen_ai.tool.call.result": output })),
          );
      }
    }
  }

  nodeEnded(event: Extract<TraceEvent, { type: "node-completed" | "node-failed" }>, ms: number): void {
    for (const [name, { event: opening }] of this.#pending) {
      if (opening.node !== event.node || opening.scope !== event.scope) continue;
      const call = this.#start(name);
      if (event.type === "node-failed" && opening.type === "model-asked") call?.failed(ms, event);
      else call?.done(ms, { "stepgraph.status": "abandoned" });
    }
  }

  close(ms: number): void {
    for (const name of this.#pending.keys()) this.#start(name)?.done(ms, { "stepgraph.status": "abandoned" });
  }

  #start(call: string): OpenCall | undefined {
    const pending = this.#pending.get(call);
    if (pending === undefined) return undefined;
    const { event, ms } = pending;
    if (event.type === "tool-asked") {
      return this.#openCall(call, ms, {
        name: `execute_tool ${event.tool}`,
        kind: INTERNAL,
        attributes: toolAttributes(event.tool, event.arguments, false, this.#content),
      });
    }
    const request = { model: null, messages: event.messages, schema: null, max_tokens: null };
    return this.#openCall(call, ms, {
      name: "chat",
      kind: CLIENT,
      attributes: chatAttributes(request, undefined, this.#content),
    });
  }
}
