/** Text pane texts. CodeMirror looks up phrases by their English. */
import { isSpanish } from "../page-language.js";

const spanish: Readonly<Record<string, string>> = {
  // CodeMirror's phrases.
  "Control character": "Carácter de control",
  "Selection deleted": "Selección borrada",
  "Folded lines": "Líneas plegadas",
  "Unfolded lines": "Líneas desplegadas",
  to: "a",
  "folded code": "código plegado",
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
  // Our phrases.
  Fix: "Corregir",
  "Fix: $": "Corregir: $",
  "Code actions": "Acciones de código",
  "No code actions available": "No hay acciones disponibles",
  References: "Referencias",
  "Line $": "Línea $",
  "New name": "Nombre nuevo",
  "This can't be renamed": "Esto no se puede renombrar",
  "No references found": "No se han encontrado referencias",
  "No information available": "No hay información disponible",
  "The text is already formatted": "El texto ya tiene el formato correcto",
  error: "error",
  warning: "aviso",
  hint: "sugerencia",
  "Ln $": "Lín. $",
  "Col $": "Col. $",
  "$ selected": "selección: $",
  "read-only": "solo lectura",
  rename: "renombrar",
  format: "dar formato",
  fix: "corregir",
};

export function phrases(lang: string): Readonly<Record<string, string>> {
  return isSpanish(lang) ? spanish : {};
}
