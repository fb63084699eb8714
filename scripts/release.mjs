/**
 * Runs `npm run release`: checks that a version is ready, and publishes it.
 *
 * `--dry-run` publishes nothing, and reports all obstacles, not only the first.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { attempt, npm, run, UserError } from "./lib/command.mjs";
import { manifest, webAddress } from "./lib/manifest.mjs";
import { compiledCrates } from "./lib/notices.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { sbom } from "./lib/sbom.mjs";
import { installPackages } from "./lib/tools.mjs";
import { buildPage } from "./playground.mjs";
import { setUp } from "./setup.mjs";

const PROGRAM = {
  usage: "npm run release -- [--dry-run]",
  about: "Checks that a version is ready, and publishes it.",
  options: { "--dry-run": { about: "does everything but publish" } },
};

/** For tarball and bill of materials. */
export const folder = join(root, "target", "release-package");
const tools = join(root, "scripts", "release");
/** The owner fills these in. The documentation's links use them too. */
const OWNERS = ["repository", "homepage", "bugs", "author"];

export function obstacles({ own = manifest(), changelog, cargo, status }) {
  const found = [];
  if (status !== "") found.push("The working tree has changes: commit them.");
  for (const name of OWNERS.filter((name) => !own[name])) found.push(`package.json has no \`${name}\`: fill it in.`);
  const inCargo = (key) => new RegExp(`^\\[workspace.package\\][^[]*?^${key} = "([^"]*)"`, "ms").exec(cargo)?.[1];
  // Crates take a browser's address.
  const address = webAddress(own.repository);
  if (address && inCargo("repository") !== address)
    found.push(`Cargo.toml has another \`repository\` than package.json: write \`repository = "${address}"\`.`);
  const crates = inCargo("version");
  if (crates !== own.version) found.push(`Cargo.toml has version ${crates}, and package.json ${own.version}.`);
  const [, heading] = /^## \[?(\S+?)\]?(?: - \d{4}-\d\d-\d\d)?$/m.exec(changelog) ?? [];
  if (heading !== own.version)
    found.push(`CHANGELOG.md begins with \`${heading}\`: give the entries the heading \`## ${own.version} - DATE\`.`);
  return found;
}

async function findObstacles() {
  const read = (name) => readFileSync(join(root, name), "utf8");
  const status = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  return obstacles({ changelog: read("CHANGELOG.md"), cargo: read("Cargo.toml"), status });
}

export async function pack() {
  mkdirSync(folder, { recursive: true });
  const [program, args] = npm(["pack", "--json", "--pack-destination", folder]);
  const [{ filename }] = JSON.parse(await run("Packing", program, args, { cwd: root }));
  return join(folder, filename.replace("@", "").replace("/", "-"));
}

/** Throws if users' tools would misread the package. */
export async function lint(tarball) {
  const bin = (name) => join(tools, "node_modules", name);
  const node = (what, ...args) => run(what, process.execPath, args, { cwd: root });
  await node("publint", bin("publint/src/cli.js"), "--strict", tarball);
  await node("attw", bin("@arethetypeswrong/cli/dist/index.js"), tarball, "--profile", "esm-only", "--format", "ascii");
}

export async function writeSbom() {
  const file = join(folder, "stepgraph.cdx.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(sbom(await compiledCrates(), manifest()), null, 2)}\n`);
  return file;
}

async function main(args) {
  const dryRun = readOptions(args, PROGRAM).options["dry-run"] === true;
  const found = await findObstacles();
  if (found.length > 0 && !dryRun) throw new UserError(found.join("\n"));
  await setUp();
  await build();
  await buildPage();
  await step("the tools of a release", (say) => installPackages(say, tools));
  const tarball = await step("the tarball", () => pack());
  await step("publint and attw", () => lint(tarball));
  await step("the bill of materials", async () => void (await writeSbom()));
  const [program, publish] = npm(["publish", tarball, "--access", "public", ...(dryRun ? ["--dry-run"] : [])]);
  await step("npm publish", async () => {
    const { code, all } = await attempt(program, publish, { cwd: root });
    process.stdout.write(`\n${all.trimEnd()}\n`);
    if (code !== 0) throw new UserError("`npm publish` failed.");
  });
  // In the order of dependencies. Cargo compiles each crate from its package.
  const cargo = ["publish", "--workspace", "--locked", ...(dryRun ? ["--dry-run", "--allow-dirty"] : [])];
  await step("cargo publish", async () => void (await run("Publishing the crates", "cargo", cargo, { cwd: root })));
  if (found.length > 0) throw new UserError(`Before a release:\n${found.map((one) => `- ${one}`).join("\n")}`);
}

if (existsSync(process.argv[1] ?? "") && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv.slice(2)).catch(fail);
