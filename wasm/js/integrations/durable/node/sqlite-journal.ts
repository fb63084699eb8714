/**
 * Journals of many runs in a SQLite database.
 *
 * Each opening raises the epoch and locks out the previous writer. Invariants: an entry is committed before the run
 * continues. The run's row has the count and last checksum of entries.
 */
import { closeSync, openSync } from "node:fs";
import { internals, PlanError } from "stepgraph";
import { queryNumber, transaction, type SqliteDatabase, type SqliteValue } from "../../audit/database.js";
import { isAlive, machineId, sqliteDriver, processStart } from "../../node/platform.js";
import type { Kinds } from "../../../options.js";
import { assertKey, FIRST_CHECKSUM_INPUT, checksum } from "./checksum.js";
import { invalidEntry } from "../journal-entry.js";
import { CHECKSUM_MISMATCH, type PersistentJournal, type PersistentJournalOptions } from "./file-journal.js";
import { MemoryJournal } from "../memory-journal.js";

/** Options of `sqliteJournal`. */
export interface SqliteJournalOptions extends PersistentJournalOptions {
  /** Takes the run from a process that still holds it. */
  takeOver?: boolean;
}

const VERSION = 1;

const TABLES = "'journal_runs', 'journal_entries', 'journal_version'";

const SCHEMA = `
CREATE TABLE journal_runs (
  run TEXT PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER, since TEXT, place TEXT,
  entries INTEGER NOT NULL, sum TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE journal_entries (
  run TEXT NOT NULL, number INTEGER NOT NULL, sum TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE journal_version (version INTEGER NOT NULL) STRICT;`;

/**
 * Opens a run's journal in a file or in the host's database.
 *
 * @throws PlanError `durable/locked` if another process holds the run, `durable/bad-entry` for damaged entries,
 * `durable/not-a-journal` for another kind of file, `durable/no-driver` without SQLite, `durable/journal-failed` if the
 * database fails.
 * @example
 * await using journal = await sqliteJournal("runs.db", "order-17");
 * const report = await runDurable(graph, journal, { input, tools, handlers });
 */
export async function sqliteJournal(
  from: string | { db: SqliteDatabase },
  run: string,
  options: SqliteJournalOptions = {},
): Promise<PersistentJournal> {
  internals.assertKind("sqliteJournal", "from", from, "place|map");
  if (typeof from === "object") internals.assertKind("sqliteJournal", "db", from.db, ".exec.prepare");
  internals.assertKind("sqliteJournal", "run", run, "place");
  internals.assertOptions("sqliteJournal", options, OPTIONS);
  assertKey(options.key);
  const db = typeof from === "string" ? await openDatabase(from) : from.db;
  const close = () => void (typeof from === "string" && db.close());
  try {
    const rows = new JournalRows(db, run, options, close);
    return new SqliteJournal(rows, rows.open(), options);
  } catch (error) {
    try {
      close();
    } catch {
      // The first error says more.
    }
    throw databaseError(run, error);
  }
}

const OPTIONS: Kinds<SqliteJournalOptions> = {
  key: "any",
  onApproval: "function",
  clock: ".now.after",
  takeOver: "flag",
};

async function openDatabase(file: string): Promise<SqliteDatabase> {
  const Driver = await sqliteDriver();
  if (Driver === undefined)
    throw new PlanError(
      "durable/no-driver",
      "this platform has no SQLite: use Node 22.13 or later, or `npm install libsql`, or hand an open database over",
    );
  let db: SqliteDatabase | undefined;
  try {
    restrictToOwner(file);
    db = new Driver(file);
    db.exec("PRAGMA busy_timeout = 5000");
    // Under FULL, the rollback journal may reappear after a power failure.
    db.exec("PRAGMA synchronous = EXTRA");
    return db;
  } catch (error) {
    db?.close();
    throw databaseError(file, error);
  }
}

/** SQLite would let all users read a new database. */
function restrictToOwner(file: string): void {
  if (file === "" || file.startsWith(":memory:") || file.startsWith("file:")) return;
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // The file exists, or SQLite reports the reason.
  }
}

class SqliteJournal extends MemoryJournal implements PersistentJournal {
  readonly #rows: JournalRows;

  constructor(rows: JournalRows, lines: string[], { onApproval, clock }: SqliteJournalOptions) {
    super({ lines, append: (line) => rows.append(line), ...(onApproval && { onApproval }), ...(clock && { clock }) });
    this.#rows = rows;
  }

