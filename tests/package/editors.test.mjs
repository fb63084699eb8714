// Tests the recipes for CodeMirror and Monaco in Chromium: typed text reaches the document, and diagnostics their
// positions.

import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { consumer, output, root } from "./consumer.mjs";
import * as kits from "./toolchains.mjs";
import { visit } from "./pages.mjs";

const TIMEOUT = { timeout: 240_000 };
const TEXT = "# 😀\nnodes:\n  a: {type: log} # first\n  b: {type: log}\nedges:\n  - {from: a, to: b}\n";

const startScript = `
  import { init, PlanDocument } from "stepgraph/editor";
  import wasm from "stepgraph/editor.wasm";
  await init(wasm);
  const text = ${JSON.stringify(TEXT)};
  const plan = new PlanDocument(text);
  const told = {};
  const until = (holds) => new Promise((resolve, reject) => {
    const look = (left) => (holds() ? resolve() : left === 0 ? reject(new Error("it did not come: " + holds)) : requestAnimationFrame(() => look(left - 1)));
    look(2000);
  });
`;

const codemirror = `
  import { basicSetup } from "codemirror";
  import { undo } from "@codemirror/commands";
  import { EditorView } from "@codemirror/view";
  import { diagnosticCount, forEachDiagnostic, forceLinting } from "@codemirror/lint";
  import { currentCompletions, startCompletion } from "@codemirror/autocomplete";
  import { edit, plans } from "./codemirror.mjs";
  ${startScript}
  const view = new EditorView({ doc: text, extensions: [basicSetup, plans(plan)], parent: document.body });
  const shown = () => view.state.doc.toString();
  const found = () => { const all = []; forEachDiagnostic(view.state, ({ source, actions }, from, to) => all.push([source, view.state.sliceDoc(from, to), actions])); return all; };
  const at = text.indexOf("to: b") + 4;
  const type = text.indexOf("type");
  view.dispatch({ changes: { from: type, to: type + 4, insert: "tpye" } });
  forceLinting(view);
  await until(() => diagnosticCount(view.state) > 0);
  told.wrong = found().map(([code, where]) => [code, where]);
  found().find(([, , actions]) => actions?.length > 0)?.[2][0].apply(view);
  told.fixed = [shown() === text, plan.text === shown()];
  view.dispatch({ changes: { from: at, to: at + 1, insert: "" }, selection: { anchor: at } });
  startCompletion(view);
  await until(() => currentCompletions(view.state).length > 0);
  const list = currentCompletions(view.state);
  told.proposed = list.map(({ displayLabel }) => displayLabel);
  list.find(({ displayLabel }) => displayLabel === "a").apply(view);
  told.completed = [view.state.doc.line(6).text, plan.text === shown()];
  told.refused = edit(view, plan, [{ op: "rename_node", node: "a", to: "hello" }]);
  told.renamed = [shown(), plan.text === shown()];
  undo(view);
  told.undone = [view.state.doc.line(3).text, plan.text === shown()];
  tell(JSON.stringify(told));
`;

