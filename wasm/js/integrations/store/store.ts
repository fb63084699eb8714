/**
 * Runs in a database that processes share. Any with the same host continues a run whose process has ended. Other
 * programs can list and decide approvals, which are rows.
 */
import {
  type Decision,
  internals,
  type Limits,
  PlanError,
  PlanGraph,
  type Report,
  type RunComparison,
  type Snapshot,
  type TraceEvent,
} from "stepgraph";
import type { Kinds } from "../../options.js";
import { endedRun } from "../durable/compare-journal.js";
import { compareJournal, runDurable } from "../durable/driver.js";
import { assertDurable, DURABLE, type DurableOptions } from "../durable/options.js";
import type { StoreDatabase } from "./database.js";
import { assertStorable, assertWritable, isSameEnd, replacedApproval, undecidable, unknownRun } from "./errors.js";
import { interruptible } from "./interruptible.js";
import { divergedError, hostOf, type ReplayedRun, replayedRun, type StoredRunHost } from "./replayed-run.js";
import {
  APPROVALS,
  type ApprovalRow,
  DELETING,
  HELD,
  OPEN,
  runConditions,
  runQuery,
  type RunRow,
  RUNS,
  STATUS,
  type StoredApproval,
  type StoredApprovalFilter,
  type StoredRun,
  type StoredRunFilter,
  type StoredRunPage,
  toApproval,
  toRun,
} from "./rows.js";
import { finishDeletion, RunRows, type StartValues } from "./run-rows.js";
import { RUN_OPTIONS, type StoreRunOptions } from "./store-run-options.js";

export type { StoreRunOptions };

const { context, tools, models, store } = DURABLE;
const HOST: Kinds<StoredRunHost> = { context, tools, models, store };

/** While the run stores an answer. */
const HELD_TRIES = 100;
const HELD_MS = 20;

/** Runs, approvals and decisions in a database. */
export class RunStore {
  readonly #db: StoreDatabase;

  /** @internal Use `openStore`. */
  constructor(db: StoreDatabase) {
    this.#db = db;
  }

