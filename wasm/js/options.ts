/**
 * What callers give, looked at before it is used: unknown options and limits that are no bounds are refused.
 *
 * An option that is misspelt and ignored is a bound that doesn't hold, or a signal that nobody hears.
 */
import { PlanError } from "./errors.js";
import type { Limits, RunOptions } from "./types.js";

/** A list of all keys that the compiler holds complete. */
type Keys<T> = Record<keyof Required<T>, true>;

const RUN: Keys<RunOptions> = {
  input: true,
  outputs: true,
  memory: true,
  context: true,
  handlers: true,
  byId: true,
  tools: true,
  models: true,
  stubs: true,
  limits: true,
  signal: true,
  onApproval: true,
  allow: true,
  decisions: true,
  snapshot: true,
  key: true,
  acceptChangedPlan: true,
  onEvent: true,
  onUpdate: true,
  onCall: true,
  clock: true,
  trace: true,
  record: true,
  replay: true,
  planHash: true,
  runId: true,
};

const LIMITS: Keys<Limits> = {
  visits: true,
  steps: true,
  calls: true,
  timeout_ms: true,
  tokens: true,
  output_bytes: true,
};

/** @internal Refuses options that nobody reads. An option that is undefined counts as left out. */
export function assertOptions<T extends object>(of: string, given: T, known: Keys<T>): void {
  for (const name in given) {
    if (given[name] === undefined || Object.hasOwn(known, name)) continue;
    throw new PlanError("api/unknown-option", `${of} takes no \`${name}\`; it takes ${Object.keys(known).join(", ")}`);
  }
}

/** @internal Refuses what is given where it can't be used, each with the way to it. */
export function refuseOptions(of: string, given: object, elsewhere: Readonly<Record<string, string>>): void {
  for (const [name, instead] of Object.entries(elsewhere)) {
    if ((given as Record<string, unknown>)[name] === undefined) continue;
    throw new PlanError("api/unknown-option", `${of} takes no \`${name}\`: ${instead}`);
  }
}

/** @internal The same for a run, with its limits. */
export function assertRunOptions(options: RunOptions): void {
  assertOptions("a run", options, RUN);
  assertLimits(options.limits);
}

/** @internal Refuses what bounds nothing: a limit that is unknown, negative or no number. */
export function assertLimits(limits: Limits | undefined): void {
  if (limits === undefined || limits === null) return;
  assertOptions("`limits`", limits, LIMITS);
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    const whole = name !== "timeout_ms" && name !== "tokens" && name !== "output_bytes";
    const fits =
      typeof value === "number" && value >= 0 && Number.isFinite(value) && (!whole || Number.isInteger(value));
    if (value !== undefined && !fits) {
      const wanted = whole ? "a whole number from 0 up" : "a number from 0 up";
      throw new PlanError("api/bad-limit", `\`limits.${name}\` is ${wanted}, not ${String(value)}`);
    }
  }
}
