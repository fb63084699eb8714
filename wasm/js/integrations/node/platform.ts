/**
 * What Node, Deno and Bun offer to what keeps things in files: a SQLite, and who else is there.
 *
 * Decides which SQLite is used: the platform's own, else the package `libsql` where the host has installed it. Both
 * lock files as SQLite itself does, so that processes with either may write at once.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { SqliteDatabase } from "../audit/database.js";

/** Opens a database in a file. */
export type SqliteDriver = new (file: string, options?: object) => SqliteDatabase;

/** In the order in which they are tried. The last is for Node 20. */
const DRIVERS = [
  ["node:sqlite", "DatabaseSync"],
  ["bun:sqlite", "Database"],
  ["libsql", "default"],
] as const;

/** The SQLite of this platform; undefined where there is none. */
export async function sqliteDriver(): Promise<SqliteDriver | undefined> {
  for (const [name, key] of DRIVERS) {
    try {
      // By a name that bundlers can't follow: which of them is there shows only where this runs.
      const module = (await import(name)) as Record<string, SqliteDriver | undefined>;
      const given = module[key];
      if (given !== undefined) return given;
    } catch {
      // The next one may be there.
    }
  }
  return undefined;
}

/**
 * Whether a process of this machine goes on. Systems give numbers again: `since`, what {@link processStart} told of the
 * process, tells it from another that has its number now.
 */
export function isAlive(pid: number, since = ""): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one, too.
    if ((error as { code?: string }).code !== "EPERM") return false;
  }
  const { state, started } = processStatus(pid);
  // One that has ended keeps its number until its parent looks, which some never do.
  if (state === "Z" || state === "X") return false;
  return since === "" || started === "" || since === started;
}

/** When a process was started, counted from the start of the machine; empty where the system does not tell. */
export function processStart(pid: number): string {
  return processStatus(pid).started;
}

function processStatus(pid: number): { state: string; started: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program comes before, and may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return { state: "", started: "" };
  }
}

/** The machine, since when it runs, and on Linux which processes can be seen: containers see their own. */
export function machineId(): string {
  const part = (read: () => string) => {
    try {
      return read().trim();
    } catch {
      return "";
    }
  };
  const parts = [
    hostname(),
    part(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    part(() => readlinkSync("/proc/self/ns/pid")),
  ];
  return parts.filter((text) => text !== "").join(" ");
}
