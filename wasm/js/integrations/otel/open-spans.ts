/** What of a run is under way: graphs, nodes and calls that have a span, and how they end together. */
import type { GraphInfo, NodeInfo } from "./plan-info.js";
import type { Span } from "./span.js";
import type { Attributes } from "./types.js";

/** A node that is at work; a scope has one at most. */
export interface OpenNode {
  readonly id: string;
  readonly visit: number;
  readonly span: Span;
  readonly info: NodeInfo | undefined;
  readonly calls: Set<OpenCall>;
  /** The try under way, when tries have spans, and its number. */
  attempt: Span | undefined;
  number: number;
  /** When the next try begins. */
  dueMs: number;
}

/** A graph that is walked: the plan's own, or one inside a node. */
export interface OpenScope {
  readonly span: Span;
  readonly graph: GraphInfo | undefined;
  node: OpenNode | undefined;
  /** A node that has ended, and of which it is not yet known where the run goes. */
  ended: { id: string; span: Span; ms: number } | undefined;
}

/** Why something failed, as the run has it. */
export interface Failure {
  code: string;
  message: string;
}

/** A call under way. */
export interface OpenCall {
  readonly span: Span;
  /** It gave something. */
  done(ms: number, attributes?: Attributes): void;
  failed(ms: number, failure: Failure, attributes?: Attributes): void;
}

/** Ends a node of which no edge was decided, or has been. */
export function settleNode(scope: OpenScope): void {
  scope.ended?.span.end(scope.ended.ms);
  scope.ended = undefined;
}

/** Ends a node that was still at work. */
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

/** Ends calls that nobody waits for any more. */
export function abandonCalls(node: OpenNode, ms: number): void {
  for (const call of node.calls) call.done(ms, { "stepgraph.status": "abandoned" });
}
