/** The manifest of the package, and the address that its owner fills in there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

export function manifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}

/** The address that a browser opens, without npm's `git+` and `.git`. Undefined until the owner fills it in. */
export function webAddress(repository) {
  const url = typeof repository === "string" ? repository : repository?.url;
  return url?.replace(/^git\+/, "").replace(/\.git$/, "");
}
