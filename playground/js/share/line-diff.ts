/**
 * Compares lines by the shortest edit script. Very different texts count as replaced in the middle.
 *
 * Source: Myers, An O(ND) difference algorithm (1986).
 */

/** A `gap` counts omitted lines. */
export interface DiffLine {
  kind: "same" | "old" | "new" | "gap";
  text: string;
}

const MAX_EDITS = 1_000;
const CONTEXT_LINES = 3;

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let tail = 0;
  while (tail < most - start && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: "same", text }));
  const middle = shortestEdit(old.slice(start, old.length - tail), now.slice(start, now.length - tail));
  return collapseUnchanged([...same(old.slice(0, start)), ...middle, ...same(tail > 0 ? old.slice(-tail) : [])]);
}

function shortestEdit(old: string[], now: string[]): DiffLine[] {
  const replaceAll = (): DiffLine[] => [
    ...old.map((text): DiffLine => ({ kind: "old", text })),
    ...now.map((text): DiffLine => ({ kind: "new", text })),
  ];
  if (old.length === 0 || now.length === 0) return replaceAll();
  const reach = new Map<number, number>([[1, 0]]);
  const steps: Map<number, number>[] = [];
  for (let cost = 0; cost <= Math.min(MAX_EDITS, old.length + now.length); cost++) {
    steps.push(new Map(reach));
    for (let lane = -cost; lane <= cost; lane += 2) {
      let x = movesDown(reach, lane, cost) ? (reach.get(lane + 1) ?? 0) : (reach.get(lane - 1) ?? 0) + 1;
      while (x < old.length && x - lane < now.length && old[x] === now[x - lane]) x++;
      reach.set(lane, x);
      if (x >= old.length && x - lane >= now.length) return backtrack(steps, old, now);
    }
  }
  return replaceAll();
}

function movesDown(reach: Map<number, number>, lane: number, cost: number): boolean {
  return lane === -cost || (lane !== cost && (reach.get(lane - 1) ?? 0) < (reach.get(lane + 1) ?? 0));
}

function backtrack(steps: Map<number, number>[], old: string[], now: string[]): DiffLine[] {
  const found: DiffLine[] = [];
  let [x, y] = [old.length, now.length];
  for (let cost = steps.length - 1; cost >= 0; cost--) {
    const reach = steps[cost] ?? new Map<number, number>();
    const lane = x - y;
    const from = movesDown(reach, lane, cost) ? lane + 1 : lane - 1;
    const before = reach.get(from) ?? 0;
    while (x > before && y > before - from) found.push({ kind: "same", text: old[--x] ?? "" }), y--;
    if (cost === 0) break;
    if (x === before) found.push({ kind: "new", text: now[--y] ?? "" });
    else found.push({ kind: "old", text: old[--x] ?? "" });
  }
  return found.reverse();
}

function collapseUnchanged(lines: DiffLine[]): DiffLine[] {
  const near = lines.map(() => false);
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(true, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1);
  });
  const out: DiffLine[] = [];
  let left = 0;
  lines.forEach((line, at) => {
    if (!near[at]) left++;
    else {
      if (left > 0) out.push({ kind: "gap", text: String(left) });
      left = 0;
      out.push(line);
    }
  });
  if (left > 0 && out.length > 0) out.push({ kind: "gap", text: String(left) });
  return out;
}
