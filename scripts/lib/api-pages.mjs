/**
 * Writes the library's reference into `docs/api`.
 *
 * TypeDoc writes Markdown by a plug-in. It needs TypeScript 5, so the documentation has its own compiler.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { slugify } from "../../docs/.vitepress/markdown.mjs";
import { run } from "./command.mjs";
import { manifest } from "./manifest.mjs";
import { root } from "./paths.mjs";

const docs = join(root, "docs");
const target = join(docs, "api");

/** Entries that repeat another for one platform, hold WebAssembly or an element, or are settings of a bundler. */
const WITHOUT_PAGE = /\/(web|standalone|module|embed|vite|webpack|esbuild|register)$|\.(wasm|json)$/;
/** Import paths, each with the declaration of its entry in `dist`. */
export const ENTRIES = Object.fromEntries(
  Object.entries(manifest().exports)
    .filter(([path]) => !WITHOUT_PAGE.test(path))
    .map(([path, { types }]) => [path.replace(/^\./, "stepgraph"), /^\.\/dist\/(.*)\.d\.ts$/.exec(types)[1]]),
);
/** The parts of an entry that would be too long for one page. */
const PARTS = ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables"];
/** Characters, so that pages load quickly. */
const PAGE_LENGTH = 24_000;
/** The most characters of an entry on one page. */
const ENTRY_LENGTH = 28_000;

const slug = (text) => text.toLowerCase().replaceAll(/[ /]/g, "-");
const pageOf = (entry) => slug(entry.replace("stepgraph/", ""));

export function apiPages() {
  if (!existsSync(target)) return [];
  const order = (name) => PARTS.findIndex((part) => name.startsWith(`stepgraph-${slug(part)}`)) + 1 || PARTS.length + 1;
  const names = readdirSync(target).sort((a, b) => order(a) - order(b) || a.localeCompare(b, "en", { numeric: true }));
  return names.map((name) => {
    const [, title] = /^# (.*)$/m.exec(readFileSync(join(target, name), "utf8"));
    return { link: `api/${name.replace(/\.md$/, "")}`, text: title.replaceAll("`", "") };
  });
}

export async function writeApi() {
  const drafts = join(root, "target", "api");
  rmSync(drafts, { recursive: true, force: true });
  rmSync(target, { recursive: true, force: true });
  mkdirSync(drafts, { recursive: true });
  mkdirSync(target, { recursive: true });
  const declaration = (name) => join(root, "dist", `${name}.d.ts`);
  const compilerOptions = {
    ...{ module: "NodeNext", target: "ES2022", lib: ["ES2023", "DOM", "DOM.Iterable", "ESNext.Disposable"] },
    ...{ skipLibCheck: true, noEmit: true, types: [] },
    paths: { stepgraph: [declaration("node")], "stepgraph/editor": [declaration("editor/node")] },
  };
  const files = Object.values(ENTRIES).map(declaration);
  writeFileSync(join(drafts, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const typedoc = join(docs, "node_modules", "typedoc", "bin", "typedoc");
  const flags = ["--router", "module", "--readme", "none", "--hideBreadcrumbs", "--hidePageHeader", "--disableSources"];
  await run("Reading the types", process.execPath, [
    ...[typedoc, "--plugin", join(docs, "node_modules", "typedoc-plugin-markdown", "dist", "index.js")],
    ...["--tsconfig", join(drafts, "tsconfig.json"), "--basePath", join(root, "dist"), "--out", join(drafts, "out")],
    ...[...flags, "--skipErrorChecking", "--logLevel", "Error", ...files.flatMap((file) => ["--entryPoints", file])],
  ]);
  const pages = new Map();
  for (const [entry, name] of Object.entries(ENTRIES)) {
    // TypeDoc names an `index` after its folder.
    const text = readFileSync(join(drafts, "out", `${name.replace(/\/index$/, "")}.md`), "utf8");
    if (text.length > ENTRY_LENGTH) for (const [page, own] of split(entry, text)) pages.set(page, own);
    else pages.set(pageOf(entry), `# \`${entry}\`\n${text.replace(/^# .*\n/, "")}`);
  }
  const anchors = anchorsOf(pages);
  for (const [name, text] of pages) {
    // The theme draws these lines.
    const plain = text.replaceAll(/^\*\*\*\n+/gm, "");
    writeFileSync(join(target, `${name}.md`), relink(plain, name, anchors));
  }
  return `${pages.size} pages of types`;
}

/** An entry by its parts, each in as many pages as it needs. */
function split(entry, text) {
  const sections = text.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [title, ...lines] = section.split("\n");
    if (!PARTS.includes(title)) return [];
    const members = lines.join("\n").split(/^### /m).slice(1);
    const chunks = [[]];
    for (const member of members) {
      const length = chunks.at(-1).reduce((sum, one) => sum + one.length, 0);
      if (length > 0 && length + member.length > PAGE_LENGTH) chunks.push([]);
      chunks.at(-1).push(`## ${member.replaceAll(/^#(#+ )/gm, "$1")}`);
    }
    return chunks.map((own, at) => {
      const number = chunks.length > 1 ? `-${at + 1}` : "";
      const nameOf = (member) => /^## (\w+)/.exec(member)?.[1];
      const range = chunks.length > 1 ? `, ${nameOf(own[0])} to ${nameOf(own.at(-1))}` : "";
      return [
        `${pageOf(entry)}-${slug(title)}${number}`,
        `# \`${entry}\`: ${title.toLowerCase()}${range}\n\n${own.join("")}`,
      ];
    });
  });
}

function anchorsOf(pages) {
  const found = new Map();
  for (const [page, text] of pages)
    for (const [, title] of text.matchAll(/^##+ (.*)$/gm)) {
      const anchor = slugify(title.trim());
      if (!found.has(anchor)) found.set(anchor, page);
    }
  return found;
}

/** Links name the generator's files. Names without a page lose their link. */
function relink(text, page, anchors) {
  return text.replaceAll(/\[((?:[^\]\\]|\\.)*)\]\(((?:[\w./-]+\.md)?(?:#[^)]*)?)\)/g, (whole, label, href) => {
    if (href === "") return whole;
    const anchor = href.split("#")[1];
    const where = anchor === undefined ? undefined : anchors.get(anchor);
    if (where === undefined) return label;
    return where === page ? `[${label}](#${anchor})` : `[${label}](${where}.md#${anchor})`;
  });
}
