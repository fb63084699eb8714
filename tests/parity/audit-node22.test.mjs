// Runs the audit tests on Node 22, which has its own SQLite, and both kinds of SQLite on one database.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bun, deno, linux, node22 } from "../package/toolchains.mjs";
import { createSqliteFolder, hasBuiltInSqlite } from "../servers/sqlite.mjs";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

test("audits on a Node with its own SQLite", async () => {
  // Otherwise these tests have already run.
  if (hasBuiltInSqlite || !linux) return;
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    await node22(),
    ["--test", "--test-reporter=tap", pathOf("audit.test.mjs")],
    { env },
  ).catch((error) => error);
  assert.match(stdout, /^# pass 1\d$/m, stdout);
  assert.match(stdout, /^# fail 0$/m, stdout);
});

test("processes with libsql and with Node's own SQLite write to one database concurrently", async () => {
  if (hasBuiltInSqlite || !linux) return;
  const place = await createSqliteFolder();
  try {
    copyFileSync(pathOf("audit/worker.mjs"), place.path("worker.mjs"));
    const file = place.path("both.db");
    const newer = await node22();
    const done = await Promise.all(
      [process.execPath, newer, process.execPath, newer].map(
        (program) => place.program(program, ["worker.mjs", file, "12", "20"]).done,
      ),
    );
    for (const { code, err } of done) assert.equal(code, 0, err);
    const { openAudit } = await place.audit();
    const store = await openAudit(file);
    const { runs } = store.runs({ limit: 100 });
    assert.equal(runs.length, 48);
    for (const { id, status, events } of runs)
      assert.deepEqual([status, [...store.trace(id)].length], ["completed", events]);
    store.close();
    const db = await place.database("both.db");
    assert.equal(Object.values(db.prepare("PRAGMA integrity_check").all()[0])[0], "ok");
    db.close();
  } finally {
    place.remove();
  }
});

for (const [name, program, ...flags] of [
  ["Deno", deno, "run", "--allow-all"],
  ["Bun", bun],
]) {
  test(`the examples of the page about audits run in ${name} with its own SQLite`, async () => {
    if (!linux) return;
    const place = await createSqliteFolder({ sqlite: false });
    try {
      const page = readFileSync(pathOf("../../docs/audit.md"), "utf8");
      writeFileSync(
        place.path("page.mjs"),
        [...page.matchAll(/```js[^\n]*\n([^]*?)```/g)].map(([, code]) => code).join("\n"),
      );
      writeFileSync(place.path("package.json"), JSON.stringify({ type: "module", dependencies: { stepgraph: "*" } }));
      const { code, out, err } = await place.program(await program(), [...flags, "page.mjs"], {
        env: { HOME: place.folder },
      }).done;
      assert.deepEqual([code, out.trim().split("\n").slice(-2)], [0, ["completed hello, Ada true", "completed"]], err);
    } finally {
      place.remove();
    }
  });
}
