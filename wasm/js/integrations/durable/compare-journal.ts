/**
 * Decides whether a durable run may continue with a changed plan, and moves it there. A replay of the journal leads to
 * the place that `compareRun` compares.
 */
import {
  compareRun,
  type ConflictCode,
  internals,
  PlanError,
  type PlanGraph,
  type Report,
  type RunComparison,
} from "stepgraph";
import { HEAD, type Head, readHead } from "./journal-entry.js";
import type { Journal, JournalAnswer } from "./journal.js";
import { replayedLines } from "./journal-lines.js";
import type { MemoryJournal } from "./memory-journal.js";
import { newHostPart } from "./new-host-parts.js";
import type { DurableOptions } from "./options.js";
import { pricedForReplay } from "./replay-prices.js";

/** @internal `runDurable`, which moves runs itself. */
export type Drive = (plan: PlanGraph, journal: Journal, options: DurableOptions) => Promise<Report>;

/** Options of `compareJournal`: those of the run, and these. */
export type CompareJournalOptions = DurableOptions & {
  /** The run's plan. It proves more, and improves messages. */
  from?: PlanGraph;
};

/** @internal */
export async function compareLines(
  drive: Drive,
  graph: PlanGraph,
  lines: readonly string[],
  { from, ...options }: CompareJournalOptions,
): Promise<RunComparison> {
  const own = replayedLines(lines);
  const head = headOf(own);
  if (head === null) return { proved: true, conflicts: [] };
  if (from !== undefined && from.hash !== head.plan.hash)
    throw new PlanError("api/bad-option", "`from` of `compareJournal` is not the plan of the run");
  const plan = from ?? graph;
  const isSame = head.plan.hash === graph.hash;
  const { onEvent: _onEvent, onUpdate: _onUpdate, planHash: _hash, acceptChangedPlan: _accept, ...rest } = options;
  const { lock: _lock, ...given } = rest;
  const models = given.models && { models: pricedForReplay(given.models) };
  const replay = (plan: PlanGraph) =>
    drive(plan, replayJournal(own, { ...head, plan: plan.fingerprint }), { ...given, ...models, trace: false });
  let report: Report;
  try {
    report = await replay(plan);
  } catch (error) {
    if (isSame || from !== undefined || !(error instanceof PlanError) || !MISFITS.has(error.code)) throw error;
    return refused("upgrade/diverged", `the answers of the run do not fit the changed plan: ${error.message}`);
  }
  const { snapshot, outcome } = report;
  if (snapshot === null) {
    if (!isSame && isUnbound(outcome)) return lacksHost(null);
    const isReplayed = isSame || outcome.type !== "failed" || outcome.code !== "run/plan-changed";
    return isReplayed ? endedRun() : refused("upgrade/plan-changed", "the run began from a snapshot of another plan");
  }
  if (isSame) return { proved: true, conflicts: [] };
  if (from === undefined && !internals.hasSameStart(head.plan.parts, graph.fingerprint.parts))
    return refused("upgrade/start-changed", "the plan may begin at another node now");
  const compared = compareRun(graph, { ...snapshot, plan: head.plan }, from === undefined ? {} : { from });
  if (!compared.proved) return compared;
  const lacking = newHostPart(graph, head.host, options);
  // The changed plan has to run with the host that the run began with.
  const isLacking = lacking !== null || (from !== undefined && isUnbound((await replay(graph)).outcome));
  return isLacking ? lacksHost(lacking) : compared;
}

function isUnbound(outcome: Report["outcome"]): boolean {
  return outcome.type === "failed" && outcome.code === "run/invalid-plan";
}

function lacksHost(part: string | null): RunComparison {
  const what = part ?? "a handler, model or tool";
  return refused("upgrade/host-changed", `the changed plan needs ${what}, and the run began without it`);
}

/** A changed node may read a decision as a call's answer. */
const MISFITS = new Set(["durable/diverged", "durable/bad-entry"]);

/** @internal */
export function endedRun(): RunComparison {
  return refused("upgrade/ended", "the run has ended, so there is nothing to continue", "begin a new run");
}

function refused(code: ConflictCode, message: string, help = "finish the run with the old plan"): RunComparison {
  return { proved: false, conflicts: [{ code, node: null, message, help, line: null, column: null }] };
}

function headOf([line]: readonly string[]): Head | null {
  if (line === undefined) return null;
  const { name, value } = JSON.parse(line) as Partial<JournalAnswer>;
  return name === HEAD ? readHead(HEAD, Object(value) as Record<string, unknown>) : null;
}

/** Answers recorded steps, then waits where the run waits. */
function replayJournal([, ...lines]: readonly string[], head: Head): Journal {
  const answers: (JournalAnswer | { cancelled: true })[] = [{ name: HEAD, value: head }];
  for (const line of lines) answers.push(JSON.parse(line) as JournalAnswer);
  let next = 0;
  return {
    begin() {},
    abandon() {},
    race: async () => {
      const answer = answers[next++];
      return answer === undefined ? "paused" : "name" in answer ? answer : null;
    },
  };
}

/** @internal Moves a run to the first plan, if proved. Throws if the run has no plan then. */
export async function upgradeJournal(
  drive: Drive,
  [graph, ...older]: readonly [PlanGraph, ...PlanGraph[]],
  journal: Journal,
  options: DurableOptions,
): Promise<void> {
  if (!("movePlan" in journal))
    throw new PlanError(
      "api/bad-option",
      "`acceptChangedPlan` needs a journal that keeps its entries or records work, such as `fileJournal`; " +
        "with other engines pass the plans of all runs: `runDurable([plan, older], …)`",
    );
  const kept = journal as MemoryJournal;
  const head = headOf(kept.replayedLines);
  if (head === null || head.plan.hash === graph.hash) return;
  const from = older.find(({ hash }) => hash === head.plan.hash);
  const compared = await compareLines(drive, graph, kept.lines, { ...options, ...(from && { from }) });
  if (compared.proved) return kept.movePlan(graph.fingerprint);
  if (from === undefined)
    throw new PlanError(
      "run/plan-changed",
      `the plan has changed since the run began: ${internals.listSome(compared.conflicts.map(internals.conflictText))}`,
    );
}
