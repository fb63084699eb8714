/**
 * Plan files of a git revision, the working tree or a folder. Runs only git with fixed arguments and checks out
 * nothing, because a revision may be a stranger's. Skips links.
 */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { UsageError } from "./options.js";

/** Paths use `/`. */
export type VersionFiles = ReadonlyMap<string, Uint8Array>;

export interface Version {
  /** As the user wrote it. */
  name: string;
  files: VersionFiles;
  /** They are not followed. */
  links: ReadonlySet<string>;
}

const LINK_MODE = "120000";
/** The engine's limit. */
const MAX_BYTES = 16 * 1024 * 1024;
/** In total. Larger repositories need `--path`. */
const MAX_TOTAL = 256 * 1024 * 1024;
const READ = /\.(ya?ml|json)$|(^|\/)stepgraph\.lock$/i;
const SKIPPED_FOLDERS = new Set([".git", "node_modules"]);

/** Two revisions are compared from their common ancestor, like pull requests. */
export function readVersions(before: string, after: string | undefined): [Version, Version] {
  const isWanted = (path: string) => READ.test(path);
  if (isFolder(before) && (after === undefined || isFolder(after))) {
    if (after === undefined)
      throw new UsageError(
        "cli/missing-argument",
        `\`${before}\` is a folder, so a second folder is needed`,
        "write `review FOLDER FOLDER`",
      );
    return [readFolder(before, isWanted), readFolder(after, isWanted)];
  }
  const root = git(["rev-parse", "--show-toplevel"]).toString("utf8").trim();
  const old = commitOf(before);
  if (after === undefined) return [readCommit(root, before, old, isWanted), readWorkingTree(root, isWanted)];
  const now = commitOf(after);
  return [readCommit(root, before, ancestor(old, now) ?? old, isWanted), readCommit(root, after, now, isWanted)];
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}

function commitOf(name: string): string {
  const found = tryGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  if (found.status === 0) return found.stdout.toString("utf8").trim();
  throw new UsageError(
    "cli/not-found",
    `\`${name}\` is neither a revision of git nor a folder`,
    "name a branch, a tag or a commit; in CI, fetch it first",
  );
}

/** Null in a shallow clone, or without one. */
function ancestor(old: string, now: string): string | null {
  const found = tryGit(["merge-base", old, now]);
  return found.status === 0 ? found.stdout.toString("utf8").trim() : null;
}

function readCommit(root: string, name: string, commit: string, isWanted: (path: string) => boolean): Version {
  const listed = git(["ls-tree", "-r", "-z", "--long", "--full-tree", commit], { root }).toString("utf8").split("\0");
  const found = listed.flatMap((entry) => {
    const [, mode, id, size, path] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(entry) ?? [];
    const isFile = mode === "100644" || mode === "100755";
    return isFile && isWanted(path!) && Number(size) <= MAX_BYTES ? [{ id: id!, size: Number(size), path: path! }] : [];
  });
  assertTotal(found.reduce((sum, { size }) => sum + size, 0));
  const links = listed.flatMap((entry) => (entry.startsWith(LINK_MODE) ? [entry.slice(entry.indexOf("\t") + 1)] : []));
  return { name, files: readBlobs(root, found), links: new Set(links) };
}

/** Each answer is `id blob size`, the bytes, and a line break. */
function readBlobs(root: string, blobs: readonly { id: string; size: number; path: string }[]): VersionFiles {
  const files = new Map<string, Uint8Array>();
  if (blobs.length === 0) return files;
  const input = blobs.map(({ id }) => `${id}\n`).join("");
  const out = git(["cat-file", "--batch"], { root, input });
  let at = 0;
  for (const { size, path } of blobs) {
    const start = out.indexOf(0x0a, at) + 1;
    files.set(path, out.subarray(start, start + size));
    at = start + size + 1;
  }
  return files;
}

function readWorkingTree(root: string, isWanted: (path: string) => boolean): Version {
  const listed = git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name"], { root });
  const paths = new Set(
    listed
      .toString("utf8")
      .split("\0")
      .filter((path) => path !== "" && isWanted(path)),
  );
  return { name: "working tree", ...readFiles(root, [...paths]) };
}

function readFolder(folder: string, isWanted: (path: string) => boolean): Version {
  const paths: string[] = [];
  const visit = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) visit(path);
      else if (entry.isFile() || entry.isSymbolicLink()) paths.push(relative(folder, path).split(sep).join("/"));
    }
  };
  visit(folder);
  return { name: folder, ...readFiles(folder, paths.filter(isWanted).sort()) };
}

function readFiles(root: string, paths: readonly string[]): Omit<Version, "name"> {
  const files = new Map<string, Uint8Array>();
  const links = new Set<string>();
  let total = 0;
  for (const path of paths) {
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) links.add(path);
    if (!stats?.isFile() || stats.size > MAX_BYTES) continue;
    total += stats.size;
    assertTotal(total);
    files.set(path, readFileSync(join(root, path)));
  }
  return { files, links };
}

function assertTotal(bytes: number): void {
  if (bytes > MAX_TOTAL)
    throw new UsageError(
      "cli/not-possible",
      `the YAML and JSON files have more than ${MAX_TOTAL >> 20} MiB`,
      "compare two folders that have the plans alone",
    );
}

function git(args: readonly string[], at: { root?: string; input?: string } = {}): Buffer {
  const { status, stdout, stderr } = tryGit(args, at);
  if (status === 0) return stdout;
  throw new UsageError(
    "cli/not-possible",
    `git failed: ${stderr.toString("utf8").trim().split("\n")[0]}`,
    "run it inside a repository",
  );
}

function tryGit(
  args: readonly string[],
  { root, input }: { root?: string; input?: string } = {},
): SpawnSyncReturns<Buffer> {
  const result = spawnSync("git", args, {
    ...(root !== undefined && { cwd: root }),
    ...(input !== undefined && { input }),
    env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
    maxBuffer: 2 * MAX_TOTAL,
    windowsHide: true,
  });
  if (result.error)
    throw new UsageError("cli/missing-setup", "`review` needs git", "install git, or compare two folders");
  return result;
}
