// Loads the page's scripts in Node, bundled with the package's Node build.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/lib/paths.mjs";

/** Paths are under `playground/js`. Several share their imports. */
export async function load(...paths) {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-page-"));
  const { build } = createRequire(import.meta.url)("esbuild");
  const [engine, editor] = ["node.js", "editor/node.js"].map((name) => pathToFileURL(join(root, "dist", name)).href);
  const alias = { "stepgraph/web": engine, "stepgraph/editor/web": editor };
  const beside = {
    name: "package",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^stepgraph\// }, ({ path: name }) => ({ path: alias[name], external: true })),
  };
  const from = paths.map((path) => `export * from ${JSON.stringify(join(root, "playground", "js", path))};`);
  try {
    const outfile = join(folder, "script.mjs");
    await build({
      stdin: { contents: from.join("\n"), resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "silent",
      plugins: [beside],
      loader: { ".yaml": "text", ".ndjson": "text" },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
