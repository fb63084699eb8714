// The size of a user's download: every wasm file and all JavaScript of the build, raw and gzipped.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns `[{file, rawKb, gzipKb}]`, with the JavaScript of a folder as one entry. Empty if there is no build. */
export function sizes() {
  return ["dist", "pkg"].flatMap((folder) => {
    const files = under(join(root, folder));
    const wasm = files.filter((file) => file.endsWith(".wasm")).map((file) => entry(relative(root, file), [file]));
    const script = files.filter((file) => /\.[mc]?js$/.test(file));
    return script.length ? [...wasm, entry(`${folder}/ JavaScript (${script.length} files)`, script)] : wasm;
  });
}

// Each file is gzipped separately, as a server does.
function entry(file, files) {
  const bytes = files.map((path) => readFileSync(path));
  const kb = (size) => bytes.reduce((sum, buffer) => sum + size(buffer), 0) / 1000;
  return { file, rawKb: kb((buffer) => buffer.length), gzipKb: kb((buffer) => gzipSync(buffer, { level: 9 }).length) };
}

function under(folder) {
  let names;
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? under(path) : [path];
  });
}
