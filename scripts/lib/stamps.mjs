/** Skips a build step if neither its inputs nor its outputs have changed, by a stamp as in `tools/src/stamp.rs`. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

export function hash(parts) {
  const sum = createHash("sha256");
  parts.forEach((part, at) => {
    if (at > 0) sum.update("\0");
    sum.update(part);
  });
  return sum.digest("hex");
}

export function hashFiles(names, base) {
  return hash(names.flatMap((name) => [relative(base, name), readFileSync(name)]));
}

export function files(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile())
    .sort();
}

/** `make` fills `folder`. If there is none, only inputs count: npm packages are too many to hash. */
export async function runIfChanged({ file, key, folder }, make) {
  const outputs = () => (folder === undefined ? [] : files(folder));
  const line = (name) => `${hash([readFileSync(name)])} ${relative(folder, name)}`;
  const state = () => [key, ...outputs().map(line)].join("\n");
  if (existsSync(file) && readFileSync(file, "utf8") === state()) return;
  rmSync(file, { force: true });
  await make();
  writeFileSync(file, state());
}
