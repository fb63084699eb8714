// Conditions as a plain JavaScript engine evaluates them: parsed beforehand, own keys only, comparisons by the rules of
// the plan file as far as the workloads use them.

/** Returns whether the condition holds. `outputs` is a Map by node id. */
export function evaluateCondition(condition, last, outputs) {
  let value = condition.node === null ? last : outputs.get(condition.node);
  const path = condition.path;
  for (let at = 0; at < path.length; at++) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, path[at])) return false;
    value = value[path[at]];
  }
  if (value === undefined) return false;
  switch (condition.operator) {
    case "==":
      return equalsLiteral(value, condition);
    case "!=":
      return !equalsLiteral(value, condition);
    default:
      return contains(value, condition);
  }
}

function equalsLiteral(value, condition) {
  if (typeof value === "string") return value === condition.literal;
  if (typeof value === "number") return value === condition.number;
  return (typeof value === "object" ? JSON.stringify(value) : String(value)) === condition.literal;
}

function contains(value, condition) {
  if (typeof value === "string") return value.includes(condition.literal);
  if (Array.isArray(value)) return value.some((item) => equalsLiteral(item, condition));
  return value !== null && typeof value === "object" && Object.hasOwn(value, condition.literal);
}

/** Returns a Map from each node id to the edges that leave it, in file order. */
export function edgesByNode({ ids, edges }) {
  const leaving = new Map(ids.map((id) => [id, []]));
  for (const edge of edges) leaving.get(edge.from).push(edge);
  return leaving;
}

/**
 * Returns a function from the last value to the next node's id, or null, for peers whose conditions are functions. It
 * reads only the last value, the cheapest way for them. All conditions of the workloads allow that.
 */
export function createEdgeChooser(edges) {
  const tests = edges
    .filter((edge) => edge.condition)
    .map(({ to, condition }) => ({ to, condition: { ...condition, node: null } }));
  const fallback = edges.find((edge) => !edge.condition)?.to ?? null;
  return (last) => {
    for (const { to, condition } of tests) if (evaluateCondition(condition, last)) return to;
    return fallback;
  };
}
