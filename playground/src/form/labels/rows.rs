//! Names of keys in both languages, with Spanish descriptions.

use super::Row;

pub(super) const fn row(
    key: &'static str,
    en: &'static str,
    es: &'static str,
    default_text: &'static str,
    help: &'static str,
) -> Row {
    Row { key, doc_prefix: "", names: [en, es], default_text, help }
}

pub(super) const fn with_prefix(begins: &'static str, row: Row) -> Row {
    Row { doc_prefix: begins, ..row }
}

/// Texts of each key. Rows with a `doc_prefix` precede the general row of the same key.
pub(super) const ROWS: &[Row] = &[
    // Plan.
    row("nodes", "Nodes", "Nodos", "", "Los nodos: un mapa de nombre a nodo."),
    row("edges", "Edges", "Aristas", "", "Los caminos de nodo a nodo, en el orden en que se miran."),
    row(
        "start",
        "Begins at",
        "Empieza en",
        "",
        "El nodo en el que empieza la ejecución. Puede omitirse cuando exactamente un nodo no tiene aristas de entrada.",
    ),
    with_prefix("What the plan is called", row("id", "Name", "Nombre", "", "Cómo se llama el plan.")),
    with_prefix(
        "The name of the node's output",
        row(
            "id",
            "Output name",
            "Nombre de la salida",
            "",
            "El nombre de la salida del nodo, cuando no es su clave.",
        ),
    ),
    with_prefix(
        "The description of the tool",
        row("description", "Description", "Descripción", "", "Lo que la herramienta dice de sí misma."),
    ),
    with_prefix(
        "What the node",
        row("description", "Description", "Descripción", "", "Para qué sirve el nodo, en una línea."),
    ),
    row("description", "Description", "Descripción", "", "Para qué sirve, para personas y modelos."),
    row(
        "inputs",
        "Inputs",
        "Entradas",
        "",
        "Lo que hay que dar a una ejecución: de cada nombre, su esquema. ${input.nombre} lee una.",
    ),
    row(
        "servers",
        "Servers",
        "Servidores",
        "",
        "Los servidores MCP cuyas herramientas usa el plan. Las credenciales nunca están en un plan.",
    ),
    row(
        "limits",
        "Limits",
        "Límites",
        "",
        "Los límites de una ejecución. Pasar uno la termina como fallida, nunca en silencio.",
    ),
    row("tests", "Tests", "Pruebas", "", "Pruebas junto al plan. Nunca afectan a una ejecución."),
    row(
        "layout",
        "Places",
        "Posiciones",
        "",
        "Dónde están los nodos en un dibujo. Nunca afecta a una ejecución.",
    ),
    row("format", "Format", "Formato", "1", "La versión del formato de archivo: 1."),
    // Node.
    row(
        "type",
        "Type",
        "Tipo",
        "",
        "Lo que hace el nodo: un tipo incorporado, el nombre de una herramienta o un tipo del anfitrión.",
    ),
    row(
        "tool",
        "Tool",
        "Herramienta",
        "",
        "La herramienta que llama el nodo: su nombre, o servidor.nombre cuando varios servidores tienen una.",
    ),
    with_prefix(
        "The input of the node",
        row(
            "input",
            "Input",
            "Entrada",
            "last",
            "Lo que recibe el nodo. Los textos pueden tener huecos como ${output.otro.campo}. Sin ella recibe last.",
        ),
    ),
    row("input", "Input", "Entrada", "", "Lo que recibe la ejecución."),
    row("with", "Settings", "Ajustes", "", "Los ajustes del tipo del nodo."),
    row(
        "retry",
        "Retries",
        "Reintentos",
        "",
        "Cuántas veces se intenta el nodo y cuánto se espera entre intentos.",
    ),
    with_prefix(
        "How long one attempt",
        row(
            "timeout_ms",
            "Time for one try (ms)",
            "Tiempo por intento (ms)",
            "",
            "Cuánto puede durar un intento, en milisegundos. Si dura más, ha fallado como node/timeout.",
        ),
    ),
    row(
        "timeout_ms",
        "Time in all (ms)",
        "Tiempo en total (ms)",
        "",
        "Cuánto puede durar una ejecución, en milisegundos.",
    ),
    with_prefix(
        "How often a run may visit this",
        row(
            "visits",
            "Visits",
            "Visitas",
            "limits.visits",
            "Cuántas veces puede pasar una ejecución por este nodo.",
        ),
    ),
    row(
        "visits",
        "Visits of each node",
        "Visitas de cada nodo",
        "25",
        "Cuántas veces puede pasar una ejecución por cada nodo de un ámbito.",
    ),
    row("graph", "Graph", "Grafo", "", "El grafo que ejecuta un nodo de tipo graph."),
    row("branches", "Branches", "Ramas", "", "Los grafos que un nodo de tipo parallel ejecuta a la vez."),
    row(
        "do",
        "For each",
        "Para cada uno",
        "",
        "El grafo que un nodo de tipo map ejecuta para cada elemento de su entrada.",
    ),
    row("metadata", "Notes", "Notas", "", "Texto libre sobre el nodo. tool nombra la herramienta."),
    // Edge.
    row("from", "From", "Desde", "", "El nodo del que sale la arista."),
    row("to", "To", "Hasta", "", "El nodo al que lleva la arista."),
    row(
        "condition",
        "Condition",
        "Condición",
        "",
        "Cuándo se toma la arista. Sin condición se toma cuando ninguna otra se cumple. Una que habla de error se mira después de un fallo.",
    ),
    // Retries.
    with_prefix(
        "All attempts",
        row("attempts", "Attempts", "Intentos", "1", "Todos los intentos, incluido el primero."),
    ),
    row(
        "attempts",
        "Attempts of the model",
        "Intentos del modelo",
        "3",
        "Cuántas veces se pregunta al modelo, en total, por una respuesta que sirva.",
    ),
    row(
        "backoff_ms",
        "First wait (ms)",
        "Primera espera (ms)",
        "1000",
        "Cuánto se espera antes del segundo intento, en milisegundos.",
    ),
    row(
        "factor",
        "Growth of waits",
        "Crecimiento de la espera",
        "2",
        "Cuánto más larga es cada espera que la anterior.",
    ),
    row(
        "max_ms",
        "Longest wait (ms)",
        "Espera máxima (ms)",
        "60000",
        "La espera más larga, en milisegundos.",
    ),
    row(
        "on",
        "For failures",
        "Para fallos",
        "",
        "Los códigos que se reintentan, tool/* para todos los de una etapa; cualquier fallo si no se dice.",
    ),
    // Limits.
    row(
        "steps",
        "Nodes in all",
        "Nodos en total",
        "",
        "Por cuántos nodos puede pasar una ejecución en total.",
    ),
    with_prefix(
        "How many calls of tools",
        row(
            "calls",
            "Calls",
            "Llamadas",
            "",
            "Cuántas llamadas a herramientas, modelos y manejadores puede hacer una ejecución, reintentos incluidos.",
        ),
    ),
    row("calls", "Calls", "Llamadas", "", "Cuántas llamadas se hicieron."),
    row(
        "tokens",
        "Tokens",
        "Tokens",
        "",
        "Cuántos tokens pueden usar los modelos en total, de entrada y de salida.",
    ),
    row(
        "usd",
        "US dollars",
        "Dólares",
        "",
        "Cuánto pueden costar los modelos en total, en dólares; la ejecución necesita sus precios.",
    ),
    row(
        "output_bytes",
        "Bytes of outputs",
        "Bytes de salidas",
        "",
        "Cuántos bytes pueden dar todas las llamadas juntas.",
    ),
    row("url", "Address", "Dirección", "", "Dónde responde el servidor: http://… o https://…."),
    // Tests.
    row("name", "Name", "Nombre", "", "Lo que se prueba, en palabras; cada prueba tiene el suyo."),
    row(
        "stubs",
        "Stubs",
        "Stubs",
        "",
        "Lo que sustituye a manejadores, herramientas y modelos, para que no se llame a nada real.",
    ),
    row(
        "expect",
        "Expected",
        "Se espera",
        "",
        "A qué debe llegar la ejecución. Lo que no se nombra no se mira.",
    ),
    row(
        "decisions",
        "Decisions",
        "Decisiones",
        "",
        "Lo que una persona responde a las aprobaciones: approved, rejected o un valor.",
    ),
    row("context", "Trusted values", "Valores de confianza", "", "Los valores de confianza de la ejecución."),
    with_prefix(
        "Outputs that are there",
        row(
            "outputs",
            "Outputs before",
            "Salidas previas",
            "",
            "Salidas que ya están cuando empieza la ejecución.",
        ),
    ),
    row("outputs", "Outputs", "Salidas", "", "Salidas de nodos, por id."),
    row("memory", "Memory", "Memoria", "", "Lo que recuerda el anfitrión."),
    with_prefix(
        "Stubs for tools",
        row("tools", "Tools", "Herramientas", "", "Stubs de herramientas, por nombre."),
    ),
    row(
        "tools",
        "Tools",
        "Herramientas",
        "",
        "Las herramientas que el modelo puede llamar; todas las de la ejecución si no se dice.",
    ),
    row("types", "Types", "Tipos", "", "Stubs de manejadores, por tipo."),
    row("models", "Models", "Modelos", "", "Stubs de modelos, por nombre; default responde por todos."),
    row("outcome", "Outcome", "Resultado", "", "Cómo termina la ejecución."),
    row("path", "Path", "Recorrido", "", "Los ids de los nodos que se ejecutaron, en orden."),
    row("last", "Last output", "Última salida", "", "La última salida."),
    row("code", "Code", "Código", "", "El código del fallo."),
    row("node", "Failed node", "Nodo fallido", "", "El nodo que falló."),
];
