/** The plugin for esbuild. */
import { internals } from "stepgraph";
import { type Finding, loadPlan, PLAN_FILE, targetOf } from "./load-plan.js";
import { LOADER_OPTIONS, type PlanLoaderOptions } from "./options.js";

export type { PlanLoaderOptions } from "./options.js";

/** The used part of esbuild. */
export interface EsbuildBuild {
  readonly initialOptions: { readonly platform?: string };
  onLoad(options: { filter: RegExp }, load: (file: EsbuildFile) => EsbuildResult | undefined): void;
}

/** A file to load. */
export interface EsbuildFile {
  path: string;
  suffix: string;
}

/** A message of the plugin. */
export interface EsbuildMessage {
  text: string;
  location: { file: string; line: number; column: number; length: number; lineText: string };
  notes: { text: string }[];
}

/** A loaded file. */
export interface EsbuildResult {
  contents?: string;
  loader?: "js";
  errors: EsbuildMessage[];
  warnings: EsbuildMessage[];
  watchFiles: string[];
}

/** A plugin for esbuild's `plugins`. */
export interface EsbuildPlugin {
  name: string;
  setup(build: EsbuildBuild): void;
}

/**
 * Imports plan files. A plan's errors are errors of the build.
 *
 * @example
 * await build({ entryPoints: ["app.ts"], bundle: true, format: "esm", platform: "node", plugins: [stepgraph()] });
 */
export default function stepgraph(options: PlanLoaderOptions = {}): EsbuildPlugin {
  internals.assertOptions("stepgraph/esbuild", options, LOADER_OPTIONS);
  return {
    name: "stepgraph",
    setup({ initialOptions: { platform }, onLoad }) {
      // Node starts the engine on import, and CommonJS has no `await` at the top.
      const target = targetOf(options, platform === "node" ? "none" : "init");
      onLoad({ filter: PLAN_FILE }, ({ path, suffix }) => {
        const plan = suffix === "" ? loadPlan(path, target, options.types) : null;
        if (plan === null) return undefined;
        const { code: contents, errors, warnings, files } = plan;
        const result = {
          errors: errors.map(toMessage),
          warnings: warnings.map(toMessage),
          watchFiles: [path, ...files],
        };
        return errors.length > 0 ? result : { ...result, contents, loader: "js" };
      });
    },
  };
}

/** esbuild counts bytes. */
function toMessage({ message, help, file, line, column, length, lineText }: Finding): EsbuildMessage {
  const bytes = (from: number, to: number) => Buffer.byteLength(lineText.slice(from, to));
  return {
    text: message,
    location: { file, line, column: bytes(0, column), length: bytes(column, column + length), lineText },
    notes: help === null ? [] : [{ text: `help: ${help}` }],
  };
}
