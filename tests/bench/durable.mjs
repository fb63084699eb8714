/**
 * Measures durable runs: the kill table, many concurrent runs whose process is killed repeatedly, runs per second of
 * one process, and the memory of a waiting run.
 *
 *     node tests/bench/durable.mjs [RUNS]
 *
 * Build `dist/` first.
 */
import { runConcurrently, withoutTimes, runWithKill, killName, POINTS, repeatedCalls } from "../durable/kills.mjs";
import { planService, restateServer, startCallServer } from "../durable/restate.mjs";
import { load } from "./durable-load.mjs";

const RUNS = Number(process.argv[2] ?? 500);
const KILLS = 10;
const print = (text) => process.stdout.write(`${text}\n`);

async function table(server, service, outside) {
  const whole = withoutTimes((await runWithKill(server, service, outside, "whole", null)).report);
  print("\n| killed | outcome | report | asked again |\n| --- | --- | --- | --- |");
  for (const [at, point] of POINTS.entries()) {
    const run = await runWithKill(server, service, outside, `killed-${at}`, point);
    const same = JSON.stringify(withoutTimes(run.report)) === JSON.stringify(whole);
    const { repeated, wrong } = repeatedCalls(run);
    print(
      `| ${killName(point)} | ${run.report.outcome.type} | ${same ? "the same" : "DIFFERENT"} | ${repeated.join(", ") || "none"}${wrong.length ? " WRONG" : ""} |`,
    );
  }
}

async function measureConcurrent(server, service, outside, kills) {
  const { lost, expected, made, times, twice, seconds, struck } = await runConcurrently(
    server,
    service,
    outside,
    RUNS,
    kills,
  );
  print(
    `\n${RUNS} runs at once, ${struck} kills: ${RUNS - lost.length} completed, ${lost.length} lost; ${made} different calls (${expected} expected)`,
  );
  print(
    `asked once ${times[1] ?? 0}, again after a kill ${made - (times[1] ?? 0)}, twice between two kills ${twice.length}; ${seconds.toFixed(1)} s, ${(RUNS / seconds).toFixed(0)} runs/s`,
  );
}

const [server, callServer] = [await restateServer(), await startCallServer()];
let service;
try {
  service = await planService(server, callServer);
  await table(server, service, callServer);
  await measureConcurrent(server, service, callServer, 0);
  await measureConcurrent(server, service, callServer, KILLS);
} finally {
  await service?.kill();
  await Promise.all([server.stop(), callServer.stop()]);
}
await load(print);
