/** Messages about values and JSON Schemas, such as the arguments of a tool. Spanish by English. */
import type { Translations } from "./template.js";

export const values: Translations = {
  // A value does not fit its schema.
  "{kind} is {kind}, expected {kind}": "{1} es {2}, se esperaba {3}",
  "{kind} is {kind}, expected {list}": "{1} es {2}, se esperaba {3}",
  "{kind} is {kind}, expected one of {list}": "{1} es {2}, se esperaba uno de estos: {3}",
  "{kind} has {n} character, expected at least {n}": "{1} tiene {2} carácter, y el mínimo es {3}",
  "{kind} has {n} character, expected at most {n}": "{1} tiene {2} carácter, y el máximo es {3}",
  "{kind} has {n} characters, expected at least {n}": "{1} tiene {2} caracteres, y el mínimo es {3}",
  "{kind} has {n} characters, expected at most {n}": "{1} tiene {2} caracteres, y el máximo es {3}",
  "{kind} has {n} item, expected at least {n}": "{1} tiene {2} elemento, y el mínimo es {3}",
  "{kind} has {n} item, expected at most {n}": "{1} tiene {2} elemento, y el máximo es {3}",
  "{kind} has {n} items, expected at least {n}": "{1} tiene {2} elementos, y el mínimo es {3}",
  "{kind} has {n} items, expected at most {n}": "{1} tiene {2} elementos, y el máximo es {3}",
  "{kind} has {n} entry, expected at least {n}": "{1} tiene {2} entrada, y el mínimo es {3}",
  "{kind} has {n} entry, expected at most {n}": "{1} tiene {2} entrada, y el máximo es {3}",
  "{kind} has {n} entries, expected at least {n}": "{1} tiene {2} entradas, y el mínimo es {3}",
  "{kind} has {n} entries, expected at most {n}": "{1} tiene {2} entradas, y el máximo es {3}",
  "{kind} has no `{}`": "{1} no tiene `{2}`",
  "{kind} has `{}` but no `{}`": "{1} tiene `{2}`, pero no `{3}`",
  "{kind} has none of {list}": "{1} no tiene ninguno de estos: {2}",
  "{kind} has the same item at {n} and at {n}": "{1} tiene el mismo elemento en {2} y en {3}",
  "{kind} takes no `{}`": "{1} no admite `{2}`",
  "{kind} may not have the name `{}`": "{1} no puede llamarse `{2}`",
  "{kind} may not be there": "{1} no se admite",
  "{kind} fits none of {n} forms": "{1} no encaja en ninguna de las {2} formas",
  "{kind} fits more than one of {n} forms, of which one alone may fit":
    "{1} encaja en más de una de las {2} formas, y solo puede encajar en una",
  "{kind} fits what is not allowed": "{1} encaja en lo que no se permite",
  "{kind} must hold at least {n} items of a kind, which it does not":
    "{1} tiene que contener al menos {2} elementos de un tipo, y no los contiene",
  "{kind} must hold at least {n} and at most {n} items of a kind, which it does not":
    "{1} tiene que contener entre {2} y {3} elementos de un tipo, y no los contiene",
  "{kind} does not fit": "{1} no encaja",
  "{message}, in the nearest of {n} forms": "{1}, en la más cercana de {2} formas",
  "the value and its schema are nested too deeply to be checked":
    "el valor y su esquema tienen demasiados niveles para comprobarlos",
  "the value and its schema are too large to be checked":
    "el valor y su esquema son demasiado grandes para comprobarlos",
  "the schema leads back to itself without end": "el esquema vuelve a sí mismo sin fin",
  "{message}; and {n} more": "{1}, y {2} más",
  "{message} ({message})": "{1} ({2})",
  "{kind}: {message}": "{1}: {2}",
  // Arguments of tools.
  "{kind} is text, and a tool takes a map": "{1} es un texto, y una herramienta recibe un objeto",
  "the schema of tool `{}` names no argument `{}`":
    "el esquema de la herramienta `{1}` no tiene ningún argumento `{2}`",
  "the schema of tool `{}` names no argument `{}` in `{}`":
    "el esquema de la herramienta `{1}` no tiene ningún argumento `{2}` en `{3}`",
  "the tool's schema names no argument `{}`": "el esquema de la herramienta no tiene ningún argumento `{1}`",
  "set `{}` to the tool's arguments": "ponga en `{1}` los argumentos de la herramienta",
  "write a map with an entry for each argument": "escriba un objeto con una entrada por argumento",
  "change it to match the schema of tool `{}`": "cámbielo para que se ajuste al esquema de la herramienta `{1}`",
  "change it to match the tool's schema": "cámbielo para que se ajuste al esquema de la herramienta",
  "the schema of tool `{}` can't be read in full, and is used as far as it can: {message}":
    "el esquema de la herramienta `{1}` no se puede leer entero, y se usa solo en parte: {2}",
  "correct the schema, or report this to the operator of its server":
    "corrija el esquema o avise a quien administra su servidor",
  // Schemas.
  "pass another value, or change the type of `{}` in `{}`": "pase otro valor o cambie el tipo de `{1}` en `{2}`",
  "give it a `{}`: each other input is required": "dele un `{1}`: las demás entradas son obligatorias",
  "remove it: only the names in `{}` of the map around it are required":
    "quítelo: solo son obligatorios los nombres en `{1}` del mapa que lo rodea",
  "write `{}`, or `{}` for each element": "escriba `{1}`, o `{2}` para cada elemento",
  "refer to another field, or write the value": "haga referencia a otro campo o escriba el valor",
  "`{}` is no keyword of JSON Schema": "`{1}` no es una palabra clave de JSON Schema",
  "write `{}` in quotes, which is the name of a type": "escriba `{1}` entre comillas, que es el nombre de un tipo",
  "name it in `{}` of the map around it, as in `{}`": "nómbrelo en `{1}` del mapa que lo rodea, como en `{2}`",
  "remove it: each input without a `{}` is required": "quítelo: toda entrada sin `{1}` es obligatoria",
  "write the types, as in `{}`": "escriba los tipos, como en `{1}`",
  "use a keyword of JSON Schema": "use una palabra clave de JSON Schema",
  "write it as JSON Schema, draft 2020-12, has it": "escríbalo como en JSON Schema, versión 2020-12",
  "put what is referred to into `{}`": "ponga en `{1}` aquello a lo que se hace referencia",
  "`{}` leads to `{}`, which is not in this schema; nothing is fetched":
    "`{1}` lleva a `{2}`, que no está en este esquema. No se descarga nada",
  "`{}` has `{}`, which is no regular expression": "`{1}` tiene `{2}`, que no es una expresión regular",
  "`{}` is {kind}, which is no type; the nearest is `{}`": "`{1}` es {2}, que no es un tipo. El más parecido es `{3}`",
  "`{}` asks for a vocabulary that is not known": "`{1}` pide un vocabulario desconocido",
  "a schema is a map, `true` or `false`, not {kind}": "un esquema es un objeto, `true` o `false`, no {1}",
  "the patterns up to `{}` are too much to be read": "los patrones hasta `{1}` son demasiados para leerlos",
  "the schema has more than {n} parts": "el esquema tiene más de {1} partes",
  "the default of input `{}` does not fit: {message}": "el valor por defecto de la entrada `{1}` no encaja: {2}",
  "change the default, or its schema": "cambie el valor por defecto o su esquema",
  // Inputs of runs.
  "the plan declares no input `{}`": "el plan no declara ninguna entrada `{1}`",
  "the plan declares no input `{}` (did you mean `{}`?)":
    "el plan no declara ninguna entrada `{1}` (¿quiso decir `{2}`?)",
};
