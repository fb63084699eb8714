/**
 * Runs a plan's tests with stubs and no network.
 *
 * Invariant: their values are deeply frozen, so no handler can modify its input unnoticed.
 */
import { differences, type Difference } from "./value-diff.js";
import { deepFreeze } from "./deep-freeze.js";
import { CallError, PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { assertLimits, assertOptions, type Kinds, RUN } from "./options.js";
import { jsonFlaw } from "./json-values.js";
import { answerFlaw, lockedStubs, stubFlaw } from "./locked-stubs.js";
import { notRun } from "./report.js";
import { now, run } from "./run.js";
import { assertStubs, type StubError } from "./stubs.js";
import type { ToolLock } from "./tool-lock.js";
import { virtualClock } from "./virtual-clock.js";
import type { Approval, Decision, Handler, Limits, Outcome, Report, RunOptions, Stubs, ToolSources } from "./types.js";

/** Expected results, by default completion. Absent keys are not compared. */
export interface Expectation {
  /** Ids of visited top-level nodes. */
  path?: string[];
  last?: unknown;
  /** A subset. */
  outputs?: Record<string, unknown>;
  /** Default: `completed`, or `failed` if `code` is present. */
  outcome?: "completed" | "failed" | "paused" | "cancelled";
  code?: string;
  node?: string;
  calls?: number;
}

/** An entry of a plan's `tests`. */
export interface PlanTest {
  name: string;
  input?: unknown;
  outputs?: Record<string, unknown>;
  memory?: unknown;
  context?: Record<string, unknown>;
  /** Keyed by the approval's node or call name. */
  decisions?: Record<string, Decision>;
  stubs?: Stubs;
  expect: Expectation;
}

/** A test's result. Paths are like `path[2]` and `last.city`. */
export interface TestResult {
  name: string;
  passed: boolean;
  differences: Difference[];
  /** Its times include the waits of the run, which a test skips. */
  report: Report;
  /** How long the test took. */
  durationMs: number;
}

/** Options of `runTests`. */
export interface TestOptions {
  /** A part of the names of tests to run. */
  filter?: string;
  /** Handlers for types without a stub. */
  handlers?: Record<string, Handler>;
  /** Handlers for nodes without a stub. */
  byId?: Record<string, Handler>;
  /** Tools without a stub. Clients call their servers. */
  tools?: ToolSources;
  /** Models without a stub. */
  models?: RunOptions["models"];
  /** A test's own stubs override these. */
  stubs?: Stubs;
  /** Stubbed tools get the schemas and annotations of this lock. */
  lock?: ToolLock;
  /** Instead of the plan's limits. */
  limits?: Limits;
  /** Cancels this test and all later ones. */
  signal?: AbortSignal;
}

const { handlers, byId, tools, models, lock, limits, signal } = RUN;
/** @internal */
export const TEST: Kinds<TestOptions> = {
  filter: "text",
  stubs: "map",
  handlers,
  byId,
  tools,
  models,
  lock,
  limits,
  signal,
};

/** Returns a plan's tests. */
export function testsOf(graph: PlanGraph): PlanTest[] {
  assertPlan("testsOf", graph);
  return ((graph.toJSON() as { tests?: PlanTest[] | null }).tests ?? []).map((one) => ({
    ...one,
    name: String(one.name),
  }));
}

/**
 * Runs a plan's tests one after another.
 *
 * @example
 * const failed = (await runTests(graph)).filter((result) => !result.passed);
 */
export async function runTests(graph: PlanGraph, options: TestOptions = {}): Promise<TestResult[]> {
  assertPlan("runTests", graph);
  assertOptions("runTests", options, TEST);
  assertLimits(options.limits, "runTests");
  const { limits, signal } = options;
  const bounds = { ...(limits && { limits }), ...(signal && { signal }) };
  const results: TestResult[] = [];
  for (const one of selectedTests(graph, options)) results.push(await runTest(graph, one, options, bounds));
  return results;
}

/** @internal */
export function selectedTests(graph: PlanGraph, { filter = "", stubs = {}, lock }: TestOptions): PlanTest[] {
  assertStubs(stubs);
  const selected = testsOf(graph).filter(({ name }) => name.includes(filter));
  return selected.map((one) => ({ ...one, stubs: lockedStubs(mergeStubs(stubs, one.stubs ?? {}), lock?.tools ?? []) }));
}

function mergeStubs(all: Stubs, own: Stubs): Stubs {
  const kinds = new Set([...Object.keys(all), ...Object.keys(own)]) as Set<keyof Stubs>;
  return Object.fromEntries([...kinds].map((kind) => [kind, { ...all[kind], ...own[kind] }]));
}

type TestHost = Omit<TestOptions, "filter" | "stubs" | "limits" | "signal"> & Pick<RunOptions, "record">;

/** @internal `bounds` ends runs that the plan's limits would not. */
export async function runTest(
  graph: PlanGraph,
  one: PlanTest,
  { handlers = {}, byId = {}, tools, models, lock, record }: TestHost,
  bounds: Pick<RunOptions, "limits" | "signal"> = {},
): Promise<TestResult> {
  const { name, expect, decisions, input = null, outputs, memory, context, stubs = {} } = deepFreeze(one);
  const given = Object.fromEntries(
    Object.entries({ outputs, memory, context }).filter(([, value]) => value !== undefined && value !== null),
  );
  const options: RunOptions = {
    ...given,
    ...bounds,
    clock: virtualClock(),
    input,
    stubs,
    handlers: freezeResults(handlers),
    byId: freezeResults(byId),
    ...(tools && { tools }),
    ...(models && { models }),
    ...(record && { record }),
    ...approver(decisions ?? {}),
  };
  const startedMs = now();
  // Only the lock's schemas can refuse them: the checker has seen the stubs of a plan.
  const refused = lock && stubFlaw(graph, stubs, lock.tools);
  const report = refused ? notRun(graph, refusal(refused), input, []) : await run(graph, options);
  const durationMs = now() - startedMs;
  const isOwn = (tool: string) => Array.isArray(tools) || Object.hasOwn(tools ?? {}, tool);
  const flaw = refused ?? (lock && answerFlaw(graph, stubs, { tools: lock.tools, isOwn }, report));
  // Whatever the test expects, no run with the locked tools goes like this.
  const found = flaw ? [impossibleStub(flaw)] : compare(report, expect);
  return { name, passed: found.length === 0, differences: found, report, durationMs };
}

function refusal({ code, path, message }: StubError): Outcome {
  return { type: "failed", code, message: `stubs at \`${path}\`: ${message}` };
}

function impossibleStub({ code, path, message }: StubError): Difference {
  return { path: `stubs.${path}`, expected: "an answer that the locked tool can give", got: `${code}: ${message}` };
}

/** If there are no decisions, a test pauses at its first approval. */
function approver(decisions: Record<string, Decision>): Pick<RunOptions, "decisions" | "onApproval"> {
  const names = Object.keys(decisions);
  if (names.length === 0) return {};
  const onApproval = (approval: Approval): Decision => {
    const decided = decisions[approval.call] ?? decisions[approval.node];
    if (decided === undefined)
      throw new PlanError("test/undecided", `the test has no decision for \`${approval.call}\``);
    return decided;
  };
  return { onApproval };
}

function freezeResults(handlers: Record<string, Handler>): Record<string, Handler> {
  const one =
    (handler: Handler): Handler =>
    async (node, state) => {
      const output = await handler(node, state);
      const reason = jsonFlaw(output);
      if (reason === null) return deepFreeze(output);
      throw new CallError("handler/not-json", `the result of node \`${node.id}\` can't be written as JSON: ${reason}`);
    };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, one(handler)]));
}

function compare(report: Report, expect: Expectation): Difference[] {
  const { outcome, path, outputs, counts } = report;
  const found: Difference[] = [];
  const compareAt = (place: string, expected: unknown, got: unknown, part = false) => {
    const withPath = (difference: Difference) => ({ ...difference, path: joinPath(place, difference.path) });
    found.push(...differences(expected, got, { part }).map(withPath));
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
  if (isPresent(expect.code)) compareAt("code", expect.code, failed.code);
  if (isPresent(expect.node)) compareAt("node", expect.node, failed.node ?? null);
  if (isPresent(expect.path)) compareAt("path", expect.path.map(String), path);
  if ("last" in expect) compareAt("last", expect.last, report.last);
  if (isPresent(expect.outputs)) compareAt("outputs", expect.outputs, outputs, true);
  if (isPresent(expect.calls)) compareAt("calls", expect.calls, counts.calls);
  return found;
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function joinPath(place: string, rest: string): string {
  return rest === "" ? place : rest.startsWith("[") ? place + rest : `${place}.${rest}`;
}
