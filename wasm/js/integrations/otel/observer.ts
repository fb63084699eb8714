/**
 * Builds a run's tree of spans: run, nodes, attempts, nested graphs and calls.
 *
 * Invariants: a span is exported when it ends, and only open ones are in memory. The run's end ends all spans. Times
 * are the run's own.
 */
import type { Outcome, Report, TraceEvent } from "stepgraph";
import { AgentCallSpans } from "./agent-call-spans.js";
import { edgeAttributes } from "./edge-attributes.js";
import type { NodeInfo, PlanInfo } from "./plan-info.js";
import type { Content } from "./genai.js";
import type { SpanContext } from "./span-context.js";
import { type SpanStart, INTERNAL, type SpanBackend, type Span } from "./span.js";
import type { Attributes } from "./types.js";
import {
  closeNode,
  type Failure,
  abandonCalls,
  type OpenCall,
  type OpenNode,
  type OpenScope,
  settleNode,
} from "./open-spans.js";
import { unescapeId } from "../../scope-names.js";
import { CALL_NAME } from "./call-names.js";

export interface ObserverSettings {
  backend: SpanBackend;
  plan: PlanInfo;
  content: Content;
  parent: SpanContext | undefined;
  links: readonly SpanContext[];
  attributes: Attributes;
}

const AGENTS = new Set(["agent", "react"]);

export class RunObserver {
  readonly #settings: ObserverSettings;
  readonly #scopes = new Map<string, OpenScope>();
  readonly #agentCalls: AgentCallSpans;
  #root: OpenScope | undefined;
  /** Added to events' times. */
  shiftMs = 0;
  #firstMs = 0;
  #lastMs = 0;
  #resumed = false;
  #outcome: Outcome | undefined;
  #isOver = false;

  constructor(settings: ObserverSettings) {
    this.#settings = settings;
    this.#agentCalls = new AgentCallSpans(settings.content, (call, ms, how) => this.call(call, ms, how));
  }

  run(ms: number): Span {
    return this.#rootAt(ms).span;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  get firstMs(): number {
    return this.#firstMs;
  }

  get lastMs(): number {
    return this.#lastMs;
  }

