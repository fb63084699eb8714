/** Refuses a saved run's decisions for a new run, whose calls no user approved. */
import { PlanError } from "./errors.js";
import { decisionOf, isDecision } from "./guards.js";
import { describeValue } from "./option-kinds.js";
import type { Decision, RunOptions } from "./types.js";

type Decisions = Record<string, Decision>;

const fromClients = new WeakMap<Decisions, ReadonlyMap<string, string | undefined>>();

/** @internal Adds the run to a call's name, which all runs of a plan share. */
export function approvalId(call: string, runId: string | undefined): string {
  return runId === undefined ? call : `${call}#${runId}`;
}

/** @internal */
export function readApprovalId(id: string): { call: string; runId: string | undefined } {
  const cut = id.lastIndexOf("#");
  return cut < 0 ? { call: id, runId: undefined } : { call: id.slice(0, cut), runId: id.slice(cut + 1) };
}

/**
 * @internal Only the run that asked accepts these decisions.
 *
 * @throws PlanError `api/bad-option` for two decisions on one approval
 */
export function decisionsFromClient(decided: readonly (readonly [id: string, decision: Decision])[]): Decisions {
  const runs = new Map<string, string | undefined>();
  const entries = decided.map(([id, decision]): [string, Decision] => {
    const { call, runId } = readApprovalId(id);
    if (runs.has(call)) throw new PlanError("api/bad-option", `there are two decisions on \`${call}\``);
    runs.set(call, runId);
    return [call, decision];
  });
  const decisions = Object.fromEntries(entries);
  fromClients.set(decisions, runs);
  return decisions;
}

/**
 * @internal New runs accept decisions known in advance. An undefined property `snapshot` means that no run to resume
 * was found.
 *
 * @throws PlanError `api/bad-option`, `snapshot/missing`, `snapshot/other-run`
 */
export function assertDecisions(options: RunOptions, of: string): void {
  const { decisions, snapshot, store } = options;
  if (decisions === undefined) return;
  // A typo would fail the run, and its snapshot with it.
  for (const [call, decision] of Object.entries<unknown>(decisions))
    if (decision !== undefined && !isDecision(decision))
      throw new PlanError(
        "api/bad-option",
        `\`decisions\` of \`${of}\` takes \`approved\`, \`rejected\` or \`{ value }\` for \`${call}\`, not ${describeValue(decision, "=")}`,
      );
  if (store !== undefined) return;
  if (snapshot !== undefined) return assertSameRun(fromClients.get(decisions), snapshot.run, of);
  const forSavedRun = Object.hasOwn(options, "snapshot") || fromClients.has(decisions);
  if (!forSavedRun || Object.keys(decisions).length === 0) return;
  throw new PlanError(
    "snapshot/missing",
    `\`${of}\` takes these \`decisions\` only with the \`snapshot\` of the run that waits for them: if it is gone, ` +
      "refuse the request",
  );
}

/** @internal Copies them. A getter or a later change would give another decision than the one that was checked. */
export function withOwnDecisions(options: RunOptions): RunOptions {
  if (options.decisions === undefined) return options;
  const own = Object.entries(options.decisions).map(([call, decision]) => [call, decisionOf(decision) ?? decision]);
  return { ...options, decisions: Object.fromEntries(own) as Decisions };
}

/** A repeated request could approve another run's call. */
function assertSameRun(
  runs: ReadonlyMap<string, string | undefined> | undefined,
  run: string | undefined,
  of: string,
): void {
  // Unknown if the program shows plain names of calls.
  for (const [call, asker] of runs ?? [])
    if (asker !== undefined && asker !== run)
      throw new PlanError(
        "snapshot/other-run",
        `\`${of}\` got a decision on \`${call}\` that another run asked for: refuse the request`,
      );
}
