/**
 * Runs `npm test`: set-up, then every check.
 *
 * A failed stage skips those that depend on it. The last line is `N passed, N failed`, where a stage without tests
 * counts as one.
 */
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { add, NO_TESTS } from "./lib/test-counts.mjs";
import { summary } from "./lib/failures.mjs";
import { unknownName, readOptions } from "./lib/options.mjs";
import { fail, seconds } from "./lib/progress.mjs";
import { AREAS, stagesOf } from "./lib/stages.mjs";
import { setUp } from "./setup.mjs";

export const PROGRAM = {
  usage: "npm test -- [options] [AREA ...]",
  about: "Runs every check of the project, or those of some areas.",
  words: { AREA: `one of ${Object.keys(AREAS).join(", ")}` },
  options: {
    "--list": { about: "prints what each area checks" },
    "--verbose": { about: "prints the output of every stage" },
  },
};

export function parseArguments(args) {
  const { options, words } = readOptions(args, PROGRAM);
  const unknown = words.find((area) => !Object.hasOwn(AREAS, area));
  if (unknown !== undefined) throw unknownName(`\`${unknown}\` is no area`, unknown, Object.keys(AREAS));
  return { areas: words, verbose: options.verbose === true, list: options.list === true };
}

/** A stage starts when those in `needs` have passed and its lane is free. Returns all counts. */
export function runStages(stages, reporter) {
  const passed = new Set();
  const failed = new Set();
  const busy = new Set();
  const left = [...stages];
  let total = NO_TESTS;
  let running = 0;
  return new Promise((resolve, reject) => {
    const startStage = async (stage) => {
      const started = performance.now();
      reporter.started(stage);
      const result = await stage.work();
      const { counts } = result;
      reporter.finished(stage, result, started);
      total = add(total, counts);
      (counts.failed > 0 ? failed : passed).add(stage.name);
      busy.delete(stage.lane);
      running--;
      next();
    };
    const next = () => {
      skipDependents(left, failed, reporter);
      for (const stage of [...left]) {
        const isReady = (stage.needs ?? []).every((name) => passed.has(name));
        if (!isReady || busy.has(stage.lane)) continue;
        left.splice(left.indexOf(stage), 1);
        if (stage.lane !== undefined) busy.add(stage.lane);
        running++;
        startStage(stage).catch(reject);
      }
      if (running > 0) return;
      if (left.length > 0) reject(new Error(`nothing makes what ${left[0].name} needs`));
      else resolve(total);
    };
    next();
  });
}

function skipDependents(left, failed, reporter) {
  for (let at = 0; at < left.length; at++) {
    const broken = (left[at].needs ?? []).find((name) => failed.has(name));
    if (broken === undefined) continue;
    const [stage] = left.splice(at, 1);
    failed.add(stage.name);
    reporter.skipped(stage, broken);
    // An earlier stage may depend on this one.
    at = -1;
  }
}

export function stageReporter(verbose, say = (text) => process.stdout.write(text)) {
  const failed = [];
  const skipped = [];
  return {
    started: ({ name }) => say(`· ${name} …\n`),
    skipped: ({ name }, broken) => {
      skipped.push({ stage: name, broken });
      say(`- ${name}  left out, for ${broken} failed\n`);
    },
    finished: ({ name }, { counts, output, brief = output, failures = [] }, started) => {
      const isBroken = counts.failed > 0;
      if (isBroken) failed.push(...failures.map((failure) => ({ stage: name, ...failure })));
      if (verbose || isBroken) say(`\n${(verbose ? output : brief).trim()}\n\n`);
      say(`${isBroken ? "✗" : "✓"} ${name}  ${seconds(started)}  ${counts.passed} passed, ${counts.failed} failed\n`);
    },
    summary: () =>
      summary(failed, skipped)
        .map((line) => `${line}\n`)
        .join(""),
  };
}

async function main() {
  const { areas, verbose, list } = parseArguments(process.argv.slice(2));
  if (list) {
    for (const [name, about] of Object.entries(AREAS)) process.stdout.write(`${name.padEnd(10)} ${about}\n`);
    return;
  }
  const started = performance.now();
  await setUp();
  const reporter = stageReporter(verbose);
  const { passed, failed } = await runStages(stagesOf(areas), reporter);
  process.stdout.write(`\n${seconds(started)}\n${reporter.summary()}${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
