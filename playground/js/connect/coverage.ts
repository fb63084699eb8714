/**
 * Maps each demand of a request to the nodes that meet it.
 *
 * The demands come from the request itself, because a planner may forget one in its own list of requirements. A node
 * names the requirements that it serves in `metadata.step`, by number.
 *
 * Invariant: a demand for an approval is met only by a node that asks a person.
 */
import { normalize } from "./demo-data.js";
import { asksApproval, clauses } from "./sentences.js";

export interface Demand {
  text: string;
  /** Node ids, empty if the plan does not meet the demand. */
  nodes: string[];
  /** The user has agreed to a plan without it. */
  isLeftOut?: true;
}

type NodeMap = Readonly<Record<string, { type?: unknown; metadata?: unknown }>>;

/**
 * `steps` are the planner's requirements, in the order of their numbers. `leftOut` are the ones that the user agreed to
 * plan without.
 */
export function demandsOf(
  request: string,
  steps: readonly string[],
  nodes: NodeMap,
  leftOut: readonly string[] = [],
): Demand[] {
  const demands = clauses(request);
  return demands.map((text, at) => {
    // As many requirements as demands are the same ones in the planner's words.
    const step = steps.length === demands.length ? at + 1 : closestStep(text, steps);
    const serving = Object.entries(nodes).filter(([, node]) => stepsOf(node.metadata).includes(step));
    const isMet = ([, { type }]: (typeof serving)[number]) => !asksApproval(text) || type === "approve";
    const ids = serving.filter(isMet).map(([id]) => id);
    const isLeftOut = ids.length === 0 && closestStep(text, leftOut) > 0;
    return { text, nodes: ids, ...(isLeftOut && { isLeftOut }) };
  });
}

function stepsOf(metadata: unknown): number[] {
  const { step = "", steps = "" } = Object(metadata) as { step?: unknown; steps?: unknown };
  return (`${String(step)},${String(steps)}`.match(/\d+/g) ?? []).map(Number);
}

/** Returns the number of the requirement that shares most words with a demand, 0 if none shares any. */
function closestStep(demand: string, steps: readonly string[]): number {
  const words = wordsOf(demand);
  const scores = steps.map((step) => wordsOf(step).filter((word) => words.includes(word)).length);
  const best = Math.max(0, ...scores);
  return best === 0 ? 0 : scores.indexOf(best) + 1;
}

function wordsOf(text: string): string[] {
  return normalize(text)
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word.length > 3);
}
