/**
 * The tools that a build needs: checks those the person brings, installs those the project pins.
 *
 * What is there is left alone and asks nothing of the network. An install goes to a temporary name and is renamed at
 * its end, so an interrupted one is never taken for done.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { attempt, npm, run, Trouble } from "./command.mjs";
import { cacheFolder, root, rustToolchain, TRUNK, wasmBindgenVersion } from "./places.mjs";

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

/** A fresh rustup puts its programs where a shell opened before does not look. */
function findCargo() {
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

/** The path of the pinned wasm-bindgen command. */
export function wasmBindgen(version = wasmBindgenVersion()) {
  return program("wasm-bindgen", version);
}

/** The path of the pinned trunk. */
export function trunk() {
  return program("trunk", TRUNK);
}

/** Builds the wasm-bindgen command into the cache folder unless it is there and answers with its version. */
export async function installWasmBindgen(say) {
  // The dependencies that its own lock file pins no longer build, so cargo picks newer ones of the same major versions.
  await install(say, "3 to 5 minutes", {
    name: "wasm-bindgen",
    crate: "wasm-bindgen-cli",
    version: wasmBindgenVersion(),
    settings: [],
  });
}

/** Builds trunk likewise. */
export async function installTrunk(say) {
  await install(say, "5 to 10 minutes", { name: "trunk", crate: "trunk", version: TRUNK, settings: ["--locked"] });
}

function program(name, version) {
  return join(cacheFolder(), `${name}-${version}`, "bin", process.platform === "win32" ? `${name}.exe` : name);
}

async function install(say, time, { name, crate, version, settings }) {
  const { out } = await attempt(program(name, version), ["--version"]);
  if (out.trim() === `${name} ${version}`) return;
  say(`building, ${time} the first time`);
  const cache = cacheFolder();
  const partial = join(cache, `${name}-${version}.${process.pid}.partial`);
  const target = join(cache, `build-${name}`);
  mkdirSync(partial, { recursive: true });
  try {
    const args = ["install", crate, "--version", version, ...settings, "--root", partial];
    // Run from the cache folder, where neither the checkout's settings nor its target folder are touched.
    const env = { CARGO_TARGET_DIR: target, RUSTUP_TOOLCHAIN: rustToolchain().channel };
    await run(`Building ${name}`, "cargo", args, { cwd: cache, env });
    const place = join(cache, `${name}-${version}`);
    rmSync(place, { recursive: true, force: true });
    renameSync(partial, place);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  rmSync(target, { recursive: true, force: true });
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
