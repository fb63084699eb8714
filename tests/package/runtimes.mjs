// Maps the supported runtimes to functions that return a program's output.
//
// Each gets the installed package through its own module resolution or its usual bundler.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as kits from "./toolchains.mjs";
import { output, script } from "./consumer.mjs";

export const scripts = {
  "user.mjs": script(),
  "user.cjs": `(async () => {
    const stepgraph = await import("stepgraph");
    const editor = await import("stepgraph/editor");
    const { told } = await import("./smoke-program.mjs");
    const { default: servers } = await import("./servers.mjs");
    process.stdout.write(await told(stepgraph, editor, servers));
  })();`,
  "by-web.mjs": script({
    from: "stepgraph/web",
    init: bytes(`await stepgraph.init(bytes, { wire: ${read("stepgraph/wire.wasm")} });`),
  }),
  "by-module.mjs": script({
    from: "stepgraph/module",
    init: bytes(`stepgraph.init(new WebAssembly.Module(bytes), { wire: ${read("stepgraph/wire.wasm")} });`),
  }),
  "worker.mjs": `
    import * as stepgraph from "stepgraph";
    import wasm from "stepgraph/engine.wasm";
    import wire from "stepgraph/wire.wasm";
    import * as editor from "stepgraph/editor";
    import editorWasm from "stepgraph/editor.wasm";
    import { told } from "./smoke-program.mjs";
    import servers from "./servers.mjs";
    stepgraph.init(wasm, { wire });
    editor.init(editorWasm);
    export default { fetch: async () => new Response(await told(stepgraph, editor, servers)) };
  `,
};

function read(name) {
  return `readFileSync(new URL(import.meta.resolve("${name}")))`;
}

function bytes(init) {
  return `const { readFileSync } = await import("node:fs"); const bytes = ${read("stepgraph/engine.wasm")}; ${init}`;
}

export const runtimes = {
  [`Node ${process.versions.node}`]: (folder) => output(process.execPath, ["user.mjs"], folder),
  "Node, from CommonJS": (folder) => output(process.execPath, ["user.cjs"], folder),
  "Node, stepgraph/web": (folder) => output(process.execPath, ["by-web.mjs"], folder),
  "Node, stepgraph/module": (folder) => output(process.execPath, ["by-module.mjs"], folder),
  ...(kits.linux ? elsewhere() : {}),
};

function elsewhere() {
  return {
    [`Node ${kits.VERSIONS.node}`]: async (folder) => output(await kits.node22(), ["user.mjs"], folder),
    [`Deno ${kits.VERSIONS.deno}`]: inDeno,
    [`Bun ${kits.VERSIONS.bun}`]: async (folder) => output(await kits.bun(), ["--no-install", "user.mjs"], folder),
    [`workerd ${kits.VERSIONS.miniflare}`]: inWorkerd,
  };
}

/** Permits the package only to read itself and to reach the servers. */
async function inDeno(folder) {
  const env = { ...process.env, DENO_DIR: join(folder, ".deno"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  return output(
    await kits.deno(),
    ["run", "--no-prompt", "--cached-only", `--allow-read=${folder}`, "--allow-net=127.0.0.1", "user.mjs"],
    folder,
    env,
  );
}

/** As with its own tool, the WebAssembly module stays a file and is imported compiled. */
async function inWorkerd(folder) {
  const args = [
    "worker.mjs",
    "--bundle",
    "--format=esm",
    "--conditions=workerd,worker,browser",
    "--loader:.wasm=copy",
    "--outdir=worker",
  ];
  await output(await kits.esbuild(), args, folder);
  return output(
    process.execPath,
    [
      fileURLToPath(new URL("workerd.mjs", import.meta.url)),
      pathToFileURL(await kits.miniflare()).href,
      join(folder, "worker"),
    ],
    folder,
  );
}

export function writeAddresses(folder, servers) {
  writeFileSync(join(folder, "servers.mjs"), `export default ${JSON.stringify(servers)};\n`);
}

export const sections = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`no sections: ${text.slice(0, 2000)}`);
  }
};

export function golden(file) {
  const [, ...parts] = readFileSync(file, "utf8").split(/^=== (\S+)\n/m);
  return Object.fromEntries(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1].replace(/\n$/, "")]] : [])),
  );
}
