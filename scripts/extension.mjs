/**
 * Packs the extension of Visual Studio Code into `editors/vscode/dist/stepgraph.vsix`.
 *
 * Its libraries and the packing tool are installed in the cache, by the lock file. Only the first install needs a
 * network. The version, the licence and the repository are those of the npm package.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { licences } from "./lib/bundle.mjs";
import { npm, run, UserError } from "./lib/command.mjs";
import { cacheFolder, root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { hash } from "./lib/stamps.mjs";

const source = join(root, "editors", "vscode");
const target = join(source, "dist");
const read = (...path) => JSON.parse(readFileSync(join(...path), "utf8"));

/** The drawing has no use for them: it is not installed, not offline, and signs in nowhere. */
const NOT_IN_PAGE = ["sw.js", "manifest.webmanifest", "signed-in.html"];

/** Returns the folder with `node_modules`. */
async function install() {
  const inputs = ["package.json", "package-lock.json"].map((name) => join(source, name));
  const folder = join(cacheFolder(), "extension", hash(inputs.map((file) => readFileSync(file))).slice(0, 16));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const file of inputs) cpSync(file, join(partial, basename(file)));
  const [program, args] = npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  await run("Installing the extension's libraries", program, args, { cwd: partial });
  renameSync(partial, folder);
  return folder;
}

/** Checks the types beside the libraries, because the compiler finds them in a parent folder only. */
async function checkTypes(libraries) {
  const copy = join(libraries, `check.${process.pid}`);
  try {
    for (const name of ["src", "tsconfig.json"]) cpSync(join(source, name), join(copy, name), { recursive: true });
    await run("Checking the extension's types", process.execPath, [
      join(root, "node_modules", "typescript", "bin", "tsc"),
      "-p",
      copy,
    ]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Bundles the extension's own code. The editor provides `vscode`. */
async function bundle(libraries, folder) {
  const { build } = createRequire(import.meta.url)("esbuild");
  const { metafile } = await build({
    entryPoints: [join(source, "src", "extension.ts")],
    outfile: join(folder, "dist", "extension.js"),
    bundle: true,
    platform: "node",
    format: "cjs",
    // `import()` must stay: the package consists of modules.
    supported: { "dynamic-import": true },
    target: "node20",
    external: ["vscode"],
    nodePaths: [join(libraries, "node_modules")],
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  writeFileSync(join(folder, "dist", "LICENSES.txt"), licences(metafile));
}

/** Copies the package and the page, which are built already. */
function copyParts(folder) {
  for (const [file, command] of [
    ["dist/cli/main.js", "npm run build"],
    ["playground/dist/index.html", "node scripts/playground.mjs"],
  ])
    if (!existsSync(join(root, file))) throw new UserError(`${file} is missing: run \`${command}\` first.`);
  const isPacked = (file) => !/\.(d\.ts|map)$/.test(file);
  for (const name of ["dist", "pkg"])
    cpSync(join(root, name), join(folder, "server", name), { recursive: true, filter: isPacked });
  const { name, version, type, license } = read(root, "package.json");
  const exported = read(root, "package.json").exports;
  writeFileSync(
    join(folder, "server", "package.json"),
    JSON.stringify({ name, version, type, license, exports: exported }),
  );
  const page = join(root, "playground", "dist");
  cpSync(page, join(folder, "page"), {
    recursive: true,
    filter: (file) => !NOT_IN_PAGE.includes(file.slice(page.length + 1)),
  });
  for (const name of ["README.md", "CHANGELOG.md", "icon.png", "media"])
    cpSync(join(source, name), join(folder, name), { recursive: true });
  const licences = ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(join(root, name), "utf8"));
  writeFileSync(join(folder, "LICENSE.txt"), licences.join("\n\n"));
}

function writeManifest(folder) {
  const { version, license, repository, homepage, bugs } = read(root, "package.json");
  const { devDependencies: _tools, private: _private, ...manifest } = read(source, "package.json");
  const own = { ...manifest, version, license, repository, homepage, bugs };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
}

export async function packExtension() {
  const libraries = await install();
  await checkTypes(libraries);
  const folder = join(target, "extension");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(join(folder, "dist")), { recursive: true });
  await bundle(libraries, folder);
  copyParts(folder);
  writeManifest(folder);
  const schema = await run("Writing the schema", process.execPath, [join(root, "dist/cli/main.js"), "schema"]);
  writeFileSync(join(folder, "schema.json"), schema);
  // The packing tool ignores what git ignores, unless this file is there.
  writeFileSync(join(folder, ".vscodeignore"), "");
  const vsix = join(target, "stepgraph.vsix");
  await run(
    "Packing the extension",
    process.execPath,
    [
      join(libraries, "node_modules", "@vscode", "vsce", "vsce"),
      "package",
      "--no-dependencies",
      "--allow-missing-repository",
      "--no-rewrite-relative-links",
      "--skip-license",
      `--out=${vsix}`,
    ],
    { cwd: folder },
  );
  return vsix;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await step("editors/vscode/dist/stepgraph.vsix", async () => void (await packExtension())).catch(fail);
}
