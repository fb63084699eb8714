/** Conflicts between a changed plan and what a run has done. */

/** Why a run can't continue with a changed plan. Stable forever. */
export type ConflictCode =
  /** a node that ran, or waits, is gone */
  | "upgrade/node-gone"
  /** a node that ran, or waits, has other settings */
  | "upgrade/node-changed"
  /** an edge of a node that the run has left has changed */
  | "upgrade/edges-changed"
  /** the run would start elsewhere */
  | "upgrade/start-changed"
  /** the run was checked against other `inputs` */
  | "upgrade/inputs-changed"
  /** tools were called on other servers */
  | "upgrade/servers-changed"
  /** the run has exceeded a limit */
  | "upgrade/limit-exceeded"
  /** a limit counts what the run has not counted */
  | "upgrade/limit-changed"
  /** the plan has another key that may matter */
  | "upgrade/plan-changed"
  /** the run is too long to know how it began */
  | "upgrade/unknown-start"
  /** the recorded answers do not fit the changed plan */
  | "upgrade/diverged"
  /** the run is over */
  | "upgrade/ended";

/** One reason why a run can't continue with a changed plan. */
export interface RunConflict {
  code: ConflictCode;
  /** The path of the node, such as `fan/a/fetch`. Null if the whole plan is concerned. */
  node: string | null;
  /** One lower-case sentence, with names in back-ticks. */
  message: string;
  /** What to do. */
  help: string;
  /** Where the node stands in the new plan, from 1. Null if it is gone. */
  line: number | null;
  column: number | null;
  /** The file of the node, as a path from the plan. Absent for the plan itself. */
  file?: string;
}

/** @internal Returns a conflict in one phrase, with its line. */
export function conflictText({ message, line, column }: RunConflict): string {
  return line === null ? message : `${message} (line ${line}, column ${column})`;
}
