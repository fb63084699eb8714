/**
 * Which restore points are kept.
 *
 * Decides when one is due and which may go: of those that the clock made the recent ones stay close together and older
 * ones far apart; what the person named stays longest. Pure. Invariants: no plan has more than `MOST`; the latest is
 * never among those that go.
 */
import type { RestorePoint } from "./plan-storage.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** While somebody edits, one is made when the latest is older. */
export const EVERY = 10 * MINUTE;
/** The most of one plan. */
export const MOST = 60;
/** The most that the person named. */
export const MOST_NAMED = 40;

/** How old, and of which stretch of time one stays. */
const STEPS: readonly (readonly [number, number])[] = [
  [HOUR, 1],
  [DAY, HOUR],
  [30 * DAY, DAY],
  [Infinity, 30 * DAY],
];

/** Whether one is due. */
export function isDue(points: readonly RestorePoint[], now: number): boolean {
  const latest = Math.max(-Infinity, ...points.map(({ at }) => at));
  return now - latest >= EVERY;
}

/** Those that may go, of one plan. */
export function superfluous(points: readonly RestorePoint[], now: number): string[] {
  const latestFirst = [...points].sort((a, b) => b.at - a.at);
  const named = latestFirst.filter(({ kind }) => kind === "named");
  const seen = new Set<string>();
  const kept = latestFirst
    .filter(({ kind }) => kind !== "named")
    .filter(({ at }, place) => {
      const stretch = slot(now - at, at);
      if (place > 0 && seen.has(stretch)) return false;
      seen.add(stretch);
      return true;
    });
  const stay = new Set(
    [...named.slice(0, MOST_NAMED), ...kept.slice(0, Math.max(1, MOST - Math.min(named.length, MOST_NAMED)))].map(
      ({ id }) => id,
    ),
  );
  return latestFirst.filter(({ id }) => !stay.has(id)).map(({ id }) => id);
}

/** The stretch of time that a point stands for. */
function slot(age: number, at: number): string {
  const [, length] = STEPS.find(([most]) => age < most) ?? [0, 30 * DAY];
  return `${length}:${Math.floor(at / length)}`;
}

/** When nothing fits any more: the older half of what nobody named, over all plans, but for each plan's latest. */
export function spare(points: readonly RestorePoint[]): string[] {
  const latest = new Map<string, RestorePoint>();
  for (const point of points) if (point.at > (latest.get(point.plan)?.at ?? -Infinity)) latest.set(point.plan, point);
  const spares = points
    .filter((point) => point.kind !== "named" && latest.get(point.plan) !== point)
    .sort((a, b) => a.at - b.at);
  return spares.slice(0, Math.ceil(spares.length / 2)).map(({ id }) => id);
}