/** The test calls the providers as Monaco does. */
const monaco = `
  import * as monaco from "monaco-editor";
  import { plans } from "./monaco.mjs";
  ${startScript}
  const providers = {};
  const register = (name) => (language, provider) => { providers[name] = provider; return monaco.languages[name](language, provider); };
  const languages = Object.fromEntries(Object.entries(monaco.languages).map(([name, value]) => [name, name.startsWith("register") ? register(name) : value]));
  monaco.languages.register({ id: "yaml" });
  const model = monaco.editor.createModel(text, "yaml");
  const stop = plans({ editor: monaco.editor, languages, Range: monaco.Range, MarkerSeverity: monaco.MarkerSeverity }, model, plan);
  const replace = (line, from, to, text) => model.applyEdits([{ range: new monaco.Range(line, from, line, to), text }]);
  const same = () => plan.text === model.getValue();
  replace(6, 19, 20, "c");
  told.wrong = monaco.editor.getModelMarkers({}).map(({ code, startLineNumber, startColumn }) => [code, startLineNumber, startColumn]);
  replace(6, 19, 20, "");
  const { suggestions } = providers.registerCompletionItemProvider.provideCompletionItems(model, new monaco.Position(6, 19));
  told.proposed = suggestions.map(({ label, range }) => [label.label, range.startLineNumber]);
  model.applyEdits([{ range: suggestions[0].range, text: suggestions[0].insertText }]);
  const { edits } = providers.registerRenameProvider.provideRenameEdits(model, new monaco.Position(3, 3), "hello");
  model.applyEdits(edits.map(({ textEdit }) => textEdit));
  told.renamed = [model.getLineContent(3), model.getLineContent(6), same()];
  const { range } = providers.registerDefinitionProvider.provideDefinition(model, new monaco.Position(6, 13));
  told.defined = [range.startLineNumber, range.startColumn];
  told.refused = providers.registerRenameProvider.provideRenameEdits(model, new monaco.Position(3, 3), "b").rejectReason.length > 0;
  model.setValue("nodes: {}\\n");
  told.anew = [same(), monaco.editor.getModelMarkers({}).map(({ code }) => code)];
  stop();
  tell(JSON.stringify(told));
`;

let user;
let visited;
before(async () => {
  user = consumer({ "codemirror-page.mjs": codemirror, "monaco-page.mjs": monaco });
  for (const name of ["codemirror.mjs", "monaco.mjs"])
    copyFileSync(join(root, "examples", name), join(user.folder, name));
  const folders = await Promise.all([kits.codemirror(), kits.monaco()]);
  const args = [
    "codemirror-page.mjs",
    "monaco-page.mjs",
    "--bundle",
    "--format=esm",
    "--target=es2022",
    "--outdir=dev",
    "--loader:.wasm=file",
    "--loader:.ttf=file",
    "--public-path=/dev",
  ];
  // The bundler looks in the project's own packages first, then in the editors' folders.
  await output(await kits.esbuild(), args, user.folder, { ...process.env, NODE_PATH: folders.join(":") });
  visited = await visit(user.folder, { CodeMirror: "/dev/codemirror-page.js", Monaco: "/dev/monaco-page.js" });
});
after(async () => {
  await visited?.close();
  user?.remove();
});

const readDocument = async (name) => {
  const text = await visited.told[name];
  assert.ok(text.startsWith("{"), text);
  return JSON.parse(text);
};

test("CodeMirror: diagnostics with fixes, completion, and edits as one undo step", TIMEOUT, async () => {
  const { wrong, fixed, proposed, completed, refused, renamed, undone } = await readDocument("CodeMirror");
  assert.deepEqual(wrong.slice(0, 1), [["graph/missing-type", "tpye"]]);
  assert.deepEqual(fixed, [true, true]);
  assert.ok(proposed.includes("a") && proposed.includes("b"), proposed.join(", "));
  assert.deepEqual(completed, ["  - {from: a, to: a}", true]);
  assert.deepEqual(
    [refused, renamed],
    [
      null,
      ["# 😀\nnodes:\n  hello: {type: log} # first\n  b: {type: log}\nedges:\n  - {from: hello, to: hello}\n", true],
    ],
  );
  assert.deepEqual(undone, ["  a: {type: log} # first", true]);
});

test("Monaco: markers, completion, definition, rename", TIMEOUT, async () => {
  const { wrong, proposed, renamed, defined, refused, anew } = await readDocument("Monaco");
  assert.deepEqual(wrong.slice(0, 1), [["graph/unknown-node", 6, 19]]);
  assert.ok(proposed.some(([label, line]) => label === "b" && line === 6));
  assert.equal(renamed[0], "  hello: {type: log} # first");
  assert.match(renamed[1], /from: hello/);
  assert.deepEqual([renamed[2], defined, refused, anew], [true, [3, 3], true, [true, ["graph/no-nodes"]]]);
});
