/**
 * The rows of one run, while a process has it.
 *
 * Invariant: each opening raises the epoch, and only the latest epoch stores entries. The lease shows that the process
 * is alive.
 */
import { type Approval, internals, type Outcome, PlanError, PlanGraph, type Decision } from "stepgraph";
import type { DurableOptions } from "../durable/options.js";
import { Redactor } from "../../redact.js";
import { MemoryJournal, type MemoryJournalOptions } from "../durable/memory-journal.js";
import type { StoreDatabase } from "./database.js";
import { timeoutOf } from "./approval-timeout.js";
import { CLOSED, DELETING, HELD, OPEN, TOO_LATE } from "./rows.js";

/** How long others wait for an ended process. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 500;

interface OpenRow {
  epoch: number;
  plan: string;
  given: string;
}

/** A process that continues the run need not know these. */
export type StartValues = Pick<DurableOptions, "input" | "outputs" | "memory" | "snapshot">;

function startText({ input, outputs, memory, snapshot }: StartValues): string {
  try {
    return JSON.stringify({ input, outputs, memory, snapshot });
  } catch (error) {
    const { message } = internals.toFailure(error, "");
    throw new PlanError("durable/not-json", `the initial values of the run can't be written as JSON: ${message}`);
  }
}

export class RunRows {
  readonly #db: StoreDatabase;
  readonly #id: string;
  readonly #holder = internals.randomId();
  #epoch = -1;
  #isNew = false;
  #lines: string[] = [];
  #renewal: ReturnType<typeof setInterval> | undefined;
  #journal: MemoryJournal | undefined;
  /** Keyed by call, as stored. */
  readonly #asked = new Map<string, string>();
  readonly #redactor: Redactor;
  /** These have no stored entries. */
  readonly #delivered = new Set<string>();
  /** The approvals being stored. */
  #asking: Promise<void> = Promise.resolve();

  /** No row may show the keys in `host`. */
  constructor(db: StoreDatabase, id: string, host: Pick<DurableOptions, "tools" | "models">) {
    this.#db = db;
    this.#id = id;
    // A person who decides needs the context, without secrets.
    this.#redactor = new Redactor(undefined, host);
  }

  /**
   * Returns the plan's hash and the start values.
   *
   * @throws PlanError `store/busy`
   */
  async open(
    graph: PlanGraph,
    start: StartValues,
    takeOver: boolean,
  ): Promise<{ planHash: string; start: StartValues }> {
    await finishDeletion(this.#db, this.#id);
    const now = Date.now();
    const plan = planRow(graph);
    await this.#storePlan(plan);
    await this.#db.all(
      `INSERT INTO stepgraph_runs (id, plan, given, status, started, updated, epoch, lease)
       VALUES (?, ?, ?, 'running', ?, ?, 0, 0) ON CONFLICT DO NOTHING`,
      this.#id,
      graph.hash,
      startText(start),
      now,
      now,
    );
    const [row] = await this.#db.all<OpenRow>(
      `UPDATE stepgraph_runs SET epoch = epoch + 1, holder = ?, lease = ${this.#db.clock} + ${LEASE_MS}, updated = ?,
         status = CASE WHEN outcome IS NULL THEN 'running' ELSE status END
       WHERE id = ? AND status <> '${DELETING}' AND (holder IS NULL OR lease < ${this.#db.clock} OR ? = 1)
       RETURNING epoch, plan, given`,
      this.#holder,
      now,
      this.#id,
      takeOver ? 1 : 0,
    );
    if (row === undefined)
      throw new PlanError(
        "store/busy",
        `another process has run \`${this.#id}\`; if it has ended, wait up to ${LEASE_MS / 1000} s, or call \`store.run\` with \`takeOver: true\``,
      );
    this.#epoch = row.epoch;
    // A deletion of another run may have removed the plan.
    if (row.plan === graph.hash) await this.#storePlan(plan);
    this.#isNew = row.epoch === 1;
    this.#renewal = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS);
    (this.#renewal as { unref?: () => void }).unref?.();
    await this.#read();
    return { planHash: row.plan, start: JSON.parse(row.given) as StartValues };
  }

