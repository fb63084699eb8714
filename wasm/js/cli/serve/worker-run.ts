/** Runs plans in a worker. */
import { PlanError, PlanGraph } from "../../package-internals.js";
import type { Decision, Diagnostic, Limits, RunOptions, Snapshot, TraceEvent } from "../../types.js";
import { hasErrors, tally } from "../../terminal/diagnostics.js";
import type { Runner } from "../telemetry.js";
import { explanation, MAX_SUMMARIZED, summaryOf, valuesOf } from "./explain.js";
import type { PlanIdentity, RunUpdate, WorkerSetup } from "./worker-messages.js";
import { CallerError } from "./caller-error.js";
import { progressText } from "./progress.js";
import type { Head, Status } from "./stored-run.js";
import { inlineValue, renderDiagnostics, diagnosticsText, type RenderedDiagnostic } from "./render.js";
import { type ApprovalView, approvalView } from "./approval-view.js";
import type { HostCalls } from "./worker-calls.js";
import {
  recordAbort,
  recordEvent,
  parseRecord,
  detailsText,
  type RunRecord,
  recordOutcome,
  snapshotText,
} from "./run-record.js";

/** In updates of one run. */
const MAX_UPDATE_CHARACTERS = 4 * 1024 * 1024;
const UPDATE_DELAY_MS = 10;
/** Seen at once. The others follow. */
const MAX_APPROVALS = 20;

export interface WorkerContext {
  setup: WorkerSetup;
  runner: Runner;
  calls: HostCalls;
  signal: AbortSignal;
  begun: (identity: PlanIdentity) => void;
  news: (update: RunUpdate) => void;
}

export interface RunArgs {
  head: Head;
  plan: string;
  rest: string;
  /** Null starts the run. */
  snapshot: string | null;
  decisions: Record<string, Decision>;
  model: boolean;
  parent: { traceparent: string; tracestate?: string } | null;
}

export interface InvalidPlan {
  type: "not-run";
  tally: string;
  text: string;
  rendered: RenderedDiagnostic[];
}

export interface RunOutcome extends RunText {
  type: "ran";
  status: Status;
  waiting: string[];
  approvals: ApprovalView[];
  rest: string;
  snapshot: string | null;
}

export interface RunText {
  data: Record<string, unknown>;
  text: string;
  last: string;
}

export async function runTask(context: WorkerContext, args: RunArgs): Promise<InvalidPlan | RunOutcome> {
  const { head, plan, rest, snapshot } = args;
  const { graph, diagnostics } = PlanGraph.parse(plan);
  if (!graph?.valid) return invalidPlan(plan, diagnostics);
  const { id: name = null, limits } = graph.toJSON() as { id?: string; limits?: Limits | null };
  const record = { ...parseRecord(head, plan, rest), name, planHash: graph.hash };
  const bounds = tighterLimits(context.setup.limits, limits ?? {});
  context.begun({ planHash: graph.hash, name, timeoutMs: bounds.timeout_ms ?? null });
  const sender = new UpdateSender(record, context.news);
  try {
    const from = snapshot === null ? { input: record.input } : { snapshot: snapshotOf(snapshot) };
    const costs = context.setup.countsCosts || typeof limits?.usd === "number";
    const options = { ...optionsOf(context, args, bounds, costs), ...from, onEvent: sender.add };
    const report = await context.runner.run(graph, options, args.parent ?? undefined);
    const { outcome } = report;
    if (outcome.type === "failed" && outcome.code === "run/invalid-plan" && snapshot === null)
      return invalidPlan(plan, outcome.diagnostics ?? report.diagnostics);
    // A run that goes on has the steps of its snapshot.
    if (outcome.type === "failed" && snapshot !== null && report.counts.steps === 0)
      throw new CallerError("serve/not-resumed", `${outcome.code}: ${outcome.message}`);
    recordOutcome(record, report);
    return toOutcome(record, report.snapshot, context);
  } catch (error) {
    if (snapshot !== null && error instanceof PlanError)
      throw new CallerError("serve/unreadable-run", `the run \`${head.id}\` can't be resumed: ${error.message}`);
    throw error;
  } finally {
    sender.flush();
    graph.free();
  }
}

