/**
 * Owner-only files, because runs may contain secrets. A draft replaces a regular file completely or not at all. Pipes
 * and devices are written directly.
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
import { basename, dirname, join, resolve } from "node:path";

const OWNER_ONLY = 0o600;
const MAX_LINKS = 40;
/** Writable but not replaceable, such as a mounted file. */
const NOT_REPLACED = new Set(["EACCES", "EBUSY", "EPERM", "EROFS", "EXDEV"]);

/** Also removes others' access. Returns the descriptor. */
export function openPrivate(file: string, flags: "a" | "w" | "wx"): number {
  const opened = openSync(file, flags, OWNER_ONLY);
  try {
    const stat = fstatSync(opened);
    if (stat.isFile() && (stat.mode & 0o777 & ~OWNER_ONLY) !== 0) fchmodSync(opened, OWNER_ONLY);
  } catch {
    // Only the owner may change permissions, and some file systems have none.
  }
  return opened;
}

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

/** Throws if neither file nor draft is writable. */
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

/** An unused name next to the file. */
export function draftPath(place: string): string {
  return `${place}.${crypto.randomUUID().slice(0, 8)}.draft`;
}

/** A regular file, or none yet. */
export function isReplaceable(place: string): boolean {
  return !isPresent(place) || statSync(place).isFile();
}

/** Also through links. Pipes and devices never are. */
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

/** Also resolves links to missing files. */
export function resolveLinks(file: string, links = MAX_LINKS): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    // A part of the path is missing.
  }
  try {
    if (links > 0) return resolveLinks(resolve(dirname(path), readlinkSync(path)), links - 1);
  } catch {
    // Not a link.
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
