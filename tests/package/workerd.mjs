// Runs a bundled worker in workerd, without Node compatibility, and prints its answer: `workerd.mjs MINIFLARE FOLDER`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [miniflare, folder] = process.argv.slice(2);
const { Log, Miniflare } = await import(miniflare);
const read = (name) => readFileSync(join(folder, name));
const modules = readdirSync(folder)
  .sort((a) => (a === "worker.js" ? -1 : 1))
  .filter((name) => /\.(js|wasm)$/.test(name))
  .map((name) => ({
    type: name.endsWith(".js") ? "ESModule" : "CompiledWasm",
    path: join(folder, name),
    contents: read(name),
  }));
const worker = new Miniflare({ modules, modulesRoot: folder, compatibilityDate: "2026-01-01", log: new Log(0) });
try {
  const response = await worker.dispatchFetch("http://worker/");
  process.stdout.write(await response.text());
  process.exitCode = response.ok ? 0 : 1;
} finally {
  await worker.dispose();
}
