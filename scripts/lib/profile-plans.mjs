/**
 * The plans of the engine's profile. A function that runs here is in the first module, or in the part of its group. A
 * feature that most plans use belongs here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { MISTAKES } from "./profile-mistakes.mjs";
import { passTime } from "./profile-parts.mjs";
import { APPROVAL, APPROVALS, CALLS, longPlan, PLANS } from "./profile-texts.mjs";
import { asServer, client } from "./profile-tools.mjs";
import { TYPICAL, TYPICAL_CALLS } from "./profile-typical.mjs";

const examples = join(root, "examples");
const read = (name) => readFileSync(join(examples, name), "utf8");
const expressions = readdirSync(join(examples, "expressions")).map((name) => `expressions/${name}`);

function handlers() {
  let rounds = 0;
  let failures = 0;
  return {
    ask: (node) => ({
      kind: "x",
      n: 2,
      items: [
        { name: "tea", price: 3 },
        { name: "jam", price: 7 },
      ],
      got: node.input,
    }),
    rate: async () => (await Promise.resolve(), { again: rounds++ < 1, tags: ["new"] }),
    shaky: () => {
      if (failures++ === 1) throw new Error("kaput");
      return failures;
    },
    work: (node) => ({ got: node.input, n: 1 }),
    check: () => ({ again: rounds++ < 4 }),
  };
}

/** A plan that ends otherwise would give a wrong profile. */
function look(report, expected = "completed") {
  const { type, message } = report.outcome;
  if (type !== expected) throw new Error(`a plan of the profile ${type}: ${message}`);
  JSON.stringify(report);
  for (const event of report.trace) JSON.stringify(event);
}

function readProperties(graph) {
  const own = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(graph));
  return Object.keys(own).filter((name) => own[name].get !== undefined && graph[name] !== undefined);
}

/** Messages of mistakes belong to the rest. */
function refuseMistakes([first]) {
  if (first !== undefined) throw new Error(`a plan of the profile: ${first.message}`);
}

async function runPlan({ PlanGraph, run }, text, options, expected) {
  const { graph, diagnostics } = PlanGraph.parse(text);
  refuseMistakes(diagnostics);
  readProperties(graph);
  look(await run(graph, options), expected);
  graph.free();
}

const fail = () => {
  throw new Error("no");
};

async function withHandlers(library) {
  const { PlanGraph, run } = library;
  const json = (text) => {
    const { value } = library.readYaml(text);
    return JSON.stringify(value);
  };
  await runPlan(library, PLANS[0], { input: { prompt: "q" }, handlers: { ...handlers(), ask: fail } });
  for (const text of [...PLANS, ...PLANS.map(json), longPlan()]) {
    for (const input of [{ prompt: "qq" }, { prompt: "tea" }]) {
      await runPlan(library, text, { input, handlers: handlers() });
      await runPlan(library, text, { input, handlers: handlers(), trace: false, context: { user: "a" }, memory: [1] });
      await runPlan(library, text, { input, handlers: handlers(), onEvent: () => {}, limits: { steps: 100 } });
    }
    const plan = PlanGraph.load(text);
    for await (const _ of run.stream(plan, { input: { prompt: "a" }, handlers: handlers() }));
    plan.free();
  }
  await withFailures(library);
}

/** Both ends of an approval, and inputs of several types. */
async function withTypicalPlans(library) {
  const { PlanGraph, run } = library;
  const failing = () => {
    let calls = 0;
    return () => {
      if (++calls < 2) throw new Error("busy");
      return { status: "ok", n: 12, items: [{ name: "tea", price: 3.5 }] };
    };
  };
  for (const text of [...TYPICAL, ...TYPICAL.map((text) => JSON.stringify(library.readYaml(text).value))])
    for (const decision of ["approved", "rejected", { value: 40 }]) {
      const graph = PlanGraph.load(text);
      readProperties(graph);
      for (const more of [{}, { trace: false }, { onEvent: () => {} }]) {
        const own = { ...handlers(), work: failing(), check: () => ({ score: 12.5, tags: ["a", "b"], ok: true }) };
        const input = { city: "Oslo", ok: false, list: [3, 1, 2], order: { total: 40.5, vip: true } };
        const hasDefault = text.includes("inputs") && decision !== "approved";
        const given = hasDefault ? input : { ...input, count: 12 };
        look(await run(graph, { input: given, handlers: own, onApproval: () => decision, ...more }));
      }
      graph.free();
    }
}

async function withTypicalCalls(library) {
  for (const text of TYPICAL_CALLS) await callAll(library, text);
}

const suite = (library, name) => library.readYaml(readFileSync(join(root, "tests", "suite", name), "utf8")).value;

