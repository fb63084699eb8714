/** Refuses decisions of a saved run for a new one, which would then call tools that nobody was asked about. */
import { PlanError } from "./errors.js";
import type { Decision, RunOptions } from "./types.js";

type Decisions = Record<string, Decision>;

const fromClients = new WeakSet<Decisions>();

/** @internal Marks decisions from a request: only a run with a snapshot accepts them. */
export function markFromClient(decisions: Decisions): Decisions {
  fromClients.add(decisions);
  return decisions;
}

/**
 * @internal A new run accepts decisions that its program knows in advance. If `snapshot` is there but undefined, the
 * program wanted to resume a run and found none.
 *
 * @throws PlanError `snapshot/missing`
 */
export function assertDecisions(options: RunOptions, of: string): void {
  const { decisions, snapshot, store } = options;
  if (decisions === undefined || snapshot !== undefined || store !== undefined) return;
  const forSavedRun = Object.hasOwn(options, "snapshot") || fromClients.has(decisions);
  if (!forSavedRun || Object.keys(decisions).length === 0) return;
  throw new PlanError(
    "snapshot/missing",
    `\`${of}\` takes these \`decisions\` only with the \`snapshot\` of the run that waits for them: if it is gone, ` +
      "refuse the request",
  );
}
