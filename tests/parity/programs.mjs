// Rust programs to compare with. Cargo builds them, unless `STEPGRAPH_PROGRAMS` names a folder with built ones.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/lib/paths.mjs";

export async function program(name) {
  if (process.env.STEPGRAPH_PROGRAMS) return join(process.env.STEPGRAPH_PROGRAMS, name);
  await promisify(execFile)("cargo", ["build", "--quiet", "-p", "stepgraph-tests", "--bin", name], { cwd: root });
  return join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", name);
}
