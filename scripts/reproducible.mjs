/**
 * Runs `npm run reproducible`: builds the current commit twice, and fails if the packages differ in a byte.
 *
 * The clones differ in path length, time zone and language. They share cargo's registry and the build tool.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { npm, run, UserError } from "./lib/command.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { hash } from "./lib/stamps.mjs";

const PROGRAM = {
  usage: "npm run reproducible",
  about: "Builds the current commit twice in different folders, and compares the packages byte by byte.",
  options: {},
};

const PLACES = [
  { folder: "a", env: { TZ: "UTC", LC_ALL: "C" } },
  { folder: "another folder, deeper/with a longer name", env: { TZ: "Asia/Tokyo", LC_ALL: "C.UTF-8" } },
];

export function differences(first, second) {
  const names = [...new Set([...first.keys(), ...second.keys()])].sort();
  return names.flatMap((name) => {
    if (!second.has(name)) return [`\`${name}\` is only in the first package.`];
    if (!first.has(name)) return [`\`${name}\` is only in the second package.`];
    return first.get(name) === second.get(name) ? [] : [`\`${name}\` differs.`];
  });
}

async function buildAt({ folder, env }, base) {
  const cwd = join(base, folder);
  await run("Cloning", "git", ["clone", "--quiet", "--shared", root, cwd]);
  // Must be new: an artifact of another checkout would contain that checkout's paths.
  const options = { cwd, env: { ...env, CARGO_TARGET_DIR: join(cwd, "target") }, isPatient: true };
  await run("Building", process.execPath, [join("scripts", "playground.mjs")], options);
  const [program, args] = npm(["pack", "--json", "--ignore-scripts"]);
  const [{ filename, files }] = JSON.parse(await run("Packing", program, args, options));
  const sum = (name) => hash([readFileSync(join(cwd, name))]);
  return { tarball: sum(filename), files: new Map(files.map(({ path }) => [path, sum(path)])) };
}

async function main(args) {
  readOptions(args, PROGRAM);
  const status = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (status !== "") throw new UserError("The working tree has changes, which a clone lacks: commit them.");
  // Cargo prints resolved links, and the build must replace these paths.
  const base = realpathSync(mkdtempSync(join(tmpdir(), "stepgraph-reproducible-")));
  try {
    await step("two builds", async () => {
      // Linking uses one processor, so the builds run at once. Both must end before their folders go.
      const builds = await Promise.allSettled(PLACES.map((place) => buildAt(place, base)));
      const [first, second] = await Promise.all(builds.map(({ value, reason }) => value ?? Promise.reject(reason)));
      const found = differences(first.files, second.files);
      if (found.length > 0) throw new UserError(`The packages differ:\n${found.join("\n")}`);
      if (first.tarball !== second.tarball) throw new UserError("The files are equal, and the tarballs differ.");
      return `${first.files.size} files are equal, sha256 ${first.tarball}`;
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (existsSync(process.argv[1] ?? "") && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv.slice(2)).catch(fail);
