/**
 * Reads a run as a chat: replies, tool calls, approvals, states of nodes, in the order of events.
 *
 * Invariants: each reply ends or is retracted. A result follows its tool call, unless the chat shows that call already.
 */
import type { Approval, CallUpdate, ChatReply, Outcome, Report, TraceEvent } from "stepgraph";
import type { ChatEvent, ChatFailure, NodeStatus, Part, ToolResult } from "./events.js";

export interface ReaderOptions {
  textNodes?: readonly string[] | undefined;
  reasoning?: boolean | undefined;
  content?: boolean | undefined;
  /** In the ids of approvals. */
  runId?: string | undefined;
  /** The call that the resumed run waits for, if known. */
  waiting?: readonly string[] | undefined;
}

/** Shown from an earlier run. */
export interface KnownCall {
  /** The requested approval's call. */
  approval?: string | undefined;
  open: boolean;
}

interface NodeLocation {
  node: string;
  scope?: string;
}

interface Reply extends NodeLocation {
  call: string;
  /** The last one is growing. */
  parts: Part[];
}

interface OpenTool extends NodeLocation {
  id: string;
}

const APPROVAL = "/approval";

export class ChatReader {
  readonly #options: ReaderOptions;
  readonly #shownCalls: Map<string, KnownCall>;
  /** These have no result yet. */
  readonly #openEarlierCalls: Map<string, KnownCall>;
  readonly #replies = new Map<string, Reply>();
  readonly #tools = new Map<string, OpenTool>();
  readonly #approvals = new Set<string>();
  /** Keyed by reply. A call with invalid arguments has a `tool-answered` event only. */
  readonly #requested = new Map<string, NonNullable<ChatReply["tool_calls"]>>();
  readonly #shown = new Set<string>();
  #outcome: Outcome | undefined;
  /** A stored trace has no report. */
  #last: unknown;

  constructor(options: ReaderOptions, known: ReadonlyMap<string, KnownCall> = new Map()) {
    this.#options = options;
    this.#shownCalls = new Map(known);
    const { waiting } = options;
    // A forged message could name any node, and get its output.
    const isWaiting = (id: string) => waiting === undefined || waiting.includes(id) || waiting.includes(id + APPROVAL);
    this.#openEarlierCalls = new Map([...known].filter(([id, { open }]) => open && isWaiting(id)));
  }

  read(event: TraceEvent | CallUpdate): ChatEvent[] {
    switch (event.type) {
      case "model-asked":
        return [{ type: "turn", call: event.call }];
      case "model-delta":
        return this.#delta(event);
      case "model-replied":
        return this.#replied(event);
      case "tool-asked":
        return this.#toolAsked(event);
      case "tool-answered":
        return this.#toolAnswered(event);
      case "tool-progress": {
        const { call, tool, progress, total, message } = event;
        return [{ type: "progress", status: withoutUndefined({ call, tool, progress, total, message }) }];
      }
      case "node-started":
      case "node-completed":
      case "node-failed":
      case "node-retried":
        return this.#node(event);
      case "scope-ended":
        return event.status === "abandoned" ? this.#abandon(event.scope) : [];
      case "run-ended":
        this.#outcome = event.outcome;
        return [];
      default:
        return [];
    }
  }