  /**
   * Runs a plan, or continues the run `runId`. A finished run returns its report again. A known run continues with its
   * own plan. `acceptChangedPlan` moves it to `graph`, or refuses it.
   *
   * @throws PlanError `store/busy` if another process has the run, `store/failed` if the database fails,
   * `run/plan-changed` if nothing proves an accepted changed plan, and as `runDurable`.
   * @example
   * const report = await store.run(graph, { runId: "order-17", input, tools });
   */
  async run(graph: PlanGraph, options: StoreRunOptions = {}): Promise<Report> {
    internals.assertPlan("RunStore.run", graph);
    assertDurable<StoreRunOptions>(options, "RunStore.run", RUN_OPTIONS);
    const { approvals = "pause", takeOver = false, signal, ...durable } = options;
    const runId = durable.runId ?? internals.randomId();
    assertStorable(graph);
    const refused = await this.#refuse(graph, { ...durable, runId });
    if (refused !== null) return refused;
    const rows = new RunRows(this.#db, runId, durable);
    try {
      const begun = await rows.open(graph, durable, takeOver);
      const isSame = begun.planHash === graph.hash;
      if (!isSame && durable.acceptChangedPlan !== undefined)
        await this.#upgrade(graph, rows, { ...begun.start, ...durable, runId });
      const plan = isSame || durable.acceptChangedPlan !== undefined ? graph : await this.plan(runId);
      const journal = rows.journal(plan, approvals === "pause");
      const running = runDurable(plan, journal, { ...begun.start, ...durable, runId });
      const report = await interruptible(running, journal, signal).finally(() => rows.asked());
      const { outcome } = report;
      const isOver = outcome.type === "completed" || outcome.type === "failed";
      const isRefused = outcome.type === "failed" && outcome.code === "run/plan-changed";
      if (!isRefused && (isOver || !signal?.aborted)) await rows.end(outcome);
      return report;
    } catch (error) {
      // No process could continue this run.
      if (error instanceof PlanError && error.code === "snapshot/unusable") await rows.removeNew();
      throw error;
    } finally {
      // The run is stored. The lease's end frees it too.
      await rows.release().catch(() => {});
    }
  }

  /** @internal Throws, or returns a report, if `run` would refuse the plan or its models. */
  async refusal(graph: PlanGraph, { runId, ...given }: DurableOptions & { runId: string }): Promise<Report | null> {
    const refused = await this.#refuse(graph, { ...given, runId });
    const known = await this.get(runId);
    if (refused !== null || known === null) return refused;
    const isOwn = known.planHash === graph.hash;
    if (!isOwn && given.acceptChangedPlan !== undefined)
      await this.#assertProved(graph, await this.journal(runId), { ...(await this.#start(runId)), ...given, runId });
    const plan = isOwn || given.acceptChangedPlan !== undefined ? graph : await this.plan(runId);
    const { models } = given;
    return internals.rejectUnpriced(plan, { limits: (await this.limits(runId)) ?? {}, ...(models && { models }) });
  }

  /** A refused plan must not become a run's. */
  async #refuse(
    graph: PlanGraph,
    { runId, planHash, acceptChangedPlan }: StoreRunOptions & { runId: string },
  ): Promise<Report | null> {
    const moves = acceptChangedPlan !== undefined;
    if (planHash === undefined) return null;
    const known = await this.get(runId);
    const isOwn = known === null || known.planHash === graph.hash || moves;
    const plan = isOwn ? graph : await this.plan(runId);
    const message = internals.planChanges(plan, { planHash });
    return message === null
      ? null
      : internals.rejectRun(plan, {}, { type: "failed", code: "run/plan-changed", message }).report;
  }

  /**
   * Compares a changed plan with a run's finished and pending calls. A proved run moves with `acceptChangedPlan`.
   *
   * @throws PlanError `store/unknown-run`
   * @example
   * const { proved, conflicts } = await store.compare(changed, "order-17");
   */
  async compare(graph: PlanGraph, id: string): Promise<RunComparison> {
    internals.assertPlan("RunStore.compare", graph);
    const from = await this.plan(id);
    try {
      if (/^(completed|failed)$/.test((await this.get(id))!.status)) return endedRun();
      const lines = await this.journal(id);
      const host = hostOf(lines);
      if (host === null) return { proved: true, conflicts: [] };
      return await compareJournal(graph, lines, { ...(await this.#start(id)), ...host, from });
    } finally {
      from.free();
    }
  }

  async #upgrade(graph: PlanGraph, rows: RunRows, options: DurableOptions): Promise<void> {
    await this.#assertProved(graph, rows.lines, options);
    await rows.movePlan(graph);
  }

  async #assertProved(graph: PlanGraph, lines: readonly string[], options: DurableOptions): Promise<void> {
    const from = await this.plan(options.runId!);
    try {
      const { acceptChangedPlan: _accept, ...given } = options;
      const { proved, conflicts } = await compareJournal(graph, lines, { ...given, from });
      if (!proved)
        throw new PlanError(
          "run/plan-changed",
          `the plan has changed since the run began: ${internals.listSome(conflicts.map(internals.conflictText))}`,
        );
    } finally {
      from.free();
    }
  }

  /** Lists runs, newest first. */
  async runs(filter: StoredRunFilter = {}): Promise<StoredRunPage> {
    internals.assertOptions("RunStore.runs", filter, RUNS);
    const { limit = 50 } = filter;
    if (limit < 1) throw new PlanError("api/bad-option", "`limit` of `RunStore.runs` is a whole number from 1 up");
    for (const one of [filter.status ?? []].flat()) internals.assertKind("RunStore.runs", "status", one, STATUS);
    const [conditions, values] = runConditions(filter);
    const found = await this.#db.all<RunRow>(
      `${runQuery(this.#db)} ${conditions} ORDER BY started DESC, id DESC LIMIT ${limit + 1}`,
      ...values,
    );
    const runs = found.slice(0, limit).map(toRun);
    return { runs, next: found.length > limit ? runs.at(-1)!.id : null };
  }

