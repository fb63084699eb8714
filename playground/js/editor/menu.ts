/** A menu and a one-line prompt in the text. Escape closes them. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, showTooltip, type Tooltip } from "@codemirror/view";

export interface Choice {
  readonly label: string;
  readonly detail?: string;
  choose(): void;
}

const setMenu = StateEffect.define<Tooltip | null>();

const field = StateField.define<Tooltip | null>({
  create: () => null,
  update(menu, { docChanged, effects }) {
    const menuEffect = effects.findLast((effect) => effect.is(setMenu));
    return menuEffect ? menuEffect.value : docChanged ? null : menu;
  },
  provide: (field) => showTooltip.from(field),
});

export const menus: Extension = field;

export function closeMenu(view: EditorView): void {
  if (view.state.field(field, false)) view.dispatch({ effects: setMenu.of(null) });
  view.focus();
}

function openTooltip(view: EditorView, pos: number, dom: HTMLElement, focus: () => void): void {
  const closeIfLeft = ({ relatedTarget }: FocusEvent): void => {
    // The editor's next task also removes the menu.
    if (!dom.contains(relatedTarget as Node | null))
      setTimeout(() => dom.isConnected && view.dispatch({ effects: setMenu.of(null) }));
  };
  dom.addEventListener("focusout", closeIfLeft);
  dom.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    closeMenu(view);
  });
  const create = (): { dom: HTMLElement; mount: () => void } => ({ dom, mount: () => setTimeout(focus) });
  view.dispatch({ effects: setMenu.of({ pos, above: false, create }) });
}

export function openMenu(view: EditorView, pos: number, label: string, choices: readonly Choice[]): void {
  const dom = document.createElement("div");
  dom.className = "text-menu";
  dom.setAttribute("role", "menu");
  dom.setAttribute("aria-label", label);
  const items = choices.map(({ label, detail, choose }) => {
    const item = document.createElement("button");
    item.type = "button";
    item.setAttribute("role", "menuitem");
    item.tabIndex = -1;
    item.append(label);
    if (detail) {
      const more = document.createElement("span");
      more.className = "text-menu-detail";
      more.textContent = detail;
      item.append(" ", more);
    }
    item.addEventListener("click", () => {
      closeMenu(view);
      choose();
    });
    return item;
  });
  dom.append(...items);
  dom.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  });
  openTooltip(view, pos, dom, () => items[0]?.focus());
}

/** `accept` returns an error, or null. */
export function openPrompt(
  view: EditorView,
  pos: number,
  label: string,
  value: string,
  accept: (value: string) => Promise<string | null>,
): void {
  const dom = document.createElement("div");
  dom.className = "text-ask";
  const input = document.createElement("input");
  input.value = value;
  input.spellcheck = false;
  input.setAttribute("aria-label", label);
  const error = document.createElement("p");
  error.setAttribute("role", "alert");
  error.id = "text-ask-wrong";
  input.setAttribute("aria-describedby", error.id);
  dom.append(input, error);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    void accept(input.value.trim()).then((problem) => {
      if (problem === null) closeMenu(view);
      error.textContent = problem ?? "";
      input.setAttribute("aria-invalid", String(problem !== null));
    });
  });
  openTooltip(view, pos, dom, () => {
    input.focus();
    input.select();
  });
}
