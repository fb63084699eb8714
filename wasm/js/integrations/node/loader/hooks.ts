/** Node's hook that loads plan files. Before Node 22.15 it has its own thread. */
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadPlan, PLAN_FILE } from "./load-plan.js";

interface Loaded {
  format: string;
  source: string;
  shortCircuit: true;
}

/** The program's library: a plan may lie outside of every package. */
const library = pathToFileURL(createRequire(import.meta.url).resolve("stepgraph")).href;

export function load<Context, Other>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Other,
): Loaded | Other {
  const plan = planFile(url);
  const module = plan === null ? null : loadPlan(plan, { library, start: "none" });
  if (module === null) return next(url, context);
  if (module.errors.length > 0) throw new Error(`\`${plan}\` has errors\n${module.report}`);
  return { format: "module", source: module.code, shortCircuit: true };
}

/** A query loads a file again. */
function planFile(url: string): string | null {
  if (!url.startsWith("file:")) return null;
  const { pathname } = new URL(url);
  return PLAN_FILE.test(pathname) ? fileURLToPath(url) : null;
}
