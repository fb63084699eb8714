/** The loader for webpack, Rspack and Turbopack. */
import { internals } from "stepgraph";
import { loadPlan, targetOf } from "./load-plan.js";
import { LOADER_OPTIONS, type PlanLoaderOptions } from "./options.js";

export type { PlanLoaderOptions } from "./options.js";

/** The used part of webpack. */
export interface WebpackLoaderContext {
  readonly resourcePath: string;
  getOptions(): PlanLoaderOptions;
  addDependency(file: string): void;
  emitWarning(warning: Error): void;
}

/**
 * Imports plan files. A plan's errors are errors of the build.
 *
 * @example
 * module: { rules: [{ test: /\.plan\.ya?ml$/, type: "javascript/esm", use: "stepgraph/webpack" }] }
 */
export default function stepgraph(this: WebpackLoaderContext): string {
  const options = this.getOptions();
  internals.assertOptions("stepgraph/webpack", options, LOADER_OPTIONS);
  const plan = loadPlan(this.resourcePath, targetOf(options, "init"), options.types);
  if (plan === null)
    throw new Error(
      "the file is no plan: it has no `nodes` at the top. Exclude it from the rule of `stepgraph/webpack`",
    );
  for (const file of plan.files) this.addDependency(file);
  if (plan.errors.length > 0) throw new Error(plan.report);
  if (plan.warnings.length > 0) this.emitWarning(new Error(plan.report));
  return plan.code;
}
