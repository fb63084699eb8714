/** Gives recorded events the edge numbers of a changed plan. */
import type { PlanGraph, TraceEvent } from "stepgraph";

/** @internal The plan's own graph only: an edge keeps its ends, and its place among those with the same ends. */
export function renumberEdges(events: readonly TraceEvent[], from: PlanGraph, to: PlanGraph): TraceEvent[] {
  const now = new Map(edgeNames(to).map((name, at) => [name, at]));
  const names = edgeNames(from);
  const numberOf = (edge: number) => now.get(names[edge] ?? "") ?? edge;
  return events.map((event) => {
    if (event.type !== "edge-decided" || event.scope !== undefined) return event;
    return {
      ...event,
      edge: event.edge === null ? null : numberOf(event.edge),
      verdicts: event.verdicts.map((verdict) => ({ ...verdict, edge: numberOf(verdict.edge) })),
    };
  });
}

function edgeNames({ edges }: PlanGraph): string[] {
  const seen = new Map<string, number>();
  return edges
    .filter(({ scope }) => scope === undefined)
    .map(({ from, to }) => {
      const name = JSON.stringify([from, to]);
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      return `${name} ${times}`;
    });
}
