/** Hashes JSON values. Apart from their comparison, which pages load later. */

/** @internal Sorts keys: equal values have equal texts. */
export function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedText(item)}`).join(",")}}`;
}

/** @internal Equal for equal values. It protects no secret. */
export function shortHash(value: unknown): string {
  // Two FNV-1a hashes with different seeds.
  const text = sortedText(value === undefined ? null : value);
  const halves = [0x811c9dc5, 0x01000193 ^ 0x5bd1e995].map((start) => {
    let sum = start;
    for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
    return (sum >>> 0).toString(16).padStart(8, "0");
  });
  return halves.join("");
}
