/**
 * Skips a build step if neither its inputs nor its outputs have changed.
 *
 * A stamp is a file: the hash of the inputs, then a line with hash and name for each output. `tools/src/stamp.rs` does
 * the same for the modules. Invariant: the stamp is deleted before the step and written after it, so an interrupted
 * step runs again.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Returns the hash of texts and bytes, in order. */
export function hash(parts) {
  const sum = createHash("sha256");
  parts.forEach((part, at) => {
    if (at > 0) sum.update("\0");
    sum.update(part);
  });
  return sum.digest("hex");
}

/** Returns the hash of files: their names below `base`, and their bytes. */
export function hashFiles(names, base) {
  return hash(names.flatMap((name) => [relative(base, name), readFileSync(name)]));
}

/** Returns all files below a folder, sorted. Empty if the folder is missing. */
export function files(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile())
    .sort();
}

/**
 * Runs `make`, which fills `folder`, unless the stamp `file` matches the inputs and the existing outputs. Without a
 * `folder` only the inputs count. This is for npm packages, which are too many to hash each time.
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