  async #storePlan(row: PlanRow): Promise<void> {
    await this.#db.all(
      "INSERT INTO stepgraph_plans (hash, name, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      ...row,
    );
  }

  async #read(): Promise<void> {
    const rows = await this.#db.all<{ number: number; text: string }>(
      "SELECT number, text FROM stepgraph_entries WHERE run = ? ORDER BY number",
      this.#id,
    );
    const gap = rows.findIndex(({ number }, at) => number !== at);
    if (gap >= 0) throw new PlanError("durable/bad-entry", `run \`${this.#id}\` has no entry ${gap}`);
    this.#lines = rows.map(({ text }) => text);
    const asked = await this.#db.all<{ call: string; approval: string }>(
      "SELECT call, approval FROM stepgraph_approvals WHERE run = ?",
      this.#id,
    );
    for (const { call, approval } of asked) this.#asked.set(call, approval);
    await this.#closeTaken();
  }

  /** A process may have ended between a decision's entry and the row's end. */
  async #closeTaken(): Promise<void> {
    const rows = await this.#db.all<{ call: string }>(
      `SELECT call FROM stepgraph_approvals WHERE run = ? AND open = ${OPEN} AND decision IS NOT NULL`,
      this.#id,
    );
    for (const { call } of rows)
      if (this.#lines.some((line) => line.startsWith(entryStart(call)))) await this.#close(call);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  async movePlan(graph: PlanGraph): Promise<void> {
    const journal = new MemoryJournal({
      lines: this.#lines,
      append: (line) => this.#append(this.#lines.length, line),
    });
    await journal.movePlan(graph.fingerprint);
    this.#lines = [...journal.lines];
    // If the process ends first, the next call moves the run again.
    await this.#db.all(
      "UPDATE stepgraph_runs SET plan = ? WHERE id = ? AND epoch = ? RETURNING id",
      graph.hash,
      this.#id,
      this.#epoch,
    );
  }

  /** `pauses` ends the run if only decisions are missing. */
  journal(graph: PlanGraph, pauses: boolean): MemoryJournal {
    let count = this.#lines.length;
    const options: MemoryJournalOptions = {
      lines: this.#lines,
      append: async (line) => {
        await this.#append(count++, line);
        for (const call of this.#delivered) if (line.startsWith(entryStart(call))) await this.#close(call);
      },
      onWait: async (approvals, isStuck) => {
        this.#asking = this.#ask(approvals, graph);
        await this.#asking;
        const isDecided = await this.#takeDecisions(journal, approvals);
        if (isDecided) return undefined;
        if (pauses && isStuck) return "paused";
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        await this.#assertOwned();
        return undefined;
      },
    };
    const journal: MemoryJournal = new MemoryJournal(options, {
      requested: (approval) => this.#assertSame(journal, approval),
      hold: async () => {
        await this.#hold();
        await this.#takeDecisions(journal, journal.approvals);
      },
      release: (waiting) => this.#settle(waiting),
    });
    this.#journal = journal;
    return journal;
  }

  /** Later decisions are refused. */
  async #hold(): Promise<void> {
    await this.#db.all(
      `UPDATE stepgraph_approvals SET open = ${HELD}
       WHERE run = ? AND open = ${OPEN} AND decision IS NULL AND ${this.#owned()} RETURNING call`,
      this.#id,
      this.#id,
      this.#epoch,
    );
  }

  async #settle(waiting: readonly string[]): Promise<void> {
    // Databases limit the number of values.
    await this.#db.all(
      `UPDATE stepgraph_approvals
       SET open = CASE WHEN call IN (${this.#db.texts}) THEN ${OPEN} WHEN decision IS NULL THEN ${CLOSED} ELSE ${TOO_LATE} END
       WHERE run = ? AND open > 0 AND ${this.#owned()} RETURNING call`,
      JSON.stringify(waiting),
      this.#id,
      this.#id,
      this.#epoch,
    );
  }

  async #close(call: string): Promise<void> {
    this.#delivered.delete(call);
    await this.#db.all(
      `UPDATE stepgraph_approvals SET open = ${CLOSED} WHERE run = ? AND call = ? RETURNING call`,
      this.#id,
      call,
    );
  }

  #owned(): string {
    return `EXISTS (SELECT 1 FROM stepgraph_runs WHERE id = ? AND epoch = ?${this.#db.lock})`;
  }

  async #append(number: number, line: string): Promise<void> {
    const stored = await this.#db.all(
      `INSERT INTO stepgraph_entries (run, number, text)
       SELECT id, CAST(? AS INTEGER), CAST(? AS TEXT) FROM stepgraph_runs WHERE id = ? AND epoch = ?${this.#db.lock}
       RETURNING number`,
      number,
      line,
      this.#id,
      this.#epoch,
    );
    if (stored.length === 0) throw this.#taken();
  }

  #taken(): PlanError {
    return new PlanError("store/taken", `another process has taken run \`${this.#id}\`, and continues it`);
  }

  async #assertOwned(): Promise<void> {
    const [row] = await this.#db.all<{ epoch: number }>("SELECT epoch FROM stepgraph_runs WHERE id = ?", this.#id);
    if (row?.epoch !== this.#epoch) throw this.#taken();
  }

  /** A different approval means another context or an altered row. */
  #assertSame(journal: MemoryJournal, approval: Approval): void {
    const before = this.#asked.get(approval.call);
    if (before === undefined || before === this.#redactor.text(approval)) return;
    if (!this.#lines.some((line) => line.startsWith(entryStart(approval.call)))) return;
    const message = `\`${approval.call}\` was decided for another input; continue the run with the context it began with`;
    journal.fail(new PlanError("durable/diverged", message));
  }

  async #ask(approvals: readonly Approval[], graph: PlanGraph): Promise<void> {
    const now = Date.now();
    for (const approval of approvals) {
      const { call } = approval;
      const text = this.#redactor.text(approval);
      if (this.#asked.get(call) === text) continue;
      const timeoutMs = timeoutOf(graph, approval);
      // A decision on another input does not count.
      await this.#db.all(
        `INSERT INTO stepgraph_approvals (run, call, approval, asked, due, open) VALUES (?, ?, ?, ?, ?, ${OPEN})
         ON CONFLICT (run, call) DO UPDATE SET approval = excluded.approval, asked = excluded.asked,
           decision = NULL, decided = NULL, decided_by = NULL, open = ${OPEN}
         WHERE ${this.#owned()} RETURNING call`,
        this.#id,
        call,
        text,
        now,
        timeoutMs === undefined ? null : now + timeoutMs,
        this.#id,
        this.#epoch,
      );
      this.#asked.set(call, text);
    }
  }

  async asked(): Promise<void> {
    await this.#asking.catch(() => {});
  }

  async #takeDecisions(journal: MemoryJournal, approvals: readonly Approval[]): Promise<boolean> {
    const rows = await this.#db.all<{ call: string; decision: string }>(
      "SELECT call, decision FROM stepgraph_approvals WHERE run = ? AND open > 0 AND decision IS NOT NULL",
      this.#id,
    );
    const waiting = new Set(approvals.map(({ call }) => call));
    const decided = rows.filter(({ call }) => waiting.has(call));
    // A time limit may have ended the wait.
    const open = new Set(journal.approvals.map(({ call }) => call));
    for (const { call, decision } of decided)
      if (open.has(call)) {
        this.#delivered.add(call);
        journal.decide(call, JSON.parse(decision) as Decision);
      }
    return decided.length > 0;
  }

  /** A process that lost the run aborts its calls. */
  async #renew(): Promise<void> {
    const renewed = await this.#db.all(
      `UPDATE stepgraph_runs SET lease = ${this.#db.clock} + ${LEASE_MS} WHERE id = ? AND epoch = ? RETURNING id`,
      this.#id,
      this.#epoch,
    );
    if (renewed.length === 0) this.#journal?.fail(this.#taken());
  }

  async end(outcome: Outcome): Promise<void> {
    const isOver = outcome.type !== "paused";
    const waiting = outcome.type === "paused" ? outcome.approvals.map(({ call }) => call) : [];
    await this.#db.all(
      "UPDATE stepgraph_runs SET status = ?, outcome = ?, updated = ? WHERE id = ? AND epoch = ? RETURNING id",
      outcome.type,
      isOver ? JSON.stringify(outcome) : null,
      Date.now(),
      this.#id,
      this.#epoch,
    );
    await this.#settle(waiting);
  }

  async removeNew(): Promise<void> {
    if (!this.#isNew) return;
    const gone = await this.#db.all(
      "DELETE FROM stepgraph_runs WHERE id = ? AND epoch = ? RETURNING id",
      this.#id,
      this.#epoch,
    );
    if (gone.length > 0) await this.#db.all("DELETE FROM stepgraph_entries WHERE run = ?", this.#id);
  }

  /** Lets others continue at once. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#db.all(
      "UPDATE stepgraph_runs SET holder = NULL, lease = 0, updated = ? WHERE id = ? AND epoch = ? RETURNING id",
      Date.now(),
      this.#id,
      this.#epoch,
    );
  }
}

/** Finishes an interrupted deletion. */
export async function finishDeletion(db: StoreDatabase, id: string): Promise<void> {
  const [row] = await db.all<{ id: string }>(
    `SELECT id FROM stepgraph_runs WHERE id = ? AND status = '${DELETING}'`,
    id,
  );
  if (row === undefined) return;
  for (const table of ["approvals", "entries"]) await db.all(`DELETE FROM stepgraph_${table} WHERE run = ?`, id);
  await db.all(`DELETE FROM stepgraph_runs WHERE id = ? AND status = '${DELETING}'`, id);
  await db.all("DELETE FROM stepgraph_plans WHERE hash NOT IN (SELECT plan FROM stepgraph_runs)");
}

type PlanRow = [hash: string, name: string | null, text: string];

/** Printing a large plan takes long. */
function planRow(graph: PlanGraph): PlanRow {
  const { id: name = null } = graph.toJSON() as { id?: string };
  return [graph.hash, name, PlanGraph.print(graph)];
}

function entryStart(call: string): string {
  return `{"name":${JSON.stringify(call)},`;
}
