/** Decides whether changed limits of a plan would have ended the run, or would have changed it. */
import type { ConflictFinder } from "./conflict-finder.js";
import { mapOf } from "./plan-parts.js";
import type { RunProgress } from "./progress.js";

type Limits = Record<string, unknown>;

/** Where the engine's default applies. */
const DEFAULT_VISITS = 25;
const DEFAULT_OUTPUT_BYTES = 268_435_456;

/** What a run needs to know of a changed plan's limits. */
export interface LimitChange {
  /** Null if only the hashes of the old plan are known. */
  old: Limits | null;
  now: Limits;
  /** Whether graphs inside nodes have run, whose visits may be forgotten. */
  ranNested: boolean;
  /** Whether a node has a limit of its own. */
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

/** The engine takes an unknown cost for one above the limit. The old limit matters as for tokens. */
function compareCost(change: LimitChange, { counts }: RunProgress, found: ConflictFinder): void {
  const { usd, unpriced, unreported } = counts;
  const limit = numberOf(change.now, "usd");
  const unknown = unpriced + unreported;
  if (limit !== undefined && usd > limit) return exceeded(found, "usd", usd, limit);
  if ((usd === 0 && unknown === 0) || isSame(change, "usd")) return;
  if (limit !== undefined && unknown > 0)
    return found.plan(
      "upgrade/limit-changed",
      "`limits.usd` needs the cost of each call, and the cost of one is not known",
    );
  const old = oldLimit(change, "usd");
  if (usd > old || (unreported > 0 && old < Infinity))
    found.plan("upgrade/limit-changed", "`limits.usd` may have changed after models cost something");
}

/** A graph inside a node may have failed at the old limit. The node's edges may have handled that. */
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

/** An agent that has used up its tokens makes no second attempt, so the old limit matters too. */
function compareTokens(change: LimitChange, { counts }: RunProgress, found: ConflictFinder): void {
  const { tokens, uncounted, unreported } = counts;
  const limit = numberOf(change.now, "tokens");
  const unknown = uncounted + unreported;
  if (limit !== undefined && tokens > limit) return exceeded(found, "tokens", tokens, limit);
  if ((tokens === 0 && unknown === 0) || isSame(change, "tokens")) return;
  if (limit !== undefined && unknown > 0)
    return found.plan(
      "upgrade/limit-changed",
      "`limits.tokens` needs the tokens of each call, and those of one are not known",
    );
  const old = oldLimit(change, "tokens");
  if (tokens > old || (unreported > 0 && old < Infinity))
    found.plan("upgrade/limit-changed", "`limits.tokens` may have changed after models used tokens");
}

/** An unknown limit may have been any. */
function oldLimit({ old }: LimitChange, name: string): number {
  return old === null ? 0 : (numberOf(old, name) ?? Infinity);
}

/** The engine counts bytes only if there is a limit. */
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

/** Returns the limits of a plan. */
export function limitsOf(plan: Record<string, unknown>): Limits {
  return mapOf(plan.limits);
}
