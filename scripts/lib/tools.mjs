/**
 * Checks the user's tools, and installs those that the project pins. Existing tools need no network.
 *
 * An install is renamed at the end, so an interrupted one never counts as done.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { attempt, npm, run, UserError } from "./command.mjs";
import { cacheFolder, root, rustToolchain } from "./paths.mjs";
import { files, hash, runIfChanged } from "./stamps.mjs";

/** A busy machine loads the tool slowly. */
const VERSION_TIMEOUT_MS = 30_000;

export async function checkBasics(version = process.versions.node) {
  if (Number(version.split(".")[0]) < 20) {
    throw new UserError(`Node ${version} is too old: install Node 20 or newer (nodejs.org or your system's packages).`);
  }
  await requireProgram(
    "git",
    "git is missing: install it with your system's packages (Debian: `apt-get install git`).",
  );
  findCargo();
  const rustup =
    "rustup, the installer of Rust, is missing: follow rustup.rs, or install your system's `rustup` package, and try again.";
  await requireProgram("rustup", rustup);
  if (process.platform === "linux") {
    await requireProgram(
      "cc",
      "A C linker is missing, which Rust needs: install one (Debian: `apt-get install build-essential`).",
    );
  }
  return `Node ${version}`;
}

/** Older shells lack rustup's folder. */
export function findCargo() {
  const bin = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
  const path = process.env.PATH ?? "";
  if (existsSync(bin) && !path.split(delimiter).includes(bin)) process.env.PATH = `${path}${delimiter}${bin}`;
}

async function requireProgram(program, sentence) {
  const { code } = await attempt(program, ["--version"]);
  if (code !== 0) throw new UserError(sentence);
}

export async function installRust(say) {
  const { channel, components, targets } = rustToolchain();
  const rustup = (...args) => run("Setting up Rust", "rustup", args);
  const lines = (text) => text.split("\n").map((line) => line.trim());
  if (!lines(await rustup("toolchain", "list")).some((line) => line === channel || line.startsWith(`${channel}-`))) {
    say("downloading, about a minute");
    const wanted = components.flatMap((name) => ["-c", name]);
    await rustup("toolchain", "install", channel, "--profile", "minimal", "--no-self-update", ...wanted);
  }
  const missingVersions = (have, wanted) =>
    wanted.filter((name) => !have.some((line) => line === name || line.startsWith(`${name}-`)));
  const extra = missingVersions(
    lines(await rustup("component", "list", "--installed", "--toolchain", channel)),
    components,
  );
  if (extra.length > 0) await rustup("component", "add", "--toolchain", channel, ...extra);
  const absent = missingVersions(lines(await rustup("target", "list", "--installed", "--toolchain", channel)), targets);
  if (absent.length > 0) await rustup("target", "add", "--toolchain", channel, ...absent);
}

/**
 * Contains a hash of the inputs, so that checkouts share a tool. The root's `Cargo.toml` has the profile `tools` and
 * the features of shared crates.
 */
function toolPath() {
  const sources = [join(root, "Cargo.lock"), join(root, "Cargo.toml"), ...files(join(root, "tools"))];
  const machine = `${rustToolchain().channel} ${process.platform}-${process.arch}`;
  const key = hash([machine, ...sources.map((file) => readFileSync(file))]);
  const name = process.platform === "win32" ? "stepgraph-tools.exe" : "stepgraph-tools";
  return join(cacheFolder(), "tools", key.slice(0, 16), name);
}

/** A build may change `Cargo.lock`, and with it this path. */
let tool;

/** A full disk can leave an empty file, which exits with 0. */
export async function isTool(file) {
  if (!existsSync(file)) return false;
  const { code, out } = await attempt(file, ["--version"], { limitMs: VERSION_TIMEOUT_MS });
  return code === 0 && /^stepgraph-tools \d/.test(out);
}

export async function installTool(say) {
  tool = toolPath();
  if (await isTool(tool)) return "from the cache";
  say(existsSync(tool) ? "the one in the cache does not run, compiling" : "compiling, a minute the first time");
  const locked = process.env.CI ? ["--locked"] : [];
  const args = ["build", "--package", "stepgraph-tools", "--features", "glue", "--profile", "tools", ...locked];
  await run("Building the build tool", "cargo", args);
  tool = toolPath();
  const made = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "tools", basename(tool));
  if (!(await isTool(made))) throw new UserError(`\`${made}\` does not run: delete it, and try again.`);
  // Other checkouts may install at the same time.
  const partial = `${tool}.${process.pid}.partial`;
  mkdirSync(dirname(tool), { recursive: true });
  copyFileSync(made, partial);
  renameSync(partial, tool);
}

/** `part` is `engine`, `editor`, `page` or `page-quick`. */
export async function runTool(part) {
  await run(`Building the ${part}`, tool, [part]);
}

export async function installPackages(say, folder = root) {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const key = `${hash([lock])} ${process.platform}-${process.arch}\n`;
  const stamp = join(folder, "node_modules", ".stepgraph-stamp");
  await runIfChanged({ file: stamp, key }, async () => {
    say("downloading");
    const [program, args] = npm(["ci", "--ignore-scripts"]);
    await run("Installing the npm packages", program, args, { cwd: folder });
  });
}