  /** Returns a run, or null. */
  async get(id: string): Promise<StoredRun | null> {
    internals.assertKind("RunStore.get", "id", id, "place");
    const [row] = await this.#db.all<RunRow>(`${runQuery(this.#db)} WHERE id = ?`, id);
    return row === undefined ? null : toRun(row);
  }

  /**
   * Returns a run's events so far.
   *
   * @throws PlanError `store/unknown-run`, and `durable/diverged` if the plan reads a context that is not there.
   */
  async events(id: string, host: StoredRunHost = {}): Promise<TraceEvent[]> {
    return (await this.#replay("RunStore.events", id, host)).events;
  }

  /**
   * Returns a run's cassette so far, for `run(graph, { replay })`. It has no secrets.
   *
   * @throws PlanError as `events`
   */
  async cassette(id: string, host: StoredRunHost = {}): Promise<string[]> {
    return (await this.#replay("RunStore.cassette", id, host)).cassette;
  }

  /**
   * Returns a run's state for `run(graph, { snapshot })`, or null if it is over. Continue only one of both runs.
   *
   * @throws PlanError as `events`
   */
  async snapshot(id: string, host: StoredRunHost = {}): Promise<Snapshot | null> {
    const { snapshot } = await this.#replay("RunStore.snapshot", id, host);
    return snapshot && { ...snapshot, run: id };
  }

  /**
   * Returns a run's journal, for a `MemoryJournal`.
   *
   * @throws PlanError `store/unknown-run`
   */
  async journal(id: string): Promise<string[]> {
    internals.assertKind("RunStore.journal", "id", id, "place");
    const rows = await this.#db.all<{ text: string }>(
      "SELECT text FROM stepgraph_entries WHERE run = ? ORDER BY number",
      id,
    );
    if (rows.length === 0 && (await this.get(id)) === null) throw unknownRun(this.#db.location, id);
    return rows.map(({ text }) => text);
  }

  /** @internal */
  async replayed(id: string, host: StoredRunHost): Promise<ReplayedRun> {
    return this.#replay("RunStore.replayed", id, host);
  }

  /** @internal The limits that a run began with, or null before. */
  async limits(id: string): Promise<Limits | null> {
    if ((await this.get(id)) === null) return null;
    const host = hostOf(await this.journal(id));
    return host && (host.limits ?? {});
  }

  async #start(id: string): Promise<StartValues> {
    const [run] = await this.#db.all<{ given: string }>("SELECT given FROM stepgraph_runs WHERE id = ?", id);
    return JSON.parse(run?.given ?? "{}") as StartValues;
  }

  async #replay(name: string, id: string, host: StoredRunHost): Promise<ReplayedRun> {
    internals.assertKind(name, "id", id, "place");
    internals.assertOptions(name, host, HOST);
    const graph = await this.plan(id);
    try {
      const start = await this.#start(id);
      const replayed = await replayedRun({ graph, start, lines: await this.journal(id) }, host);
      const { outcome = null } = (await this.get(id)) ?? {};
      if (outcome !== null && replayed.report !== null && !isSameEnd(outcome, replayed.report.outcome))
        throw divergedError();
      return replayed;
    } finally {
      graph.free();
    }
  }

