/** Coerces text. Users and models write `"7"` for a number. If the schema allows strings, text stays text. */

/** Returns `value` unchanged if it fits no type. */
export function coerceText(value: unknown, type: unknown): unknown {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (typeof value !== "string" || types.includes("string")) return value;
  try {
    const read: unknown = JSON.parse(value);
    return types.some((one) => isOfType(read, one)) ? read : value;
  } catch {
    return value;
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}
