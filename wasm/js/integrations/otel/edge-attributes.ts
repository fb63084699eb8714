/** Attributes of an edge decision: target, reason, conditions with values. */
import type { TraceEvent } from "stepgraph";
import type { Attributes } from "./types.js";
import type { Content } from "./genai.js";

export function edgeAttributes(
  { to, edge, reason, verdicts }: Extract<TraceEvent, { type: "edge-decided" }>,
  content: Content,
): Attributes {
  const formatComparedValue = ({ reference, missing, value }: (typeof verdicts)[number]["saw"][number]): string =>
    `${reference}${missing ? " missing" : content.isIncluded ? ` ${content.text(value)}` : ""}`;
  return {
    "stepgraph.edge.to": to ?? undefined,
    "stepgraph.edge.index": edge ?? undefined,
    "stepgraph.edge.reason": reason,
    ...(verdicts.length > 0 && {
      "stepgraph.edge.conditions": verdicts.map(({ condition }) => condition),
      "stepgraph.edge.holds": verdicts.map(({ holds }) => holds),
      ...(verdicts.some(({ failed }) => failed) && {
        "stepgraph.edge.failed": verdicts.map(({ failed = false }) => failed),
      }),
      "stepgraph.edge.saw": verdicts.map(({ saw }) => saw.map(formatComparedValue).join("; ")),
    }),
  };
}
