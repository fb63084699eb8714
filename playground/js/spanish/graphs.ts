/** Messages about the nodes, edges and settings of a plan, and about its files. Spanish by English. */
import type { Translations } from "./template.js";

export const graphs: Translations = {
  // Common helps.
  "did you mean `{}`?": "¿quiso decir `{1}`?",
  "add `{}`": "añada `{1}`",
  "add `{}`, as in `{}`": "añada `{1}`, como en `{2}`",
  "remove `{}`": "quite `{1}`",
  "remove this entry": "quite esta entrada",
  "remove one of them": "quite uno de los dos",
  "remove the edge": "elimine la arista",
  "write {kind} here": "escriba aquí {1}",
  "write {kind} there": "escriba allí {1}",
  "write one of {list}": "escriba uno de estos: {1}",
  "use one of {list}": "elija entre {1}",
  // Keys and values.
  "`{}` is not a known key here": "`{1}` no es una clave conocida aquí",
  "`{}` is not a known key of `{}`": "`{1}` no es una clave conocida de `{2}`",
  "`{}` is no setting of `{}`": "`{1}` no es un ajuste de `{2}`",
  "remove `{}`; known here are {list}": "quite `{1}`. Aquí se admiten {2}",
  "move `{}` to the top level of the plan": "mueva `{1}` al nivel superior del plan",
  "move `{}` into `{}`": "mueva `{1}` a `{2}`",
  "move `{}` into `{}` of the plan": "mueva `{1}` a `{2}` del plan",
  "move `{}` into `{}` of a node": "mueva `{1}` a `{2}` de un nodo",
  "move `{}` into a node": "mueva `{1}` a un nodo",
  "move `{}` into an edge of `{}`": "mueva `{1}` a una arista de `{2}`",
  "move `{}` out of `{}`, into the node": "saque `{1}` de `{2}` y póngalo en el nodo",
  "remove `{}`, for `{}` is there, too": "quite `{1}`, porque también está `{2}`",
  "remove `{}`, or use the type that runs it": "quite `{1}` o use el tipo que lo ejecuta",
  "write what is to run under `{}`": "escriba en `{1}` lo que se va a ejecutar",
  "write `{}` and a number of milliseconds": "escriba `{1}` y un número de milisegundos",
  "write `{}`, in milliseconds": "escriba `{1}`, en milisegundos",
  "write a number, or a duration as in `{}`": "escriba un número o una duración, como en `{1}`",
  "write a time as in `{}`, or a timestamp as in `{}`": "escriba una hora como `{1}`, o una marca de tiempo como `{2}`",
  "write `{}`": "escriba `{1}`",
  "write `{}`, with its fields under `{}`": "escriba `{1}`, con sus campos en `{2}`",
  "{kind} is {kind}, not {kind}": "{1} es {2}, no {3}",
  "{kind} is {list}, not {kind}": "{1} es {2}, no {3}",
  "`{}` must be the schema of a map, and have no templates":
    "`{1}` tiene que ser el esquema de un objeto, sin plantillas",
  "`{}` has no `{}`": "`{1}` no tiene `{2}`",
  "add `{}`, which counts all tries": "añada `{1}`, que cuenta todos los intentos",
  "a test expects nothing": "una prueba no espera nada",
  "no run ends as `{}`": "ninguna ejecución termina como `{1}`",
  "write {list} here": "escriba aquí {1}",
  "this version supports only `{}`": "esta versión solo admite `{1}`",
  "write `{}`, or use a newer version of stepgraph": "escriba `{1}` o use una versión más reciente de stepgraph",
  // Nodes.
  "the plan has no nodes": "el plan no tiene nodos",
  "add a node under `{}`, as in `{}`": "añada un nodo en `{1}`, como en `{2}`",
  "node `{}` has no type": "el nodo `{1}` no tiene tipo",
  "add a type, as in `{}`": "añada un tipo, como en `{1}`",
  "node `{}` names no tool": "el nodo `{1}` no indica ninguna herramienta",
  "node `{}` needs {list}": "el nodo `{1}` necesita {2}",
  "node `{}` has nothing to run": "el nodo `{1}` no tiene nada que ejecutar",
  "a node waits for `{}` or `{}` a time, not both": "un nodo espera `{1}` o hasta la hora `{2}`, no ambas cosas",
  "`{}` is the name of an initial value of the run": "`{1}` es el nombre de un valor inicial de la ejecución",
  "give the node another id": "dé otro id al nodo",
  "two nodes have the id `{}`": "dos nodos tienen el id `{1}`",
  "give one of them another `{}`": "dé otro `{1}` a uno de ellos",
  "give one of them another name": "dé otro nombre a uno de ellos",
  "`{}` hides a node of the same name around this graph": "`{1}` oculta un nodo del mismo nombre fuera de este grafo",
  "there is no node `{}`": "no hay ningún nodo `{1}`",
  "add a node `{}`, or name one that is there": "añada un nodo `{1}` o indique uno que exista",
  "write `{}`, the key of the node whose id this is": "escriba `{1}`, la clave del nodo que tiene este id",
  "`{}` is no built-in type": "`{1}` no es un tipo incorporado",
  "handlers by id go by the node's id, not its key": "los handlers por id usan el id del nodo, no su clave",
  "there is no handler for nodes of type `{}`": "no hay ningún handler para los nodos de tipo `{1}`",
  "use a built-in type, name a tool of a connected server, or pass a handler to the run":
    "use un tipo incorporado, indique una herramienta de un servidor conectado o añada un handler para la ejecución",
  "node `{}` calls the tool `{}`": "el nodo `{1}` llama a la herramienta `{2}`",
  "node `{}` calls the tool `{}` of server `{}`": "el nodo `{1}` llama a la herramienta `{2}` del servidor `{3}`",
  "write `{}` if the built-in type is meant, or `{}` with `{}`":
    "escriba `{1}` si se refiere al tipo incorporado, o `{2}` con `{3}`",
  // Start and edges.
  "name the first node in `{}`": "indique el primer nodo en `{1}`",
  "every node has an incoming edge, so none is the start":
    "todos los nodos tienen una arista de entrada, así que ninguno es el inicial",
  "{list} have no incoming edge; any could be the start":
    "{1} no tienen ninguna arista de entrada. Cualquiera podría ser el inicial",
  "the edge has no `{}`": "la arista no tiene `{1}`",
  "the edge has no `{}` and no `{}`": "la arista no tiene `{1}` ni `{2}`",
  "name a node's key in `{}`": "indique en `{1}` la clave de un nodo",
  "name the keys of two nodes": "indique las claves de dos nodos",
  "no path leads to node `{}`": "ningún camino lleva al nodo `{1}`",
  "add an edge that leads to it, or remove it": "añada una arista que lleve a él, o elimínelo",
  "the loop {list} has no exit": "el bucle {1} no tiene salida",
  "add an edge with a condition that leaves the loop, or put a condition on one that stays":
    "añada una arista con una condición que salga del bucle, o ponga una condición en una de las que se quedan",
  "no condition here compares the decision, which is text: write `{}`, or add an edge for `{}`":
    "ninguna condición compara aquí la decisión, que es un texto: escriba `{1}`, o añada una arista para `{2}`",
  "the edge to `{}` is never taken": "la arista hacia `{1}` no se toma nunca",
  "`{}` can't fail, so the edge to `{}` is never taken":
    "`{1}` no puede fallar, así que la arista hacia `{2}` no se toma nunca",
  "remove the edge, or let it leave the node that may fail":
    "elimine la arista o haga que salga del nodo que puede fallar",
  "put a condition on one of them, or remove one": "ponga una condición en una de ellas, o elimine una",
  "put it before the other edge, or remove it": "póngala antes de la otra arista, o elimínela",
  "remove the edge, or join conditions that exclude each other with `{}`":
    "elimine la arista, o una con `{1}` las condiciones que se excluyen",
  "this condition can't hold": "esta condición no se puede cumplir",
  "a rejection of `{}` leads to `{}`, like an approval":
    "si se rechaza `{1}`, la ejecución sigue en `{2}`, igual que si se aprueba",
  "add `{}` to the edge, or an edge for `{}`": "añada `{1}` a la arista, o una arista para `{2}`",
  "compare the decision in `{}`, or the output of `{}` in a condition":
    "compare la decisión en `{1}`, o la salida de `{2}` en una condición",
  "add `{}` to the edge, or end the path of the rejection before it":
    "añada `{1}` a la arista, o termine antes el camino del rechazo",
  "`{}` may act twice: a call that timed out may have done its work":
    "`{1}` puede actuar dos veces: una llamada que agotó su tiempo puede haber hecho su trabajo",
  "list other codes in `{}`, or pass an idempotency key":
    "ponga otros códigos en `{1}`, o pase una clave de idempotencia",
  // Inputs and effects.
  "`{}` passes on the previous output; its input is ignored":
    "`{1}` pasa la salida anterior sin cambios. Su entrada no se usa",
  "`{}` computes `{}`; its input is ignored": "`{1}` calcula `{2}`. Su entrada no se usa",
  "remove `{}`, or use type `{}` to pass it on": "quite `{1}`, o use el tipo `{2}` para pasarla",
  "remove `{}`, or refer to it in `{}`": "quite `{1}`, o haga referencia a ella en `{2}`",
  "`{}` runs over a list, and its input is no list": "`{1}` recorre una lista, y su entrada no lo es",
  "`{}` runs over a list, and its input is {kind}": "`{1}` recorre una lista, y su entrada es {2}",
  "give it a list, as in `{}`": "dele una lista, como en `{1}`",
  "`{}` reads `{}` and `{}` of its input, and no `{}`": "`{1}` lee `{2}` y `{3}` de su entrada, pero no `{4}`",
  "pass the value to the run: `{}`, or `{}`": "indique el valor al ejecutar: `{1}` o `{2}`",
  "put it into `{}`, which the model reads": "póngalo en `{1}`, que el modelo lee",
  "`{}` has no effect on `{}`, which makes no call": "`{1}` no tiene efecto en `{2}`, que no hace ninguna llamada",
  "one attempt may take {n} ms, but the whole run only {n} ms":
    "un intento puede durar {1} ms, pero toda la ejecución solo {2} ms",
  "`{}` waits {n} ms, but the whole run may take only {n} ms":
    "`{1}` espera {2} ms, pero toda la ejecución puede durar solo {3} ms",
  "the retries wait {n} ms and not {n} ms, because `max_ms` is {n}":
    "los reintentos esperan {1} ms y no {2} ms, porque `max_ms` es {3}",
  "raise `{}`, or write a shorter `{}`": "aumente `{1}`, o escriba un `{2}` más corto",
  "`{}` is no code of a failure": "`{1}` no es un código de fallo",
  "write a code such as `{}` or `{}`": "escriba un código como `{1}` o `{2}`",
  "write a comparison, as in `{}`": "escriba una comparación, como en `{1}`",
  "nothing is retried: `attempts` counts the first try too":
    "no se reintenta nada: `attempts` cuenta también el primer intento",
  "write `{}` or more, or remove `{}`": "escriba `{1}` o más, o quite `{2}`",
  "a retry waits {n} ms, but the whole run may take only {n} ms":
    "un reintento espera {1} ms, pero toda la ejecución puede durar solo {2} ms",
  "write a `{}` that is shorter than `{}`": "escriba un `{1}` más corto que `{2}`",
  "a decision is `approved` or `rejected`, and no condition":
    "una decisión es `approved` o `rejected`, y no una condición",
  "a decision is `approved` or `rejected`, and has no `{}`":
    "una decisión es `approved` o `rejected`, y no tiene `{1}`",
  "a rejection of `{}` leads to `{}`, which makes the same call as `{}`":
    "un rechazo de `{1}` lleva a `{2}`, que hace la misma llamada que `{3}`",
  "wait shorter than `{}`": "espere menos que `{1}`",
  "`{}` is a key of the plan, not a node": "`{1}` es una clave del plan, no un nodo",
  "move `{}` to the left, beside `{}`": "mueva `{1}` a la izquierda, al lado de `{2}`",
  "make it shorter than `{}`, or leave it out": "hágalo más corto que `{1}` o quítelo",
  "the URL of server `{}` contains a key": "la URL del servidor `{1}` contiene una clave",
  "pass the key by {}": "pase la clave por {1}",
  "server `{}` has no `{}` that begins with `{}`": "el servidor `{1}` no tiene ninguna `{2}` que empiece por `{3}`",
  // Tools and models.
  "there is no tool `{}`": "no hay ninguna herramienta `{1}`",
  "connect the server that offers it": "conecte el servidor que la ofrece",
  "several servers offer a tool `{}`": "varios servidores ofrecen una herramienta `{1}`",
  "give one of the servers another name": "dé otro nombre a uno de los servidores",
  "the tool `{}` can't be called: {message}": "no se puede llamar a la herramienta `{1}`: {2}",
  "it runs only as a task of MCP, and this client starts none":
    "solo se ejecuta como tarea de MCP, y este cliente no inicia ninguna",
  "use another tool": "use otra herramienta",
  "agent `{}` has no tools": "el agente `{1}` no tiene herramientas",
  "connect a server, or use type `{}`": "conecte un servidor o use el tipo `{1}`",
  "`{}` is how a model submits its plan, and no tool can have that name here":
    "con `{1}` un modelo entrega su plan, así que aquí ninguna herramienta puede llamarse así",
  "list in `{}` the tools to offer, without `{}`": "enumere en `{1}` las herramientas que se ofrecen, sin `{2}`",
  "`{}` trusts other parameters ({}) than `{}` ({}), whose calls it makes":
    "`{1}` confía en otros parámetros ({2}) que `{3}` ({4}), cuyas llamadas hace",
  "write the same `{}` in both nodes": "escriba el mismo `{1}` en los dos nodos",
  "the run has no model `{}`": "la ejecución no tiene ningún modelo `{1}`",
  "the run has no model `{}`, so `{}` answers": "la ejecución no tiene ningún modelo `{1}`, así que responde `{2}`",
  "pass a model called `{}` to the run, or choose one in `{}`": "conecte un modelo llamado `{1}` o elija uno en `{2}`",
  "pass a model called `{}` to the run, or one called `{}`": "conecte un modelo llamado `{1}`, o uno llamado `{2}`",
  // Files.
  "`{}` is a template, and a file has a constant path": "`{1}` es una plantilla, y la ruta de un archivo es constante",
  "write the path, as in `{}`; for a choice use edges with conditions":
    "escriba la ruta, como en `{1}`. Para elegir, use aristas con condiciones",
  "`{}` is an address, and a plan runs files of its own folder":
    "`{1}` es una dirección, y un plan ejecuta archivos de su propia carpeta",
  "save the file beside the plan, and write its path, as in `{}`":
    "guarde el archivo junto al plan y escriba su ruta, como en `{1}`",
  "`{}` is an absolute path": "`{1}` es una ruta absoluta",
  "write the path relative to this file, as in `{}`": "escriba la ruta relativa a este archivo, como en `{1}`",
  "`{}` has a sign that no path of a plan has": "`{1}` tiene un carácter que no puede haber en la ruta de un plan",
  "write `{}` between folders, as in `{}`": "escriba `{1}` entre las carpetas, como en `{2}`",
  "`{}` is neither a graph nor the path of a plan file": "`{1}` no es un grafo ni la ruta de un archivo de plan",
  "name a file that ends in `{}`, `{}` or `{}`, or write a map with `{}`":
    "indique un archivo que termine en `{1}`, `{2}` o `{3}`, o escriba un objeto con `{4}`",
  "`{}` is outside the folder of the plan": "`{1}` está fuera de la carpeta del plan",
  "move the file into the folder of the plan, or below it": "mueva el archivo a la carpeta del plan o a una subcarpeta",
  "`{}` is not known here, so its nodes are not checked": "aquí no se conoce `{1}`, así que no se comprueban sus nodos",
  "`{}` is not known here": "aquí no se conoce `{1}`",
  "check the plan by `{}`": "compruebe el plan con `{1}`",
  "the text of `{}` was not given": "no se ha dado el texto de `{1}`",
  "give it by `{}`, load the plan with `{}`, or write the graph into the plan":
    "delo en `{1}`, cargue el plan con `{2}` o escriba el grafo en el plan",
  "can't read `{}`: {message}": "no se puede leer `{1}`: {2}",
  "there is no such file": "no existe ese archivo",
  "check the path, which is relative to this file": "revise la ruta, que es relativa a este archivo",
  "`{}` runs itself: {}": "`{1}` se ejecuta a sí mismo: {2}",
  "end the circle: no file can contain itself": "rompa el círculo: ningún archivo puede contenerse a sí mismo",
  "the plan runs more than {n} files": "el plan ejecuta más de {1} archivos",
  "run fewer files; a file counts as often as it is named":
    "ejecute menos archivos. Un archivo cuenta tantas veces como se nombra",
  "lists and maps are nested more than {n} deep, with the files inside":
    "hay más de {1} niveles de listas y objetos, contando los archivos",
  "nest fewer files": "reduzca los niveles de archivos",
  "the plan and its files are larger than {n} MiB, or hold too many values":
    "el plan y sus archivos ocupan más de {1} MiB o contienen demasiados valores",
  "move large data out of the files": "saque los datos grandes de los archivos",
  "`{}` limits `{}` to {}, the plan does not": "`{1}` limita `{2}` a {3}, y el plan no",
  "write `{}` into the plan, or less": "escriba `{1}` en el plan, o menos",
  "`{}` and the plan mean two servers by `{}`": "`{2}` es un servidor en `{1}` y otro en el plan",
  "use one URL in both": "use la misma URL en los dos",
  "`{}` uses the server `{}`, which the plan does not have": "`{1}` usa el servidor `{2}`, que el plan no tiene",
  "add it to the `{}` of the plan": "añádalo a los `{1}` del plan",
  "the default of `{}` in `{}` does not apply here": "el valor predeterminado de `{1}` en `{2}` no se aplica aquí",
  "pass each value, as in `{}`": "pase cada valor, como en `{1}`",
  "`{}` needs the input `{}`, which this input lacks": "`{1}` necesita la entrada `{2}`, que aquí falta",
  "the input `{}` of `{}` does not fit: {message}": "la entrada `{1}` de `{2}` no encaja: {3}",
  "the input `{}` of `{}` is {kind}, not {kind}": "la entrada `{1}` de `{2}` es {3}, no {4}",
  "`{}` declares other values of its input `{}` than {list}":
    "`{1}` declara otros valores de su entrada `{2}`, que aquí es {3}",
  "pass what the file declares, or change the `{}` of `{}`":
    "dé lo que declara el archivo, o cambie las `{1}` de `{2}`",
  "declared here": "declarado aquí",
  // What a run may call.
  "`{}` is allowed, and there is no such tool": "se permite `{1}`, y no existe esa herramienta",
  "`{}` is allowed, and several servers have such a tool":
    "se permite `{1}`, y varios servidores tienen esa herramienta",
  "allow a tool that a server of the run offers": "permita una herramienta que ofrezca un servidor de la ejecución",
  "allow {list}": "permita {1}",
  // Many problems, and labels of other places.
  "{n} more problems are not listed": "hay {1} problemas más que no aparecen en la lista",
  "{n} more problem are not listed": "hay {1} problema más que no aparece en la lista",
  "fix the ones listed, then check again": "corrija los de la lista y vuelva a comprobar",
  "a run comes from `{}` without it": "una ejecución llega desde `{1}` sin él",
  "the run begins here, without it": "la ejecución empieza aquí, sin él",
  "first here": "primero aquí",
  "first defined here": "definido antes aquí",
  "no edge leads here": "ninguna arista lleva aquí",
  "the plan's server": "el servidor del plan",
  "`{}` is here": "`{1}` está aquí",
  "this fallback comes first": "esta arista sin condición va antes",
  "with this one, a condition before it always holds": "junto con esta, siempre se cumple una condición anterior",
  "this edge is taken whenever that one could be": "esta arista se toma siempre que podría tomarse la otra",
  "this one can't be referred to from there": "desde allí no se puede hacer referencia a este",
  // References to nodes.
  "`{}` has not run on every path to here": "`{1}` no se ha ejecutado en todos los caminos hasta aquí",
  "`{}` has run on no path to here": "`{1}` no se ha ejecutado en ningún camino hasta aquí",
  "none of these is there on every path": "ninguno de estos existe en todos los caminos",
  "there is not a failure on every path to here": "no hay un fallo en todos los caminos hasta aquí",
  "there is no failure on any path to here": "no hay ningún fallo en los caminos hasta aquí",
  "add a default, as in `{}`, or let an edge test for it with `{}`":
    "añada un valor por defecto, como en `{1}`, o compruébelo en una arista con `{2}`",
  "refer to a node that runs before, or remove this": "haga referencia a un nodo que se ejecute antes o quite esto",
  "refer to `{}` in a node after an edge whose condition refers to `{}`":
    "haga referencia a `{1}` en un nodo que siga a una arista cuya condición use `{2}`",
  "no node is called `{}`": "ningún nodo se llama `{1}`",
  "`{}` runs in a graph of its own, inside `{}`; after that, read `{}`":
    "`{1}` se ejecuta en un grafo propio, dentro de `{2}`; después, lea `{3}`",
  "refer to a node of this plan, or pass an output of that name to the run":
    "haga referencia a un nodo de este plan, o proporcione una salida con ese nombre al ejecutar",
  "`{}` exists only inside a `{}` node": "`{1}` solo existe dentro de un nodo `{2}`",
  "`{}` exists only in a planned call": "`{1}` solo existe en una llamada planificada",
  "use `{}` or `{}`": "use `{1}` o `{2}`",
  "add `{}`: defaults of a file do not apply to its node":
    "añada `{1}`: los valores por defecto de un archivo no valen para su nodo",
};
