/** Conflicts between a changed plan and a run. */

/** Why a run can't continue with a changed plan. Stable forever. */
export type ConflictCode =
  /** a node that ran or waits is gone */
  | "upgrade/node-gone"
  /** a node that ran or waits has changed */
  | "upgrade/node-changed"
  /** an edge of a left node has changed */
  | "upgrade/edges-changed"
  /** the run would start elsewhere */
  | "upgrade/start-changed"
  /** the run was checked against other `inputs` */
  | "upgrade/inputs-changed"
  /** tools were called on other servers */
  | "upgrade/servers-changed"
  /** the run has exceeded a limit */
  | "upgrade/limit-exceeded"
  /** a limit counts what the run did not */
  | "upgrade/limit-changed"
  /** another key of the plan may matter */
  | "upgrade/plan-changed"
  /** the run is too long to know its start */
  | "upgrade/unknown-start"
  /** recorded answers do not fit the plan */
  | "upgrade/diverged"
  /** the plan needs a part of the host that the run began without */
  | "upgrade/host-changed"
  /** the run is over */
  | "upgrade/ended";

/** A reason why a run can't continue. */
export interface RunConflict {
  code: ConflictCode;
  /** As in `fan/a/fetch`. Null for the whole plan. */
  node: string | null;
  message: string;
  help: string;
  /** In the new plan, from 1. Null if the node is gone. */
  line: number | null;
  column: number | null;
  /** A path from the plan. Absent for the plan itself. */
  file?: string;
}

/** @internal */
export function conflictText({ message, line, column }: RunConflict): string {
  return line === null ? message : `${message} (line ${line}, column ${column})`;
}
