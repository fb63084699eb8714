/**
 * Prints truncated JSON.
 *
 * Invariant: the cost depends on the limit only. Functions and symbols become `null`, as in JSON.
 */
import type { TruncatedValue } from "./protocol.js";

/** Characters. The full value comes on request. */
export const MAX_LENGTH = 2000;

/** `limit` is approximate. */
export function truncate(value: unknown, limit = MAX_LENGTH): TruncatedValue {
  const printer = new TruncatingPrinter(limit);
  printer.print(value, 0);
  return printer.left < 0 ? { text: printer.text, cut: true } : { text: printer.text };
}

const MAX_DEPTH = 64;

class TruncatingPrinter {
  text = "";
  left: number;

  constructor(limit: number) {
    this.left = limit;
  }

  print(value: unknown, depth: number): void {
    if (this.left < 0) return;
    if (typeof value === "string") return this.string(value);
    if (typeof value !== "object" || value === null) return this.put(scalar(value));
    if (depth >= MAX_DEPTH) return this.put("null", true);
    const toJson = (value as { toJSON?: unknown }).toJSON;
    if (typeof toJson === "function") return this.print((toJson as () => unknown).call(value), depth + 1);
    if (Array.isArray(value)) return this.list(value, depth);
    this.map(value as Record<string, unknown>, depth);
  }

  private list(values: unknown[], depth: number): void {
    this.put("[");
    for (let i = 0; i < values.length && this.left >= 0; i++) {
      if (i > 0) this.put(",");
      this.print(values[i], depth + 1);
    }
    this.put("]");
  }

  private map(values: Record<string, unknown>, depth: number): void {
    this.put("{");
    let first = true;
    for (const key in values) {
      if (this.left < 0) break;
      const value = values[key];
      if (value === undefined || typeof value === "function" || !Object.hasOwn(values, key)) continue;
      if (!first) this.put(",");
      first = false;
      this.string(key);
      this.put(":");
      this.print(value, depth + 1);
    }
    this.put("}");
  }

  private string(text: string): void {
    if (text.length <= this.left) return this.put(JSON.stringify(text));
    this.put(JSON.stringify(text.slice(0, Math.max(this.left, 0))), true);
  }

  private put(text: string, cut = false): void {
    if (this.left < 0) return;
    this.text += text;
    this.left = cut ? -1 : this.left - text.length;
  }
}

function scalar(value: unknown): string {
  return value === undefined ? "null" : (JSON.stringify(value) ?? "null");
}
