/**
 * Stores runs in memory, and with a folder in files. Full memory evicts the oldest finished run, then a cancelled one,
 * or a paused one with a file. `quota.ts` evicts files. Hosts start one server per conversation, so servers may share a
 * folder: a claim file marks a run in progress.
 *
 * Invariants: a file is replaced completely or not at all. An unreadable file stays. Files are private, because runs
 * may contain secrets.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errorReason } from "../io.js";
import { closestName } from "../suggest.js";
import { UsageError } from "../options.js";
import { assertWritable, writePrivate } from "../private-files.js";
import { CallerError } from "./caller-error.js";
import { type QuotaLimits, type EvictionOrder, DiskQuota } from "./quota.js";
import {
  MAX_HEAD_BYTES,
  type Head,
  parseHead,
  type StoredRun,
  type RunSummary,
  toSummary,
  parseRun,
  sizeOf,
  type Status,
  formatRun,
} from "./stored-run.js";

/** Characters of runs. */
const MAX_MEMORY = 256 * 1024 * 1024;
const MAX_LISTED = 50;
/** Evicted ids, for error messages. */
const MAX_REMEMBERED_IDS = 10_000;
const ID = /^run-[0-9a-f]{12}$/;

export class RunStore {
  readonly #runs = new Map<string, StoredRun>();
  readonly #sizes = new Map<string, number>();
  /** Times of our writes. Another one means another server's change. */
  readonly #written = new Map<string, number>();
  readonly #gone = new Set<string>();
  readonly #quota: DiskQuota | null = null;

