//! Names of keys, in both languages; what they mean in Spanish.

use super::Row;

const fn row(
    key: &'static str,
    en: &'static str,
    es: &'static str,
    usual: &'static str,
    help: &'static str,
) -> Row {
    Row { key, begins: "", names: [en, es], usual, help }
}

const fn of(begins: &'static str, row: Row) -> Row {
    Row { begins, ..row }
}

/// What is said of each key. Of several meanings of one key the ones that say how the core's text begins stand first.
pub(super) const ROWS: &[Row] = &[
    // The plan.
    row("nodes", "Nodes", "Nodos", "", "Los nodos: un mapa de nombre a nodo."),
    row("edges", "Edges", "Aristas", "", "Los caminos de nodo a nodo, en el orden en que se miran."),
    row("start", "Begins at", "Empieza en", "", "El nodo en el que empieza la ejecución. Puede omitirse cuando exactamente un nodo no tiene aristas de entrada."),
    of("What the plan is called", row("id", "Name", "Nombre", "", "Cómo se llama el plan.")),
    of("The name of the node's output", row("id", "Output name", "Nombre de la salida", "", "El nombre de la salida del nodo, cuando no es su clave.")),
    of("What the tool says", row("description", "Description", "Descripción", "", "Lo que la herramienta dice de sí misma.")),
    of("What the node", row("description", "Description", "Descripción", "", "Para qué sirve el nodo, en una línea.")),
    row("description", "Description", "Descripción", "", "Para qué sirve, para personas y modelos."),
    row("inputs", "Inputs", "Entradas", "", "Lo que hay que dar a una ejecución: de cada nombre, su esquema. ${input.nombre} lee una."),
    row("servers", "Servers", "Servidores", "", "Los servidores MCP cuyas herramientas usa el plan. Las credenciales nunca están en un plan."),
    row("limits", "Limits", "Límites", "", "Los límites de una ejecución. Pasar uno la termina como fallida, nunca en silencio."),
    row("tests", "Tests", "Pruebas", "", "Pruebas junto al plan. Nunca afectan a una ejecución."),
    row("layout", "Places", "Posiciones", "", "Dónde están los nodos en un dibujo. Nunca afecta a una ejecución."),
    row("format", "Format", "Formato", "1", "La versión del formato de archivo: 1."),
    // A node.
    row("type", "Type", "Tipo", "", "Lo que hace el nodo: un tipo incorporado, el nombre de una herramienta o un tipo del anfitrión."),
    row("tool", "Tool", "Herramienta", "", "La herramienta que llama el nodo: su nombre, o servidor.nombre cuando varios servidores tienen una."),
    of("What the node is given", row("input", "Input", "Entrada", "last", "Lo que recibe el nodo. Los textos pueden tener huecos como ${output.otro.campo}. Sin ella recibe last.")),
    row("input", "Input", "Entrada", "", "Lo que recibe la ejecución."),
    row("with", "Settings", "Ajustes", "", "Los ajustes del tipo del nodo."),
    row("retry", "Retries", "Reintentos", "", "Cuántas veces se intenta el nodo y cuánto se espera entre intentos."),
    of("How long one try", row("timeout_ms", "Time for one try (ms)", "Tiempo por intento (ms)", "", "Cuánto puede durar un intento, en milisegundos. Si dura más, ha fallado como node/timeout.")),
    row("timeout_ms", "Time in all (ms)", "Tiempo en total (ms)", "", "Cuánto puede durar una ejecución, en milisegundos."),
    of("How often a run may come to this", row("visits", "Visits", "Visitas", "limits.visits", "Cuántas veces puede pasar una ejecución por este nodo.")),
    row("visits", "Visits of each node", "Visitas de cada nodo", "25", "Cuántas veces puede pasar una ejecución por cada nodo de un ámbito."),
    row("graph", "Graph", "Grafo", "", "El grafo que ejecuta un nodo de tipo graph."),
    row("branches", "Branches", "Ramas", "", "Los grafos que un nodo de tipo parallel ejecuta a la vez."),
    row("do", "For each", "Para cada uno", "", "El grafo que un nodo de tipo map ejecuta para cada elemento de su entrada."),
    row("metadata", "Notes", "Notas", "", "Texto libre sobre el nodo. tool nombra la herramienta."),
    // An edge.
    row("from", "From", "Desde", "", "El nodo del que sale la arista."),
    row("to", "To", "Hasta", "", "El nodo al que lleva la arista."),
    row("condition", "Condition", "Condición", "", "Cuándo se toma la arista. Sin condición se toma cuando ninguna otra se cumple. Una que habla de error se mira después de un fallo."),
    // Retries.
    of("All tries", row("attempts", "Tries", "Intentos", "1", "Todos los intentos, incluido el primero.")),
    row("attempts", "Tries of the model", "Intentos del modelo", "3", "Cuántas veces se pregunta al modelo, en total, por una respuesta que sirva."),
    row("backoff_ms", "First wait (ms)", "Primera espera (ms)", "1000", "Cuánto se espera antes del segundo intento, en milisegundos."),
    row("factor", "Growth of waits", "Crecimiento de la espera", "2", "Cuánto más larga es cada espera que la anterior."),
    row("max_ms", "Longest wait (ms)", "Espera máxima (ms)", "60000", "La espera más larga, en milisegundos."),
    row("on", "For failures", "Para fallos", "", "Los códigos que se reintentan, tool/* para todos los de una etapa; cualquier fallo si no se dice."),
    // Limits.
    row("steps", "Nodes in all", "Nodos en total", "", "Por cuántos nodos puede pasar una ejecución en total."),
    of("How many calls of tools", row("calls", "Calls", "Llamadas", "", "Cuántas llamadas a herramientas, modelos y manejadores puede hacer una ejecución, reintentos incluidos.")),
    row("calls", "Calls", "Llamadas", "", "Cuántas llamadas se hicieron."),
    row("tokens", "Tokens", "Tokens", "", "Cuántos tokens pueden usar los modelos en total, de entrada y de salida."),
    row("output_bytes", "Bytes of outputs", "Bytes de salidas", "", "Cuántos bytes pueden dar todas las llamadas juntas."),
    row("url", "Address", "Dirección", "", "Dónde responde el servidor: http://… o https://…."),
    // Tests.
    row("name", "Name", "Nombre", "", "Lo que se prueba, en palabras; cada prueba tiene el suyo."),
    row("stubs", "Stand-ins", "Sustitutos", "", "Lo que sustituye a manejadores, herramientas y modelos, para que no se llame a nada real."),
    row("expect", "Expected", "Se espera", "", "A qué debe llegar la ejecución. Lo que no se nombra no se mira."),
    row("decisions", "Decisions", "Decisiones", "", "Lo que una persona responde a las aprobaciones: approved, rejected o un valor."),
    row("context", "Trusted values", "Valores de confianza", "", "Los valores de confianza de la ejecución."),
    of("Outputs that are there", row("outputs", "Outputs before", "Salidas previas", "", "Salidas que ya están cuando empieza la ejecución.")),
    row("outputs", "Outputs", "Salidas", "", "Salidas de nodos, por id."),
    row("memory", "Memory", "Memoria", "", "Lo que recuerda el anfitrión."),
    of("Stand-ins for tools", row("tools", "Tools", "Herramientas", "", "Sustitutos de herramientas, por nombre.")),
    row("tools", "Tools", "Herramientas", "", "Las herramientas que el modelo puede llamar; todas las de la ejecución si no se dice."),
    row("types", "Types", "Tipos", "", "Sustitutos de manejadores, por tipo."),
    row("models", "Models", "Modelos", "", "Sustitutos de modelos, por nombre; default responde por todos."),
    row("outcome", "Outcome", "Resultado", "", "Cómo termina la ejecución."),
    row("path", "Path", "Recorrido", "", "Los ids de los nodos que se ejecutaron, en orden."),
    row("last", "Last output", "Última salida", "", "La última salida."),
    row("code", "Code", "Código", "", "El código del fallo."),
    row("node", "Failed node", "Nodo fallido", "", "El nodo que falló."),
    // Settings of types.
    row("model", "Model", "Modelo", "default", "A cuál de los modelos de la ejecución se pregunta. Puede ser una plantilla."),
    row("system", "Instructions", "Instrucciones", "", "Las instrucciones antes de todo lo demás. Puede ser una plantilla."),
    row("schema", "Form of the answer", "Forma de la respuesta", "", "JSON Schema de la respuesta; la salida es entonces el JSON, y si no el texto."),
    row("max_tokens", "Most tokens", "Máximo de tokens", "", "El máximo de tokens de una respuesta."),
    row("conversation", "Conversation", "Conversación", "", "El nombre con el que se guarda lo dicho para nodos posteriores del mismo ámbito."),
    row("temperature", "Temperature", "Temperatura", "", "Con cuánta libertad elige el modelo sus palabras, de 0 a 2; no se envía si no se dice."),
    row("templates", "Templates", "Plantillas", "true", "false deja tal cual ${…} en los textos de este nodo."),
    row("max_turns", "Most turns", "Máximo de turnos", "8", "Cuántas veces se pregunta al modelo como máximo."),
    row("trusted", "Trusted parameters", "Parámetros de confianza", "user_email", "Parámetros que solo la ejecución puede rellenar, de su contexto."),
    row("deadline_ms", "Deadline (ms)", "Plazo (ms)", "", "Cuánto puede tardar el modelo antes de que se avise, en milisegundos."),
    row("join", "Done when", "Termina cuando", "all", "Cuándo está hecho el nodo."),
    of("How many calls", row("concurrency", "Calls at once", "Llamadas a la vez", "1", "Cuántas llamadas se hacen a la vez.")),
    row("concurrency", "At once", "A la vez", "", "Cuántos grafos se ejecutan a la vez: 8 de map, todos los de parallel si no se dice."),
    row("plan", "Form of the plan", "Forma del plan", "", "JSON Schema del plan que entrega el modelo; {query, rationale} si no se dice."),
];
