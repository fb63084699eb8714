/**
 * How much of the disk the runs of a folder may take, and which of them go for others.
 *
 * Decides the order: runs that are over go first, the oldest of them first, then those that were cancelled. What waits
 * for a person stays, and so does what can't be read.
 *
 * Invariant: what is under way anywhere is never removed.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** The bounds of a folder. */
export interface QuotaLimits {
  runs: number;
  bytes: number;
}

/** How soon a run may go: `first` when it is over, `last` when it could be gone on with, `never` otherwise. */
export type EvictionOrder = "first" | "last" | "never";

/** What is left when runs had to go, as a share: so that not every new run looks through the folder. */
const TARGET_SHARE = 0.9;
const FILE = /^(run-[0-9a-f]{12})\.(run\.json|snapshot\.json|plan\.yaml)$/;

interface QuotaEntry {
  bytes: number;
  /** When it was written last. */
  at: number;
  files: string[];
}

/** The room of a folder. */
export class DiskQuota {
  #runs = new Map<string, QuotaEntry>();
  #bytes = 0;
  /** What was found out about runs, as long as they are not written again. */
  readonly #orders = new Map<string, { at: number; order: EvictionOrder }>();

  constructor(
    readonly folder: string,
    readonly limits: QuotaLimits,
    readonly leave: (id: string) => EvictionOrder,
  ) {
    this.#scan();
  }

  /** Takes note of a run that was written, or removed. */
  update(id: string): void {
    this.#count(id, -1);
    const entry: QuotaEntry = { bytes: 0, at: 0, files: [] };
    for (const name of ["run.json", "snapshot.json", "plan.yaml"]) this.#add(entry, `${id}.${name}`);
    if (entry.files.length === 0) return void this.#runs.delete(id);
    this.#runs.set(id, entry);
    this.#count(id, 1);
  }

  /** Whether there is no room for `more` runs. */
  isFull(more = 0): boolean {
    return this.#runs.size + more > this.limits.runs || this.#bytes >= this.limits.bytes;
  }

  /** Removes runs until there is room for `more`, as far as any may go; gives their names. */
  evict(more = 0): string[] {
    if (!this.isFull(more)) return [];
    // Other servers may have removed some of them, or added others.
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
