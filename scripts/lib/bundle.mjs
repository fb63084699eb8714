/**
 * From compiled TypeScript to what the package ships: few files, without comments.
 *
 * The library's entries share one file with all they have in common, the glue included, so that there is one table of
 * values however many entries are loaded: Node takes more than a millisecond to find and link each file. The command's
 * files stay apart, each loaded when it is needed. In the library, functions and classes keep only the names that they
 * tell, so that stack traces and printed objects can be read without source maps; how the scripts call them is
 * shortened (3 kB, gzipped).
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, resolve } from "node:path";
import { root } from "./paths.mjs";

/** All have everything in common but a few lines: what only some of them reached would become another file. */
const ENTRIES = ["node", "web", "module", "package-internals"];
/**
 * The same of what editors load, which shares nothing with the library that would be worth a file more for everybody.
 */
const EDITOR = ["editor/node", "editor/web", "editor/module"];
/**
 * What stands beside the library and uses it as everybody does, by the package's name: there is one engine, whatever
 * else is loaded.
 */
const INTEGRATIONS = [
  "integrations/durable",
  "integrations/durable/node",
  "integrations/otel",
  "integrations/restate",
  "integrations/workflows",
  "integrations/audit/node",
  "integrations/audit/web",
];
/** What compilers of users begin with. */
const DECLARED = ["node", "web", "module", "wasm", ...EDITOR, "editor/wasm", ...INTEGRATIONS];

/**
 * Turns TypeScript into JavaScript without checking types. That takes half a second and needs no generated
 * declarations.
 */
export async function transpile(from, to) {
  const { build } = createRequire(import.meta.url)("esbuild");
  const names = readdirSync(from, { recursive: true }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".d.ts"),
  );
  await build({
    entryPoints: names.map((name) => join(from, name)),
    outdir: to,
    outbase: from,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  });
}

/**
 * Writes the JavaScript and the declarations of `from` into the empty folder `to`. Unless it shall be the `whole`, only
 * the library and the command.
 */
export async function bundle(from, to, { whole = true } = {}) {
  rmSync(to, { recursive: true, force: true });
  const { build } = createRequire(import.meta.url)("esbuild");
  const names = readdirSync(from, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const command = names.filter((name) => /^(cli|terminal)\/[^/]*\.js$/.test(name)).map((name) => join(from, name));
  const settings = {
    outdir: to,
    outbase: from,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "silent",
  };
  const groups = [
    [ENTRIES, "stepgraph"],
    [EDITOR, "editor"],
    [INTEGRATIONS, "integrations"],
  ];
  for (const [entries, chunk] of whole ? groups : groups.slice(0, 1)) {
    await build({
      ...settings,
      entryPoints: entries.map((name) => join(from, `${name}.js`)),
      bundle: true,
      splitting: true,
      platform: "neutral",
      external: ["node:*", "stepgraph"],
      chunkNames: `${chunk}-[hash]`,
      minifyIdentifiers: true,
      keepNames: true,
    });
  }
  await build({ ...settings, entryPoints: command });
  // Every command needs the table of options: as one file it costs a start no more than before. The command has names
  // that are near without the library, which is not loaded to say them.
  await build({
    ...settings,
    entryPoints: ["options", "suggest"].map((name) => join(from, `cli/${name}.js`)),
    bundle: true,
    external: ["node:*", "./suggest.js"],
  });
  if (!whole) return;
  for (const name of ["lsp", "serve"]) await bundleServer(build, settings, from, to, name);
  for (const name of declarations(from)) cpSync(join(from, name), join(to, name));
}

/**
 * A server of the command with the library that speaks its protocol, in one file: so the package asks for nothing at
 * run time. What the library's licences ask for is written beside it.
 */
async function bundleServer(build, settings, from, to, name) {
  const server = resolve(from, "cli", name);
  // What stands above is the rest of the command and the package's own entries, which are there.
  const above = {
    name: "above",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\.\// }, ({ path, importer }) =>
        dirname(importer) === server ? { path, external: true } : undefined,
      ),
  };
  // What the library of MCP asks of its platform, a judge of JSON Schema among it, is the engine's.
  const judge = {
    name: "judge",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: join(server, "validator.js") })),
  };
  const { metafile } = await build({
    ...settings,
    // The server has workers, which are processes of their own.
    entryPoints: ["main", "worker"].map((name) => join(server, `${name}.js`)).filter((file) => existsSync(file)),
    bundle: true,
    platform: "node",
    minifyIdentifiers: true,
    keepNames: true,
    plugins: [above, judge],
    metafile: true,
    // The library is written for Node's older kind of modules.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap(
      (name) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name)?.slice(1) ?? [],
    ),
  );
  writeFileSync(join(to, "cli", name, "LICENSES.txt"), [...packages].sort().map(licence).join("\n"));
}

/** The name, the version and the licence of a package that is bundled. */
function licence(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!file) throw new Error(`${name} has no licence text, and must not be bundled without one`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").replaceAll("\r", "").trim()}\n`;
}

/** The names of the declarations that the entries lead to: those of the inside are nobody's business. */
export function declarations(from) {
  const found = new Set(DECLARED.map((name) => `${name}.d.ts`));
  for (const name of found) {
    for (const [, path] of readFileSync(join(from, name), "utf8").matchAll(/(?:from |import\()"(\.\.?\/[^"]+)\.js"/g))
      found.add(posix.join(posix.dirname(name), `${path}.d.ts`));
  }
  return [...found];
}
