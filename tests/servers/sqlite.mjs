// The built package with SQLite installed next to it: the package `libsql` on Node 20. Node 22 has SQLite built in.
//
// Uses a copy in a separate folder, so that the packages of the checkout have no influence.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { npmPackages } from "./install.mjs";

/**
 * libsql: MIT, SQLite's own code and locks, prebuilt binaries in the registry. better-sqlite3 13 has none for Node 20.
 */
const VERSION = "0.5.29";

/** Whether this Node has built-in SQLite. */
export const hasBuiltInSqlite = await import("node:sqlite").then(
  () => true,
  () => false,
);

/** Returns the class that opens a database: Node's own, else libsql's. Undefined if the installation fails. */
export async function sqlite() {
  if (hasBuiltInSqlite) return (await import("node:sqlite")).DatabaseSync;
  try {
    const folder = await npmPackages(`libsql-${VERSION}`, [`libsql@${VERSION}`]);
    return (await import(pathToFileURL(join(folder, "node_modules", "libsql", "index.js")).href)).default;
  } catch {
    return undefined;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Creates a folder with the package and SQLite, and functions that run programs in it. `remove` deletes it. */
export async function createSqliteFolder({ sqlite = !hasBuiltInSqlite } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-audit-"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "stepgraph"), { recursive: true });
  for (const part of ["dist", "pkg", "package.json"])
    cpSync(join(root, part), join(modules, "stepgraph", part), { recursive: true });
  if (sqlite)
    symlinkSync(
      join(await npmPackages(`libsql-${VERSION}`, [`libsql@${VERSION}`]), "node_modules", "libsql"),
      join(modules, "libsql"),
    );
  const file = (name) => pathToFileURL(join(modules, "stepgraph", "dist", name)).href;
  const program = join(modules, "stepgraph", "dist/cli/main.js");
  return {
    folder,
    path: (name) => join(folder, name),
    entry: () => new URL(file("node.js")),
    library: () => import(file("node.js")),
    audit: () => import(file("integrations/audit/node.js")),
    /** Opens a database as a host would. */
    async database(name) {
      const driver = hasBuiltInSqlite
        ? (await import("node:sqlite")).DatabaseSync
        : (await import(pathToFileURL(join(modules, "libsql/index.js")).href)).default;
      return new driver(join(folder, name));
    },
    /** Runs Node in the folder. `done` resolves to `{ code, out, err }`. `until` waits for text on standard output. */
    node(args, options) {
      return started(process.execPath, args, folder, options);
    },
    /** Does the same with another Node. */
    program(node, args, options) {
      return started(node, args, folder, options);
    },
    /** Runs the command to its end. */
    command(args, options) {
      return started(process.execPath, [program, ...args], folder, options).done;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function started(program, args, cwd, { env = {} } = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, TZ: "UTC", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  const heard = new Set();
  child.stdout.on("data", (bytes) => {
    out += bytes;
    for (const hear of heard) hear();
  });
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  const done = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, out, err })));
  const until = (words) =>
    new Promise((resolve, reject) => {
      const onOutput = () => {
        if (out.includes(words)) {
          heard.delete(onOutput);
          resolve(out);
        }
      };
      heard.add(onOutput);
      onOutput();
      done.then(() => reject(new Error(`it ended without saying "${words}":\n${err}`)));
    });
  return { child, done, until };
}
