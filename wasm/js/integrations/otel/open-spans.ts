/** A run's open spans, and how they end together. */
import type { GraphInfo, NodeInfo } from "./plan-info.js";
import type { Span } from "./span.js";
import type { Attributes } from "./types.js";

/** Each scope has at most one. */
export interface OpenNode {
  readonly id: string;
  readonly visit: number;
  readonly span: Span;
  readonly info: NodeInfo | undefined;
  readonly calls: Set<OpenCall>;
  /** For nodes with `retry`. */
  attempt: Span | undefined;
  number: number;
  dueMs: number;
}

/** A graph in execution. */
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

export function settleNode(scope: OpenScope): void {
  scope.ended?.span.end(scope.ended.ms);
  scope.ended = undefined;
}

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
