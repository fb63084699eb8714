/** Functions that need no `PlanDocument`. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions } from "../options.js";
import type { Diagnostic } from "../types.js";
import { assertStarted } from "./engine.js";
import { FORMAT } from "./host.js";
import { parseEditResult, assertApplied, formatOperations } from "./edit-result.js";
import type { GraphEdit } from "./edits.js";
import type { EditResult } from "./types.js";

/**
 * Computes the text edits of operations on a plan. The rest stays byte for byte. If one is refused, none is applied.
 *
 * @throws {PlanError} `api/bad-edit` for an unknown operation or a missing field.
 *
 * @example
 * const { text, undo, refused } = editPlan(yaml, [
 *   { op: "add_node", node: "tell", value: { type: "log", input: "${last}" } },
 *   { op: "connect", from: "fetch", to: "tell", condition: "last.exists" },
 * ]);
 */
export function editPlan(
  text: string,
  edits: readonly GraphEdit[],
  options: { format?: "auto" | "yaml" | "json" } = {},
): EditResult {
  assertStarted();
  assertOptions("editPlan", options, FORMAT);
  return assertApplied(
    parseEditResult(wasm.edit_plan(text, options.format ?? "auto", formatOperations(edits)), () => text),
  );
}

/**
 * Computes edits that format indentation, spaces and quotes. Comments and key order stay.
 *
 * @example
 * const { text, refused } = formatPlan("nodes:   {a:   {type: log}}\n");
 */
export function formatPlan(text: string, options: { format?: "auto" | "yaml" | "json" } = {}): EditResult {
  assertStarted();
  assertOptions("formatPlan", options, FORMAT);
  return parseEditResult(wasm.format_plan(text, options.format ?? "auto"), () => text);
}

/** Returns the JSON Schema of plan files, draft 2020-12. */
export function planSchema(): Record<string, unknown> {
  assertStarted();
  return JSON.parse(wasm.plan_schema()) as Record<string, unknown>;
}

/** Parses YAML 1.2 or JSON as strictly as plans. */
export function readYaml(text: string): { value: unknown; diagnostics: Diagnostic[] } {
  assertStarted();
  return JSON.parse(wasm.read_document(text)) as { value: unknown; diagnostics: Diagnostic[] };
}
