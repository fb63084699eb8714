/** Retention of restore points. Old automatic ones are sparse, named ones stay longest. Invariant: the latest stays. */
import type { RestorePoint } from "./plan-storage.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const INTERVAL_MS = 10 * MINUTE;
export const MAX_POINTS = 60;
export const MAX_NAMED_POINTS = 40;

/** Maximum age, and the interval with one point. */
const RETENTION: readonly (readonly [number, number])[] = [
  [HOUR, 1],
  [DAY, HOUR],
  [30 * DAY, DAY],
  [Infinity, 30 * DAY],
];

export function isDue(points: readonly RestorePoint[], now: number): boolean {
  const latest = Math.max(-Infinity, ...points.map(({ at }) => at));
  return now - latest >= INTERVAL_MS;
}

/** Ids of one plan. */
export function expiredPoints(points: readonly RestorePoint[], now: number): string[] {
  const latestFirst = [...points].sort((a, b) => b.at - a.at);
  const named = latestFirst.filter(({ kind }) => kind === "named");
  const seen = new Set<string>();
  const automatic = latestFirst
    .filter(({ kind }) => kind !== "named")
    .filter(({ at }, place) => {
      const stretch = timeSlot(now - at, at);
      if (place > 0 && seen.has(stretch)) return false;
      seen.add(stretch);
      return true;
    });
  const retained = new Set(
    [
      ...named.slice(0, MAX_NAMED_POINTS),
      ...automatic.slice(0, Math.max(1, MAX_POINTS - Math.min(named.length, MAX_NAMED_POINTS))),
    ].map(({ id }) => id),
  );
  return latestFirst.filter(({ id }) => !retained.has(id)).map(({ id }) => id);
}

function timeSlot(age: number, at: number): string {
  const [, length] = RETENTION.find(([most]) => age < most) ?? [0, 30 * DAY];
  return `${length}:${Math.floor(at / length)}`;
}

/** The older half of unnamed points, without each plan's latest. */
export function reclaimablePoints(points: readonly RestorePoint[]): string[] {
  const latest = new Map<string, RestorePoint>();
  for (const point of points) if (point.at > (latest.get(point.plan)?.at ?? -Infinity)) latest.set(point.plan, point);
  const spares = points
    .filter((point) => point.kind !== "named" && latest.get(point.plan) !== point)
    .sort((a, b) => a.at - b.at);
  return spares.slice(0, Math.ceil(spares.length / 2)).map(({ id }) => id);
}
