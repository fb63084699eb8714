/** The package's manifest. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

export function manifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}

/** Removes npm's `git+` and `.git`. Undefined until the owner fills it in. */
export function webAddress(repository) {
  const url = typeof repository === "string" ? repository : repository?.url;
  return url?.replace(/^git\+/, "").replace(/\.git$/, "");
}
