/**
 * One writer at a time: a file beside the journal says which process holds it.
 *
 * Decides who may write. A lock whose process has ended on this machine since it was started counts for nothing; one
 * of another machine or container does count, for nobody here can tell whether it goes on. Invariant: two that lock at
 * once never both get it, since each writes its own lock before it looks for others.
 */
import { readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { inner, PlanError } from "stepgraph";
import { alive, placeName } from "../../node/platform.js";

/** A lock that is held. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Locks a file for this process.
 *
 * @throws PlanError `durable/locked` when somebody else holds it.
 */
export async function lock(path: string): Promise<Lock> {
  const token = inner.randomId();
  const own = `${path}.lock-${token}`;
  const draft = `${path}.draft-${token}`;
  await writeFile(draft, JSON.stringify({ pid: process.pid, place: placeName() }), { mode: 0o600, flag: "wx" });
  await rename(draft, own);
  const release = () => unlink(own).catch(() => {});
  try {
    const holder = await otherHolder(path, own);
    if (holder === undefined) return { release };
    throw new PlanError("durable/locked", `\`${path}\` is held by ${holder}`);
  } catch (error) {
    await release();
    throw error;
  }
}

/** Who else holds a lock, in words; locks of processes that have ended are removed. */
async function otherHolder(path: string, own: string): Promise<string | undefined> {
  const [folder, prefix] = [dirname(path), `${basename(path)}.lock-`];
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!name.startsWith(prefix) || file === join(folder, basename(own))) continue;
    const text = await readFile(file, "utf8").catch(() => undefined);
    // It was released meanwhile.
    if (text === undefined) continue;
    const holder = holderOf(text, file);
    if (holder !== undefined) return holder;
    await unlink(file).catch(() => {});
  }
  return undefined;
}

function holderOf(text: string, file: string): string | undefined {
  let said: { pid?: unknown; place?: unknown };
  try {
    said = JSON.parse(text) as typeof said;
  } catch {
    said = {};
  }
  const { pid, place } = said;
  if (typeof pid !== "number" || typeof place !== "string")
    return `\`${file}\`, which names no process; remove it if nobody uses the journal`;
  if (pid === process.pid && place === placeName()) return "this process; close that journal first";
  if (place === placeName()) return alive(pid) ? `process ${pid}` : undefined;
  return `process ${pid} of ${place.split(" ")[0]}; remove \`${file}\` if that process has ended`;
}
