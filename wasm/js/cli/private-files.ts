/**
 * Files for their owner only: what is kept of runs may be secret.
 *
 * Decides who may read them, and that a file is replaced as a whole or not at all: it is written beside, and renamed.
 * Pipes and devices are written as they are.
 */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";

const OWNER_ONLY = 0o600;
/** So many links are followed. */
const MAX_LINKS = 40;
/** Files that can be written but not replaced, such as a single file that is mounted into a container. */
const NOT_REPLACED = new Set(["EACCES", "EBUSY", "EPERM", "EROFS", "EXDEV"]);

/** Opens a file for writing; one that others may read is narrowed. Gives its descriptor. */
export function openPrivate(file: string, flags: "a" | "w" | "wx"): number {
  const opened = openSync(file, flags, OWNER_ONLY);
  try {
    const stat = fstatSync(opened);
    if (stat.isFile() && (stat.mode & 0o777 & ~OWNER_ONLY) !== 0) fchmodSync(opened, OWNER_ONLY);
  } catch {
    // Somebody else's file keeps the rights that its owner gave it; some file systems know none.
  }
  return opened;
}

/** Replaces a file as a whole. */
export function writePrivate(file: string, text: string): void {
  const place = resolveLinks(file);
  if (!isReplaceable(place)) return writeFileSync(place, text);
  const draft = draftPath(place);
  try {
    writeToDescriptor(openPrivate(draft, "wx"), text);
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    if (!isOnlyWritable(place, error)) throw error;
    writeToDescriptor(openPrivate(place, "w"), text);
  }
}

/** Whether a file is there, and can only be written in its place. */
export function isOnlyWritable(place: string, error: unknown): boolean {
  return isPresent(place) && NOT_REPLACED.has((error as { code?: string }).code ?? "");
}

function writeToDescriptor(opened: number, text: string): void {
  try {
    writeFileSync(opened, text);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Throws if a file could not be written as it is, or beside. Changes nothing. */
export function assertWritable(file: string): void {
  const place = resolveLinks(file);
  if (isPresent(place)) {
    if (statSync(place).isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
    return accessSync(place, constants.W_OK);
  }
  const draft = draftPath(place);
  closeSync(openSync(draft, "wx", OWNER_ONLY));
  rmSync(draft, { force: true });
}

/** A name beside a file that nobody has. */
export function draftPath(place: string): string {
  return `${place}.${randomBytes(4).toString("hex")}.draft`;
}

/** Whether a file can be renamed over: it is one, or is not there yet. */
export function isReplaceable(place: string): boolean {
  return !isPresent(place) || statSync(place).isFile();
}

/** Whether two names are those of one file, by whatever links. Pipes and devices are nobody's own. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [identityOf(one), identityOf(other)];
  return a !== null && a === b;
}

function identityOf(file: string): string | null {
  try {
    const stat = statSync(file, { bigint: true });
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : null;
  } catch {
    return resolveLinks(file);
  }
}

/** Where a file is once all links are followed, also those that lead to nothing yet. */
export function resolveLinks(file: string, links = MAX_LINKS): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    // It is not there, or a part of its path is not.
  }
  try {
    if (links > 0) return resolveLinks(resolve(dirname(path), readlinkSync(path)), links - 1);
  } catch {
    // It is no link.
  }
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

function isPresent(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false }) !== undefined;
}
