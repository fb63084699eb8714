/** What a run leaves behind. Read from packed words when somebody asks, so that nobody pays for what nobody reads. */
import type { PlanGraph } from "./graph.js";
import type { Program } from "./program.js";
import type { Reader } from "./trace.js";
import type { Diagnostic, Outcome, Report, TraceEvent } from "./types.js";

/** The report of a run that ended, or is under way. */
export class RunReport implements Report {
  readonly outcome: Outcome;
  readonly last: unknown;
  readonly durationMs: number;
  readonly counts: Report["counts"];
  readonly diagnostics: Diagnostic[];
  readonly #graph: PlanGraph;
  readonly #program: Program;
  /** At the outputs, then the path. */
  readonly #rest: Reader;
  readonly #events: Reader;
  #outputs: Record<string, unknown> | undefined;
  #path: string[] | undefined;
  #trace: TraceEvent[] | undefined;

  constructor(graph: PlanGraph, program: Program, reader: Reader, events: Reader, durationMs: number, outcome?: Outcome) {
    const ended = reader.outcome();
    this.outcome = outcome ?? ended;
    const [steps, calls, tokens] = [reader.count(), reader.count(), reader.number()];
    this.counts = tokens > 0 ? { steps, calls, retries: 0, tokens } : { steps, calls, retries: 0 };
    this.last = reader.value();
    this.durationMs = durationMs;
    this.diagnostics = program.diagnostics;
    this.#graph = graph;
    this.#program = program;
    this.#rest = reader;
    this.#events = events;
  }

  get outputs(): Record<string, unknown> {
    if (this.#outputs === undefined) {
      const entries: [string, unknown][] = [];
      for (let left = this.#rest.count(); left > 0; left--) {
        const name = this.#rest.count();
        entries.push([name >= 0 ? this.#program.names[name]! : this.#rest.text(), this.#rest.value()]);
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

  get trace(): TraceEvent[] {
    if (this.#trace === undefined) {
      this.#trace = [];
      while (!this.#events.done) this.#trace.push(this.#events.event());
    }
    return this.#trace;
  }

  get planHash(): string {
    return this.#graph.hash;
  }

  toJSON(): unknown {
    const { outcome, last, outputs, path, trace, durationMs, counts, planHash, diagnostics } = this;
    return { outcome, last, outputs, path, trace, durationMs, counts, planHash, diagnostics };
  }
}

/** The report of a run that never began. */
export function notRun(graph: PlanGraph, outcome: Outcome, input: unknown, diagnostics: Diagnostic[]): Report {
  const parts = {
    outcome, last: input, outputs: { input }, path: [], trace: [], durationMs: 0,
    counts: { steps: 0, calls: 0, retries: 0 }, planHash: graph.hash, diagnostics,
  };
  return { ...parts, toJSON: () => parts };
}
