/**
 * The entry for Node, Deno and Bun: stores in files.
 *
 * Decides where they are kept, who may read them, and what is done where SQLite can't be written.
 */
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
 * Opens a store, and creates it where there is none.
 *
 * @throws AuditError `audit/no-driver` where there is no SQLite, `audit/locked`, `audit/unreadable`, `audit/version`
 * and so on.
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

/** A database is for its owner only, as cassettes are: SQLite would let everybody read a new one. */
function restrictToOwner(file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch {
    // SQLite will say why.
  }
  // SQLite gives the files beside it the rights of the database, but only when it makes them.
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if (statSync(name).isFile() && (statSync(name).mode & 0o077) !== 0) chmodSync(name, 0o600);
    } catch {
      // It is not there, or is somebody else's, who decides.
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

/** What is around a store: processes, and the folder for what can't be written. */
function storePlatform(folder: string | null, name: string | null): StorePlatform {
  const ours = (file: string) => file.startsWith(`${name}.left-`) && file.endsWith(".ndjson");
  return {
    place: machineId(),
    pid: process.pid,
    now: () => Date.now(),
    isAlive,
    ...(folder !== null && {
      spill: (id: string, text: string) => spillAnywhere([folder, tmpdir()], `${name}.left-${id}`, text),
    }),
    spills() {
      const names = folder === null || !existsSync(folder) ? [] : readdirSync(folder).filter(ours).sort();
      // Another process may take them in at the same time.
      return names.flatMap((file) => textOf(join(folder!, file)));
    },
    removeSpill(file) {
      try {
        unlinkSync(file);
      } catch {
        // It is gone, or stays and is taken in once more, which changes nothing.
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

/**
 * A disk that is full may not be the only one. What does not stand beside the database is not taken in by itself: its
 * folder may be anybody's.
 */
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

/** Writes a file that is there as a whole or not at all, for its owner only. */
function writeSpill(stem: string, text: string): string {
  let number = 1;
  while (existsSync(`${stem}-${number}.ndjson`)) number++;
  const [name, draft] = [`${stem}-${number}.ndjson`, `${stem}-${number}.${process.pid}.draft`];
  const file = openSync(draft, "wx", 0o600);
  try {
    // One call may write less than it was given.
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
