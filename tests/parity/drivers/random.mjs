/** Random choices from a seed text, the same in every process and order. */

export class Random {
  #state;

  constructor(...seed) {
    this.#state = hashOf(seed.join("|"));
  }

  /** Returns a number from 0 to 1, without 1, by mulberry32. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  }

  /** Excludes `end`. */
  below(end) {
    return Math.floor(this.next() * end);
  }

  chance(share) {
    return this.next() < share;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  weighed(weights) {
    const entries = Object.entries(weights);
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)[0];
  }
}

/** FNV-1a with 32 bits. */
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
