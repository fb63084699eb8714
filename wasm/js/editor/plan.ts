/** What is asked of a text once, without a document that is kept. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions } from "../options.js";
import type { Diagnostic } from "../types.js";
import { assertStarted } from "./engine.js";
import { FORMAT } from "./host.js";
import { parseEditResult, assertApplied, formatOperations } from "./edit-result.js";
import type { GraphEdit } from "./edits.js";
import type { EditResult } from "./types.js";

/**
 * Works out what operations on a plan come to in its text; everything else in it stays byte for byte as it was written.
 * None is done where one of them can't be.
 *
 * @throws {PlanError} `api/bad-edit` for an operation that does not exist, or lacks something.
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
 * Writes a plan the usual way: indentation, blanks and quotes; comments and the order of keys stay.
 *
 * @example
 * const { text, refused } = formatPlan("nodes:   {a:   {type: log}}\n");
 */
export function formatPlan(text: string, options: { format?: "auto" | "yaml" | "json" } = {}): EditResult {
  assertStarted();
  assertOptions("formatPlan", options, FORMAT);
  return parseEditResult(wasm.format_plan(text, options.format ?? "auto"), () => text);
}

/** The JSON Schema of plan files, of draft 2020-12. */
export function planSchema(): Record<string, unknown> {
  assertStarted();
  return JSON.parse(wasm.plan_schema()) as Record<string, unknown>;
}

/** Reads any YAML 1.2 or JSON, with the same strictness as plans: stubs, for one. */
export function readYaml(text: string): { value: unknown; diagnostics: Diagnostic[] } {
  assertStarted();
  return JSON.parse(wasm.read_document(text)) as { value: unknown; diagnostics: Diagnostic[] };
}
