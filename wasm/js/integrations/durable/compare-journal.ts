/**
 * Decides whether a durable run may continue with a changed plan, and moves it there.
 *
 * A journal holds the answers of the run. A replay of them leads to the place where the run stands, and `compareRun`
 * compares that place with the changed plan.
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
import type { DurableOptions } from "./options.js";
import { pricedForReplay } from "./replay-prices.js";

/** @internal `runDurable`. A parameter, because it moves runs itself. */
export type Drive = (plan: PlanGraph, journal: Journal, options: DurableOptions) => Promise<Report>;

/** Options of `compareJournal`: those of the run, and these. */
export type CompareJournalOptions = DurableOptions & {
  /** The plan of the run. With it, more is proved, and messages name what changed. */
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
  // The run has listed its tools.
  const { lock: _lock, ...given } = rest;
  let report: Report;
  try {
    report = await drive(plan, replayJournal(own, { ...head, plan: plan.fingerprint }), {
      ...given,
      ...(given.models && { models: pricedForReplay(given.models) }),
      trace: false,
    });
  } catch (error) {
    if (isSame || from !== undefined || !(error instanceof PlanError) || !MISFITS.has(error.code)) throw error;
    return refused("upgrade/diverged", `the answers of the run do not fit the changed plan: ${error.message}`);
  }
  const { snapshot, outcome } = report;
  if (snapshot === null) {
    const isReplayed = isSame || outcome.type !== "failed" || outcome.code !== "run/plan-changed";
    return isReplayed ? endedRun() : refused("upgrade/plan-changed", "the run began from a snapshot of another plan");
  }
  if (isSame) return { proved: true, conflicts: [] };
  // The replay of the changed plan began at its own start.
  if (from === undefined && !internals.hasSameStart(head.plan.parts, graph.fingerprint.parts))
    return refused("upgrade/start-changed", "the plan may begin at another node now");
  return compareRun(graph, { ...snapshot, plan: head.plan }, from === undefined ? {} : { from });
}

/** A changed node may read a decision as the answer of a call. */
const MISFITS = new Set(["durable/diverged", "durable/bad-entry"]);

/** @internal */
export function endedRun(): RunComparison {
  return refused("upgrade/ended", "the run has ended, so there is nothing to continue", "begin a new run");
}

function refused(code: ConflictCode, message: string, help = "finish the run with the old plan"): RunComparison {
  return { proved: false, conflicts: [{ code, node: null, message, help, line: null, column: null }] };
}

/** Returns null for a journal without entries. */
function headOf([line]: readonly string[]): Head | null {
  if (line === undefined) return null;
  const { name, value } = JSON.parse(line) as Partial<JournalAnswer>;
  return name === HEAD ? readHead(HEAD, Object(value) as Record<string, unknown>) : null;
}

/** Returns the recorded answers, and then stands where the run stands. It makes no call. */
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

/** @internal Moves a run to the first plan, if that is proved. Throws if the run then has no plan. */
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