  /** Throws {@link UsageError} if the folder is unusable. */
  constructor(
    readonly most: number,
    readonly folder: string | null,
    limits: QuotaLimits = { runs: Infinity, bytes: Infinity },
  ) {
    if (folder === null) return;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      assertWritable(join(folder, "run"));
      this.#quota = new DiskQuota(folder, limits, (id) => this.#evictionOrder(id));
    } catch (error) {
      throw new UsageError(
        "cli/unwritable-file",
        `can't use the folder \`${folder}\`: ${errorReason(error)}`,
        "name a writable folder",
      );
    }
  }

  /** Returns the ids that were evicted for it. */
  add(run: StoredRun): string[] {
    if (this.#runs.has(run.id)) return [];
    const gone = this.#reserveDisk();
    while (this.#runs.size >= this.most || this.#memoryUsed() > MAX_MEMORY) {
      const first = this.#nextEvicted();
      if (first === undefined)
        throw new CallerError(
          "serve/too-many-runs",
          `${this.#runs.size} runs are in progress or paused, and there is no space for more`,
        );
      this.#runs.delete(first.id);
      this.#sizes.delete(first.id);
      this.#remember(first.id);
      gone.push(first.id);
    }
    this.#runs.set(run.id, run);
    return gone;
  }

  /** Throws {@link CallerError} if evicting files is not enough. */
  #reserveDisk(): string[] {
    if (this.#quota === null) return [];
    const gone = this.#quota.evict(1);
    for (const id of gone) this.#remember(id);
    if (!this.#quota.isFull(1)) return gone;
    throw new CallerError("serve/no-room", `paused runs fill the quota of the folder \`${this.folder}\``);
  }

  #evictionOrder(id: string): EvictionOrder {
    if (this.#runs.get(id)?.status === "running" || this.#claimant(id) !== null) return "never";
    try {
      const { begins, ends } = readEnds(this.file(id));
      const head = parseHead(begins, ends, id);
      if (head === null || head.status === "paused") return "never";
      return head.status === "cancelled" ? "last" : "first";
    } catch {
      return "never";
    }
  }

  #memoryUsed(): number {
    let sum = 0;
    for (const size of this.#sizes.values()) sum += size;
    return sum;
  }

  drop({ id }: StoredRun): void {
    this.#runs.delete(id);
    this.#sizes.delete(id);
    if (this.folder !== null)
      for (const what of ["run", "snapshot", "plan"] as const) rmSync(this.file(id, what), { force: true });
    this.#quota?.update(id);
  }

  count(status?: Status): number {
    return status === undefined
      ? this.#runs.size
      : [...this.#runs.values()].filter((run) => run.status === status).length;
  }

  /** Throws {@link CallerError} for an unknown id. */
  get(id: string): StoredRun {
    const own = this.#runs.get(id);
    const known = own !== undefined && !this.#isChanged(own) ? own : (this.#read(id) ?? own);
    if (known) {
      if (own !== undefined) this.#runs.set(id, known);
      return known;
    }
    if (this.#gone.has(id))
      throw new CallerError(
        "serve/forgotten-run",
        `the run \`${id}\` ended, and newer runs replaced it: the server keeps ${this.most}`,
      );
    const suggestion = closestName(id, this.#names());
    throw new CallerError(
      "serve/unknown-run",
      `there is no run \`${id.slice(0, 60)}\``,
      suggestion ? `did you mean \`${suggestion}\`?` : undefined,
    );
  }

  /** Throws {@link CallerError} if it is in progress elsewhere. */
  claim({ id }: StoredRun): void {
    if (this.folder === null) return;
    try {
      if (this.#claimant(id) !== null)
        throw new CallerError("serve/run-under-way", `the run \`${id}\` is in progress in another server`);
      rmSync(this.file(id, "claim"), { force: true });
      writeFileSync(this.file(id, "claim"), String(process.pid), { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (error instanceof CallerError) throw error;
      // `wx` lets only one of two servers succeed. In a read-only folder none can claim it.
      if ((error as { code?: string }).code === "EEXIST")
        throw new CallerError("serve/run-under-way", `the run \`${id}\` is in progress in another server`);
    }
  }

  release({ id }: StoredRun): void {
    if (this.folder !== null) removeDraft(this.file(id, "claim"));
  }

  /** Process id of another live server that runs it. */
  #claimant(id: string): number | null {
    try {
      const pid = Number(readFileSync(this.file(id, "claim"), "utf8"));
      if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return null;
      process.kill(pid, 0);
      return pid;
    } catch (error) {
      // EPERM: the process exists, but is another user's.
      return (error as { code?: string }).code === "EPERM" ? 0 : null;
    }
  }

  #isChanged({ id, status }: StoredRun): boolean {
    if (this.folder === null || status === "running") return false;
    try {
      return statSync(this.file(id)).mtimeMs !== this.#written.get(id);
    } catch {
      return false;
    }
  }

  /** Newest first, including unreadable ones. */
  list(): RunSummary[] {
    const own = [...this.#runs.values()].map(toSummary);
    return [...own, ...this.#listStored()].sort((a, b) => (a.started_at < b.started_at ? 1 : -1)).slice(0, MAX_LISTED);
  }

  #listStored(): RunSummary[] {
    const files = this.#names()
      .filter((id) => !this.#runs.has(id))
      .flatMap((id) => {
        try {
          return [{ id, at: statSync(this.file(id)).mtimeMs }];
        } catch {
          return [];
        }
      });
    return files
      .sort((a, b) => b.at - a.at)
      .slice(0, MAX_LISTED)
      .map(({ id, at }) => {
        try {
          return toSummary(this.#head(id));
        } catch (error) {
          const code = error instanceof CallerError ? error.code : null;
          const status =
            code === "serve/interrupted-run"
              ? "interrupted"
              : code === "serve/run-under-way"
                ? "running"
                : "unreadable";
          return { run: id, status, plan: null, started_at: new Date(at).toISOString(), asks: 0 };
        }
      });
  }

  /** Returns the error text, because it must not fail the run. */
  save(run: StoredRun): string | null {
    this.#sizes.set(run.id, sizeOf(run));
    if (this.folder === null) return null;
    const file = this.file(run.id);
    try {
      writePrivate(file, formatRun(run));
      this.#written.set(run.id, statSync(file).mtimeMs);
      // For `stepgraph run --resume`, so the user can decide at a terminal.
      if (run.snapshot !== null) writePrivate(this.file(run.id, "snapshot"), snapshotFile(run.snapshot, run.waiting));
      else rmSync(this.file(run.id, "snapshot"), { force: true });
      if (run.snapshot !== null) writePrivate(this.file(run.id, "plan"), run.plan);
      this.#quota?.update(run.id);
      for (const id of this.#quota?.evict() ?? []) this.#remember(id);
      return null;
    } catch (error) {
      return `the run could not be written to \`${file}\`: ${errorReason(error)}`;
    }
  }

  file(id: string, what: "run" | "snapshot" | "plan" | "claim" = "run"): string {
    return join(
      this.folder ?? "",
      `${id}.${{ run: "run.json", snapshot: "snapshot.json", plan: "plan.yaml", claim: "claim" }[what]}`,
    );
  }

  #names(): string[] {
    const files =
      this.folder === null
        ? []
        : readdirSync(this.folder).flatMap((name) =>
            name.endsWith(".run.json") ? [name.slice(0, -".run.json".length)] : [],
          );
    return [...new Set([...this.#runs.keys(), ...files.filter((id) => ID.test(id))])];
  }

  #nextEvicted(): StoredRun | undefined {
    const all = [...this.#runs.values()];
    return (
      all.find(({ status }) => status === "completed" || status === "failed") ??
      all.find(({ status }) => status === "cancelled" || (status === "paused" && this.folder !== null))
    );
  }

  #remember(id: string): void {
    this.#gone.add(id);
    if (this.#gone.size > MAX_REMEMBERED_IDS) this.#gone.delete(this.#gone.keys().next().value!);
  }

  #read(id: string): StoredRun | undefined {
    if (this.folder === null || !ID.test(id)) return undefined;
    let text: string;
    try {
      text = readFileSync(this.file(id), "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return undefined;
      throw new CallerError("serve/unreadable-run", `the run \`${id}\` can't be read: ${errorReason(error)}`);
    }
    const run = parseRun(text, id);
    if (run !== null) this.#written.set(id, statSync(this.file(id)).mtimeMs);
    this.#assertEnded(id, run);
    return run!;
  }

  /** Reads only start and end. */
  #head(id: string): Head {
    const { begins, ends } = readEnds(this.file(id));
    const head = parseHead(begins, ends, id);
    this.#assertEnded(id, head);
    return head!;
  }

  /** Throws if the file is invalid, or the run is or was in progress elsewhere. */
  #assertEnded(id: string, run: Head | null): void {
    if (run === null)
      throw new CallerError("serve/unreadable-run", `the file of the run \`${id}\` is incomplete or not a run`);
    if (run.status === "running" && this.#claimant(id) !== null)
      throw new CallerError("serve/run-under-way", `the run \`${id}\` is in progress in another server`);
    if (run.status === "running")
      throw new CallerError("serve/interrupted-run", `the run \`${id}\` was in progress when the server ended`);
  }
}

/** For `run --resume`. */
function snapshotFile(snapshot: string, waiting: string[]): string {
  return `{"waiting":${JSON.stringify(waiting)},${snapshot.slice(1)}\n`;
}

function readEnds(file: string): { begins: string; ends: string } {
  const open = openSync(file, "r");
  try {
    const { size } = fstatSync(open);
    const [begins, ends] = [Buffer.alloc(Math.min(MAX_HEAD_BYTES, size)), Buffer.alloc(Math.min(2, size))];
    readSync(open, begins, 0, begins.length, 0);
    readSync(open, ends, 0, ends.length, size - ends.length);
    return { begins: begins.toString("utf8"), ends: ends.toString("utf8") };
  } finally {
    closeSync(open);
  }
}

function removeDraft(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Harmless: a leftover file is not read as a run.
  }
}
