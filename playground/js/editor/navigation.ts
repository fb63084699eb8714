/** Where names are made and spoken of, what they may be called, and what else can be done at a place. */
import { EditorSelection, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { applyFix } from "./hover.js";
import { toEditorChanges, toEditorOffset, toFileOffset } from "./line-endings.js";
import { openPrompt, type Choice, openMenu } from "./menu.js";
import type { PaneHost } from "./pane.js";
import { currentFix, problemsAt } from "./problems.js";
import type { LanguageService, EditOutcome } from "./service.js";
import type { Edit } from "./messages.js";

interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** What can be asked of the name at the cursor. */
export interface Navigation {
  readonly extension: Extension;
  definition(): Promise<void>;
  references(): Promise<void>;
  rename(): Promise<void>;
  actions(): Promise<void>;
  format(): Promise<void>;
}

/** The names of a pane. */
export function navigation(host: PaneHost, service: LanguageService): Navigation {
  const { view } = host;
  const head = (): number => view.state.selection.main.head;
  const toFile = (at = head()): number => toFileOffset(view.state.doc, at, host.lineEnding());
  const toRange = ({ start, end }: { start: number; end: number }): TextRange => ({
    from: toEditorOffset(view.state.doc, start, host.lineEnding()),
    to: toEditorOffset(view.state.doc, end, host.lineEnding()),
  });
  const notify = (text: string): void => host.listener("notice", view.state.phrase(text));
  const write = (edits: readonly Edit[], name: string): void =>
    view.dispatch({
      changes: toEditorChanges(edits, view.state.doc, host.lineEnding()),
      userEvent: `command.${name}`,
      scrollIntoView: true,
    });
  const apply = ({ changes, refused }: EditOutcome, name: string): string | null => {
    if (refused) return [refused.message, refused.help].filter(Boolean).join(": ");
    write(
      changes.map(({ span, text }) => ({ ...span, text })),
      name,
    );
    return null;
  };

  async function definition(at = head()): Promise<void> {
    const found = await service.request("definition", toFile(at));
    if (found) selectRange(view, toRange(found));
  }

  return {
    extension: [linkClicks((at) => void definition(at)), highlightReferences(service, host)],
    definition: () => definition(),
    async references() {
      const { doc } = view.state;
      const found = ((await service.request("references", toFile())) ?? []).map(toRange);
      if (found.length === 0 || view.state.doc !== doc) return notify("Nothing is known of this");
      const choices = found.slice(0, 200).map((part): Choice => {
        const line = doc.lineAt(part.from);
        return {
          label: view.state.phrase("Line $", line.number),
          detail: line.text.trim().slice(0, 60),
          choose: () => selectRange(view, part),
        };
      });
      openMenu(view, head(), view.state.phrase("References"), choices);
    },
    async rename() {
      const { doc } = view.state;
      const found = view.state.readOnly ? null : await service.request("prepareRename", toFile());
      if (!found || view.state.doc !== doc) return notify("Nothing here can be renamed");
      const { from } = toRange(found.span);
      openPrompt(view, from, view.state.phrase("New name"), found.name, async (name) => {
        const worked = name === found.name ? null : await service.request("rename", found.span.start, name);
        return worked ? apply(worked, "rename") : null;
      });
    },
    async actions() {
      const {
        main: { from, to },
      } = view.state.selection;
      const { doc, readOnly } = view.state;
      const found = readOnly
        ? []
        : ((await service.request("actions", { start: toFile(from), end: toFile(to) })) ?? []);
      if (view.state.doc !== doc) return;
      const known = new Set(found.map(({ code }) => code));
      const fixes = readOnly
        ? []
        : problemsAt(view.state, from, to).filter(
            (problem) => currentFix(view.state, problem).length > 0 && !known.has(problem.code as never),
          );
      const choices: Choice[] = fixes.map((problem) => ({
        label: view.state.phrase("Fix: $", problem.message),
        choose: () => applyFix(view, host, problem),
      }));
      choices.push(
        ...found.map(({ title, changes }) => ({
          label: title,
          choose: () =>
            write(
              changes.map(({ span, text }) => ({ ...span, text })),
              "fix",
            ),
        })),
      );
      if (choices.length === 0) notify("Nothing can be done here");
      else openMenu(view, head(), view.state.phrase("What can be done here"), choices);
    },
    async format() {
      const { doc } = view.state;
      const worked = view.state.readOnly ? null : await service.request("format");
      if (!worked || view.state.doc !== doc) return;
      if (!worked.refused && worked.changes.length === 0) return notify("The text is written the usual way already");
      const refused = apply(worked, "format");
      if (refused !== null) notify(refused);
    },
  };
}

/** Goes to a part of the text. */
function selectRange(view: EditorView, { from, to }: TextRange): void {
  view.dispatch({
    selection: EditorSelection.range(from, to),
    effects: EditorView.scrollIntoView(from, { y: "center" }),
    userEvent: "select.jump",
  });
  view.focus();
}

/** Ctrl+click goes to where a name is made; while Ctrl is held, names look like links. */
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

/** Wherever the name at the cursor is spoken of, once the cursor stands still. */
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
