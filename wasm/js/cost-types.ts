/** The public types of cost estimates. */
import type { Prices } from "./prices.js";
import type { FunctionTools, Model, ToolLike } from "./types.js";

/**
 * The most that a run may use. `unbounded`: nothing limits the number. `unknown`: a value is missing, such as a price.
 * `why` has the reasons.
 */
export type CostFigure = { most: number } | { most: null; kind: "unbounded" | "unknown"; why: string[] };
/** Options of `estimateCost`. */
export interface CostOptions {
  /** Without prices, all costs are unknown. */
  prices?: Prices;
  /** The models of the run, or their names, such as `{ default: "anthropic:claude-sonnet-4-5" }`. */
  models?: Record<string, Model | string>;
  /** Recorded runs: the cassette of each, as text or lines. */
  runs?: readonly (string | readonly string[])[];
  /** The tools of the run. Without them, a node of an unknown type counts as a tool call. */
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

/** The mean and the maximum of recorded runs, or why they are unknown. */
export type CostStatistic = { mean: number; max: number } | { mean: null; max: null; why: string[] };

/** What recorded runs used. */
export type ExpectedCost = Record<keyof CostBound, CostStatistic>;

/** The cost of one node. */
export interface NodeCost {
  /** The node path, such as `fan/a/ask`. */
  path: string;
  type: string;
  /** The tool of a node that calls just one. */
  tool?: string;
  /** The model as prices name it. */
  model?: string;
  bound: CostBound;
  expected: ExpectedCost | null;
}

/** What a plan may cost. */
export interface CostEstimate {
  /** Nodes that call tools or models, in the order of the plan. */
  nodes: NodeCost[];
  /** Of a whole run. It takes one path, so this may be less than the sum of the nodes. */
  total: { bound: CostBound; expected: ExpectedCost | null };
  /** How many recorded runs count. */
  runs: number;
}
