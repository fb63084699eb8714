// The built package with SQLite: the package `libsql` on Node 20, built in on Node 22.
//
// Uses a copy in a separate folder, so that the checkout's packages have no influence.

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

export const hasBuiltInSqlite = await import("node:sqlite").then(
  () => true,
  () => false,
);

/** Undefined if the installation fails. */
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

/** `remove` deletes the folder. */
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
    async database(name) {
      const driver = hasBuiltInSqlite
        ? (await import("node:sqlite")).DatabaseSync
        : (await import(pathToFileURL(join(modules, "libsql/index.js")).href)).default;
      return new driver(join(folder, name));
    },
    /** `until` waits for text on standard output. */
    node(args, options) {
      return started(process.execPath, args, folder, options);
    },
    program(node, args, options) {
      return started(node, args, folder, options);
    },
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
