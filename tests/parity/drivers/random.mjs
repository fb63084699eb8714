/** Random choices from a seed text. The same text gives the same choices in every process and in any order. */

/** A random generator. */
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

  /** Returns an integer from 0 to `end`, without `end`. */
  below(end) {
    return Math.floor(this.next() * end);
  }

  /** Returns true with this probability. */
  chance(share) {
    return this.next() < share;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** Returns a key of a map from names to weights. */
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

/** Computes FNV-1a with 32 bits. */
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
