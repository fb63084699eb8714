/** Limits and counts of a run. */

/** The use of a run, as far as models reported it. */
export interface RunCounts {
  steps: number;
  calls: number;
  retries: number;
  tokens?: number;
  usd?: number;
  /** Calls without a report, which a provider may bill. */
  unreported?: UnreportedCalls;
}

/** The most that calls without a report, such as abandoned ones, used. Null is unknown. */
export interface UnreportedCalls {
  calls: number;
  tokens: number | null;
  usd: number | null;
}

/** Limits of a run. Exceeding one fails with its code. */
export interface Limits {
  /** Visits of one node in one scope. */
  visits?: number;
  steps?: number;
  calls?: number;
  timeout_ms?: number;
  /** Input and output of all models. */
  tokens?: number;
  /** Needs `prices`. A smaller limit of the plan holds. */
  usd?: number;
  /** For a million input tokens of a call without a report. `prices` set it. */
  input_price?: number;
  /** The same for output tokens. */
  output_price?: number;
  /** Most output tokens of such a call without a maximum. */
  max_output?: number;
  /** JSON bytes that all calls may return. */
  output_bytes?: number;
}
