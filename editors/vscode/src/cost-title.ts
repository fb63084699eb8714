/** Turns the JSON of `stepgraph cost --json` into the title of a code lens. */

interface Bound {
  most: number | null;
}

/** Returns null if the plan calls no tool and no model, or if the output is no cost report. */
export function costTitle(output: string): string | null {
  const bound = readBound(output);
  if (!bound) return null;
  const { toolCalls, modelTurns, usd } = bound;
  const parts = [count(toolCalls, "tool call"), count(modelTurns, "model turn")].filter((part) => part !== null);
  if (parts.length === 0) return null;
  if (usd && usd.most !== null && usd.most > 0) parts.push(`$${usd.most.toFixed(usd.most < 0.01 ? 4 : 2)}`);
  return `At most ${parts.join(", ")}`;
}

function readBound(output: string): Record<string, Bound | undefined> | null {
  try {
    const report = JSON.parse(output) as { plans?: { total?: { bound?: Record<string, Bound> } }[] };
    return report.plans?.[0]?.total?.bound ?? null;
  } catch {
    return null;
  }
}

function count(bound: Bound | undefined, noun: string): string | null {
  if (!bound || bound.most === 0) return null;
  if (bound.most === null) return `any number of ${noun}s`;
  return `${bound.most} ${noun}${bound.most === 1 ? "" : "s"}`;
}
