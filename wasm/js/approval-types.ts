/** Approvals and their decisions. */

/** An approval that a run waits for. */
export interface Approval {
  /** The key of its decision, stable across pauses. */
  readonly call: string;
  readonly node: string;
  readonly scope: string;
  /** Or `{ tool, arguments }`. */
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  /** If present, a decision's value replaces the arguments. */
  readonly tool?: string;
  /** The decision holds for this server only. */
  readonly server?: string;
}

/** A decision, or a replacement of the value to approve. */
export type Decision = "approved" | "rejected" | { value: unknown };
