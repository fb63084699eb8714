/** Documentation of functions, macros and operators of expressions. Spanish by English. */

export const functionDocs: Readonly<Record<string, string>> = {
  "Returns the field of a map.": "Devuelve el campo de un objeto.",
  "Returns the element at a position, or the value of a key.":
    "Devuelve el elemento de una posición o el valor de una clave.",
  "Negates a condition.": "Niega una condición.",
  "Changes the sign of a number.": "Cambia el signo de un número.",
  "Multiplies.": "Multiplica.",
  "Divides. Two `int` give a whole number.": "Divide. Dos `int` dan un número entero.",
  "Returns the remainder of a division of whole numbers.": "Devuelve el resto de una división entera.",
  "Adds numbers, joins texts or lists, moves a timestamp.": "Suma números, une textos o listas, desplaza un momento.",
  "Subtracts numbers, timestamps and durations.": "Resta números, momentos y duraciones.",
  "Tests whether the left value is smaller.": "Comprueba si el valor de la izquierda es menor.",
  "Tests whether the left value is smaller or equal.": "Comprueba si el valor de la izquierda es menor o igual.",
  "Tests whether the left value is greater.": "Comprueba si el valor de la izquierda es mayor.",
  "Tests whether the left value is greater or equal.": "Comprueba si el valor de la izquierda es mayor o igual.",
  "Tests whether two values are equal, lists and maps included.":
    "Comprueba si dos valores son iguales, también listas y objetos.",
  "Tests whether two values differ.": "Comprueba si dos valores son distintos.",
  "Tests whether a list has an element, or a map a key.":
    "Comprueba si una lista tiene un elemento o un objeto una clave.",
  "Tests whether all conditions hold.": "Comprueba si se cumplen todas las condiciones.",
  "Tests whether one of the conditions holds.": "Comprueba si se cumple alguna de las condiciones.",
  "Returns the first value that is neither missing nor null.": "Devuelve el primer valor que existe y no es null.",
  "Returns one of two values.": "Devuelve uno de dos valores.",
  "Counts the characters of a text, the elements of a list or the keys of a map.":
    "Cuenta los caracteres de un texto, los elementos de una lista o las claves de un objeto.",
  "Tests whether a path leads to a value. `null` is a value.":
    "Comprueba si una ruta lleva a un valor. `null` es un valor.",
  "Tests whether a text has a part, a list an element or a map a key.":
    "Comprueba si un texto contiene otro, una lista un elemento o un objeto una clave.",
  "Tests how a text begins.": "Comprueba cómo empieza un texto.",
  "Tests how a text ends.": "Comprueba cómo termina un texto.",
  "Tests whether a part of a text matches a pattern in RE2 syntax.":
    "Comprueba si una parte de un texto coincide con un patrón en la sintaxis de RE2.",
  "Changes the letters A to Z to small letters.": "Cambia las letras de la A a la Z a minúsculas.",
  "Changes the letters a to z to capitals.": "Cambia las letras de la a a la z a mayúsculas.",
  "Adds up the numbers or durations of a list. An empty list gives 0.":
    "Suma los números o las duraciones de una lista. Una lista vacía da 0.",
  "Sorts values of one type, the smallest first.": "Ordena valores de un mismo tipo, de menor a mayor.",
  "Reverses a list.": "Invierte una lista.",
  "Keeps the first of equal elements.": "Deja el primero de los elementos iguales.",
  "Puts the elements of inner lists in their place, on one level or on so many.":
    "Pone los elementos de las listas interiores en su lugar, en un nivel o en ese número de niveles.",
  "Returns the elements from one position up to another.":
    "Devuelve los elementos desde una posición hasta otra, sin incluirla.",
  "Sorts elements by a value of one type, the smallest first.":
    "Ordena elementos por un valor de un mismo tipo, de menor a mayor.",
  "Removes white space at both ends.": "Quita los espacios de los dos extremos.",
  "Splits a text at a separator, into at most so many parts.":
    "Divide un texto por un separador, en ese número de partes como máximo.",
  "Joins texts with a separator.": "Une textos con un separador.",
  "Replaces each occurrence of a text, or the first so many.":
    "Sustituye todas las apariciones de un texto, o solo ese número de ellas.",
  "Returns the characters from one position up to another.":
    "Devuelve los caracteres desde una posición hasta otra, sin incluirla.",
  "Returns the first position of a text, from a position on, or -1.":
    "Devuelve la primera posición de un texto, a partir de una posición, o -1.",
  "Returns the last position of a text, up to a position, or -1.":
    "Devuelve la última posición de un texto, hasta una posición, o -1.",
  "Returns the character at a position.": "Devuelve el carácter de una posición.",
  "Converts a number, a truth value, a timestamp or a duration to text.":
    "Convierte en texto un número, un valor lógico, un momento o una duración.",
  "Converts to a whole number. Fractions are cut off; a timestamp gives seconds since 1970.":
    "Convierte en un número entero, sin decimales. Un momento da los segundos desde 1970.",
  "Converts to a number.": "Convierte en un número.",
  "Converts a text such as `true` to a truth value.": "Convierte un texto como `true` en un valor lógico.",
  "Returns the type of a value.": "Devuelve el tipo de un valor.",
  "Returns its argument, and tells the checker to accept any type.":
    "Devuelve su argumento e indica a la comprobación que acepte cualquier tipo.",
  "Returns a number without its sign.": "Devuelve un número sin su signo.",
  "Rounds to the nearest whole number, halves away from zero.":
    "Redondea al entero más cercano, y las mitades se alejan de cero.",
  "Rounds up to a whole number.": "Redondea hacia arriba a un número entero.",
  "Rounds down to a whole number.": "Redondea hacia abajo a un número entero.",
  "Returns the smallest of some numbers, or of a list.": "Devuelve el menor de varios números o de una lista.",
  "Returns the greatest of some numbers, or of a list.": "Devuelve el mayor de varios números o de una lista.",
  "Reads a time in RFC 3339 format, or seconds since 1970.":
    "Lee un momento en el formato RFC 3339 o en segundos desde 1970.",
  "Reads a time span such as `1h30m` or `2.5s`.": "Lee una duración como `1h30m` o `2.5s`.",
  "Returns the year, in UTC or at an offset such as `+02:00`.":
    "Devuelve el año, en UTC o con un desfase como `+02:00`.",
  "Returns the month, from 0.": "Devuelve el mes, desde 0.",
  "Returns the day of the month, from 1.": "Devuelve el día del mes, desde 1.",
  "Returns the day of the month, from 0.": "Devuelve el día del mes, desde 0.",
  "Returns the day of the week, from 0 for Sunday.": "Devuelve el día de la semana, desde 0, que es el domingo.",
  "Returns the day of the year, from 0.": "Devuelve el día del año, desde 0.",
  "Returns the hour of the day, or all hours of a duration.":
    "Devuelve la hora del día o todas las horas de una duración.",
  "Returns the minute of the hour, or all minutes of a duration.":
    "Devuelve el minuto de la hora o todos los minutos de una duración.",
  "Returns the second of the minute, or all seconds of a duration.":
    "Devuelve el segundo del minuto o todos los segundos de una duración.",
  "Returns the milliseconds of the second.": "Devuelve los milisegundos del segundo.",
  "Tests whether a condition holds for every element.": "Comprueba si todos los elementos cumplen una condición.",
  "Tests whether a condition holds for some element.": "Comprueba si algún elemento cumple una condición.",
  "Tests whether a condition holds for exactly one element.":
    "Comprueba si exactamente un elemento cumple una condición.",
  "Evaluates an expression for each element, or for those that meet a condition.":
    "Evalúa una expresión para cada elemento o para los que cumplen una condición.",
  "Keeps the elements that meet a condition.": "Se queda con los elementos que cumplen una condición.",
};
