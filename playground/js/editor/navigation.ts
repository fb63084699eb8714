/** Definitions, references, rename, code actions and format. */
import { EditorSelection, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import type { Span, TextChange } from "stepgraph/editor/web";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { engineMessage, engineTitle } from "../engine-messages.js";
import { applyFix } from "./hover.js";
import { toEditorChanges, toEditorOffset, toFileOffset } from "./line-endings.js";
import { openPrompt, type Choice, openMenu } from "./menu.js";
import type { PaneHost } from "./pane.js";
import { currentFix, problemsAt } from "./problems.js";
import type { LanguageService, EditOutcome } from "./service.js";

interface TextRange {
  readonly from: number;
  readonly to: number;
}

export class Navigation {
  readonly extension: Extension;
  readonly #host: PaneHost;
  readonly #view: EditorView;
  readonly #service: LanguageService;

  constructor(host: PaneHost, service: LanguageService) {
    this.#host = host;
    this.#view = host.view;
    this.#service = service;
    this.extension = [linkClicks((at) => void this.definition(at)), highlightReferences(service, host)];
  }

  async definition(at = this.#head()): Promise<void> {
    const found = await this.#service.request("definition", this.#toFile(at));
    if (found) selectRange(this.#view, this.#toRange(found));
  }

  async references(): Promise<void> {
    const view = this.#view;
    const { doc } = view.state;
    const found = (await this.#service.request("references", this.#toFile())) ?? [];
    const ranges = found.map((span) => this.#toRange(span));
    if (ranges.length === 0 || view.state.doc !== doc) return this.#notify("No references found");
    const choices = ranges.slice(0, 200).map((range): Choice => {
      const line = doc.lineAt(range.from);
      return {
        label: view.state.phrase("Line $", line.number),
        detail: line.text.trim().slice(0, 60),
        choose: () => selectRange(view, range),
      };
    });
    openMenu(view, this.#head(), view.state.phrase("References"), choices);
  }

  async rename(): Promise<void> {
    const view = this.#view;
    const { doc, readOnly } = view.state;
    const found = readOnly ? null : await this.#service.request("prepareRename", this.#toFile());
    if (!found || view.state.doc !== doc) return this.#notify("This can't be renamed");
    const { from } = this.#toRange(found.span);
    openPrompt(view, from, view.state.phrase("New name"), found.name, async (name) => {
      const edited = name === found.name ? null : await this.#service.request("rename", found.span.start, name);
      return edited ? this.#apply(edited, "rename") : null;
    });
  }

  async actions(): Promise<void> {
    const view = this.#view;
    const { from, to } = view.state.selection.main;
    const { doc, readOnly } = view.state;
    const span = { start: this.#toFile(from), end: this.#toFile(to) };
    const found = readOnly ? [] : ((await this.#service.request("actions", span)) ?? []);
    if (view.state.doc !== doc) return;
    const known = new Set(found.map(({ code }) => code));
    const fixes = readOnly
      ? []
      : problemsAt(view.state, from, to).filter(
          (problem) => currentFix(view.state, problem).length > 0 && !known.has(problem.code as never),
        );
    const choices: Choice[] = [
      ...fixes.map((problem) => ({
        label: view.state.phrase("Fix: $", problem.message),
        choose: () => applyFix(view, this.#host, problem),
      })),
      ...found.map(({ title, changes }) => ({
        label: engineTitle(this.#host.lang(), title),
        choose: () => this.#write(changes, "fix"),
      })),
    ];
    if (choices.length === 0) this.#notify("No code actions available");
    else openMenu(view, this.#head(), view.state.phrase("Code actions"), choices);
  }

  async format(): Promise<void> {
    const { doc, readOnly } = this.#view.state;
    const edited = readOnly ? null : await this.#service.request("format");
    if (!edited || this.#view.state.doc !== doc) return;
    if (!edited.refused && edited.changes.length === 0) return this.#notify("The text is already formatted");
    const refused = this.#apply(edited, "format");
    if (refused !== null) this.#notify(refused);
  }

  #head(): number {
    return this.#view.state.selection.main.head;
  }

  #toFile(at = this.#head()): number {
    return toFileOffset(this.#view.state.doc, at, this.#host.lineEnding());
  }

  #toRange({ start, end }: Span): TextRange {
    const { doc } = this.#view.state;
    return {
      from: toEditorOffset(doc, start, this.#host.lineEnding()),
      to: toEditorOffset(doc, end, this.#host.lineEnding()),
    };
  }

  #notify(text: string): void {
    this.#host.listener("notice", this.#view.state.phrase(text));
  }

  /** Returns a refusal's reason. */
  #apply({ changes, refused }: EditOutcome, name: string): string | null {
    if (refused) {
      const texts = [refused.message, refused.help].filter((text) => text !== null && text !== "") as string[];
      return texts.map((text) => engineMessage(this.#host.lang(), refused.code, text)).join(": ");
    }
    this.#write(changes, name);
    return null;
  }

  #write(changes: readonly TextChange[], name: string): void {
    const edits = changes.map(({ span, text }) => ({ ...span, text }));
    this.#view.dispatch({
      changes: toEditorChanges(edits, this.#view.state.doc, this.#host.lineEnding()),
      userEvent: `command.${name}`,
      scrollIntoView: true,
    });
  }
}

function selectRange(view: EditorView, { from, to }: TextRange): void {
  view.dispatch({
    selection: EditorSelection.range(from, to),
    effects: EditorView.scrollIntoView(from, { y: "center" }),
    userEvent: "select.jump",
  });
  view.focus();
}

/** Ctrl makes names look like links. */
function linkClicks(definition: (at: number) => void): Extension {
  const setLinking = (view: EditorView, is: boolean): void => void view.dom.classList.toggle("is-linking", is);
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      if (!(event.ctrlKey || event.metaKey) || event.button !== 0 || event.altKey) return false;
      const at = view.posAtCoords(event);
      if (at === null) return false;
      event.preventDefault();
      definition(at);
      return true;
    },
    mousemove: (event, view) => setLinking(view, event.ctrlKey || event.metaKey),
    keyup: (event, view) => setLinking(view, event.ctrlKey || event.metaKey),
    blur: (_event, view) => setLinking(view, false),
  });
}

const setReferences = StateEffect.define<readonly TextRange[]>();
const referenceMark = Decoration.mark({ class: "cm-reference" });

/** Waits for a pause. */
function highlightReferences(service: LanguageService, host: PaneHost): Extension {
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(marks, { changes, effects }) {
      const referencesEffect = effects.findLast((effect) => effect.is(setReferences));
      return referencesEffect
        ? Decoration.set(referencesEffect.value.map(({ from, to }): Range<Decoration> => referenceMark.range(from, to)))
        : marks.map(changes);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
  const plugin = ViewPlugin.fromClass(
    class {
      #timer = 0;

      update({ view, docChanged, selectionSet }: ViewUpdate): void {
        if (!docChanged && !selectionSet) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.#look(view), 250);
      }

      async #look(view: EditorView): Promise<void> {
        const {
          doc,
          selection: { main },
        } = view.state;
        const found =
          main.empty && view.hasFocus
            ? ((await service.request("references", toFileOffset(doc, main.head, host.lineEnding()))) ?? [])
            : [];
        if (view.state.doc !== doc || (found.length === 0 && view.state.field(field).size === 0)) return;
        const spots = found.slice(0, 500).map(({ start, end }) => ({
          from: toEditorOffset(doc, start, host.lineEnding()),
          to: toEditorOffset(doc, end, host.lineEnding()),
        }));
        view.dispatch({ effects: setReferences.of(spots.length > 1 ? spots.filter(({ from, to }) => to > from) : []) });
      }

      destroy(): void {
        clearTimeout(this.#timer);
      }
    },
  );
  return [field, plugin];
}
