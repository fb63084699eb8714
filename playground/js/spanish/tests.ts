/** Messages about tests beside a plan and about stubs. Spanish by English. */
import type { Translations } from "./template.js";

export const tests: Translations = {
  // Tests.
  "two tests are called `{}`": "dos pruebas se llaman `{1}`",
  "give each test a name of its own": "dé a cada prueba un nombre propio",
  "a test has no `{}`": "una prueba no tiene `{1}`",
  "add a `{}` that says what is tested": "añada un `{1}` que diga qué se prueba",
  "a test refers to node `{}`, which does not exist": "una prueba se refiere al nodo `{1}`, que no existe",
  "name a node by its id": "indique un nodo por su id",
  "no node has the id `{}`": "ningún nodo tiene el id `{1}`",
  "remove it": "quítelo",
  "a run begins at `{}`": "una ejecución empieza en `{1}`",
  "begin with `{}`": "empiece por `{1}`",
  "a run that is completed comes to a node at least": "una ejecución completada pasa al menos por un nodo",
  "a run that is completed goes on from `{}`": "una ejecución completada sigue después de `{1}`",
  "go on with `{}`": "siga con `{1}`",
  "a run that is {} has no `{}`": "una ejecución en estado {1} no tiene `{2}`",
  "a run that is completed has no `{}`": "una ejecución completada no tiene `{1}`",
  "a run that is paused has no `{}`": "una ejecución en pausa no tiene `{1}`",
  "a run that is cancelled has no `{}`": "una ejecución cancelada no tiene `{1}`",
  "remove `{}`, or write `{}`": "quite `{1}` o escriba `{2}`",
  "no edge leads from `{}` to `{}`": "ninguna arista lleva de `{1}` a `{2}`",
  "end the path with `{}`": "termine el camino en `{1}`",
  "after it comes `{}`": "después viene `{1}`",
  "after it comes one of {list}": "después viene uno de estos: {1}",
  "the output of `{}` is never this: {message}": "la salida de `{1}` nunca es esta: {2}",
  "{kind} is never this: {message}": "{1} nunca es esto: {2}",
  "`{}` is never this: {message}": "`{1}` nunca es esto: {2}",
  "it is {kind}": "es {1}",
  "it has no `{}`": "no tiene `{1}`",
  "expect what the node can give": "espere lo que el nodo puede dar",
  "the plan refuses the input, so the run fails at once: {message}":
    "el plan rechaza la entrada, así que la ejecución falla enseguida: {1}",
  "give what the plan's `{}` say, or expect `{}`": "dé lo que indican las `{1}` del plan, o espere `{2}`",
  "add `{}` with what the plan's `{}` say": "añada `{1}` con lo que indican las `{2}` del plan",
  "write `{}`, or give what the plan's `{}` say": "escriba `{1}`, o dé lo que indican las `{2}` del plan",
  "remove `{}`, or give what the plan's `{}` say": "quite `{1}`, o dé lo que indican las `{2}` del plan",
  "by this edge, whatever it gives": "por esta arista, sea cual sea su salida",
  "the other": "la otra",
  // Paused runs and decisions.
  "a run with decisions is never paused: what they leave open fails with `{}`":
    "una ejecución con decisiones no se pausa nunca: lo que dejan sin decidir falla con `{1}`",
  "remove `{}`, or expect how the run goes on": "quite `{1}`, o espere cómo sigue la ejecución",
  "no run of this plan is paused: nothing in it asks a person":
    "ninguna ejecución de este plan se pausa: nada en él pregunta a una persona",
  "no run of this test is paused: its stubs stand in for all that asks a person":
    "ninguna ejecución de esta prueba se pausa: sus stubs sustituyen a todo lo que pregunta a una persona",
  "expect another outcome, or add a node of type `{}`": "espere otro resultado, o añada un nodo de tipo `{1}`",
  "expect another outcome, or remove a stub of what asks; the stub of a tool asks if it has the annotation `{}`":
    "espere otro resultado, o quite un stub de lo que pregunta. El stub de una herramienta pregunta si lleva `{1}`",
  "a stub of this test stands in for what `{}` asks, so nothing is decided for it":
    "un stub de esta prueba sustituye a lo que pregunta `{1}`, así que no hay nada que decidir",
  "`{}` asks for no approval, so nothing is decided for it":
    "`{1}` no pide ninguna aprobación, así que no hay nada que decidir",
  "remove it, or name a node that asks a person": "quítelo, o indique un nodo que pregunte a una persona",
  "no call is called `{}`": "ninguna llamada se llama `{1}`",
  "{message}, so no call is called `{}`": "{1}, así que ninguna llamada se llama `{2}`",
  "`{}` names no node that asks for a decision": "`{1}` no indica ningún nodo que pida una decisión",
  "`{}` asks for no decision": "`{1}` no pide ninguna decisión",
  "`{}` has no branch `{}`": "`{1}` no tiene ninguna rama `{2}`",
  "`{}` has no element `{}`": "`{1}` no tiene ningún elemento `{2}`",
  "`{}` is tried once at most, and this is number {n}":
    "`{1}` se intenta una vez como máximo, y este es el intento {2}",
  "`{}` is tried {n} times at most, and this is number {n}":
    "`{1}` se intenta {2} veces como máximo, y este es el intento {3}",
  "`{}` is visited once at most, and this is number {n}":
    "`{1}` se visita una vez como máximo, y esta es la visita {2}",
  "`{}` is visited {n} times at most, and this is number {n}":
    "`{1}` se visita {2} veces como máximo, y esta es la visita {3}",
  "name a call of this plan, as in {list}": "indique una llamada de este plan, como {1}",
  "leave it out: nothing in this plan asks for a decision": "quítelo: nada en este plan pide una decisión",
  "a call has the number of the visit and of the try: write `{}`":
    "una llamada lleva el número de la visita y el del intento: escriba `{1}`",
  // Unused stubs.
  "no node has the tool `{}`, so this stub is unused":
    "ningún nodo tiene la herramienta `{1}`, así que el stub no se usa",
  "no node has the type `{}`, so this stub is unused": "ningún nodo tiene el tipo `{1}`, así que el stub no se usa",
  "no node asks the model `{}`, so this stub is unused":
    "ningún nodo pregunta al modelo `{1}`, así que el stub no se usa",
  "no node uses {n} of the stubs, such as `{}`": "ningún nodo usa {1} de los stubs, como `{2}`",
  "keep them if they are for several plans": "consérvelos si sirven a varios planes",
  // Stubs.
  "a stub has one behaviour, and this one has `{}` and `{}`":
    "un stub tiene un solo comportamiento, y este tiene `{1}` y `{2}`",
  "keep `{}` or `{}`": "conserve `{1}` o `{2}`",
  "a stub has no `{}`": "un stub no tiene `{1}`",
  "stubs have no `{}`": "los stubs no tienen `{1}`",
  "remove it; known here are {list}": "quítelo. Aquí se admiten {1}",
  "`{}` belongs to `{}`, and this stub has `{}`": "`{1}` va con `{2}`, y este stub tiene `{3}`",
  "a stub has `{}`, `{}`, `{}` or `{}`, and this has none of them":
    "un stub tiene `{1}`, `{2}`, `{3}` o `{4}`, y este no tiene ninguno",
  "a stub is a word, or a map with {list}": "un stub es una palabra o un objeto con {1}",
  "add `{}` with what is answered": "añada `{1}` con la respuesta",
  "stubs are a map": "los stubs son un objeto",
  "write a map with {list}": "escriba un objeto con {1}",
  "this is a map from name to behaviour": "esto es un objeto de comportamientos por su nombre",
  "`{}` is not a stub: write {list}": "`{1}` no es un stub: escriba {2}",
  "behaviours are nested too deeply": "los comportamientos tienen demasiados niveles",
  "write the inner ones flat": "escriba los interiores sin niveles",
  "`{}` is {kind}": "`{1}` es {2}",
  "write a number of milliseconds": "escriba un número de milisegundos",
  "`{}` is a list of at least one behaviour": "`{1}` es una lista de al menos un comportamiento",
  "write a list with a stub in it": "escriba una lista con un stub",
  "`{}` is the name of an argument": "`{1}` es el nombre de un argumento",
  "write the name of an argument": "escriba el nombre de un argumento",
  "a model has no arguments, so `{}` never matches one":
    "un modelo no tiene argumentos, así que `{1}` nunca coincide con ninguno",
  "write `{}`, or one answer": "escriba `{1}`, o una respuesta",
  "`{}` is a map from value to behaviour": "`{1}` es un objeto de comportamientos por valor",
  "there is no case for this `{}`": "no hay ningún caso para este `{1}`",
  "`{}` means the same as `{}`": "`{1}` significa lo mismo que `{2}`",
  "`{}` is true or false": "`{1}` es true o false",
  "there is no hint `{}`": "no hay ninguna indicación `{1}`",
  "use {list}": "use {1}",
  "the tool `{}` never returns this: {message}": "la herramienta `{1}` nunca devuelve esto: {2}",
  "return a value that matches the tool's output schema, or write `{}`":
    "devuelva un valor que se ajuste al esquema de salida de la herramienta, o escriba `{1}`",
  "the reply of the model `{}` fits none of its nodes: {message}":
    "la respuesta del modelo `{1}` no encaja en ninguno de sus nodos: {2}",
  "return a value that matches `{}` of the node, or write `{}`":
    "devuelva un valor que se ajuste a `{1}` del nodo, o escriba `{2}`",
  "the tool `{}` takes no `{}`": "la herramienta `{1}` no admite `{2}`",
  "name an argument of the tool's input schema": "indique un argumento del esquema de entrada de la herramienta",
};
