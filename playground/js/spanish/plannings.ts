/** Messages about plans that models write, and about tool plans. Spanish by English. */
import type { Translations } from "./template.js";

export const plannings: Translations = {
  // Tool plans.
  "`{}` is no JSON object": "`{1}` no es un objeto JSON",
  "answer with one JSON object and nothing else": "responda solo con un objeto JSON",
  "the plan has {n} calls, and {n} are the most": "el plan tiene {1} llamadas, y el máximo es {2}",
  "plan fewer calls": "planifique menos llamadas",
  "the plan has no `{}`": "el plan no tiene `{1}`",
  "`{}` is a list, not {kind}": "`{1}` es una lista, no {2}",
  "give `{}` a list, which may be empty": "dé a `{1}` una lista, que puede estar vacía",
  "`{}` of `{}` is a map, not {kind}": "`{1}` de `{2}` es un objeto, no {3}",
  "give `{}` a map from name to value": "dé a `{1}` un objeto de valores por su nombre",
  "`{}` names no tool": "`{1}` no indica ninguna herramienta",
  "give it a `{}`": "dele un `{1}`",
  "`{}` calls `{}`, which can't be called: {message}": "`{1}` llama a `{2}`, y no se le puede llamar: {3}",
  "`{}` calls `{}`, and there is no such tool": "`{1}` llama a `{2}`, y no existe esa herramienta",
  "call one of the tools that are listed": "llame a una de las herramientas de la lista",
  "say which is meant: {list}": "indique a cuál se refiere: {1}",
  "`{}` in `{}`: {message}": "`{1}` en `{2}`: {3}",
  "write `{}`, or `{}` where the text is meant": "escriba `{1}`, o `{2}` si se refiere al texto",
  "the value of `{}` for `{}` is discarded: the run sets it":
    "el valor de `{1}` para `{2}` no se usa: lo pone la ejecución",
  "leave out `{}`": "quite `{1}`",
  "`{}` needs `{}`, which this run does not have": "`{1}` necesita `{2}`, que esta ejecución no tiene",
  "set `{}` in the run's context: the tool plan can't set it":
    "ponga `{1}` en el contexto de la ejecución: el plan de herramientas no puede ponerlo",
  "plan without that tool, or say that the value is needed":
    "planifique sin esa herramienta, o indique que hace falta el valor",
  "`{}` in `{}` is no result of a call": "`{1}` en `{2}` no es el resultado de una llamada",
  "`{}` in `{}` is its own result": "`{1}` en `{2}` es su propio resultado",
  "`{}` in `{}` is carried out later": "`{1}` en `{2}` se hace después",
  "`{}` in `{}` is not there": "`{1}` en `{2}` no existe",
  "`{}` in `{}` is not in the result of `{}`": "`{1}` en `{2}` no está en el resultado de `{3}`",
  "refer to the result of an earlier call: `{}`": "haga referencia al resultado de una llamada anterior: `{1}`",
  "write the value, or put another call before this one": "escriba el valor, o ponga otra llamada antes de esta",
  "use its whole result: `{}`": "use su resultado entero: `{1}`",
  "use a field of its result: {list}": "use un campo de su resultado: {1}",
  "the run's value for {list} does not match the schema of `{}`, in `{}`":
    "el valor de la ejecución para {1} no se ajusta al esquema de `{2}`, en `{3}`",
  "set another value in the run's context": "ponga otro valor en el contexto de la ejecución",
  "`{}`: `{}` does not speak of a parameter `{}`": "`{1}`: `{2}` no menciona ningún parámetro `{3}`",
  "`{}`: `{}` does not speak of a parameter `{}` in `{}`": "`{1}`: `{2}` no menciona ningún parámetro `{3}` en `{4}`",
  "`{}` of `{}`: {message}": "`{1}` de `{2}`: {3}",
  "write `{}` instead of `{}`": "escriba `{1}` en lugar de `{2}`",
  // Stages that write a plan.
  "there is no workflow": "no hay ningún plan",
  "answer with one JSON object that has `{}`": "responda con un objeto JSON que tenga `{1}`",
  "the workflow names the server `{}`, and it may name none":
    "el plan nombra el servidor `{1}`, y no puede nombrar ninguno",
  "use structure alone": "use solo la estructura",
  "`{}` is not one of the chosen components": "`{1}` no es uno de los componentes elegidos",
  "the condition `{}` reads a trusted value": "la condición `{1}` lee un valor de confianza",
  "remove the reference to `{}`": "quite la referencia a `{1}`",
  "agent `{}` does not list its tools": "el agente `{1}` no enumera sus herramientas",
  "name them in `{}`": "indíquelas en `{1}`",
  "an agent would fill `{}` of `{}`, which only the run may fill":
    "un agente rellenaría `{1}` de `{2}`, que solo puede rellenar la ejecución",
  "call it in a node of type `{}`": "llámela en un nodo de tipo `{1}`",
  "`{}` is filled by the run alone": "`{1}` lo rellena solo la ejecución",
  "write its parameters one by one, and `{}` for this one": "escriba sus parámetros uno a uno, y `{1}` para este",
  "node `{}` uses a trusted value where none is declared":
    "el nodo `{1}` usa un valor de confianza donde no se declara ninguno",
  "`{}` does not exist: this workflow has no memory": "`{1}` no existe: este plan no tiene memoria",
  "make it one of the `{}`, or the output of a node": "haga que sea una de las `{1}`, o la salida de un nodo",
  "refer to a node of this workflow that runs before": "haga referencia a un nodo de este plan que se ejecute antes",
  "add `{}` to `{}`, or remove the reference": "añada `{1}` a `{2}`, o quite la referencia",
  "`{}` is not one of the `{}` of the workflow": "`{1}` no es una de las `{2}` del plan",
  "pass it to an earlier node, as in `{}`, and refer to that node":
    "déselo a un nodo anterior, como en `{1}`, y haga referencia a ese nodo",
  "inside `{}` `{}` is the element, not the workflow's input `{}`":
    "dentro de `{1}`, `{2}` es el elemento, no la entrada `{3}` del plan",
  "add `{}` to the `{}` of the node around it": "añada `{1}` a `{2}` del nodo que lo contiene",
  "`{}` has no `{}` in this graph": "`{1}` no tiene `{2}` en este grafo",
  "`{}` of `{}` expects {}, and the input `{}` is {}": "`{1}` de `{2}` espera {3}, y la entrada `{4}` es {5}",
  "declare `{}` in `{}` with `{}`": "declare `{1}` en `{2}` con `{3}`",
  "the plan in prose uses `{}`, and no node of the workflow does":
    "el plan redactado usa `{1}`, y ningún nodo del plan lo usa",
  "add a node of type `{}` before what it guards": "añada un nodo de tipo `{1}` antes de lo que protege",
  "add a node that uses `{}`, where the chain has it": "añada un nodo que use `{1}`, donde lo tiene la cadena",
  "no node serves a requirement: {}": "ningún nodo cumple un requisito: {1}",
  "no node serves requirements: {}": "ningún nodo cumple estos requisitos: {1}",
  "add a node for each, or name its number in the node that serves it: `{}`":
    "añada un nodo para cada uno, o indique su número en el nodo que lo cumple: `{1}`",
  "`{}` may run without the approval that the plan in prose puts before it":
    "`{1}` puede ejecutarse sin la aprobación que el plan redactado pone antes",
  "let every path to it pass a node of type `{}`, by an edge with `{}`":
    "haga que todo camino hasta él pase por un nodo de tipo `{1}`, por una arista con `{2}`",
  "the input `{}` does not accept `{}` of the request, so its default is used":
    "la entrada `{1}` no acepta `{2}` de la petición, así que se usa su valor por defecto",
  "let its schema accept the value as the request has it":
    "haga que su esquema acepte el valor tal como está en la petición",
  "no node reads `{}`, which is `{}` in the request": "ningún nodo lee `{1}`, que es `{2}` en la petición",
  "let a node read `{}`": "haga que un nodo lea `{1}`",
  "the request is clear, but a question is open: {}": "la petición es clara, pero queda una pregunta: {1}",
  "the plan in prose refers to an approval, but its node chain has none":
    "el plan redactado menciona una aprobación, pero su cadena de nodos no tiene ninguna",
  "check whether the workflow asks for approval before it acts":
    "compruebe si el plan pide una aprobación antes de actuar",
  "the plan in prose has no node chain, so it is unknown what the workflow leaves out":
    "el plan redactado no tiene cadena de nodos, así que no se sabe qué falta en el plan",
  "compare the workflow with the request": "compare el plan con la petición",
  "{message}, and {n} more": "{1}, y {2} más",
  "the answer contains no workflow": "la respuesta no contiene ningún plan",
  "answer with one JSON object that has `{}`, and nothing else": "responda solo con un objeto JSON que tenga `{1}`",
  "there is no workflow to patch": "no hay ningún plan que modificar",
  "answer with the whole workflow": "responda con el plan completo",
  "answer with a patch, or with a shorter workflow": "responda con una modificación o con un plan más corto",
  "the patch is no map of what changes": "la modificación no es un objeto de lo que cambia",
  "answer with `{}`": "responda con `{1}`",
  "the request has {n} characters, and planning received the first {n}":
    "la petición tiene {1} caracteres, y la planificación recibió los primeros {2}",
  "planning received {n} of {n} {}, without those from {} on":
    "la planificación recibió {1} de {2} {3}, sin los que siguen a partir de {4}",
  "the plan uses what was not browsed: {list}": "el plan usa lo que no se ha elegido: {1}",
  "the plan has no status; FEASIBLE is assumed": "el plan no tiene estado. Se supone FEASIBLE",
  "the plan has several statuses; the last one is used": "el plan tiene varios estados. Se usa el último",
  "the plan has the unknown status `{}`; PARTIAL is assumed":
    "el plan tiene el estado desconocido `{1}`. Se supone PARTIAL",
  "the plan has the status FEASIBLE and lists missing capabilities; PARTIAL is assumed":
    "el plan tiene el estado FEASIBLE y enumera lo que falta. Se supone PARTIAL",
  "the plan names no node chain": "el plan no indica una cadena de nodos",
  "the answer is no JSON object with {}": "la respuesta no es un objeto JSON con {1}",
  "there is no workflow `{}`": "no hay ningún plan `{1}`",
  "`{}` could be {list}": "`{1}` podría ser {2}",
  "`{}` is true or false": "`{1}` es true o false",
  "there are no `{}`, though the request is clear": "no hay `{1}`, aunque la petición es clara",
  "`{}` contains a template variable; write it without": "`{1}` contiene una variable de plantilla. Escríbalo sin ella",
  "`{}` contains the value `{}`; write it without": "`{1}` contiene el valor `{2}`. Escríbalo sin él",
  "`{}` is named in the request and in none of the steps; keep it":
    "`{1}` está en la petición y en ninguno de los pasos. Consérvelo",
  "`{}` is no component": "`{1}` no es un componente",
  "`{}` is no component; did you mean `{}`?": "`{1}` no es un componente. ¿Quiso decir `{2}`?",
  "the model could not choose tools: {message}": "el modelo no pudo elegir herramientas: {1}",
  "the model could not choose tools: {}": "el modelo no pudo elegir herramientas: {1}",
  "ask again, in other words or of another model": "pregunte otra vez, con otras palabras o a otro modelo",
  "connect a server whose tools can do it": "conecte un servidor cuyas herramientas puedan hacerlo",
  "connect a server with a tool for this: {}": "conecte un servidor con una herramienta para esto: {1}",
};
