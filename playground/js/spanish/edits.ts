/** Messages about edits that are not possible, and titles of actions. Spanish by English. */
import type { Translations } from "./template.js";

export const edits: Translations = {
  // Titles of actions. Others are helps with a capital letter.
  "Write `{}`": "Escribir `{1}`",
  "Remove `{}`": "Quitar `{1}`",
  "Add `{}`": "Añadir `{1}`",
  "Remove the edge": "Quitar la arista",
  "Remove the node `{}`": "Quitar el nodo `{1}`",
  "Add a node `{}`": "Añadir un nodo `{1}`",
  "Add the input `{}`": "Añadir la entrada `{1}`",
  "Begin at `{}`": "Empezar en `{1}`",
  "Copy the node as `{}`": "Copiar el nodo como `{1}`",
  "Give it the type `{}`": "Darle el tipo `{1}`",
  "Make it a `{}` node, which passes its input on": "Convertirlo en un nodo `{1}`, que pasa su entrada",
  "Fix this": "Corregir esto",
  // Names and places that are not there.
  "name it by its key, `{}`": "indíquelo por su clave, `{1}`",
  "name a node by its key in `{}`": "indique un nodo por su clave en `{1}`",
  "name a node by its key in `{}` of `{}`": "indique un nodo por su clave en los `{1}` de `{2}`",
  "there is no edge {n}": "no hay ninguna arista {1}",
  "add an edge first": "añada antes una arista",
  "name the only edge, 0": "indique la única arista, 0",
  "name an edge by its position, from 0 to {n}": "indique una arista por su posición, entre 0 y {1}",
  "there is no graph `{}`": "no hay ningún grafo `{1}`",
  "name it by the path of its keys, as in `{}`": "indíquelo por la ruta de sus claves, como en `{1}`",
  "leave `{}` out: no node of this plan contains a graph": "quite `{1}`: ningún nodo de este plan contiene un grafo",
  "give a position from 0 to {n}": "dé una posición entre 0 y {1}",
  "there is no position {n} among the edges": "no hay ninguna posición {1} entre las aristas",
  "{kind} has no key `{}`": "{1} no tiene ninguna clave `{2}`",
  "{kind} has no position {n}": "{1} no tiene ninguna posición {2}",
  "a list that is not there yet has no position {n}": "una lista que todavía no existe no tiene ninguna posición {1}",
  "name keys of maps and positions of lists that are there":
    "indique claves de mapas y posiciones de listas que existan",
  "there is no `{}` to be changed": "no hay ningún `{1}` que cambiar",
  "name a path that exists": "indique una ruta que exista",
  // The text can't be changed.
  "the text can't be changed as it is": "el texto no se puede cambiar tal como está",
  "the text can't be changed as it is: {message}": "el texto no se puede cambiar tal como está: {1}",
  "fix the text first": "corrija antes el texto",
  "this value is also used elsewhere, by an anchor and its alias":
    "este valor se usa también en otro lugar, con un ancla y su alias",
  "write out the alias first, or edit the text directly":
    "escriba antes el valor del alias, o edite el texto directamente",
  "the notation of this text does not allow the change": "la notación de este texto no permite el cambio",
  "edit the text directly": "edite el texto directamente",
  "fix the errors first": "corrija antes los errores",
  // Names.
  "no node can be called `{}`: {message}": "ningún nodo puede llamarse `{1}`: {2}",
  "a node needs a name": "un nodo necesita un nombre",
  "give it a name": "dele un nombre",
  "`/` separates a graph from its nodes": "`/` separa un grafo de sus nodos",
  "leave the `{}` out": "quite `{1}`",
  "`:` separates a node from the number of a visit": "`:` separa un nodo del número de una visita",
  "it begins or ends with whitespace": "empieza o termina con un espacio",
  "remove the whitespace": "quite los espacios",
  "it contains an invisible character": "contiene un carácter invisible",
  "leave that sign out": "quite ese carácter",
  "choose another name": "elija otro nombre",
  "there is a node `{}` already": "ya hay un nodo `{1}`",
  "the output of `{}` has the name `{}` already": "la salida de `{1}` ya se llama `{2}`",
  "`{}` refers to nothing yet, and would refer to this node":
    "`{1}` todavía no se refiere a nada, y se referiría a este nodo",
  "`{}` refers to `{}`, and would refer to this node": "`{1}` se refiere a `{2}`, y se referiría a este nodo",
  "`{}` would speak of the node `{}` here": "`{1}` se referiría aquí al nodo `{2}`",
  "`{}` would refer to nothing": "`{1}` no se referiría a nada",
  "refer to another node first": "haga referencia antes a otro nodo",
  "refer to something else first": "haga referencia antes a otra cosa",
  "this one": "este",
  "`{}` is compared with `{}` here": "aquí `{1}` se compara con `{2}`",
  "`{}` has a conversation of the name `{}`": "`{1}` tiene una conversación llamada `{2}`",
  "`{}` may refer to several nodes here": "`{1}` puede referirse aquí a varios nodos",
  "name the node by its place there, as in `{}`": "indique el nodo por su lugar allí, como en `{1}`",
  "change this condition first": "cambie antes esta condición",
  // Nodes and values.
  "a new node has no type": "un nodo nuevo no tiene tipo",
  "give it a `{}` with at least `{}`": "dele un `{1}` con al menos `{2}`",
  "a type has no name": "un tipo no tiene nombre",
  "name a type": "indique un tipo",
  "`{}` does not set `{}` here": "`{1}` no cambia aquí `{2}`",
  "use the operations on nodes and edges": "use las operaciones de nodos y aristas",
  "use `{}`": "use `{1}`",
  "set it on the plan, or on the node": "indíquelo en el plan o en el nodo",
  "a position is a pair of finite numbers": "una posición es un par de números finitos",
  "without `{}` the first node of the run is unknown": "sin `{1}` no se sabe cuál es el primer nodo de la ejecución",
  "connect the nodes so that all but the first have an edge that leads to them":
    "conecte los nodos para que a todos, menos al primero, lleve una arista",
  // Groups.
  "`{}` would be the output before the group instead of the input of the graph":
    "`{1}` sería la salida anterior al grupo en lugar de la entrada del grafo",
  "give the first node of the group an `{}` of its own, or leave this node out":
    "dé al primer nodo del grupo un `{1}` propio, o deje fuera este nodo",
  "runs would enter the group at `{}` and at `{}`": "las ejecuciones entrarían en el grupo por `{1}` y por `{2}`",
  "group nodes of which one is the first": "agrupe nodos de los que uno sea el primero",
  "group nodes of which one is the last": "agrupe nodos de los que uno sea el último",
  "no edge determines which of these nodes is the first": "ninguna arista determina cuál de estos nodos es el primero",
  "connect them first": "conéctelos antes",
  "a run may end at `{}`, but would continue after the group":
    "una ejecución puede terminar en `{1}`, pero seguiría después del grupo",
  "leave it out, or connect it as the other nodes are connected": "déjelo fuera, o conéctelo como los demás nodos",
  "this edge leads out of the group": "esta arista sale del grupo",
  "inside the group `{}` always continues, so this edge would never be taken":
    "dentro del grupo, `{1}` siempre continúa, así que esta arista no se tomaría nunca",
  "give the other edges of the node conditions": "ponga condiciones en las otras aristas del nodo",
  "this edge would be taken when any node of the group fails":
    "esta arista se tomaría cuando falle cualquier nodo del grupo",
  "leave the node out, or connect its failures to a node of the group":
    "deje fuera el nodo, o conecte sus fallos con un nodo del grupo",
  "after a failure the plan could no longer read the outputs of earlier visits":
    "después de un fallo, el plan ya no podría leer las salidas de visitas anteriores",
  "leave the node out, or remove this edge first": "deje fuera el nodo, o quite antes esta arista",
  "`{}` leads to another node than the other exits of the group":
    "`{1}` lleva a otro nodo que las demás salidas del grupo",
  "the edges inside the group would be evaluated before the edge that leaves it":
    "las aristas de dentro del grupo se evaluarían antes que la arista que sale de él",
  "move the edge behind the other": "mueva la arista detrás de la otra",
  "this one is evaluated later in the plan": "esta se evalúa después en el plan",
  "`{}` can't be seen from outside the group": "`{1}` no se ve desde fuera del grupo",
  "take this node into the group, or leave the other out": "incluya este nodo en el grupo, o deje fuera el otro",
  "`{}` stores its results under fixed names": "`{1}` guarda sus resultados con nombres fijos",
  "leave it where it is": "déjelo donde está",
  "this would still read the failure that led a run here": "esto leería aún el fallo que llevó la ejecución hasta aquí",
  "remove that edge or this reference first": "quite antes esa arista o esta referencia",
  "a failed node leads here": "un nodo que falla lleva aquí",
  "`{}` counts its visits, of which each visit of a graph has its own":
    "`{1}` cuenta sus visitas, y cada visita de un grafo tiene las suyas",
  "remove `{}` first": "quite antes `{1}`",
  "`{}` continues a conversation, but each visit of a graph starts a new one":
    "`{1}` continúa una conversación, pero cada visita de un grafo empieza una nueva",
  "`{}` may come from an earlier visit": "`{1}` puede venir de una visita anterior",
  "refer to what has run in any case, or leave the node where it is":
    "haga referencia a algo que se haya ejecutado en todo caso, o deje el nodo donde está",
  "`{}` shares a conversation across the border": "`{1}` comparte una conversación con el otro lado",
  "keep the nodes of a conversation in one graph": "deje en un mismo grafo los nodos de una conversación",
  "the plan would have an error then: {message}": "el plan tendría entonces un error: {1}",
  "fix that first, or leave these nodes where they are": "corríjalo antes, o deje estos nodos donde están",
  // Ungrouping.
  "`{}` does not contain exactly one graph": "`{1}` no contiene exactamente un grafo",
  "name a node of type `{}`": "indique un nodo de tipo `{1}`",
  "`{}` is not of type `{}`": "`{1}` no es de tipo `{2}`",
  "`{}` of `{}` is for the whole graph": "`{1}` de `{2}` vale para todo el grafo",
  "the start of the graph in `{}` is unknown": "no se sabe cuál es el nodo inicial del grafo de `{1}`",
  "name the first node in its `{}`": "indique el primer nodo en su `{1}`",
  "this edge is taken when any node of the graph inside fails":
    "esta arista se toma cuando falla cualquier nodo del grafo interior",
  "handle failures inside, or remove the edge first": "trate los fallos dentro, o quite antes la arista",
  "this edge leads back to the group": "esta arista vuelve al grupo",
  "remove the edge first": "quite antes la arista",
  "the graph inside never ends, so this edge is never taken":
    "el grafo interior no termina nunca, así que esta arista no se toma nunca",
  "`{}` is the input of the group, and would become the input of the graph around it":
    "`{1}` es la entrada del grupo, y pasaría a ser la entrada del grafo que lo rodea",
  "the first node would no longer receive this": "el primer nodo dejaría de recibir esto",
  "give the first node this input first": "dé antes esta entrada al primer nodo",
  // Operations.
  "an edit is a map": "una edición es un mapa",
  "an edit has no `{}`": "una edición no tiene `{1}`",
  "write it as in `{}`": "escríbala como en `{1}`",
  "name the operation in `{}`": "indique la operación en `{1}`",
  "there is no operation `{}`": "no hay ninguna operación `{1}`",
  "give it {list}": "dele {1}",
  "`{}` lacks `{}`": "a `{1}` le falta `{2}`",
  "`{}` of `{}` is {kind}": "`{1}` de `{2}` es {3}",
  "`{}` is about a node or about an edge": "`{1}` se refiere a un nodo o a una arista",
  "give it either `{}` or `{}`": "dele `{1}` o `{2}`",
  "`{}` changes neither end of the edge": "`{1}` no cambia ningún extremo de la arista",
  "give it `{}` or `{}`": "dele `{1}` o `{2}`",
};
