/**
 * Where things are, and which versions the project asks for.
 *
 * Every version stands in one file only (`Cargo.toml`, `rust-toolchain.toml`, `package.json`); this module reads it
 * there.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * The folder of tools that outlive the checkout.
 *
 * `STEPGRAPH_CACHE` goes before the system's own place for such things.
 */
export function cacheFolder(env = process.env, platform = process.platform, home = homedir()) {
  if (env.STEPGRAPH_CACHE) return env.STEPGRAPH_CACHE;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "stepgraph");
  if (platform === "darwin") return join(home, "Library", "Caches", "stepgraph");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "stepgraph");
  return join(home, ".cache", "stepgraph");
}

/** What `rust-toolchain.toml` asks for: `{ channel, components, targets }`. */
export function rustToolchain(text = read("rust-toolchain.toml")) {
  const channel = /^channel\s*=\s*"([^"]+)"/m.exec(text)?.[1];
  if (!channel) throw new Error('rust-toolchain.toml names no channel: write `channel = "X.Y.Z"` there');
  return { channel, components: words(text, "components"), targets: words(text, "targets") };
}

function words(text, key) {
  const list = new RegExp(`^${key}\\s*=\\s*\\[([^\\]]*)\\]`, "m").exec(text)?.[1] ?? "";
  return [...list.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
}

function read(name) {
  return readFileSync(join(root, name), "utf8");
}
