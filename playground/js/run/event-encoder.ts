/**
 * Encodes trace events and cassette lines for the page: truncates values and resolves node paths.
 *
 * Times are relative to the start of the run. Calls come from cassette lines, nodes and edges from trace events.
 */
import type { TraceEvent, Verdict } from "stepgraph/web";
import { truncate } from "./truncate.js";
import { parseCallName, type NodePaths } from "./node-paths.js";
import type { TruncatedValue, RunnerEvent, ConditionResult } from "./protocol.js";

/** Beyond this total, values are truncated to `SHORT_LENGTH`. */
const MAX_TOTAL_LENGTH = 16_000_000;
const SHORT_LENGTH = 80;
const MAX_COMPARED_LENGTH = 300;

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
  readonly #paths: NodePaths;
  #startMs: number | null = null;
  #at = 0;
  #sentLength = 0;

  constructor(paths: NodePaths) {
    this.#paths = paths;
  }

  /** Null if a cassette line has more details. */
  encodeEvent(encodeEvent: TraceEvent): RunnerEvent | null {
    const at = this.#time(encodeEvent.atMs);
    switch (encodeEvent.type) {
      case "run-started":
        return { type: "run-started", at, value: this.#truncate(encodeEvent.input) };
      case "run-resumed":
        return { type: "run-started", at, value: { text: "null" } };
      case "run-ended":
        return { type: "run-ended", at, outcome: encodeEvent.outcome.type, ...this.#failure(encodeEvent.outcome) };
      case "scope-started":
        return {
          type: "scope-started",
          at,
          ...this.#parentNode(encodeEvent.scope, encodeEvent.node),
          lane: encodeEvent.scope,
          value: this.#truncate(encodeEvent.input),
        };
      case "scope-ended":
        return { type: "scope-ended", at, lane: encodeEvent.scope, status: encodeEvent.status };
      case "model-asked":
      case "model-replied":
      case "tool-asked":
      case "tool-answered":
        return null;
      default:
        return this.#nodeEvent(encodeEvent, at);
    }
  }

  #nodeEvent(
    encodeEvent: Exclude<
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
    const lane = encodeEvent.scope ?? "";
    const where = { at, place: this.#paths.nodePath(lane, encodeEvent.node), lane };
    switch (encodeEvent.type) {
      case "node-started":
        return { type: encodeEvent.type, ...where, visit: encodeEvent.visit, value: this.#truncate(encodeEvent.input) };
      case "node-completed":
        return {
          type: encodeEvent.type,
          ...where,
          visit: encodeEvent.visit,
          value: this.#truncate(encodeEvent.output),
          ms: encodeEvent.durationMs,
        };
      case "node-failed":
        return {
          type: encodeEvent.type,
          ...where,
          visit: encodeEvent.visit,
          code: encodeEvent.code,
          message: encodeEvent.message,
          ms: encodeEvent.durationMs,
        };
      case "node-retried":
        return {
          type: encodeEvent.type,
          ...where,
          visit: encodeEvent.visit,
          attempt: encodeEvent.attempt,
          code: encodeEvent.code,
          message: encodeEvent.message,
          delay: encodeEvent.delayMs,
        };
      case "logged":
        return { type: encodeEvent.type, ...where, value: this.#truncate(encodeEvent.value) };
      default: {
        const to = encodeEvent.to === null ? null : this.#paths.nodePath(lane, encodeEvent.to);
        return {
          type: encodeEvent.type,
          ...where,
          scope: this.#paths.planScope(lane),
          edge: encodeEvent.edge,
          to,
          reason: encodeEvent.reason,
          verdicts: encodeEvent.verdicts.map((one) => this.#conditionResult(one)),
        };
      }
    }
  }

  #conditionResult({ edge, condition, holds, saw }: Verdict): ConditionResult {
    return {
      edge,
      condition,
      holds,
      saw: saw.map((one) => ({
        reference: one.reference,
        ...(one.missing ? { missing: true } : { value: this.#truncate(one.value, MAX_COMPARED_LENGTH) }),
      })),
    };
  }

  /** Null if the line is no call or result. */
  encodeLine(encodeLine: CassetteLine): RunnerEvent | null {
    const at = encodeLine.atMs === undefined ? this.#at : this.#time(encodeLine.atMs);
    const call = encodeLine.call ?? "";
    switch (encodeLine.type) {
      case "asked":
        return this.#callRequested(encodeLine, call, at);
      case "done":
        return { type: "answered", at, call, value: this.#truncate(encodeLine.output) };
      case "decided":
        return { type: "answered", at, call, value: this.#truncate(encodeLine.decision) };
      case "replied":
        return {
          type: "answered",
          at,
          call,
          value: this.#truncate(textOf(encodeLine.reply)),
          ...usageOf(encodeLine.reply),
        };
      case "failed":
        return { type: "answered", at, call, code: encodeLine.code ?? "", message: encodeLine.message ?? "" };
      default:
        return null;
    }
  }

  #callRequested(encodeLine: CassetteLine, call: string, at: number): RunnerEvent | null {
    const name = parseCallName(call);
    if (name === null) return null;
    const { lane, node, visit, attempt, part } = name;
    const payload =
      encodeLine.kind === "tool"
        ? encodeLine.arguments
        : encodeLine.kind === "model"
          ? encodeLine.request
          : encodeLine.input;
    const tool = encodeLine.tool === undefined ? {} : { tool: encodeLine.tool };
    return {
      type: "asked",
      at,
      call,
      kind: encodeLine.kind ?? "handler",
      ...tool,
      place: this.#paths.nodePath(lane, node),
      lane,
      visit,
      attempt,
      part,
      value: this.#truncate(payload),
    };
  }

  /** Returns the node that runs a nested graph, and its lane. */
  #parentNode(scope: string, id: string): { place: string; around: string } {
    const parts = scope.split("/");
    const last = parts.findLastIndex((part) => /:\d+$/.test(part));
    const around = parts.slice(0, Math.max(last, 0)).join("/");
    return { place: this.#paths.nodePath(around, id), around };
  }

  #failure(outcome: object): { code?: string; message?: string; place?: string } {
    const { code, message, node, scope } = outcome as {
      code?: string;
      message?: string;
      node?: string;
      scope?: string;
    };
    if (code === undefined) return {};
    return {
      code,
      message: message ?? "",
      ...(node !== undefined && { place: this.#paths.nodePath(scope ?? "", node) }),
    };
  }

  #time(atMs: number): number {
    this.#startMs ??= atMs;
    this.#at = Math.round((atMs - this.#startMs) * 1000) / 1000;
    return this.#at;
  }

  #truncate(value: unknown, limit?: number): TruncatedValue {
    const truncated = truncate(value, this.#sentLength < MAX_TOTAL_LENGTH ? limit : SHORT_LENGTH);
    this.#sentLength += truncated.text.length;
    return truncated;
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
