/**
 * The package's software bill of materials (CycloneDX): crates in the modules, npm packages in the bundled servers.
 *
 * It contains no time or random number: the same sources give the same file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

/** `crates` come from `cargo metadata`. */
export function sbom(crates, { name, version, license, description }) {
  const inModules = crates.map((crate) => component("cargo", crate.name, crate.version, crate.license));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...component("npm", name, version, license), type: "application", description } },
    components: [...inModules, ...bundledPackages()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}

function component(kind, name, version, license) {
  // Older crates write `MIT/Apache-2.0`.
  const expression = license.replaceAll("/", " OR ");
  const purl = `pkg:${kind}/${name.replace("@", "%40")}@${version}`;
  return { type: "library", "bom-ref": purl, name, version, licenses: [{ expression }], purl };
}

/** `dist/cli/*\/LICENSES.txt` has lines `name version (licence)`. */
function bundledPackages() {
  const texts = ["dist/cli", "embed"].flatMap((name) => {
    const folder = join(root, name);
    const names = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith("LICENSES.txt"));
    return names.map((file) => readFileSync(join(folder, file), "utf8"));
  });
  const lines = new Set(texts.flatMap((text) => text.match(/^\S+ \d+\.\d+\.\d+\S* \(.+\)$/gm) ?? []));
  return [...lines].map((line) => {
    const [, name, version, license] = /^(\S+) (\S+) \((.+)\)$/.exec(line);
    return component("npm", name, version, license);
  });
}
