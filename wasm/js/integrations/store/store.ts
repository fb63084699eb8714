/**
 * Runs in a database that several processes share.
 *
 * A run's journal is stored entry by entry, before the run continues. Any process with the same host continues a run
 * whose process has ended. Open approvals and decisions are rows, so that other programs can list and decide them.
 */
import {
  type Approval,
  type Decision,
  internals,
  type Outcome,
  PlanError,
  PlanGraph,
  type Report,
  type RunComparison,
  type TraceEvent,
} from "stepgraph";
import type { Kinds } from "../../options.js";
import { compareJournal, runDurable } from "../durable/driver.js";
import type { MemoryJournal } from "../durable/memory-journal.js";
import { assertDurable, DURABLE, type DurableOptions } from "../durable/options.js";
import type { StoreDatabase } from "./database.js";
import { type ApprovalRow, type RunRow, toApproval, toRun } from "./query-rows.js";
import { hostOf, replayedEvents } from "./replayed-events.js";
import { RunRows, type StartValues } from "./run-rows.js";
import { storedCassette } from "./stored-cassette.js";

/** How a stored run stands. `interrupted`: its process ended before the run did. */
export type StoredStatus = "running" | "paused" | "interrupted" | Outcome["type"];

/** A run of a store. */
export interface StoredRun {
  id: string;
  /** The plan's `id`, or null. */
  name: string | null;
  planHash: string;
  status: StoredStatus;
  /** How it ended. Null before. */
  outcome: Outcome | null;
  /** Milliseconds since the epoch. */
  startedMs: number;
  updatedMs: number;
}

/** A request for a decision. */
export interface StoredApproval {
  run: string;
  /** The call's name, the key of the decision. */
  call: string;
  approval: Approval;
  /** Milliseconds since the epoch. */
  askedMs: number;
  /** When the node's `timeout_ms` ends it, in milliseconds since the epoch. Null without a deadline. */
  dueMs: number | null;
  /** Whether the run still waits for it. */
  open: boolean;
  decision: Decision | null;
  decidedMs: number | null;
  /** Who decided, as far as the program said. */
  decidedBy: string | null;
}

/** Options of a run in a store: those of a durable run, and these. */
export type StoreRunOptions = Omit<DurableOptions, "runId"> & {
  /** The run's id. A known run continues, and needs no `input`. Default: a new one. */
  runId?: string;
  /** `pause` (default) ends with the outcome `paused` if only decisions are missing. `wait` waits for them. */
  approvals?: "pause" | "wait";
  /** Takes a run from a process that may still have it, without waiting for its lease to end. */
  takeOver?: boolean;
  /**
   * Aborting it ends this call with the outcome `cancelled`, or `paused` if an approval is open. The run itself is then
   * `interrupted`: the next `run` continues it.
   */
  signal?: AbortSignal;
};

const RUN_OPTIONS: Kinds<StoreRunOptions> = {
  ...DURABLE,
  approvals: "=pause|=wait",
  takeOver: "flag",
  signal: "signal",
  // SQLite drivers end the process on NUL.
  runId: "place",
};

/** A page of rows. `next` is the `after` of the next page, or null. */
export interface StoredRunPage {
  runs: StoredRun[];
  next: string | null;
}

/** Filter of `runs`. */
export interface StoredRunFilter {
  status?: StoredStatus;
  /** Default 50. */
  limit?: number;
  /** The `next` of the previous page. */
  after?: string;
}

/** Filter of `approvals`. */
export interface StoredApprovalFilter {
  run?: string;
  /** `false` lists decided ones too. Default true. */
  open?: boolean;
}

/** Runs, approvals and decisions in a database. */
export class RunStore {
  readonly #db: StoreDatabase;

  /** @internal Use `openStore`. */
  constructor(db: StoreDatabase) {
    this.#db = db;
  }