  /**
   * Returns the plan that a run began with.
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

  /** Lists requests for decisions, oldest first. Default: open ones. */
  async approvals(filter: StoredApprovalFilter = {}): Promise<StoredApproval[]> {
    internals.assertOptions("RunStore.approvals", filter, APPROVALS);
    const { run = "", open = true } = filter;
    const rows = await this.#db.all<ApprovalRow>(
      `SELECT run, call, approval, asked, due, open, decision, decided, decided_by FROM stepgraph_approvals
       WHERE (run = ? OR ? = '') AND (open > 0 AND decision IS NULL OR ? = 0)
         AND run IN (SELECT id FROM stepgraph_runs WHERE status <> '${DELETING}') ORDER BY asked, run, call`,
      run,
      run,
      open ? 1 : 0,
    );
    return rows.map(toApproval);
  }

  /**
   * Decides an approval. The first decision holds. The run goes on when a process continues it or waits for it.
   * `askedMs` of the approval that you showed protects later requests of the same name.
   *
   * @throws PlanError `store/unknown-approval`, `store/decided` if a decision is there or the run no longer waits,
   * `api/bad-option` for a value that is no decision.
   */
  async decide(run: string, call: string, decision: Decision, by?: string, askedMs?: number): Promise<void> {
    internals.assertKind("RunStore.decide", "decision", decision, "decision");
    assertWritable(decision);
    if (askedMs !== undefined) internals.assertKind("RunStore.decide", "askedMs", askedMs, "amount");
    for (const [name, value] of Object.entries({ run, call, by: by ?? "" }))
      internals.assertKind("RunStore.decide", name, value, "place");
    for (let tries = 0; ; tries++) {
      if (await this.#storeDecision(run, call, decision, { by: by ?? null, askedMs })) return;
      const known = await this.#approval(run, call);
      if (known === undefined)
        throw new PlanError("store/unknown-approval", `run \`${run}\` asked for no decision on \`${call}\``);
      if (askedMs !== undefined && known.asked !== askedMs) throw replacedApproval(run, call);
      // The run may have given it back meanwhile.
      const isBack = known.open === OPEN && (known.due === null || known.due > Date.now());
      if ((known.open !== HELD && !isBack) || known.decision !== null) throw undecidable(toApproval(known));
      if (tries === HELD_TRIES)
        throw new PlanError(
          "store/busy",
          `the process of run \`${run}\` ended while it stored an answer; continue the run, then decide \`${call}\``,
        );
      if (!isBack) await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    }
  }

  /** Otherwise the run might not take an accepted decision. */
  async #storeDecision(
    run: string,
    call: string,
    decision: Decision,
    { by, askedMs }: { by: string | null; askedMs: number | undefined },
  ): Promise<boolean> {
    const now = Date.now();
    const stored = await this.#db.all(
      `UPDATE stepgraph_approvals SET decision = ?, decided = ?, decided_by = ?
       WHERE run = ? AND call = ? AND open = ${OPEN} AND decision IS NULL AND (due IS NULL OR due > ?)
         AND (asked = ? OR ? = 1) RETURNING call`,
      JSON.stringify(decision),
      now,
      by,
      run,
      call,
      now,
      askedMs ?? 0,
      askedMs === undefined ? 1 : 0,
    );
    return stored.length > 0;
  }

  async #approval(run: string, call: string): Promise<ApprovalRow | undefined> {
    const [row] = await this.#db.all<ApprovalRow>(
      "SELECT * FROM stepgraph_approvals WHERE run = ? AND call = ?",
      run,
      call,
    );
    return row;
  }

  /** Deletes a run, unless it is unknown or a process has it. */
  async delete(id: string): Promise<boolean> {
    internals.assertKind("RunStore.delete", "id", id, "place");
    // The next run or deletion of this id removes the rest of a dying process.
    const marked = await this.#db.all(
      `UPDATE stepgraph_runs SET status = '${DELETING}', epoch = epoch + 1, holder = NULL
       WHERE id = ? AND (status = '${DELETING}' OR holder IS NULL OR lease < ${this.#db.clock}) RETURNING id`,
      id,
    );
    if (marked.length === 0) return false;
    await finishDeletion(this.#db, id);
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
