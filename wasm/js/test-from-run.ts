/**
 * Makes tests of recorded runs.
 *
 * Invariant: in virtual time the test makes the recorded calls and gets the recorded answers.
 */
import { type CallLine, type Cassette, readCassette } from "./cassette.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { assertKind, assertOptions, type Kinds } from "./options.js";
import { listSome } from "./plan-hash.js";
import { type Expectation, type PlanTest, runTest, testsOf } from "./plan-tests.js";
import { essence, type Exactness, recordedStubs, stubNames, type StubNames } from "./recorded-test/stubs.js";
import { publicContext, withoutSecrets } from "./recorded-test/secret-values.js";
import { REDACTED } from "./redact.js";
import { closestName } from "./suggest.js";
import type { Decision, Report } from "./types.js";
import { sortedText } from "./value-hash.js";

/** Options of `testFromRun`. */
export interface TestFromRunOptions {
  /** Default: the outcome and the path, numbered if taken. */
  name?: string;
  /** `outcome`, `last`, `path`, `calls`, `outputs.NODE`. Default: the first three. */
  expect?: readonly string[];
  /** Trusted values, `[redacted]` under secret names. Default: `[redacted]` for all that the plan reads. */
  context?: Record<string, unknown>;
}

const OPTIONS: Kinds<TestFromRunOptions> = { name: "text", expect: "[]text", context: "map" };
const DEFAULT_EXPECT = ["outcome", "last", "path"];

/** Ordered from short to exact. The first that passes is the test. */
const ATTEMPTS: readonly ("once" | "scaled" | "real")[] = ["once", "scaled", "real"];
const DECLARATIONS: readonly Omit<Exactness, "delays">[] = [
  { declares: false, asks: true, byNode: false },
  { declares: false, asks: true, byNode: true },
  { declares: true, asks: true, byNode: true },
  { declares: false, asks: false, byNode: true },
];
/** A test with scaled delays takes about as long. */
const SCALED_MS = 200;

/**
 * Returns a test of a recorded run: its answers become stubs, its result the expectation.
 *
 * Values under secret names, secrets of `context` and known tokens become `[redacted]`. Others stay: read the test
 * before you share it.
 *
 * @throws PlanError `replay/unusable` for text that is no cassette, `run/plan-changed` for one of another plan,
 * `test/not-a-whole-run` for a run that was cancelled or resumed, and `test/differs` if no test gives the same result.
 * @example
 * const lines = [];
 * await run(graph, { input, tools, record: (line) => lines.push(line) });
 * const test = await testFromRun(graph, lines, { expect: ["outcome", "outputs.fetch"] });
 */
export async function testFromRun(
  graph: PlanGraph,
  cassette: string | readonly string[],
  options: TestFromRunOptions = {},
): Promise<PlanTest> {
  assertPlan("testFromRun", graph);
  assertOptions("testFromRun", options, OPTIONS);
  assertKind("testFromRun", "cassette", cassette, "text|[]text");
  const read = readCassette(cassette);
  if (typeof read === "string") throw new PlanError("replay/unusable", `this is no cassette that can be used: ${read}`);
  assertWhole(graph, read);
  const cleaned = withoutSecrets(read, options.context);
  const context = options.context === undefined ? placeholders(graph) : publicContext(options.context);
  const test: Unfinished = {
    ...initialValues(cleaned),
    ...(context && { context }),
    ...decisionsOf(cleaned),
  };
  const [finished, report] = await reproduced(graph, cleaned, test);
  const expect = expectationOf(report, options.expect ?? DEFAULT_EXPECT);
  return { name: uniqueName(graph, options.name ?? nameOf(report)), ...finished, expect };
}

type Unfinished = Omit<PlanTest, "name" | "expect">;

