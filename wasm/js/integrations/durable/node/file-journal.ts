/**
 * A journal in a file, a line an entry: `checksum JSON`.
 *
 * Decides what of a damaged file still counts. A last line that was cut while it was written was never acknowledged,
 * and is taken off; anything else that does not fit its checksum is refused, and the file left as it is. Invariants:
 * an entry is on the disk before the run goes on; what could not be written as a whole is not in the file.
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

/** What a journal that is kept is given. */
export interface PersistentJournalOptions extends Pick<MemoryJournalOptions, "onApproval" | "clock"> {
  /** With a key of the host's, entries that somebody else has written are refused. */
  key?: string | Uint8Array;
}

/** What a journal in a file is given. */
export interface FileJournalOptions extends PersistentJournalOptions {
  /**
   * Whether each entry is forced onto the disk before the run goes on, which it is unless given. Without that a kill
   * loses nothing, and a power failure may lose the last entries.
   */
  fsync?: boolean;
  /** @internal Opens files; for tests that let disks fail. */
  open?: typeof open;
}

/** A journal that holds something open. */
export interface PersistentJournal extends MemoryJournal, AsyncDisposable {
  /** Lets the file and its lock go. */
  close(): Promise<void>;
}

/**
 * Opens the journal of one run in a file, and creates it where there is none. One process at a time may hold it.
 *
 * @throws PlanError `durable/locked`, `durable/fenced` for a file with a second name, `durable/bad-entry` for a damaged
 * file, `durable/not-a-journal`, `durable/journal-failed` when the disk fails.
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

/** A file by its one name: who comes by a link must meet the same lock. */
async function resolveLinks(path: string): Promise<string> {
  const found = await lstat(path).catch((error: unknown) => {
    if ((error as { code?: unknown } | null)?.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return join(await realpath(dirname(path)), basename(path));
  const place = await realpath(path);
  // What is no file, such as a pipe, might be read for ever.
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
/** @internal What is said of an entry that was changed. */
export const CHECKSUM_MISMATCH = "it does not fit its checksum: it was changed, or written with another key";

class JournalFile {
  readonly #path: string;
  readonly #options: FileJournalOptions;
  readonly #lock: Lock;
  #handle: FileHandle | undefined;
  /** The bytes of all whole entries, and the checksum of the last. */
  #length = 0;
  #sum = FIRST_CHECKSUM_INPUT;
  /** Whether there may be something after the last whole entry. */
  #torn = false;
  /** The entry that is being written. */
  #writing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(path: string, lock: Lock, options: FileJournalOptions) {
    this.#path = path;
    this.#lock = lock;
    this.#options = options;
  }

  /** Reads all entries, and takes off what was cut while it was written. */
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
    // Whoever made the file may have ended before its name was on the disk.
    if (lines.length === 0) await this.#syncFolder();
    return lines;
  }

  get #header(): string {
    return JSON.stringify({ journal: "stepgraph", version: 1, keyed: this.#options.key !== undefined });
  }

  /** Writes the first line. */
  async #begin(): Promise<void> {
    await this.#handle!.truncate(0);
    await this.append(this.#header);
  }

  /** Makes sure that the file itself is kept: its name stands in its folder. */
  async #syncFolder(): Promise<void> {
    if (this.#options.fsync === false) return;
    let folder: FileHandle | undefined;
    try {
      folder = await (this.#options.open ?? open)(dirname(this.#path), "r");
      await folder.sync();
    } catch (error) {
      // Some systems can't open or sync a folder.
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

  /** What comes after the last newline: an entry that lacks only that, or has another byte there; or a cut one. */
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

  /** The text of a line that fits its checksum. */
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
   * Makes sure that what is written is the file of that name, and of no other: the lock stands beside the name.
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
      throw new PlanError("durable/fenced", `\`${this.#path}\` has another name, by which somebody else may write it`);
    if (!this.#torn && own.size < this.#length)
      throw new PlanError("durable/fenced", `\`${this.#path}\` was cut while it was open`);
  }

  /** Keeps an entry. When it returns the entry is on the disk; when it throws the entry doesn't count. */
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
      // What can't be taken off now is taken off before the next entry, or by whoever opens the file again.
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
      // One call may write less than it was given.
      const { bytesWritten } = await this.#handle!.write(bytes, done, bytes.length - done, position + done);
      if (bytesWritten === 0) throw new Error("nothing more can be written");
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

  /** An entry that is being written is first written to its end: somebody else's file may get the handle's number. */
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

/** How systems say that a folder is nothing to be opened or synced. */
const FOLDER_SYNC_ERRORS = new Set(["EINVAL", "EISDIR", "EPERM", "EACCES", "ENOTSUP", "EBADF"]);

/** Whether a file begins as a journal does: nothing else is ever cut. */
function isJournalFile(bytes: Buffer): boolean {
  return bytes.toString("latin1", 33, 44) === '{"journal":';
}

function fileError(path: string, what: string, error: unknown): PlanError {
  if (error instanceof PlanError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PlanError("durable/journal-failed", `\`${path}\` could not be ${what}: ${message}`);
}
