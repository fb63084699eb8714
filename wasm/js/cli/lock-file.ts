/** A plan's `stepgraph.lock`: beside it or above, up to the repository's root. */
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { PlanError, ToolLock } from "../node.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { decode, readBytes } from "./io.js";
import { UsageError, type Arguments } from "./options.js";

export const LOCK_FILE = "stepgraph.lock";

export interface LockFile {
  /** As short as possible. */
  file: string;
  lock: ToolLock;
}

export function findLock(plan: string): string | null {
  const folder = plan === "-" ? resolve(".") : dirname(resolve(plan));
  const found = searchedFolders(folder).map((each) => join(each, LOCK_FILE));
  return found.find((file) => existsSync(file)) ?? null;
}

/** Stops at the current folder if there is no repository: others may write further up. */
function searchedFolders(folder: string): string[] {
  const all = [folder];
  while (dirname(all.at(-1)!) !== all.at(-1)) all.push(dirname(all.at(-1)!));
  const top = all.find((each) => existsSync(join(each, ".git"))) ?? all.find((each) => each === resolve(".")) ?? folder;
  return all.slice(0, all.indexOf(top) + 1);
}

/** Null without a lock, or with `--no-lock`. */
export function lockOf(plan: string, args: Arguments): LockFile | null {
  const given = args.single("lock");
  if (args.has("no-lock")) {
    if (given !== undefined)
      throw new UsageError(
        "cli/conflicting-options",
        "`--lock` and `--no-lock` contradict each other",
        "leave one of them out",
      );
    return null;
  }
  const file = given ?? findLock(plan);
  return file === null ? null : { file: shortPath(file), lock: readLock(file) };
}

/** For `--locked`. Throws {@link UsageError} for a plan without a lock. Null without `--locked`. */
export function requiredLock(plan: string, args: Arguments): LockFile | null {
  if (!args.has("locked")) {
    if (args.has("lock")) throw new UsageError("cli/missing-argument", "`--lock` needs `--locked`", "add `--locked`");
    return null;
  }
  const found = lockOf(plan, args);
  if (found !== null) return found;
  throw new UsageError(
    "cli/not-found",
    "there is no `stepgraph.lock`",
    "write it by `stepgraph lock`, or name it by `--lock FILE`",
  );
}

/** Many plans share a lock, and a watched one changes. */
const parsed = new Map<string, { text: string; lock: ToolLock }>();

/** Throws {@link UsageError}, also for a lock edited by hand. */
export function readLock(file: string): ToolLock {
  const text = decode(readBytes(file));
  const known = parsed.get(file);
  if (known?.text === text) return known.lock;
  try {
    const lock = ToolLock.parse(text);
    parsed.set(file, { text, lock });
    return lock;
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const [, line = "1", message = error.message] = /^line (\d+): ([^]*)$/.exec(error.message) ?? [];
    throw new UsageError(
      "cli/invalid-file",
      `${shortPath(file)}:${line}: ${message} (${error.code})`,
      "write it again by `stepgraph lock`, or take back the change",
    );
  }
}

export function shortPath(file: string): string {
  const short = relative(".", file);
  return short.startsWith(`..${sep}..`) ? resolve(file) : short;
}

/** A module's own tools are current. */
export function lockedTools({ lock }: LockFile, own: readonly ToolInfo[]): ToolInfo[] {
  const isOwn = (tool: ToolInfo) => own.some(({ server, name }) => server === tool.server && name === tool.name);
  return lock.tools.filter((tool) => !isOwn(tool));
}

/** The lock is no server, so a missing tool needs other help. */
export function withLockHelp(diagnostics: Diagnostic[], file: string): Diagnostic[] {
  return diagnostics.map((one) => {
    const [, name] = /^there is no tool (`.*`)$/s.exec(one.message) ?? [];
    if (one.code !== "graph/unknown-tool" || name === undefined) return one;
    const add = "lock it by `stepgraph lock PLAN... --server NAME=URL`";
    const help = /^did you mean/.test(one.help ?? "") ? `${one.help} If not, ${add}` : add;
    return { ...one, message: `\`${file}\` has no tool ${name}`, help };
  });
}