/** The conformance suite's valid ones. */
async function withConditions(library) {
  const { PlanGraph, run } = library;
  for (const name of ["explicit-planner.yaml", "explicit-planner-more.yaml", "expressions.yaml"]) {
    for (const { condition, last = null, outputs: { input = null, ...outputs } = {}, expect } of suite(library, name)
      .conditions) {
      if (typeof expect !== "boolean") continue;
      const edges = [{ from: "a", to: "b", condition }];
      const graph = PlanGraph.load(
        JSON.stringify({ start: "a", nodes: { a: { type: "a" }, b: { type: "noop" } }, edges }),
      );
      look(await run(graph, { input, outputs, handlers: { a: () => last } }));
      graph.free();
    }
  }
}

async function withRuns(library, name) {
  const { PlanGraph, run } = library;
  for (const one of suite(library, name).runs) {
    const { expect = {}, plan, input = null, outputs = {}, context, stubs = {} } = one;
    if (plan === undefined || expect.diagnostics || expect.warnings || (expect.outcome ?? "completed") !== "completed")
      continue;
    const { graph } = PlanGraph.parse(JSON.stringify(plan));
    JSON.stringify(await run(graph, { input, outputs, stubs, ...(context && { context }) }));
    graph.free();
  }
}

/** A page whose handlers fail may be offline. */
async function withFailures({ PlanGraph, run }) {
  for (const text of PLANS) {
    const ask = () => {
      throw new Error("no");
    };
    const { graph } = PlanGraph.parse(text);
    for (const more of [{}, { onEvent: () => {} }, { trace: false }])
      JSON.stringify(await run(graph, { input: { prompt: "" }, handlers: { ...handlers(), ask, work: ask }, ...more }));
    graph.free();
  }
}

async function withRareFeatures(library) {
  const { PlanGraph, Run } = library;
  await withConditions(library);
  await withRuns(library, "agent.yaml");
  for (const name of [
    "explicit-planner",
    "explicit-planner-more",
    "expressions",
    "set-and-wait",
    "concurrency",
    "limits",
  ])
    await withRuns(library, `${name}.yaml`);
  const plan = PlanGraph.load(PLANS.at(-1));
  const machine = new Run(plan, { input: null, types: ["work", "check"] });
  machine.step({ type: "start", atMs: 0 });
  machine.free();
  plan.free();
}

async function withChecks(library) {
  const { check, PlanGraph, review, runTests } = library;
  // A run loads no warnings for authors.
  for (const text of PLANS) {
    const { graph } = PlanGraph.parse(text);
    refuseMistakes(check(graph, { handlers: handlers() }));
    graph.free();
  }
  for (const text of CALLS) {
    const graph = PlanGraph.load(text);
    check(graph, { tools: await client.list() });
    graph.free();
  }
  for (const name of ["hello.yaml", "fan-out.yaml", "retry-loop.yaml", "triage.yaml", ...expressions]) {
    const graph = PlanGraph.load(read(name));
    review(graph);
    await runTests(graph);
    graph.free();
  }
}

async function withPlanners(library) {
  const { PlanGraph, run } = library;
  for (const name of ["planning.yaml", "react.yaml"]) await withRuns(library, name);
  const graph = PlanGraph.load(read("plan-gather.yaml"));
  const stubs = library.readYaml(read("plan-gather.stubs.yaml")).value;
  look(await run(graph, { input: "How do my applications stand?", stubs }));
  graph.free();
}

const chatAnswers = (calls) => {
  let turn = 0;
  return async (request) => {
    turn++;
    const usage = { input: 123, output: 45, cached_input: turn };
    if (calls && request.tools?.length && turn === 1)
      return {
        text: "",
        tool_calls: [{ id: "1", name: "price", arguments: { item: "tea" } }],
        finish: "tool_calls",
        usage,
      };
    return { text: request.schema ? '{"n": 4}' : "four", finish: "stop", usage };
  };
};

async function callAll(library, text) {
  const { PlanGraph, run } = library;
  const graph = PlanGraph.load(text);
  const named = () => ({ default: { name: "m", chat: chatAnswers(true) } });
  look(await run(graph, { input: "tea", tools: [client], models: named() }));
  look(await run(graph, { input: "tea", tools: [asServer], models: named() }));
  const model = async () => '{"n": 4}';
  look(await run(graph, { input: "tea", tools: [client], models: { default: model }, onEvent: () => {} }));
  graph.free();
}

