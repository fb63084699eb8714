/**
 * A plan in CodeMirror 6: a view's changes go to the document of `stepgraph/editor`, whose answers become diagnostics
 * with their fixes, completions and hovers. Offsets need no conversion: both count UTF-16 units.
 *
 *     const document = new PlanDocument(text, { tools });
 *     new EditorView({ doc: text, extensions: [basicSetup, plans(document)], parent });
 */
import { autocompletion } from "@codemirror/autocomplete";
import { linter } from "@codemirror/lint";
import { EditorView, hoverTooltip } from "@codemirror/view";

/** Everything for one view of one plan. The text of the view and of the document must be the same to begin with. */
export function plans(document) {
  return [
    EditorView.updateListener.of(({ docChanged, changes }) => {
      if (docChanged) document.change(changesOf(changes));
    }),
    linter(() => document.diagnostics().map(shown), { delay: 0 }),
    autocompletion({ override: [(context) => completions(document, context)] }),
    hoverTooltip((_view, at) => hovered(document.hover(at))),
  ];
}

/** Makes operations on the plan in a view, as one step that is undone at once; gives why not, where it can't be. */
export function edit(view, document, edits) {
  const { changes, refused } = document.edit(edits);
  if (refused === null) view.dispatch({ changes: changes.map(inserted) });
  return refused;
}

function changesOf(set) {
  const changes = [];
  set.iterChanges((start, end, _from, _to, text) => changes.push({ span: { start, end }, text: text.toString() }));
  return changes;
}

const inserted = ({ span, text }) => ({ from: span.start, to: span.end, insert: text });

function shown({ span, severity, code, message, help, fix }) {
  return {
    from: span?.start ?? 0,
    to: span?.end ?? 0,
    severity: severity === "hint" ? "info" : severity,
    source: code,
    message: help ? `${message}; ${help}` : message,
    actions: fix.length === 0 ? [] : [{ name: "fix", apply: (view) => view.dispatch({ changes: fix.map(inserted) }) }],
  };
}

/** CodeMirror asks at every letter; only what was asked for, or follows on a letter, is answered. */
function completions(document, { pos, explicit, matchBefore }) {
  const found = document.complete(pos);
  if (found.length === 0 || (!explicit && !matchBefore(/[\w.${"':\- ]$/))) return null;
  const options = found.map(({ label, kind, detail, documentation, edit, filter }, index) => ({
    label: filter,
    displayLabel: label,
    detail: detail ?? undefined,
    info: documentation ?? undefined,
    type:
      { key: "property", type: "type", node: "class", tool: "function", root: "variable", operator: "keyword" }[kind] ??
      "constant",
    boost: -Math.min(index, 99),
    apply: (view) =>
      view.dispatch({ changes: inserted(edit), selection: { anchor: edit.span.start + edit.text.length } }),
  }));
  return { from: Math.min(...found.map(({ edit }) => edit.span.start)), options };
}

function hovered(found) {
  if (found === null) return null;
  const create = () => {
    const dom = globalThis.document.createElement("div");
    // Markdown; a page that wants it drawn gives it to a library of its choice, which must allow no markup from within.
    dom.textContent = found.markdown;
    return { dom };
  };
  return { pos: found.span.start, end: found.span.end, create };
}
