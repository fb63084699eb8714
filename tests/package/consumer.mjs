/** A project of a user's with the packed package installed in it: what is tested is the tarball and never the checkout. */
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npm } from "../../scripts/lib/command.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packs and installs, off-line. `files` are written into the project by name; `job.mjs` is there already. */
export function consumer(files = {}) {
  const home = mkdtempSync(join(tmpdir(), "stepgraph-package-"));
  const folder = join(home, "project");
  mkdirSync(folder);
  const [packed] = JSON.parse(runNpm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", home));
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
  runNpm(folder, "install", "--offline", "--no-package-lock", "--ignore-scripts", join(home, packed.filename));
  copyFileSync(join(root, "tests/package/job.mjs"), join(folder, "job.mjs"));
  copyFileSync(join(root, "tests/parity/canonical.mjs"), join(folder, "canonical.mjs"));
  write("hello.mjs", `export default ${JSON.stringify(readFileSync(join(root, "examples/hello.yaml"), "utf8"))};\n`);
  write("tapes.mjs", `export default ${JSON.stringify(tapes())};\n`);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, packed, write, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** What was recorded in Node and natively, the plan of both, and the traces that they must give. */
function tapes() {
  const read = (name) => readFileSync(join(root, "tests/suite/cassettes", name), "utf8");
  return { plan: read("everything.yaml"), tapes: ["node", "native"].map((name) => ({ name, lines: read(`${name}.ndjson`), trace: read(`${name}.trace`) })) };
}

/** The job in Node, with what `entry` exports: the script of a user. */
export const nodeScript = `
  import * as stepgraph from "stepgraph";
  import { job } from "./job.mjs";
  import hello from "./hello.mjs";
  process.stdout.write(await job(stepgraph, hello));
`;

/** What a program printed; fails with what it complained of. */
export async function output(program, args, cwd) {
  const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 1 << 26 });
  return stdout;
}

function runNpm(cwd, ...args) {
  const [program, all] = npm(args);
  return execFileSync(program, all, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
