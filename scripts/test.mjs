/**
 * `npm test`: set-up, then every check of the project.
 *
 * `npm test -- core` runs what one area needs; `npm test -- --list` names the areas. A stage begins when those that it
 * needs are done. Two run beside each other: what cargo does and what test files do, which mostly wait. A stage's output
 * is shown when it fails, or always with `--verbose`. A failure does not stop the stages that do not depend on it. The
 * last line is `N passed, N failed`, over the tests of all stages; a stage that counts nothing itself is one test.
 */
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { attempt, Trouble } from "./lib/command.mjs";
import { add, none } from "./lib/count.mjs";
import { fail, seconds } from "./lib/progress.mjs";
import { AREAS, stagesOf } from "./lib/stages.mjs";
import { setUp } from "./setup.mjs";

/** What `npm test` was asked for: areas, and whether everything is shown. */
export function asked(args) {
  const areas = args.filter((arg) => !arg.startsWith("--"));
  const known = Object.keys(AREAS);
  const unknown = areas.find((area) => !known.includes(area));
  if (unknown !== undefined) throw new Trouble(`\`${unknown}\` is no area: choose from ${known.join(", ")}.`);
  const option = args.find((arg) => arg.startsWith("--") && !["--verbose", "--list"].includes(arg));
  if (option !== undefined) throw new Trouble(`\`${option}\` is no option: there are --verbose and --list.`);
  return { areas, verbose: args.includes("--verbose"), list: args.includes("--list") };
}

/**
 * Runs stages, each as soon as those that it needs have passed, and one of each lane at a time. Gives the sum of their
 * tests.
 */
export async function check(stages, tell) {
  const ended = new Map();
  const lanes = new Map();
  const promised = new Map(stages.map(({ name }) => [name, deferred()]));
  const one = async (stage) => {
    await Promise.all((stage.needs ?? []).map((name) => promised.get(name)?.promise));
    const broken = (stage.needs ?? []).find((name) => ended.get(name)?.failed > 0);
    // What can't run has failed: else a broken build would hide how many tests there are.
    const done = broken === undefined ? await inLane(lanes, stage, tell) : { failed: 0, passed: 0, broken };
    if (broken !== undefined) tell.left(stage, broken);
    ended.set(stage.name, broken === undefined ? done : { passed: 0, failed: 1 });
    promised.get(stage.name).resolve();
    return broken === undefined ? done : none;
  };
  const counts = await Promise.all(stages.map(one));
  return counts.reduce(add, none);
}

function deferred() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A stage without a lane runs at once; of the others one of each lane at a time, in the order in which they could begin. */
async function inLane(lanes, stage, tell) {
  const before = stage.lane === undefined ? undefined : lanes.get(stage.lane);
  const mine = (async () => {
    await before;
    const started = performance.now();
    tell.begun(stage);
    const { counts, output } = await stage.work();
    tell.ended(stage, counts, output, started);
    return counts;
  })();
  if (stage.lane !== undefined) lanes.set(stage.lane, mine);
  return mine;
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

export { attempt };
