/**
 * Edits a plan in CodeMirror 6. The view sends its changes to the document of `stepgraph/editor`, and shows the
 * document's diagnostics with fixes, completions and hovers. Both count offsets in UTF-16 units, so none is converted.
 *
 *     const document = new PlanDocument(text, { tools });
 *     new EditorView({ doc: text, extensions: [basicSetup, plans(document)], parent });
 */
import { autocompletion } from "@codemirror/autocomplete";
import { linter } from "@codemirror/lint";
import { EditorView, hoverTooltip } from "@codemirror/view";

/** All extensions for one view of one plan. The view and the document must start with the same text. */
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

/** Applies edits to the plan as one undo step. Returns the reason if the edits are impossible, otherwise null. */
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

/** CodeMirror asks after every key. Answers only explicit requests, and keys that can start a completion. */
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
    // This is Markdown. If you render it, use a library that allows no embedded HTML.
    dom.textContent = found.markdown;
    return { dom };
  };
  return { pos: found.span.start, end: found.span.end, create };
}
