// Runs docs/coverage.md, into which `UPDATE=1` writes the output.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { example, file, folder, stepgraph } from "./stepgraph.mjs";

const path = fileURLToPath(new URL("../../docs/coverage.md", import.meta.url));
const page = () => readFileSync(path, "utf8");
const [, plan] = /```yaml\n([^]*?)```/.exec(page());
file("order.yaml", plan);

function assertPart(part, expected) {
  if (process.env.UPDATE)
    writeFileSync(
      path,
      page().replace(part, () => expected),
    );
  else assert.equal(part, expected, "run this test with UPDATE=1 and look at what changes");
}

test("the page shows the output of each command", async () => {
  const blocks = [...page().matchAll(/```console\n\$ stepgraph (.*)\n[^]*?```/g)];
  assert.equal(blocks.length, 3);
  for (const [block, command] of blocks) {
    const { out, err } = await stepgraph(command.split(" "));
    assertPart(block, `\`\`\`console\n$ stepgraph ${command}\n${out}${err}\`\`\``);
  }
  const [, command] = /```sh\nstepgraph (.*)\n```/.exec(page());
  const { code, out } = await stepgraph(command.split(" "));
  assert.deepEqual([code, readFileSync(`${folder}/coverage.svg`, "utf8").slice(0, 4)], [0, "<svg"], out);
});

test("the code of the page runs", async () => {
  const [, code] = /```js[^\n]*\n([^]*?)```/.exec(page());
  const entry = (name) => JSON.stringify(new URL(`../../dist/${name}.js`, import.meta.url));
  const runnable = code.replace('"stepgraph"', entry("node")).replace('"stepgraph/editor"', entry("editor/node"));
  file("page.mjs", `const text = ${JSON.stringify(plan)};\n${runnable}\nexport { found, missed, svg, survivors };\n`);
  const { found, missed, svg, survivors } = await import(`${folder}/page.mjs`);
  const shown = JSON.parse((await stepgraph(["test", "order.yaml", "--coverage", "--mutate", "--json"])).out);
  assert.equal(found.percent, shown.coverage.percent);
  assert.ok(missed.length > 0 && svg.startsWith("<svg"));
  const survived = shown.files[0].mutation.mutants.filter(({ status }) => status === "survived");
  assert.deepEqual(
    survivors,
    survived.map(({ message }) => message),
  );
  assert.ok(survivors.length > 0);
});

test("the table of the examples is true", async () => {
  const names = readdirSync(example("")).filter((name) => /(?<!\.stubs)\.yaml$/.test(name));
  const { out } = await stepgraph(["test", "--coverage", "--mutate", "--json", ...names.map(example)]);
  const { files } = JSON.parse(out);
  const of = ({ covered, total }) => (total === 0 ? "–" : `${covered} of ${total}`);
  const percent = (number) => `${Math.floor(number * 10) / 10} %`;
  const rows = files.map(({ coverage: { counts, percent: all }, mutation }, at) => {
    const name = names[at].replace(/\.yaml$/, "");
    const edges = { covered: 0, total: 0 };
    for (const kind of ["edge", "error-edge"]) for (const key of ["covered", "total"]) edges[key] += counts[kind][key];
    const covered = [of(counts.node), of(edges), of(counts.condition), percent(all)];
    const noticed = [mutation.mutants.length, mutation.counts.survived, percent(mutation.score)];
    return `| ${[`[${name}](../examples/${names[at]})`, ...covered, ...noticed].join(" | ")} |\n`;
  });
  const [, table] = /\| example \|.*\n\| --- .*\n((?:\|.*\n)*)/.exec(page());
  const head = /\| example \|.*\n\| --- .*\n/.exec(page())[0];
  assertPart(head + table, head + rows.join(""));
});
