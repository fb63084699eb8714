/** Messages of failed runs. Spanish by English. */
import type { Translations } from "./template.js";

export const runs: Translations = {
  // Limits and time.
  "{message}: raise `visits` of the node": "{1}: aumente `visits` del nodo",
  "{message}: raise `{}` of the plan": "{1}: aumente `{2}` del plan",
  "{message}: raise `{}` in the options of the run": "{1}: aumente `{2}` en las opciones de la ejecución",
  "1 calls were made, and {n} are allowed": "se hizo 1 llamada, y se permiten {1}",
  "1 nodes were run, and {n} are allowed": "se ejecutó 1 nodo, y se permiten {1}",
  "{n} calls were made, and {n} are allowed": "se hicieron {1} llamadas, y se permiten {2}",
  "node `{}` was visited 1 times, and {n} are allowed": "el nodo `{1}` se visitó 1 vez, y se permiten {2}",
  "node `{}` was visited {n} times, and {n} are allowed": "el nodo `{1}` se visitó {2} veces, y se permiten {3}",
  "node `{}` was visited {n} times, and {n} are allowed by default":
    "el nodo `{1}` se visitó {2} veces, y de forma predeterminada se permiten {3}",
  "{n} nodes were run, and {n} are allowed": "se ejecutaron {1} nodos, y se permiten {2}",
  "templates made {n} bytes, and {n} are allowed by default":
    "las plantillas generaron {1} bytes, y de forma predeterminada se permiten {2}",
  "templates made {n} bytes, and {n} are allowed": "las plantillas generaron {1} bytes, y se permiten {2}",
  "a template made {n} bytes or more, and {n} are allowed": "una plantilla generó {1} bytes o más, y se permiten {2}",
  "calls gave {n} bytes, and {n} are allowed": "las llamadas devolvieron {1} bytes, y se permiten {2}",
  "a model replied without a known cost, and {n} USD are allowed":
    "un modelo respondió sin un coste conocido, y se permiten {1} USD",
  "models cost {n} USD, and {n} are allowed": "los modelos costaron {1} USD, y se permiten {2}",
  "with calls that ended without a report, models may have cost {n} USD, and {n} are allowed":
    "con las llamadas que terminaron sin informe, los modelos pueden haber costado {1} USD, y se permiten {2}",
  "a call of a model ended without a report, at an unknown cost, and {n} USD are allowed":
    "una llamada a un modelo terminó sin informe, con un coste desconocido, y se permiten {1} USD",
  "a model replied without its number of tokens, and {n} are allowed":
    "un modelo respondió sin su número de tokens, y se permiten {1}",
  "{n} tokens were used, and {n} are allowed": "se usaron {1} tokens, y se permiten {2}",
  "with calls that ended without a report, {n} tokens may have been used, and {n} are allowed":
    "con las llamadas que terminaron sin informe, pueden haberse usado {1} tokens, y se permiten {2}",
  "a call of a model without `{}` ended without a report, and {n} tokens are allowed":
    "una llamada a un modelo sin `{1}` terminó sin informe, y se permiten {2} tokens",
  "the run took longer than {n} ms": "la ejecución duró más de {1} ms",
  "node `{}` took longer than {n} ms": "el nodo `{1}` duró más de {2} ms",
  "the call of tool `{}` took longer than {n} ms": "la llamada a la herramienta `{1}` duró más de {2} ms",
  // Values.
  "`{}` has no value": "`{1}` no tiene ningún valor",
  "`{}` has no value; available are {list}": "`{1}` no tiene ningún valor. Disponibles: {2}",
  "`{}` has no value, since `{}` is not there; available are {list}":
    "`{1}` no tiene ningún valor, porque `{2}` no existe. Disponibles: {3}",
  "`{}` is not there; available are {list}": "`{1}` no existe. Disponibles: {2}",
  "{list} is not there; available are {list}": "{1} no existen. Disponibles: {2}",
  "`{}` is not there": "`{1}` no existe",
  "in `{}`: {message}": "en `{1}`: {2}",
  "{message}, where `{}` is `{}`": "{1}, donde `{2}` es `{3}`",
  "{message}, where `{}` is `{}` and `{}` is `{}`": "{1}, donde `{2}` es `{3}` y `{4}` es `{5}`",
  "{message}, where `{}` is `{}`, `{}` is `{}` and `{}` is `{}`":
    "{1}, donde `{2}` es `{3}`, `{4}` es `{5}` y `{6}` es `{7}`",
  "and {n} more": "y {1} más",
  "{kind} is text that can't be read as JSON, which `{}` asks for":
    "{1} es un texto que no se puede leer como JSON, y `{2}` lo pide",
  "the run's value for {list} does not match the schema of tool `{}`":
    "el valor de la ejecución para {1} no se ajusta al esquema de la herramienta `{2}`",
  "the clock of the host does not provide the time of day": "el reloj del host no da la hora del día",
  // Nodes with graphs inside.
  "the list is empty": "la lista está vacía",
  "none of {n} completed: {message}": "ninguno de los {1} terminó: {2}",
  "none of {n} completed: {}; and {n} more": "ninguno de los {1} terminó: {2}, y {3} más",
  "none of {n} completed: {}": "ninguno de los {1} terminó: {2}",
  // Models and agents.
  "agent `{}` still wanted to call tools after {n} turns":
    "el agente `{1}` todavía quería llamar a herramientas después de {2} turnos",
  "the model client returned no reply of the agreed shape":
    "el cliente del modelo no devolvió una respuesta con la forma acordada",
  "the model's answer is truncated: it reached its token limit":
    "la respuesta del modelo está cortada: llegó a su límite de tokens",
  "the provider's filter stopped the model's answer": "el filtro del proveedor detuvo la respuesta del modelo",
  "the model was asked for JSON and answered something else": "se pidió JSON al modelo y respondió otra cosa",
  "conversation `{}` has {n} bytes in its last question and answer alone":
    "la conversación `{1}` tiene {2} bytes solo en su última pregunta y respuesta",
  "the tools are {list}": "las herramientas son {1}",
  "there is no tool `{}`; {message}": "no hay ninguna herramienta `{1}`. {2}",
  "the arguments of tool `{}` must be a JSON object":
    "los argumentos de la herramienta `{1}` tienen que ser un objeto JSON",
  "there is no model": "no hay ningún modelo",
  "the model of `{}` returned an empty message: no answer, no call and no plan":
    "el modelo de `{1}` devolvió un mensaje vacío: ni respuesta, ni llamada, ni plan",
  "the model of `{}` wanted {n} calls in one message; at most {n} are made":
    "el modelo de `{1}` pidió {2} llamadas en un mensaje. Se hacen como máximo {3}",
  "the model of `{}` called `{}` with the same arguments for the third time in a row":
    "el modelo de `{1}` llamó a `{2}` con los mismos argumentos por tercera vez seguida",
  "`{}` had neither an answer nor a plan after {n} turns": "`{1}` no tenía ni respuesta ni plan después de {2} turnos",
  "{message}; submit it again": "{1}. Entréguelo otra vez",
  "this call has no result": "esta llamada no tiene resultado",
  // Tools.
  "the tool returned no value": "la herramienta no devolvió ningún valor",
  "the tool failed without a reason": "la herramienta ha fallado sin indicar el motivo",
  "tool `{}` failed": "la herramienta `{1}` ha fallado",
  "a person refused the call of tool `{}`": "una persona rechazó la llamada a la herramienta `{1}`",
  "the tool returned {n} bytes, and a model receives at most {n}; ask it for less":
    "la herramienta devolvió {1} bytes, y un modelo recibe como máximo {2}. Pídale menos",
  "tool `{}` expects a map of arguments, not {}": "la herramienta `{1}` espera un objeto de argumentos, no {2}",
  "the client of tool `{}` returned no `{}`": "el cliente de la herramienta `{1}` no devolvió `{2}`",
  "the result of tool `{}` can't be written as JSON: {message}":
    "el resultado de la herramienta `{1}` no se puede escribir como JSON: {2}",
  "the result of node `{}` can't be written as JSON: {message}":
    "el resultado del nodo `{1}` no se puede escribir como JSON: {2}",
  "it is nested too deeply": "tiene demasiados niveles",
  "it is an object that contains itself": "es un objeto que se contiene a sí mismo",
  "no server offers a tool `{}`": "ningún servidor ofrece una herramienta `{1}`",
  "`{}` comes from the run's context, and an edit of a call can't change it":
    "`{1}` viene del contexto de la ejecución, y no se puede cambiar al editar una llamada",
  "the tool needs `{}`, which this run does not have; do without it":
    "la herramienta necesita `{1}`, que esta ejecución no tiene. Siga sin ella",
  // Planned calls.
  "the call did not end in time": "la llamada no terminó a tiempo",
  "the call was not begun in time": "la llamada no empezó a tiempo",
  "`{}` returned nothing, and `{}` refers to it": "`{1}` no devolvió nada, y `{2}` se refiere a ello",
  "the input contains no list `{}`": "la entrada no contiene ninguna lista `{1}`",
  "the tool plan needs `{}`, which this run does not have":
    "el plan de herramientas necesita `{1}`, que esta ejecución no tiene",
  // Runs and their page.
  "there is no handler `{}`": "no hay ningún handler `{1}`",
  "the plan has errors": "el plan tiene errores",
  "it has errors": "tiene errores",
  "the plan can't run: {message}": "el plan no se puede ejecutar: {1}",
  "this plan can't run with these options; `{}` reports the reasons":
    "este plan no se puede ejecutar con estas opciones. `{1}` indica los motivos",
  "another run has replaced this one": "otra ejecución ha sustituido a esta",
  "the run did not stop in time, so it was ended": "la ejecución no se detuvo a tiempo, así que se terminó",
  "the engine can't be loaded: {}": "no se puede cargar el motor: {1}",
  "the runner can't be loaded: {}": "no se puede cargar el ejecutor: {1}",
  "the worker could not be started": "no se pudo iniciar el worker",
  "the page has no model `{}`": "la página no tiene ningún modelo `{1}`",
  "the page has no server `{}`": "la página no tiene ningún servidor `{1}`",
  "the call was abandoned": "la llamada se abandonó",
  "the operation was abandoned": "la operación se abandonó",
  "the plan has no test `{}`": "el plan no tiene ninguna prueba `{1}`",
  "the stubs can't be read: {message}": "los stubs no se pueden leer: {1}",
  "stubs at `{}`: {message}": "stubs en `{1}`: {2}",
  "the test has no decision for `{}`": "la prueba no tiene ninguna decisión para `{1}`",
  "something was thrown that can't be shown as text": "se produjo un error que no se puede mostrar como texto",
  "a decision is `approved`, `rejected` or `{ value }`": "una decisión es `approved`, `rejected` o `{ value }`",
  // Replays and snapshots.
  "the snapshot can't be resumed: {message}": "la instantánea no se puede reanudar: {1}",
  "the plan has changed since the cassette was recorded: {}": "el plan ha cambiado desde que se hizo la grabación: {1}",
  "this is no cassette that can be used: {message}": "esta grabación no se puede usar: {1}",
  "its first line is not that of a cassette": "su primera línea no es la de una grabación",
  "its first line lacks the plan or the host": "a su primera línea le falta el plan o el host",
  "it has format {}, and this program reads {n}": "tiene el formato {1}, y este programa lee el {2}",
  "the recording requests {}, but the plan does not": "la grabación pide {1}, pero el plan no",
  "the plan requests {}, but the recording does not": "el plan pide {1}, pero la grabación no",
  "what was recorded makes no sense to the run at this point":
    "lo grabado no tiene sentido en este punto de la ejecución",
  "the run has ended, but the recording continues": "la ejecución ha terminado, pero la grabación continúa",
  "the recording ends as {} where the run continues": "la grabación termina como {1} donde la ejecución continúa",
  "the recording waits for a person where the run does not":
    "la grabación espera a una persona donde la ejecución no espera",
  "the cassette ends before the run begins": "la grabación termina antes de que empiece la ejecución",
  "the cassette ends before `{}` was answered": "la grabación termina antes de que se responda a `{1}`",
  "the result of the call can't be written as JSON: {message}":
    "el resultado de la llamada no se puede escribir como JSON: {1}",
  "it is of another version, or no snapshot at all": "es de otra versión, o no es una instantánea",
  "it has no scopes": "no tiene ámbitos",
  "a value is not there": "falta un valor",
  "a graph is not there": "falta un grafo",
  "a node is not there": "falta un nodo",
  "the plan's own graph is not there": "falta el grafo del plan",
  "a conversation does not fit its node": "una conversación no encaja en su nodo",
  "planned calls do not fit their node": "unas llamadas planificadas no encajan en su nodo",
  "a node asks nothing": "un nodo no pregunta nada",
  "a delay does not fit its node": "una espera no encaja en su nodo",
  "a scope waits for nothing": "un ámbito no espera nada",
  "its scopes do not fit together": "sus ámbitos no encajan entre sí",
  "a call needs `{}` of the run's context, which was not given":
    "una llamada necesita `{1}` del contexto de la ejecución, que no se ha dado",
  "the branches of a node are others, or in another order": "las ramas de un nodo son otras, o están en otro orden",
  "the elements of a list are not those it was made with":
    "los elementos de una lista no son los que tenía al principio",
};
