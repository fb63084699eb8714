/**
 * Packs the extension of Visual Studio Code into `editors/vscode/dist/stepgraph.vsix`.
 *
 * Only the first install of its lock file needs a network. Version, licence and repository are the npm package's.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { licences } from "./lib/bundle.mjs";
import { run, UserError } from "./lib/command.mjs";
import { manifest } from "./lib/manifest.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { installPackages } from "./lib/tools.mjs";

const source = join(root, "editors", "vscode");
const target = join(source, "dist");

/** Bundles the extension's own code. The editor provides `vscode`. */
async function bundle(folder) {
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
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  writeFileSync(join(folder, "dist", "LICENSES.txt"), licences(metafile));
}

function copyParts(folder) {
  for (const [file, command] of [
    ["dist/cli/main.js", "npm run build"],
    ["embed/index.js", "node scripts/playground.mjs"],
  ])
    if (!existsSync(join(root, file))) throw new UserError(`${file} is missing: run \`${command}\` first.`);
  const isPacked = (file) => !/\.(d\.ts|map)$/.test(file);
  for (const name of ["dist", "pkg"])
    cpSync(join(root, name), join(folder, "server", name), { recursive: true, filter: isPacked });
  const { name, version, type, license, exports } = manifest();
  writeFileSync(join(folder, "server", "package.json"), JSON.stringify({ name, version, type, license, exports }));
  cpSync(join(root, "embed"), join(folder, "embed"), { recursive: true, filter: isPacked });
  for (const name of ["README.md", "CHANGELOG.md", "icon.png", "media"])
    cpSync(join(source, name), join(folder, name), { recursive: true });
  const licences = ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(join(root, name), "utf8"));
  writeFileSync(join(folder, "LICENSE.txt"), licences.join("\n\n"));
}

function writeManifest(folder) {
  const { version, license, repository, homepage, bugs } = manifest();
  const extension = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const { devDependencies: _tools, private: _private, ...rest } = extension;
  const own = { ...rest, version, license, repository, homepage, bugs };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
}

export async function packExtension() {
  await installPackages(() => {}, source);
  const modules = (folder) => join(folder, "node_modules");
  const compiler = join(modules(root), "typescript", "bin", "tsc");
  await run("Checking the extension's types", process.execPath, [compiler, "-p", source]);
  const folder = join(target, "extension");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(join(folder, "dist")), { recursive: true });
  await bundle(folder);
  copyParts(folder);
  writeManifest(folder);
  cpSync(join(root, "dist", "plan.schema.json"), join(folder, "schema.json"));
  // Otherwise the packing tool ignores what git ignores.
  writeFileSync(join(folder, ".vscodeignore"), "");
  const vsix = join(target, "stepgraph.vsix");
  await run(
    "Packing the extension",
    process.execPath,
    [
      join(modules(source), "@vscode", "vsce", "vsce"),
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
