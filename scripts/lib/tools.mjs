/**
 * The tools that a build needs: checks those the person brings, installs those the project pins.
 *
 * What is there is left alone and asks nothing of the network. An install goes to a temporary name and is renamed at
 * its end, so an interrupted one is never taken for done.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { attempt, npm, run, Trouble } from "./command.mjs";
import { cacheFolder, root, rustToolchain } from "./places.mjs";

/** Checks Node, git, rustup and the linker. Each missing one is a sentence saying how to get it. */
export async function checkBasics(version = process.versions.node) {
  if (Number(version.split(".")[0]) < 20) {
    throw new Trouble(`Node ${version} is too old: install Node 20 or newer (nodejs.org or your system's packages).`);
  }
  await need("git", "git is missing: install it with your system's packages (Debian: `apt-get install git`).");
  findCargo();
  const rustup =
    "rustup, the installer of Rust, is missing: follow rustup.rs, or install your system's `rustup` package, and try again.";
  await need("rustup", rustup);
  if (process.platform === "linux") {
    await need(
      "cc",
      "A C linker is missing, which Rust needs: install one (Debian: `apt-get install build-essential`).",
    );
  }
  return `Node ${version}`;
}

/** Finds cargo where a fresh rustup puts it: a shell that was opened before does not look there. */
export function findCargo() {
  const bin = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
  const path = process.env.PATH ?? "";
  if (existsSync(bin) && !path.split(delimiter).includes(bin)) process.env.PATH = `${path}${delimiter}${bin}`;
}

async function need(program, sentence) {
  const { code } = await attempt(program, ["--version"]);
  if (code !== 0) throw new Trouble(sentence);
}

/** The pinned Rust toolchain with its components and targets; installs only what is not there. */
export async function installRust(say) {
  const { channel, components, targets } = rustToolchain();
  const rustup = (...args) => run("Setting up Rust", "rustup", args);
  const lines = (text) => text.split("\n").map((line) => line.trim());
  if (!lines(await rustup("toolchain", "list")).some((line) => line === channel || line.startsWith(`${channel}-`))) {
    say("downloading, about a minute");
    const wanted = components.flatMap((name) => ["-c", name]);
    await rustup("toolchain", "install", channel, "--profile", "minimal", "--no-self-update", ...wanted);
  }
  const missing = (have, wanted) =>
    wanted.filter((name) => !have.some((line) => line === name || line.startsWith(`${name}-`)));
  const extra = missing(lines(await rustup("component", "list", "--installed", "--toolchain", channel)), components);
  if (extra.length > 0) await rustup("component", "add", "--toolchain", channel, ...extra);
  const absent = missing(lines(await rustup("target", "list", "--installed", "--toolchain", channel)), targets);
  if (absent.length > 0) await rustup("target", "add", "--toolchain", channel, ...absent);
}

/** The path of the build tool. It contains a hash of the tool's sources, so checkouts share one tool. */
function toolPlace() {
  const folder = join(root, "tools");
  const sources = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile());
  const sum = createHash("sha256").update(`${rustToolchain().channel} ${process.platform}-${process.arch}`);
  for (const file of [join(root, "Cargo.lock"), ...sources.sort()]) sum.update(readFileSync(file)).update("\0");
  const name = process.platform === "win32" ? "stepgraph-tools.exe" : "stepgraph-tools";
  return join(cacheFolder(), "tools", sum.digest("hex").slice(0, 16), name);
}

/** The build tool of this process. A build may change `Cargo.lock`, and with it the path of the next tool. */
let tool;

/** Compiles the build tool into the cache folder if it is missing. */
export async function installTool(say) {
  tool = toolPlace();
  if (existsSync(tool)) return;
  say("compiling, a minute the first time");
  const locked = process.env.CI ? ["--locked"] : [];
  const args = ["build", "--package", "stepgraph-tools", "--features", "glue", "--profile", "tools", ...locked];
  await run("Building the build tool", "cargo", args);
  tool = toolPlace();
  const made = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "tools", basename(tool));
  // Another checkout may install the same tool at the same time.
  const partial = `${tool}.${process.pid}.partial`;
  mkdirSync(dirname(tool), { recursive: true });
  copyFileSync(made, partial);
  renameSync(partial, tool);
}

/** Builds one part with the build tool: `engine`, `editor`, `page` or `page-quick`. */
export async function runTool(part) {
  await run(`Building the ${part}`, tool, [part]);
}

/** Installs the npm packages of a folder when its lock file has changed since the last time. */
export async function installPackages(say, folder = root) {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const key = `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}\n`;
  const stamp = join(folder, "node_modules", ".stepgraph-stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  say("downloading");
  const [program, args] = npm(["ci", "--ignore-scripts"]);
  await run("Installing the npm packages", program, args, { cwd: folder });
  writeFileSync(stamp, key);
}
