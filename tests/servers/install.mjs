// Installs the programs that the wire is tested against, once per version, into the user's cache folder.
//
// An installation is made in a folder of its own and then renamed: several tests may install at the same time, and an
// interrupted one leaves nothing that looks finished.

import { spawn } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../../scripts/lib/places.mjs";

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

async function installed(name, install) {
  const folder = join(cache, name);
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, `.${name}-`));
  process.stderr.write(`installing ${name} into ${cache}\n`);
  try {
    await install(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Somebody else may have been faster; their installation is as good as ours.
    if (!(await exists(folder))) throw error;
  }
  return folder;
}

const exists = (path) => access(path).then(() => true, () => false);

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said = (said + part).slice(-4000)));
    child.on("error", () => reject(new Error(`\`${command}\` is needed to install the test servers; put it on the PATH`)));
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`\`${command} ${args.slice(0, 3).join(" ")} …\` ended with ${code}:\n${said.trim()}`));
    });
  });
}
