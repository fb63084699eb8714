/** A user's project with the packed package installed, never the checkout. */
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npm } from "../../scripts/lib/command.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Works offline. `files` adds files by name. */
export function consumer(files = {}) {
  const home = mkdtempSync(join(tmpdir(), "stepgraph-package-"));
  const folder = join(home, "project");
  mkdirSync(folder);
  const [packed] = JSON.parse(runNpm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", home));
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
  runNpm(folder, "install", "--offline", "--no-package-lock", "--ignore-scripts", join(home, packed.filename));
  for (const name of ["package/smoke-program.mjs", "parity/canonical.mjs"])
    copyFileSync(join(root, "tests", name), join(folder, name.split("/").at(-1)));
  write(
    "material.mjs",
    Object.entries(material())
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
      .join(""),
  );
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    folder,
    packed,
    tarball: join(home, packed.filename),
    write,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Plans, the shared cassette, and recordings from Node and the native driver with their expected traces. */
function material() {
  const read = (name) => readFileSync(join(root, name), "utf8");
  const tape = (name) => ({
    name,
    lines: read(`tests/suite/cassettes/${name}.ndjson`),
    trace: read(`tests/suite/cassettes/${name}.trace`),
  });
  return {
    hello: read("examples/hello.yaml"),
    branching: read("tests/package/everywhere/branching.yaml"),
    everywhere: read("tests/package/everywhere/plan.yaml"),
    cassette: existsSync(join(root, CASSETTE)) ? read(CASSETTE) : "",
    tapes: { plan: read("tests/suite/cassettes/everything.yaml"), recorded: ["node", "native"].map(tape) },
  };
}

export const CASSETTE = "tests/package/everywhere/cassette.ndjson";

/** The editor's entries and file follow the engine's naming. */
const started = (init) => [
  init,
  init
    .replaceAll("stepgraph.init", "editor.init")
    .replaceAll("stepgraph/engine.wasm", "stepgraph/editor.wasm")
    .replaceAll("stepgraph_wasm_bg", "stepgraph_editor_bg")
    .replace(/, \{ wire: .* \}\);/, ");"),
];

/**
 * The script runs `init`, then the smoke program with the exports of `from` and the editor's entry, and passes the
 * result to `give`.
 */
export const script = ({ from = "stepgraph", init = "", give = "process.stdout.write" } = {}) => `
  import * as stepgraph from "${from}";
  import * as editor from "${from.replace(/^stepgraph|\/dist(?=\/)/, "$&/editor")}";
  import { told } from "./smoke-program.mjs";
  import servers from "./servers.mjs";
  ${started(init)
    .map((one) => `{ ${one} }`)
    .join("\n  ")}
  ${give}(await told(stepgraph, editor, servers));
`;

export async function output(program, args, cwd, env = process.env) {
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 1 << 26 });
  return stdout;
}

function runNpm(cwd, ...args) {
  const [program, all] = npm(args);
  return execFileSync(program, all, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
