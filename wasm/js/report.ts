/** The report of a run, decoded on demand. */
import type { PlanGraph } from "./graph.js";
import { RunError } from "./errors.js";
import type { ThrownErrors } from "./thrown-errors.js";
import type { TraceReader } from "./trace-reader.js";
import type { Diagnostic, NodePlace, Outcome, PartialScope, Report, Snapshot, TraceEvent } from "./types.js";

interface RunEnd {
  durationMs: number;
  outcome?: Outcome | undefined;
  snapshot?: Snapshot | null | undefined;
  thrown?: ThrownErrors | undefined;
}

/** Every run reads them, so without copies. */
function readCounts(summary: TraceReader): Report["counts"] {
  const counts: Writable<Report["counts"]> = {
    steps: summary.count(),
    calls: summary.count(),
    retries: summary.count(),
  };
  const tokens = summary.number();
  if (tokens > 0) counts.tokens = tokens;
  const usd = summary.number();
  if (usd > 0) counts.usd = usd;
  const calls = summary.count();
  const unreportedTokens = summary.number();
  const unreportedUsd = summary.number() / 1e6;
  if (calls > 0) counts.unreported = { calls, tokens: finite(unreportedTokens), usd: finite(unreportedUsd) };
  return counts;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function finite(amount: number): number | null {
  return amount === Infinity ? null : amount;
}

export class RunReport implements Report {
  readonly outcome: Outcome;
  readonly last: unknown;
  readonly durationMs: number;
  readonly counts: Report["counts"];
  readonly snapshot: Snapshot | null;
  readonly #graph: PlanGraph;
  /** At the outputs. The path and partial results follow. */
  readonly #rest: TraceReader;
  readonly #events: () => TraceReader;
  readonly #failedNode: number;
  readonly #thrown: ThrownErrors | undefined;
  #diagnostics: Diagnostic[] | undefined;
  #error: RunError | null | undefined;
  #outputs: Record<string, unknown> | undefined;
  #path: string[] | undefined;
  #partial: Record<string, PartialScope> | undefined;
  #trace: TraceEvent[] | undefined;

  constructor(
    graph: PlanGraph,
    summary: TraceReader,
    events: () => TraceReader,
    { durationMs, outcome, snapshot = null, thrown }: RunEnd,
  ) {
    const ended = summary.outcome();
    this.outcome = outcome ?? ended;
    this.#failedNode = outcome === undefined ? summary.failedNode : -1;
    this.#thrown = thrown;
    this.snapshot = snapshot;
    this.counts = readCounts(summary);
    this.last = summary.value();
    this.durationMs = durationMs;
    this.#graph = graph;
    this.#rest = summary;
    this.#events = events;
  }

  get diagnostics(): Diagnostic[] {
    return (this.#diagnostics ??= this.#rest.program.diagnostics);
  }

  get outputs(): Record<string, unknown> {
    if (this.#outputs === undefined) {
      const entries: [string, unknown][] = [];
      for (let remaining = this.#rest.count(); remaining > 0; remaining--) {
        entries.push([this.#rest.name(), this.#rest.value()]);
      }
      this.#outputs = Object.fromEntries(entries);
    }
    return this.#outputs;
  }

  get path(): string[] {
    if (this.#path === undefined) {
      void this.outputs;
      this.#path = Array.from({ length: this.#rest.count() }, () => this.#rest.id());
    }
    return this.#path;
  }

  get partial(): Record<string, PartialScope> {
    if (this.#partial === undefined) {
      void this.path;
      const entries: [string, PartialScope][] = [];
      for (let remaining = this.#rest.count(); remaining > 0; remaining--) {
        const [scope, completed, last] = [this.#rest.text(), this.#rest.count() === 1, this.#rest.value()];
        const outputs: [string, unknown][] = [];
        for (let more = this.#rest.count(); more > 0; more--) outputs.push([this.#rest.text(), this.#rest.value()]);
        entries.push([scope, { completed, last, outputs: Object.fromEntries(outputs) }]);
      }
      this.#partial = Object.fromEntries(entries);
    }
    return this.#partial;
  }

  get trace(): TraceEvent[] {
    if (this.#trace === undefined) {
      const events = this.#events();
      this.#trace = [];
      while (!events.done) this.#trace.push(events.event());
    }
    return this.#trace;
  }

  get error(): RunError | null {
    if (this.#error === undefined) {
      const { outcome } = this;
      if (outcome.type === "failed") {
        const place = this.#failedNode < 0 ? null : this.#graph.placeOf(this.#failedNode, outcome.message);
        this.#error = new RunError(outcome, place, this.#thrown?.optionsFor(outcome));
      } else this.#error = null;
    }
    return this.#error;
  }

  get planHash(): string {
    return this.#graph.hash;
  }

  toJSON(): unknown {
    const { outcome, last, outputs, path, partial, trace, durationMs, counts, planHash, diagnostics, snapshot } = this;
    const report = { outcome, last, outputs, path, partial, trace, durationMs, counts, planHash, diagnostics };
    return snapshot === null ? report : { ...report, snapshot };
  }
}

export function notRun(
  graph: PlanGraph,
  outcome: Outcome,
  input: unknown,
  diagnostics: Diagnostic[],
  options?: ErrorOptions,
  snapshot: Snapshot | null = null,
): Report {
  const parts = {
    outcome,
    last: input,
    outputs: { input },
    path: [],
    partial: {},
    trace: [],
    durationMs: 0,
    snapshot,
    counts: { steps: 0, calls: 0, retries: 0 },
    planHash: graph.hash,
    diagnostics,
  };
  const error = outcome.type === "failed" ? new RunError(outcome, placeOfMistake(outcome), options) : null;
  return { ...parts, error, toJSON: () => parts };
}

function placeOfMistake({ diagnostics = [] }: Extract<Outcome, { type: "failed" }>): NodePlace | null {
  const found = diagnostics.find(({ severity }) => severity === "error");
  if (found?.line === undefined || found.line === null || found.column === undefined || found.column === null)
    return null;
  const { file, line, column } = found;
  return { ...(file !== undefined && file !== null && { file }), line, column };
}
