/** Writes the pages as Markdown beside their HTML, `llms.txt` and `llms-full.txt`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sidebar } from "./sidebar.mjs";

export function writeTexts({ outDir, pages, srcDir, site }) {
  const texts = new Map(pages.map((page) => [page, readFileSync(join(srcDir, page), "utf8")]));
  for (const [page, text] of texts) {
    mkdirSync(dirname(join(outDir, page)), { recursive: true });
    writeFileSync(join(outDir, page), text);
  }
  const head = `# Stepgraph\n\n> ${site.description}\n`;
  const listed = sidebar.map(({ text, items }) => {
    const lines = items.map(
      (item) => `- [${item.text}](${item.link}.md)${summary(item.link, texts.get(`${item.link.slice(1)}.md`))}`,
    );
    return `## ${text}\n\n${lines.join("\n")}\n`;
  });
  writeFileSync(join(outDir, "llms.txt"), [head, ...listed].join("\n"));
  const ordered = sidebar.flatMap(({ items }) => items.map(({ link }) => texts.get(`${link.slice(1)}.md`)));
  writeFileSync(join(outDir, "llms-full.txt"), [head, ...ordered].join("\n\n"));
}

/** The first sentence of a page, or the names on a page of the library's reference. */
function summary(link, text) {
  if (link.startsWith("/api/")) return `: ${namesOn(text).join(", ")}`;
  const paragraph = text.split(/\n\s*\n/).find((part) => /^[A-Z`*]/.test(part)) ?? "";
  const [sentence = ""] = /^.*?[.:](?=\s|$)/s.exec(paragraph) ?? [];
  return sentence && `: ${sentence.replace(/\s+/g, " ").replace(/:$/, ".")}`;
}

/** Pages of one entry have a heading for each kind of name, and the names below them. */
function namesOn(text) {
  const level = /^## (Classes|Functions|Interfaces|Type Aliases|Variables)$/m.test(text) ? "###" : "##";
  return [...text.matchAll(new RegExp(`^${level} (\\w+)`, "gm"))].map(([, name]) => name);
}
