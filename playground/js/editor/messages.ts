/** Messages between the editor and the page, as JSON text. Offsets count UTF-16 units of the file. */

/** A replacement in the text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits made at once, relative to the text before them. */
export interface EditGroup {
  readonly by: "typing" | "command";
  /** The name in the undo history. Empty for typing. */
  readonly name: string;
  /** Whether it starts a new undo step. */
  readonly apart: boolean;
  readonly edits: readonly Edit[];
}

export interface TypedEdits {
  readonly groups: readonly EditGroup[];
  /** The length of the text after the edits, to detect a lost edit. */
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

/** `typed`: edits. `cursor`: a move. `command`: a command of the page. `notice`: a failed action. */
export type PaneMessage = "typed" | "cursor" | "command" | "notice";

export type PaneListener = (what: PaneMessage, data: string) => void;