/** Records a run whose worker was ended. */
export async function endedTask(
  context: WorkerContext,
  given: {
    head: Head;
    plan: string;
    rest: string;
    updates: RunUpdate[];
    code: string;
    message: string;
    durationMs: number;
  },
): Promise<RunOutcome> {
  const record = parseRecord(given.head, given.plan, given.rest, given.updates);
  recordAbort(record, { type: "failed", code: given.code, message: given.message }, given.durationMs);
  return toOutcome(record, null, context);
}

function toOutcome(record: RunRecord, state: Snapshot | null, { setup }: WorkerContext): RunOutcome {
  const rest = detailsText(record, setup.context);
  const snapshot = snapshotText(state);
  const approvals = record.asked.slice(0, MAX_APPROVALS).map((approval) => approvalView(record.name, approval));
  return { type: "ran", status: record.status, waiting: record.waiting, approvals, rest, snapshot, ...runText(record) };
}

function runText(record: RunRecord): RunText {
  const { last } = record;
  return {
    data: { ...summaryOf(record), ...valuesOf(record) },
    text: explanation(record, undefined, false, MAX_SUMMARIZED),
    last: typeof last === "string" ? last.slice(0, 8000) : inlineValue(last, 8000),
  };
}

function invalidPlan(plan: string, diagnostics: Diagnostic[]): InvalidPlan {
  const counted = hasErrors(diagnostics) ? tally(diagnostics) : "errors";
  return {
    type: "not-run",
    tally: counted,
    text: diagnosticsText(diagnostics, plan),
    rendered: renderDiagnostics(diagnostics, plan),
  };
}

function snapshotOf(text: string): Snapshot {
  try {
    return JSON.parse(text) as Snapshot;
  } catch {
    throw new CallerError("serve/unreadable-run", "the file of the run is incomplete");
  }
}

function optionsOf(bench: WorkerContext, { decisions, model }: RunArgs, limits: Limits, costs: boolean): RunOptions {
  const { servers, types, stubs, context, allow } = bench.setup;
  return {
    handlers: Object.fromEntries(types.map((type) => [type, bench.calls.handler(type)])),
    tools: servers.map((name, at) => bench.calls.tools(name, at)),
    ...(stubs ? { stubs } : {}),
    ...(model ? { models: { default: bench.calls.model(bench.setup.model) } } : {}),
    ...(costs ? { prices: bench.setup.prices } : {}),
    context,
    allow,
    limits,
    decisions,
    trace: false,
    signal: bench.signal,
  };
}

/** A plan may be stricter than the server, never less strict. */
function tighterLimits(limits: Limits, own: { readonly [name in keyof Limits]?: unknown }): Limits {
  const entries = Object.entries(limits) as [keyof Limits, number][];
  return Object.fromEntries(
    entries.map(([name, bound]) => [
      name,
      typeof own[name] === "number" ? Math.min(bound, own[name] as number) : bound,
    ]),
  );
}

/** Sends at once after a pause, else in batches. */
class UpdateSender {
  #events: string[] = [];
  #progress: string[] = [];
  #count = 0;
  #charactersLeft = MAX_UPDATE_CHARACTERS;
  #at = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly record: RunRecord,
    readonly send: (update: RunUpdate) => void,
  ) {}

  readonly add = (event: TraceEvent): void => {
    const text = JSON.stringify(recordEvent(this.record, event));
    this.#count++;
    if (text.length <= this.#charactersLeft) this.#events.push(text);
    this.#charactersLeft -= text.length;
    const progress = progressText(event);
    if (progress !== null) this.#progress.push(progress);
    if (performance.now() - this.#at > UPDATE_DELAY_MS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), UPDATE_DELAY_MS);
  };

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#at = performance.now();
    if (this.#count === 0) return;
    const lost = this.#count - this.#events.length;
    if (this.#events.length > 0)
      this.send({ events: this.#events.join(","), count: this.#events.length, progress: this.#progress });
    if (lost > 0 || this.#events.length === 0)
      this.send({ events: "", count: lost, progress: this.#events.length > 0 ? [] : this.#progress });
    [this.#events, this.#progress, this.#count] = [[], [], 0];
  }
}
