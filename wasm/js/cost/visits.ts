/**
 * How often one run of a graph may visit each of its nodes, and the most that a path may add up to.
 *
 * Edges never fan out: a run is one path. So a node outside of all cycles is visited once at most.
 */
import { components } from "./components.js";

/** A graph by numbers. `limits` are the visits that each node may have. */
export interface Flow {
  starts: readonly number[];
  next: readonly (readonly number[])[];
  limits: readonly number[];
}

/** How many nodes of a cycle may split it. Plans have few nested loops. */
const MAX_SPLITS = 4;

/** Components from the last to the first, and the visits of each node. Nodes that no run reaches have 0. */
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

/** Nodes at which a path enters a component: starts, and targets of edges from other components. */
function entriesOf({ starts, next }: Flow, order: readonly number[][]): Set<number> {
  const home = new Map(order.flatMap((component, at) => component.map((node): [number, number] => [node, at])));
  const entries = new Set(starts);
  for (const [node, at] of home) for (const target of next[node]!) if (home.get(target) !== at) entries.add(target);
  return entries;
}

interface Budget {
  /** How often a path may enter the component. */
  times: number;
  splits: number;
}

/**
 * In a cycle, the node with the smallest limit splits the path: between two of its visits, only cycles without it can
 * repeat.
 */
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
  // Before its first visit, the path may be elsewhere in the cycle.
  const isOnlyEntry = entered.every((node) => node === split);
  const rounds = limits[split]! + (isOnlyEntry ? 0 : times);
  const rest = component.filter((node) => node !== split);
  for (const inner of components(next, rest, (node) => node !== split && inside.has(node)))
    boundComponent(flow, inner, new Set(inner), { times: rounds, splits: splits - 1 }, visits);
}

/** Returns the most that a path adds up to, from the weight of each component. */
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
