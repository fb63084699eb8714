/** Strongly connected components, each before those that lead to it. */

/**
 * Tarjan's algorithm without recursion: plans may be long chains.
 *
 * Leaves out nodes that `roots` do not reach or `isIn` excludes.
 */
export function components(
  next: readonly (readonly number[])[],
  roots: readonly number[],
  isIn: (node: number) => boolean = () => true,
): number[][] {
  const search = new Search(next, isIn);
  for (const root of roots) if (isIn(root)) search.from(root);
  return search.found;
}

class Search {
  readonly found: number[][] = [];
  readonly #next: readonly (readonly number[])[];
  readonly #isIn: (node: number) => boolean;
  readonly #index = new Map<number, number>();
  readonly #low = new Map<number, number>();
  readonly #open: number[] = [];
  readonly #isOpen = new Set<number>();

  constructor(next: readonly (readonly number[])[], isIn: (node: number) => boolean) {
    this.#next = next;
    this.#isIn = isIn;
  }

  from(root: number): void {
    if (this.#index.has(root)) return;
    const path: { node: number; edge: number }[] = [this.#enter(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = this.#next[top.node]![top.edge++];
      if (target === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent !== undefined) this.#lower(parent.node, this.#low.get(top.node)!);
        this.#close(top.node);
      } else if (this.#isIn(target)) {
        if (!this.#index.has(target)) path.push(this.#enter(target));
        else if (this.#isOpen.has(target)) this.#lower(top.node, this.#index.get(target)!);
      }
    }
  }

  #enter(node: number): { node: number; edge: number } {
    const index = this.#index.size;
    this.#index.set(node, index);
    this.#low.set(node, index);
    this.#open.push(node);
    this.#isOpen.add(node);
    return { node, edge: 0 };
  }

  #lower(node: number, to: number): void {
    this.#low.set(node, Math.min(this.#low.get(node)!, to));
  }

  #close(node: number): void {
    if (this.#low.get(node) !== this.#index.get(node)) return;
    const component = this.#open.splice(this.#open.lastIndexOf(node));
    for (const one of component) this.#isOpen.delete(one);
    this.found.push(component);
  }
}