/** Tests start at the beginning and can't be cancelled. */
function assertWhole(graph: PlanGraph, { head, lines }: Cassette): void {
  const changed = graph.differences(head.plan);
  if (changed.length > 0)
    throw new PlanError(
      "run/plan-changed",
      `the plan has changed since the run was recorded: ${listSome(changed)}; make the test with the old plan`,
    );
  const last = lines.at(-1);
  const why =
    head.snapshot !== undefined
      ? "it was resumed, so its first part is in another cassette"
      : last?.type !== "end"
        ? "its recording was cut"
        : last.outcome === "cancelled"
          ? "it was cancelled"
          : undefined;
  if (why !== undefined) throw new PlanError("test/not-a-whole-run", `this run can't become a test: ${why}`);
}

/** Redacted as in a cassette. */
function placeholders(graph: PlanGraph): Record<string, unknown> | undefined {
  const { tests: _tests, ...plan } = graph.toJSON() as { tests?: unknown };
  const names = new Set([...JSON.stringify(plan).matchAll(/\bcontext\.([A-Za-z_]\w*)/g)].map(([, name]) => name!));
  return names.size === 0 ? undefined : Object.fromEntries([...names].map((name) => [name, REDACTED]));
}

function initialValues({ head: { input, outputs, memory } }: Cassette): Partial<PlanTest> {
  return {
    ...(input !== undefined && input !== null && { input }),
    ...(outputs !== undefined && { outputs }),
    ...(memory !== undefined && { memory }),
  };
}

function decisionsOf({ lines }: Cassette): Pick<PlanTest, "decisions"> {
  const decided = lines.flatMap((line): [string, Decision][] =>
    line.type === "decided" ? [[line.call, line.decision]] : [],
  );
  return decided.length === 0 ? {} : { decisions: Object.fromEntries(decided) };
}

function expectationOf(report: Report, names: readonly string[]): Expectation {
  const parts = names.map((name) => expectedPart(report, name));
  const outputs = Object.assign({}, ...parts.map((part) => part.outputs ?? {})) as Record<string, unknown>;
  return { ...(Object.assign({}, ...parts) as Expectation), ...(Object.keys(outputs).length > 0 && { outputs }) };
}

function expectedPart({ outcome, last, path, outputs, counts }: Report, name: string): Expectation {
  switch (name) {
    case "outcome":
      if (outcome.type !== "failed") return { outcome: outcome.type };
      return {
        outcome: "failed",
        code: outcome.code,
        ...(outcome.node !== undefined && outcome.scope === undefined && { node: outcome.node }),
      };
    case "last":
      return { last };
    case "path":
      return { path };
    case "calls":
      return { calls: counts.calls };
  }
  const node = name.startsWith("outputs.") ? name.slice("outputs.".length) : undefined;
  if (node !== undefined && Object.hasOwn(outputs, node)) return { outputs: { [node]: outputs[node] } };
  const known = ["outcome", "last", "path", "calls", ...Object.keys(outputs).map((id) => `outputs.${id}`)];
  const suggestion = closestName(name, known);
  const help = suggestion === null ? `use ${listSome(known)}` : `did you mean \`${suggestion}\`?`;
  throw new PlanError("api/bad-option", `a test can't expect \`${name}\` of this run; ${help}`);
}

const MAX_NAME = 60;

function nameOf({ outcome, path }: Report): string {
  const how = outcome.type === "failed" ? `failed with ${outcome.code}` : outcome.type;
  const text = `${how} after ${path.join(", ")}`;
  return path.length === 0 ? how : text.length > MAX_NAME ? `${text.slice(0, MAX_NAME - 1)}…` : text;
}

