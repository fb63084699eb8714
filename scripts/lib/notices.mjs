/** The crates in the modules, with their licences. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.mjs";
import { root } from "./paths.mjs";

const MODULES = ["stepgraph-wasm", "stepgraph-wire", "stepgraph-editor", "stepgraph-playground"];

/** Others' crates, without build and test dependencies. */
export async function compiledCrates() {
  const args = ["metadata", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown"];
  const { packages, resolve } = JSON.parse(await run("Reading the crates", "cargo", args, { cwd: root }));
  const compiled = compiledPackages(packages, resolve);
  return packages.filter(({ id }) => compiled.has(id));
}

export function notices(crates) {
  const texts = new Map();
  for (const crate of crates) {
    const text = licenceOf(crate);
    texts.set(text, [...(texts.get(text) ?? []), `${crate.name} ${crate.version} (${crate.license})`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.sort().join("\n")}\n\n${text}\n`).sort();
  return `The modules of this package contain the following crates.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

function compiledPackages(packages, { nodes }) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const isMacro = ({ targets }) => targets.some(({ kind }) => kind.includes("proc-macro"));
  const macros = new Set(packages.filter(isMacro).map(({ id }) => id));
  const found = new Set(packages.filter(({ name }) => MODULES.includes(name)).map(({ id }) => id));
  for (const id of found) {
    for (const { pkg, dep_kinds: kinds } of known.get(id).deps)
      if (!macros.has(pkg) && kinds.some(({ kind }) => kind === null)) found.add(pkg);
  }
  const own = new Set(packages.filter(({ source }) => source === null).map(({ id }) => id));
  return new Set([...found].filter((id) => !own.has(id)));
}

/** MIT if there is a choice, otherwise the first file. Some crates name MIT and its owners, without a file. */
function licenceOf({ name, license, authors, manifest_path: manifest }) {
  const folder = dirname(manifest);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|unlicense)/i.test(file));
  const chosen = files.find((file) => /mit/i.test(file)) ?? files.sort()[0];
  if (chosen !== undefined) return readFileSync(join(folder, chosen), "utf8").replaceAll("\r", "").trim();
  if (!/\bMIT\b/.test(license)) throw new Error(`${name} has no licence text, and must not be shipped without one`);
  const owners = authors.length > 0 ? authors.join(", ") : `the authors of ${name}`;
  return `MIT License\n\nCopyright (c) ${owners}\n\n${readFileSync(join(root, "LICENSE-MIT"), "utf8").trim()}`;
}
