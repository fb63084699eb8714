/**
 * From events of a run and lines of its cassette to what the page is told.
 *
 * Decides how much of a value is told, and where in the plan something happened. Times count from the beginning of the
 * run. What was asked and answered is in the cassette's lines, what nodes and edges did in the events.
 */
import type { TraceEvent, Verdict } from "stepgraph/web";
import { brief } from "./truncate.js";
import { callName, type NodePaths } from "./node-paths.js";
import type { TruncatedValue, RunnerEvent, ConditionResult } from "./protocol.js";

/** How much is told of all values together; after that of each only its beginning. */
const TOLD = 16_000_000;
const LITTLE = 80;
const SEEN = 300;

/** A line of a cassette, as far as it is looked at here. */
export interface CassetteLine {
  type: string;
  call?: string;
  kind?: string;
  tool?: string;
  arguments?: unknown;
  input?: unknown;
  request?: unknown;
  output?: unknown;
  reply?: unknown;
  decision?: unknown;
  code?: string;
  message?: string;
  atMs?: number;
}

export class EventEncoder {
  readonly #places: NodePaths;
  #from: number | null = null;
  #at = 0;
  #told = 0;

  constructor(places: NodePaths) {
    this.#places = places;
  }

  /** An event, or nothing for one that a line tells better. */
  event(event: TraceEvent): RunnerEvent | null {
    const at = this.#time(event.atMs);
    switch (event.type) {
      case "run-started":
        return { type: "run-started", at, value: this.#brief(event.input) };
      case "run-resumed":
        return { type: "run-started", at, value: { text: "null" } };
      case "run-ended":
        return { type: "run-ended", at, outcome: event.outcome.type, ...this.#failure(event.outcome) };
      case "scope-started":
        return {
          type: "scope-started",
          at,
          ...this.#owner(event.scope, event.node),
          lane: event.scope,
          value: this.#brief(event.input),
        };
      case "scope-ended":
        return { type: "scope-ended", at, lane: event.scope, status: event.status };
      case "model-asked":
      case "model-replied":
      case "tool-asked":
      case "tool-answered":
        return null;
      default:
        return this.#ofNode(event, at);
    }
  }

  #ofNode(
    event: Exclude<
      TraceEvent,
      {
        type:
          | "run-started"
          | "run-resumed"
          | "run-ended"
          | "scope-started"
          | "scope-ended"
          | "model-asked"
          | "model-replied"
          | "tool-asked"
          | "tool-answered";
      }
    >,
    at: number,
  ): RunnerEvent {
    const lane = event.scope ?? "";
    const where = { at, place: this.#places.node(lane, event.node), lane };
    switch (event.type) {
      case "node-started":
        return { type: event.type, ...where, visit: event.visit, value: this.#brief(event.input) };
      case "node-completed":
        return {
          type: event.type,
          ...where,
          visit: event.visit,
          value: this.#brief(event.output),
          ms: event.durationMs,
        };
      case "node-failed":
        return {
          type: event.type,
          ...where,
          visit: event.visit,
          code: event.code,
          message: event.message,
          ms: event.durationMs,
        };
      case "node-retried":
        return {
          type: event.type,
          ...where,
          visit: event.visit,
          attempt: event.attempt,
          code: event.code,
          message: event.message,
          delay: event.delayMs,
        };
      case "logged":
        return { type: event.type, ...where, value: this.#brief(event.value) };
      default: {
        const to = event.to === null ? null : this.#places.node(lane, event.to);
        return {
          type: event.type,
          ...where,
          scope: this.#places.scope(lane),
          edge: event.edge,
          to,
          reason: event.reason,
          verdicts: event.verdicts.map((one) => this.#seen(one)),
        };
      }
    }
  }

  #seen({ edge, condition, holds, saw }: Verdict): ConditionResult {
    return {
      edge,
      condition,
      holds,
      saw: saw.map((one) => ({
        reference: one.reference,
        ...(one.missing ? { missing: true } : { value: this.#brief(one.value, SEEN) }),
      })),
    };
  }

  /** What a line tells that no event does: who was asked, and what came back. */
  line(line: CassetteLine): RunnerEvent | null {
    const at = line.atMs === undefined ? this.#at : this.#time(line.atMs);
    const call = line.call ?? "";
    switch (line.type) {
      case "asked":
        return this.#asked(line, call, at);
      case "done":
        return { type: "answered", at, call, value: this.#brief(line.output) };
      case "decided":
        return { type: "answered", at, call, value: this.#brief(line.decision) };
      case "replied":
        return { type: "answered", at, call, value: this.#brief(textOf(line.reply)), ...usageOf(line.reply) };
      case "failed":
        return { type: "answered", at, call, code: line.code ?? "", message: line.message ?? "" };
      default:
        return null;
    }
  }

  #asked(line: CassetteLine, call: string, at: number): RunnerEvent | null {
    const name = callName(call);
    if (name === null) return null;
    const { lane, node, visit, attempt, part } = name;
    const asked = line.kind === "tool" ? line.arguments : line.kind === "model" ? line.request : line.input;
    const tool = line.tool === undefined ? {} : { tool: line.tool };
    return {
      type: "asked",
      at,
      call,
      kind: line.kind ?? "handler",
      ...tool,
      place: this.#places.node(lane, node),
      lane,
      visit,
      attempt,
      part,
      value: this.#brief(asked),
    };
  }

  /** Who runs a graph: its node runs in the graph around, whose name is that of the new one without its last parts. */
  #owner(scope: string, id: string): { place: string; around: string } {
    const parts = scope.split("/");
    const last = parts.findLastIndex((part) => /:\d+$/.test(part));
    const around = parts.slice(0, Math.max(last, 0)).join("/");
    return { place: this.#places.node(around, id), around };
  }

  #failure(outcome: object): { code?: string; message?: string; place?: string } {
    const { code, message, node, scope } = outcome as {
      code?: string;
      message?: string;
      node?: string;
      scope?: string;
    };
    if (code === undefined) return {};
    return { code, message: message ?? "", ...(node !== undefined && { place: this.#places.node(scope ?? "", node) }) };
  }

  #time(atMs: number): number {
    this.#from ??= atMs;
    this.#at = Math.round((atMs - this.#from) * 1000) / 1000;
    return this.#at;
  }

  #brief(value: unknown, limit?: number): TruncatedValue {
    const told = brief(value, this.#told < TOLD ? limit : LITTLE);
    this.#told += told.text.length;
    return told;
  }
}

function textOf(reply: unknown): unknown {
  const { text, tool_calls: calls } = Object(reply) as { text?: unknown; tool_calls?: unknown };
  return calls === undefined ? (text ?? reply) : reply;
}

function usageOf(reply: unknown): { usage?: { input: number; output: number; cached: number } } {
  const { usage } = Object(reply) as { usage?: { input?: number; output?: number; cached_input?: number } | null };
  if (usage === undefined || usage === null) return {};
  return { usage: { input: usage.input ?? 0, output: usage.output ?? 0, cached: usage.cached_input ?? 0 } };
}
