/**
 * The files that a command writes: whether they can be written at all, and that none of them is another one.
 *
 * Decides nothing about what is written. Everything is refused before anybody is asked, and before anything is written:
 * a run whose calls were made must not be lost for a slip in a name.
 */
import { tmpdir } from "node:os";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { isDatabase } from "./audit.js";
import { renderOptions, errorReason, renderUsageError, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { assertWritable, isSameFile, writePrivate } from "./private-files.js";

/** A file, and the words for what it is. */
export interface LabelledFile {
  what: string;
  file: string;
}

/** What options are called that name files. */
interface FileOptions {
  /** Options whose files are written. */
  writes: readonly string[];
  /** Options whose files are read. */
  reads: readonly string[];
  /** Other files that are read. */
  also?: readonly LabelledFile[];
}

/** A run may be kept in the file that it goes on from: that is read as a whole, and replaced at the end. */
const MAY_SHARE_FILE = new Set(["--snapshot --resume"]);

/** Refuses files that can't be written, or that are another file of the same command. Throws {@link UsageError}. */
export function checkOutputs(args: Arguments, { writes, reads, also = [] }: FileOptions): void {
  const files = (names: readonly string[]) =>
    names.flatMap((name) => args.all(name).map((file): LabelledFile => ({ what: `--${name}`, file })));
  const outputs = files(writes);
  const inputs = [...also, ...files(reads)].filter(({ file }) => file !== "-");
  for (const [i, output] of outputs.entries()) {
    const input = inputs.find(
      ({ what, file }) => isSameFile(file, output.file) && !MAY_SHARE_FILE.has(`${output.what} ${what}`),
    );
    if (input) throw new UsageError(overwriteMessage(output, input), "name another file");
    const twin = outputs.slice(i + 1).find(({ file }) => isSameFile(file, output.file));
    if (twin) throw new UsageError(sameFileMessage(output, twin), "name another file for one of them");
  }
  for (const { file } of outputs) {
    // A database is opened before the run, and says better what is wrong.
    if (isDatabase(file)) continue;
    try {
      assertWritable(file);
    } catch (error) {
      throw new UsageError(`can't write \`${file}\`: ${errorReason(error)}`, "name a file in a folder that is there");
    }
  }
}

function overwriteMessage(output: LabelledFile, input: LabelledFile): string {
  const read = input.what.startsWith("--") ? `the file of \`${input.what}\`` : input.what;
  const alias = input.file === output.file ? "" : `, which is \`${output.file}\`, too`;
  return `\`${output.what}\` would write over ${read}, \`${input.file}\`${alias}`;
}

function sameFileMessage(one: LabelledFile, other: LabelledFile): string {
  const alias = one.file === other.file ? "" : `, which is \`${other.file}\`, too`;
  const options =
    one.what === other.what ? `\`${one.what}\` stands twice` : `\`${one.what}\` and \`${other.what}\` stand`;
  return `${options} for one file, \`${one.file}\`${alias}`;
}

/**
 * Keeps what must not be lost: in its file, or elsewhere if that fails, or at least on standard error. Gives the file.
 */
export function saveText(file: string, text: string, io: Io): string | null {
  try {
    writePrivate(file, text);
    return file;
  } catch (error) {
    const copy = saveToTemp(text);
    const help =
      copy === null ? "it can't be kept elsewhere either; copy it from below" : `it is kept in \`${copy}\` instead`;
    reportWriteFailure({ message: `can't write \`${file}\`: ${errorReason(error)}`, help }, io);
    if (copy === null) io.err.write(text);
    return copy;
  }
}

function saveToTemp(text: string): string | null {
  try {
    const file = join(mkdtempSync(join(tmpdir(), "stepgraph-")), "snapshot.json");
    writePrivate(file, text);
    return file;
  } catch {
    return null;
  }
}

/** Tells of a file that could not be written, and what became of it. */
export function reportWriteFailure({ message, help }: { message: string; help: string }, io: Io): void {
  io.err.write(renderUsageError(message, help, renderOptions(io.err, io)));
}
