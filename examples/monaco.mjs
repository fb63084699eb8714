/**
 * Edits a plan in Monaco. The model sends its changes to the document of `stepgraph/editor`, and shows the document's
 * markers, completions, hovers, definitions and renames. Monaco counts lines and columns. Its model converts them to
 * offsets in UTF-16 units, as the document counts them.
 *
 *     const model = monaco.editor.createModel(text, "yaml");
 *     const stop = plans(monaco, model, new PlanDocument(text, { tools }));
 */

/** Connects a model with a document. Both must start with the same text. Returns a function that disconnects them. */
export function plans(monaco, model, document) {
  const span = ({ start, end }) => monaco.Range.fromPositions(model.getPositionAt(start), model.getPositionAt(end));
  const mark = () =>
    monaco.editor.setModelMarkers(
      model,
      "stepgraph",
      document.diagnostics().map((found) => marker(monaco, span, found)),
    );
  const listening = model.onDidChangeContent(({ changes, isFlush }) => {
    if (isFlush) document.setText(model.getValue());
    else
      document.change(
        changes.map(({ rangeOffset, rangeLength, text }) => ({
          span: { start: rangeOffset, end: rangeOffset + rangeLength },
          text,
        })),
      );
    mark();
  });
  const language = model.getLanguageId();
  // Monaco asks providers for every model of the language. Answer only for this one.
  const own = (asked, at, answer) => (asked === model ? answer(model.getOffsetAt(at)) : null);
  const { languages } = monaco;
  const provided = [
    languages.registerCompletionItemProvider(language, {
      triggerCharacters: [".", ":", " ", '"', "'", "{", "$", "-"],
      provideCompletionItems: (asked, at) =>
        own(asked, at, (offset) => ({
          suggestions: document.complete(offset).map((found, index) => suggestion(monaco, span, found, index)),
        })),
    }),
    languages.registerHoverProvider(language, {
      provideHover: (asked, at) =>
        own(asked, at, (offset) => {
          const found = document.hover(offset);
          return found && { range: span(found.span), contents: [{ value: found.markdown }] };
        }),
    }),
    languages.registerDefinitionProvider(language, {
      provideDefinition: (asked, at) =>
        own(asked, at, (offset) => {
          const found = document.definition(offset);
          return found && { uri: model.uri, range: span(found) };
        }),
    }),
    languages.registerRenameProvider(language, {
      provideRenameEdits: (asked, at, name) =>
        own(asked, at, (offset) => {
          const { changes, refused } = document.rename(offset, name);
          if (refused) return { edits: [], rejectReason: refused.message };
          return {
            edits: changes.map((change) => ({
              resource: model.uri,
              versionId: model.getVersionId(),
              textEdit: { range: span(change.span), text: change.text },
            })),
          };
        }),
    }),
  ];
  mark();
  return () => [listening, ...provided].forEach((one) => one.dispose());
}

function marker({ MarkerSeverity }, span, { span: place, severity, code, message, help }) {
  const { startLineNumber, startColumn, endLineNumber, endColumn } = span(place ?? { start: 0, end: 0 });
  const severities = { error: MarkerSeverity.Error, warning: MarkerSeverity.Warning, hint: MarkerSeverity.Info };
  return {
    startLineNumber,
    startColumn,
    endLineNumber,
    endColumn,
    code,
    severity: severities[severity],
    message: help ? `${message}\n${help}` : message,
  };
}

function suggestion({ languages }, span, { label, kind, detail, documentation, edit, snippet, filter, again }, index) {
  const { CompletionItemKind: kinds, CompletionItemInsertTextRule: rules } = languages;
  const known = {
    key: kinds.Property,
    type: kinds.Class,
    node: kinds.Reference,
    tool: kinds.Function,
    root: kinds.Variable,
    operator: kinds.Operator,
    snippet: kinds.Snippet,
  };
  return {
    label: { label, description: detail ?? undefined },
    kind: known[kind] ?? kinds.Value,
    documentation: documentation ? { value: documentation } : undefined,
    range: span(edit.span),
    insertText: snippet ?? edit.text,
    // The text has its final indentation already, and Monaco would add to it.
    insertTextRules: rules.KeepWhitespace | (snippet === null ? 0 : rules.InsertAsSnippet),
    filterText: filter,
    sortText: String(index).padStart(4, "0"),
    command: again ? { id: "editor.action.triggerSuggest", title: "" } : undefined,
  };
}
