/** Decides whether changed limits would have ended or changed the run. */
import type { ConflictFinder } from "./conflict-finder.js";
import { mapOf } from "./plan-parts.js";
import type { RunProgress } from "./progress.js";

type Limits = Record<string, unknown>;

/** The engine's defaults. */
const DEFAULT_VISITS = 25;
const DEFAULT_OUTPUT_BYTES = 268_435_456;

export interface LimitChange {
  /** Null if only hashes are known. */
  old: Limits | null;
  now: Limits;
  /** Visits of nested graphs may be forgotten. */
  ranNested: boolean;
  hasOwnVisits: (scope: string, id: string) => boolean;
}

export function compareLimits(change: LimitChange, progress: RunProgress, found: ConflictFinder): void {
  compareCounts(change, progress, found);
  compareCost(change, progress, found);
  compareVisits(change, progress, found);
  compareTokens(change, progress, found);
  compareOutputBytes(change, progress, found);
  compareTime(change, progress, found);
}

function isSame({ old, now }: LimitChange, name: string): boolean {
  return old !== null && old[name] === now[name];
}

function numberOf(limits: Limits, name: string): number | undefined {
  return typeof limits[name] === "number" ? limits[name] : undefined;
}

function exceeded(found: ConflictFinder, name: string, used: number, limit: number): void {
  found.plan("upgrade/limit-exceeded", `\`limits.${name}\` is now ${limit}, and the run has used ${used}`);
}

function compareCounts({ now }: LimitChange, { counts }: RunProgress, found: ConflictFinder): void {
  for (const name of ["steps", "calls"] as const) {
    const limit = numberOf(now, name);
    if (limit !== undefined && counts[name] > limit) exceeded(found, name, counts[name], limit);
  }
}

/** A nested graph may have failed at the old limit, and edges may have handled that. */
function compareVisits(change: LimitChange, { scopes }: RunProgress, found: ConflictFinder): void {
  const limit = numberOf(change.now, "visits") ?? DEFAULT_VISITS;
  for (const { scope, visits } of scopes)
    for (const [id, times] of visits)
      if (times > limit && !change.hasOwnVisits(scope, id)) return exceeded(found, "visits", times, limit);
  if (change.ranNested && !isSame(change, "visits"))
    found.plan(
      "upgrade/limit-changed",
      "`limits.visits` may have changed, and the visits of graphs inside nodes are not known any more",
    );
}

/** The models' usage of a limit. */
interface Use {
  name: "usd" | "tokens";
  used: number;
  /** Calls whose use is not known. */
  unknown: number;
  /** Why a limit can't be compared, as the rest of a sentence about it. */
  unknownText: string;
  changedText: string;
}

/** The engine counts an unknown use as above the limit. */
function compareCost(change: LimitChange, progress: RunProgress, found: ConflictFinder): void {
  const { usd, unpriced, unreported } = progress.counts;
  const unknownText = "needs the cost of each call, and the cost of one is not known";
  const changedText = "may have changed after models cost something";
  compareUse(
    change,
    { name: "usd", used: usd, unknown: unpriced + unreported, unknownText, changedText },
    progress,
    found,
  );
}

function compareTokens(change: LimitChange, progress: RunProgress, found: ConflictFinder): void {
  const { tokens, uncounted, unreported } = progress.counts;
  const unknownText = "needs the tokens of each call, and those of one are not known";
  const changedText = "may have changed after models used tokens";
  compareUse(
    change,
    { name: "tokens", used: tokens, unknown: uncounted + unreported, unknownText, changedText },
    progress,
    found,
  );
}

/** An agent that has used up a limit makes no second attempt, so the old limit matters, too. */
function compareUse(change: LimitChange, use: Use, { counts }: RunProgress, found: ConflictFinder): void {
  const { name, used, unknown, unknownText, changedText } = use;
  const limit = numberOf(change.now, name);
  if (limit !== undefined && used > limit) return exceeded(found, name, used, limit);
  if ((used === 0 && unknown === 0) || isSame(change, name)) return;
  const changed = (text: string) => found.plan("upgrade/limit-changed", `\`limits.${name}\` ${text}`);
  if (limit !== undefined && unknown > 0) return changed(unknownText);
  const old = oldLimit(change, name);
  if (used > old || (counts.unreported > 0 && old < Infinity)) changed(changedText);
}

/** An unknown limit may be any. */
function oldLimit({ old }: LimitChange, name: string): number {
  return old === null ? 0 : (numberOf(old, name) ?? Infinity);
}

/** The engine counts bytes only if limited. */
function compareOutputBytes(change: LimitChange, { counts }: RunProgress, found: ConflictFinder): void {
  if (isSame(change, "output_bytes")) return;
  const limit = numberOf(change.now, "output_bytes");
  const used = Math.max(counts.madeBytes, counts.outputBytes);
  if (used > (limit ?? DEFAULT_OUTPUT_BYTES))
    return exceeded(found, "output_bytes", used, limit ?? DEFAULT_OUTPUT_BYTES);
  const wasCounted = counts.outputBytes > 0 || numberOf(change.old ?? {}, "output_bytes") !== undefined;
  if (limit !== undefined && !wasCounted && counts.steps > 0)
    found.plan("upgrade/limit-changed", "`limits.output_bytes` is new, and the run has not counted its bytes so far");
}

function compareTime(change: LimitChange, { timer }: RunProgress, found: ConflictFinder): void {
  const limit = numberOf(change.now, "timeout_ms");
  if (timer?.isOver === true) return exceeded(found, "timeout_ms", timer.limitMs, timer.limitMs);
  if (isSame(change, "timeout_ms")) return;
  const isTimed = timer !== null && limit !== undefined && Math.abs(timer.limitMs - limit) < 1;
  if (isTimed || (timer === null && limit === undefined)) return;
  found.plan("upgrade/limit-changed", "`limits.timeout_ms` has changed, and the time of a run is limited at its start");
}

export function limitsOf(plan: Record<string, unknown>): Limits {
  return mapOf(plan.limits);
}
