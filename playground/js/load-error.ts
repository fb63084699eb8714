/** What the page says when a part of itself can't be loaded: it has no words of its own then. */

const spanish = navigator.language.startsWith("es");

/** Shows that the page, or a part of it, is not there. */
export function tellBroken(what: "page" | "part", error: unknown): void {
  // One alert is enough, however often something is tried.
  document.querySelector(".broken")?.remove();
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  said.className = "broken";
  said.textContent = `${sentence(what)} (${error instanceof Error ? error.message : String(error)})`;
  document.body.prepend(said);
}

function sentence(what: "page" | "part"): string {
  if (what === "page") return spanish ? "La página no pudo iniciarse." : "The page could not start.";
  return spanish
    ? "No se pudo cargar una parte de la página. Vuelva a cargarla; los cambios guardados siguen ahí."
    : "A part of the page could not be loaded. Reload it; saved changes are kept.";
}
