/**
 * Estimates JSON sizes. Shared references may make JSON larger than memory, so never encodes all of it.
 *
 * Invariant: the estimate visits each object once.
 */

/** An escape counts as one. */
export class JsonSizes {
  readonly #sizes = new WeakMap<object, number>();

  of(value: unknown): number {
    if (typeof value === "string") return value.length + 2;
    if (typeof value !== "object" || value === null) return String(value ?? null).length;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    // A cycle counts as empty.
    this.#sizes.set(value, 0);
    let size = 2;
    if (Array.isArray(value)) for (const item of value) size += this.of(item) + 1;
    else for (const [key, item] of Object.entries(value)) size += key.length + 4 + this.of(item);
    this.#sizes.set(value, size);
    return size;
  }
}

/** About the first `space` characters. */
export function jsonPrefix(value: unknown, space: number): string {
  let text = "";
  const put = (part: string) => {
    text += part;
    return text.length < space;
  };
  const walk = (item: unknown): boolean => {
    if (typeof item === "string") return put(JSON.stringify(item.slice(0, space)));
    if (typeof item !== "object" || item === null) return put(JSON.stringify(item ?? null) ?? "null");
    const list = Array.isArray(item);
    const parts = list ? item : Object.keys(item);
    return (
      put(list ? "[" : "{") &&
      parts.every((part, at) => {
        if (at > 0 && !put(",")) return false;
        return list
          ? walk(part)
          : put(`${JSON.stringify((part as string).slice(0, space))}:`) &&
              walk((item as Record<string, unknown>)[part]);
      }) &&
      put(list ? "]" : "}")
    );
  };
  walk(value);
  return text.slice(0, space);
}
