/** What an import of another format leaves out or changes. Spanish by English. */
import type { Translations } from "./template.js";

export const imports: Translations = {
  // Mermaid.
  "no flowchart begins here": "aquí no empieza ningún diagrama de flujo",
  "begin with `{}`; of Mermaid's diagrams only flowcharts can be taken over":
    "empiece por `{1}`. De los diagramas de Mermaid solo se importan los de flujo",
  "the flowchart has no nodes; the plan has one that does nothing":
    "el diagrama no tiene nodos. El plan tiene uno que no hace nada",
  "settings of the diagram are left out": "los ajustes del diagrama no se importan",
  "a setting of the diagram is left out": "un ajuste del diagrama no se importa",
  "{n} nodes pass on the previous output, since a diagram does not contain what nodes do":
    "{1} nodos pasan la salida anterior, porque un diagrama no indica lo que hacen los nodos",
  "{n} node passes on the previous output, since a diagram does not contain what nodes do":
    "{1} nodo pasa la salida anterior, porque un diagrama no indica lo que hacen los nodos",
  "give them types, tools and inputs": "deles tipos, herramientas y entradas",
  "several nodes have no arrow to them; the run begins at `{}`, the first":
    "a varios nodos no llega ninguna flecha. La ejecución empieza en `{1}`, el primero",
  "every node has an arrow to it; the run begins at `{}`, the first":
    "a todos los nodos llega una flecha. La ejecución empieza en `{1}`, el primero",
  "name another node in `{}`, if the run begins there": "indique otro nodo en `{1}` si la ejecución empieza allí",
  "the text `{}` became the condition that the previous output equals it":
    "el texto `{1}` se convirtió en la condición de que la salida anterior sea igual a él",
  "write the intended condition": "escriba la condición que quiere",
  "write the intended condition, such as `{}`": "escriba la condición que quiere, como `{1}`",
  "`{}` has several entries or exits, so its nodes are in the graph around it":
    "`{1}` tiene varias entradas o salidas, así que sus nodos están en el grafo que lo rodea",
  "connect arrows to the subgraph itself, not to its nodes": "conecte las flechas con el subgrafo, no con sus nodos",
  "several arrows without text leave `{}`; a run takes only the first":
    "de `{1}` salen varias flechas sin texto. Una ejecución solo toma la primera",
  "write conditions, or put what is to be done at once into a `{}` node":
    "escriba condiciones, o ponga en un nodo `{1}` lo que se hace a la vez",
  "`{}` is a condition": "`{1}` es una condición",
  "`{}` changes only the appearance and is left out": "`{1}` solo cambia el aspecto y no se importa",
  "this can't be read from `{}` on": "esto no se puede leer a partir de `{1}`",
  "this can't be read from the end of the line on": "esto no se puede leer a partir del final de la línea",
  "put labels with brackets or other signs into quotes":
    "ponga entre comillas las etiquetas con corchetes u otros signos",
  "a line without an arrowhead is imported as an arrow to the right-hand node":
    "una línea sin punta se importa como flecha hacia el nodo de la derecha",
  "an arrow with two heads is imported as two arrows": "una flecha con dos puntas se importa como dos flechas",
  "an invisible line only changes the layout and is left out":
    "una línea invisible solo cambia la disposición y no se importa",
  "an arrow between a subgraph and its own contents is left out":
    "una flecha entre un subgrafo y su propio contenido no se importa",
  "this loop has no exit, so its back edge is taken only after the output `{}`":
    "este bucle no tiene salida, así que su arista de vuelta solo se toma después de la salida `{1}`",
  "a loop of these tasks has no exit, so its back edge is taken only after the output `{}`":
    "un bucle de estas tareas no tiene salida, así que su arista de vuelta solo se toma después de la salida `{1}`",
  "write the condition under which the loop continues": "escriba la condición con la que el bucle continúa",
  "`{}` became a comment: this is the only arrow that leaves its node":
    "`{1}` se convirtió en un comentario: es la única flecha que sale de su nodo",
  "a frame is not closed": "falta cerrar un subgrafo",
  "add `{}` below its contents": "añada `{1}` debajo de su contenido",
  "subgraphs are nested too deeply": "hay demasiados niveles de subgrafos",
  "a drawing shows nodes, edges and conditions; inputs, limits, texts and settings are not in it":
    "un dibujo muestra nodos, aristas y condiciones, pero no entradas, límites, textos ni ajustes",
  "copy them from the plan that the diagram shows": "cópielos del plan que muestra el diagrama",
  // Serverless Workflow: the document.
  "this workflow is written in a version before 1.0":
    "este flujo de trabajo está escrito en una versión anterior a 1.0",
  "not a workflow: `document.dsl` is not 1.0": "no es un flujo de trabajo: `document.dsl` no es 1.0",
  "a workflow without tasks": "un flujo de trabajo sin tareas",
  "list them under `{}`": "enumérelas en `{1}`",
  "its name becomes the plan's name, namespace and version become a comment":
    "su nombre pasa a ser el del plan, y namespace y version pasan a un comentario",
  "labels of a workflow are left out": "las etiquetas de un flujo de trabajo no se importan",
  "a plan never contains secrets; `{}` reads from the run's `{}`":
    "un plan nunca contiene secretos. `{1}` lee del `{2}` de la ejecución",
  "a plan never contains credentials; pass them to the host": "un plan nunca contiene credenciales. Delas al host",
  "a plan never contains credentials": "un plan nunca contiene credenciales",
  "pass them to the host that executes the call": "delas al host que hace la llamada",
  "a plan does not import tasks": "un plan no importa tareas",
  "a plan does not import plugins": "un plan no importa complementos",
  "a plan has no hooks before or after tasks": "un plan no tiene nada que se ejecute antes o después de cada tarea",
  "failures of a plan have codes, which nodes define": "los fallos de un plan tienen códigos, que definen los nodos",
  "a plan has no schedule": "un plan no tiene calendario",
  "start it by the clock or the events of its host": "inícielo con el reloj o los eventos de su host",
  "the output of a plan is not validated against a schema": "la salida de un plan no se valida con un esquema",
  "values between tasks are not held against a schema": "los valores entre tareas no se validan con un esquema",
  "expressions are read as jq, which these are not": "las expresiones se leen como jq, y estas no lo son",
  "check every expression": "revise todas las expresiones",
  "the properties are the plan's inputs": "las propiedades son las entradas del plan",
  "optional properties are left out: `{}` lists what a run requires":
    "las propiedades opcionales no se importan: `{1}` enumera lo que exige una ejecución",
  "a schema without `{}`, or in another file": "un esquema sin `{1}` o en otro archivo",
  "declare the input of the run under `{}`": "declare la entrada de la ejecución en `{1}`",
  "the run has that time": "la ejecución dispone de ese tiempo",
  "the node has that time for each try": "el nodo dispone de ese tiempo para cada intento",
  "a time that is computed, or no time": "un tiempo calculado, o que no es un tiempo",
  "a time without a fixed length": "un tiempo sin duración fija",
  "write the milliseconds into `{}`": "escriba los milisegundos en `{1}`",
  "the node waits so many `{}`": "el nodo espera esos `{1}`",
  // Calls.
  "the plan calls the tool": "el plan llama a la herramienta",
  "the plan has a node of type `{}`, which a handler or a tool of that name executes":
    "el plan tiene un nodo de tipo `{1}`, que ejecuta un handler o una herramienta con ese nombre",
  "give the run a handler for it, or name a tool of a server":
    "proporcione un handler para él al ejecutar, o indique una herramienta de un servidor",
  "give the run a handler of that type, or name a tool":
    "proporcione un handler de ese tipo al ejecutar, o indique una herramienta",
  "give the run a handler of that type": "proporcione un handler de ese tipo al ejecutar",
  "the function `{}` is put in where it is called": "la función `{1}` se copia donde se llama",
  "the workflow does not define `{}`; the plan has a node of that type":
    "el flujo de trabajo no define `{1}`. El plan tiene un nodo de ese tipo",
  "names in braces are replaced by the data, without URL encoding":
    "los nombres entre llaves se sustituyen por los datos, sin codificar la URL",
  "names in braces that are more than names stay as they are":
    "lo que va entre llaves y no es solo un nombre se queda como está",
  "a plan names servers by an address of HTTP": "un plan indica los servidores por su dirección HTTP",
  "connect the server when the plan is run": "conecte el servidor al ejecutar el plan",
  "a secret becomes a trusted value, which the run needs in its context":
    "un secreto pasa a ser un valor de confianza, que la ejecución necesita en su contexto",
  "a container, a script, a shell or another workflow needs a handler of type `{}`":
    "un contenedor, un script, una shell u otro flujo de trabajo necesitan un handler de tipo `{1}`",
  "events need a handler of type `{}`": "los eventos necesitan un handler de tipo `{1}`",
  "events need a handler of type `{}`, whose output is the received events":
    "los eventos necesitan un handler de tipo `{1}`, cuya salida son los eventos recibidos",
  "tasks for each event are left out": "las tareas para cada evento no se importan",
  "use a `{}` node on what was heard": "use un nodo `{1}` con lo recibido",
  "a plan has no node that fails by itself; a handler of type `{}` has to":
    "un plan no tiene ningún nodo que falle por sí mismo. Tiene que hacerlo un handler de tipo `{1}`",
  // Tasks.
  "a list of tasks is expected here": "aquí se esperaba una lista de tareas",
  "write `{}` for each task": "escriba `{1}` para cada tarea",
  "a task is a map": "una tarea es un objeto",
  "write what it does": "escriba lo que hace",
  "a task is a map of its name alone": "una tarea es un objeto con solo su nombre",
  "`{}` is no task that is known": "`{1}` no es una tarea conocida",
  "add a task such as `{}` or `{}`": "añada una tarea como `{1}` o `{2}`",
  "there is no task `{}` in this list; the list ends there":
    "no hay ninguna tarea `{1}` en esta lista. La lista termina ahí",
  "name a task of the same list": "indique una tarea de la misma lista",
  "`{}` is a name": "`{1}` es un nombre",
  "`{}` is a list of cases": "`{1}` es una lista de casos",
  "a list of tasks is a graph inside a node": "una lista de tareas es un grafo dentro de un nodo",
  "cases are edges, looked at in their order": "los casos son aristas, que se evalúan en su orden",
  "a second case without `{}` is never taken": "un segundo caso sin `{1}` no se toma nunca",
  "`{}` ends the whole workflow; in the plan it ends only its own graph":
    "`{1}` termina todo el flujo de trabajo. En el plan solo termina su propio grafo",
  "return a value from the graph, and test it after the node that runs the graph":
    "devuelva un valor desde el grafo y compruébelo después del nodo que lo ejecuta",
  "branches run at the same time": "las ramas se ejecutan a la vez",
  "a fork without branches": "una bifurcación sin ramas",
  "a loop without `{}`": "un bucle sin `{1}`",
  "iterations run one after the other; the output is the list of all results, not only the last one":
    "las iteraciones se ejecutan una tras otra. La salida es la lista de todos los resultados, no solo el último",
  "select what you need from the list in the next node": "elija en el nodo siguiente lo que necesite de la lista",
  "the rounds are not ended by a condition": "ninguna condición termina las vueltas",
  "make a loop of edges, with a condition on one": "haga un bucle de aristas, con una condición en una de ellas",
  // Failures.
  "a failure leads to the next task": "un fallo lleva a la tarea siguiente",
  "a failure leads to a graph of its own": "un fallo lleva a un grafo propio",
  "a task that exceeds its timeout fails with `{}`": "una tarea que supera su tiempo falla con `{1}`",
  "every failure is caught: those of a plan have codes, not the types and statuses of errors":
    "se captura todo fallo: los de un plan tienen códigos, no tipos ni estados de error",
  "compare `{}`, as in `{}`": "compare `{1}`, como en `{2}`",
  "a failure has one `{}`": "un fallo tiene un solo `{1}`",
  "a failure has `{}`, `{}` and `{}`": "un fallo tiene `{1}`, `{2}` y `{3}`",
  "a failure has a `{}` such as `{}`, no URI": "un fallo tiene un `{1}` como `{2}`, no un URI",
  "a failure names the `{}`, not a pointer": "un fallo indica el `{1}`, no un puntero",
  "of an error only {list} have something like it": "de un error, solo {1} tienen algo parecido",
  "there is no policy `{}`": "no hay ninguna política `{1}`",
  "list the failures to retry in `{}`": "enumere en `{1}` los fallos que se reintentan",
  "the whole graph is retried after any failure, and `{}` includes the first attempt":
    "todo el grafo se reintenta después de cualquier fallo, y `{1}` incluye el primer intento",
  "the whole graph is retried after any failure, and `{}` includes the first attempt; left out: {list}":
    "todo el grafo se reintenta después de cualquier fallo, y `{1}` incluye el primer intento. No se importa {2}",
  "{message}; without a limit it is tried {n} times": "{1}. Sin límite, se intenta {2} veces",
  "{message}; without a limit it is tried {n} times; left out: {list}":
    "{1}. Sin límite, se intenta {2} veces. No se importa {3}",
  // Expressions.
  "`{}` is the input of a node": "`{1}` es la entrada de un nodo",
  "a plan has no context that tasks write; refer to the output of the node by its name":
    "un plan no tiene un contexto que escriban las tareas. Haga referencia a la salida del nodo por su nombre",
  "write `{}` where `{}` is read": "escriba `{1}` donde se lee `{2}`",
  "this expression stays as text: {message}": "esta expresión se queda como texto: {1}",
  "this condition is left out: {message}": "esta condición no se importa: {1}",
  "this condition tests for the output `{}` instead: {message}":
    "en su lugar, esta condición comprueba si la salida es `{1}`: {2}",
  "write it as an expression of plans, or let a tool or a handler compute it":
    "escríbala como expresión de un plan, o deje que la calcule una herramienta o un handler",
  "jq uses the default also for `{}`": "jq usa el valor por defecto también para `{1}`",
  "jq splits an empty text into no parts, and here it is one part":
    "jq divide un texto vacío en cero partes, y aquí es una parte",
  "in jq what is not there is less than any number or text":
    "en jq, lo que no existe es menor que cualquier número o texto",
  "in a list jq finds parts of its elements, too": "en una lista, jq encuentra también partes de sus elementos",
  "a key is put together": "una clave se compone de partes",
  "a number is outside the supported range": "un número está fuera del intervalo admitido",
  "only a text can be looked for": "solo se puede buscar un texto",
  "only a key or a position can be looked for": "solo se puede buscar una clave o una posición",
  "only a literal key can be tested": "solo se puede comprobar una clave literal",
  "only a literal pattern can be translated": "solo se puede traducir un patrón literal",
  "only numbers and texts have an order here": "aquí solo tienen orden los números y los textos",
  "`{}` is not supported": "no se admite `{1}`",
  "`{}` is not supported with {n} arguments": "no se admite `{1}` con {2} argumentos",
  "the position {n} is not supported": "no se admite la posición {1}",
  "`{}` merges maps": "`{1}` combina objetos",
  "`{}` visits a list": "`{1}` recorre una lista",
  "`{}` returns several values": "`{1}` devuelve varios valores",
  "`{}` returns a value or nothing": "`{1}` devuelve un valor o nada",
  "`{}` adds numbers, texts and lists; in jq it also merges maps and leaves out `{}`":
    "`{1}` suma números, textos y listas. En jq también combina objetos y omite `{2}`",
  "a pattern with `{}` may have another meaning in a plan": "un patrón con `{1}` puede significar otra cosa en un plan",
  "patterns of jq support all of Unicode, and their `{}` also matches before a last line break":
    "los patrones de jq admiten todo Unicode, y su `{1}` coincide también antes de un último salto de línea",
  "of `{}` only `{}` is supported, and only outside of nested tasks":
    "de `{1}` solo se admite `{2}`, y solo fuera de tareas interiores",
  "it ends too early": "termina demasiado pronto",
  "it has too many operators": "tiene demasiados operadores",
  "it is no condition": "no es una condición",
  "it is always true": "siempre es true",
  "its translation is too long": "su traducción es demasiado larga",
  "a text is not closed": "falta cerrar un texto",
  "an escape is not known": "hay una secuencia de escape desconocida",
};
