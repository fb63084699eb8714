/**
 * Lock of a journal: a file next to it names the process that may write.
 *
 * Locks of ended processes on this machine are void. Other machines' locks hold. At most one process gets the lock,
 * because each creates its numbered file before it checks again. Only the holder removes void locks.
 */
import { constants } from "node:fs";
import { copyFile, link, readdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { internals, PlanError } from "stepgraph";
import { isAlive, machineId, processStart } from "../../node/platform.js";

export interface Lock {
  /**
   * Throws if the lock was removed.
   *
   * @throws PlanError `durable/fenced`
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks a file.
 *
 * @throws PlanError `durable/locked` if another process holds it.
 */
export async function lock(path: string): Promise<Lock> {
  const before = await locksOf(path);
  await endedLocks(path, before);
  const own = `${path}.lock-${1 + Math.max(0, ...before.map(numberOf))}`;
  if (!(await createLock(path, own))) throw lockedError(path, "a process that started at the same time");
  const id = await identity(own);
  const isOurs = async () => id !== undefined && (await identity(own)) === id;
  const release = async () => {
    if (await isOurs().catch(() => false)) await unlink(own).catch(() => {});
  };
  try {
    const others = (await locksOf(path)).filter((file) => file !== own);
    for (const file of await endedLocks(path, others)) await unlink(file).catch(() => {});
  } catch (error) {
    await release();
    throw error;
  }
  const assertHeld = async () => {
    if (await isOurs()) return;
    throw new PlanError("durable/fenced", `the lock of \`${path}\` was removed: another process may hold it`);
  };
  return { assertHeld, release };
}

async function locksOf(path: string): Promise<string[]> {
  const [folder, prefix] = [dirname(path), `${basename(path)}.lock-`];
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
}

function numberOf(file: string): number {
  const number = Number(file.slice(file.lastIndexOf("-") + 1));
  return Number.isSafeInteger(number) ? number : 0;
}

/** False if the number exists. */
async function createLock(path: string, own: string): Promise<boolean> {
  const draft = `${path}.draft-${internals.randomId()}`;
  const owner = { pid: process.pid, since: processStart(process.pid), place: machineId() };
  try {
    await writeFile(draft, JSON.stringify(owner), { mode: 0o600, flag: "wx" });
    // If links are unsupported, the file is empty at first: it counts as held.
    await link(draft, own).catch((error: unknown) => {
      if (isCode(error, "EEXIST")) throw error;
      return copyFile(draft, own, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await unlink(draft).catch(() => {});
  }
}

/** Identifies the file, not its name. */
async function identity(file: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function endedLocks(path: string, files: readonly string[]): Promise<string[]> {
  const ended: string[] = [];
  for (const file of files) {
    const text = await textOf(file);
    if (text === undefined) continue;
    const holder = holderOf(text, file);
    if (holder !== undefined) throw lockedError(path, holder);
    ended.push(file);
  }
  return ended;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    return isCode(error, "ENOENT") ? undefined : "";
  }
}

/** Undefined if the process has ended. */
function holderOf(text: string, file: string): string | undefined {
  let owner: { pid?: unknown; since?: unknown; place?: unknown } | null;
  try {
    owner = JSON.parse(text) as typeof owner;
  } catch {
    owner = null;
  }
  const { pid, since, place } = owner ?? {};
  if (!Number.isInteger(pid) || (pid as number) < 1 || typeof place !== "string")
    return `\`${file}\`, which names no process; remove it if no process uses the journal`;
  if (place !== machineId())
    return `process ${pid} of ${place.split(" ")[0]}; remove \`${file}\` if that process has ended`;
  if (!isAlive(pid as number, typeof since === "string" ? since : "")) return undefined;
  return pid === process.pid ? "this process; close that journal first" : `process ${pid}`;
}

function lockedError(path: string, holder: string): PlanError {
  return new PlanError("durable/locked", `\`${path}\` is held by ${holder}`);
}

function isCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | null)?.code === code;
}