/** What runs for a number depends on its digits, so these are many. Times have them, too. */
async function withNumbers({ PlanGraph }) {
  let last = 1;
  const next = () => (last = (last * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let at = 0; at < 500; at++) {
    const number = next() * 10 ** ((at % 20) - 5);
    const time = 1_700_000_000_000 + number;
    const input = [number, Math.round(number), time, time - 1_700_000_000_000];
    const graph = PlanGraph.load(JSON.stringify({ nodes: { a: { type: "log", input } } }));
    JSON.stringify(graph.toJSON());
    graph.free();
  }
}

async function withCalls(library) {
  for (const text of CALLS.filter((text) => !/agent|conversation|schema/.test(text))) await callAll(library, text);
}

async function withAgents(library) {
  for (const text of CALLS) await callAll(library, text);
}

/** Runs that are recorded, replayed, paused, resumed and cancelled. */
const withHistory = (library) => recordAll(library, [APPROVAL, APPROVALS, ...PLANS]);
const withRecordedCalls = (library) => recordAll(library, CALLS);

async function recordAll({ PlanGraph, run }, texts) {
  for (const text of texts) {
    const graph = PlanGraph.load(text);
    const calls = text.includes("model") || CALLS.includes(text);
    const options = () => ({
      input: { prompt: "q" },
      handlers: handlers(),
      ...(calls && { tools: [client], models: { default: { name: "m", chat: chatAnswers(true) } } }),
    });
    const lines = [];
    passTime(6.231_445_3);
    let report = await run(graph, { ...options(), record: (line) => lines.push(line) });
    const replayed = await run(graph, { replay: lines });
    if (replayed.outcome.type !== report.outcome.type) throw new Error("a replay of the profile ended otherwise");
    const decide = (approval) => {
      passTime(86_400_000.5);
      return approval.input === 1 ? "rejected" : "approved";
    };
    while (report.outcome.type === "paused") {
      const { snapshot } = report;
      passTime(1234);
      const isLast = report.outcome.approvals.length === 1;
      report = await run(graph, { ...options(), snapshot, ...(isLast && { onApproval: decide }) });
      if (!isLast) report = await run(graph, { ...options(), snapshot, onApproval: decide });
    }
    const stop = new AbortController();
    const ask = () => {
      passTime(31.776_123_046_875);
      stop.abort();
      return new Promise(() => {});
    };
    const given = { ...options(), signal: stop.signal, onApproval: ask };
    JSON.stringify(await run(graph, { ...given, handlers: { ...handlers(), ask, work: ask } }));
    graph.free();
  }
}

async function withMistakes({ PlanGraph, check, formatDiagnostics, run }) {
  for (const text of MISTAKES) {
    const { graph, diagnostics } = PlanGraph.parse(text);
    if (graph) diagnostics.push(...check(graph, { handlers: { work: fail } }));
    if (diagnostics.length === 0) throw new Error(`no mistake in the profile's plan ${text}`);
    formatDiagnostics(diagnostics, { text });
    if (graph) JSON.stringify(await run(graph, { handlers: { work: fail } }));
    graph?.free();
  }
}

export const groups = [
  withHandlers,
  withCalls,
  withNumbers,
  withTypicalPlans,
  withTypicalCalls,
  withAgents,
  withHistory,
  withRecordedCalls,
  withMistakes,
  withRareFeatures,
  withChecks,
  withPlanners,
];

const bits = (...some) => some.reduce((sum, group) => sum | (1 << groups.indexOf(group)), 0);
const OF_PLAIN_RUNS = bits(withHandlers);
const OF_CALLS = bits(withCalls);
const OF_NUMBERS = bits(withNumbers);
const OF_TYPICAL = bits(withTypicalPlans);
const OF_AGENTS = bits(withAgents);
const OF_HISTORY = bits(withHistory, withRecordedCalls);
const OF_MISTAKES = bits(withMistakes);
const OF_LANGUAGE = bits(withRareFeatures, withChecks);
const OF_PLANNERS = bits(withPlanners);

/**
 * As `recipe.rs` lists them. Neighbouring code of several parts becomes one function, in the first of them. So parts
 * that more pages load come first.
 */
const [FIRST, OPEN_CALLS, CALLS_PART, COMMON, PLANS_PART, AGENTS, HISTORY, MISTAKES_PART, HINTS, LANGUAGE, PLANNERS] =
  Array(11).keys();

/** `ran` has the groups that run a function, as bits. */
export function partOf(ran) {
  const has = (some) => (ran & some) !== 0;
  if (has(OF_PLAIN_RUNS)) return FIRST;
  if (has(OF_CALLS)) return partOfCalls(has);
  if (has(OF_NUMBERS)) return COMMON;
  if (has(OF_TYPICAL | bits(withTypicalCalls)))
    return has(OF_AGENTS | OF_MISTAKES | OF_HISTORY | OF_PLANNERS) ? COMMON : PLANS_PART;
  if (has(OF_AGENTS)) return AGENTS;
  if (has(OF_MISTAKES)) return partOfMistakes(has);
  if (has(OF_HISTORY)) return has(OF_LANGUAGE | OF_PLANNERS) ? COMMON : HISTORY;
  return has(OF_LANGUAGE) ? LANGUAGE : PLANNERS;
}

/** Expressions of valid plans get hints, too. */
function partOfMistakes(has) {
  if (has(OF_HISTORY | OF_PLANNERS)) return COMMON;
  return has(bits(withRareFeatures)) ? HINTS : MISTAKES_PART;
}

/** Less of what calls need is needed by others, too. */
function partOfCalls(has) {
  return has(bits(withHistory) | OF_MISTAKES | OF_TYPICAL) ? OPEN_CALLS : CALLS_PART;
}
