// Tests that docs/cli.md matches the command. `UPDATE=1` writes the command's output into the page.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../../dist/cli/options.js";
import { stepgraph } from "./stepgraph.mjs";

const page = fileURLToPath(new URL("../../docs/cli.md", import.meta.url));

test("the manual shows every command's help unchanged", async () => {
  let text = readFileSync(page, "utf8");
  for (const { name } of COMMANDS) {
    const { out } = await stepgraph([name, "--help"]);
    const shown = new RegExp(`\`\`\`console\n\\$ stepgraph ${name} --help\n[^]*?\`\`\``);
    assert.match(text, shown, `docs/cli.md has no \`stepgraph ${name} --help\``);
    const block = `\`\`\`console\n$ stepgraph ${name} --help\n${out}\`\`\``;
    if (!process.env.UPDATE)
      assert.equal(shown.exec(text)[0], block, "run this test with UPDATE=1 and look at what changes");
    text = text.replace(shown, () => block);
  }
  if (process.env.UPDATE) writeFileSync(page, text);
});

test("the manual begins with a list of all commands, and has a part for each", () => {
  const text = readFileSync(page, "utf8");
  const listed = [...text.matchAll(/^- \[`(\w+)`\]\(#\1\): /gm)].map(([, name]) => name);
  const parts = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  for (const names of [listed, parts])
    for (const { name } of COMMANDS) assert.ok(names.includes(name), `docs/cli.md has no \`${name}\``);
});

test("the manual lists every environment variable", () => {
  const sources = [
    "cli/models",
    "cli/connections",
    "terminal/style",
    "cli/main",
    "cli/telemetry",
    "cli/runs",
    "cli/kept-run",
  ].map((name) => readFileSync(new URL(`../../dist/${name}.js`, import.meta.url), "utf8"));
  const names = new Set(sources.flatMap((text) => [...text.matchAll(/env\.([A-Z_]+)/g)].map((match) => match[1])));
  const text = readFileSync(page, "utf8");
  assert.ok(names.size >= 5);
  // TERM is a general variable and needs no documentation.
  for (const name of names) if (name !== "TERM") assert.ok(text.includes(`\`${name}\``), name);
});
