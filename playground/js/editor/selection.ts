/** CodeMirror draws selections, the browser a lone cursor: CodeMirror's cursor would delay letters by a frame. */
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection } from "@codemirror/view";

const drawnSelection = drawSelection();
const NO_EXTENSION: Extension = [];
const part = new Compartment();

export const selection: Extension = [
  part.of(NO_EXTENSION),
  EditorState.transactionExtender.of(({ newSelection: { main, ranges }, startState }) => {
    const now = ranges.length > 1 || !main.empty ? drawnSelection : NO_EXTENSION;
    return part.get(startState) === now ? null : { effects: part.reconfigure(now) };
  }),
];
