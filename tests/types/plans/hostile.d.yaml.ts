// Written by `stepgraph types`. Change the plan instead, and write it again.
import type { PlanGraph } from "stepgraph";

/** The input of a run. */
export type Input = {
  /** a *\/ export const x = 1; /* \@ts-ignore */
  city: string;
  "quo\"te\n": "a\"b" | "\u202e" | null | 1;
  "__proto__": {
    a: number;
    b: unknown;
    [name: string]: unknown;
  };
  days?: number;
  tree: {
    kids?: unknown[];
  };
  pair: [string, (number | boolean)?];
  all: {
    a: string;
  } & {
    b?: number;
  };
  odd: unknown;
};

/** The outputs by node id. Only nodes that a run visited have one. */
export type Outputs = {
  a?: {
    ok: boolean;
  };
  "q\"*/"?: unknown;
  n?: unknown;
  l?: {
    x: unknown;
    y: string;
    z: (number | string)[];
  };
  ask?: unknown;
  [name: string]: unknown;
};

/** The node types that need a handler, each with its nodes. */
export type Handlers = {
  price: "q\"*/";
};

/** The models that the plan names. */
export type Models = "default";

/** The tools that the plan may call. */
export type Tools = never;

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
