/**
 * The rows of one run, while a process has it.
 *
 * Invariants: each opening raises the epoch, and an entry is stored only under the latest epoch. So a process that lost
 * the run stores nothing more. The lease shows that the process is alive.
 */
import { type Approval, internals, type Outcome, PlanError, PlanGraph, type Decision } from "stepgraph";
import type { DurableOptions } from "../durable/options.js";
import { MemoryJournal } from "../durable/memory-journal.js";
import type { StoreDatabase } from "./database.js";

/** How long others wait for a process that no longer renews its lease. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often a waiting run looks for decisions. */
const POLL_MS = 500;

interface OpenRow {
  epoch: number;
  plan: string;
  given: string;
}

/** Values that a run starts with. A process that continues it need not know them. */
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
  #lines: string[] = [];
  #renewal: ReturnType<typeof setInterval> | undefined;
  readonly #asked = new Set<string>();

  constructor(db: StoreDatabase, id: string) {
    this.#db = db;
    this.#id = id;
  }

  /**
   * Takes the run, and creates it if it is new. Returns the plan's hash and the values with which it began.
   *
   * @throws PlanError `store/busy`
   */
  async open(
    graph: PlanGraph,
    start: StartValues,
    takeOver: boolean,
  ): Promise<{ planHash: string; start: StartValues }> {
    const now = Date.now();
    const { id: name = null } = graph.toJSON() as { id?: string };
    await this.#db.all(
      "INSERT INTO stepgraph_plans (hash, name, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      graph.hash,
      name,
      PlanGraph.print(graph),
    );
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
      `UPDATE stepgraph_runs SET epoch = epoch + 1, holder = ?, lease = ?, updated = ?,
         status = CASE WHEN outcome IS NULL THEN 'running' ELSE status END
       WHERE id = ? AND (holder IS NULL OR lease < ? OR ? = 1) RETURNING epoch, plan, given`,
      this.#holder,
      now + LEASE_MS,
      now,
      this.#id,
      now,
      takeOver ? 1 : 0,
    );
    if (row === undefined)
      throw new PlanError(
        "store/busy",
        `another process has run \`${this.#id}\`; if it has ended, wait up to ${LEASE_MS / 1000} s, or pass \`takeOver: true\``,
      );
    this.#epoch = row.epoch;
    this.#renewal = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS);
    (this.#renewal as { unref?: () => void }).unref?.();
    await this.#read();
    return { planHash: row.plan, start: JSON.parse(row.given) as StartValues };
  }

  async #read(): Promise<void> {
    const rows = await this.#db.all<{ number: number; text: string }>(
      "SELECT number, text FROM stepgraph_entries WHERE run = ? ORDER BY number",
      this.#id,
    );
    const gap = rows.findIndex(({ number }, at) => number !== at);
    if (gap >= 0) throw new PlanError("durable/bad-entry", `run \`${this.#id}\` has no entry ${gap}`);
    this.#lines = rows.map(({ text }) => text);
  }

  /** The entries when the run was opened, and those that moved it. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Moves the run to a changed plan. */
  async movePlan(graph: PlanGraph): Promise<void> {
    const journal = new MemoryJournal({
      lines: this.#lines,
      append: (line) => this.#append(this.#lines.length, line),
    });
    await journal.movePlan(graph.fingerprint);
    this.#lines = [...journal.lines];
    // If the process ends before, the next call moves the run again.
    await this.#db.all(
      "UPDATE stepgraph_runs SET plan = ? WHERE id = ? AND epoch = ? RETURNING id",
      graph.hash,
      this.#id,
      this.#epoch,
    );
  }

  /** `pauses`: the run ends if only decisions are missing. */
  journal(graph: PlanGraph, pauses: boolean): MemoryJournal {
    const timeouts = new Map(graph.nodes.map(({ id, timeoutMs }) => [id, timeoutMs]));
    let count = this.#lines.length;
    const journal: MemoryJournal = new MemoryJournal({
      lines: this.#lines,
      append: (line) => this.#append(count++, line),
      onWait: async (approvals, isStuck) => {
        await this.#ask(approvals, timeouts);
        const isDecided = await this.#takeDecisions(journal, approvals);
        if (isDecided) return undefined;
        if (pauses && isStuck) return "paused";
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        return undefined;
      },
    });
    return journal;
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
    if (stored.length === 0)
      throw new PlanError("store/taken", `another process has taken run \`${this.#id}\`, and continues it`);
  }

  async #ask(approvals: readonly Approval[], timeouts: ReadonlyMap<string, number | undefined>): Promise<void> {
    const now = Date.now();
    for (const approval of approvals) {
      const { call, node } = approval;
      if (this.#asked.has(call)) continue;
      const timeoutMs = timeouts.get(node);
      await this.#db.all(
        `INSERT INTO stepgraph_approvals (run, call, approval, asked, due, open) VALUES (?, ?, ?, ?, ?, 1)
         ON CONFLICT DO NOTHING`,
        this.#id,
        call,
        JSON.stringify(approval),
        now,
        timeoutMs === undefined ? null : now + timeoutMs,
      );
      this.#asked.add(call);
    }
  }

  async #takeDecisions(journal: MemoryJournal, approvals: readonly Approval[]): Promise<boolean> {
    const rows = await this.#db.all<{ call: string; decision: string }>(
      "SELECT call, decision FROM stepgraph_approvals WHERE run = ? AND open = 1 AND decision IS NOT NULL",
      this.#id,
    );
    const waiting = new Set(approvals.map(({ call }) => call));
    const decided = rows.filter(({ call }) => waiting.has(call));
    // A time limit may have ended the wait meanwhile.
    const open = new Set(journal.approvals.map(({ call }) => call));
    for (const { call, decision } of decided)
      if (open.has(call)) journal.decide(call, JSON.parse(decision) as Decision);
    return decided.length > 0;
  }

  async #renew(): Promise<void> {
    await this.#db.all(
      "UPDATE stepgraph_runs SET lease = ? WHERE id = ? AND epoch = ? RETURNING id",
      Date.now() + LEASE_MS,
      this.#id,
      this.#epoch,
    );
  }

  /** Stores how the run ended, or that it waits. */
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
    // A decided approval, or one whose time is over, waits no more.
    const places = waiting.map(() => "?").join(", ");
    await this.#db.all(
      `UPDATE stepgraph_approvals SET open = 0 WHERE run = ? AND open = 1${
        waiting.length === 0 ? "" : ` AND call NOT IN (${places})`
      } RETURNING call`,
      this.#id,
      ...waiting,
    );
  }

  /** Lets others continue the run at once. */
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
