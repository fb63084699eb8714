// Loads scripts of the page for tests without a page.

import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";

/** Several names give one module with all exports and shared imports. */
export async function script(...names) {
  const contents = names
    .map((name) => `export * from ${JSON.stringify(join(root, "playground", "js", `${name}.ts`))};`)
    .join("\n");
  const stdin = { contents, resolveDir: root, loader: "ts" };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
