/** Paths, and required versions from `Cargo.toml`, `rust-toolchain.toml` and `package.json`. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Tools outlive the checkout. `STEPGRAPH_CACHE` takes precedence. */
export function cacheFolder(env = process.env, platform = process.platform, home = homedir()) {
  if (env.STEPGRAPH_CACHE) return env.STEPGRAPH_CACHE;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "stepgraph");
  if (platform === "darwin") return join(home, "Library", "Caches", "stepgraph");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "stepgraph");
  return join(home, ".cache", "stepgraph");
}

/** Returns `{ channel, components, targets }`. */
export function rustToolchain(text = read("rust-toolchain.toml")) {
  const channel = /^channel\s*=\s*"([^"]+)"/m.exec(text)?.[1];
  if (!channel) throw new Error('rust-toolchain.toml names no channel: write `channel = "X.Y.Z"` there');
  return { channel, components: stringsAt(text, "components"), targets: stringsAt(text, "targets") };
}

function stringsAt(text, key) {
  const list = new RegExp(`^${key}\\s*=\\s*\\[([^\\]]*)\\]`, "m").exec(text)?.[1] ?? "";
  return [...list.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
}

function read(name) {
  return readFileSync(join(root, name), "utf8");
}
