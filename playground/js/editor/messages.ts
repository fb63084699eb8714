/**
 * What crosses between the editor and the page, as JSON text. Every offset counts the UTF-16 units of the text as it is
 * in its file.
 */

/** One replacement in a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What was done to the text at once: edits of the text before it, in its order. */
export interface EditGroup {
  readonly by: "typing" | "command";
  /** What it is called where it can be undone; empty for typing. */
  readonly name: string;
  /** Whether it is a step of its own, although it is typed where the last one ended. */
  readonly apart: boolean;
  readonly edits: readonly Edit[];
}

/** What was done since the page was told last. */
export interface TypedEdits {
  readonly groups: readonly EditGroup[];
  /** How long the text is after all of it: who finds another length has lost something. */
  readonly length: number;
}

/** Something that is wrong with the text. */
export interface Problem {
  readonly start: number;
  readonly end: number;
  readonly severity: "error" | "warning" | "hint";
  readonly code: string;
  readonly message: string;
  readonly help: string | null;
  readonly fix: readonly Edit[];
}

/** How a pane begins. */
export interface PaneOptions {
  readonly text: string;
  readonly lang: string;
  /** What the pane is called for those who can't see it. */
  readonly label: string;
  readonly readOnly: boolean;
}

/**
 * What the page is told: what was typed, where the cursor stands, which command of the page was asked for, what could
 * not be done.
 */
export type PaneMessage = "typed" | "cursor" | "command" | "notice";

/** Who is told. */
export type PaneListener = (what: PaneMessage, data: string) => void;
