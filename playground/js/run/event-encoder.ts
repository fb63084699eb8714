/**
 * Encodes events: truncates values and resolves node paths.
 *
 * Times are relative to the start. Calls come from cassette lines, nodes and edges from trace events.
 */
import type { TraceEvent, Verdict } from "stepgraph/web";
import { truncate } from "./truncate.js";
import { parseCallName, type NodePaths } from "./node-paths.js";
import type { TruncatedValue, RunnerEvent, ConditionResult } from "./protocol.js";

/** Then values shrink to `SHORT_LENGTH`. */
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

  /** Null if a cassette line says more. */
  encodeEvent(event: TraceEvent): RunnerEvent | null {
    const at = this.#time(event.atMs);
    switch (event.type) {
      case "run-started":
        return { type: "run-started", at, value: this.#truncate(event.input) };
      case "run-resumed":
        return { type: "run-started", at, value: { text: "null" } };
      case "run-ended":
        return { type: "run-ended", at, outcome: event.outcome.type, ...this.#failure(event.outcome) };
      case "scope-started":
        return {
          type: "scope-started",
          at,
          ...this.#parentNode(event.scope, event.node),
          lane: event.scope,
          value: this.#truncate(event.input),
        };
      case "scope-ended":
        return { type: "scope-ended", at, lane: event.scope, status: event.status };
      case "model-asked":
      case "model-replied":
      case "tool-asked":
      case "tool-answered":
        return null;
      default:
        return this.#nodeEvent(event, at);
    }
  }

  #nodeEvent(
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
    const where = { at, nodePath: this.#paths.nodePath(lane, event.node), lane };
    switch (event.type) {
      case "node-started":
        return { type: event.type, ...where, visit: event.visit, value: this.#truncate(event.input) };
      case "node-completed":
        return {
          type: event.type,
          ...where,
          visit: event.visit,
          value: this.#truncate(event.output),
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
        return { type: event.type, ...where, value: this.#truncate(event.value) };
      default: {
        const to = event.to === null ? null : this.#paths.nodePath(lane, event.to);
        return {
          type: event.type,
          ...where,
          scope: this.#paths.planScope(lane),
          edge: event.edge,
          to,
          reason: event.reason,
          verdicts: event.verdicts.map((one) => this.#conditionResult(one)),
        };
      }
    }
  }

  #conditionResult({ edge, condition, holds, failed, saw }: Verdict): ConditionResult {
    return {
      edge,
      condition,
      holds,
      ...(failed && { failed }),
      saw: saw.map((one) => ({
        reference: one.reference,
        ...(one.missing ? { missing: true } : { value: this.#truncate(one.value, MAX_COMPARED_LENGTH) }),
      })),
    };
  }

  /** Null unless it is a call or result. */
  encodeLine(line: CassetteLine): RunnerEvent | null {
    const at = line.atMs === undefined ? this.#at : this.#time(line.atMs);
    const call = line.call ?? "";
    switch (line.type) {
      case "asked":
        return this.#callRequested(line, call, at);
      case "done":
        return { type: "call-answered", at, call, value: this.#truncate(line.output) };
      case "decided":
        return { type: "call-answered", at, call, value: this.#truncate(line.decision) };
      case "replied":
        return {
          type: "call-answered",
          at,
          call,
          value: this.#truncate(textOf(line.reply)),
          ...usageOf(line.reply),
        };
      case "failed":
        return { type: "call-answered", at, call, code: line.code ?? "", message: line.message ?? "" };
      default:
        return null;
    }
  }

  #callRequested(line: CassetteLine, call: string, at: number): RunnerEvent | null {
    const name = parseCallName(call);
    if (name === null) return null;
    const { lane, node, visit, attempt, part } = name;
    const payload = line.kind === "tool" ? line.arguments : line.kind === "model" ? line.request : line.input;
    const tool = line.tool === undefined ? {} : { tool: line.tool };
    return {
      type: "call-started",
      at,
      call,
      kind: line.kind ?? "handler",
      ...tool,
      nodePath: this.#paths.nodePath(lane, node),
      lane,
      visit,
      attempt,
      part,
      value: this.#truncate(payload),
    };
  }

  /** The node of a nested graph, and its lane. */
  #parentNode(scope: string, id: string): { nodePath: string; parentLane: string } {
    const parts = scope.split("/");
    const last = parts.findLastIndex((part) => /:\d+$/.test(part));
    const parentLane = parts.slice(0, Math.max(last, 0)).join("/");
    return { nodePath: this.#paths.nodePath(parentLane, id), parentLane };
  }

  #failure(outcome: object): { code?: string; message?: string; nodePath?: string } {
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
      ...(node !== undefined && { nodePath: this.#paths.nodePath(scope ?? "", node) }),
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

interface ReplyUsage {
  input?: number;
  output?: number;
  cached_input?: number;
  micro_usd?: number;
}

function usageOf(reply: unknown): Pick<Extract<RunnerEvent, { type: "call-answered" }>, "usage"> {
  const { usage } = Object(reply) as { usage?: ReplyUsage | null };
  if (usage === undefined || usage === null) return {};
  const { input = 0, output = 0, cached_input: cached = 0, micro_usd: microUsd } = usage;
  return { usage: { input, output, cached, ...(microUsd !== undefined && { microUsd }) } };
}
