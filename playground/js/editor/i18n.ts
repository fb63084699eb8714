/**
 * What the text pane says, in both languages. Its own sentences stand here with CodeMirror's, which asks for them by
 * their English.
 */

const spanish: Readonly<Record<string, string>> = {
  // CodeMirror's own.
  "Control character": "Carácter de control",
  "Selection deleted": "Selección borrada",
  "Folded lines": "Líneas plegadas",
  "Unfolded lines": "Líneas desplegadas",
  to: "a",
  "folded code": "texto plegado",
  unfold: "desplegar",
  "Fold line": "Plegar línea",
  "Unfold line": "Desplegar línea",
  "Go to line": "Ir a la línea",
  go: "ir",
  Find: "Buscar",
  Replace: "Reemplazar",
  next: "siguiente",
  previous: "anterior",
  all: "todas",
  "match case": "mayúsculas y minúsculas",
  "by word": "palabra entera",
  regexp: "expresión regular",
  replace: "reemplazar",
  "replace all": "reemplazar todas",
  close: "cerrar",
  "current match": "coincidencia actual",
  "replaced $ matches": "$ coincidencias reemplazadas",
  "replaced match on line $": "coincidencia reemplazada en la línea $",
  "on line": "en la línea",
  Completions: "Sugerencias",
  // The pane's.
  Fix: "Corregir",
  "Fix: $": "Corregir: $",
  "What can be done here": "Qué se puede hacer aquí",
  "Nothing can be done here": "Aquí no hay nada que hacer",
  References: "Referencias",
  "Line $": "Línea $",
  "New name": "Nombre nuevo",
  "Nothing here can be renamed": "Aquí no hay nada que renombrar",
  "Nothing is known of this": "De esto no se sabe nada",
  "The text is written the usual way already": "El texto ya está escrito de la forma habitual",
  error: "error",
  warning: "aviso",
  hint: "sugerencia",
  "Ln $": "Lín. $",
  "Col $": "Col. $",
  "$ selected": "$ seleccionados",
  "Esc, then Tab leaves the text": "Esc y luego Tab para salir del texto",
  "read-only": "solo lectura",
  rename: "renombrar",
  format: "dar formato",
  fix: "corregir",
};

/** The sentences of a language; English needs none. */
export function phrases(lang: string): Readonly<Record<string, string>> {
  return lang.startsWith("es") ? spanish : {};
}
