// Tests that the watcher reports every way in which editors and git save a file, each time.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { watchAll } from "../../scripts/lib/watch.mjs";

const turn = () =>
  new Promise((go) => {
    setImmediate(go);
  });

const LIMIT_MS = 5000;

/** A file lies outside. The function makes a change and waits until the watcher reports a path. */
function watched(context) {
  const base = mkdtempSync(join(tmpdir(), "stepgraph-watch-"));
  mkdirSync(join(base, "src", "deep"), { recursive: true });
  for (const name of ["src/a.ts", "src/deep/b.ts", "single.toml", "other.toml"]) writeFileSync(join(base, name), "0");
  const seen = [];
  const close = watchAll([join(base, "src"), join(base, "single.toml")], (path) =>
    seen.push(relative(base, path).replaceAll("\\", "/")),
  );
  context.after(() => {
    close();
    rmSync(base, { recursive: true });
  });
  const after = async (what, name, work) => {
    // Drops late reports of the previous change.
    await turn();
    seen.length = 0;
    work();
    for (const began = Date.now(); !seen.includes(name); await turn())
      assert.ok(Date.now() - began < LIMIT_MS, `${what}: ${name} is not reported, only ${seen.join(", ")}`);
  };
  return { base, seen, after };
}

const SAVES = {
  write: (path, text) => writeFileSync(path, text),
  rename: (path, text) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  "backup and rename": (path, text) => {
    renameSync(path, `${path}~`);
    writeFileSync(path, text);
  },
  "delete and write": (path, text) => {
    rmSync(path);
    writeFileSync(path, text);
  },
};

test("every save is reported, however often and by any method", async (context) => {
  const { base, after } = watched(context);
  for (const round of [1, 2, 3])
    for (const [way, save] of Object.entries(SAVES))
      for (const name of ["src/a.ts", "src/deep/b.ts", "single.toml"])
        await after(`${way}, round ${round}`, name, () => save(join(base, name), `${way} ${round}`));
});

test("new and replaced folders are watched", async (context) => {
  const { base, after } = watched(context);
  const folder = join(base, "src", "deep");
  for (const round of [1, 2, 3]) {
    await after("replaced", "src/deep/b.ts", () => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      writeFileSync(join(folder, "b.ts"), `${round}`);
    });
    await after("saved in it", "src/deep/b.ts", () => SAVES.rename(join(folder, "b.ts"), `saved ${round}`));
    await after("renamed", "src/deep/c.ts", () => {
      mkdirSync(join(base, `next${round}`));
      writeFileSync(join(base, `next${round}`, "c.ts"), "0");
      rmSync(folder, { recursive: true });
      renameSync(join(base, `next${round}`), folder);
    });
    await after("saved after it", "src/deep/c.ts", () => SAVES.write(join(folder, "c.ts"), `saved ${round}`));
  }
  await after("deeper", "src/x/y/z.ts", () => {
    mkdirSync(join(base, "src", "x", "y"), { recursive: true });
    writeFileSync(join(base, "src", "x", "y", "z.ts"), "0");
  });
});

test("a deleted file is reported, and a neighbour of a single file is not", async (context) => {
  const { base, seen, after } = watched(context);
  await after("deleted", "src/a.ts", () => rmSync(join(base, "src", "a.ts")));
  await after("single", "single.toml", () => {
    SAVES.rename(join(base, "other.toml"), "1");
    SAVES.rename(join(base, "single.toml"), "1");
  });
  assert.ok(!seen.some((name) => name.startsWith("other")), seen.join(", "));
});
