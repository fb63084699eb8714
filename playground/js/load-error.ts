/** The message for failed loads, without the page's texts. */

import { isSpanish } from "./page-language.js";

export function showLoadError(what: "page" | "part", error: unknown): void {
  document.querySelector(".load-error")?.remove();
  const alert = document.createElement("p");
  alert.setAttribute("role", "alert");
  alert.className = "load-error";
  alert.textContent = `${sentence(what)} (${error instanceof Error ? error.message : String(error)})`;
  document.body.prepend(alert);
}

function sentence(what: "page" | "part"): string {
  const spanish = isSpanish();
  if (what === "page") return spanish ? "La página no pudo iniciarse." : "The page could not start.";
  return spanish
    ? "No se pudo cargar una parte de la página. Vuelva a cargarla; los cambios guardados siguen ahí."
    : "A part of the page could not be loaded. Reload it; saved changes are kept.";
}
