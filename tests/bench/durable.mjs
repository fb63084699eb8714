/**
 * What durable runs withstand and cost: the kill table, many runs at once whose process is killed again and again, runs per second of one
 * process, and what a waiting run takes. `node tests/bench/durable.mjs [RUNS]`; needs `dist/` to be built.
 */
import { setTimeout as wait } from "node:timers/promises";
import { approve, CALLS, essence, killed, named, POINTS, repeats } from "../durable/kills.mjs";
import { planService, restateServer, until, workflow, world } from "../durable/restate.mjs";
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
    say(`| ${named(point)} | ${run.report.outcome.type} | ${same ? "the same" : "DIFFERENT"} | ${repeated.join(", ") || "none"}${wrong.length ? " WRONG" : ""} |`);
  }
}

/** So many runs at once, approved as they ask; the process is killed whenever a part of their calls was made. */
async function crowd(server, service, outside) {
  await service.kill();
  await service.start({ ANNOUNCE: "1", TRACE: "off" });
  const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`);
  const decided = [];
  const [began, every] = [performance.now(), Math.floor((RUNS * CALLS) / (KILLS + 1))];
  let [kills, calls, last] = [0, 0, Promise.resolve()];
  outside.hooks.before = async ({ run, call }) => {
    if (call.endsWith(".asked")) decided.push(workflow(server, "order", run).decide("ask:1:1", "approved").catch((error) => error));
    if (++calls % every === 0 && kills < KILLS) {
      kills++;
      last = last.then(() => service.kill()).then(() => service.start({ ANNOUNCE: "1", TRACE: "off" }));
    }
  };
  await Promise.all(ids.map((id) => workflow(server, "order", id).send({ shop: id })));
  const reports = await Promise.all(ids.map((id) => until(id, () => workflow(server, "order", id).report())));
  await last;
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(decided);
  const made = [...outside.asked].filter(([name]) => !name.endsWith(".asked"));
  const completed = reports.filter(({ outcome, path, counts }, at) => outcome.type === "completed" && path.at(-1) === "book" && counts.calls === CALLS && reports[at].outputs.list.of === ids[at]);
  const times = (n) => made.filter(([, asked]) => asked === n).length;
  say(`\n${RUNS} runs at once, ${kills} kills: ${completed.length} completed, ${RUNS - completed.length} lost; ${made.length} different calls (${RUNS * CALLS} expected)`);
  say(`asked once ${times(1)}, twice ${times(2)}, more often ${made.length - times(1) - times(2)}; ${seconds.toFixed(1)} s with the kills, ${(RUNS / seconds).toFixed(0)} runs/s`);
  outside.reset();
}

const [server, outside] = [await restateServer(), await world()];
let service;
try {
  service = await planService(server, outside);
  await table(server, service, outside);
  await crowd(server, service, outside);
} finally {
  await service?.kill();
  await Promise.all([server.stop(), outside.stop()]);
}
await load(say);
