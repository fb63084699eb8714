/** The line below the text: where the cursor stands, and how to leave. */
import { type EditorState, type Extension } from "@codemirror/state";
import { type EditorView, showPanel, type ViewUpdate } from "@codemirror/view";

function place(state: EditorState): string {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.head);
  const parts = [state.phrase("Ln $", line.number), state.phrase("Col $", main.head - line.from + 1)];
  const chosen = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  if (chosen > 0) parts.push(`(${state.phrase("$ selected", chosen)})`);
  if (state.readOnly) parts.push(state.phrase("read-only"));
  return parts.join("  ");
}

/** The panel. */
export const status: Extension = showPanel.of((view: EditorView) => {
  const dom = document.createElement("div");
  dom.className = "text-status";
  const [at, leave] = [document.createElement("span"), document.createElement("span")];
  leave.className = "text-leave";
  dom.append(leave, at);
  const show = (state: EditorState): void => {
    at.textContent = place(state);
    leave.textContent = state.phrase("Esc, then Tab leaves the text");
  };
  show(view.state);
  return {
    dom,
    update: ({ docChanged, selectionSet, startState, state }: ViewUpdate) => {
      if (docChanged || selectionSet || startState.readOnly !== state.readOnly || startState.phrase("Col $") !== state.phrase("Col $")) show(state);
    },
  };
});
