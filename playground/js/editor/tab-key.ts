/** What Tab does in the text. It moves the focus, until the user lets it indent. */
import { Facet } from "@codemirror/state";

export interface TabKey {
  readonly indents: boolean;
  /** For the status line. */
  readonly hint: string;
}

const MOVES_FOCUS: TabKey = { indents: false, hint: "" };

export const tabKey = Facet.define<TabKey, TabKey>({ combine: ([first]) => first ?? MOVES_FOCUS });
