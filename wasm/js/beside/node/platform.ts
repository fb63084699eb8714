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

/** Whether a process of this machine goes on. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as { code?: string }).code === "EPERM";
  }
}

/** The machine, since when it runs, and on Linux which processes can be seen: containers see their own. */
export function placeName(): string {
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
