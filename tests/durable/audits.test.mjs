// Tests that damaged audit databases open, or fail with a code, and that files next to them do no harm.
//
// Uses Node's own SQLite, because invalid text in a column makes `libsql` end the process.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { linux, node22 } from "../package/toolchains.mjs";
import { hasBuiltInSqlite } from "../servers/sqlite.mjs";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

test("a damaged audit database is read or fails with a code, and spill files do not damage it", async () => {
  if (!hasBuiltInSqlite && !linux) return;
  // The database is opened more than a thousand times, so memory is better.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "stepgraph-audits-"));
  try {
    const { stdout } = await promisify(execFile)(hasBuiltInSqlite ? process.execPath : await node22(), [
      pathOf("audits.mjs"),
      pathOf("../../dist/integrations/audit/node.js"),
      pathOf("../../dist/node.js"),
      folder,
    ]);
    const { counts, wrong, bits } = JSON.parse(stdout);
    console.log(`audits: ${bits} bits, ${JSON.stringify(counts)}`);
    assert.deepEqual(wrong, []);
    const damaged = Object.entries(counts).filter(([name]) => /^[01] of/.test(name));
    const all = Object.values(counts).reduce((sum, one) => sum + one);
    assert.ok(
      damaged.reduce((sum, [, one]) => sum + one, 0) < all / 50,
      "one flip takes one run at the most, as a rule",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
