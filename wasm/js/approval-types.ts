/** Approvals, and the decisions on them. */

/** An approval that a run waits for. */
export interface Approval {
  /** The key of its decision, the same after any number of pauses. */
  readonly call: string;
  readonly node: string;
  readonly scope: string;
  /** The value to approve, or `{ tool, arguments }` for a tool call. */
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  /** The tool that needs approval. A decision's value then replaces the arguments. */
  readonly tool?: string;
  /** The tool's server, if known. The decision holds for that server only. */
  readonly server?: string;
}

/** A user's decision. A value replaces what was to be approved. */
export type Decision = "approved" | "rejected" | { value: unknown };
