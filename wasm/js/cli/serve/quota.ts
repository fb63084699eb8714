/**
 * A run folder's disk quota. Evicts finished runs, oldest first, then cancelled ones, never paused or unreadable ones.
 *
 * Invariant: a run in progress, in any process, is never removed.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

export interface QuotaLimits {
  runs: number;
  bytes: number;
}

/** `first` for finished runs, `last` for cancelled ones. */
export type EvictionOrder = "first" | "last" | "never";

/** Otherwise every new run would scan the folder. */
const TARGET_SHARE = 0.9;
const FILE = /^(run-[0-9a-f]{12})\.(run\.json|snapshot\.json|plan\.yaml)$/;

interface QuotaEntry {
  bytes: number;
  /** Last write. */
  at: number;
  files: string[];
}

export class DiskQuota {
  #runs = new Map<string, QuotaEntry>();
  #bytes = 0;
  /** A write invalidates the order. */
  readonly #orders = new Map<string, { at: number; order: EvictionOrder }>();

  constructor(
    readonly folder: string,
    readonly limits: QuotaLimits,
    readonly leave: (id: string) => EvictionOrder,
  ) {
    this.#scan();
  }

  /** Call it after the files changed. */
  update(id: string): void {
    this.#count(id, -1);
    const entry: QuotaEntry = { bytes: 0, at: 0, files: [] };
    for (const name of ["run.json", "snapshot.json", "plan.yaml"]) this.#add(entry, `${id}.${name}`);
    if (entry.files.length === 0) return void this.#runs.delete(id);
    this.#runs.set(id, entry);
    this.#count(id, 1);
  }

  isFull(more = 0): boolean {
    return this.#runs.size + more > this.limits.runs || this.#bytes >= this.limits.bytes;
  }

  /** Makes space for `more` runs. Returns the evicted ids. */
  evict(more = 0): string[] {
    if (!this.isFull(more)) return [];
    // Other servers may have added or removed runs.
    this.#scan();
    if (!this.isFull(more)) return [];
    const gone: string[] = [];
    const oldest = [...this.#runs].sort(([, a], [, b]) => a.at - b.at);
    for (const turn of ["first", "last"] as const) {
      for (const [id, entry] of oldest) {
        if (!this.#exceeds(more)) return gone;
        if (!this.#runs.has(id) || this.#evictionOrder(id, entry) !== turn) continue;
        this.#remove(id, entry);
        gone.push(id);
      }
    }
    return gone;
  }

  #exceeds(more: number): boolean {
    const { runs, bytes } = this.limits;
    return this.#runs.size + more > Math.max(more, runs * TARGET_SHARE) || this.#bytes > bytes * TARGET_SHARE;
  }

  #evictionOrder(id: string, { at }: QuotaEntry): EvictionOrder {
    const known = this.#orders.get(id);
    if (known?.at === at) return known.order;
    const order = this.leave(id);
    this.#orders.set(id, { at, order });
    return order;
  }

  #remove(id: string, { files }: QuotaEntry): void {
    for (const file of files) rmSync(file, { force: true });
    this.#count(id, -1);
    this.#runs.delete(id);
    this.#orders.delete(id);
  }

  #scan(): void {
    this.#runs = new Map();
    for (const name of readdirSync(this.folder)) {
      const [, id] = FILE.exec(name) ?? [];
      if (id === undefined) continue;
      const entry = this.#runs.get(id) ?? { bytes: 0, at: 0, files: [] };
      this.#add(entry, name);
      this.#runs.set(id, entry);
    }
    this.#bytes = [...this.#runs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #add(entry: QuotaEntry, name: string): void {
    const file = join(this.folder, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return;
    entry.bytes += found.size;
    entry.at = Math.max(entry.at, found.mtimeMs);
    entry.files.push(file);
  }

  #count(id: string, sign: 1 | -1): void {
    this.#bytes += sign * (this.#runs.get(id)?.bytes ?? 0);
  }
}
