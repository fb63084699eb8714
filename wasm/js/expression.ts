/** Evaluates and checks expressions. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted, inEngine } from "./engine.js";
import { ExpressionError, PlanError } from "./errors.js";
import { jsonFlaw } from "./json-values.js";
import { assertKind } from "./options.js";
import type { Diagnostic } from "./types.js";
import { toJson } from "./values.js";

/** A result of {@link checkExpression}. */
export interface CheckedExpression {
  /** Such as `list(string)`. `dyn` if unknown. */
  type: string;
  /** The type as JSON Schema. */
  schema: Record<string, unknown>;
  /** Offsets are UTF-16 units of the expression. */
  diagnostics: Diagnostic[];
}

/**
 * Evaluates an expression as `${…}` does. `scope` maps names to JSON data, at most 128 levels deep. A name that is
 * absent or `undefined` is `reference/unknown-root`. A missing result is `undefined`. Throws an
 * {@link ExpressionError}, or a {@link PlanError} `api/bad-option` for arguments without JSON. Limits: 1 000 000 steps
 * and 10 MB.
 *
 * @example
 * evaluate("last.items.filter(i, i.price > 10).map(i, i.name)", { last: { items: [{ name: "cup", price: 12 }] } });
 */
export function evaluate(text: string, scope: Readonly<Record<string, unknown>> = {}): unknown {
  assertStarted();
  assertKind("evaluate", "text", text, "text");
  assertKind("evaluate", "scope", scope, "map");
  const json = inEngine(() => wasm.evaluate_expression(text, jsonOf("evaluate", "scope", scope)));
  const result = JSON.parse(json) as { value?: unknown; error?: Diagnostic };
  if (result.error) throw new ExpressionError(result.error);
  return result.value;
}

/**
 * Checks an expression. `types` maps names to JSON Schemas. Throws an {@link ExpressionError} `schema/invalid`, or a
 * {@link PlanError} `api/bad-option` for arguments without JSON.
 *
 * @example
 * const { type, diagnostics } = checkExpression("last.n * 2", { last: { properties: { n: { type: "number" } } } });
 */
export function checkExpression(
  text: string,
  types: Readonly<Record<string, Record<string, unknown> | boolean>> = {},
): CheckedExpression {
  assertStarted();
  assertKind("checkExpression", "text", text, "text");
  assertKind("checkExpression", "types", types, "map");
  for (const [name, schema] of Object.entries(types))
    if (typeof schema !== "boolean") assertKind("checkExpression", `types.${name}`, schema, "map");
  const json = inEngine(() => wasm.check_expression(text, jsonOf("checkExpression", "types", types)));
  const result = JSON.parse(json) as CheckedExpression & { error?: Diagnostic };
  if (result.error) throw new ExpressionError(result.error);
  return result;
}

/** Throws for data without JSON, such as cycles. */
function jsonOf(name: string, option: string, value: unknown): string {
  const json = toJson(value);
  if (json === undefined) {
    const flaw = jsonFlaw(value) ?? "it is nested too deeply";
    throw new PlanError("api/bad-option", `\`${name}\` needs a \`${option}\` that is JSON data: ${flaw}`);
  }
  return json;
}
