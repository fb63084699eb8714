//! Texts of types, enums and schema keywords.

pub(super) const NODE_TYPES: &[(&str, &str)] = &[
    (
        "tool",
        "Llama a la herramienta que nombra tool, con input como argumentos. La salida es lo que da la herramienta.",
    ),
    (
        "llm",
        "Pregunta una vez a un modelo, sin herramientas. input es lo que dice el usuario; la salida es la respuesta, como JSON cuando hay un schema.",
    ),
    (
        "agent",
        "Deja que un modelo llame a herramientas hasta que responda. La salida es su última respuesta.",
    ),
    ("decision", "Deja pasar lo anterior, para que elijan las aristas que salen de él."),
    ("noop", "No hace nada: deja pasar lo anterior."),
    ("log", "Deja pasar su entrada y la marca en el registro."),
    ("set", "Calcula los valores de with.values. La salida es un mapa con ellos."),
    (
        "wait",
        "Espera ms milisegundos, o hasta la hora until, y deja pasar lo anterior. Una hora pasada no hace esperar.",
    ),
    (
        "approve",
        "Pregunta a una persona. La salida es approved, rejected o el valor que la persona puso en lugar de la entrada. La ejecución puede pausarse aquí y seguir más tarde.",
    ),
    ("parallel", "Ejecuta sus branches a la vez. La salida es un mapa de rama a última salida."),
    ("map", "Ejecuta do para cada elemento de su entrada. La salida es una lista en el orden de la entrada."),
    ("graph", "Ejecuta el graph que contiene, en un ámbito propio."),
    (
        "plan",
        "Deja que un modelo planifique qué herramientas llamar para una petición, y comprueba el plan. No llama a ninguna.",
    ),
    ("gather", "Hace las llamadas de un plan de herramientas. Una llamada que falla no detiene a las demás."),
    (
        "react",
        "Deja que un modelo razone durante un turno. La salida dice adónde va la ejecución: finalize_answer, web_research o execute_tools.",
    ),
    ("execute_tools", "Hace las llamadas que acaba de pedir un nodo react."),
    ("discovery", "Busca un plan que ya haga lo que se pide."),
    ("parameter_discovery", "Encuentra los valores de una petición y pone huecos en su lugar."),
    ("requirements_analysis", "Dice qué pide una petición, sin sus valores, o qué hay que preguntar."),
    ("component_browsing", "Elige las herramientas y los tipos de nodo que un plan puede usar."),
    ("planning", "Hace un plan en palabras."),
    ("workflow_generator", "Hace un archivo de plan a partir del plan en palabras."),
    ("parameter_mapping", "Rellena las entradas del plan generado con la petición."),
    ("validator", "Comprueba el plan generado y dice si tiene que haber otro."),
    ("result_preparation", "Reúne lo que se le dice a la persona."),
    ("init", "Un nombre anterior de noop."),
    ("format_output", "Un nombre anterior de noop."),
    ("error_handler", "Un nombre anterior de noop."),
    ("terminal", "Un nombre anterior de noop."),
    ("validation", "Un nombre anterior de decision."),
    ("llm_call", "Un nombre anterior de llm."),
];

pub(super) const ENUM_VALUES: &[(&str, &str)] = &[
    (
        "A text that a tool returns is parsed as JSON; text that is not JSON fails the call.",
        "Un texto que da una herramienta se lee como JSON; si no lo es, la llamada falla.",
    ),
    (
        "When all have completed; the first failure fails the node.",
        "Cuando todos han terminado; el primer fallo hace fallar el nodo.",
    ),
    (
        "When the first has completed; its output alone counts.",
        "Cuando el primero ha terminado; solo cuenta su salida.",
    ),
    (
        "When all have ended; each result is `{status, value}` or `{status, error}`.",
        "Cuando todos han acabado; cada resultado es {status, value} o {status, error}.",
    ),
    ("The run completed.", "La ejecución terminó."),
    (
        "A node failed and no edge handles the failure, or a limit was exceeded.",
        "Un nodo falló y ninguna arista habla de ello, o se pasó un límite.",
    ),
    ("The run waits for an approval.", "La ejecución espera una aprobación."),
    ("The run was cancelled.", "La ejecución fue cancelada."),
];

/// Key, names, descriptions, and the value's kind.
type SchemaKeyword = (&'static str, [&'static str; 2], [&'static str; 2], &'static str);

pub(super) const SCHEMA_KEYWORDS: &[SchemaKeyword] = &[
    ("type", ["Kind", "Clase"], ["What kind of value it is.", "Qué clase de valor es."], "type"),
    (
        "description",
        ["Description", "Descripción"],
        ["What it means, for people and models.", "Qué significa, para personas y modelos."],
        "string",
    ),
    (
        "properties",
        ["Parts", "Partes"],
        ["The parts of a map, by name.", "Las partes de un mapa, por nombre."],
        "schemas",
    ),
    (
        "required",
        ["Parts that must be there", "Partes obligatorias"],
        ["The names of the parts that have to be there.", "Los nombres de las partes que tienen que estar."],
        "names",
    ),
    (
        "items",
        ["Each element", "Cada elemento"],
        ["What each element of a list is.", "Qué es cada elemento de una lista."],
        "schema",
    ),
    ("enum", ["One of", "Uno de"], ["The allowed values.", "Los valores permitidos."], "values"),
    (
        "default",
        ["Default value", "Valor predeterminado"],
        ["The value that is used if none is present.", "El valor que se usa si no hay ninguno."],
        "any",
    ),
    (
        "minimum",
        ["Least", "Mínimo"],
        ["The smallest allowed number.", "El menor número permitido."],
        "number",
    ),
    ("maximum", ["Most", "Máximo"], ["The largest allowed number.", "El mayor número permitido."], "number"),
    (
        "minLength",
        ["Shortest", "Largo mínimo"],
        ["How many characters a text has at least.", "Cuántos caracteres tiene un texto como mínimo."],
        "count",
    ),
    (
        "maxLength",
        ["Longest", "Largo máximo"],
        ["How many characters a text has at most.", "Cuántos caracteres tiene un texto como máximo."],
        "count",
    ),
    (
        "pattern",
        ["Pattern", "Patrón"],
        ["A regular expression that the text matches.", "Una expresión regular que cumple el texto."],
        "string",
    ),
    (
        "format",
        ["Format", "Formato"],
        ["What the text is: email, date, uri…", "Qué es el texto: email, date, uri…"],
        "string",
    ),
    (
        "title",
        ["Title", "Título"],
        ["What it is called, for people.", "Cómo se llama, para personas."],
        "string",
    ),
];
