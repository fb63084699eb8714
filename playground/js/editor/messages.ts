/** JSON messages between editor and page. Offsets are UTF-16 units of the file. */

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Relative to the text before them. */
export interface EditGroup {
  readonly by: "typing" | "command";
  /** Names the undo step. Empty for typing. */
  readonly name: string;
  /** Starts an undo step. */
  readonly apart: boolean;
  readonly edits: readonly Edit[];
}

export interface TypedEdits {
  readonly groups: readonly EditGroup[];
  /** Length afterwards, to detect lost edits. */
  readonly length: number;
}

export interface Problem {
  readonly start: number;
  readonly end: number;
  readonly severity: "error" | "warning" | "hint";
  readonly code: string;
  readonly message: string;
  readonly help: string | null;
  readonly fix: readonly Edit[];
}

export interface PaneOptions {
  readonly text: string;
  readonly lang: string;
  readonly label: string;
  readonly readOnly: boolean;
  readonly wraps: boolean;
}

/** `notice`: a failed action. */
export type PaneMessage = "typed" | "cursor" | "command" | "notice";

export type PaneListener = (what: PaneMessage, data: string) => void;
