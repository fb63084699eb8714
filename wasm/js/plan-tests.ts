/**
 * The tests beside a plan: cases with stand-ins, run without a network, and what came of them held to what was
 * expected.
 *
 * Invariant: every value that a test hands over is frozen to its depth, so who changes what it was given is found out.
 */
import { differences, type Difference } from "./value-diff.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { assertOptions } from "./options.js";
import { run } from "./run.js";
import { assertStubs } from "./stubs.js";
import type { Approval, Decision, Handler, Report, RunOptions, Stubs } from "./types.js";

/**
 * What a test expects: that the run completes, unless `outcome` or `code` says otherwise. What else is left out is not
 * compared.
 */
export interface Expectation {
  /** Ids of the nodes of the plan's own graph that ran, in order. */
  path?: string[];
  last?: unknown;
  /** Some of the outputs; others may be there. */
  outputs?: Record<string, unknown>;
  /** `completed` unless said otherwise, or unless a `code` says that it failed. */
  outcome?: "completed" | "failed" | "paused" | "cancelled";
  code?: string;
  node?: string;
  calls?: number;
}

/** One test, as it stands in `tests` of a plan. */
export interface PlanTest {
  name: string;
  input?: unknown;
  outputs?: Record<string, unknown>;
  memory?: unknown;
  context?: Record<string, unknown>;
  /** What people decide, by the approval's node or the name of its call. */
  decisions?: Record<string, Decision>;
  stubs?: Stubs;
  expect: Expectation;
}

/** What came of a test. `differences` is empty when it passed; `path` says where: `path[2]`, `last.city`. */
export interface TestResult {
  name: string;
  passed: boolean;
  differences: Difference[];
  report: Report;
}

/** Which tests are run, and by whom besides their stubs. */
export interface TestOptions {
  /** Only those whose name holds this text. */
  filter?: string;
  /** Handlers for types that a test's stubs do not stand in for. */
  handlers?: Record<string, Handler>;
  /** Stubs of every test; one that a test has of its own goes before that of the same name here. */
  stubs?: Stubs;
}

/** The tests that stand in a plan. */
export function testsOf(graph: PlanGraph): PlanTest[] {
  assertPlan("testsOf", graph);
  return ((graph.toJSON() as { tests?: PlanTest[] | null }).tests ?? []).map((one) => ({
    ...one,
    name: String(one.name),
  }));
}

/**
 * Runs the tests of a plan, one after another.
 *
 * @example
 * const failed = (await runTests(graph)).filter((result) => !result.passed);
 */
export async function runTests(graph: PlanGraph, options: TestOptions = {}): Promise<TestResult[]> {
  assertPlan("runTests", graph);
  assertOptions("runTests", options, { filter: "text", handlers: "{}function", stubs: "map" });
  const { filter = "", handlers, stubs = {} } = options;
  assertStubs(stubs);
  const results: TestResult[] = [];
  for (const one of testsOf(graph)) {
    if (one.name.includes(filter))
      results.push(await runTest(graph, { ...one, stubs: mergeStubs(stubs, one.stubs ?? {}) }, handlers));
  }
  return results;
}

/** The stubs of all tests with those of one in their place. */
function mergeStubs(all: Stubs, own: Stubs): Stubs {
  const kinds = new Set([...Object.keys(all), ...Object.keys(own)]) as Set<keyof Stubs>;
  return Object.fromEntries([...kinds].map((kind) => [kind, { ...all[kind], ...own[kind] }]));
}

async function runTest(graph: PlanGraph, one: PlanTest, handlers: Record<string, Handler> = {}): Promise<TestResult> {
  const { name, expect, decisions, input = null, outputs, memory, context, stubs = {} } = deepFreeze(one);
  const given = Object.fromEntries(
    Object.entries({ outputs, memory, context }).filter(([, value]) => value !== undefined && value !== null),
  );
  const options: RunOptions = {
    ...given,
    input,
    stubs,
    handlers: freezeResults(handlers),
    ...approver(decisions ?? {}),
  };
  const report = await run(graph, options);
  const found = compare(report, expect);
  return { name, passed: found.length === 0, differences: found, report };
}

/** Whoever is asked and has nothing to say pauses the run. */
function approver(decisions: Record<string, Decision>): Pick<RunOptions, "decisions" | "onApproval"> {
  const names = Object.keys(decisions);
  if (names.length === 0) return {};
  const onApproval = (approval: Approval): Decision => {
    const decided = decisions[approval.call] ?? decisions[approval.node];
    if (decided === undefined)
      throw new PlanError("test/undecided", `the test decides nothing for \`${approval.call}\``);
    return decided;
  };
  return { onApproval };
}

/** Handlers whose answers are frozen, as all that a test hands over is. */
function freezeResults(handlers: Record<string, Handler>): Record<string, Handler> {
  const one =
    (handler: Handler): Handler =>
    async (node, state) =>
      deepFreeze(await handler(node, state));
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, one(handler)]));
}

/** What differs from what was expected. */
function compare(report: Report, expect: Expectation): Difference[] {
  const { outcome, path, outputs, counts } = report;
  const found: Difference[] = [];
  const hold = (place: string, expected: unknown, got: unknown, part = false) => {
    const one = (difference: Difference) => ({ ...difference, path: joinPath(place, difference.path) });
    found.push(...differences(expected, got, { part }).map(one));
  };
  const failed = "code" in outcome ? outcome : { code: null, node: null };
  const ended = expect.outcome ?? (expect.code !== undefined && expect.code !== null ? "failed" : "completed");
  if (ended !== outcome.type) {
    found.push({
      path: "outcome",
      expected: ended,
      got: "message" in outcome ? `${outcome.type} (${outcome.code}: ${outcome.message})` : outcome.type,
    });
  }
  if (isPresent(expect.code)) hold("code", expect.code, failed.code);
  if (isPresent(expect.node)) hold("node", expect.node, failed.node ?? null);
  if (isPresent(expect.path)) hold("path", expect.path.map(String), path);
  if ("last" in expect) hold("last", expect.last, report.last);
  if (isPresent(expect.outputs)) hold("outputs", expect.outputs, outputs, true);
  if (isPresent(expect.calls)) hold("calls", expect.calls, counts.calls);
  return found;
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function joinPath(place: string, rest: string): string {
  return rest === "" ? place : rest.startsWith("[") ? place + rest : `${place}.${rest}`;
}

/** The same value, which nobody can change any more. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