  end(report: Report | undefined): ChatEvent[] {
    const outcome = report?.outcome ?? this.#outcome;
    const events = [...this.#replies.values()].flatMap((reply) => this.#endReply(reply));
    if (outcome?.type === "paused") events.push(...outcome.approvals.flatMap((approval) => this.#pending(approval)));
    else if (outcome !== undefined) events.push(...this.#closeTools(outcome));
    const last = report === undefined ? this.#last : report.last;
    const answer = outcome?.type === "completed" && this.#shown.size === 0 ? last : undefined;
    if (typeof answer === "string" && answer !== "") events.push(...this.#whole("answer", "", answer));
    return [...events, { type: "ended", outcome }];
  }

  #delta({ call, node, scope, delta }: Extract<CallUpdate, { type: "model-delta" }>): ChatEvent[] {
    if (delta.type === "tool-call" || delta.text === "") return [];
    const isShown = delta.type === "text" ? this.#showsText(node) : this.#options.reasoning !== false;
    if (!isShown) return [];
    const events: ChatEvent[] = [];
    let reply = this.#replies.get(call);
    if (reply === undefined) {
      this.#replies.set(call, (reply = { call, node, ...(scope && { scope }), parts: [] }));
      events.push({ type: "turn", call });
    }
    let part = reply.parts.at(-1);
    if (part?.kind !== delta.type) {
      if (part !== undefined) events.push({ type: "part-end", ...part });
      reply.parts.push((part = { id: `${call}#${reply.parts.length}`, kind: delta.type }));
      events.push({ type: "part-start", ...part, call });
    }
    if (delta.type === "text") this.#shown.add(visitOf(pathOf(reply), call));
    events.push({ type: "part-delta", ...part, text: delta.text });
    return events;
  }

  #replied(event: Extract<TraceEvent, { type: "model-replied" }>): ChatEvent[] {
    const { call, node, reply } = event;
    if (reply.tool_calls) this.#requested.set(call, reply.tool_calls);
    const open = this.#replies.get(call);
    const events = open ? this.#endReply(open) : [];
    const isStreamed = open?.parts.some(({ kind }) => kind === "text") === true;
    if (!isStreamed && reply.text !== "" && this.#showsText(node))
      events.push(...this.#whole(call, visitOf(pathOf(event), call), reply.text));
    return events;
  }

  /** A text that was not streamed. */
  #whole(call: string, visit: string, text: string): ChatEvent[] {
    this.#shown.add(visit);
    const part = { id: `${call}#text`, kind: "text" as const };
    return [
      { type: "part-start", ...part, call },
      { type: "part-delta", ...part, text },
      { type: "part-end", ...part },
      { type: "reply-end", call },
    ];
  }

  #endReply({ call, parts }: Reply): ChatEvent[] {
    this.#replies.delete(call);
    const part = parts.at(-1);
    return [...(part ? [{ type: "part-end" as const, ...part }] : []), { type: "reply-end", call }];
  }

  #retract({ call, parts, ...where }: Reply): ChatEvent[] {
    this.#replies.delete(call);
    this.#shown.delete(visitOf(pathOf(where), call));
    return [{ type: "reply-retracted", call, parts }];
  }

  #toolAsked(event: Extract<TraceEvent, { type: "tool-asked" }>): ChatEvent[] {
    const { call, node, scope, tool, arguments: input, approval } = event;
    const events = this.#startTool({ id: call, node, ...(scope && { scope }) }, tool, input);
    if (approval)
      events.push(...this.#approval(call, { call: call + APPROVAL, node, tool, input: { tool, arguments: input } }));
    return events;
  }

  #startTool(open: OpenTool, tool: string, input: unknown): ChatEvent[] {
    this.#tools.set(open.id, open);
    this.#shownCalls.set(open.id, { open: true });
    const call = open.id.slice(0, Math.max(0, open.id.lastIndexOf("/")));
    return [{ type: "tool", id: open.id, tool, input, ...(call !== "" && { call }) }];
  }

  #approval(id: string, approval: Pick<Approval, "call" | "node" | "input" | "tool">): ChatEvent[] {
    this.#approvals.add(approval.call);
    return [{ type: "approval", id, approval }];
  }

  #toolAnswered(event: Extract<TraceEvent, { type: "tool-answered" }>): ChatEvent[] {
    const { call, node, scope, tool, output, error } = event;
    const events: ChatEvent[] = [];
    if (!this.#shownCalls.has(call)) {
      const cut = call.lastIndexOf("/");
      const requested = this.#requested.get(call.slice(0, cut))?.[Number(call.slice(cut + 1))];
      events.push(...this.#startTool({ id: call, node, ...(scope && { scope }) }, tool, requested?.arguments ?? null));
    }
    return [
      ...events,
      ...this.#endTool(call, error ? failedResult(error) : { type: "output", output: output ?? null }),
    ];
  }

