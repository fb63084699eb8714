// Written by `stepgraph types`. Change the plan instead, and write it again.
import type { PlanGraph } from "stepgraph";

/** The input of a run. */
export type Input = {
  /** The name of the article. */
  item: string;
  count?: number;
};

/** The outputs by node id. Only nodes that a run visited have one. */
export type Outputs = {
  price?: unknown;
  stock?: {
    left: number;
  };
  rate?: {
    stars: 1 | 2 | 3;
  };
  word?: string;
  ask?: unknown;
  buy?: unknown;
  [name: string]: unknown;
};

/** The node types that need a handler, each with its nodes. */
export type Handlers = {
  price: "price";
  order: "buy";
};

/** The models that the plan names. */
export type Models = "fast" | "default";

/** The tools that the plan may call. */
export type Tools = "find_stock";

/** The nodes that ask for approval. */
export type Approvals = "ask";

/** The types of the plan, for `PlanGraph<Types>`. */
export type Types = {
  input: Input;
  outputs: Outputs;
  handlers: Handlers;
  models: Models;
  tools: Tools;
  approvals: Approvals;
};

declare const plan: PlanGraph<Types>;
export default plan;
