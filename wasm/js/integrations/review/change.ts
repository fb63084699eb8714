/** Reviews one changed plan: meaning, effects, tests and drawing. */
import {
  check,
  type CostBound,
  coverage,
  type Diagnostic,
  type Drift,
  estimateCost,
  type Handler,
  internals,
  type Model,
  PlanGraph,
  type PlanFiles,
  type Prices,
  type Review,
  review,
  runTests,
  type ToolInfo,
} from "stepgraph";
import { comparePlans } from "stepgraph/editor";
import type { Kinds } from "../../options.js";
import { Source } from "../../terminal/diagnostics.js";
import { drawChanges } from "./drawing.js";
import type { BeforeAfter, ChangeReview, PlanVersion, ReviewedChange, TestCounts } from "./types.js";

/** Options of {@link reviewChange}. */
export interface ChangeOptions {
  file: string;
  previousFile?: string;
  /** Tests fail without those that they need. */
  handlers?: Record<string, Handler>;
  /** The servers' present tools. */
  today?: readonly ToolInfo[];
  /** For costs in US dollars. */
  prices?: Prices;
  /** Models or names that have prices. */
  models?: Record<string, Model | string>;
}

const OPTIONS: Kinds<ChangeOptions> = {
  file: "text",
  previousFile: "text",
  handlers: "{}function",
  today: "[]map",
  prices: "map",
  models: "map",
};

/** A stranger's plan may loop as long as its own limits allow. */
const MAX_STEPS = 20_000;
const MAX_MS = 60_000;

interface Checked {
  text: string;
  graph: PlanGraph | null;
  diagnostics: Diagnostic[];
  effects: Review | null;
  tests: TestCounts | null;
  coverage: number | null;
  cost: CostBound | null;
}

/**
 * Reviews a changed plan. Null for a version that does not exist.
 *
 * @example
 * const found = await reviewChange({ text: old }, { text: now }, { file: "plan.yaml" });
 * if (found.problems.length > 0) throw new Error(reviewMarkdown([found]));
 */
export async function reviewChange(
  before: PlanVersion | null,
  after: PlanVersion | null,
  options: ChangeOptions,
): Promise<ChangeReview> {
  internals.assertOptions("reviewChange", options, OPTIONS);
  const { file, previousFile = null } = options;
  const old = before && (await checkVersion(before, options));
  const now = after && (await checkVersion(after, options));
  try {
    const changes = before && after ? changesOf(before, after) : [];
    const both = <T>(of: (one: Checked) => T | null): BeforeAfter<T> => ({
      before: old && of(old),
      after: now && of(now),
    });
    const found: Omit<ChangeReview, "problems"> = {
      file,
      previousFile,
      status: statusOf(before, after, changes, old?.graph === null || now?.graph === null),
      hash: both(({ graph }) => graph?.hash ?? null),
      changes,
      diagnostics: now === null ? [] : newDiagnostics(old, now),
      effects: both(({ effects }) => effects),
      servers: both(({ graph }) => graph && serversOf(graph)),
      tests: both(({ tests }) => tests),
      coverage: both(({ coverage }) => coverage),
      cost: both(({ cost }) => cost),
      drift: now?.graph ? driftOf(before, after!, now.graph, options.today) : null,
      drawing: now !== null && now.graph === null ? null : drawChanges(old?.graph ?? null, now?.graph ?? null, changes),
    };
    return { ...found, problems: problemsOf(found) };
  } finally {
    old?.graph?.free();
    now?.graph?.free();
  }
}

function driftOf(
  before: PlanVersion | null,
  after: PlanVersion,
  graph: PlanGraph,
  today: readonly ToolInfo[] | undefined,
): Drift | null {
  const lock = after.lock ?? before?.lock;
  if (today !== undefined && lock !== undefined) return lock.drift([...today], [graph]);
  if (before?.lock === undefined || after.lock === undefined) return null;
  return before.lock.drift([...after.lock.tools], [graph]);
}

