// Written by `stepgraph types`. Change the plan instead, and write it again.
import type { PlanGraph } from "stepgraph";

/** The input of a run. */
export type Input = {
  name?: string;
};

/** The outputs by node id. Only nodes that a run visited have one. */
export type Outputs = {
  greet?: string;
  [name: string]: unknown;
};

/** The node types that need a handler, each with its nodes. */
export type Handlers = Record<never, never>;

/** The models that the plan names. */
export type Models = never;

/** The tools that the plan may call. */
export type Tools = never;

/** The nodes that ask for approval. */
export type Approvals = never;

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
