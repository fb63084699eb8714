/** Audit stores in files, for Node, Deno and Bun. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isAlive, machineId, sqliteDriver, type SqliteDriver } from "../node/platform.js";
import { assertOpen, openStore, type OpenDatabase, type OpenOptions } from "./open-store.js";
import { AuditError } from "./sink.js";
import type { AuditStore } from "./store.js";
import type { StorePlatform } from "./store-platform.js";

export * from "./index.js";

let loadedDriver: SqliteDriver | undefined;

/**
 * Opens or creates a store.
 *
 * @throws AuditError `audit/no-driver` if there is no SQLite, `audit/locked`, `audit/unreadable`, `audit/version` and
 * others.
 * @example
 * const store = await openAudit("audit.db");
 * for (const { id, status } of store.runs({ status: "failed" }).runs) console.log(id, status);
 */
export async function openAudit(from: string | OpenDatabase, options: OpenOptions = {}): Promise<AuditStore> {
  assertOpen(from, options);
  if (typeof from === "object") return openStore(() => from.db, "the database", storePlatform(null, null), options);
  const { create = true, readOnly = false } = options;
  if (!existsSync(from) && (readOnly || !create))
    throw new AuditError("audit/no-database", `there is no \`${from}\``, "name a database that runs were audited to");
  loadedDriver ??= await loadDriver();
  const Database = loadedDriver;
  if (!readOnly) restrictToOwner(from);
  const open = () => (readOnly ? new Database(from, { readOnly, readonly: true }) : new Database(from));
  return openStore(open, from, storePlatform(resolve(options.spill ?? dirname(from)), basename(from)), options);
}

/** SQLite would let all users read a new database. */
function restrictToOwner(file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch {
    // SQLite reports the reason.
  }
  // SQLite copies the mode only when it creates these files.
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if (statSync(name).isFile() && (statSync(name).mode & 0o077) !== 0) chmodSync(name, 0o600);
    } catch {
      // It does not exist, or another user owns it.
    }
  }
}

async function loadDriver(): Promise<SqliteDriver> {
  const known = await sqliteDriver();
  if (known !== undefined) return known;
  throw new AuditError(
    "audit/no-driver",
    "this platform has no SQLite",
    "use Node 22.13 or later, or `npm install libsql`, or hand an open database over",
  );
}

function storePlatform(folder: string | null, name: string | null): StorePlatform {
  const isSpillFile = (file: string) => file.startsWith(`${name}.left-`) && file.endsWith(".ndjson");
  return {
    place: machineId(),
    pid: process.pid,
    now: () => Date.now(),
    isAlive,
    ...(folder !== null && {
      spill: (id: string, text: string) => spillAnywhere([folder, tmpdir()], `${name}.left-${id}`, text),
    }),
    spills() {
      const names = folder === null || !existsSync(folder) ? [] : readdirSync(folder).filter(isSpillFile).sort();
      return names.flatMap((file) => textOf(join(folder!, file)));
    },
    removeSpill(file) {
      try {
        unlinkSync(file);
      } catch {
        // Importing it again changes nothing.
      }
    },
  };
}

function textOf(name: string): { name: string; text: string }[] {
  try {
    return [{ name, text: readFileSync(name, "utf8") }];
  } catch {
    return [];
  }
}

/** Other disks may have space. Any user can write to the temporary folder, so its files are never imported. */
function spillAnywhere(folders: readonly string[], stem: string, text: string): string {
  let failure: unknown;
  for (const folder of folders) {
    try {
      return writeSpill(join(folder, stem), text);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** Completely or not at all. */
function writeSpill(stem: string, text: string): string {
  let number = 1;
  while (existsSync(`${stem}-${number}.ndjson`)) number++;
  const [name, draft] = [`${stem}-${number}.ndjson`, `${stem}-${number}.${process.pid}.draft`];
  const file = openSync(draft, "wx", 0o600);
  try {
    // One call may write fewer bytes.
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
    renameSync(draft, name);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  } finally {
    closeSync(file);
  }
  return name;
}
