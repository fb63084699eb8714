/** The entry `stepgraph/editor`. Each platform's entry starts the engine itself. */
/// <reference lib="esnext.disposable" preserve="true" />
export { PlanError } from "./errors.js";
export { comparePlans, mergePlans } from "./editor/compare.js";
export type {
  ChangeKind,
  CompareOptions,
  Comparison,
  ConflictKind,
  MergeResult,
  MergeConflict,
  PlanChange,
} from "./editor/compare.js";
export { PlanDocument, tokenKinds } from "./editor/document.js";
export { editPlan, formatPlan, planSchema, readYaml } from "./editor/plan.js";
export { mutants, type Mutant, type MutantKind } from "./editor/mutants.js";
export type { EditPath, GraphEdit } from "./editor/edits.js";
export type * from "./editor/types.js";
export type { Code, Diagnostic, PlanFiles, PlanFileText, Span, Stubs, Target, ToolInfo } from "./types.js";
export { fromMermaid, fromServerlessWorkflow, importPlan, toDot, toMermaid } from "./editor/interop.js";
export type { Direction, DrawOptions, DiagramText, ImportFinding, ImportResult } from "./editor/interop.js";
