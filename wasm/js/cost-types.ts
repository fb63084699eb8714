/** Types of cost estimates. */
import type { Prices } from "./prices.js";
import type { FunctionTools, Model, ToolLike } from "./types.js";

/** A maximum. `unbounded`: nothing limits it. `unknown`: a value such as a price is missing. */
export type CostFigure = { most: number } | { most: null; kind: "unbounded" | "unknown"; why: string[] };
/** Options of `estimateCost`. */
export interface CostOptions {
  /** If they are missing, all costs are unknown. */
  prices?: Prices;
  /** Models or their names: `{ default: "anthropic:claude-sonnet-4-5" }`. */
  models?: Record<string, Model | string>;
  /** Cassettes of recorded runs, as text or lines. */
  runs?: readonly (string | readonly string[])[];
  /** If they are missing, a node of unknown type counts as a tool call. */
  tools?: readonly ToolLike[] | FunctionTools | null;
}

/** The most that a run may use. */
export interface CostBound {
  toolCalls: CostFigure;
  modelTurns: CostFigure;
  inputTokens: CostFigure;
  outputTokens: CostFigure;
  usd: CostFigure;
}

/** Recorded use, or why it is unknown. */
export type CostStatistic = { mean: number; max: number } | { mean: null; max: null; why: string[] };

/** Usage of recorded runs. */
export type ExpectedCost = Record<keyof CostBound, CostStatistic>;

/** The cost of one node. */
export interface NodeCost {
  /** The node path, such as `fan/a/ask`. */
  path: string;
  type: string;
  /** Present if the node calls one tool only. */
  tool?: string;
  /** The model as prices name it. */
  model?: string;
  bound: CostBound;
  expected: ExpectedCost | null;
}

/** The possible cost of a plan. */
export interface CostEstimate {
  /** Nodes that call tools or models, in plan order. */
  nodes: NodeCost[];
  /** A run takes one path, so this may be less than the nodes' sum. */
  total: { bound: CostBound; expected: ExpectedCost | null };
  /** Number of runs that count. */
  runs: number;
}
