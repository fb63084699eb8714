/** Pairs the plans of two versions: by path, and moved ones by their meaning. */
import { posix } from "node:path";
import { PlanError, PlanGraph, ToolLock } from "../node.js";
import { fileTexts, type KnownFiles, readMissingSync } from "../package-internals.js";
import type { ToolInfo } from "../types.js";
import { decode } from "./io.js";
import { LOCK_FILE } from "./lock-file.js";
import { isPlan } from "./detect-plan.js";
import { UsageError } from "./options.js";
import type { VersionFiles } from "./review-versions.js";

/** A plan's text, with the files that it runs. */
export interface FoundPlan {
  text: string;
  files: Record<string, string>;
  /** Null for a plan with errors. */
  hash: string | null;
  lock: ToolLock | null;
}

/** One plan in both versions. */
export interface PlanPair {
  file: string;
  previousFile?: string;
  before: FoundPlan | null;
  after: FoundPlan | null;
}

/**
 * Returns changed plans by path, and the number of plans that did not change. `today` are the tools of the servers: a
 * plan whose tools differ from its lock counts as changed.
 */
export function pairPlans(
  before: VersionFiles,
  after: VersionFiles,
  today: ToolInfo[] | null,
): { pairs: PlanPair[]; unchanged: number } {
  const [old, now] = [plansOf(before), plansOf(after)];
  const pairs: PlanPair[] = [];
  let unchanged = 0;
  const gone = new Map([...old].filter(([path]) => !now.has(path)));
  for (const [file, plan] of now) {
    const previous = old.get(file);
    if (previous && isSame(previous, plan) && hasSameTools(previous.lock, plan, today)) unchanged++;
    else if (previous) pairs.push({ file, before: previous, after: plan });
    else {
      const moved = [...gone].find(([, { hash, text }]) => text === plan.text || (hash !== null && hash === plan.hash));
      if (moved) gone.delete(moved[0]);
      pairs.push({ file, before: moved?.[1] ?? null, after: plan, ...(moved && { previousFile: moved[0] }) });
    }
  }
  for (const [file, plan] of gone) pairs.push({ file, before: plan, after: null });
  return { pairs: pairs.sort((a, b) => (a.file < b.file ? -1 : 1)), unchanged };
}

function isSame(a: FoundPlan, b: FoundPlan): boolean {
  return a.text === b.text && JSON.stringify(a.files) === JSON.stringify(b.files);
}

/** A plan that did not change may break by a changed lock, or by the tools of today. */
function hasSameTools(old: ToolLock | null, { lock, text, files }: FoundPlan, today: ToolInfo[] | null): boolean {
  const from = today === null ? old : lock;
  const tools = today ?? lock?.tools;
  if (from === null || tools === undefined || (today === null && from.print() === lock!.print())) return true;
  const { graph } = PlanGraph.parse(text, { files });
  try {
    return !graph?.valid || from.drift([...tools], [graph]).changes.length === 0;
  } finally {
    graph?.free();
  }
}

/** A plan that only other plans run is reviewed as a part of them, and alone. */
function plansOf(version: VersionFiles): Map<string, FoundPlan> {
  const found = new Map<string, FoundPlan>();
  for (const [path, bytes] of version) {
    if (path.endsWith(LOCK_FILE)) continue;
    const text = decode(bytes);
    if (isPlan(path.endsWith(".json") ? "json" : "yaml", `/${path}`, text))
      found.set(path, readPlan(path, text, version));
  }
  return found;
}

function readPlan(path: string, text: string, version: VersionFiles): FoundPlan {
  const format = path.endsWith(".json") ? "json" : "auto";
  const folder = posix.dirname(path);
  let graph: PlanGraph | null = null;
  const files: KnownFiles = readMissingSync(
    (name) => version.get(posix.join(folder, name)) ?? { unreadable: "there is no such file" },
    (known) => {
      graph?.free();
      const parsed = PlanGraph.parseWith(text, format, known);
      graph = parsed.graph;
      return parsed.missing;
    },
  );
  const read = graph as PlanGraph | null;
  const hash = read?.valid ? read.hash : null;
  read?.free();
  return { text, files: fileTexts(files), hash, lock: lockOf(path, version) };
}

/** The lock beside the plan, or in a folder above. */
function lockOf(path: string, version: VersionFiles): ToolLock | null {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const file = posix.join(folder, LOCK_FILE);
    const bytes = version.get(file);
    if (bytes !== undefined) return readLock(file, bytes);
    if (folder === ".") return null;
  }
}

/** Plans share a lock. */
const locks = new WeakMap<Uint8Array, ToolLock>();

function readLock(file: string, bytes: Uint8Array): ToolLock {
  try {
    const lock = locks.get(bytes) ?? ToolLock.parse(decode(bytes));
    locks.set(bytes, lock);
    return lock;
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new UsageError(`${file}: ${error.message} (${error.code})`, "write it again by `stepgraph lock`");
  }
}
