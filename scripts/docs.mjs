/**
 * Runs `npm run docs`: builds the static documentation into `site/`, with playground and package for its live parts.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { writeApi } from "./lib/api-pages.mjs";
import { run, UserError } from "./lib/command.mjs";
import { writeWorker } from "./lib/offline.mjs";
import { PORT_OPTION, readOptions, readPort } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { files } from "./lib/stamps.mjs";
import { installPackages } from "./lib/tools.mjs";
import { buildPage, page } from "./playground.mjs";
import { setUp } from "./setup.mjs";

export const site = join(root, "site");
const docs = join(root, "docs");
const vitepress = join(docs, "node_modules", "vitepress", "bin", "vitepress.js");

const PROGRAM = {
  usage: "npm run docs -- [options]",
  about: "Builds the documentation site into `site/`.",
  options: {
    "--serve": { about: "serves the site afterwards" },
    "--port": PORT_OPTION,
  },
};
const PORT = 7382;

export async function buildDocs() {
  await step("the generator of the site", (say) => installPackages(say, docs));
  await step("the reference of the library", () => writeApi());
  await step("the site", async () => {
    await run("Building the site", process.execPath, [vitepress, "build", docs]);
    await copyLiveParts();
    const copied = copyLinkedFiles();
    return `${files(site).filter((file) => file.endsWith(".html")).length} pages, ${copied} linked files`;
  });
  return site;
}

async function copyLiveParts() {
  if (!existsSync(page)) throw new UserError("the page is not built: run `node scripts/playground.mjs` first.");
  const app = join(site, "app");
  cpSync(page, app, { recursive: true });
  const document = join(app, "index.html");
  writeFileSync(document, withHelpLink(readFileSync(document, "utf8")));
  // The worker knows the files of the page by their hashes.
  await writeWorker(app);
  for (const folder of ["dist", "pkg"])
    cpSync(join(root, folder), join(site, "stepgraph", folder), {
      recursive: true,
      filter: (file) => !/\.(map|d\.ts)$/.test(file) && !file.startsWith(join(root, "dist", "cli")),
    });
}

/** The page shows a link to the documentation where it is next to it. */
export function withHelpLink(document, address = "../") {
  return document.replace("</head>", `  <link rel="help" href="${address}">\n  </head>`);
}

/** Pages link to these by `/source/`. */
function copyLinkedFiles() {
  const linked = new Set();
  for (const file of files(site).filter((name) => name.endsWith(".html")))
    for (const [, path] of readFileSync(file, "utf8").matchAll(/href="\/source\/([^"#]+)/g)) linked.add(path);
  for (const path of linked) {
    const from = join(root, decodeURI(path));
    if (!existsSync(from) || relative(root, from).startsWith("..")) {
      throw new UserError(`\`${path}\` is linked and missing`);
    }
    const to = join(site, "source", path);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(dirname(to), { recursive: true });
    if (statSync(from).isDirectory()) listFolder(from, to);
    else cpSync(from, to);
  }
  return linked.size;
}

/** Static servers have no lists of files. */
function listFolder(from, to) {
  const names = files(from).map((file) => relative(from, file).split(sep).join("/"));
  for (const name of names) cpSync(join(from, name), join(to, name));
  const title = relative(root, from);
  const items = names.map((name) => `<li><a href="/source/${title}/${name}">${name}</a></li>`).join("\n");
  writeFileSync(
    join(to, "index.html"),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main><h1>${title}</h1><ul>${items}</ul></main></html>`,
  );
}

async function main(args) {
  const { options } = readOptions(args, PROGRAM);
  await setUp();
  await build();
  await buildPage();
  await buildDocs();
  if (!options.serve) return;
  const port = String(readPort(options.port, PORT));
  // Addresses lack `.html`, as on a usual host.
  spawn(process.execPath, [vitepress, "preview", docs, "--port", port], { stdio: "inherit" });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2)).catch(fail);