async function checkVersion(
  { text, files, lock, tools = lock?.tools }: PlanVersion,
  { file, handlers = {}, prices, models }: ChangeOptions,
): Promise<Checked> {
  const format = file.endsWith(".json") ? "json" : "auto";
  const { graph, diagnostics } = PlanGraph.parse(text, { format, ...(files && { files }) });
  if (!graph?.valid) {
    graph?.free();
    return { text, graph: null, diagnostics: [...diagnostics], effects: null, tests: null, coverage: null, cost: null };
  }
  const further = check(graph, tools ? { tools } : {});
  const all = internals.sortDiagnostics([...diagnostics, ...further]);
  const cost = estimateCost(graph, { tools: tools ?? null, ...(prices && { prices }), ...(models && { models }) });
  return {
    text,
    graph,
    diagnostics: all,
    effects: review(graph, { tools: tools ?? null }),
    ...(await testedBy(graph, handlers)),
    cost: cost.total.bound,
  };
}

async function testedBy(
  graph: PlanGraph,
  handlers: Record<string, Handler>,
): Promise<{ tests: TestCounts; coverage: number | null }> {
  const results = await runTests(graph, {
    handlers,
    limits: { steps: MAX_STEPS },
    signal: AbortSignal.timeout(MAX_MS),
  });
  const failed = results.filter(({ passed }) => !passed);
  const tests = {
    passed: results.length - failed.length,
    failed: failed.length,
    failures: failed.map(({ name, differences: [first] }) => ({
      name,
      path: first?.path ?? "",
      expected: first?.expected ?? null,
      got: first?.got ?? null,
    })),
  };
  const reached = coverage(
    graph,
    results.map(({ report }) => report),
  );
  return { tests, coverage: results.length === 0 ? null : reached.percent };
}

function changesOf(before: PlanVersion, after: PlanVersion): ReviewedChange[] {
  const files: { before?: PlanFiles; after?: PlanFiles } = {
    ...(before.files && { before: before.files }),
    ...(after.files && { after: after.files }),
  };
  const tools = after.lock?.tools ?? after.tools;
  const { changes } = comparePlans(before.text, after.text, {
    files,
    ...(tools && { tools: [...tools] }),
  });
  const [oldText, newText] = [new Source("", before.text), new Source("", after.text)];
  return changes.map((change) => {
    const { before: old, after: now } = change.spans;
    const line = now ? newText.lineAt(now.start) : old ? oldText.lineAt(old.start) : null;
    return { ...change, line };
  });
}

function statusOf(
  before: PlanVersion | null,
  after: PlanVersion | null,
  changes: readonly ReviewedChange[],
  isBroken: boolean,
): ChangeReview["status"] {
  if (before === null) return "added";
  if (after === null) return "removed";
  return changes.length > 0 || isBroken ? "changed" : "same-meaning";
}

/** Compares code and message, because lines move. */
function newDiagnostics(old: Checked | null, now: Checked): Diagnostic[] {
  const known = new Set(old?.diagnostics.map(({ code, message }) => `${code} ${message}`));
  return now.diagnostics
    .filter(({ severity }) => severity !== "hint")
    .filter(({ severity, code, message }) => severity === "error" || !known.has(`${code} ${message}`));
}

function serversOf(graph: PlanGraph): string[] {
  const { servers } = graph.toJSON() as { servers?: Record<string, { url?: unknown } | null> | null };
  return Object.entries(servers ?? {}).map(([name, server]) => `${name} ${String(server?.url ?? "")}`.trim());
}

function problemsOf({ diagnostics, tests, status, drift }: Omit<ChangeReview, "problems">): string[] {
  if (status === "removed") return [];
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const failed = tests.after?.failed ?? 0;
  return [
    ...(errors > 0 ? [errors === 1 ? "1 error" : `${errors} errors`] : []),
    // The check has counted these errors if the new lock has the tools.
    ...(drift?.breaks && errors === 0 ? ["its tools have changed"] : []),
    ...(failed > 0 ? [failed === 1 ? "1 test fails" : `${failed} tests fail`] : []),
  ];
}
