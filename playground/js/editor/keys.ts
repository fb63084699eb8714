/** Shortcuts name actions, which may load later. */
import { defaultKeymap, indentLess, indentMore, insertTab } from "@codemirror/commands";
import { foldKeymap } from "@codemirror/language";
import { type Extension, Prec } from "@codemirror/state";
import { type Command, type EditorView, type KeyBinding, keymap } from "@codemirror/view";
import { tabKey } from "./tab-key.js";

export type EditorAction =
  | "complete"
  | "hover"
  | "definition"
  | "references"
  | "rename"
  | "actions"
  | "format"
  | "next-problem"
  | "previous-problem"
  | "find"
  | "replace"
  | "line"
  | "select-next";

const ACTION_KEYS: readonly (readonly [string, EditorAction])[] = [
  ["Ctrl-Space", "complete"],
  ["Alt-F1", "hover"],
  ["F12", "definition"],
  ["Shift-F12", "references"],
  ["F2", "rename"],
  ["Mod-.", "actions"],
  ["Shift-Alt-f", "format"],
  ["F8", "next-problem"],
  ["Shift-F8", "previous-problem"],
  ["Mod-f", "find"],
  ["Mod-h", "replace"],
  ["Mod-g", "line"],
  ["Mod-d", "select-next"],
];

/** Indents selections and line starts. Elsewhere inserts two spaces. */
function indent(view: EditorView): boolean {
  const { state } = view;
  const leads = state.selection.ranges.every(
    ({ from, empty }) => !empty || /^\s*$/.test(state.sliceDoc(state.doc.lineAt(from).from, from)),
  );
  return leads ? indentMore(view) : insertTab(view);
}

/** Otherwise the browser moves the focus. */
const ifTabIndents =
  (command: Command): Command =>
  (view) =>
    view.state.facet(tabKey).indents && command(view);

export function paneKeymap(serve: (service: EditorAction) => void, command: (name: string) => void): Extension {
  const served = (service: EditorAction) => (): boolean => {
    serve(service);
    return true;
  };
  const page = (name: string) => (): boolean => {
    command(name);
    return true;
  };
  const own: KeyBinding[] = [
    ...ACTION_KEYS.map(([key, service]) => ({ key, run: served(service), preventDefault: true })),
    { key: "Mod-z", run: page("undo"), preventDefault: true },
    { key: "Mod-y", mac: "Mod-Shift-z", run: page("redo"), preventDefault: true },
    { linux: "Ctrl-Shift-z", win: "Ctrl-Shift-z", run: page("redo"), preventDefault: true },
    { key: "Mod-s", run: page("save"), preventDefault: true },
    { key: "Alt-z", run: page("wrap-text"), preventDefault: true },
    // CodeMirror's own keys for it hold for one page view only.
    { key: "Shift-Alt-m", run: page("tab-indents"), preventDefault: true },
    { key: "Ctrl-m", run: page("tab-indents"), preventDefault: true },
    { key: "Tab", run: ifTabIndents(indent), shift: ifTabIndents(indentLess) },
  ];
  // The page's run and palette shortcuts.
  const pages = new Set(["Mod-Enter", "Mod-k", "Ctrl-k"]);
  return [
    Prec.low(keymap.of([...foldKeymap, ...defaultKeymap.filter(({ key }) => !pages.has(key ?? ""))])),
    keymap.of(own),
  ];
}
