/** Shows pasted text that replaces a longer one: the cursor is in sight at its end, and all else would be above. */
import { EditorView } from "@codemirror/view";

export const pasteScroll = EditorView.updateListener.of(({ view, transactions }) => {
  if (!transactions.some((transaction) => transaction.docChanged && transaction.isUserEvent("input.paste"))) return;
  view.requestMeasure({
    read: ({ state, scrollDOM }) =>
      Math.max(0, view.lineBlockAt(state.doc.length).bottom + view.documentPadding.top - scrollDOM.clientHeight),
    write: (most, { scrollDOM }) => {
      if (scrollDOM.scrollTop > most) scrollDOM.scrollTop = most;
    },
  });
});