  async close(): Promise<void> {
    this.#rows.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

interface Row {
  epoch: number;
  pid: number | null;
  since: string;
  place: string;
  entries: number;
  sum: string;
}

/** `libsql` ends the process if a damaged text column holds no text. */
function hex(column: string): string {
  return `hex(${column}) AS ${column}`;
}

function textOf(hexed: string | null): string {
  return Buffer.from(hexed ?? "", "hex").toString();
}

class JournalRows {
  readonly #db: SqliteDatabase;
  readonly #run: string;
  readonly #options: SqliteJournalOptions;
  readonly #close: () => void;
  #epoch = 0;
  #entries = 0;
  #sum: string;
  #open = true;

  constructor(db: SqliteDatabase, run: string, options: SqliteJournalOptions, close: () => void) {
    this.#db = db;
    this.#run = run;
    this.#options = options;
    this.#close = close;
    this.#sum = this.#beginning;
  }

  /** Rejects entries of other runs. */
  get #beginning(): string {
    return checksum(FIRST_CHECKSUM_INPUT, this.#run, this.#options.key);
  }

  open(): string[] {
    return transaction(this.#db, () => {
      this.#prepare();
      const row = this.#row();
      if (row !== undefined) this.#assertFree(row);
      const texts = this.#read();
      if (texts.length !== (row?.entries ?? 0) || this.#sum !== (row?.sum ?? this.#beginning))
        throw invalidEntry(
          `run \`${this.#run}\``,
          `${row?.entries ?? 0} entries were stored, and ${texts.length} exist`,
        );
      this.#epoch = (row?.epoch ?? 0) + 1;
      this.#entries = texts.length;
      this.#execute(
        "INSERT OR REPLACE INTO journal_runs (run, epoch, pid, since, place, entries, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
        this.#run,
        this.#epoch,
        process.pid,
        processStart(process.pid),
        machineId(),
        this.#entries,
        this.#sum,
      );
      return texts;
    });
  }

  #prepare(): void {
    const tables = queryNumber(this.#db, `SELECT count(*) FROM sqlite_master WHERE name IN (${TABLES})`);
    if (tables === 0) this.#db.exec(`${SCHEMA} INSERT INTO journal_version VALUES (${VERSION})`);
    // A new table would hide lost entries.
    else if (tables !== 3) throw invalidEntry("tables", `the database has ${tables} of 3`);
    const version = queryNumber(this.#db, "SELECT version FROM journal_version");
    if (version !== VERSION)
      throw new PlanError(
        "durable/entry-version",
        `the database's journals are of version ${version}, and this release reads version ${VERSION}`,
      );
  }

  #assertFree({ pid, since, place }: Row): void {
    if (pid === null || this.#options.takeOver === true) return;
    const here = place === machineId();
    if (here && !isAlive(pid, since)) return;
    const holder = here && pid === process.pid ? "this process; close that journal first" : `process ${pid}`;
    throw new PlanError(
      "durable/locked",
      `run \`${this.#run}\` is held by ${holder}${here ? "" : ` of ${place.split(" ")[0]}; \`takeOver: true\` takes it, if that process has ended`}`,
    );
  }

  #row(): Row | undefined {
    const [row] = this.#all<Row>(
      `SELECT epoch, pid, ${hex("since")}, ${hex("place")}, entries, ${hex("sum")} FROM journal_runs WHERE run = ?`,
      this.#run,
    );
    return row && { ...row, since: textOf(row.since), place: textOf(row.place), sum: textOf(row.sum) };
  }

  #read(): string[] {
    const rows = this.#all<{ number: number; sum: string; text: string }>(
      `SELECT number, ${hex("sum")}, ${hex("text")} FROM journal_entries WHERE run = ? ORDER BY number`,
      this.#run,
    );
    return rows.map((row, i) => {
      const { number } = row;
      const [sum, text] = [textOf(row.sum), textOf(row.text)];
      if (number !== i + 1 || checksum(this.#sum, text, this.#options.key) !== sum)
        throw invalidEntry(`entry ${i + 1}`, CHECKSUM_MISMATCH);
      this.#sum = sum;
      return text;
    });
  }

  append(text: string): void {
    if (!this.#open) throw new PlanError("durable/journal-failed", `the journal of run \`${this.#run}\` was closed`);
    const sum = checksum(this.#sum, text, this.#options.key);
    try {
      transaction(this.#db, () => this.#insert(sum, text));
    } catch (error) {
      throw databaseError(this.#run, error);
    }
    [this.#sum, this.#entries] = [sum, this.#entries + 1];
  }

  #insert(sum: string, text: string): void {
    const row = this.#row();
    if (row?.epoch !== this.#epoch)
      throw new PlanError("durable/fenced", `another process has taken over run \`${this.#run}\``);
    const number = this.#entries + 1;
    // A remote database may store an entry but report an error.
    if (row.entries === number && row.sum === sum) return;
    if (row.entries !== this.#entries || row.sum !== this.#sum)
      throw new PlanError(
        "durable/journal-failed",
        `run \`${this.#run}\` has entries that this journal did not see; open it again`,
      );
    this.#execute(
      "INSERT INTO journal_entries (run, number, sum, text) VALUES (?, ?, ?, ?)",
      this.#run,
      number,
      sum,
      text,
    );
    this.#execute("UPDATE journal_runs SET entries = ?, sum = ? WHERE run = ?", number, sum, this.#run);
  }

  #all<T>(sql: string, ...values: SqliteValue[]): T[] {
    return this.#db.prepare(sql).all(...values) as T[];
  }

  #execute(sql: string, ...values: SqliteValue[]): void {
    this.#db.prepare(sql).run(...values);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      try {
        this.#execute("UPDATE journal_runs SET pid = NULL WHERE run = ? AND epoch = ?", this.#run, this.#epoch);
      } finally {
        this.#close();
      }
    } catch (error) {
      throw databaseError(this.#run, error);
    }
  }
}

function databaseError(run: string, error: unknown): PlanError {
  if (error instanceof PlanError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/is not a database/i.test(message))
    return new PlanError("durable/not-a-journal", `\`${run}\` is no database of SQLite: ${message}`);
  return new PlanError("durable/journal-failed", `the journal of \`${run}\` could not be stored: ${message}`);
}
