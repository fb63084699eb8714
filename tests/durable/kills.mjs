/**
 * Kills the process of a run of the plan `order` at a point, and starts it again.
 *
 * A point is before or after the answer to one of the run's calls, between two tries, or during an approval.
 */
import { canonical, canonicalText } from "../parity/canonical.mjs";
import { until, workflow } from "./restate.mjs";

export const CALLS = 11;

export const POINTS = [
  ...Array.from({ length: CALLS }, (_, number) => [
    { number, when: "before" },
    { number, when: "after" },
  ]).flat(),
  { when: "between two tries" },
  { when: "while a person is asked" },
];

export const killName = ({ number, when }) => (number === undefined ? when : `${when} answer ${number + 1}`);

export function withoutTimes(report) {
  const { outcome, last, outputs, path, partial, counts, planHash, trace } = report;
  return {
    state: canonicalText({ outcome, last, outputs, path, partial, counts, planHash }),
    trace: canonical(trace).split("\n").sort(),
  };
}

/** Returns the first wait's length and the second's end in the plan `waits`. */
export function waitTimes({ trace }) {
  const [pause, opens] = trace.filter(({ type }) => type === "node-completed");
  return [pause.durationMs, opens.atMs].map(Math.round);
}

export async function approve(one, decision = "approved") {
  const [open] = await until("an approval", async () => {
    const all = await one.approvals();
    return all.length > 0 && all;
  });
  await one.decide(open.approval.call, decision);
  return open.approval.call;
}

/** Returns the report, the calls that ran before the kill, and how often each ran in total. */
export async function runWithKill(server, service, world, id, point) {
  const one = workflow(server, "order", id);
  let finished = [];
  const kill = async () => {
    await service.kill();
    // Requests that arrived while the process died were in flight too.
    finished = [...world.of(id).keys()];
    await service.start();
  };
  const struck =
    point &&
    new Promise((resolve, reject) => {
      if (point.number === undefined) return resolve();
      let done = false;
      world.hooks[point.when] = async ({ run, number }) => {
        if (run !== id || number !== point.number || done) return;
        done = true;
        await kill().then(resolve, reject);
      };
    });
  await one.send({ shop: "x" });
  if (point?.when === "between two tries") {
    await until("the second try", async () => world.asked.has(`${id} shaky:1:1`));
    await kill();
  }
  if (point?.when === "while a person is asked") {
    await until("an approval", async () => (await one.approvals()).length > 0);
    await kill();
  }
  await approve(one);
  const report = await one.report();
  await struck;
  const made = world.of(id);
  world.reset();
  return { report, made, finished };
}

/** The second is how many of the last calls before a kill may have been in flight. */
const [MAX_CONCURRENT, LAST_CALLS] = [2, 3];

/**
 * Also returns those that are errors: only the last calls before the kill can have been in flight, and no call runs
 * more than twice.
 */
export function repeatedCalls({ made, finished }) {
  const repeated = [...made].filter(([, times]) => times > 1).map(([call]) => call);
  const late = finished.slice(-LAST_CALLS);
  const wrong = repeated.filter((call, at) => at >= MAX_CONCURRENT || made.get(call) > 2 || !late.includes(call));
  return { repeated, wrong };
}

/**
 * The kills are evenly spread over the runs' calls. `times` maps a number of requests to the number of calls. `twice`
 * lists calls that one process made twice, with its id.
 */
export async function runConcurrently(server, service, world, count, kills) {
  const settings = { ANNOUNCE: "1", TRACE: "off" };
  const ids = Array.from({ length: count }, (_, at) => `crowd-${kills}-${at}`);
  await service.kill();
  await service.start(settings);
  const began = performance.now();
  const [every, lives, decided] = [Math.floor((count * CALLS) / (kills + 1)), new Map(), new Map()];
  let [struck, calls, last] = [0, 0, Promise.resolve()];
  const restart = async () => {
    await service.kill();
    await service.start(settings);
  };
  // A new process may refuse the decision, as it may not know its open approvals yet. A killed process may have
  // accepted it.
  const over = new Set();
  const decide = (run) =>
    until("the decision", async () => {
      if (!over.has(run)) await workflow(server, "order", run).decide("ask:1:1", "approved");
      return true;
    });
  world.hooks.before = async ({ run, call, by }) => {
    if (call.endsWith(".asked")) {
      if (!decided.has(run)) decided.set(run, decide(run));
      return;
    }
    const asked = `${by} ${run} ${call}`;
    lives.set(asked, (lives.get(asked) ?? 0) + 1);
    if (++calls % every === 0 && struck < kills) {
      struck++;
      last = last.then(restart);
    }
  };
  await Promise.all(ids.map((id) => workflow(server, "order", id).send({ shop: id })));
  const report = async (id) => {
    const report = await workflow(server, "order", id).report();
    over.add(id);
    return report;
  };
  const reports = await Promise.all(ids.map(report));
  await last;
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(decided.values());
  await service.restart();
  const isExpected = ({ outcome, path, outputs, counts }, at) =>
    outcome.type === "completed" && path.at(-1) === "book" && counts.calls === CALLS && outputs.list.of === ids[at];
  const made = [...world.asked].filter(([name]) => !name.endsWith(".asked"));
  const times = {};
  for (const [, asked] of made) times[asked] = (times[asked] ?? 0) + 1;
  world.reset();
  return {
    lost: ids.filter((_, at) => !isExpected(reports[at], at)),
    expected: count * CALLS,
    made: made.length,
    times,
    twice: [...lives].filter(([, asked]) => asked > 1).map(([name]) => name),
    seconds,
    struck,
  };
}
