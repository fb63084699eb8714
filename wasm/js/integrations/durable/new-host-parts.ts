/** Finds parts that a changed plan would take from a host, and parts that a run began without and can't have. */
import type { PlanGraph } from "stepgraph";
import type { HostNames } from "./journal-entry.js";
import type { DurableOptions } from "./options.js";

/** @internal Returns one missing handler, such as "the handler `charge`", or null. */
export function newHostPart(
  graph: PlanGraph,
  { types, ids }: HostNames,
  { handlers = {}, byId = {} }: DurableOptions,
): string | null {
  for (const { id, type } of graph.nodes) {
    if (Object.hasOwn(byId, id) && !ids.includes(id)) return `the handler \`${id}\` by id`;
    if (Object.hasOwn(handlers, type) && !types.includes(type)) return `the handler \`${type}\``;
  }
  return null;
}
