/**
 * A journal in a file, with an entry a line: `checksum JSON`. The run continues after the entry is on the disk.
 *
 * A truncated last line was never acknowledged, and is removed. Other damage is rejected.
 */
import { constants } from "node:fs";
import { lstat, open, realpath, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { internals, PlanError } from "stepgraph";
import type { Kinds } from "../../../options.js";
import { assertKey, FIRST_CHECKSUM_INPUT, checksum } from "./checksum.js";
import { invalidEntry } from "../journal-entry.js";
import { lock, type Lock } from "./lock.js";
import { MemoryJournal, type MemoryJournalOptions } from "../memory-journal.js";

/** Options of stored journals. */
export interface PersistentJournalOptions extends Pick<MemoryJournalOptions, "onApproval" | "clock"> {
  /** Known only to your hosts. Entries written without it are rejected. */
  key?: string | Uint8Array;
}

/** Options of `fileJournal`. */
export interface FileJournalOptions extends PersistentJournalOptions {
  /** Forces each entry to disk. Default true. Otherwise a power failure may lose the last ones. */
  fsync?: boolean;
  /** @internal For tests. */
  open?: typeof open;
}

/** A journal in an open file or database. */
export interface PersistentJournal extends MemoryJournal, AsyncDisposable {
  /** Closes the journal and releases its lock. */
  close(): Promise<void>;
}

/**
 * Opens or creates a run's journal in a file. Only one process can hold it.
 *
 * @throws PlanError `durable/locked`, `durable/fenced` for a file with two names, `durable/bad-entry` for a damaged
 * file, `durable/not-a-journal`, `durable/journal-failed` if the disk fails.
 * @example
 * await using journal = await fileJournal("order-17.journal");
 * const report = await runDurable(graph, journal, { input, tools, handlers });
 */
export async function fileJournal(path: string, options: FileJournalOptions = {}): Promise<PersistentJournal> {
  internals.assertKind("fileJournal", "path", path, "place");
  internals.assertOptions("fileJournal", options, OPTIONS);
  assertKey(options.key);
  const openLocked = async () => {
    const place = await resolveLinks(path);
    return new JournalFile(place, await lock(place), options);
  };
  const file = await openLocked().catch((error: unknown) => {
    throw fileError(path, "locked", error);
  });
  try {
    const lines = await file.read();
    return new FileJournal(file, lines, options);
  } catch (error) {
    await file.close().catch(() => {});
    throw fileError(path, "read", error);
  }
}

const OPTIONS: Kinds<FileJournalOptions> = {
  key: "any",
  onApproval: "function",
  clock: ".now.after",
  fsync: "flag",
  open: "function",
};

/** All links to a file share its lock. */
async function resolveLinks(path: string): Promise<string> {
  const found = await lstat(path).catch((error: unknown) => {
    if ((error as { code?: unknown } | null)?.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return join(await realpath(dirname(path)), basename(path));
  const place = await realpath(path);
  // Reading a pipe may never end.
  if (!(found.isSymbolicLink() ? await lstat(place) : found).isFile())
    throw new PlanError("durable/not-a-journal", `\`${path}\` is no file`);
  return place;
}

class FileJournal extends MemoryJournal implements PersistentJournal {
  readonly #file: JournalFile;

  constructor(file: JournalFile, lines: string[], { onApproval, clock }: FileJournalOptions) {
    super({
      lines,
      append: (line) => file.append(line),
      ...(onApproval && { onApproval }),
      ...(clock && { clock }),
    });
    this.#file = file;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const NEWLINE = 0x0a;
/** @internal */
export const CHECKSUM_MISMATCH = "it does not fit its checksum: it was changed, or written with another key";

class JournalFile {
  readonly #path: string;
  readonly #options: FileJournalOptions;
  readonly #lock: Lock;
  #handle: FileHandle | undefined;
  /** Length of all complete entries. */
  #length = 0;
  #sum = FIRST_CHECKSUM_INPUT;
  #torn = false;
  #writing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(path: string, lock: Lock, options: FileJournalOptions) {
    this.#path = path;
    this.#lock = lock;
    this.#options = options;
  }

  async read(): Promise<string[]> {
    this.#handle = await (this.#options.open ?? open)(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await this.#assertOwn();
    const bytes = await this.#handle.readFile();
    const head = this.#line(this.#header);
    if (bytes.length < head.length && head.subarray(0, bytes.length).equals(bytes)) {
      await this.#begin();
      await this.#syncFolder();
      return [];
    }
    if (!bytes.includes(NEWLINE) || !isJournalFile(bytes))
      throw new PlanError("durable/not-a-journal", `\`${this.#path}\` is not a journal of this package`);
    const [header, ...lines] = await this.#entries(bytes);
    if (header !== this.#header)
      throw invalidEntry(
        "the first line",
        "the journal was written in another version, or with a key where none was given",
      );
    // Its creator may not have synced the folder.
    if (lines.length === 0) await this.#syncFolder();
    return lines;
  }

  get #header(): string {
    return JSON.stringify({ journal: "stepgraph", version: 1, keyed: this.#options.key !== undefined });
  }

  async #begin(): Promise<void> {
    await this.#handle!.truncate(0);
    await this.append(this.#header);
  }

  async #syncFolder(): Promise<void> {
    if (this.#options.fsync === false) return;
    let folder: FileHandle | undefined;
    try {
      folder = await (this.#options.open ?? open)(dirname(this.#path), "r");
      await folder.sync();
    } catch (error) {
      if (!FOLDER_SYNC_ERRORS.has(String((error as { code?: unknown } | null)?.code))) throw error;
    } finally {
      await folder?.close();
    }
  }

  async #entries(bytes: Buffer): Promise<string[]> {
    const found: string[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, at);
      const line = bytes.subarray(at, end < 0 ? undefined : end);
      const text = this.#check(line);
      if (text === undefined && end >= 0) throw invalidEntry(`line ${found.length + 1}`, CHECKSUM_MISMATCH);
      if (end < 0) {
        const last = text ?? this.#check(line.subarray(0, -1));
        if (last !== undefined) found.push(last);
        await this.#repair(at, line, last, text === undefined);
        return found;
      }
      found.push(text!);
      this.#acceptLine(line);
      at = end + 1;
    }
    return found;
  }

  /** The newline is missing or damaged, or the line truncated. */
  async #repair(at: number, line: Buffer, last: string | undefined, spoilt: boolean): Promise<void> {
    const whole = spoilt ? line.subarray(0, -1) : line;
    if (last !== undefined) this.#acceptLine(whole);
    await this.#handle!.truncate(last === undefined ? at : at + whole.length);
    if (last !== undefined) await this.#write(Buffer.from("\n"), at + whole.length);
    await this.#sync();
  }

  #acceptLine(line: Buffer): void {
    this.#sum = line.toString("latin1", 0, 32);
    this.#length += line.length + 1;
  }

  /** Undefined for a wrong checksum. */
  #check(line: Buffer): string | undefined {
    const text = line.toString("utf8", 33);
    const sum = checksum(this.#sum, text, this.#options.key);
    const expected = Buffer.from(`${sum} ${text}`);
    return expected.equals(line) ? text : undefined;
  }

  #line(text: string): Buffer {
    return Buffer.from(`${checksum(this.#sum, text, this.#options.key)} ${text}\n`);
  }

  /**
   * The lock belongs to the path, so the file has no other name.
   *
   * @throws PlanError `durable/fenced`
   */
  async #assertOwn(): Promise<void> {
    const [own, named] = await Promise.all([
      this.#handle!.stat({ bigint: true }),
      stat(this.#path, { bigint: true }).catch(() => undefined),
    ]);
    if (named === undefined || own.ino !== named.ino)
      throw new PlanError("durable/fenced", `\`${this.#path}\` was removed, renamed or replaced while it was open`);
    if (own.nlink > 1n)
      throw new PlanError(
        "durable/fenced",
        `\`${this.#path}\` has another hard link, through which another process may write it`,
      );
    if (!this.#torn && own.size < this.#length)
      throw new PlanError("durable/fenced", `\`${this.#path}\` was cut while it was open`);
  }

  /** A rejected entry does not count. */
  append(text: string): Promise<void> {
    const appended = this.#writing.then(() => this.#append(text));
    this.#writing = appended.catch(() => {});
    return appended;
  }

  async #append(text: string): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined || this.#closing !== undefined)
      throw new PlanError("durable/journal-failed", `\`${this.#path}\` was closed`);
    const line = this.#line(text);
    try {
      await this.#lock.assertHeld();
      await this.#assertOwn();
      if (this.#torn) await handle.truncate(this.#length);
      this.#torn = true;
      await this.#write(line, this.#length);
      await this.#sync();
    } catch (error) {
      // The next write or opening removes the rest.
      if (this.#torn)
        await handle.truncate(this.#length).then(
          () => (this.#torn = false),
          () => {},
        );
      throw fileError(this.#path, "written", error);
    }
    this.#torn = false;
    this.#acceptLine(line.subarray(0, -1));
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      // One call may write fewer bytes.
      const { bytesWritten } = await this.#handle!.write(bytes, done, bytes.length - done, position + done);
      if (bytesWritten === 0) throw new Error("the journal can't be written any more");
      done += bytesWritten;
    }
  }

  async #sync(): Promise<void> {
    if (this.#options.fsync !== false) await this.#handle!.datasync();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Another file could get the handle's number. */
  async #close(): Promise<void> {
    await this.#writing;
    try {
      await this.#handle?.close();
    } catch (error) {
      throw fileError(this.#path, "closed", error);
    } finally {
      this.#handle = undefined;
      await this.#lock.release();
    }
  }
}

const FOLDER_SYNC_ERRORS = new Set(["EINVAL", "EISDIR", "EPERM", "EACCES", "ENOTSUP", "EBADF"]);

/** Only journals are ever truncated. */
function isJournalFile(bytes: Buffer): boolean {
  return bytes.toString("latin1", 33, 44) === '{"journal":';
}

function fileError(path: string, what: string, error: unknown): PlanError {
  if (error instanceof PlanError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PlanError("durable/journal-failed", `\`${path}\` could not be ${what}: ${message}`);
}
