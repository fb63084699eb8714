/**
 * Remembers the inputs and the outputs of a build step, so that a step is skipped only if neither has changed.
 *
 * A stamp is a file: the hash of the inputs, then a line with hash and name for each output. `tools/src/stamp.rs` does
 * the same for the modules. Invariant: the stamp is deleted before the step and written after it, so an interrupted
 * step runs again.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The hash of some texts and bytes, in their order. */
export function hash(parts) {
  const sum = createHash("sha256");
  parts.forEach((part, at) => {
    if (at > 0) sum.update("\0");
    sum.update(part);
  });
  return sum.digest("hex");
}

/** The hash of some files: of their names below `base`, and of their bytes. */
export function hashFiles(names, base) {
  return hash(names.flatMap((name) => [relative(base, name), readFileSync(name)]));
}

/** All files of a folder and of the folders in it, sorted. None if it is not there. */
export function files(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile())
    .sort();
}

/**
 * Runs `make`, which fills `folder`, unless the stamp `file` says that these inputs have made just the files that are
 * there. Without a `folder` only the inputs count, as for packages, which are too many to be read each time.
 */
export async function runIfChanged({ file, key, folder }, make) {
  const outputs = () => (folder === undefined ? [] : files(folder));
  const line = (name) => `${hash([readFileSync(name)])} ${relative(folder, name)}`;
  const state = () => [key, ...outputs().map(line)].join("\n");
  if (existsSync(file) && readFileSync(file, "utf8") === state()) return;
  rmSync(file, { force: true });
  await make();
  writeFileSync(file, state());
}
