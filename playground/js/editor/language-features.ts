/** Features that load at first use. */
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
import { hoverCards } from "./hover.js";
import { completion } from "./complete.js";
import { setSemanticTokens } from "./highlighting.js";
import { toEditorOffset } from "./line-endings.js";
import type { EditorAction as Name } from "./keys.js";
import { menus } from "./menu.js";
import { Navigation } from "./navigation.js";
import type { PaneHost } from "./pane.js";
import { goToProblem } from "./problems.js";
import { LanguageService } from "./service.js";
import { horizontalScroll } from "./horizontal-scroll.js";

/** Defined by the pane. */
const OWN_KEYS = new Set(["Mod-f", "Mod-Alt-g", "Mod-d"]);
const TOKENS_DELAY_MS = 150;

/** Performs actions by name. */
export function languageFeatures(host: PaneHost): (name: Name) => void {
  const { view } = host;
  const { doc } = view.state;
  const service = new LanguageService(doc.sliceString(0, doc.length, host.lineEnding()));
  host.setTextListener(service);
  const hoverCard = hoverCards(host, service);
  const navigate = new Navigation(host, service);
  const searching = [
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    keymap.of(searchKeymap.filter(({ key }) => !OWN_KEYS.has(key ?? ""))),
  ];
  host.addExtension([
    completion(host, service),
    Prec.high(hoverCard.extension),
    menus,
    navigate.extension,
    searching,
    horizontalScroll,
    semanticTokens(host, service),
  ]);
  const show = (view: EditorView): void => void hoverCard.show(view);
  const services: Record<Name, () => unknown> = {
    complete: () => startCompletion(view),
    hover: () => hoverCard.show(view),
    definition: () => navigate.definition(),
    references: () => navigate.references(),
    rename: () => navigate.rename(),
    actions: () => navigate.actions(),
    format: () => navigate.format(),
    "next-problem": () => goToProblem(true, show)(view),
    "previous-problem": () => goToProblem(false, show)(view),
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

function semanticTokens(host: PaneHost, service: LanguageService): Extension {
  return ViewPlugin.fromClass(
    class {
      #timer = 0;

      constructor(readonly view: EditorView) {
        this.#later(0);
      }

      update({ docChanged }: ViewUpdate): void {
        if (docChanged) this.#later(TOKENS_DELAY_MS);
      }

      #later(ms: number): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.#ask(), ms);
      }

      async #ask(): Promise<void> {
        const { doc } = this.view.state;
        const found = await service.request("tokens");
        if (!found || this.view.state.doc !== doc) return;
        const { tokens, kinds } = found;
        if (host.lineEnding() !== "\n")
          for (let at = 0; at < tokens.length; at++)
            if (at % 4 < 2) tokens[at] = toEditorOffset(doc, tokens[at]!, host.lineEnding());
        this.view.dispatch({ effects: setSemanticTokens.of({ tokens, kinds }) });
      }

      destroy(): void {
        clearTimeout(this.#timer);
      }
    },
  );
}
