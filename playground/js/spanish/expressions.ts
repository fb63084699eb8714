/** Messages about expressions: their syntax, their types and their evaluation. Spanish by English. */
import type { Translations } from "./template.js";

export const expressions: Translations = {
  // Types.
  "a condition is true or false, not {kind}": "una condición es true o false, no {1}",
  "the condition is {kind}, not true or false; compare the value, as in `{}` or `{}`":
    "la condición es {1}, no true o false. Compare el valor, como en `{2}` o `{3}`",
  "compare the value, as in `{}` or `{}`": "compare el valor, como en `{1}` o `{2}`",
  "`{}` does not accept {kind}": "`{1}` no acepta {2}",
  "`{}` does not accept {kind} and {kind}": "`{1}` no acepta {2} y {3}",
  "`{}` joins conditions": "`{1}` une condiciones",
  "`{}` joins texts, not {kind}": "`{1}` une textos, no {2}",
  "`{}` does not compare {kind} and {kind}": "`{1}` no compara {2} con {3}",
  "`{}` does not compare {kind}": "`{1}` no compara {2}",
  "`{}` adds up numbers, not {kind}": "`{1}` suma números, no {2}",
  "sort values of one type": "ordene valores de un mismo tipo",
  "write a default, as in `{}`": "escriba un valor por defecto, como en `{1}`",
  "write what to add up, as in `{}`": "escriba qué sumar, como en `{1}`",
  "write a number, text, truth value or time to sort by, as in `{}`":
    "escriba un número, un texto, un valor lógico o un momento por el que ordenar, como en `{1}`",
  "the depth of `{}` is not negative": "la profundidad de `{1}` no es negativa",
  "the depth of `{}` is a whole number, not a fraction": "la profundidad de `{1}` es un número entero, no una fracción",
  "the depth of `{}` is a whole number, not {kind}": "la profundidad de `{1}` es un número entero, no {2}",
  "`{}` ends before it starts": "`{1}` termina antes de empezar",
  "`{}` asks for position {n} of a list with {n} elements": "`{1}` pide la posición {2} de una lista con {3} elementos",
  "write `{}` for the first three": "escriba `{1}` para los tres primeros",
  "add a time and a time zone to the date, as in `{}`": "añada a la fecha una hora y una zona horaria, como en `{1}`",
  "`{}` rounds numbers, not {kind}": "`{1}` redondea números, no {2}",
  "`{}` is a method": "`{1}` es un método",
  "`{}` is not a method": "`{1}` no es un método",
  "`{}` has one variable": "`{1}` tiene una variable",
  "`{}` tests a path": "`{1}` comprueba una ruta",
  '"{}" is text, and texts of digits have another order': "«{1}» es un texto, y los textos de cifras tienen otro orden",
  '"{}" is not {kind}': "«{1}» no es {2}",
  "{kind} has no elements": "{1} no tiene elementos",
  "{kind} has no field `{}`": "{1} no tiene ningún campo `{2}`",
  "{kind} is a whole number, not {kind}": "{1} es un número entero, no {2}",
  "{kind} is not negative": "{1} no es un número negativo",
  "a position in a list is not negative": "una posición en una lista no es negativa",
  "a position in a list is a whole number, not a fraction":
    "una posición en una lista es un número entero, no una fracción",
  "a position in a list is a whole number, not {kind}": "una posición en una lista es un número entero, no {1}",
  "a key is text, a whole number or a truth value, not {kind}":
    "una clave es un texto, un número entero o un valor lógico, no {1}",
  "a map has the same key twice": "un objeto tiene dos veces la misma clave",
  "only maps have fields": "solo los objetos tienen campos",
  "compare values of one type, or convert one of them": "compare valores del mismo tipo o convierta uno de ellos",
  "compare two numbers or two texts; write `{}` to read a number from text":
    "compare dos números o dos textos. Escriba `{1}` para leer un número de un texto",
  "compare two timestamps or two durations, as in `{}` or `{}`":
    "compare dos marcas de tiempo o dos duraciones, como en `{1}` o `{2}`",
  "add numbers, texts, lists or times; write `{}` to make text of a number":
    "sume números, textos, listas o tiempos. Escriba `{1}` para convertir un número en texto",
  "add and subtract times, as in `{}`; write `{}` for the negative of a duration":
    "sume y reste tiempos, como en `{1}`. Escriba `{2}` para el negativo de una duración",
  "write `{}` or `{}`; for a part of a text, write `{}`": "escriba `{1}` o `{2}`. Para una parte de un texto, `{3}`",
  "calculate with numbers; write `{}` to read a number from text":
    "calcule con números. Escriba `{1}` para leer un número de un texto",
  "divide whole numbers; write `{}` to read one from text or to cut off a fraction":
    "divida números enteros. Escriba `{1}` para leer uno de un texto o para quitar los decimales",
  "write `{}` without quotes": "escriba `{1}` sin comillas",
  "write the number without quotes, or `{}` around the other side":
    "escriba el número sin comillas, o `{1}` alrededor del otro lado",
  "write the name of a type without quotes, as in `{}`": "escriba el nombre de un tipo sin comillas, como en `{1}`",
  "write `{}` before the value to use when another is missing":
    "escriba `{1}` antes del valor que se usa cuando falta otro",
  "write `{}` or `{}` or `{}`": "escriba `{1}`, `{2}` o `{3}`",
  "write `{}`, or `{}` for a list": "escriba `{1}`, o `{2}` para una lista",
  "write `{}`, or `{}` for all": "escriba `{1}`, o `{2}` para todos",
  "write `{}` for the function": "escriba `{1}` para la función",
  "write `{}` for an element, or `{}` for all": "escriba `{1}` para un elemento, o `{2}` para todos",
  "write `{}` to count from the end": "escriba `{1}` para contar desde el final",
  "write `{}` for the key": "escriba `{1}` para la clave",
  "write `{}` for a value that may be missing": "escriba `{1}` para un valor que puede faltar",
  "write `{}` for a value that may be null, or `{}` for a list":
    "escriba `{1}` para un valor que puede ser null, o `{2}` para una lista",
  "write a number, as in `{}`": "escriba un número, como en `{1}`",
  "write a number, as in `{}`, or `{}`": "escriba un número, como en `{1}`, o `{2}`",
  "write a text in quotes": "escriba un texto entre comillas",
  "index a list or a map": "aplique el índice a una lista o a un objeto",
  "visit a list, or the keys of a map": "recorra una lista o las claves de un objeto",
  "remove one of the entries": "quite una de las entradas",
  "correct the other mistakes, and check again": "corrija los otros errores y vuelva a comprobar",
  "the expression has {n} more mistakes, such as here": "la expresión tiene {1} errores más, como el de aquí",
  "a date without quotes is a subtraction": "una fecha sin comillas es una resta",
  "put the date in quotes, and compare two texts or two timestamps":
    "ponga la fecha entre comillas y compare dos textos o dos marcas de tiempo",
  "`{}` binds less tightly than `{}`": "`{1}` tiene menos prioridad que `{2}`",
  // Constant results.
  "the condition is always true": "la condición siempre es true",
  "the condition is always false": "la condición siempre es false",
  "the comparison is always true": "la comparación siempre es true",
  "the comparison is always false": "la comparación siempre es false",
  "compare data, as in `{}`, or remove the condition": "compare datos, como en `{1}`, o quite la condición",
  "compare data, as in `{}`": "compare datos, como en `{1}`",
  // Numbers, texts and times.
  "a number is divided by zero": "un número se divide por cero",
  "divide by another number": "divida por otro número",
  "test the divisor first, as in `{}`": "compruebe antes el divisor, como en `{1}`",
  "the number is outside its range": "el número está fuera de su intervalo",
  "write a whole number of up to 18 digits, or one with a point":
    "escriba un número entero de hasta 18 cifras, o uno con punto decimal",
  "the number is outside the range of numbers": "el número está fuera del intervalo de los números",
  "the number is outside the range of integers": "el número está fuera del intervalo de los enteros",
  "the result is outside the range of numbers": "el resultado está fuera del intervalo de los números",
  "the result is outside the range of timestamps and durations":
    "el resultado está fuera del intervalo de las marcas de tiempo y las duraciones",
  "pass a smaller number": "dé un número más pequeño",
  "calculate with smaller numbers, or with a point, as in `{}`":
    "calcule con números más pequeños, o con punto decimal, como en `{1}`",
  "write `{}` for larger numbers": "escriba `{1}` para números más grandes",
  "write `{}` for numbers with a point": "escriba `{1}` para números con punto decimal",
  "pass a text such as `{}`": "dé un texto como `{1}`",
  "pass `{}` or `{}`, or compare the text": "dé `{1}` o `{2}`, o compare el texto",
  "write it as in `{}`": "escríbalo como en `{1}`",
  "write it as in `{}` or `{}`": "escríbalo como en `{1}` o `{2}`",
  "write a shorter duration": "escriba una duración más corta",
  '"{}" is longer than the 292 years of a duration': "«{1}» dura más de los 292 años de una duración",
  "the number is no whole number of seconds in the years 1 to 9999":
    "el número no es un número entero de segundos entre los años 1 y 9999",
  "pass seconds since 1970, as in `{}`": "dé segundos desde 1970, como en `{1}`",
  "`{}` is no offset from UTC": "`{1}` no es una diferencia con UTC",
  "write `{}` or `{}`; names of time zones are not supported":
    "escriba `{1}` o `{2}`. No se admiten nombres de zonas horarias",
  "`{}` of a duration accepts no offset": "`{1}` de una duración no acepta una diferencia horaria",
  "remove the argument": "quite el argumento",
  "`{}` of an empty list": "`{1}` de una lista vacía",
  "count from the beginning, as in `{}` for the last element":
    "cuente desde el principio, como en `{1}` para el último elemento",
  "`{}` accepts whole numbers of up to 15 digits": "`{1}` acepta números enteros de hasta 15 cifras",
  '`{}` asks for position {n} of "{}", which has {n} characters':
    "`{1}` pide la posición {2} de «{3}», que tiene {4} caracteres",
  "test `{}` first": "compruebe antes `{1}`",
  "convert the elements, as in `{}`": "convierta los elementos, como en `{1}`",
  // Cost and size.
  "the evaluation takes too many steps": "la evaluación necesita demasiados pasos",
  "evaluate less data, or split the work over several nodes":
    "evalúe menos datos o reparta el trabajo entre varios nodos",
  "match a shorter text, or a simpler pattern": "busque en un texto más corto o use un patrón más sencillo",
  "the evaluation makes too much text or too long lists":
    "la evaluación genera demasiado texto o listas demasiado largas",
  "make shorter texts and lists": "genere textos y listas más cortos",
  "the result is too large": "el resultado es demasiado grande",
  "the values are nested too deeply to compare": "los valores tienen demasiados niveles para compararlos",
  "a value is nested too deeply to compare, or contains itself":
    "un valor tiene demasiados niveles para compararlo, o se contiene a sí mismo",
  "two keys of a map have the same text": "dos claves de un objeto tienen el mismo texto",
  "write other keys: in a result all keys are texts": "escriba otras claves: en un resultado todas son textos",
  "the expression is too long": "la expresión es demasiado larga",
  "write at most {n} bytes": "escriba como máximo {1} bytes",
  "the expression is nested too deeply": "la expresión tiene demasiados niveles",
  "nest at most {n} levels, or compute a part in a node of its own":
    "use como máximo {1} niveles, o calcule una parte en otro nodo",
  "the expression can't be compiled": "la expresión no se puede compilar",
  // Functions.
  "there is no function `{}`": "no hay ninguna función `{1}`",
  "there is no such function": "no existe esa función",
  "the first argument of `{}` is a variable": "el primer argumento de `{1}` es una variable",
  "write a path, as in `{}`": "escriba una ruta, como en `{1}`",
  "an expression returns the same for the same data: pass the value as an input":
    "una expresión da lo mismo para los mismos datos: dé el valor como entrada",
  "no function groups or pairs elements: use a tool or a handler for it":
    "ninguna función agrupa ni empareja elementos: use para ello una herramienta o un handler",
  "see the list of functions in {}": "vea la lista de funciones en {1}",
  // Syntax.
  "`{}` is not expected here": "`{1}` no se espera aquí",
  "`{}` is not a quote": "`{1}` no es una comilla",
  "a back-tick is not a quote": "un acento grave no es una comilla",
  "add a back-tick at the end of the name": "añada un acento grave al final del nombre",
  "`{}` begins no name": "ningún nombre empieza por `{1}`",
  "write a root, as in `{}`": "escriba una raíz, como en `{1}`",
  "begin with a root, as in `{}`": "empiece por una raíz, como en `{1}`",
  "a name is missing before the dot": "falta un nombre antes del punto",
  "write a name, or `{}` for a name with other characters": "escriba un nombre, o `{1}` si tiene otros caracteres",
  "put a text in quotes, or write `{}` for a key": "ponga un texto entre comillas, o escriba `{1}` para una clave",
  "put a text in quotes, or an operator after the number":
    "ponga el texto entre comillas, o un operador tras el número",
  "a number ends with letters": "un número termina en letras",
  "there are no unsigned numbers": "no hay números sin signo",
  "write the number without `{}`": "escriba el número sin `{1}`",
  "there are no byte strings": "no hay cadenas de bytes",
  "write a text without `{}`": "escriba un texto sin `{1}`",
  "write `{}` for a text without escapes": "escriba `{1}` para un texto sin secuencias de escape",
  "an unknown escape": "una secuencia de escape desconocida",
  "write `{}` for a backslash, or `{}` for a text without escapes":
    "escriba `{1}` para una barra invertida, o `{2}` para un texto sin secuencias de escape",
  "there are no types to make values of": "no hay tipos con los que crear valores",
  "write a map, as in `{}`": "escriba un objeto, como en `{1}`",
  "an operator is missing": "falta un operador",
  "an operator is missing before `{}`": "falta un operador antes de `{1}`",
  "write an operator such as `{}` or `{}`, or put a text in quotes":
    "escriba un operador como `{1}` o `{2}`, o ponga el texto entre comillas",
  "write an operator such as `{}` or `{}` between two values":
    "escriba un operador como `{1}` o `{2}` entre dos valores",
  "`{}` closes nothing": "`{1}` no cierra nada",
  "`{}` may apply to the comparison or to the value before `{}`":
    "`{1}` puede referirse a la comparación o al valor que precede a `{2}`",
  "there is no operator `{}`": "no hay ningún operador `{1}`",
  "multiply, as in `{}`": "multiplique, como en `{1}`",
  "there are no pipes": "no hay tuberías",
  "write a method, as in `{}`": "escriba un método, como en `{1}`",
  "a placeholder is inside an expression": "hay una plantilla dentro de una expresión",
  "write the reference without `{}` and `{}`": "escriba la referencia sin `{1}` ni `{2}`",
  "the expression is empty": "la expresión está vacía",
  "a value is missing": "falta un valor",
  "write a value, as in `{}`": "escriba un valor, como en `{1}`",
  "write a path, a text in quotes or a number": "escriba una ruta, un texto entre comillas o un número",
  "there are no arrow functions": "no hay funciones flecha",
  "write `{}`, or `{}` to test whether a value is there": "escriba `{1}`, o `{2}` para comprobar si un valor existe",
  "write {list}": "escriba {1}",
  "`{}` is missing after a key": "falta `{1}` después de una clave",
  "the key `{}` is not in quotes": "la clave `{1}` no está entre comillas",
  "there are no optional entries": "no hay entradas opcionales",
  "there are no optional fields": "no hay campos opcionales",
  "there is no `{}`": "no hay ningún `{1}`",
  "write `{}`: a path that leads nowhere is missing, not an error":
    "escriba `{1}`: una ruta que no lleva a nada es un valor que falta, no un error",
  "`{}` follows a path": "`{1}` va después de una ruta",
  "write `{}`, or `{}`": "escriba `{1}` o `{2}`",
  // Patterns.
  "write a regular expression in RE2 syntax, as in `{}`":
    "escriba una expresión regular con sintaxis de RE2, como `{1}`",
  "the pattern is longer than {n} bytes": "el patrón tiene más de {1} bytes",
  "the pattern is too large; repeat less often": "el patrón es demasiado grande. Use menos repeticiones",
  "the pattern has a `{}` without a `{}`": "el patrón tiene un `{1}` sin `{2}`",
  "the pattern has nothing before `{}` to repeat": "el patrón no tiene antes de `{1}` nada que repetir",
  "the pattern is nested too deeply": "el patrón tiene demasiados niveles",
  "the pattern looks ahead or behind, which takes more than linear time":
    "el patrón mira hacia delante o hacia atrás, y eso no se hace en tiempo lineal",
  "the name of a group in the pattern has no `{}`": "el nombre de un grupo del patrón no tiene `{1}`",
  "the pattern has an unknown group; write `{}` or `{}`": "el patrón tiene un grupo desconocido. Escriba `{1}` o `{2}`",
  "the pattern repeats a repetition; put it into `{}`": "el patrón repite una repetición. Póngala en `{1}`",
  "`{}` in the pattern is no range up to {n}": "`{1}` no es en el patrón un intervalo de hasta {2}",
  "the pattern refers back to a group, which takes more than linear time":
    "el patrón vuelve a usar un grupo, y eso no se hace en tiempo lineal",
  "the pattern ends with a backslash": "el patrón termina en una barra invertida",
  "the pattern has a class of Unicode, which is not supported": "el patrón tiene una clase de Unicode, y no se admiten",
  "the pattern has the unknown escape `{}`": "el patrón tiene la secuencia de escape desconocida `{1}`",
  "the pattern has a `{}` without a character's number": "el patrón tiene un `{1}` sin el número de un carácter",
  "the pattern has no class `{}`": "no hay ninguna clase `{1}` para patrones",
  "the pattern has the range `{}`, which runs backwards": "el patrón tiene el intervalo `{1}`, que va hacia atrás",
  "the pattern has a range from `{}` to a class; write `{}` for a dash":
    "el patrón tiene un intervalo de `{1}` a una clase. Escriba `{2}` para un guion",
  // Values that are known before the run.
  "`{}` and `{}` never hold together": "`{1}` y `{2}` no se cumplen nunca a la vez",
  "`{}` or `{}` holds for each value": "`{1}` o `{2}` se cumple para todo valor",
  "join them with `{}`, or correct one of them": "únalas con `{1}` o corrija una de ellas",
  "the value is always missing": "el valor falta siempre",
  "write a position or a key that the value has": "escriba una posición o una clave que el valor tenga",
  "`{}` is compared with itself": "`{1}` se compara consigo mismo",
  "compare it with another value, or write `{}`": "compárelo con otro valor o escriba `{1}`",
  "remove it, or write one of the values": "quítelo o escriba uno de los valores",
  "write a function, as in `{}`": "escriba una función, como en `{1}`",
  "`{}` may be null, which `{}` does not accept": "`{1}` puede ser null, y `{2}` no lo acepta",
  "`{}` may be null, which a condition does not accept": "`{1}` puede ser null, y una condición no lo acepta",
  "an element of `{}` may be null, which `{}` does not accept":
    "un elemento de `{1}` puede ser null, y `{2}` no lo acepta",
  "leave it out, as in `{}`": "omítalo, como en `{1}`",
  "test it first, as in `{}`": "compruébelo antes, como en `{1}`",
  "write a default, as in `{}`, or test `{}` first":
    "escriba un valor por defecto, como en `{1}`, o compruebe antes `{2}`",
  // Syntax of other languages.
  "the text `{}` is not in quotes": "el texto `{1}` no está entre comillas",
  "the position in the list is missing": "falta la posición en la lista",
  "write `{}` for all elements, or `{}` for one": "escriba `{1}` para todos los elementos o `{2}` para uno",
  "`{}` stands before one value": "`{1}` va delante de un solo valor",
  "write `{}`, or `{}` before a condition": "escriba `{1}`, o `{2}` delante de una condición",
  "`{}` begins a comment": "`{1}` empieza un comentario",
  "write `{}` to divide, and `{}` for a whole number":
    "escriba `{1}` para dividir, y `{2}` para obtener un número entero",
  "there are no slices": "no hay rangos de posiciones",
  "write `{}`, `{}`, or `{}` for one element": "escriba `{1}`, `{2}`, o `{3}` para un elemento",
  "an expression reads no clock: pass the time as an input, and write `{}`":
    "una expresión no lee ningún reloj: pase la hora como entrada y escriba `{1}`",
  "there are no patterns between slashes": "no hay patrones entre barras",
  "`{}` applies to `{}` alone": "`{1}` se aplica solo a `{2}`",
  "write `{}`; `{}` reads a number from text": "escriba `{1}`. `{2}` lee un número de un texto",
};
