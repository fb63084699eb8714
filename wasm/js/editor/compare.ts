/** What differs between plans, and three versions of a plan as one. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { assertOptions, type Kinds } from "../options.js";
import type { Diagnostic, Span } from "../types.js";
import { assertStarted } from "./engine.js";
import { DOCUMENT, FORMAT } from "./host.js";
import type { DocumentOptions } from "./types.js";

/**
 * In which way something differs: `node/…`, `edge/…` and so on for what the plan says, `run/…` for what runs may do
 * because of it.
 */
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

/** One difference between two plans. */
export interface PlanChange {
  readonly kind: ChangeKind;
  /** Which graph: empty for the plan's own, `fan/a` for branch `a` of node `fan`. */
  readonly scope: string;
  /** The node, by its key after; where it is gone, before. */
  readonly node?: string;
  /** The key that a renamed node had before. */
  readonly was?: string;
  /** The nodes that an edge joins. */
  readonly edge?: { readonly from: string; readonly to: string };
  /** The way to what changed: `input.url`. */
  readonly field?: string;
  /** What was there; absent when nothing was. */
  readonly before?: unknown;
  /** What is there now; absent when nothing is. */
  readonly after?: unknown;
  /** Where, in either text. */
  readonly spans: { readonly before?: Span; readonly after?: Span };
  /** Whether runs may now do what may destroy something. */
  readonly destroys?: true;
  /** One sentence, without a period, names in back-ticks. */
  readonly message: string;
}

/** What differs between two plans. */
export interface Comparison {
  /** Whether both mean the same; null when one of them is no sound plan, and nothing was compared. */
  readonly same: boolean | null;
  readonly changes: readonly PlanChange[];
  /** What is wrong with either. */
  readonly diagnostics: { readonly before: readonly Diagnostic[]; readonly after: readonly Diagnostic[] };
}

/** How plans are compared; what is said of the host lets more be said of the tools that runs may call. */
export interface CompareOptions extends DocumentOptions {
  /** Tools that are called without asking a person, whatever they say of themselves; `*` for all. */
  allowed?: readonly string[];
}

const COMPARE: Kinds<CompareOptions> = { ...DOCUMENT, allowed: "[]text" };

/** In which way two versions contradict each other. */
export type ConflictKind = "unreadable" | "field" | "removed" | "added" | "renamed" | "order" | "text" | "plan";

/** Something that a person must decide. The text has what ours has. */
export interface MergeConflict {
  readonly kind: ConflictKind;
  readonly scope: string;
  readonly node?: string;
  readonly edge?: { readonly from: string; readonly to: string };
  readonly field?: string;
  readonly base?: unknown;
  readonly ours?: unknown;
  readonly theirs?: unknown;
  /** Where, in each of the three texts, and in the one that came out. */
  readonly spans: { readonly base?: Span; readonly ours?: Span; readonly theirs?: Span; readonly text?: Span };
  readonly message: string;
}

/** What comes of three versions. */
export interface MergeResult {
  /** The text of ours with what theirs changed. */
  readonly text: string;
  /** What a person must decide; none when the merge is clean. */
  readonly conflicts: readonly MergeConflict[];
  /** What is wrong with the text, or could be better. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Says what differs between two plans in meaning, and what other path a run may take. Layout, comments, formatting and
 * the order of keys are no difference.
 *
 * @example
 * const { same, changes } = comparePlans(before, after);
 * if (!same) for (const { message } of changes) console.log(message);
 */
export function comparePlans(before: string, after: string, options: CompareOptions = {}): Comparison {
  assertStarted();
  assertOptions("comparePlans", options, COMPARE);
  const { format = "auto", tools = null, types = null, ids = [], models = null, stubs = null, allowed = [] } = options;
  return JSON.parse(
    wasm.compare_plans(before, after, format, JSON.stringify({ tools, types, ids, models, stubs, allowed })),
  ) as Comparison;
}

/**
 * Does to the text of `ours` what `theirs` changed since `base`, field by field. Comments and style of ours stay. Where
 * both changed one field to different values, the text keeps what ours has, and the conflict is reported.
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
