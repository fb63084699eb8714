/** Pairs plans of two versions by path, and moved ones by meaning. */
import { posix } from "node:path";
import { PlanError, PlanGraph, readYaml, ToolLock } from "../node.js";
import { fileTexts, isMap, type KnownFiles, readMissingSync } from "../package-internals.js";
import type { ToolInfo } from "../types.js";
import { decode } from "./io.js";
import { LOCK_FILE } from "./lock-file.js";
import { isPlan } from "./detect-plan.js";
import type { Version, VersionFiles } from "./review-versions.js";

export interface FoundPlan {
  text: string;
  files: Record<string, string>;
  /** Null for errors. */
  hash: string | null;
  lock: ToolLock | null;
  /** Why the review can't vouch for it. */
  problem: string | null;
}

export interface PlanPair {
  file: string;
  previousFile?: string;
  before: FoundPlan | null;
  after: FoundPlan | null;
  /** A link has replaced the plan. */
  isLinked?: boolean;
}

/**
 * `today` are the servers' tools: plans whose tools differ from their lock count as changed. `paths` limits the review.
 */
export function pairPlans(
  before: Version,
  after: Version,
  today: ToolInfo[] | null,
  paths: readonly string[],
): { pairs: PlanPair[]; unchanged: number } {
  const isNamed = (path: string) =>
    paths.length === 0 || paths.some((one) => path === one || path.startsWith(`${one}/`));
  const [old, now] = [plansOf(before.files, isNamed), plansOf(after.files, isNamed)];
  // A plan that nothing recognizes any more is broken, not removed.
  for (const path of old.keys()) {
    const bytes = after.files.get(path);
    if (bytes !== undefined && !now.has(path)) now.set(path, readPlan(path, decode(bytes), after.files));
  }
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
  for (const [file, plan] of gone)
    pairs.push({ file, before: plan, after: null, ...(after.links.has(file) && { isLinked: true }) });
  return { pairs: pairs.sort((a, b) => (a.file < b.file ? -1 : 1)), unchanged };
}

function isSame(a: FoundPlan, b: FoundPlan): boolean {
  return b.problem === null && a.text === b.text && JSON.stringify(a.files) === JSON.stringify(b.files);
}

/** An unchanged plan may break by its lock or today's tools. */
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

/** Plans that only others run are reviewed in them and alone. */
function plansOf(version: VersionFiles, isNamed: (path: string) => boolean): Map<string, FoundPlan> {
  const found = new Map<string, FoundPlan>();
  for (const [path, bytes] of version) {
    if (path.endsWith(LOCK_FILE) || !isNamed(path)) continue;
    const text = decode(bytes);
    if (isPlan(path.endsWith(".json") ? "json" : "yaml", `/${path}`, text) || hasNodes(path, text))
      found.set(path, readPlan(path, text, version));
  }
  return found;
}

/** Whether a text is a plan in a form that a look at its lines misses: in flow style, with a BOM, with an alias. */
function hasNodes(path: string, text: string): boolean {
  if (/\.stubs\.\w+$/i.test(path) || !/nodes|\\[ux]|[&*!]/.test(text)) return false;
  const { value } = readYaml(text);
  const plan = isMap(value) ? (value as Record<string, unknown>) : {};
  return isMap(plan.nodes) && !("apiVersion" in plan);
}

function readPlan(path: string, text: string, version: VersionFiles): FoundPlan {
  const format = path.endsWith(".json") ? "json" : "auto";
  const folder = posix.dirname(path);
  let graph: PlanGraph | null = null;
  const files: KnownFiles = readMissingSync(
    (name) => version.get(posix.join(folder, name)) ?? { unreadable: "it is missing, a link or too large" },
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
  const unread = Object.keys(files).filter((name) => !(files[name] instanceof Uint8Array));
  const { lock, problem } = lockOf(path, version);
  return {
    text,
    files: fileTexts(files),
    hash,
    lock,
    problem: unread.length > 0 ? `it runs \`${unread[0]}\`, which the review can't read` : problem,
  };
}

type LockState = Pick<FoundPlan, "lock" | "problem">;

/** Beside the plan or above. */
function lockOf(path: string, version: VersionFiles): LockState {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const file = posix.join(folder, LOCK_FILE);
    const bytes = version.get(file);
    if (bytes !== undefined) return readLock(file, bytes);
    if (folder === ".") return { lock: null, problem: null };
  }
}

/** Plans share a lock. */
const locks = new WeakMap<Uint8Array, LockState>();

function readLock(file: string, bytes: Uint8Array): LockState {
  const state = locks.get(bytes) ?? parsedLock(file, bytes);
  locks.set(bytes, state);
  return state;
}

function parsedLock(file: string, bytes: Uint8Array): LockState {
  try {
    return { lock: ToolLock.parse(decode(bytes)), problem: null };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { lock: null, problem: `\`${file}\` is unusable: ${error.message} (\`${error.code}\`)` };
  }
}
