/**
 * Runs `npm test`: set-up, then every check of the project.
 *
 * `npm test -- core` checks one area, and `npm test -- --list` lists the areas. A stage starts when the stages that it
 * needs have passed. A failed stage prints its output, and the stages that depend on it are left out. `--verbose`
 * prints all output. The last line is `N passed, N failed` over all stages. A stage without tests of its own counts as
 * one.
 */
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { Trouble } from "./lib/command.mjs";
import { add, none } from "./lib/count.mjs";
import { readOptions } from "./lib/options.mjs";
import { fail, seconds } from "./lib/progress.mjs";
import { AREAS, stagesOf } from "./lib/stages.mjs";
import { setUp } from "./setup.mjs";

/** The options of this program. */
export const CALLED = {
  usage: "npm test -- [options] [AREA ...]",
  about: "Runs every check of the project, or those of some areas.",
  words: { AREA: `one of ${Object.keys(AREAS).join(", ")}` },
  options: {
    "--list": { about: "prints what each area checks" },
    "--verbose": { about: "prints the output of every stage" },
  },
};

/** Reads the arguments of `npm test`. */
export function asked(args) {
  const { options, words } = readOptions(args, CALLED);
  const unknown = words.find((area) => !Object.hasOwn(AREAS, area));
  if (unknown !== undefined)
    throw new Trouble(`\`${unknown}\` is no area: choose from ${Object.keys(AREAS).join(", ")}.`);
  return { areas: words, verbose: options.verbose === true, list: options.list === true };
}

/**
 * Runs stages in order. A stage starts when the stages in `needs` have passed and no other stage of its lane runs. A
 * stage that needs a failed stage is left out. Returns the sum of all tests.
 */
export function check(stages, tell) {
  const passed = new Set();
  const failed = new Set();
  const busy = new Set();
  const left = [...stages];
  let total = none;
  let running = 0;
  return new Promise((resolve, reject) => {
    const begin = async (stage) => {
      const started = performance.now();
      tell.begun(stage);
      const { counts, output } = await stage.work();
      tell.ended(stage, counts, output, started);
      total = add(total, counts);
      (counts.failed > 0 ? failed : passed).add(stage.name);
      busy.delete(stage.lane);
      running--;
      next();
    };
    const next = () => {
      leaveOut(left, failed, tell);
      for (const stage of [...left]) {
        const isReady = (stage.needs ?? []).every((name) => passed.has(name));
        if (!isReady || busy.has(stage.lane)) continue;
        left.splice(left.indexOf(stage), 1);
        if (stage.lane !== undefined) busy.add(stage.lane);
        running++;
        begin(stage).catch(reject);
      }
      if (running > 0) return;
      if (left.length > 0) reject(new Error(`nothing makes what ${left[0].name} needs`));
      else resolve(total);
    };
    next();
  });
}

/** Takes the stages that need a failed one out of the list, and those that need them. */
function leaveOut(left, failed, tell) {
  for (let at = 0; at < left.length; at++) {
    const broken = (left[at].needs ?? []).find((name) => failed.has(name));
    if (broken === undefined) continue;
    const [stage] = left.splice(at, 1);
    failed.add(stage.name);
    tell.left(stage, broken);
    // The stages before it may need it.
    at = -1;
  }
}

function teller(verbose) {
  const say = (text) => process.stdout.write(text);
  return {
    begun: ({ name }) => say(`· ${name} …\n`),
    left: ({ name }, broken) => say(`- ${name}  left out, for ${broken} failed\n`),
    ended: ({ name }, counts, output, started) => {
      if (counts.failed > 0 || verbose) say(`\n${output.trimEnd()}\n\n`);
      const mark = counts.failed > 0 ? "✗" : "✓";
      say(`${mark} ${name}  ${seconds(started)}  ${counts.passed} passed, ${counts.failed} failed\n`);
    },
  };
}

async function main() {
  const { areas, verbose, list } = asked(process.argv.slice(2));
  if (list) {
    for (const [name, about] of Object.entries(AREAS)) process.stdout.write(`${name.padEnd(10)} ${about}\n`);
    return;
  }
  const started = performance.now();
  await setUp();
  const { passed, failed } = await check(stagesOf(areas), teller(verbose));
  process.stdout.write(`\n${seconds(started)}\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
