/** Shows one dialog at a time and returns the focus afterwards. A change of language or theme rebuilds it. */
import { setChildren, h, uniqueId } from "./dom.js";
import { t } from "./i18n.js";

/** `onClose` runs after closing. `isBusy`: closing would stop work, so the dialog asks first. */
export interface Dialog {
  id: string;
  title: () => string;
  modal: boolean;
  build: (inside: HTMLElement, close: () => void) => void;
  isBusy?: () => boolean;
  onClose?: () => void;
}

let current: { id: string; close: () => void } | null = null;

/** A second call with the same id closes it. */
export function openDialog({ id, title, modal, build, isBusy, onClose }: Dialog): void {
  const was = current?.id;
  current?.close();
  if (was === id) return;
  const before = document.activeElement;
  const label = uniqueId("dialog");
  const heading = h("h2", { id: label });
  const inside = h("div", { class: "inside" });
  const closeButton = h("button", { type: "button", class: "shut", on: { click: () => leave() } }, "✕");
  const leave = () => (isBusy?.() ? askToStop(inside, () => dialog.close()) : dialog.close());
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
  const look = () => `${document.documentElement.lang} ${document.documentElement.getAttribute("data-theme")}`;
  let shown = look();
  const watch = new MutationObserver(() => {
    // The page may repeat a value. Rebuilding would lose the focus, and stop what runs here.
    if (shown === look() || isBusy?.()) return;
    shown = look();
    show();
  });
  dialog.addEventListener("keydown", (event) => {
    // Keeps canvas shortcuts out.
    event.stopPropagation();
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    // Chromium closes a modal dialog at the second Escape, whatever its `cancel` event says.
    event.preventDefault();
    leave();
  });
  // Other keys than Escape close dialogs on phones. A file picker's event bubbles.
  dialog.addEventListener("cancel", (event) => {
    if (event.target !== dialog) return;
    event.preventDefault();
    leave();
  });
  const own = { id, close: () => dialog.close() };
  // The event comes later: another dialog may be open by then.
  dialog.addEventListener("close", () => {
    watch.disconnect();
    dialog.remove();
    onClose?.();
    if (current !== own) return;
    current = null;
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  document.body.append(dialog);
  current = own;
  show();
  if (modal) dialog.showModal();
  else dialog.show();
  watch.observe(document.documentElement, { attributeFilter: ["lang", "data-theme"] });
}

function askToStop(inside: HTMLElement, close: () => void): void {
  inside.querySelector(".closing")?.remove();
  const stay = h("button", { type: "button", on: { click: () => question.remove() } }, t("keepOpen"));
  const stop = h("button", { type: "button", on: { click: close } }, t("stopAndClose"));
  const question = h(
    "div",
    { class: "banner open closing", role: "alert" },
    h("strong", {}, t("closingStops")),
    h("p", { class: "acts" }, stop, stay),
  );
  inside.prepend(question);
  question.scrollIntoView({ block: "nearest" });
  stay.focus();
}
