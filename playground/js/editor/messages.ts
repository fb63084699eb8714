/** The messages between the editor and the page, as JSON text. Offsets count UTF-16 units of the file's text. */

/** A replacement in the text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits made at once. They refer to the text before them, in its order. */
export interface EditGroup {
  readonly by: "typing" | "command";
  /** The name in the undo history. Empty for typing. */
  readonly name: string;
  /** Whether it is an undo step of its own, although it continues the last one. */
  readonly apart: boolean;
  readonly edits: readonly Edit[];
}

/** The edits since the last message. */
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

/** The initial state of a pane. */
export interface PaneOptions {
  readonly text: string;
  readonly lang: string;
  /** The accessible name of the pane. */
  readonly label: string;
  readonly readOnly: boolean;
}

/**
 * A message to the page: text was typed, the cursor moved, a command of the page was invoked, or an action failed with
 * a notice.
 */
export type PaneMessage = "typed" | "cursor" | "command" | "notice";

export type PaneListener = (what: PaneMessage, data: string) => void;
