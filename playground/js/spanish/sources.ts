/** Messages about the text of a plan: YAML and JSON. Spanish by English. */
import type { Translations } from "./template.js";

export const sources: Translations = {
  // The file.
  "the file is not UTF-8 text": "el archivo no es texto UTF-8",
  "save the file with the encoding UTF-8": "guarde el archivo con la codificación UTF-8",
  "the file is larger than {n} MiB": "el archivo ocupa más de {1} MiB",
  "move large data out of the plan": "saque los datos grandes del plan",
  "the file contains more than {n} values": "el archivo contiene más de {1} valores",
  "the file has more than {n} commas and opening brackets": "el archivo tiene más de {1} comas y corchetes de apertura",
  "move large data out of the plan, or write it as JSON": "saque los datos grandes del plan o escríbalo como JSON",
  "a second document begins here": "aquí empieza un segundo documento",
  "put it into a file of its own, or remove the `---`": "póngalo en un archivo propio o quite `---`",
  "lists and maps are nested too deeply": "hay demasiados niveles de listas y objetos",
  "lists and maps are nested more than {n} deep": "hay más de {1} niveles de listas y objetos",
  "flatten what is nested here": "reduzca los niveles",
  // JSON.
  "a comment is not allowed in JSON": "JSON no permite comentarios",
  "remove the comment, or write the file as YAML, where comments begin with `{}`":
    "quite el comentario o escriba el archivo como YAML, donde los comentarios empiezan por `{1}`",
  // Keys and values.
  "the key `{}` is duplicate": "la clave `{1}` está repetida",
  "remove one of the two": "quite una de las dos",
  "a key must be text, but this is {kind}": "una clave tiene que ser un texto, pero esto es {1}",
  "write a single word before the `{}`, or quote a template that begins with a brace":
    "escriba una sola palabra antes de `{1}`, o ponga entre comillas una plantilla que empiece por una llave",
  "write the key in quotes": "escriba la clave entre comillas",
  "`{}` is not a finite number": "`{1}` no es un número finito",
  "write it in quotes, or write a number within the range of 64-bit floats":
    "escríbalo entre comillas o escriba un número que quepa en 64 bits de coma flotante",
  "`{}` is rounded by JavaScript, which counts to 2^53": "JavaScript redondea `{1}`, porque solo cuenta hasta 2^53",
  "write a smaller number, or text in quotes where every digit counts":
    "escriba un número menor, o un texto entre comillas si importan todas las cifras",
  // Brackets and quotes.
  "`{}` begins a comment here": "aquí `{1}` empieza un comentario",
  "this `{}` is not closed": "este `{1}` no está cerrado",
  "add `{}` where its text ends": "añada `{1}` donde termina",
  "put the text before `{}` in quotes together with the rest":
    "ponga entre comillas el texto anterior a `{1}` junto con el resto",
  "add `{}` where the text ends, or indent the lines that continue it":
    "añada `{1}` donde termina el texto, o añada sangría a las líneas que lo continúan",
  "this `{}` does not close the `{}` before it": "este `{1}` no cierra el `{2}` anterior",
  "close it with `{}` first": "ciérrelo antes con `{1}`",
  "this is still inside it": "esto sigue dentro de él",
  "the text continues to the quote before this": "el texto continúa hasta la comilla anterior a esto",
  "this bracket is open here": "este corchete está abierto aquí",
  "inside brackets `{}` must be in quotes": "entre corchetes, `{1}` tiene que ir entre comillas",
  "put the whole text in quotes": "ponga todo el texto entre comillas",
  "a line inside brackets must be indented deeper than its parent":
    "una línea entre corchetes tiene que tener más sangría que la que la contiene",
  "a line inside quotes must be indented deeper than its parent":
    "una línea entre comillas tiene que tener más sangría que la que la contiene",
  "indent this line by at least one space": "añada a esta línea una sangría de al menos un espacio",
  "indent this line by at least {n} spaces": "añada a esta línea una sangría de al menos {1} espacios",
  "a value is missing after the comma": "falta un valor después de la coma",
  "remove the comma before the bracket": "quite la coma antes del corchete",
  "a block of text is not allowed inside brackets": "entre corchetes no puede haber un bloque de texto",
  "a closing bracket without an opening one": "un corchete de cierre sin el de apertura",
  "remove it, or put the text in quotes": "quítelo o ponga el texto entre comillas",
  "a list or map in brackets continues with too little indentation, or is not closed":
    "una lista o un objeto entre corchetes continúa con poca sangría o no está cerrado",
  "close the bracket, or indent its contents": "cierre el corchete o añada sangría a su contenido",
  "a `,` or a `]` is missing here": "aquí falta una `,` o un `]`",
  "a `,` or a `}` is missing here": "aquí falta una `,` o una `}`",
  "separate values by commas and close every bracket": "separe los valores con comas y cierre cada corchete",
  "separate entries by commas and close every brace": "separe las entradas con comas y cierre cada llave",
  "the closing quote of this text is missing": "falta la comilla de cierre de este texto",
  "close the quote": "cierre la comilla",
  "a quoted text continues with too little indentation, or its closing quote is missing":
    "un texto entre comillas continúa con poca sangría, o falta su comilla de cierre",
  "close the quote, or indent the lines that continue it":
    "cierre la comilla o añada sangría a las líneas que la continúan",
  "something follows the closing quote": "hay algo después de la comilla de cierre",
  "put the whole value in single quotes, and write `{}` for each `{}` inside it":
    "ponga todo el valor entre comillas simples, y escriba `{1}` por cada `{2}` dentro",
  'put the whole value in quotes, and quotes inside it as `\\"`':
    'ponga todo el valor entre comillas, y las comillas que contiene como `\\"`',
  "put the text in quotes": "ponga el texto entre comillas",
  "put it in quotes": "póngalo entre comillas",
  // Escapes and characters.
  "this text has an unknown escape": "este texto tiene una secuencia de escape desconocida",
  "write a backslash as `\\\\`, or use single quotes": "escriba la barra invertida como `\\\\` o use comillas simples",
  "an escape in this text lacks hexadecimal digits": "a una secuencia de escape le faltan cifras hexadecimales",
  "write `\\x` with two digits, `\\u` with four or `\\U` with eight":
    "escriba `\\x` con dos cifras, `\\u` con cuatro o `\\U` con ocho",
  "an escape in this text names no character": "una secuencia de escape no corresponde a ningún carácter",
  "write the character itself, or `\\U` with eight hexadecimal digits":
    "escriba el carácter mismo, o `\\U` con ocho cifras hexadecimales",
  "a control character is not allowed here": "aquí no se permite un carácter de control",
  "remove it, or write it as an escape in double quotes":
    "quítelo o escríbalo como secuencia de escape entre comillas dobles",
  "a byte order mark is allowed at the beginning only": "una marca de orden de bytes solo se permite al principio",
  "remove it": "quítelo",
  "a text can't begin with this character": "un texto no puede empezar por este carácter",
  "a `{}` is not allowed here": "aquí no se permite `{1}`",
  // Comments.
  "a comment begins with `{}`": "un comentario empieza por `{1}`",
  "write `{}` instead, or put the key in quotes": "escriba `{1}` en su lugar, o ponga la clave entre comillas",
  "a comment must have a space before its `#`": "un comentario necesita un espacio antes de `#`",
  "put a space before the `#`, or the text in quotes": "ponga un espacio antes de `#`, o el texto entre comillas",
  "a comment is in the middle of a text of several lines": "hay un comentario en medio de un texto de varias líneas",
  "move the comment, or write the text as a block with `|`":
    "mueva el comentario o escriba el texto como bloque con `|`",
  // Keys, lists and indentation.
  "put the text in quotes if the `:` is part of it; else check the indentation of the line":
    "ponga el texto entre comillas si `:` forma parte de él. Si no, revise la sangría de la línea",
  "a space is missing after the `:`": "falta un espacio después de `:`",
  "put a space after the `:`": "ponga un espacio después de `:`",
  "there is no key before this `:`": "no hay ninguna clave antes de este `:`",
  "write the key and its `:` on one line": "escriba la clave y su `:` en una línea",
  "a key is not allowed here": "aquí no puede haber una clave",
  "check the indentation of the line, or put the text in quotes":
    "revise la sangría de la línea o ponga el texto entre comillas",
  "a list item can't begin here": "un elemento de lista no puede empezar aquí",
  "begin the list on a line of its own": "empiece la lista en una línea propia",
  "a `-` can't begin an item inside brackets": "entre corchetes, un elemento no puede empezar por `-`",
  "separate the items by commas, without `-`": "separe los elementos con comas, sin `-`",
  "a tab is not allowed between a `:` and its value": "no se permite un tabulador entre `:` y su valor",
  "put a space after the `:` instead": "ponga un espacio después de `:` en su lugar",
  "a tab can't indent": "un tabulador no vale como sangría",
  "indent with blanks": "use espacios para la sangría",
  "a lone `-` is not allowed inside brackets": "entre corchetes no se permite un `-` solo",
  "a `:` is missing after the key": "falta `:` después de la clave",
  "write `key: value`, with a space after the `:`": "escriba `key: value`, con un espacio después de `:`",
  "a key was expected here": "aquí se esperaba una clave",
  "check the indentation: all keys of a map begin in the same column":
    "revise la sangría: todas las claves de un objeto empiezan en la misma columna",
  "a list item was expected here": "aquí se esperaba un elemento de lista",
  "check the indentation: all items of a list begin with `-` in the same column":
    "revise la sangría: todos los elementos de una lista empiezan por `-` en la misma columna",
  "a value is missing here": "aquí falta un valor",
  "write a value, or put the text in quotes": "escriba un valor o ponga el texto entre comillas",
  "the indentation of a block of text can't be 0": "la sangría de un bloque de texto no puede ser 0",
  "remove the 0": "quite el 0",
  "nothing may follow the `|` or `>` of a block of text on its line":
    "no puede haber nada en la línea después de `|` o `>` de un bloque de texto",
  "begin the text on the next line": "empiece el texto en la línea siguiente",
  "the first lines of a block of text are indented further than the text":
    "las primeras líneas de un bloque de texto tienen más sangría que el texto",
  "indent empty lines no further than the text": "no dé a las líneas vacías más sangría que al texto",
  "the indentation of this line matches no line above it":
    "la sangría de esta línea no coincide con la de ninguna línea anterior",
  "indent it like the other lines of its list or map":
    "dele la misma sangría que a las demás líneas de su lista o objeto",
  "nothing may follow the end of the document": "no puede haber nada después del final del documento",
  "remove what follows `...`": "quite lo que sigue a `...`",
  "nothing may follow the document": "no puede haber nada después del documento",
  "check the indentation of this line": "revise la sangría de esta línea",
  "this `%` line is not a directive of YAML": "esta línea con `%` no es una directiva de YAML",
  "remove the line, or put the text in quotes": "quite la línea o ponga el texto entre comillas",
  "this `%TAG` line can't be read": "esta línea `%TAG` no se puede leer",
  "remove the line": "quite la línea",
  "this can't be read as YAML": "esto no se puede leer como YAML",
  "check the indentation, or put the text in quotes": "revise la sangría o ponga el texto entre comillas",
  // Tags, anchors and aliases.
  "`{}` begins with `{}`, which makes it a tag of YAML":
    "`{1}` empieza por `{2}`, así que YAML lo toma por una etiqueta",
  "the tag `{}` is not supported in a plan": "un plan no admite la etiqueta `{1}`",
  "the tag `{}` does not fit `{}`": "la etiqueta `{1}` no encaja con `{2}`",
  "a tag that was not declared": "una etiqueta sin declarar",
  "a tag that can't be read": "una etiqueta que no se puede leer",
  "remove the tag": "quite la etiqueta",
  "remove the tag, or put the text in quotes": "quite la etiqueta o ponga el texto entre comillas",
  "a name is missing after `&` or `*`": "falta un nombre después de `&` o `*`",
  "write a name, or put the text in quotes": "escriba un nombre o ponga el texto entre comillas",
  "a space is missing after the anchor or the tag": "falta un espacio después del ancla o de la etiqueta",
  "put a space before this": "ponga un espacio antes de esto",
  "there is no anchor `{}` before this": "antes de esto no hay ningún ancla `{1}`",
  "define the anchor first, or put the text in quotes": "defina antes el ancla o ponga el texto entre comillas",
  "anchors name too much of the text": "las anclas abarcan demasiado texto",
  "remove anchors inside other anchors": "quite las anclas que están dentro de otras",
  "`{}` is inside the value that it repeats": "`{1}` está dentro del valor que repite",
  "write out the intended value": "escriba el valor que quiere",
  "aliases repeat more than {n} values": "los alias repiten más de {1} valores",
  "write out the intended value, or repeat less": "escriba el valor que quiere o repita menos",
};
