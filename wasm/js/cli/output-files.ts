/**
 * Checks outputs before the first call, because a typo must not lose a finished run: each is writable and used once.
 */
import { tmpdir } from "node:os";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { isDatabase } from "./audit.js";
import { renderOptions, errorReason, renderFailure, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { assertWritable, isSameFile, writePrivate } from "./private-files.js";

export interface LabelledFile {
  what: string;
  file: string;
}

interface FileOptions {
  writes: readonly string[];
  reads: readonly string[];
  also?: readonly LabelledFile[];
}

/** `--resume` is read completely before. */
const MAY_SHARE_FILE = new Set(["--snapshot --resume"]);

/** Throws {@link UsageError}. */
export function checkOutputs(args: Arguments, { writes, reads, also = [] }: FileOptions): void {
  const files = (names: readonly string[]) =>
    names.flatMap((name) => args.all(name).map((file): LabelledFile => ({ what: `--${name}`, file })));
  const outputs = files(writes);
  const inputs = [...also, ...files(reads)].filter(({ file }) => file !== "-");
  for (const [i, output] of outputs.entries()) {
    const input = inputs.find(
      ({ what, file }) => isSameFile(file, output.file) && !MAY_SHARE_FILE.has(`${output.what} ${what}`),
    );
    if (input) throw new UsageError("cli/conflicting-options", overwriteMessage(output, input), "name another file");
    const twin = outputs.slice(i + 1).find(({ file }) => isSameFile(file, output.file));
    if (twin)
      throw new UsageError(
        "cli/conflicting-options",
        sameFileMessage(output, twin),
        "name another file for one of them",
      );
  }
  for (const { file } of outputs) {
    // Opening the database later gives a better message.
    if (isDatabase(file)) continue;
    try {
      assertWritable(file);
    } catch (error) {
      throw new UsageError(
        "cli/unwritable-file",
        `can't write \`${file}\`: ${errorReason(error)}`,
        "name a file in an existing folder",
      );
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
    one.what === other.what
      ? `\`${one.what}\` names the same file twice`
      : `\`${one.what}\` and \`${other.what}\` name the same file`;
  return `${options}, \`${one.file}\`${alias}`;
}

/** Falls back to a temporary file, then standard error. */
export function saveText(file: string, text: string, io: Io): string | null {
  try {
    writePrivate(file, text);
    return file;
  } catch (error) {
    const copy = saveToTemp(text);
    const help =
      copy === null ? "it can't be saved elsewhere either; copy it from below" : `it was saved in \`${copy}\` instead`;
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

export function reportWriteFailure({ message, help }: { message: string; help: string }, io: Io): void {
  io.err.write(renderFailure({ code: "cli/unwritable-file", message, help }, renderOptions(io.err, io)));
}
