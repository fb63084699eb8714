/**
 * Where plans are kept: what a storage does, and one in memory for browsers that let nothing be kept.
 *
 * Decides what is kept of a plan and how it is guarded: each write names the revision that it follows, so a newer one
 * is never overwritten. Invariants: a write is done whole or not at all; what a plan is called is no part of its
 * revision.
 */

/** Where a plan came from. What others wrote may not run before the person agrees. */
export type Origin = "own" | "link" | "url" | "file" | "embed" | "gallery";

/** A plan in the list. Times are milliseconds. */
export interface PlanRow {
  id: string;
  name: string;
  from: Origin;
  /** Goes up with each write of its content. */
  rev: number;
  made: number;
  changed: number;
  /** Letters of its text. */
  size: number;
  /** When it was deleted; it stays for a week. */
  removed?: number;
}

/** What a plan holds. `extras` is JSON text of the page's own: stubs, cassette, what is open. */
export interface PlanContent {
  text: string;
  extras: string;
}

/** Why a restore point was made: by the clock, before something large, or by the person. */
export type RestorePointKind = "auto" | "before" | "named";

/** A restore point in the list. */
export interface RestorePoint {
  id: string;
  plan: string;
  at: number;
  kind: RestorePointKind;
  /** What the person calls it, or what it was made before. */
  name: string;
  size: number;
  /** Check sum of its content: the same is not kept twice in a row. */
  sum: string;
}

/** What became of a write. */
export type WriteResult = { rev: number } | "newer" | "gone";

/** Where plans are kept. What fails throws `ShareError`. */
export interface PlanStorage {
  /** Whether what is kept is there the next time. */
  readonly isPersistent: boolean;
  rows(): Promise<PlanRow[]>;
  read(id: string): Promise<{ row: PlanRow; content: PlanContent } | null>;
  /** Writes a plan that is new. */
  add(row: PlanRow, content: PlanContent): Promise<void>;
  /** Writes content that follows revision `follows`. The very same content is no newer version. */
  write(id: string, content: PlanContent, follows: number, at: number): Promise<WriteResult>;
  /** Changes what is said about a plan, not what it holds. */
  updateRow(id: string, updateRow: Partial<Pick<PlanRow, "name" | "removed" | "from">>): Promise<boolean>;
  /** Takes a plan away for good, with its restore points. */
  delete(id: string): Promise<void>;
  /** Those of a plan, or all, the latest first. */
  points(plan?: string): Promise<RestorePoint[]>;
  pointContent(id: string): Promise<PlanContent | null>;
  addPoint(pointContent: RestorePoint, content: PlanContent): Promise<void>;
  deletePoints(ids: readonly string[]): Promise<void>;
}

/** A name for something that is kept; also where the page is no secure context. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (word) => word.toString(36).padStart(7, "0")).join("");
}

/** Whether two tabs wrote the same. */
export function isSameContent(a: PlanContent | undefined, b: PlanContent): boolean {
  return a?.text === b.text && a.extras === b.extras;
}

/** A storage that is empty again when the page is closed. */
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
