// Tests the gate's stage selection and order, and skipped stages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { AREAS, stagesOf } from "../../scripts/lib/stages.mjs";
import { parseArguments, runStages } from "../../scripts/test.mjs";

const silentReporter = { started() {}, skipped() {}, finished() {} };
const onePassed = { passed: 1, failed: 0 };
const oneFailed = { passed: 0, failed: 1 };

/** A stage ends when its `until` resolves. */
function loggingStages(rows, log) {
  return rows.map(([name, { needs, lane, counts = onePassed, until } = {}]) => ({
    name,
    needs,
    lane,
    work: async () => {
      log.push(`${name} begins`);
      await until;
      log.push(`${name} ends`);
      return { counts, output: "" };
    },
  }));
}

test("a stage starts when its dependencies have passed", async () => {
  const log = [];
  const rows = [
    ["page", { needs: ["build"] }],
    ["build", {}],
  ];
  assert.deepEqual(await runStages(loggingStages(rows, log), silentReporter), { passed: 2, failed: 0 });
  assert.deepEqual(log, ["build begins", "build ends", "page begins", "page ends"]);
});

test("one stage runs at a time in each lane, in the order of the list", async () => {
  const log = [];
  const rows = [
    ["build", { lane: "cargo" }],
    ["page", { lane: "cargo", needs: ["build"] }],
    ["rust", { lane: "cargo" }],
  ];
  await runStages(loggingStages(rows, log), silentReporter);
  assert.deepEqual(
    log.filter((line) => line.endsWith("begins")),
    ["build begins", "page begins", "rust begins"],
  );
  assert.deepEqual(log.indexOf("page begins") > log.indexOf("build ends"), true);
});

test("stages without a lane run beside each other", async () => {
  const log = [];
  let go;
  const until = new Promise((resolve) => {
    go = resolve;
  });
  const rows = [
    ["slow", { until }],
    ["quick", {}],
  ];
  const done = runStages(loggingStages([...rows, ["last", { needs: ["quick"] }]], log), {
    ...silentReporter,
    finished: ({ name }) => name === "last" && go(),
  });
  assert.deepEqual(await done, { passed: 3, failed: 0 });
  assert.equal(log.at(-1), "slow ends");
});

test("stages that need a broken stage are skipped, and the others run", async () => {
  const left = [];
  const rows = [
    ["manual", { needs: ["command"] }],
    ["build", { counts: oneFailed }],
    ["command", { needs: ["build"] }],
    ["format", {}],
  ];
  const tell = { ...silentReporter, skipped: ({ name }, broken) => left.push(`${name} for ${broken}`) };
  assert.deepEqual(await runStages(loggingStages(rows, []), tell), { passed: 1, failed: 1 });
  assert.deepEqual(left, ["command for build", "manual for command"]);
});

test("a stage with a missing dependency is an error", async () => {
  await assert.rejects(
    runStages(loggingStages([["page", { needs: ["build"] }]], []), silentReporter),
    /nothing makes what page needs/,
  );
});

test("a stage that throws ends the run", async () => {
  const broken = { name: "odd", work: () => Promise.reject(new Error("a mistake of ours")) };
  await assert.rejects(runStages([broken], silentReporter), /a mistake of ours/);
});

test("an unknown area or option is named, with the known ones", () => {
  assert.deepEqual(parseArguments(["core", "--verbose", "wire"]), {
    areas: ["core", "wire"],
    verbose: true,
    list: false,
  });
  assert.throws(() => parseArguments(["cor"]), /`cor` is no area: did you mean `core`\?/);
  assert.throws(() => parseArguments(["all"]), /`all` is no area: choose from core, wire/);
  for (const option of ["--loud", "-v", "--verbos"])
    assert.throws(() => parseArguments([option]), new RegExp(`\`${option}\` is no option of \`npm test\``));
});

test("CONTRIBUTING.md has the table of the areas", () => {
  const rows = Object.entries(AREAS).map(([name, about]) => `| \`${name}\` | ${about} |\n`);
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  assert.ok(text.includes(`\n| area | what it checks |\n| --- | --- |\n${rows.join("")}\n`), rows.join(""));
});

test("every area has stages, each once, with all their dependencies", () => {
  for (const areas of [
    [],
    ["core", "wire", "page"],
    ["page", "package"],
    ...Object.keys(AREAS).map((area) => [area]),
  ]) {
    const names = stagesOf(areas).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, areas.join(" "));
    for (const { name, needs = [] } of stagesOf(areas))
      for (const needed of needs) assert.ok(names.includes(needed), `${name} needs ${needed}`);
  }
});

test("the page is built once, in full if the package needs it", () => {
  const builds = (...areas) =>
    stagesOf(areas)
      .map(({ name }) => name)
      .filter((name) => /^page(,|$)/.test(name));
  assert.deepEqual(builds("page"), ["page, built quickly"]);
  for (const more of ["package", "e2e", "firefox"]) {
    assert.deepEqual(builds("page", more), ["page"]);
    assert.deepEqual(builds(more, "page"), ["page"]);
  }
});
