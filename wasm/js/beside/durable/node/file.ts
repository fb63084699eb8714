/**
 * A journal in a file, a line an entry: `checksum JSON`.
 *
 * Decides what of a damaged file still counts. A last line that was cut while it was written was never acknowledged,
 * and is taken off; anything else that does not fit its checksum is refused, and the file left as it is. Invariants:
 * an entry is on the disk before the run goes on; what could not be written as a whole is not in the file.
 */
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { PlanError } from "stepgraph";
import { BEGINNING, checksum } from "./chain.js";
import { bad } from "../entry.js";
import { lock, type Lock } from "./lock.js";
import { MemoryJournal, type MemoryJournalOptions } from "../memory.js";

/** What a journal that is kept is given. */
export interface KeptJournalOptions extends Pick<MemoryJournalOptions, "onApproval" | "clock"> {
  /** With a key of the host's, entries that somebody else has written are refused. */
  key?: string | Uint8Array;
}

/** What a journal in a file is given. */
export interface FileJournalOptions extends KeptJournalOptions {
  /**
   * Whether each entry is forced onto the disk before the run goes on, which it is unless given. Without that a kill
   * loses nothing, and a power failure may lose the last entries.
   */
  fsync?: boolean;
  /** @internal Opens files; for tests that let disks fail. */
  open?: typeof open;
}

/** A journal that holds something open. */
export interface KeptJournal extends MemoryJournal, AsyncDisposable {
  /** Lets the file and its lock go. */
  close(): Promise<void>;
}

/**
 * Opens the journal of one run in a file, and creates it where there is none. One process at a time may hold it.
 *
 * @throws PlanError `durable/locked`, `durable/bad-entry` for a damaged file, `durable/not-a-journal`,
 * `durable/journal-failed` when the disk fails.
 * @example
 * await using journal = await fileJournal("order-17.journal");
 * const report = await runDurable(graph, journal, { input, tools, handlers });
 */
export async function fileJournal(path: string, options: FileJournalOptions = {}): Promise<KeptJournal> {
  const held = await lock(path).catch((error: unknown) => {
    throw failure(path, "locked", error);
  });
  const file = new JournalFile(path, held, options);
  try {
    const lines = await file.read();
    return new FileJournal(file, lines, options);
  } catch (error) {
    await file.close();
    throw failure(path, "read", error);
  }
}

class FileJournal extends MemoryJournal implements KeptJournal {
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
export const UNFIT = "it does not fit its checksum: it was changed, or written with another key";

class JournalFile {
  readonly #path: string;
  readonly #options: FileJournalOptions;
  readonly #lock: Lock;
  #handle: FileHandle | undefined;
  /** The bytes of all whole entries, and the checksum of the last. */
  #length = 0;
  #sum = BEGINNING;
  /** Why nothing can be written any more. */
  #broken: PlanError | undefined;

  constructor(path: string, lock: Lock, options: FileJournalOptions) {
    this.#path = path;
    this.#lock = lock;
    this.#options = options;
  }

  /** Reads all entries, and takes off what was cut while it was written. */
  async read(): Promise<string[]> {
    const opens = this.#options.open ?? open;
    const handle = await opens(this.#path, "a+", 0o600).then(async (made) => {
      await made.close();
      return opens(this.#path, "r+");
    });
    this.#handle = handle;
    const bytes = await handle.readFile();
    const head = this.#line(this.#header);
    if (bytes.length < head.length && head.subarray(0, bytes.length).equals(bytes)) {
      await this.#begin();
      return [];
    }
    if (!bytes.includes(NEWLINE) || !isOurs(bytes))
      throw new PlanError("durable/not-a-journal", `\`${this.#path}\` is not a journal of this package`);
    const [header, ...lines] = await this.#entries(bytes);
    if (header !== this.#header)
      throw bad("the first line", "the journal was written in another version, or with a key where none was given");
    return lines;
  }

  get #header(): string {
    return JSON.stringify({ journal: "stepgraph", version: 1, keyed: this.#options.key !== undefined });
  }

  /** Writes the first line, and makes sure that the file itself is kept. */
  async #begin(): Promise<void> {
    await this.#handle!.truncate(0);
    await this.append(this.#header);
    if (this.#options.fsync === false) return;
    const folder = await (this.#options.open ?? open)(dirname(this.#path), "r").catch(() => undefined);
    // Some systems can't open or sync a folder.
    await folder?.sync().catch(() => {});
    await folder?.close();
  }

  async #entries(bytes: Buffer): Promise<string[]> {
    const found: string[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, at);
      const line = bytes.subarray(at, end < 0 ? undefined : end);
      const text = this.#check(line);
      if (text === undefined && end >= 0) throw bad(`line ${found.length + 1}`, UNFIT);
      if (end < 0) {
        const last = text ?? this.#check(line.subarray(0, -1));
        if (last !== undefined) found.push(last);
        await this.#mend(at, line, last, text === undefined);
        return found;
      }
      found.push(text!);
      this.#take(line);
      at = end + 1;
    }
    return found;
  }

  /** What comes after the last newline: an entry that lacks only that, or has another byte there; or a cut one. */
  async #mend(at: number, line: Buffer, last: string | undefined, spoilt: boolean): Promise<void> {
    const whole = spoilt ? line.subarray(0, -1) : line;
    if (last !== undefined) this.#take(whole);
    await this.#handle!.truncate(last === undefined ? at : at + whole.length);
    if (last !== undefined) await this.#write(Buffer.from("\n"), at + whole.length);
    await this.#sync();
  }

  #take(line: Buffer): void {
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

  /** Keeps an entry. When it returns the entry is on the disk; when it throws nothing of it is. */
  async append(text: string): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const line = this.#line(text);
    try {
      await this.#write(line, this.#length);
      await this.#sync();
    } catch (error) {
      await this.#takeOff(error);
      throw failure(this.#path, "written", error);
    }
    this.#take(line.subarray(0, -1));
  }

  async #takeOff(cause: unknown): Promise<void> {
    try {
      await this.#handle!.truncate(this.#length);
    } catch {
      // What is there now nobody knows. Whoever opens the file again finds out.
      this.#broken = failure(this.#path, "written", cause);
    }
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

  async close(): Promise<void> {
    this.#broken ??= new PlanError("durable/journal-failed", `\`${this.#path}\` was closed`);
    const handle = this.#handle;
    this.#handle = undefined;
    try {
      await handle?.close();
    } finally {
      await this.#lock.release();
    }
  }
}

/** Whether a file begins as a journal does: nothing else is ever cut. */
function isOurs(bytes: Buffer): boolean {
  return bytes.toString("latin1", 33, 44) === '{"journal":';
}

function failure(path: string, what: string, error: unknown): PlanError {
  if (error instanceof PlanError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PlanError("durable/journal-failed", `\`${path}\` could not be ${what}: ${message}`);
}
