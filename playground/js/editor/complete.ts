/** Completes text with the language service. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion as Option,
  type CompletionContext,
  type CompletionResult,
  snippet,
  startCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import type { Completion } from "stepgraph/editor/web";
import { completionDetail, editorMarkdown } from "../engine-messages.js";
import { toEditorOffset, toFileOffset } from "./line-endings.js";
import { renderMarkdown } from "./markdown.js";
import type { PaneHost } from "./pane.js";
import type { LanguageService } from "./service.js";

/** Slower answers make completion wait for a typing pause. */
const FAST_ANSWER_MS = 20;
const MAX_DELAY_MS = 400;

export function completion(host: PaneHost, service: LanguageService): Extension {
  let cost = 0;
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context;
    // Answers explicit requests and after text, but not in blank lines or comments.
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    if (!explicit && (before.trim() === "" || /(?:^|\s)#/.test(before) || !/[\w.${"'-]$|[:\-[{,] $/.test(before)))
      return null;
    if (!explicit && cost > FAST_ANSWER_MS)
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_DELAY_MS, 2 * cost)));
    if (context.aborted) return null;
    const begin = performance.now();
    const found = await service.request("complete", toFileOffset(state.doc, pos, host.lineEnding()));
    cost = performance.now() - begin;
    if (!found || found.length === 0) return null;
    const from = Math.min(
      ...found.map(({ edit }) => toEditorOffset(state.doc, edit.span.start, host.lineEnding())),
      pos,
    );
    const toEditor = (at: number): number => toEditorOffset(state.doc, at, host.lineEnding());
    return {
      from,
      options: found.map((option, index) => toOption(inLanguage(option, host.lang()), index, from, pos, toEditor)),
      validFor: /^[\w-]*$/,
    };
  };
  return [
    autocompletion({
      override: [source],
      maxRenderedOptions: 60,
      icons: true,
      interactionDelay: 60,
      tooltipClass: () => "text-completions",
    }),
    closeBrackets(),
    keymap.of(closeBracketsKeymap),
  ];
}

const TYPES: Readonly<Record<string, string>> = {
  key: "property",
  type: "type",
  node: "class",
  tool: "function",
  model: "interface",
  root: "variable",
  property: "property",
  operator: "keyword",
  function: "function",
  value: "constant",
  snippet: "text",
};

function inLanguage(found: Completion, lang: string): Completion {
  const { kind, detail, documentation } = found;
  return {
    ...found,
    detail: detail === null ? null : completionDetail(lang, kind, detail),
    documentation: documentation === null ? null : editorMarkdown(lang, documentation),
  };
}

function toOption(
  found: Completion,
  index: number,
  from: number,
  cursor: number,
  toEditor: (at: number) => number,
): Option {
  const { label, filter, detail, documentation, kind, edit } = found;
  // Relative, because more text may follow meanwhile.
  const [lead, tail] = [toEditor(edit.span.start) - from, toEditor(edit.span.end) - cursor];
  return {
    label: filter,
    displayLabel: label,
    type: TYPES[kind] ?? "constant",
    boost: -Math.min(index, 99),
    ...(detail === null ? {} : { detail }),
    ...(documentation === null ? {} : { info: () => renderDocumentation(documentation) }),
    apply: (view: EditorView, option: Option, start: number, end: number) =>
      applyCompletion(view, found, option, start + lead, Math.max(start + lead, end + tail)),
  };
}

function renderDocumentation(markdown: string): HTMLElement {
  const dom = document.createElement("div");
  renderMarkdown(markdown, dom);
  return dom;
}

function applyCompletion(
  view: EditorView,
  { edit, snippet: stops, retriggers }: Completion,
  option: Option,
  from: number,
  to: number,
): void {
  const template = stops === null ? null : asTemplate(stops, indentBefore(view, from));
  if (template === null)
    view.dispatch({
      changes: { from, to, insert: edit.text },
      selection: { anchor: from + edit.text.length },
      userEvent: "input.complete",
      scrollIntoView: true,
    });
  else snippet(template)(view, option, from, to);
  if (retriggers) startCompletion(view);
}

function indentBefore({ state }: EditorView, at: number): string {
  return /^ */.exec(state.doc.lineAt(at).text)![0];
}

/** Converts an LSP snippet to CodeMirror, which indents all lines alike. Null if a line is indented less. */
export function asTemplate(stops: string, indent: string): string | null {
  const [first, ...rest] = stops.split("\n");
  if (rest.some((line) => !line.startsWith(indent))) return null;
  const text = [first!, ...rest.map((line) => line.slice(indent.length))].join("\n");
  return text.replace(
    /\\([$}\\])|\$\{(\d+):([^}]*)\}|\$(\d+)|[{}]/g,
    (all, kept?: string, number?: string, name?: string, bare?: string) => {
      if (kept !== undefined) return kept === "}" ? "\\}" : kept;
      const at = number ?? bare;
      if (at === undefined) return `\\${all}`;
      return `\${${at === "0" ? "99" : at}${name === undefined ? ":" : `:${name}`}}`;
    },
  );
}
