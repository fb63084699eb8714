// Tests every plan and every live program in the documentation and the README.
//
// Plans are sound and pass their tests. Programs run as on the site, and print their final comments, if any.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as library from "../../dist/node.js";
import * as editor from "../../dist/editor/node.js";
import { isPlan, whyNotHere } from "../../docs/.vitepress/markdown.mjs";
import { sidebar, UNPUBLISHED } from "../../docs/.vitepress/sidebar.mjs";
import { program } from "../../docs/.vitepress/theme/live.js";

const { formatDiagnostics, PlanGraph, runTests } = library;
const root = new URL("../../", import.meta.url);
const docs = readdirSync(new URL("docs", root), { recursive: true })
  .filter((name) => name.endsWith(".md") && !/node_modules|^api\//.test(name))
  .map((name) => `docs/${name}`);
const texts = new Map(["README.md", ...docs].map((page) => [page, readFileSync(new URL(page, root), "utf8")]));

function blocks(page, lang) {
  const text = texts.get(page);
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([^]*?)^```/gm)]
    .filter(([, own]) => own === lang)
    .map(({ 2: words, 3: code, index }) => ({
      place: `${page}:${text.slice(0, index).split("\n").length}`,
      words: words.trim().split(" "),
      code,
    }));
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

for (const page of texts.keys()) {
  for (const { place, code } of blocks(page, "yaml").filter(
    ({ words, code }) => !words.includes("fragment") && isPlan(code),
  ))
    test(`the plan at ${place} is sound, and its tests pass`, async () => {
      const { graph, diagnostics } = PlanGraph.parse(code);
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      assert.equal(errors.length, 0, formatDiagnostics(errors, { text: code }));
      if (!/^tests:/m.test(code)) return;
      for (const { name, passed, differences } of await runTests(graph))
        assert.ok(passed, `${name}: ${JSON.stringify(differences)}`);
    });
  for (const { place, words, code } of blocks(page, "js"))
    if (!words.includes("fragment") && whyNotHere(code) === null)
      test(`the program at ${place} runs`, async () => {
        const load = async (name) => (name === "stepgraph" ? library : editor);
        const printed = [];
        const log = (...values) => printed.push(...values.map(shown).join(" ").split("\n"));
        await program(code)(load, { ...console, log });
        const [, promised] = /;\n((?:\/\/ .*\n)+)$/.exec(code) ?? [];
        if (promised)
          assert.deepEqual(
            printed,
            promised
              .trimEnd()
              .replaceAll(/^\/\/ /gm, "")
              .split("\n"),
          );
      });
}

test("the path through the documents has every page once", () => {
  const linked = sidebar.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`));
  const written = linked.filter((page) => !page.startsWith("docs/api/"));
  const left = ["index.md", ...UNPUBLISHED].map((page) => `docs/${page}`);
  assert.deepEqual(written.toSorted(), docs.filter((page) => !left.includes(page)).toSorted());
});

test("the lists of guides and concepts have every page of their groups, and link to no unpublished page", () => {
  for (const [list, name] of [
    ["guides", /^Guides/],
    ["concepts", /^Concepts/],
  ]) {
    const lines = [...texts.get(`docs/${list}.md`).matchAll(/^- \[[^\]]+\]\(([\w/-]+)\.md\): \S/gm)].map(
      ([, link]) => `/${link}`,
    );
    const pages = sidebar.filter(({ text }) => name.test(text)).flatMap(({ items }) => items.map(({ link }) => link));
    assert.deepEqual(lines.toSorted(), pages.filter((link) => link !== `/${list}`).toSorted());
  }
  for (const [page, text] of texts)
    if (!UNPUBLISHED.some((one) => page.endsWith(one)))
      for (const one of UNPUBLISHED) assert.ok(!text.includes(`](${one}`), `${page} links to ${one}`);
});

test("code fits into 80 columns, so that narrow screens show whole lines", () => {
  // The command's output stays as it is. Tests compare or send the data of these pages.
  const asPrinted = [
    "docs/expressions.md",
    "docs/lock.md",
    "docs/server.md",
    ...UNPUBLISHED.map((page) => `docs/${page}`),
  ];
  const wide = [];
  for (const page of texts.keys())
    for (const lang of ["yaml", "js", "ts", "jsx", "json", "sh", "html", "rust"])
      for (const { place, code } of asPrinted.includes(page) ? [] : blocks(page, lang))
        for (const line of code.split("\n")) if (line.length > 80) wide.push(`${place}: ${line}`);
  assert.deepEqual(wide, []);
});

test("the code of the site is the code of the text", () => {
  const code = 'import { run, PlanGraph as Plan } from "stepgraph";\nreturn [run, Plan];';
  assert.match(String(program(code)), /const \{ run, PlanGraph: Plan \} = await load\("stepgraph"\);/);
});
