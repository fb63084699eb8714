/**
 * Writes JSON, and refuses what JSON would drop or change. `json-values.ts` says the whole path, and is too large for
 * the first load of a page.
 */
import { PlanError } from "./errors.js";

/** @internal `check` may refuse more. */
export function strictJson(name: string, value: unknown, check = (part: unknown): unknown => part): string {
  const refuse = (key: string, part: unknown): unknown => {
    const what = partFlaw(part);
    if (what === undefined) return check(part);
    throw badJson(`${name} is JSON data, but ${key === "" ? "it" : `\`${key}\``} is ${what}`);
  };
  try {
    return JSON.stringify(value, refuse) ?? "null";
  } catch (error) {
    if (error instanceof PlanError) throw error;
    throw badJson(`${name} is JSON data: ${String((error as Error | null)?.message ?? error).split("\n")[0]}`);
  }
}

function badJson(message: string): PlanError {
  return new PlanError("api/bad-option", message);
}

/** @internal Says what JSON would drop or change, such as a `Map`. It writes instances of classes by their own keys. */
export function partFlaw(part: unknown): string | undefined {
  if (typeof part === "number") return Number.isFinite(part) ? undefined : String(part);
  if (typeof part === "function" || typeof part === "symbol") return `a ${typeof part}`;
  if (Array.isArray(part) && part.length > MAX_LENGTH) return `a list of ${part.length} elements`;
  const kind = Object.prototype.toString.call(part).slice(8, -1);
  return KEPT.test(kind) ? undefined : `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
}

/** `JSON.stringify` reads a sparse list element by element. */
const MAX_LENGTH = 5_000_000;

const KEPT = /^(Object|Array|Module|String|Boolean|Null|Undefined)$/;
