/**
 * SQLite and process checks for Node, Deno and Bun.
 *
 * The platform's SQLite comes first, then `libsql`. Both lock files alike, so processes may mix them.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { SqliteDatabase } from "../audit/database.js";

export type SqliteDriver = new (file: string, options?: object) => SqliteDatabase;

/** The last is for Node 20. */
const DRIVERS = [
  ["node:sqlite", "DatabaseSync"],
  ["bun:sqlite", "Database"],
  ["libsql", "default"],
] as const;

export async function sqliteDriver(): Promise<SqliteDriver | undefined> {
  for (const [name, key] of DRIVERS) {
    try {
      // Bundlers can't follow a computed name.
      const module = (await import(name)) as Record<string, SqliteDriver | undefined>;
      const given = module[key];
      if (given !== undefined) return given;
    } catch {
      // Try the next one.
    }
  }
  return undefined;
}

/** `since` (from {@link processStart}) detects a reused id. */
export function isAlive(pid: number, since = ""): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process.
    if ((error as { code?: string }).code !== "EPERM") return false;
  }
  const { state, started } = processStatus(pid);
  // A zombie keeps its id until its parent collects it.
  if (state === "Z" || state === "X") return false;
  return since === "" || started === "" || since === started;
}

/** Since boot. Empty if unknown. */
export function processStart(pid: number): string {
  return processStatus(pid).started;
}

function processStatus(pid: number): { state: string; started: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return { state: "", started: "" };
  }
}

/** A container sees only its own processes, so this includes the process namespace on Linux. */
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
