/** All ways to run a plan with `run` in this process, each with its own time and host. */
import { audited } from "../../../dist/integrations/audit/node.js";
import { otel } from "../../../dist/integrations/otel.js";
import { fork, run } from "../../../dist/node.js";
import { Host } from "./host.mjs";
import { Time } from "./virtual-time.mjs";
import { comparableResult } from "./comparable.mjs";

export function createWorld(one, { at, asked, snapshot, ...more } = {}) {
  const time = new Time(at);
  const host = new Host(one, time, asked);
  const begun = snapshot === undefined ? { input: one.input } : { snapshot };
  const options = { ...begun, ...host.options, onApproval: host.onApproval, clock: time.clock, ...more };
  return { time, host, options };
}

export async function plainRun(graph, one, more = {}) {
  const { time, host, options } = createWorld(one, more);
  const report = await time.during(run(graph, options));
  return { report, time, host, ...comparableResult(report, { made: host.made }) };
}

/** `lines` is its cassette. */
export async function recorded(graph, one, more = {}) {
  const lines = [];
  return { ...(await plainRun(graph, one, { ...more, record: (line) => lines.push(line) })), lines };
}

async function traceOf(graph, one, more = {}) {
  const trace = [];
  const ran = await plainRun(graph, one, { ...more, onEvent: (event) => trace.push(event) });
  return { ...ran, ...comparableResult(ran.report, { trace }) };
}

async function streamed(graph, one, more) {
  const { time, host, options } = createWorld(one);
  const stream = run.stream(graph, { ...options, ...more });
  const trace = [];
  const all = (async () => {
    for await (const event of stream) if ("atMs" in event) trace.push(event);
    return stream.report;
  })();
  const report = await time.during(all);
  return comparableResult(report, { trace, made: host.made });
}

async function audit(graph, one, store) {
  const { time, host, options } = createWorld(one);
  const parts = [];
  const sink = store ?? { write: (part) => void parts.push(structuredClone(part)) };
  const trail = audited(graph, options, sink);
  const report = await time.during(trail.end(run(graph, trail.options)));
  const kept = store
    ? [...store.trace(trail.id)]
    : parts.flatMap(({ events }) => events.map(({ json }) => JSON.parse(json)));
  const lines = store ? store.cassette(trail.id) : parts.flatMap((part) => part.lines.map(({ json }) => json));
  return { ...comparableResult(report, { trace: kept, made: host.made }), lines };
}

const fetchNothing = async () => new Response("{}", { status: 200, headers: { "content-type": "application/json" } });

async function traced(graph, one) {
  const { time, host, options } = createWorld(one);
  const telemetry = otel({ url: "http://receiver.invalid", fetch: fetchNothing, onError: () => {} });
  const report = await time.during(telemetry.run(graph, options));
  await telemetry.close();
  return comparableResult(report, { made: host.made });
}

/** These take as many turns of the event loop as `run`, so they must agree with it even in a race. */
export const SAME_ORDER_MODES = {
  "run, heard": traceOf,
  "run without a trace, heard": (graph, one) => traceOf(graph, one, { trace: false }),
  "run, recorded": recorded,
  "run, recorded and heard": (graph, one) => traceOf(graph, one, { record: () => {} }),
  "run, recorded without a trace": (graph, one) => traceOf(graph, one, { record: () => {}, trace: false }),
  "run with a signal": (graph, one) => plainRun(graph, one, { signal: new AbortController().signal }),
  "run with onCall": (graph, one) => plainRun(graph, one, { onCall: () => {} }),
  "run with onUpdate": (graph, one) => plainRun(graph, one, { onUpdate: () => {} }),
  "run with stubs for nothing": (graph, one) => plainRun(graph, one, { stubs: {} }),
  "run with its hash and id": (graph, one) =>
    plainRun(graph, one, { planHash: graph.fingerprint, runId: "run-1", acceptChangedPlan: true, decisions: {} }),
  "run.stream": (graph, one) => streamed(graph, one, {}),
  "run.stream with updates": (graph, one) => streamed(graph, one, { updates: true }),
  "run, audited": (graph, one) => audit(graph, one),
};

/** These take more turns, so a race may have another order. */
export const LATER_MODES = {
  "run, each call held back": (graph, one) => plainRun(graph, one, { onCall: async () => {} }),
  "run, traced": traced,
};

export function auditedIn(store) {
  return (graph, one) => audit(graph, one, store);
}

export async function replayed(graph, lines, { isHeard = true } = {}) {
  const trace = [];
  const listener = isHeard ? { onEvent: (event) => trace.push(event) } : {};
  const report = await run(graph, { replay: lines, ...listener });
  return { report, ...comparableResult(report, isHeard ? { trace } : {}) };
}

export async function forked(graph, one, cassette, edit = {}) {
  const lines = [];
  const { time, host, options } = createWorld(one, { record: (line) => lines.push(line) });
  const { input: _input, ...given } = options;
  const report = await time.during(fork(graph, { ...given, cassette, ...edit }));
  return { report, lines, host, ...comparableResult(report) };
}