  #endTool(id: string, result: ToolResult): ChatEvent[] {
    this.#tools.delete(id);
    this.#openEarlierCalls.delete(id);
    this.#shownCalls.set(id, { open: false });
    return [{ type: "tool-result", id, result }];
  }

  #node(event: Extract<TraceEvent, { type: `node-${string}` }>): ChatEvent[] {
    const { node, scope, visit } = event;
    const path = pathOf(event);
    const own = [...this.#replies.values()].filter((reply) => pathOf(reply) === path);
    const ended = own.flatMap((reply) =>
      event.type === "node-retried" ? this.#retract(reply) : this.#endReply(reply),
    );
    const events: ChatEvent[] = event.type === "node-started" ? [] : ended;
    if (event.type === "node-retried") events.push(...this.#abandonTools((tool) => pathOf(tool) === path));
    if (event.type === "node-completed") events.push(...this.#completed(path, event));
    if (event.type === "node-failed") events.push(...this.#failed(path, event));
    if (event.type === "node-started") this.#forget(path, visit);
    const status: NodeStatus = { node, ...(scope && { scope }), visit, ...this.#statusOf(event) };
    return [...events, { type: "node", id: `${path}:${visit}`, status }];
  }

  #statusOf(event: Extract<TraceEvent, { type: `node-${string}` }>): Pick<NodeStatus, "status"> & Partial<NodeStatus> {
    const { content = false } = this.#options;
    switch (event.type) {
      case "node-started":
        return { status: "running", ...(content && { input: event.input }) };
      case "node-completed":
        return { status: "completed", durationMs: event.durationMs, ...(content && { output: event.output }) };
      case "node-failed":
        return { status: "failed", durationMs: event.durationMs, code: event.code };
      case "node-retried":
        return { status: "retrying", attempt: event.attempt, code: event.code };
    }
  }

  /** Listed nodes without a streaming model answer with their output. */
  #completed(path: string, event: Extract<TraceEvent, { type: "node-completed" }>): ChatEvent[] {
    const { node, scope, visit, output } = event;
    if (!scope) this.#last = output;
    const call = this.#decidedCall(path, visit);
    const events: ChatEvent[] = [];
    if (call !== undefined) {
      const isDenied = call.known.approval === call.id && output === "rejected";
      events.push(
        ...this.#endTool(call.id, isDenied ? { type: "denied" } : { type: "output", output: output ?? null }),
      );
    }
    const isAnswer = this.#options.textNodes?.includes(node) && typeof output === "string" && output !== "";
    const name = `${path}:${visit}`;
    if (isAnswer && !this.#shown.has(name)) events.push(...this.#whole(name, name, output));
    return events;
  }

  #failed(path: string, event: Extract<TraceEvent, { type: "node-failed" }>): ChatEvent[] {
    const call = this.#decidedCall(path, event.visit);
    const events = this.#abandonTools((tool) => pathOf(tool) === path, event);
    return call === undefined ? events : [...events, ...this.#endTool(call.id, failedResult(event))];
  }

  #forget(path: string, visit: number): void {
    const call = this.#decidedCall(path, visit);
    if (call !== undefined) this.#openEarlierCalls.delete(call.id);
  }

  /** Finds the part that an earlier run of an `approve` or `tool` node showed. */
  #decidedCall(path: string, visit: number): { id: string; known: KnownCall } | undefined {
    const start = `${path}:${visit}:`;
    for (const [id, known] of this.#openEarlierCalls)
      if (id.startsWith(start) && /^\d+$/.test(id.slice(start.length))) return { id, known };
    return undefined;
  }

  #pending(approval: Approval): ChatEvent[] {
    const { call, node, scope, input, tool } = approval;
    const isTool = tool !== undefined && call.endsWith(APPROVAL);
    const id = isTool ? call.slice(0, -APPROVAL.length) : call;
    const events: ChatEvent[] = [];
    const where = { node, ...(scope && { scope }) };
    if (isTool && !this.#shownCalls.has(id))
      events.push(...this.#startTool({ id, ...where }, tool, (input as { arguments?: unknown }).arguments ?? {}));
    if (!this.#approvals.has(call)) events.push(...this.#approval(id, approval));
    const path = pathOf(where);
    const name = visitOf(path, call);
    const visit = Number(name.slice(path.length + 1));
    events.push({ type: "node", id: name, status: { ...where, visit, status: "waiting" } });
    return events;
  }

  #abandon(scope: string): ChatEvent[] {
    const isInside = (where: NodeLocation) => where.scope === scope || where.scope?.startsWith(`${scope}/`) === true;
    const replies = [...this.#replies.values()].filter(isInside);
    return [...replies.flatMap((reply) => this.#endReply(reply)), ...this.#abandonTools(isInside)];
  }

  #abandonTools(isAbandoned: (tool: OpenTool) => boolean, failure: ChatFailure = ABANDONED): ChatEvent[] {
    const { code, message } = failure;
    return [...this.#tools.values()]
      .filter(isAbandoned)
      .flatMap(({ id }) => this.#endTool(id, { type: "error", code, message }));
  }

  #closeTools(outcome: Outcome): ChatEvent[] {
    const { code, message } = outcome.type === "failed" ? outcome : ABANDONED;
    return [...this.#shownCalls]
      .filter(([, { open }]) => open)
      .flatMap(([id]) => this.#endTool(id, { type: "error", code, message }));
  }

  #showsText(node: string): boolean {
    return this.#options.textNodes?.includes(node) ?? true;
  }
}

const ABANDONED = { code: "tool/abandoned", message: "the run needs no answer to this call any more" };

function failedResult({ code, message }: { code: string; message: string }): ToolResult {
  return code === "tool/refused" ? { type: "denied" } : { type: "error", code, message };
}

/** `fan:1/a/find`. */
function pathOf({ node, scope = "" }: NodeLocation): string {
  return scope === "" ? node : `${scope}/${node}`;
}

/** The call's visit: `fan:1/a/find:1`. */
function visitOf(path: string, call: string): string {
  return `${path}:${call.slice(path.length + 1).split(":")[0]}`;
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}
