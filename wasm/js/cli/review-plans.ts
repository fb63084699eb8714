/** Pairs the plans of two versions: by path, and moved ones by their meaning. */
import { posix } from "node:path";
import { PlanGraph } from "../node.js";
import { fileTexts, type KnownFiles, readMissingSync } from "../package-internals.js";
import { decode } from "./io.js";
import { isPlan } from "./detect-plan.js";
import type { VersionFiles } from "./review-versions.js";

/** A plan's text, with the files that it runs. */
export interface FoundPlan {
  text: string;
  files: Record<string, string>;
  /** Null for a plan with errors. */
  hash: string | null;
}

/** One plan in both versions. */
export interface PlanPair {
  file: string;
  previousFile?: string;
  before: FoundPlan | null;
  after: FoundPlan | null;
}

/** Returns changed plans by path, and the number of plans that did not change. */
export function pairPlans(before: VersionFiles, after: VersionFiles): { pairs: PlanPair[]; unchanged: number } {
  const [old, now] = [plansOf(before), plansOf(after)];
  const pairs: PlanPair[] = [];
  let unchanged = 0;
  const gone = new Map([...old].filter(([path]) => !now.has(path)));
  for (const [file, plan] of now) {
    const previous = old.get(file);
    if (previous && isSame(previous, plan)) unchanged++;
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

/** A plan that only other plans run is reviewed as a part of them, and alone. */
function plansOf(version: VersionFiles): Map<string, FoundPlan> {
  const found = new Map<string, FoundPlan>();
  for (const [path, bytes] of version) {
    if (path.endsWith("stepgraph.lock")) continue;
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
  return { text, files: fileTexts(files), hash };
}
