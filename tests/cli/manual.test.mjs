// Tests that docs/cli.md and docs/cli match the command. `UPDATE=1` writes its output into them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../../dist/cli/options.js";
import { stepgraph } from "./stepgraph.mjs";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const index = `${docs}cli.md`;
const REMEDY = "run this test with UPDATE=1 and look at what changes";

function hold(file, pattern, part) {
  const text = readFileSync(file, "utf8");
  assert.match(text, pattern, `${file} lacks a part`);
  if (process.env.UPDATE)
    writeFileSync(
      file,
      text.replace(pattern, () => part),
    );
  else assert.equal(pattern.exec(text)[0], part, REMEDY);
}

test("every command has a page, which shows its help unchanged", async () => {
  for (const { name } of COMMANDS) {
    const { out } = await stepgraph([name, "--help"]);
    const shown = new RegExp(`\`\`\`console\n\\$ stepgraph ${name} --help\n[^]*?\`\`\``);
    hold(`${docs}cli/${name}.md`, shown, `\`\`\`console\n$ stepgraph ${name} --help\n${out}\`\`\``);
  }
});

test("the page of a command begins with its name and one sentence", () => {
  for (const { name } of COMMANDS) {
    const head = new RegExp(`^# \`stepgraph ${name}\`\n\nThis reference describes \`stepgraph ${name}\`, [^.]+\\.`);
    assert.match(readFileSync(`${docs}cli/${name}.md`, "utf8"), head);
  }
});

test("the index has a line for each command, and no page is left over", () => {
  const lines = COMMANDS.map(({ name, summary }) => `- [\`${name}\`](cli/${name}.md): ${summary}\n`);
  hold(index, /(^- \[`\w+`\]\(cli\/\w+\.md\): .*\n)+/m, lines.join(""));
  const pages = COMMANDS.map(({ name }) => `${name}.md`);
  assert.deepEqual(readdirSync(`${docs}cli`).toSorted(), pages.toSorted());
});

test("the index lists every environment variable", () => {
  const sources = ["main", "common", "run", "runs"].map((name) =>
    readFileSync(new URL(`../../dist/cli/${name}.js`, import.meta.url), "utf8"),
  );
  const names = new Set(sources.flatMap((text) => [...text.matchAll(/env\.([A-Z_]+)/g)].map((match) => match[1])));
  const text = readFileSync(index, "utf8");
  assert.ok(names.size >= 5);
  // TERM is a general variable and needs no documentation.
  for (const name of names) if (name !== "TERM") assert.ok(text.includes(`\`${name}\``), name);
});
