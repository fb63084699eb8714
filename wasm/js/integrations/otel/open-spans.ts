/** Open spans of a run: its graphs, nodes and calls, and how they end together. */
import type { GraphInfo, NodeInfo } from "./plan-info.js";
import type { Span } from "./span.js";
import type { Attributes } from "./types.js";

/** A current node. Each scope has at most one. */
export interface OpenNode {
  readonly id: string;
  readonly visit: number;
  readonly span: Span;
  readonly info: NodeInfo | undefined;
  readonly calls: Set<OpenCall>;
  /** Span and number of the current attempt, for nodes with `retry`. */
  attempt: Span | undefined;
  number: number;
  /** Start of the next attempt. */
  dueMs: number;
}

/** A graph in execution: the plan's own or a nested one. */
export interface OpenScope {
  readonly span: Span;
  readonly graph: GraphInfo | undefined;
  node: OpenNode | undefined;
  /** An ended node whose next edge is unknown. */
  ended: { id: string; span: Span; ms: number } | undefined;
}

export interface Failure {
  code: string;
  message: string;
}

export interface OpenCall {
  readonly span: Span;
  done(ms: number, attributes?: Attributes): void;
  failed(ms: number, failure: Failure, attributes?: Attributes): void;
}

/** Ends the span of an ended node. */
export function settleNode(scope: OpenScope): void {
  scope.ended?.span.end(scope.ended.ms);
  scope.ended = undefined;
}

/** Ends a node that is still running. */
export function closeNode(scope: OpenScope, ms: number): void {
  settleNode(scope);
  const { node } = scope;
  if (node === undefined) return;
  scope.node = undefined;
  abandonCalls(node, ms);
  node.attempt?.end(ms);
  node.span.set({ "stepgraph.status": "abandoned" });
  node.span.end(ms);
}

export function abandonCalls(node: OpenNode, ms: number): void {
  for (const call of node.calls) call.done(ms, { "stepgraph.status": "abandoned" });
}
