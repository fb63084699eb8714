/**
 * Bundles compiled TypeScript without comments.
 *
 * Entries share one file with the glue: Node needs over a millisecond per file, and there must be one table of values.
 * `bundle-command.mjs` has the command.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, resolve } from "node:path";
import { bundleCommand, homesOf } from "./bundle-command.mjs";
import { root } from "./paths.mjs";

/** Otherwise, code that only some of these use would become another file. */
const ENTRIES = ["node", "package-internals"];
/**
 * The user's bundler drops unused code. Minifying would remove the comments that it needs for that, and add calls that
 * it must keep.
 */
const FOR_BUNDLERS = ["web", "module"];
/**
 * Bundlers can't divide a file, and esbuild takes along all that a file imports. So the modules of pages that parse
 * plans, run them, or call servers and models get files of their own. No source imports them as a whole.
 */
const PAGE = ["run-function", "graph", "package-module", "part-requests", "retried-url"];
const TOGETHER = { plans: ["graph"], page: PAGE, clients: [...PAGE, "mcp", "models"] };
/** Scripts of `later.ts`. Every page that loads one has loaded the page's file. */
const LATER = /[\\/](run-history|run-clients|run-prices|function-tools)\.js$/;
/** They share little with the library. */
const EDITOR = ["editor/node", "editor/web", "editor/module"];
/** They import the library by name, so that there is one engine. */
const INTEGRATIONS = [
  "integrations/durable",
  "integrations/durable/node",
  "integrations/otel",
  "integrations/restate",
  "integrations/workflows",
  "integrations/ai-sdk",
  "integrations/ag-ui",
  "integrations/review",
  "integrations/audit/node",
  "integrations/audit/web",
  "integrations/node/index",
  "integrations/store/node",
  "integrations/node/loader/esbuild",
  "integrations/node/loader/register",
  "integrations/node/loader/hooks",
  "integrations/node/loader/vite",
  "integrations/node/loader/webpack",
];
/** Node imports it by path. */
const INTERNAL = ["integrations/node/loader/hooks"];
const DECLARED = ["node", "web", "module", "standalone", "wasm", ...EDITOR, "editor/wasm", ...INTEGRATIONS].filter(
  (name) => !INTERNAL.includes(name),
);

const EMBEDDED = {
  name: "embedded",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^embedded:/ }, ({ path }) => ({
      path: join(root, "pkg", `stepgraph_${path === "embedded:wire" ? "wire" : "wasm"}_bg.wasm`),
    })),
};

/** Apart, it brings no file of helpers that it shares with the library. */
const WIRE = "stepgraph-wire.js";
const WIRE_APART = {
  name: "wire-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/wire-module\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: `./${WIRE}`, external: true } : undefined,
    ),
};

/**
 * Node takes over a millisecond for each script, and a single file has no others: `later.ts` and `later-tools.ts` get
 * values.
 */
const WITHOUT_LATER = {
  name: "without-later",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]later(-tools)?\.js$/ }, ({ path }) => {
      const names = [];
      const contents = readFileSync(path, "utf8").replaceAll(
        /\bimport\("(\.\/[^"]+)"\)/g,
        (_, name) => `later${names.push(name)}`,
      );
      if (names.length === 0) throw new Error(`${path} loads no scripts`);
      return { contents: names.map((name, at) => `import * as later${at + 1} from "${name}";\n`).join("") + contents };
    }),
};

const togetherIn = (from) => ({
  name: "together",
  setup: ({ onResolve, onLoad }) => {
    const all = (names) => names.map((name) => `export * from "./${name}.js";\n`).join("");
    onResolve({ filter: /^together:/ }, ({ path }) => ({ path, namespace: "together" }));
    onLoad({ filter: /.*/, namespace: "together" }, ({ path }) => ({
      contents: all(TOGETHER[path.slice("together:".length)]),
      resolveDir: from,
    }));
    // Otherwise there would be a file for each set of scripts that import a module. The function itself is dropped.
    const page =
      '\nimport { run } from "./run.js";\nimport { PlanGraph } from "./graph.js";\nfunction page() { return [run, PlanGraph]; }\n';
    onLoad({ filter: LATER }, ({ path }) => ({ contents: readFileSync(path, "utf8") + page }));
  },
});

/** Half a second without type checks. */
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

