/** Shows one dialog at a time and returns the focus afterwards. A change of language or theme rebuilds it. */
import { setChildren, h, uniqueId } from "./dom.js";
import { t } from "./i18n.js";

/** `onClose` runs after closing. */
export interface Dialog {
  id: string;
  title: () => string;
  modal: boolean;
  build: (inside: HTMLElement, close: () => void) => void;
  onClose?: () => void;
}

let current: { id: string; close: () => void } | null = null;

/** Closes it if open. */
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
  const look = () => `${document.documentElement.lang} ${document.documentElement.getAttribute("data-theme")}`;
  let shown = look();
  const watch = new MutationObserver(() => {
    // The page may repeat a value. Rebuilding would lose the focus.
    if (shown === look()) return;
    shown = look();
    show();
  });
  dialog.addEventListener("keydown", (event) => {
    // Keeps canvas shortcuts out.
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
