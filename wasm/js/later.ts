/**
 * Scripts that few runs need. Pages load them for the first run that does.
 *
 * Node, Deno, Bun and the standalone file hold them already: their builds replace the imports here by values, so that
 * nothing waits.
 */
import { PlanError } from "./errors.js";
import { retrying } from "./script-loader.js";

export type RunHistory = typeof import("./run-history.js");
export type RunClients = typeof import("./run-clients.js");
type RunPrices = typeof import("./run-prices.js");

/** A script, or the promise of one that is not loaded yet. */
export type Loading<T> = T | Promise<T>;

/** @internal To record, replay, resume, pause and cancel. */
export const loadHistory = /* @__PURE__ */ loader<RunHistory>(
  "run-history",
  "replay",
  () => import("./run-history.js"),
);
/** @internal For tools and models. */
export const loadClients = /* @__PURE__ */ loader<RunClients>(
  "run-clients",
  "prepareWithTools",
  () => import("./run-clients.js"),
);
/** @internal For prices and limits in US dollars. */
export const loadPrices = /* @__PURE__ */ loader<RunPrices>(
  "run-prices",
  "assertPrices",
  () => import("./run-prices.js"),
);

/** @internal Loads once. After a failure, the next call tries again. */
export function loader<T extends object>(name: string, member: keyof T, load: () => Loading<T>): () => Loading<T> {
  let known: Loading<T> | undefined;
  // Vite's development server would add its client to the import of a variable.
  const importPath = (path: string) => import(/* webpackIgnore: true */ `${path}`) as Promise<T>;
  const loadScript = retrying(member, load, importPath);
  return () => {
    if (known !== undefined) return known;
    const loading = loadScript();
    if (!(loading instanceof Promise)) return (known = loading);
    return (known = loading.then(
      (script) => (known = script),
      (error: unknown) => {
        known = undefined;
        const reason = error instanceof Error ? error.message : String(error);
        throw new PlanError("api/not-loaded", `the script \`${name}\` was not loaded: ${reason}`);
      },
    ));
  };
}
