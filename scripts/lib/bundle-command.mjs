/**
 * Bundles the command's scripts.
 *
 * Node needs almost a millisecond for each file. So the scripts that every subcommand loads become one file, and those
 * that `stepgraph run` adds become another. Their own files stay, and export everything from there. All others stay as
 * they are.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";

/** The entry of each file, and whether the entry itself is in it. */
const FILES = [
  { file: "cli/common.js", entry: "cli/main.js", whole: false },
  { file: "cli/run.js", entry: "cli/run.js", whole: true },
];
const OURS = /^(cli|request-review|terminal)\/[^/]*\.js$/;
const STATIC = /^(?:import|export)\b[^;"]*\bfrom "(\.\.?\/[^"]+)";$/gm;
const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)"(\.\.?\/[^"]+)"/g;

/** `build` is esbuild's. */
export async function bundleCommand(build, settings, from, to) {
  const names = readdirSync(from, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const homes = homesOf(from);
  const others = names.filter((name) => OURS.test(name) && !homes.has(name));
  await build({ ...settings, entryPoints: others.map((name) => join(from, name)) });
  for (const name of others) {
    const file = join(to, name);
    writeFileSync(file, pointHome(readFileSync(file, "utf8"), name, homes));
  }
  for (const { file } of FILES) await bundleFile(build, settings, { from, to, file, homes });
  for (const [name, home] of homes) {
    if (name === home) continue;
    mkdirSync(join(to, posix.dirname(name)), { recursive: true });
    writeFileSync(join(to, name), `export*from"${relative(name, home)}";\n`);
  }
}

/** The path of the file with a script's code, by the script's path. */
export function homesOf(from) {
  const homes = new Map();
  for (const { file, entry, whole } of FILES) {
    const found = staticImports(from, entry);
    if (!whole) found.delete(entry);
    for (const name of found) if (!homes.has(name)) homes.set(name, file);
  }
  return homes;
}

function staticImports(from, name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, path] of readFileSync(join(from, name), "utf8").matchAll(STATIC)) {
    const imported = posix.join(posix.dirname(name), path);
    // `main.js` runs when it is imported. The tables of options belong to `options.js`.
    if (OURS.test(imported) && imported !== "cli/main.js") staticImports(from, imported, found);
  }
  return found;
}

async function bundleFile(build, settings, { from, to, file, homes }) {
  const own = [...homes].filter(([, home]) => home === file).map(([name]) => name);
  const { metafile } = await build({
    ...settings,
    stdin: { contents: own.map((name) => `export * from "./${name}";\n`).join(""), resolveDir: from },
    outdir: undefined,
    outbase: undefined,
    outfile: join(to, file),
    bundle: true,
    platform: "neutral",
    metafile: true,
    external: ["node:*"],
    plugins: [otherFiles(from, file, homes)],
  });
  const exported = own.flatMap((name) => exportsOf(join(from, name)));
  const [output] = Object.values(metafile.outputs);
  // Two scripts that export the same name would lose both.
  const lost = exported.find((name) => !output.exports.includes(name));
  if (lost !== undefined) throw new Error(`two scripts of ${file} export \`${lost}\`: rename one of them`);
}

/** Leaves imports of other files as they are, with paths from `file`. */
function otherFiles(from, file, homes) {
  return {
    name: "other-files",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
        if (kind === "entry-point") return undefined;
        const name = posix.normalize(
          resolve(resolveDir, path)
            .slice(resolve(from).length + 1)
            .replaceAll("\\", "/"),
        );
        // Their folder has tables that only they import.
        if (homes.get(name) === file || name.startsWith("cli/options/") || name === "suggest.js") return undefined;
        return { path: relative(file, homes.get(name) ?? name), external: true };
      }),
  };
}

/** Rewrites the imports of scripts that have a new home. */
export function pointHome(text, name, homes) {
  return text.replaceAll(IMPORT, (whole, before, path) => {
    const home = homes.get(posix.join(posix.dirname(name), path));
    return home === undefined ? whole : `${before}"${relative(name, home)}"`;
  });
}

function exportsOf(file) {
  const text = readFileSync(file, "utf8");
  const declared = [...text.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) => names.split(","));
  return [
    ...declared,
    ...listed
      .map((name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1),
      )
      .filter((name) => name !== ""),
  ];
}

function relative(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
