/** Streams, environment and files. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorReason } from "./error-reason.js";
import { noteRead } from "./file-reads.js";
import { closestName } from "./suggest.js";
import { type Failure, toFailure, UsageError } from "./usage-error.js";
import { columnsOf, styleOf, type Stream } from "../terminal/style.js";
import type { RenderOptions } from "../terminal/diagnostics.js";

export { errorReason } from "./error-reason.js";

export interface Io {
  out: Stream;
  err: Stream;
  env: Record<string, string | undefined>;
  /** Cancels the run like Ctrl-C. */
  signal?: AbortSignal;
}

export function renderOptions(stream: Stream, io: Io): RenderOptions {
  return { style: styleOf(stream, io.env), columns: columnsOf(stream) };
}

/** The columns of lines that only a terminal needs to cut: with `--verbose`, a pipe gets them whole. */
export function lineColumns(stream: Stream, isVerbose: boolean): number {
  return isVerbose && stream.isTTY !== true ? Infinity : columnsOf(stream);
}

/** `-` is standard input. Throws {@link UsageError}. */
export function readBytes(file: string): Uint8Array {
  noteRead(file);
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    const { code } = error as { code?: string };
    const suggestion = code === "ENOENT" ? similarFile(file) : null;
    const help = code === "EISDIR" ? folderHelp(file) : "check the name and the folder you are in";
    throw new UsageError(
      "cli/unreadable-file",
      `can't read \`${file}\`: ${errorReason(error)}`,
      suggestion ? `did you mean \`${suggestion}\`?` : help,
    );
  }
}

/** Throws {@link UsageError}. */
export function writeText(file: string, text: string, { help = "name a file in an existing folder" } = {}): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError("cli/unwritable-file", `can't write \`${file}\`: ${errorReason(error)}`, help);
  }
}

export function displayName(file: string): string {
  return file === "-" ? "standard input" : file;
}

function folderHelp(folder: string): string {
  const endings = [".yaml", ".yml", ".json"];
  const files = list(folder);
  const ending = endings.find((ending) => files.some((file) => file.endsWith(ending)));
  return ending === undefined
    ? `it contains no file that ends in ${endings.join(", ")}; name one that does`
    : `name the files in it, as in \`${join(folder, `*${ending}`)}\``;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function similarFile(file: string): string | null {
  const suggestion = closestName(basename(file), list(dirname(file)));
  return suggestion ? join(dirname(file), suggestion) : null;
}

/** Keeps byte order marks and invalid bytes, so offsets stay correct. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Returns the exit code. */
export function reportFailure(error: unknown, io: Io): number {
  const failure = toFailure(error);
  io.err.write(renderFailure(failure, renderOptions(io.err, io)));
  // Usage errors have help instead of a stack.
  if (failure.help === undefined && io.env.STEPGRAPH_DEBUG) io.err.write(`${(error as Error).stack}\n`);
  return error instanceof UsageError ? 2 : 1;
}

export function renderFailure({ code, message, help, details = [] }: Failure, { style }: RenderOptions): string {
  const lines = details.map((line) => `${style.dim(line)}\n`).join("");
  const advice = help ? `  ${style.blue("=")} ${style.bold("help")}: ${help}\n` : "";
  return `${style.red(style.bold(`error[${code}]`))}${style.bold(`: ${message}`)}\n${lines}${advice}`;
}
