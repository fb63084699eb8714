// Installs third-party servers and suites for the tests, once per version, into the user's cache folder.
//
// A temporary folder is renamed at the end, so an interrupted installation never looks finished. Tests that need the
// same version wait for one to install it.

import { spawn } from "node:child_process";
import { access, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cacheFolder } from "../../scripts/lib/paths.mjs";

const cache = cacheFolder();

/** `prepare` completes the folder. */
export function npmPackages(name, packages, { flags = [], prepare } = {}) {
  return installed(name, async (folder) => {
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...flags, ...packages], folder);
    await prepare?.(folder);
  });
}

/** The interpreter is `bin/python`. */
export function pythonPackages(name, packages, { bare = [] } = {}) {
  return installed(name, async (folder) => {
    await run("python3", ["-m", "venv", folder], folder);
    const pip = ["-m", "pip", "install", "--quiet", "--no-input"];
    await run(join(folder, "bin/python"), [...pip, ...packages], folder);
    if (bare.length > 0) await run(join(folder, "bin/python"), [...pip, "--no-deps", ...bare], folder);
  });
}

/** `source` holds the folder `only` of a source distribution, next to the packages in `plain`. */
export function pythonFiles(name, source, only, plain = []) {
  return installed(name, async (folder) => {
    const pip = ["-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"];
    await run("python3", ["-m", "venv", join(folder, "python")], folder);
    const python = join(folder, "python", "bin", "python");
    await run(python, [...pip, "download", "--no-deps", "--no-binary", ":all:", "--dest", "packed", source], folder);
    const [packed] = await readdir(join(folder, "packed"));
    await run(python, ["-c", UNPACK, join("packed", packed), only], folder);
    if (plain.length > 0) await run(python, [...pip, "install", "--no-deps", "--target", "plain", ...plain], folder);
    await Promise.all(["python", "packed"].map((made) => rm(join(folder, made), { recursive: true })));
  });
}

/** Omits the leading package name. */
const UNPACK = `
import sys, tarfile
archive, only = sys.argv[1:]
with tarfile.open(archive) as packed:
    for member in packed.getmembers():
        member.name = member.name.partition("/")[2]
        if member.isfile() and member.name.startswith(only + "/"):
            packed.extract(member, "source", filter="data")
`;

async function installed(name, install) {
  const folder = join(cache, name);
  while (!(await exists(folder))) {
    await mkdir(cache, { recursive: true });
    const release = await isLocked(join(cache, `.${name}.lock`));
    if (release) await ensureFolder(name, folder, install).finally(release);
    // Another process is installing.
    else await pause(100);
  }
  return folder;
}

async function ensureFolder(name, folder, install) {
  if (await exists(folder)) return;
  const draft = await mkdtemp(join(cache, `.${name}-`));
  process.stderr.write(`installing ${name} into ${cache}\n`);
  try {
    await install(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Two processes can still install at once, if one removed the other's lock as abandoned.
    if (!(await exists(folder))) throw error;
  }
}

/** Longer than any installation. Systems reuse process ids, so these are not enough. */
const OLD_MS = 600_000;

/**
 * The lock has its owner's process id from the start. Returns a function that releases it, or null if another process
 * holds it.
 */
async function isLocked(lock) {
  const own = `${lock}-${process.pid}-${++locks}`;
  await writeFile(own, String(process.pid));
  try {
    await link(own, lock);
    return () => rm(lock, { force: true });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (await abandoned(lock)) await rm(lock, { force: true });
    return null;
  } finally {
    await rm(own);
  }
}
let locks = 0;

async function abandoned(lock) {
  try {
    const [pid, { mtimeMs }] = await Promise.all([readFile(lock, "utf8"), stat(lock)]);
    return Date.now() - mtimeMs > OLD_MS || !isRunning(Number(pid));
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said = (said + part).slice(-4000)));
    child.on("error", () =>
      reject(new Error(`\`${command}\` is needed to install the test servers; put it on the PATH`)),
    );
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`\`${command} ${args.slice(0, 3).join(" ")} …\` ended with ${code}:\n${said.trim()}`));
    });
  });
}
