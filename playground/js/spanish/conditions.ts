/** Messages about conditions, templates and references. Spanish by English. */
import type { Translations } from "./template.js";

export const conditions: Translations = {
  // Literals.
  "digits are missing after `{}`": "faltan dígitos después de `{1}`",
  "write hexadecimal digits, as in `{}`": "escriba dígitos hexadecimales, como en `{1}`",
  "the value can't be written as JSON": "el valor no se puede escribir como JSON",
  "pass data without cycles and with at most 128 levels": "dé datos sin ciclos y con 128 niveles como máximo",
  "a list has square brackets": "una lista lleva corchetes",
  "there is no test `{}`": "no hay ninguna prueba `{1}`",
  "`{}` stands beside node `{}`, not in it": "`{1}` está al lado del nodo `{2}`, no dentro de él",
  "indent the settings of `{}` deeper than `{}`": "sangre los ajustes de `{1}` más que `{2}`",
  "write `{}` to read a time from text": "escriba `{1}` para leer una hora de un texto",
  "write `{}` to test whether a value is there, or `{}`": "escriba `{1}` para comprobar si hay un valor, o `{2}`",
  "use `{}` or `{}`, or in `{}` the variable `{}`": "use `{1}` o `{2}`, o en `{3}` la variable `{4}`",
  "`{}` has no blanks, so it is text here": "`{1}` no lleva espacios, así que aquí es texto",
  "write blanks around `+` to calculate, or put the text in quotes":
    "escriba espacios alrededor de `+` para calcular, o ponga el texto entre comillas",
  "`{}` is no expression, so it is text here": "`{1}` no es una expresión, así que aquí es texto",
  "correct the expression, or put the text in quotes": "corrija la expresión o ponga el texto entre comillas",
  "`{}` is text here": "`{1}` es texto aquí",
  "write `{}`, or put the text in quotes": "escriba `{1}` o ponga el texto entre comillas",
  "`{}` looks like another comparison": "`{1}` parece otra comparación",
  "write `{}` if it is meant as text, or join conditions with `{}`":
    "escriba `{1}` si es un texto, o una las condiciones con `{2}`",
  "the curly quotes belong to the literal `{}`": "las comillas tipográficas forman parte del literal `{1}`",
  "write straight quotes": "escriba comillas rectas",
  "the literal `{}` begins with a third `{}`": "el literal `{1}` empieza por un tercer `{2}`",
  "write `{}`, or put the literal in quotes": "escriba `{1}` o ponga el literal entre comillas",
  "`{}` and what follows it belong to the literal `{}`": "`{1}` y lo que le sigue forman parte del literal `{2}`",
  "write `{}` to join conditions, or put the literal in quotes":
    "escriba `{1}` para unir condiciones o ponga el literal entre comillas",
  "the comment belongs to the literal `{}`": "el comentario forma parte del literal `{1}`",
  "put the literal in quotes, or remove the comment": "ponga el literal entre comillas o quite el comentario",
  "`{}` is compared as text": "`{1}` se compara como texto",
  "write `{}` for the value, or `{}` for the text": "escriba `{1}` para el valor o `{2}` para el texto",
  "did you mean `{}`? Put the text in quotes if not": "¿quiso decir `{1}`? Si no, ponga el texto entre comillas",
  "`{}` is text and no number": "`{1}` es un texto y no un número",
  "write the number without quotes": "escriba el número sin comillas",
  // Comparisons that never hold.
  "this condition can't hold": "esta condición no se puede cumplir",
  "`{}` is never `{}`": "`{1}` nunca es `{2}`",
  "`{}` is from {n} to {n}, and never `{}`": "`{1}` está entre {2} y {3}, y nunca es `{4}`",
  "`{}` is {kind}, and never `{}`": "`{1}` es {2}, y nunca `{3}`",
  "`{}` is {list}, and never `{}`": "`{1}` es {2}, y nunca `{3}`",
  "`{}` is {kind}, and never empty text": "`{1}` es {2}, y nunca un texto vacío",
  "write a value to compare with": "escriba un valor con que comparar",
  "`{}` is {kind}, which contains nothing": "`{1}` es {2}, que no contiene nada",
  "the comparison never holds: `{}` is from {n} to {n}":
    "la comparación no se cumple nunca: `{1}` está entre {2} y {3}",
  "the comparison never holds: `{}` is {kind}": "la comparación no se cumple nunca: `{1}` es {2}",
  "the comparison never holds: `{}` is {list}": "la comparación no se cumple nunca: `{1}` es {2}",
  "the comparison never holds: `{}` contains only {kind}": "la comparación no se cumple nunca: `{1}` solo contiene {2}",
  "the comparison never holds: `{}` contains only {list}": "la comparación no se cumple nunca: `{1}` solo contiene {2}",
  "the comparison holds for each value: `{}` is from {n} to {n}":
    "la comparación se cumple para todo valor: `{1}` está entre {2} y {3}",
  "the comparison holds for each value: `{}` is {kind}": "la comparación se cumple para todo valor: `{1}` es {2}",
  "the comparison holds for each value: `{}` is {list}": "la comparación se cumple para todo valor: `{1}` es {2}",
  "the comparison holds for each value: `{}` contains only {kind}":
    "la comparación se cumple para todo valor: `{1}` solo contiene {2}",
  "the comparison holds for each value: `{}` contains only {list}":
    "la comparación se cumple para todo valor: `{1}` solo contiene {2}",
  "the comparison never holds: {kind} differs from {kind}": "la comparación no se cumple nunca: {1} no es {2}",
  "the comparison holds for each value: {kind} differs from {kind}":
    "la comparación se cumple para todo valor: {1} no es {2}",
  "a decision is `{}` or `{}`, and `{}` only if a person writes that":
    "una decisión es `{1}` o `{2}`, y solo es `{3}` si una persona lo escribe",
  "compare it with a code such as `{}`": "compárelo con un código como `{1}`",
  "the condition is empty, so the edge is taken if no other one is":
    "la condición está vacía, así que se toma esta arista si no se toma otra",
  "write a condition, or remove `{}`": "escriba una condición, o elimine `{1}`",
  "no failure is known whose code is `{}`": "no se conoce ningún fallo con el código `{1}`",
  "compare it with `{}`": "compárelo con `{1}`",
  "compare it with {kind}": "compárelo con {1}",
  "compare it with a number within these limits, or change the schema":
    "compárelo con un número entre estos límites o cambie el esquema",
  "compare it with one of its values": "compárelo con uno de sus valores",
  "write `{}` to test whether it is there": "escriba `{1}` para comprobar si existe",
  "write `{}` to test whether the value is there": "escriba `{1}` para comprobar si el valor existe",
  // Syntax of conditions.
  "`{}` is not a condition": "`{1}` no es una condición",
  "`{}` is not an operator": "`{1}` no es un operador",
  "`{}` is not a number": "`{1}` no es un número",
  "`{}` is compared with nothing": "`{1}` no se compara con nada",
  "`{}` is written with a colon": "`{1}` se escribe con dos puntos",
  "`{}` can't be called": "a `{1}` no se le puede llamar",
  "`{}` needs a name": "`{1}` necesita un nombre",
  "a comparison begins with a reference": "una comparación empieza por una referencia",
  "a condition has no templates": "una condición no tiene plantillas",
  "a reference has no `{}`": "una referencia no tiene `{1}`",
  "a reference is missing here": "aquí falta una referencia",
  "a number is missing here": "aquí falta un número",
  "an operator is missing here": "aquí falta un operador",
  "a name is missing after the dot": "falta un nombre después del punto",
  "a quote is not closed": "falta cerrar una comilla",
  "a bracket is not closed": "falta cerrar un corchete",
  "a parenthesis is not closed": "falta cerrar un paréntesis",
  "an escape that means nothing": "una secuencia de escape sin significado",
  "brackets hold a whole number or a quoted key": "entre corchetes va un número entero o una clave entre comillas",
  "there is no value before `{}`": "no hay ningún valor antes de `{1}`",
  "unexpected text after the condition": "hay texto inesperado después de la condición",
  "unexpected text after the reference": "hay texto inesperado después de la referencia",
  "the condition is nested too deeply": "la condición tiene demasiados niveles",
  "the condition can't be parsed": "la condición no se puede leer",
  "write it with fewer parentheses and `{}`": "escríbala con menos paréntesis y menos `{1}`",
  "add `{}` at its end": "añada `{1}` al final",
  "begin with `last`, `input`, `output.<node>` or another reference":
    "empiece por `last`, `input`, `output.<node>` u otra referencia",
  "compare a reference with it, as in `{}`, or write `{}`":
    "compárelo con una referencia, como en `{1}`, o escriba `{2}`",
  "compare a reference with it, as in `{}`, or quote the text that `{}` is part of":
    "compárelo con una referencia, como en `{1}`, o ponga entre comillas el texto del que `{2}` forma parte",
  "compare with each value, as in `{}`": "compare con cada valor, como en `{1}`",
  "join conditions with `{}` or `{}`, or quote the literal":
    "una las condiciones con `{1}` o `{2}`, o ponga el literal entre comillas",
  "leave out the `{}`": "quite `{1}`",
  "order numbers with `{}` and `{}`; compare text with `{}`":
    "use `{1}` y `{2}` para ordenar números, y `{3}` para comparar textos",
  "write `{}` and the literal": "escriba `{1}` y el literal",
  "write `{}` for a backslash": "escriba `{1}` para una barra invertida",
  "write `{}` in lower case, and alone": "escriba `{1}` en minúsculas y sin nada más",
  "write `{}` or `{}`": "escriba `{1}` o `{2}`",
  "write `{}` or `{}`, and `{}` for `{}`": "escriba `{1}` o `{2}`, y `{3}` en lugar de `{4}`",
  "write a name, or `{}` for one with dots or blanks": "escriba un nombre, o `{1}` si tiene puntos o espacios",
  "write a reference before it, as in `{}`": "escriba una referencia antes, como en `{1}`",
  "write the number to compare with": "escriba el número con el que se compara",
  "write it without braces, as in `{}`": "escríbala sin llaves, como en `{1}`",
  "nothing follows the operator": "no hay nada detrás del operador",
  "write a value, or `{}` to compare with empty text": "escriba un valor, o `{1}` para comparar con un texto vacío",
  "write `&&` or `||` to join conditions, or put the literal in quotes":
    "escriba `&&` o `||` para unir condiciones, o ponga el literal entre comillas",
  "write `{}` for the elements that satisfy one": "escriba `{1}` para los elementos que cumplan una condición",
  "the comparison never holds: data has no `{}`": "la comparación no se cumple nunca: los datos no tienen `{1}`",
  "the comparison holds for each value: data has no `{}`":
    "la comparación se cumple para todo valor: los datos no tienen `{1}`",
  "numbers of the data are doubles: write `{}`": "los números de los datos son de coma flotante: escriba `{1}`",
  "write what to compare on both sides, as in `{}`": "escriba a los dos lados lo que se compara, como en `{1}`",
  "name one element, as in `{}`": "indique un elemento, como en `{1}`",
  "count from the beginning, as in `{}`": "cuente desde el principio, como en `{1}`",
  // References.
  "`{}` is not the beginning of a reference": "ninguna referencia empieza por `{1}`",
  "write `{}` for an input, or `{}` for the output of a node":
    "escriba `{1}` para una entrada o `{2}` para la salida de un nodo",
  "write `{}` for the result of the node before, or `{}` for the input of the run":
    "escriba `{1}` para el resultado del nodo anterior o `{2}` para la entrada de la ejecución",
  "write `{}` for the output of a node": "escriba `{1}` para la salida de un nodo",
  "write `{}` for text, or `{}` for the output of a node":
    "escriba `{1}` para un texto o `{2}` para la salida de un nodo",
  "put a text in quotes, or begin with {list}": "ponga un texto entre comillas, o empiece por {1}",
  "put a text in quotes, or begin with a known root such as `{}`":
    "ponga un texto entre comillas, o empiece por una raíz conocida como `{1}`",
  "no type or value of `{}` was passed": "no se pasó ningún tipo ni valor de `{1}`",
  "pass `{}` to the check with its type, or to the evaluation with its value":
    "pase `{1}` con su tipo a la comprobación, o con su valor a la evaluación",
  "`{}` is a test of conditions, and here it reads a field called `{}`":
    "`{1}` es una prueba de las condiciones, y aquí lee un campo llamado `{2}`",
  "`{}` is the input of `{}` here; write `{}` in `{}` to pass the outer one on":
    "`{1}` es aquí la entrada de `{2}`. Escriba `{3}` en `{4}` para pasar la exterior",
  "in double quotes, YAML reads `{}` as a line break: write `{}`":
    "entre comillas dobles, YAML lee `{1}` como un salto de línea: escriba `{2}`",
  "put a text in quotes": "ponga el texto entre comillas",
  "a plan reads nothing of its machine: have it given as an input, or in the run's `{}`":
    "un plan no lee nada de su máquina: delo como entrada o en el `{1}` de la ejecución",
  "`{}` is one name, with a dash in it": "`{1}` es un solo nombre, con un guion",
  "write blanks around the dash to subtract, or `{}` around the name":
    "escriba espacios alrededor del guion para restar, o `{1}` alrededor del nombre",
  "write `{}` with blanks to subtract": "escriba `{1}` con espacios para restar",
  "write `{}`, which has no parts of that kind": "escriba `{1}`, que no tiene partes de ese tipo",
  "`{}` has no such element": "`{1}` no tiene ese elemento",
  "there is no field `{}`": "no hay ningún campo `{1}`",
  "the fields are {list}": "los campos son {1}",
  "it has no fields": "no tiene campos",
  // Templates.
  "this is a comment of YAML": "esto es un comentario de YAML",
  "`{}` is never this: it is from {n} to {n}": "`{1}` nunca es este valor: está entre {2} y {3}",
  "`{}` is never this: it is {list}": "`{1}` nunca es este valor: es {2}",
  "`{}` is never this: it is {kind}": "`{1}` nunca es este valor: es {2}",
  "`{}` is {kind}, and only the text `{}` equals `{}`": "`{1}` es {2}, y solo el texto `{3}` equivale a `{4}`",
  "`{}` is text and no template": "`{1}` es un texto y no una plantilla",
  "`{}` is text and calculates nothing": "`{1}` es un texto y no calcula nada",
  "write `{}` with an expression, as in `{}`": "escriba `{1}` con una expresión, como en `{2}`",
  "`{}` may be null, which tool `{}` does not accept here":
    "`{1}` puede ser nulo, y la herramienta `{2}` no acepta eso aquí",
  "write a default, as in `{}`, or test it before, as in `{}`":
    "escriba un valor por defecto, como en `{1}`, o compruébelo antes, como en `{2}`",
  "compare the value, as in `{}`": "compare el valor, como en `{1}`",
  "compare the value, as in `{}`, and repeat it in each comparison: `{}`":
    "compare el valor, como en `{1}`, y repítalo en cada comparación: `{2}`",
  "write one of {list} or another of its names": "escriba uno de estos: {1}, u otro de sus nombres",
  "`{}` is a map of YAML": "`{1}` es un mapa de YAML",
  "write `{}` in place of the map": "escriba `{1}` en lugar del mapa",
  "write `{}` for the output of the node before, or begin with `{}` or `{}`":
    "escriba `{1}` para la salida del nodo anterior, o empiece por `{2}` o `{3}`",
  "a template has no statements: write `{}`, or choose by edges":
    "una plantilla no tiene sentencias: escriba `{1}`, o elija con aristas",
  "write `{}`, and call a function, as in `{}`": "escriba `{1}`, y llame a una función, como en `{2}`",
  "`{}` is missing": "falta `{1}`",
  "a template has no filters": "una plantilla no tiene filtros",
  "a template has one pair of braces": "una plantilla tiene un solo par de llaves",
  "a template is not closed": "falta cerrar una plantilla",
  "there is no default after `{}`": "falta el valor por defecto después de `{1}`",
  "the default after `{}` is neither a reference nor a literal":
    "el valor por defecto después de `{1}` no es ni una referencia ni un literal",
  "unexpected text in a template": "hay texto inesperado en una plantilla",
  "call a function, as in `{}`": "llame a una función, como en `{1}`",
  "write another reference, text in quotes, a number, `true`, `false` or `null`":
    "escriba otra referencia, un texto entre comillas, un número, `true`, `false` o `null`",
};
