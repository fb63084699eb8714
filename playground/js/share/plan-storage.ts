/**
 * The plan storage interface, with one in memory.
 *
 * Writes name their base revision, so newer ones survive. Invariants: writes are atomic. Renames keep the revision.
 */

/** Plans by others run only after consent. */
export type Origin = "own" | "link" | "url" | "file" | "embed" | "gallery";

/** Times are in milliseconds. */
export interface PlanRow {
  id: string;
  name: string;
  from: Origin;
  /** Counts content writes. */
  rev: number;
  made: number;
  changed: number;
  size: number;
  /** Time of deletion. */
  removed?: number;
}

/** `extras` is the page's JSON: stubs, cassette, view. */
export interface PlanContent {
  text: string;
  extras: string;
}

/** Saved by interval, before a large change, or by the user. */
export type RestorePointKind = "auto" | "before" | "named";

export interface RestorePoint {
  id: string;
  plan: string;
  at: number;
  kind: RestorePointKind;
  /** The user's name, or the next change. */
  name: string;
  size: number;
  /** Finds identical content. */
  sum: string;
}

export type WriteResult = { rev: number } | "newer" | "gone";

/** Failures throw `ShareError`. */
export interface PlanStorage {
  /** Survives the visit. */
  readonly isPersistent: boolean;
  rows(): Promise<PlanRow[]>;
  read(id: string): Promise<{ row: PlanRow; content: PlanContent } | null>;
  add(row: PlanRow, content: PlanContent): Promise<void>;
  /** `follows` is the base revision. Identical content is no conflict. */
  write(id: string, content: PlanContent, follows: number, at: number): Promise<WriteResult>;
  updateRow(id: string, updateRow: Partial<Pick<PlanRow, "name" | "removed" | "from">>): Promise<boolean>;
  /** Includes restore points. */
  delete(id: string): Promise<void>;
  /** Latest first. */
  points(plan?: string): Promise<RestorePoint[]>;
  pointContent(id: string): Promise<PlanContent | null>;
  addPoint(pointContent: RestorePoint, content: PlanContent): Promise<void>;
  deletePoints(ids: readonly string[]): Promise<void>;
}

/** `crypto.randomUUID` would need a secure context. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (word) => word.toString(36).padStart(7, "0")).join("");
}

export function isSameContent(a: PlanContent | undefined, b: PlanContent): boolean {
  return a?.text === b.text && a.extras === b.extras;
}

/** Lost with the page. */
export class MemoryStorage implements PlanStorage {
  readonly isPersistent: boolean = false;
  readonly #plans = new Map<string, { row: PlanRow; content: PlanContent }>();
  readonly #points = new Map<string, { point: RestorePoint; content: PlanContent }>();

  rows(): Promise<PlanRow[]> {
    return Promise.resolve([...this.#plans.values()].map(({ row }) => ({ ...row })));
  }

  read(id: string): Promise<{ row: PlanRow; content: PlanContent } | null> {
    const found = this.#plans.get(id);
    return Promise.resolve(found ? { row: { ...found.row }, content: found.content } : null);
  }

  add(row: PlanRow, content: PlanContent): Promise<void> {
    this.#plans.set(row.id, { row: { ...row }, content });
    return Promise.resolve();
  }

  write(id: string, content: PlanContent, follows: number, at: number): Promise<WriteResult> {
    const found = this.#plans.get(id);
    if (!found) return Promise.resolve("gone");
    if (found.row.rev !== follows)
      return Promise.resolve(isSameContent(found.content, content) ? { rev: found.row.rev } : "newer");
    const row = { ...found.row, rev: follows + 1, changed: at, size: content.text.length };
    this.#plans.set(id, { row, content });
    return Promise.resolve({ rev: row.rev });
  }

  updateRow(id: string, note: Partial<Pick<PlanRow, "name" | "removed" | "from">>): Promise<boolean> {
    const found = this.#plans.get(id);
    if (found) found.row = { ...found.row, ...note };
    return Promise.resolve(found !== undefined);
  }

  delete(id: string): Promise<void> {
    this.#plans.delete(id);
    for (const [key, { point }] of this.#points) if (point.plan === id) this.#points.delete(key);
    return Promise.resolve();
  }

  points(plan?: string): Promise<RestorePoint[]> {
    const all = [...this.#points.values()]
      .map(({ point }) => point)
      .filter((point) => plan === undefined || point.plan === plan);
    return Promise.resolve(all.sort((a, b) => b.at - a.at));
  }

  pointContent(id: string): Promise<PlanContent | null> {
    return Promise.resolve(this.#points.get(id)?.content ?? null);
  }

  addPoint(point: RestorePoint, content: PlanContent): Promise<void> {
    this.#points.set(point.id, { point, content });
    return Promise.resolve();
  }

  deletePoints(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#points.delete(id);
    return Promise.resolve();
  }
}
