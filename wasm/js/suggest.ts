/** Suggests the name that a user probably meant. */

/** Allows two typos, fewer for short words. Swapped neighbours are one. */
export function closestName(wrong: string, names: Iterable<string>): string | null {
  const limit = wrong.length <= 2 ? 0 : wrong.length <= 4 ? 1 : 2;
  let best: string | null = null;
  let least = limit + 1;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) > limit || name.length > 64) continue;
    const slips = editDistance(wrong, name);
    if (slips < least) [best, least] = [name, slips];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let slips = Math.min(substituted, row[j]! + 1, next[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) slips = Math.min(slips, before[j - 2]! + 1);
      next.push(slips);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
