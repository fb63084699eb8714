/** The plugin for Vite, Vitest and Rollup. */
import { internals } from "stepgraph";
import { type Finding, loadPlan, PLAN_FILE, targetOf } from "./load-plan.js";
import { LOADER_OPTIONS, type PlanLoaderOptions } from "./options.js";

export type { PlanLoaderOptions } from "./options.js";

/** A message of the plugin. */
export interface VitePluginMessage {
  message: string;
  id: string;
  loc: { file: string; line: number; column: number };
  frame: string;
}

/** The used part of Vite. */
export interface VitePluginContext {
  addWatchFile(file: string): void;
  warn(message: VitePluginMessage): void;
  /** Ends the build. */
  error(message: VitePluginMessage): never;
}

/** A plugin for Vite's `plugins`. */
export interface VitePlugin {
  name: string;
  enforce: "pre";
  load(this: VitePluginContext, id: string): { code: string; map: null; moduleType: "js" } | null;
}

/**
 * Imports plan files. A plan's errors are errors of the build.
 *
 * @example
 * export default defineConfig({ plugins: [stepgraph({ types: true })] });
 */
export default function stepgraph(options: PlanLoaderOptions = {}): VitePlugin {
  internals.assertOptions("stepgraph/vite", options, LOADER_OPTIONS);
  const target = targetOf(options, "init");
  return {
    name: "stepgraph",
    // Before plugins for other YAML files.
    enforce: "pre",
    load(id) {
      // Vite answers `plan.yaml?raw`. Other plugins' addresses are no files.
      if (!PLAN_FILE.test(id) || id.startsWith("\0")) return null;
      const plan = loadPlan(id, target, options.types);
      if (plan === null) return null;
      for (const file of plan.files) this.addWatchFile(file);
      const message = (finding: Finding) => toMessage(finding, id, plan.report);
      if (plan.errors.length > 0) this.error(message(plan.errors[0]!));
      for (const warning of plan.warnings) this.warn(message(warning));
      return { code: plan.code, map: null, moduleType: "js" };
    },
  };
}

function toMessage({ message, help, file, line, column }: Finding, id: string, frame: string): VitePluginMessage {
  return { message: help === null ? message : `${message}; ${help}`, id, loc: { file, line, column }, frame };
}
