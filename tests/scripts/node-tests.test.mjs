// Tests how the gate runs test files: several at a time, counting every test.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { SLOW_FILES, nodeTests } from "../../scripts/lib/node-tests.mjs";
import { root } from "../../scripts/lib/paths.mjs";

/** Returns the path from the root. */
function folder(context, files) {
  const path = mkdtempSync(join(tmpdir(), "stepgraph-tests-"));
  context.after(() => rmSync(path, { recursive: true }));
  mkdirSync(join(path, "deep"));
  for (const [name, body] of Object.entries(files))
    writeFileSync(join(path, name), `import { test } from "node:test";\n${body}`);
  return relative(root, path);
}

test("all files of a folder run and are counted, including one that fails, crashes or has no tests", async (context) => {
  const here = folder(context, {
    "good.test.mjs": 'test("a", () => {});\ntest("b", () => {});',
    "deep/good.test.mjs": 'test("c", () => {});',
    "bad.test.mjs": 'test("d", () => {});\ntest("e", () => { throw new Error("the reason"); });',
    "dead.test.mjs": 'process.kill(process.pid, "SIGKILL");',
    "broken.test.mjs": "this is no program",
    "other.mjs": 'throw new Error("nobody runs this");',
  });
  const { counts, output, brief, failures } = await nodeTests(here);
  assert.deepEqual(counts, { passed: 4, failed: 3 });
  const files = ["bad.test.mjs", "broken.test.mjs", "dead.test.mjs"].map((name) => join(here, name));
  assert.deepEqual(
    failures,
    files.map((file, at) => ({ test: ["e", file, file][at], again: `node --test ${file}` })),
  );
  assert.deepEqual(
    [...brief.matchAll(/^▸ (.*)$/gm)].map(([, file]) => file),
    files,
  );
  assert.match(brief, /the reason/);
  assert.doesNotMatch(brief, /✔/);
  assert.match(output, /the reason[^]*the slowest of 5 files:\n(?: +\d+\.\d s {2}\S+\n){5}$/);
});

test("an empty or missing folder is a failure", async (context) => {
  for (const name of [folder(context, { "other.mjs": "" }), "tests/nowhere"])
    assert.deepEqual(await nodeTests(name), {
      counts: { passed: 0, failed: 1 },
      output: `${name} holds no *.test.mjs`,
      brief: `${name} holds no *.test.mjs`,
      failures: [{ test: `ls ${name}`, again: `ls ${name}` }],
    });
});

test("only so many files run concurrently, with their environment", async (context) => {
  // Each test waits until the other has connected and the server has noted it.
  const wait = `
    import { once } from "node:events";
    import { connect } from "node:net";
    test("together", async () => {
      const socket = connect(Number(process.env.MEET), "127.0.0.1");
      await once(socket, "data");
      socket.write("bye");
      await once(socket.resume(), "close");
    });`;
  let [there, most, alone] = [0, 0, null];
  const server = createServer((socket) => {
    most = Math.max(most, ++there);
    socket.on("data", () => {
      there--;
      socket.end();
    });
    if (alone) for (const one of [alone, socket]) one.write("go");
    alone = alone ? null : socket;
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const names = Array.from({ length: 4 }, (_, at) => [`${at}.test.mjs`, wait]);
  const here = folder(context, Object.fromEntries(names));
  const { counts, output } = await nodeTests(here, { concurrency: 2, env: { MEET: String(server.address().port) } });
  assert.deepEqual(counts, { passed: 4, failed: 0 }, output);
  assert.equal(most, 2);
});

test("the listed slow files exist", () => {
  for (const file of SLOW_FILES) assert.ok(existsSync(join(root, file)), file);
});
