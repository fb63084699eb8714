// A folder outside of the checkout that links the package in its `node_modules`.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export function linkedProject(name) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `stepgraph-${name}-`)));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/stepgraph"), "junction");
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return join(folder, path);
  };
  file("package.json", '{"type": "module"}');
  return { folder, file };
}