/** If `whole` is false, bundles only the library and the command. */
export async function bundle(from, to, { whole = true } = {}) {
  rmSync(to, { recursive: true, force: true });
  const { build } = createRequire(import.meta.url)("esbuild");
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
    [ENTRIES, "stepgraph", { plugins: [WITHOUT_LATER, WIRE_APART] }],
    [
      [...FOR_BUNDLERS, ...Object.keys(TOGETHER).map((name) => `together:${name}`)],
      "web",
      { minifyWhitespace: false, minifySyntax: false, plugins: [togetherIn(from), WIRE_APART] },
    ],
    [EDITOR, "editor"],
    [INTEGRATIONS, "integrations"],
  ];
  for (const [entries, chunk, own] of whole ? groups : groups.slice(0, 1)) {
    await build({
      ...settings,
      ...own,
      entryPoints: entries.map((name) =>
        name.startsWith("together:") ? { in: name, out: name.replace(":", "-") } : join(from, `${name}.js`),
      ),
      bundle: true,
      splitting: true,
      // For stack traces. The maps contain the sources.
      sourcemap: true,
      platform: "neutral",
      external: ["node:*", "stepgraph"],
      chunkNames: `${chunk}-[hash]`,
    });
  }
  cleanFiles(to);
  await build({
    ...settings,
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: { [WIRE.replace(/\.js$/, "")]: join(from, "wire-module.js") },
    outbase: undefined,
    bundle: true,
    sourcemap: true,
    platform: "neutral",
  });
  await bundleCommand(build, settings, from, to);
  if (!whole) return;
  await build({
    ...settings,
    entryPoints: [join(from, "standalone.js")],
    bundle: true,
    minifyIdentifiers: true,
    keepNames: true,
    platform: "neutral",
    external: ["node:*"],
    loader: { ".wasm": "binary" },
    plugins: [EMBEDDED, WITHOUT_LATER],
  });
  for (const name of ["lsp", "serve"]) await bundleServer(build, settings, from, to, name);
  for (const name of declarations(from)) cpSync(join(from, name), join(to, name));
}

function cleanFiles(folder) {
  for (const name of readdirSync(folder).filter((name) => /^(web|module|together)\b.*\.js/.test(name))) {
    const file = join(folder, name);
    if (name.startsWith("together-")) rmSync(file);
    // They keep an order that does not matter. But esbuild would take those files along.
    else if (name.endsWith(".js"))
      writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^import "\.\/web-\w+\.js";$/gm, ""));
  }
}

/** Includes the protocol library, so that the package has no dependencies, and writes its licences. */
async function bundleServer(build, settings, from, to, name) {
  const server = resolve(from, "cli", name);
  const homes = homesOf(from);
  const above = {
    name: "above",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\.\// }, ({ path, importer }) => {
        if (dirname(importer) !== server) return undefined;
        const home = homes.get(posix.join("cli", name, path));
        return { path: home === undefined ? path : posix.relative(posix.join("cli", name), home), external: true };
      }),
  };
  // The engine replaces the MCP library's JSON Schema validator.
  const judge = {
    name: "judge",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: join(server, "validator.js") })),
  };
  const { metafile } = await build({
    ...settings,
    entryPoints: ["main", "worker"].map((name) => join(server, `${name}.js`)).filter((file) => existsSync(file)),
    bundle: true,
    platform: "node",
    minifyIdentifiers: true,
    keepNames: true,
    plugins: [above, judge],
    metafile: true,
    // The library is CommonJS.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  writeFileSync(join(to, "cli", name, "LICENSES.txt"), licences(metafile));
}

export function licences({ inputs }) {
  const folders = new Map(
    Object.keys(inputs).flatMap((file) => {
      const found = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/)/.exec(file);
      return found ? [[found[1], resolve(found[0])]] : [];
    }),
  );
  const names = [...folders.keys()].sort();
  return names.map((name) => licence(folders.get(name))).join("\n");
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!file) throw new Error(`${name} has no licence text, and must not be bundled without one`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").replaceAll("\r", "").trim()}\n`;
}

/** Omits internal declarations. */
export function declarations(from) {
  const found = new Set(DECLARED.map((name) => `${name}.d.ts`));
  for (const name of found) {
    for (const [, path] of readFileSync(join(from, name), "utf8").matchAll(/(?:from |import\()"(\.\.?\/[^"]+)\.js"/g))
      found.add(posix.join(posix.dirname(name), `${path}.d.ts`));
  }
  return [...found];
}
