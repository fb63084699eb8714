/** Compares and merges plans. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions, type Kinds } from "../options.js";
import { encodeFiles } from "../plan-files.js";
import type { Diagnostic, PlanFiles, Span } from "../types.js";
import { assertStarted } from "./engine.js";
import { DOCUMENT, FORMAT } from "./host.js";
import type { DocumentOptions } from "./types.js";

/** Kind of a change. `run/…` is about possible runs. */
export type ChangeKind =
  | "plan/changed"
  | "input/added"
  | "input/removed"
  | "input/changed"
  | "server/added"
  | "server/removed"
  | "server/changed"
  | "test/added"
  | "test/removed"
  | "test/changed"
  | "start/changed"
  | "node/added"
  | "node/removed"
  | "node/renamed"
  | "node/changed"
  | "graph/added"
  | "graph/removed"
  | "graph/renamed"
  | "graph/order"
  | "graph/changed"
  | "edge/added"
  | "edge/removed"
  | "edge/redirected"
  | "edge/condition"
  | "edge/order"
  | "run/tool-added"
  | "run/tool-removed"
  | "run/reached"
  | "run/unreached"
  | "run/missed"
  | "run/always"
  | "run/unguarded"
  | "run/end-added"
  | "run/end-removed"
  | "run/loop-added"
  | "run/loop-removed"
  | "run/loop-grown"
  | "run/failure-handled"
  | "run/failure-unhandled";

/** A change between two plans. */
export interface PlanChange {
  readonly kind: ChangeKind;
  /** Graph: empty for the plan's own, `fan/a` for branch `a` of node `fan`. */
  readonly scope: string;
  /** New key, or the old one if removed. */
  readonly node?: string;
  /** Old key if renamed. */
  readonly was?: string;
  readonly edge?: { readonly from: string; readonly to: string };
  /** Path such as `input.url`. */
  readonly field?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** In UTF-16 units. */
  readonly spans: { readonly before?: Span; readonly after?: Span };
  /** Runs may now do something destructive. */
  readonly destroys?: true;
  /** One sentence without a period, names in backticks. */
  readonly message: string;
}

/** Result of {@link comparePlans}. */
export interface Comparison {
  /** Whether both mean the same. Null if one has errors. */
  readonly same: boolean | null;
  readonly changes: readonly PlanChange[];
  readonly diagnostics: { readonly before: readonly Diagnostic[]; readonly after: readonly Diagnostic[] };
}

/** Options of {@link comparePlans}. Host capabilities make it more precise. */
export interface CompareOptions extends DocumentOptions {
  /** Files that either plan runs. Paths without texts are compared. */
  files?: { before?: PlanFiles; after?: PlanFiles };
  /** Tools without approval, whatever their annotations: `*` for all. */
  allowed?: readonly string[];
}

const COMPARE: Kinds<CompareOptions> = {
  ...DOCUMENT,
  files: { before: "{}text|bytes", after: "{}text|bytes" },
  allowed: "[]text",
};

/** Kind of a conflict. */
export type ConflictKind = "unreadable" | "field" | "removed" | "added" | "renamed" | "order" | "text" | "plan";

/** A conflict. The merged text has our version. */
export interface MergeConflict {
  readonly kind: ConflictKind;
  readonly scope: string;
  readonly node?: string;
  readonly edge?: { readonly from: string; readonly to: string };
  readonly field?: string;
  readonly base?: unknown;
  readonly ours?: unknown;
  readonly theirs?: unknown;
  /** `text` is the merged text. */
  readonly spans: { readonly base?: Span; readonly ours?: Span; readonly theirs?: Span; readonly text?: Span };
  readonly message: string;
}

/** Result of {@link mergePlans}. */
export interface MergeResult {
  /** Our text with the changes of `theirs`. */
  readonly text: string;
  /** Empty for a clean merge. */
  readonly conflicts: readonly MergeConflict[];
  /** Diagnostics of `text`. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compares meaning and possible runs of two plans. Layout, comments, formatting and key order don't count.
 *
 * @example
 * const { same, changes } = comparePlans(before, after);
 * if (!same) for (const { message } of changes) console.log(message);
 */
export function comparePlans(before: string, after: string, options: CompareOptions = {}): Comparison {
  assertStarted();
  assertOptions("comparePlans", options, COMPARE);
  const { format = "auto", tools = null, types = null, ids = [], models = null, stubs = null, allowed = [] } = options;
  const host = JSON.stringify({ tools, types, ids, models, stubs, allowed });
  const [old, now] = [encodeFiles(options.files?.before), encodeFiles(options.files?.after)];
  return JSON.parse(wasm.compare_plans(before, after, format, host, old, now)) as Comparison;
}

/**
 * Applies the changes from `base` to `theirs` to `ours`, field by field, keeping comments and style. Conflicting fields
 * keep our value.
 *
 * @example
 * const { text, conflicts } = mergePlans(base, ours, theirs);
 */
export function mergePlans(
  base: string,
  ours: string,
  theirs: string,
  options: { format?: "auto" | "yaml" | "json" } = {},
): MergeResult {
  assertStarted();
  assertOptions("mergePlans", options, FORMAT);
  return JSON.parse(wasm.merge_plans(base, ours, theirs, options.format ?? "auto")) as MergeResult;
}
