/**
 * What is selected, drawn by CodeMirror; a cursor alone, by the browser. CodeMirror's would keep the browser drawing as
 * long as it blinks, so that each letter waits for the next of these frames, and would be one thing more to be placed
 * for each letter.
 */
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection } from "@codemirror/view";

const drawnSelection = drawSelection();
const nothing: Extension = [];
const part = new Compartment();

/** Selections, be they several, and the cursor. */
export const selection: Extension = [
  part.of(nothing),
  EditorState.transactionExtender.of(({ newSelection: { main, ranges }, startState }) => {
    const now = ranges.length > 1 || !main.empty ? drawnSelection : nothing;
    return part.get(startState) === now ? null : { effects: part.reconfigure(now) };
  }),
];
