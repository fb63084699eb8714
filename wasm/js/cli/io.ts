/**
 * What a command is given of the world: streams, environment, files.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { closestName } from "./suggest.js";
import { UsageError } from "./options.js";
import { columnsOf, styleOf, type Stream } from "../terminal/style.js";
import type { RenderOptions } from "../terminal/diagnostics.js";

/** The world as a command sees it. */
export interface Io {
  out: Stream;
  err: Stream;
  env: Record<string, string | undefined>;
}

/** How to show text on a stream of `io`. */
export function renderOptions(stream: Stream, io: Io): RenderOptions {
  return { style: styleOf(stream, io.env), columns: columnsOf(stream) };
}

/**
 * The bytes of a file; `-` is standard input. A file that can't be read is the person's mistake, told in one sentence.
 */
export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    const { code } = error as { code?: string };
    const suggestion = code === "ENOENT" ? similarFile(file) : null;
    const help = code === "EISDIR" ? folderHelp(file) : "check the name and the folder you are in";
    throw new UsageError(
      `can't read \`${file}\`: ${errorReason(error)}`,
      suggestion ? `did you mean \`${suggestion}\`?` : help,
    );
  }
}

/** Writes a file that anybody may read. One that can't be written is the person's mistake, too. */
export function writeText(file: string, text: string, { help = "name a file in a folder that is there" } = {}): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`can't write \`${file}\`: ${errorReason(error)}`, help);
  }
}

/** What a file is called when it is spoken of. */
export function displayName(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** What to read in place of a folder. */
function folderHelp(folder: string): string {
  const endings = [".yaml", ".yml", ".json"];
  const files = list(folder);
  const ending = endings.find((ending) => files.some((file) => file.endsWith(ending)));
  return ending === undefined
    ? `it holds no file that ends in ${endings.join(", ")}; name one that does`
    : `name the files in it, as in \`${join(folder, `*${ending}`)}\``;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A file beside the one that is not there, if its name is near. */
function similarFile(file: string): string | null {
  const suggestion = closestName(basename(file), list(dirname(file)));
  return suggestion ? join(dirname(file), suggestion) : null;
}

/** Bytes as text, every unit at its place: neither is a byte order mark dropped nor does a wrong byte stop it. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Why a file could not be used, in plain words. */
export function errorReason(error: unknown): string {
  const code = (error as { code?: string }).code ?? "";
  const words: Record<string, string> = {
    ENOENT: "there is no such file",
    EISDIR: "it is a folder",
    EACCES: "you may not",
    EPERM: "you may not",
    ENOTDIR: "a part of its path is not a folder",
    ENOSPC: "the disk is full",
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}

/** A mistake as a person reads it. */
export function renderUsageError(message: string, help: string | undefined, { style }: RenderOptions): string {
  const advice = help ? `  ${style.blue("=")} ${style.bold("help")}: ${help}\n` : "";
  return `${style.red(style.bold("error"))}${style.bold(`: ${message}`)}\n${advice}`;
}
