/**
 * A dialog above the page, or beside what is drawn.
 *
 * Decides how dialogs open and close: one at a time, the focus goes into it and afterwards back to where it was; Escape
 * closes it. A dialog is built anew when the page's language or theme changes, and asks again what it shows.
 */
import { setChildren, h, uniqueId } from "./dom.js";
import { t } from "./i18n.js";

/** What a dialog is. `build` gives its inside; `onClose` is called when it is closed. */
export interface Dialog {
  id: string;
  title: () => string;
  modal: boolean;
  build: (inside: HTMLElement, close: () => void) => void;
  onClose?: () => void;
}

let current: { id: string; close: () => void } | null = null;

/** Opens a dialog; one that is open already is closed instead. */
export function openDialog({ id, title, modal, build, onClose }: Dialog): void {
  const was = current?.id;
  current?.close();
  if (was === id) return;
  const before = document.activeElement;
  const label = uniqueId("dialog");
  const heading = h("h2", { id: label });
  const inside = h("div", { class: "inside" });
  const closeButton = h("button", { type: "button", class: "shut", on: { click: () => dialog.close() } }, "✕");
  const dialog = h(
    "dialog",
    { class: `dialog ${id}`, "aria-labelledby": label },
    h("div", { class: "head" }, heading, closeButton),
    inside,
  );
  const show = () => {
    heading.textContent = title();
    closeButton.setAttribute("aria-label", t("close"));
    setChildren(inside);
    build(inside, () => dialog.close());
  };
  const watch = new MutationObserver(show);
  dialog.addEventListener("keydown", (event) => {
    // Keys of the drawing mean nothing here.
    event.stopPropagation();
    if (event.key === "Escape" && !modal) dialog.close();
  });
  dialog.addEventListener("close", () => {
    watch.disconnect();
    dialog.remove();
    current = null;
    onClose?.();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  document.body.append(dialog);
  current = { id, close: () => dialog.close() };
  show();
  if (modal) dialog.showModal();
  else dialog.show();
  watch.observe(document.documentElement, { attributeFilter: ["lang", "data-theme"] });
}
