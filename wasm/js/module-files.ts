/**
 * Reads the package's modules from the disk, in Node, Deno and Bun.
 *
 * A bundler that moves the scripts leaves the modules behind. That error says what to do.
 */
import { createRequire } from "node:module";
import { PlanError } from "./errors.js";

type Files = typeof import("node:fs");

const ADVICE =
  'Keep `stepgraph` out of the bundle: in esbuild with `--external:stepgraph` (or `packages: "external"`), in Next ' +
  'with `serverExternalPackages: ["stepgraph"]`';

/** @internal Returns the bytes of a module. `base` is the address of the calling script, which may lack one. */
export function readModule(address: () => URL, base: string | undefined): Uint8Array<ArrayBuffer> {
  // A script in CommonJS has no address.
  if (base === undefined) throw moved("the script has no address");
  // `import` of `node:fs` would load all streams, which takes longer than all else here. `require` does not.
  const { readFileSync } = createRequire(base)("node:fs") as Files;
  const url = address();
  // Turbopack replaces the address of a file by one of the site, which has no protocol.
  if (url.protocol === "") throw moved("the file has no address");
  try {
    return readFileSync(url);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") throw moved((error as Error).message);
    throw error;
  }
}

function moved(reason: string): PlanError {
  return new PlanError("api/bundled", `the bundler moved the files of \`stepgraph\` (${reason}). ${ADVICE}`);
}
