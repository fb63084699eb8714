// Tests which words of a sentence ask for an approval, a condition, a wait and so on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { root } from "../../scripts/lib/paths.mjs";
import { load } from "./scripts.mjs";

const { signsOf, withoutProhibitions } = await load("../../wasm/js/request-review/demand-signs.ts");
const sentences = parse(readFileSync(join(root, "tests", "playground", "demand-words.yaml"), "utf8"));

const IS = {
  approval: ({ approval }) => approval,
  // "Never without my approval" is an approval.
  prohibition: ({ forbidden, approval }) => forbidden !== null || approval,
  condition: ({ condition }) => condition,
  repetition: ({ each, loop, schedule }) => each || loop || schedule,
  schedule: ({ schedule }) => schedule,
  wait: ({ wait }) => wait,
  parallel: ({ parallel }) => parallel,
};

for (const [group, all] of Object.entries(sentences))
  test(`${all.length} sentences: ${group}`, () => {
    const [name, expected] = group.startsWith("no ") ? [group.slice(3), false] : [group, true];
    assert.deepEqual(
      all.filter((one) => IS[name](signsOf(one)) !== expected),
      [],
    );
  });

test("an approval with a condition of its own is both", () => {
  assert.equal(signsOf("If it costs more than 20 euros, refund it after I approve").condition, true);
  assert.equal(signsOf("refund it if it is lost after I approve").condition, true);
  for (const text of ["Refund it if I approve", "Refund it once my boss agrees", "Reembólsalo cuando lo apruebe"])
    assert.equal(signsOf(text).condition, false, text);
});

test("a prohibition is cut off, and the rest keeps its letters", () => {
  assert.equal(withoutProhibitions("Resume notes/té.md sin borrar nada"), "Resume notes/té.md");
  assert.equal(withoutProhibitions("Tell Ana. Never refund it."), "Tell Ana");
  assert.equal(withoutProhibitions("Tell Ana, then wait."), "Tell Ana, then wait.");
  assert.equal(withoutProhibitions("Never send it without my approval."), "Never send it without my approval.");
});
