/**
 * Measures the durability and cost of durable runs: the kill table, many concurrent runs whose process is killed
 * repeatedly, runs per second of one process, and the memory of a waiting run.
 *
 *     node tests/bench/durable.mjs [RUNS]
 *
 * Build `dist/` first.
 */
import { crowd, essence, killed, named, POINTS, repeats } from "../durable/kills.mjs";
import { planService, restateServer, world } from "../durable/restate.mjs";
import { load } from "./durable-load.mjs";

const RUNS = Number(process.argv[2] ?? 500);
const KILLS = 10;
const say = (text) => process.stdout.write(`${text}\n`);

async function table(server, service, outside) {
  const whole = essence((await killed(server, service, outside, "whole", null)).report);
  say("\n| killed | outcome | report | asked again |\n| --- | --- | --- | --- |");
  for (const [at, point] of POINTS.entries()) {
    const run = await killed(server, service, outside, `killed-${at}`, point);
    const same = JSON.stringify(essence(run.report)) === JSON.stringify(whole);
    const { repeated, wrong } = repeats(run);
    say(
      `| ${named(point)} | ${run.report.outcome.type} | ${same ? "the same" : "DIFFERENT"} | ${repeated.join(", ") || "none"}${wrong.length ? " WRONG" : ""} |`,
    );
  }
}

/** Measures `RUNS` concurrent runs, with and without kills. */
async function many(server, service, outside, kills) {
  const { lost, expected, made, times, twice, seconds, struck } = await crowd(server, service, outside, RUNS, kills);
  say(
    `\n${RUNS} runs at once, ${struck} kills: ${RUNS - lost.length} completed, ${lost.length} lost; ${made} different calls (${expected} expected)`,
  );
  say(
    `asked once ${times[1] ?? 0}, again after a kill ${made - (times[1] ?? 0)}, twice between two kills ${twice.length}; ${seconds.toFixed(1)} s, ${(RUNS / seconds).toFixed(0)} runs/s`,
  );
}

const [server, outside] = [await restateServer(), await world()];
let service;
try {
  service = await planService(server, outside);
  await table(server, service, outside);
  await many(server, service, outside, 0);
  await many(server, service, outside, KILLS);
} finally {
  await service?.kill();
  await Promise.all([server.stop(), outside.stop()]);
}
await load(say);