function uniqueName(graph: PlanGraph, name: string): string {
  const taken = new Set(testsOf(graph).map((test) => test.name));
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name} (${number})`;
  return unique;
}

async function reproduced(graph: PlanGraph, cassette: Cassette, test: Unfinished): Promise<[Unfinished, Report]> {
  const names = stubNames(graph, cassette);
  const wanted = callsOf(cassette, names);
  let first: string | undefined;
  let refused: string | undefined;
  for (const timing of ATTEMPTS)
    for (const declaration of DECLARATIONS) {
      const stubs = recordedStubs(graph, cassette, { ...declaration, delays: factorOf(cassette, timing) });
      const whole = { ...test, ...(Object.keys(stubs).length > 0 && { stubs }) };
      const lines: string[] = [];
      const given = { name: "", ...whole, expect: {} };
      const made = await triedTest(graph, given, (line) => lines.push(line));
      if (typeof made === "string") {
        refused = made;
        continue;
      }
      const { report } = made;
      const difference = differenceOf(wanted, lines, report);
      if (difference === null) return [withMadeDecisions(whole, lines), report];
      first ??= difference;
    }
  if (refused !== undefined)
    throw new PlanError("test/differs", `a tool broke its schema, and a stub can't repeat that: ${refused}`);
  throw new PlanError(
    "test/differs",
    `a test with the recorded answers takes another course: ${first}; the run may depend on removed secrets, ` +
      "limits of the host or times",
  );
}

/** Returns why an answer does not fit its tool's schema. */
async function triedTest(
  graph: PlanGraph,
  test: PlanTest,
  record: (line: string) => void,
): Promise<{ report: Report } | string> {
  try {
    return await runTest(graph, test, { record });
  } catch (error) {
    if (error instanceof PlanError) return error.message;
    throw error;
  }
}

/** Calls with their answers as texts, and the outcome. */
function callsOf({ lines }: Cassette, names: StubNames): Map<string, string> {
  const calls = new Map<string, string>();
  const asked = new Map<string, CallLine>();
  for (const line of lines) {
    if (line.type === "asked") {
      calls.set(line.call, "");
      asked.set(line.call, line);
    } else if (line.type === "end") calls.set("the outcome", line.outcome);
    else if ("call" in line) calls.set(line.call, sortedText(essence(line, asked.get(line.call), names)));
  }
  return calls;
}

function differenceOf(wanted: ReadonlyMap<string, string>, lines: readonly string[], report: Report): string | null {
  const read = readCassette(lines);
  const { outcome } = report;
  const failure = outcome.type === "failed" ? ` (${outcome.code}: ${outcome.message})` : "";
  if (typeof read === "string") return `it did not run${failure}`;
  const got = callsOf(read, NO_NAMES);
  for (const [call, answer] of wanted) {
    const other = got.get(call);
    // If there is no question, the answer is yes.
    if (other === undefined && call.endsWith("/approval") && answer === APPROVED) continue;
    if (other === undefined) return `it does not make the call \`${call}\`${failure}`;
    if (other !== answer) return `\`${call}\` was ${clipped(answer)}, and is ${clipped(other)}${failure}`;
  }
  const more = [...got.keys()].find((call) => !wanted.has(call));
  return more === undefined ? null : `it also makes the call \`${more}\``;
}

const NO_NAMES: StubNames = new Map();
const APPROVED = sortedText("approved");

function withMadeDecisions(test: Unfinished, lines: readonly string[]): Unfinished {
  const { decisions, ...rest } = test;
  const read = readCassette(lines);
  if (decisions === undefined || typeof read === "string") return test;
  const made = callsOf(read, NO_NAMES);
  const kept = Object.entries(decisions).filter(([call]) => made.has(call));
  return kept.length === 0 ? rest : { ...rest, decisions: Object.fromEntries(kept) };
}

function clipped(text: string): string {
  return text === "" ? "not answered" : text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

function factorOf({ lines }: Cassette, timing: (typeof ATTEMPTS)[number]): Exactness["delays"] {
  if (timing !== "scaled") return timing === "once" ? 0 : 1;
  const times = lines.flatMap((line) => ("atMs" in line ? [line.atMs] : []));
  const tookMs = Math.max(1, (times.at(-1) ?? 0) - (times[0] ?? 0));
  return Math.min(1, SCALED_MS / tookMs);
}
