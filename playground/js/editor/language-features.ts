/**
 * What the pane has once somebody works in it: completion, cards, names, finding, and the meaning of words. Loaded
 * then, and not before, as is the language service behind it.
 */
import { startCompletion } from "@codemirror/autocomplete";
import {
  gotoLine,
  highlightSelectionMatches,
  openSearchPanel,
  search,
  searchKeymap,
  selectNextOccurrence,
} from "@codemirror/search";
import { type Extension, Prec } from "@codemirror/state";
import { type EditorView, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { cards } from "./hover.js";
import { completion } from "./complete.js";
import { setMeanings } from "./highlighting.js";
import { inward } from "./line-endings.js";
import type { EditorAction as Name } from "./keys.js";
import { menus } from "./menu.js";
import { names } from "./navigation.js";
import type { PaneHost } from "./pane.js";
import { toProblem } from "./problems.js";
import { LanguageService } from "./service.js";
import { sideways } from "./horizontal-scroll.js";

/** Keys that stand in the pane's own table. */
const OWN = new Set(["Mod-f", "Mod-Alt-g", "Mod-d"]);
/** So long after the last letter words are looked at anew. */
const REST_MS = 150;

/** Gives a pane all of it; the answer does one of it by its name. */
export function assist(host: PaneHost): (name: Name) => void {
  const { view } = host;
  const { doc } = view.state;
  const service = new LanguageService(doc.sliceString(0, doc.length, host.end()));
  host.follow(service);
  const card = cards(host, service);
  const known = names(host, service);
  const searching = [
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    keymap.of(searchKeymap.filter(({ key }) => !OWN.has(key ?? ""))),
  ];
  host.extend([
    completion(host, service),
    Prec.high(card.extension),
    menus,
    known.extension,
    searching,
    sideways,
    meaning(host, service),
  ]);
  const show = (view: EditorView): void => void card.show(view);
  const services: Record<Name, () => unknown> = {
    complete: () => startCompletion(view),
    hover: () => card.show(view),
    definition: () => known.definition(),
    references: () => known.references(),
    rename: () => known.rename(),
    actions: () => known.actions(),
    format: () => known.format(),
    "next-problem": () => toProblem(true, show)(view),
    "previous-problem": () => toProblem(false, show)(view),
    find: () => openSearchPanel(view),
    replace: () => {
      openSearchPanel(view);
      view.dom.querySelector<HTMLInputElement>(".cm-search [name=replace]")?.select();
    },
    line: () => gotoLine(view),
    "select-next": () => selectNextOccurrence(view),
  };
  return (name) => void services[name]();
}

/** Asks for the meaning of the words whenever the text has rested. */
function meaning(host: PaneHost, service: LanguageService): Extension {
  return ViewPlugin.fromClass(
    class {
      #timer = 0;

      constructor(readonly view: EditorView) {
        this.#later(0);
      }

      update({ docChanged }: ViewUpdate): void {
        if (docChanged) this.#later(REST_MS);
      }

      #later(ms: number): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.#ask(), ms);
      }

      async #ask(): Promise<void> {
        const { doc } = this.view.state;
        const found = await service.ask("tokens");
        if (!found || this.view.state.doc !== doc) return;
        const { tokens, kinds } = found;
        if (host.end() !== "\n")
          for (let at = 0; at < tokens.length; at++) if (at % 4 < 2) tokens[at] = inward(doc, tokens[at]!, host.end());
        this.view.dispatch({ effects: setMeanings.of({ tokens, kinds }) });
      }

      destroy(): void {
        clearTimeout(this.#timer);
      }
    },
  );
}