  /**
   * Runs a plan, or continues the run `runId`. A finished run returns its report again.
   *
   * A known run continues with its own plan. With `acceptChangedPlan` it moves to `graph`, or is refused.
   *
   * @throws PlanError `store/busy` if another process has the run, `store/failed` if the database fails,
   * `run/plan-changed` if `acceptChangedPlan` is set and nothing proves the changed plan, and as `runDurable`.
   * @example
   * const report = await store.run(graph, { runId: "order-17", input, tools });
   */
  async run(graph: PlanGraph, options: StoreRunOptions = {}): Promise<Report> {
    internals.assertPlan("RunStore.run", graph);
    assertDurable<StoreRunOptions>(options, "RunStore.run", RUN_OPTIONS);
    const { approvals = "pause", takeOver = false, signal, ...durable } = options;
    const runId = durable.runId ?? internals.randomId();
    const rows = new RunRows(this.#db, runId);
    try {
      const begun = await rows.open(graph, durable, takeOver);
      // A started run continues with its own plan. The report refers to it, so nothing frees it here.
      const isSame = begun.planHash === graph.hash;
      if (!isSame && durable.acceptChangedPlan !== undefined)
        await this.#upgrade(graph, rows, { ...begun.start, ...durable, runId });
      const plan = isSame || durable.acceptChangedPlan !== undefined ? graph : await this.plan(runId);
      const journal = rows.journal(plan, approvals === "pause");
      const running = runDurable(plan, journal, { ...begun.start, ...durable, runId });
      const report = await interruptible(running, journal, signal);
      const isOver = report.outcome.type === "completed" || report.outcome.type === "failed";
      if (isOver || !signal?.aborted) await rows.end(report.outcome);
      return report;
    } finally {
      await rows.release();
    }
  }

  /**
   * Compares a changed plan with what a run has done and waits for. `run` with `acceptChangedPlan` moves a run that is
   * proved to the changed plan.
   *
   * @throws PlanError `store/unknown-run`
   * @example
   * const { proved, conflicts } = await store.compare(changed, "order-17");
   */
  async compare(graph: PlanGraph, id: string): Promise<RunComparison> {
    internals.assertPlan("RunStore.compare", graph);
    return this.#fromJournal(id, async (from, start, lines) => {
      const host = hostOf(lines);
      if (host === null) return { proved: true, conflicts: [] };
      return compareJournal(graph, lines, { ...start, ...host, from });
    });
  }

  /** Moves a run that this process has to a changed plan. */
  async #upgrade(graph: PlanGraph, rows: RunRows, options: DurableOptions): Promise<void> {
    const from = await this.plan(options.runId!);
    try {
      const { acceptChangedPlan: _accept, ...given } = options;
      const { proved, conflicts } = await compareJournal(graph, rows.lines, { ...given, from });
      if (!proved)
        throw new PlanError(
          "run/plan-changed",
          `the plan has changed since the run began: ${internals.listSome(conflicts.map(internals.conflictText))}`,
        );
      await rows.movePlan(graph);
    } finally {
      from.free();
    }
  }

  async #lines(id: string): Promise<string[]> {
    const rows = await this.#db.all<{ text: string }>(
      "SELECT text FROM stepgraph_entries WHERE run = ? ORDER BY number",
      id,
    );
    return rows.map(({ text }) => text);
  }

  /** Lists runs, the newest first. */
  async runs(filter: StoredRunFilter = {}): Promise<StoredRunPage> {
    internals.assertOptions("RunStore.runs", filter, RUNS);
    const { status, limit = 50, after } = filter;
    if (limit < 1) throw new PlanError("api/bad-option", "`limit` of `RunStore.runs` is a whole number from 1 up");
    const now = Date.now();
    const found = await this.#db.all<RunRow>(
      `SELECT r.id, r.plan, p.name, ${STATUS} AS status, r.outcome, r.started, r.updated FROM stepgraph_runs r
       LEFT JOIN stepgraph_plans p ON p.hash = r.plan
       WHERE (${STATUS} = ? OR ? = '') AND (? = '' OR (r.started, r.id) < (SELECT started, id FROM stepgraph_runs WHERE id = ?))
       ORDER BY r.started DESC, r.id DESC LIMIT ${limit + 1}`,
      now,
      now,
      status ?? "",
      status ?? "",
      after ?? "",
      after ?? "",
    );
    const runs = found.slice(0, limit).map(toRun);
    return { runs, next: found.length > limit ? runs.at(-1)!.id : null };
  }

  /** Returns a run, or null for an unknown id. */
  async get(id: string): Promise<StoredRun | null> {
    internals.assertKind("RunStore.get", "id", id, "place");
    const [row] = await this.#db.all<RunRow>(
      `SELECT r.id, r.plan, p.name, ${STATUS} AS status, r.outcome, r.started, r.updated FROM stepgraph_runs r
       LEFT JOIN stepgraph_plans p ON p.hash = r.plan WHERE r.id = ?`,
      Date.now(),
      id,
    );
    return row === undefined ? null : toRun(row);
  }

  /**
   * Returns the events of a run so far. They follow from its journal, so they are not stored.
   *
   * @throws PlanError `store/unknown-run`
   */
  async events(id: string): Promise<TraceEvent[]> {
    return this.#fromJournal(id, replayedEvents);
  }

  /**
   * Returns the cassette of a run so far, for `replay`, `fork` and `testFromRun`. Values under secret names are
   * removed.
   *
   * @throws PlanError `store/unknown-run`, `durable/value-lost` if a result is in a storage of its own.
   */
  async cassette(id: string): Promise<string[]> {
    return this.#fromJournal(id, storedCassette);
  }

  async #fromJournal<T>(
    id: string,
    read: (graph: PlanGraph, start: StartValues, lines: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const graph = await this.plan(id);
    try {
      const [run] = await this.#db.all<{ given: string }>("SELECT given FROM stepgraph_runs WHERE id = ?", id);
      return await read(graph, JSON.parse(run!.given) as StartValues, await this.#lines(id));
    } finally {
      graph.free();
    }
  }

  /**
   * Returns the plan with which a run began.
   *
   * @throws PlanError `store/unknown-run`
   */
  async plan(id: string): Promise<PlanGraph> {
    internals.assertKind("RunStore.plan", "id", id, "place");
    const [row] = await this.#db.all<{ text: string }>(
      "SELECT p.text FROM stepgraph_runs r JOIN stepgraph_plans p ON p.hash = r.plan WHERE r.id = ?",
      id,
    );
    if (row === undefined) throw unknownRun(this.#db.location, id);
    return PlanGraph.load(row.text);
  }

  /** Lists requests for decisions, the oldest first. Default: all that are open. */
  async approvals(filter: StoredApprovalFilter = {}): Promise<StoredApproval[]> {
    internals.assertOptions("RunStore.approvals", filter, APPROVALS);
    const { run = "", open = true } = filter;
    const rows = await this.#db.all<ApprovalRow>(
      `SELECT run, call, approval, asked, due, open, decision, decided, decided_by FROM stepgraph_approvals
       WHERE (run = ? OR ? = '') AND (open = 1 AND decision IS NULL OR ? = 0) ORDER BY asked, run, call`,
      run,
      run,
      open ? 1 : 0,
    );
    return rows.map(toApproval);
  }

  /**
   * Decides an approval. The run goes on when a process continues it, or at once if one waits for it. The first
   * decision holds.
   *
   * @throws PlanError `store/unknown-approval`, `store/decided` if a decision is there or the run no longer waits,
   * `api/bad-option` for a value that is no decision.
   */
  async decide(run: string, call: string, decision: Decision, by?: string): Promise<void> {
    internals.assertKind("RunStore.decide", "decision", decision, "decision");
    for (const [name, value] of Object.entries({ run, call, by: by ?? "" }))
      internals.assertKind("RunStore.decide", name, value, "place");
    const done = await this.#db.all(
      `UPDATE stepgraph_approvals SET decision = ?, decided = ?, decided_by = ?
       WHERE run = ? AND call = ? AND open = 1 AND decision IS NULL RETURNING call`,
      JSON.stringify(decision),
      Date.now(),
      by ?? null,
      run,
      call,
    );
    if (done.length > 0) return;
    const known = (await this.approvals({ run, open: false })).find((one) => one.call === call);
    if (known === undefined)
      throw new PlanError("store/unknown-approval", `run \`${run}\` asked for no decision on \`${call}\``);
    const why =
      known.decision === null
        ? "the run no longer waits for it"
        : `it was decided${known.decidedBy === null ? "" : ` by ${known.decidedBy}`}`;
    throw new PlanError("store/decided", `\`${call}\` of run \`${run}\` can't be decided: ${why}`);
  }

  /** Deletes a run that no process has. Returns false for an unknown id, and while a process has it. */
  async delete(id: string): Promise<boolean> {
    internals.assertKind("RunStore.delete", "id", id, "place");
    const gone = await this.#db.all(
      "DELETE FROM stepgraph_runs WHERE id = ? AND (holder IS NULL OR lease < ?) RETURNING id",
      id,
      Date.now(),
    );
    if (gone.length === 0) return false;
    for (const table of ["entries", "approvals"])
      await this.#db.all(`DELETE FROM stepgraph_${table} WHERE run = ?`, id);
    await this.#db.all("DELETE FROM stepgraph_plans WHERE hash NOT IN (SELECT plan FROM stepgraph_runs)");
    return true;
  }

  /** Closes a database that `openStore` opened. */
  async close(): Promise<void> {
    await this.#db.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function interruptible(
  running: Promise<Report>,
  journal: MemoryJournal,
  signal: AbortSignal | undefined,
): Promise<Report> {
  const stop = () => journal.interrupt();
  signal?.addEventListener("abort", stop, { once: true });
  // The run has begun, and with that rewound its journal.
  if (signal?.aborted) stop();
  try {
    return await running;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** A run whose lease has ended is interrupted. Takes the time as its value. */
const STATUS = "CASE WHEN r.status = 'running' AND r.lease < ? THEN 'interrupted' ELSE r.status END";

const RUNS: Kinds<StoredRunFilter> = {
  status: "=running|=paused|=interrupted|=completed|=failed|=cancelled",
  limit: "count",
  after: "place",
};
const APPROVALS: Kinds<StoredApprovalFilter> = { run: "place", open: "flag" };

function unknownRun(location: string, id: string): PlanError {
  return new PlanError("store/unknown-run", `${location} has no run \`${id}\``);
}
