/**
 * How often a run of a graph may visit each node, and the most that a path adds up to.
 *
 * Edges never fan out, so a node outside of cycles is visited once at most.
 */
import { components } from "./components.js";

/** `limits` are visits of each node. */
export interface Flow {
  starts: readonly number[];
  next: readonly (readonly number[])[];
  limits: readonly number[];
}

/** Nodes that may split a cycle. Plans have few nested loops. */
const MAX_SPLITS = 4;

/** Components from last to first, and visits by node, 0 if unreachable. */
export interface Visits {
  order: number[][];
  visits: number[];
}

export function visitBounds(flow: Flow): Visits {
  const order = components(flow.next, flow.starts);
  const visits = flow.next.map(() => 0);
  const entries = entriesOf(flow, order);
  for (const component of order) boundComponent(flow, component, entries, { times: 1, splits: MAX_SPLITS }, visits);
  return { order, visits };
}

/** Starts, and targets of edges from other components. */
function entriesOf({ starts, next }: Flow, order: readonly number[][]): Set<number> {
  const home = new Map(order.flatMap((component, at) => component.map((node): [number, number] => [node, at])));
  const entries = new Set(starts);
  for (const [node, at] of home) for (const target of next[node]!) if (home.get(target) !== at) entries.add(target);
  return entries;
}

interface Budget {
  /** How often a path may enter. */
  times: number;
  splits: number;
}

/** The node with a cycle's smallest limit splits the path: between its visits, only cycles without it can repeat. */
function boundComponent(
  flow: Flow,
  component: readonly number[],
  entries: ReadonlySet<number>,
  { times, splits }: Budget,
  visits: number[],
): void {
  const { next, limits } = flow;
  const inside = new Set(component);
  const isCycle = component.length > 1 || next[component[0]!]!.includes(component[0]!);
  const bound = (node: number, most: number) => {
    visits[node] = Math.min(limits[node]!, most);
  };
  if (!isCycle) return bound(component[0]!, times);
  if (splits === 0) return component.forEach((node) => bound(node, Infinity));
  const split = component.reduce((least, node) => (limits[node]! < limits[least]! ? node : least));
  bound(split, Infinity);
  const entered = component.filter((node) => entries.has(node));
  // The path may enter the cycle elsewhere.
  const isOnlyEntry = entered.every((node) => node === split);
  const rounds = limits[split]! + (isOnlyEntry ? 0 : times);
  const rest = component.filter((node) => node !== split);
  for (const inner of components(next, rest, (node) => node !== split && inside.has(node)))
    boundComponent(flow, inner, new Set(inner), { times: rounds, splits: splits - 1 }, visits);
}

/** Uses the weight of each component. */
export function heaviestPath<T>(
  { next }: Flow,
  order: readonly number[][],
  weigh: (component: readonly number[]) => T,
  { zero, larger, add }: { zero: T; larger: (a: T, b: T) => T; add: (a: T, b: T) => T },
): T {
  const best = new Map<number, T>();
  let most = zero;
  for (const component of order) {
    const inside = new Set(component);
    const followers = new Set(component.flatMap((node) => next[node]!.filter((target) => !inside.has(target))));
    let after = zero;
    for (const node of followers) after = larger(after, best.get(node)!);
    const total = add(weigh(component), after);
    for (const node of component) best.set(node, total);
    most = larger(most, total);
  }
  return most;
}