  event(event: TraceEvent): void {
    if (this.#isOver) return;
    const ms = event.atMs + this.shiftMs;
    this.#lastMs = ms;
    const root = this.#rootAt(ms);
    switch (event.type) {
      case "run-started":
        return root.span.set(this.#settings.content.of(() => ({ "stepgraph.input": event.input })));
      case "run-resumed":
        this.#resumed = true;
        return root.span.set({ "stepgraph.run.resumed": true });
      case "run-ended":
        this.#outcome = event.outcome;
        return;
      case "scope-started":
        return this.#scope(event.scope, ms)?.span.set(
          this.#settings.content.of(() => ({ "stepgraph.input": event.input })),
        );
      case "scope-ended":
        return this.#endScope(event.scope, event.status, ms);
    }
    const scope = this.#scope(event.scope ?? "", ms);
    if (scope === undefined) return;
    if (event.type === "edge-decided") return this.#edgeDecided(scope, event, ms);
    settleNode(scope);
    this.#nodeEvent(scope, event, ms);
  }

  #nodeEvent(scope: OpenScope, event: Extract<TraceEvent, { node: string }>, ms: number): void {
    const { content } = this.#settings;
    switch (event.type) {
      case "node-started":
        scope.node = this.#startNode(
          scope,
          { id: event.node, visit: event.visit, path: event.scope ?? "" },
          content.of(() => ({ "stepgraph.input": event.input })),
          ms,
        );
        return;
      case "node-completed":
      case "node-failed":
        return this.#endNode(scope, event, ms);
      case "node-retried":
        return this.#retried(this.#nodeAt(scope, event.node, event.visit, event.scope ?? "", ms), event, ms);
      case "logged":
        return (scope.node?.span ?? scope.span).event(
          "logged",
          ms,
          content.of(() => ({ "stepgraph.value": event.value })),
        );
      case "model-asked":
      case "model-replied":
      case "tool-asked":
      case "tool-answered":
        return this.#agentCalls.event(event, ms);
    }
  }

  call(call: string, ms: number, how: Pick<SpanStart, "name" | "kind" | "attributes">): OpenCall {
    this.#agentCalls.callStarted(call);
    const { node, span: parent } = this.parentOf(call, ms);
    const span = this.#settings.backend.start({
      ...how,
      startMs: ms,
      parent,
      attributes: { ...how.attributes, "stepgraph.call": call },
    });
    let over = false;
    const end = (ms: number, attributes: Attributes): void => {
      if (over) return;
      over = true;
      node?.calls.delete(open);
      span.set(attributes);
      span.end(ms);
    };
    const open: OpenCall = {
      span,
      done: (ms, attributes = {}) => end(ms, attributes),
      failed: (ms, failure, attributes = {}) => {
        if (!over) this.fail(span, failure, ms);
        end(ms, attributes);
      },
    };
    node?.calls.add(open);
    return open;
  }

  /** Falls back to the next open span above. */
  parentOf(call: string, ms: number): { node: OpenNode | undefined; span: Span } {
    const root = this.#rootAt(ms);
    const [, scopePath = "", name = "", visit, attempt] = CALL_NAME.exec(call) ?? [];
    const scope = this.#scope(scopePath, ms) ?? root;
    const id = unescapeId(name);
    const known = scope.node?.id === id && scope.node.visit === Number(visit) ? scope.node : undefined;
    // A resumed run has no event for the start of its node.
    const node =
      known ??
      (this.#resumed && scope.graph?.has(id) ? this.#nodeAt(scope, id, Number(visit), scopePath, ms) : undefined);
    if (node === undefined) return { node, span: scope.span };
    return { node, span: this.#attempt(node, Number(attempt), ms) ?? node.span };
  }

  addEvent(name: string, ms: number, attributes: Attributes): void {
    this.#rootAt(ms).span.event(name, ms, attributes);
  }

  fail(span: Span, { code, message }: Failure, ms: number): void {
    const text = this.#settings.content.failureMessage(message);
    span.set({ "error.type": code });
    span.event("exception", ms, { "exception.type": code, "exception.message": text });
    span.fail(text);
  }

  end(ms: number, outcome: Outcome | undefined = this.#outcome, report?: Report): void {
    if (this.#isOver) return;
    const root = this.#rootAt(ms);
    this.#agentCalls.close(ms);
    for (const path of [...this.#scopes.keys()].sort((a, b) => b.length - a.length))
      this.#endScope(path, undefined, ms);
    closeNode(root, ms);
    root.span.set({
      "stepgraph.run.outcome": outcome?.type,
      ...(outcome?.type === "completed" && { "stepgraph.run.reason": outcome.reason }),
      ...(report && {
        "stepgraph.run.steps": report.counts.steps,
        "stepgraph.run.calls": report.counts.calls,
        "stepgraph.run.retries": report.counts.retries,
        "stepgraph.run.tokens": report.counts.tokens,
        "stepgraph.run.usd": report.counts.usd,
        "stepgraph.run.unreported_calls": report.counts.unreported?.calls,
      }),
      ...(report &&
        outcome?.type === "completed" &&
        this.#settings.content.of(() => ({ "stepgraph.output": report.last }))),
    });
    if (outcome?.type === "failed") this.fail(root.span, outcome, ms);
    if (outcome?.type === "paused")
      root.span.event("paused", ms, { "stepgraph.approvals": outcome.approvals.map(({ call }) => call) });
    root.span.end(ms);
    this.#isOver = true;
    this.#settings.backend.exportSoon();
  }

  #rootAt(ms: number): OpenScope {
    if (this.#root !== undefined) return this.#root;
    const { backend, plan, parent, links, attributes } = this.#settings;
    const span = backend.start({
      name: plan.id === undefined ? "invoke_workflow" : `invoke_workflow ${plan.id}`,
      kind: INTERNAL,
      startMs: ms,
      parent,
      links,
      attributes: {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": plan.id,
        "stepgraph.plan.hash": plan.hash,
        ...attributes,
      },
    });
    this.#firstMs = this.#lastMs = ms;
    return (this.#root = { span, graph: plan.graph, node: undefined, ended: undefined });
  }

  /** If the event is missing, the scope and those around it start now. */
  #scope(path: string, ms: number): OpenScope | undefined {
    const root = this.#rootAt(ms);
    if (path === "") return root;
    const known = this.#scopes.get(path);
    if (known !== undefined) return known;
    const parts = path.split("/");
    let [scope, walked] = [root, ""];
    for (let at = 0; at < parts.length; ) {
      const [, name = "", visit = ""] = /^(.*):(\d+)$/.exec(parts[at]!) ?? [];
      const info = scope.graph?.get(unescapeId(name));
      if (info === undefined) return undefined;
      const node = this.#nodeAt(scope, unescapeId(name), Number(visit), walked, ms);
      // A node's graph adds a path segment. Branches and elements add another.
      const single = info.branches === undefined && info.type === "graph";
      const part = single ? undefined : parts[at + 1];
      at += single ? 1 : 2;
      walked = parts.slice(0, at).join("/");
      scope = this.#scopes.get(walked) ?? this.#startScope(walked, node, info, part, ms);
    }
    return scope;
  }

  #startScope(
    path: string,
    { span: parent }: OpenNode,
    info: NodeInfo,
    part: string | undefined,
    ms: number,
  ): OpenScope {
    const branch = part === undefined ? undefined : unescapeId(part);
    const isBranch = branch !== undefined && info.branches !== undefined;
    const name = branch === undefined ? "graph" : isBranch ? `branch ${branch}` : "element";
    const attributes = {
      "stepgraph.scope": path,
      ...(branch !== undefined && !isBranch && { "stepgraph.index": Number(branch) }),
    };
    const span = this.#settings.backend.start({ name, kind: INTERNAL, startMs: ms, parent, attributes });
    const scope: OpenScope = {
      span,
      graph: isBranch ? info.branches![branch] : info.inner,
      node: undefined,
      ended: undefined,
    };
    this.#scopes.set(path, scope);
    return scope;
  }

  #endScope(path: string, status: "completed" | "failed" | "abandoned" | undefined, ms: number): void {
    const scope = this.#scopes.get(path);
    if (scope === undefined) return;
    this.#scopes.delete(path);
    closeNode(scope, ms);
    scope.span.set({ "stepgraph.status": status ?? "abandoned" });
    scope.span.end(ms);
  }

  #nodeAt(scope: OpenScope, id: string, visit: number, path: string, ms: number): OpenNode {
    if (scope.node?.id === id && scope.node.visit === visit) return scope.node;
    return (scope.node = this.#startNode(scope, { id, visit, path }, { "stepgraph.node.resumed": true }, ms));
  }

  #startNode(
    scope: OpenScope,
    { id, visit, path }: { id: string; visit: number; path: string },
    attributes: Attributes,
    ms: number,
  ): OpenNode {
    closeNode(scope, ms);
    const info = scope.graph?.get(id);
    const type = info?.type ?? "node";
    const isAgent = AGENTS.has(type);
    const span = this.#settings.backend.start({
      name: isAgent ? `invoke_agent ${id}` : `${type} ${id}`,
      kind: INTERNAL,
      startMs: ms,
      parent: scope.span,
      attributes: {
        "stepgraph.node.id": id,
        "stepgraph.node.type": type,
        "stepgraph.node.visit": visit,
        "stepgraph.node.tool": info?.tool,
        "stepgraph.scope": path === "" ? undefined : path,
        ...(isAgent && { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": id }),
        ...attributes,
      },
    });
    return { id, visit, span, info, calls: new Set(), attempt: undefined, number: 0, dueMs: ms };
  }

  /** Only nodes with `retry` have them. */
  #attempt(node: OpenNode, number: number, ms: number): Span | undefined {
    if (!node.info?.retried) return undefined;
    if (node.number !== number || node.attempt === undefined) {
      node.attempt?.end(ms);
      node.attempt = this.#settings.backend.start({
        name: "attempt",
        kind: INTERNAL,
        startMs: ms,
        parent: node.span,
        attributes: { "stepgraph.attempt": number },
      });
      node.number = number;
    }
    return node.attempt;
  }

  #retried(
    node: OpenNode,
    { attempt, code, message, delayMs }: Extract<TraceEvent, { type: "node-retried" }>,
    ms: number,
  ): void {
    abandonCalls(node, ms);
    const span = this.#attempt(node, attempt, Math.min(node.dueMs, ms));
    if (span) this.fail(span, { code, message }, ms);
    span?.set({ "stepgraph.retry.delay_ms": delayMs });
    span?.end(ms);
    node.attempt = undefined;
    node.dueMs = ms + delayMs;
  }

  #endNode(scope: OpenScope, event: Extract<TraceEvent, { type: "node-completed" | "node-failed" }>, ms: number): void {
    const node = this.#nodeAt(scope, event.node, event.visit, event.scope ?? "", ms);
    this.#agentCalls.nodeEnded(event, ms);
    abandonCalls(node, ms);
    // An attempt without a call, such as a stub's, shows only at its end.
    if (node.info?.retried && node.attempt === undefined)
      this.#attempt(node, node.number + 1, Math.min(node.dueMs, ms));
    const spans = node.attempt ? [node.attempt, node.span] : [node.span];
    if (event.type === "node-failed") for (const span of spans) this.fail(span, event, ms);
    else node.span.set(this.#settings.content.of(() => ({ "stepgraph.output": event.output })));
    node.attempt?.end(ms);
    scope.node = undefined;
    scope.ended = { id: node.id, span: node.span, ms };
  }

  #edgeDecided(scope: OpenScope, event: Extract<TraceEvent, { type: "edge-decided" }>, ms: number): void {
    const span = scope.ended?.id === event.from ? scope.ended.span : scope.span;
    span.event("edge-decided", ms, edgeAttributes(event, this.#settings.content));
    settleNode(scope);
  }
}
