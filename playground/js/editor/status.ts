/** The status line: cursor position, and what Tab does. */
import type { EditorState, Extension } from "@codemirror/state";
import { type EditorView, showPanel, type ViewUpdate } from "@codemirror/view";
import { tabKey } from "./tab-key.js";

function cursorText(state: EditorState): string {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.head);
  const parts = [state.phrase("Ln $", line.number), state.phrase("Col $", main.head - line.from + 1)];
  const chosen = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  if (chosen > 0) parts.push(`(${state.phrase("$ selected", chosen)})`);
  if (state.readOnly) parts.push(state.phrase("read-only"));
  return parts.join("  ");
}

function appendTextNode(parent: HTMLElement, name: string): Text {
  const span = document.createElement("span");
  span.className = name;
  parent.prepend(span);
  return span.appendChild(document.createTextNode(""));
}

/** Runs at every key, so skips unchanged text. */
function setText(node: Text, text: string): void {
  if (node.data !== text) node.data = text;
}

export const status: Extension = showPanel.of((view: EditorView) => {
  const dom = document.createElement("div");
  dom.className = "text-status";
  const [at, leaveHint] = [appendTextNode(dom, ""), appendTextNode(dom, "text-leave")];
  const show = (state: EditorState): void => {
    setText(at, cursorText(state));
    setText(leaveHint, state.facet(tabKey).hint);
  };
  show(view.state);
  return {
    dom,
    update: ({ docChanged, selectionSet, startState, state }: ViewUpdate) => {
      if (
        docChanged ||
        selectionSet ||
        startState.readOnly !== state.readOnly ||
        startState.facet(tabKey) !== state.facet(tabKey) ||
        startState.phrase("Col $") !== state.phrase("Col $")
      )
        show(state);
    },
  };
});
