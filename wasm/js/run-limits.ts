/** The limits of a run, and what it counts for them. */

/** What a run used. `tokens` and `usd` are those that models reported. */
export interface RunCounts {
  steps: number;
  calls: number;
  retries: number;
  tokens?: number;
  usd?: number;
  /** Calls of models that ended without a report, and that a provider may bill. */
  unreported?: UnreportedCalls;
}

/** Calls without a report, such as abandoned ones, and the most that they used. Null is unknown. */
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
  /** Input and output tokens of all models. */
  tokens?: number;
  /** US dollars that all models may cost. Needs `prices`. A plan's own limit holds if it is smaller. */
  usd?: number;
  /** US dollars for a million input tokens of a call that ends without a report. `prices` set it. */
  input_price?: number;
  /** The same for output tokens. */
  output_price?: number;
  /** The most output tokens of such a call, if its request sets no maximum. */
  max_output?: number;
  /** JSON bytes that all calls may return. */
  output_bytes?: number;
}
