//! Texts of types, enums and schema keywords.

pub(super) const NODE_TYPES: &[(&str, &str)] = &[
    (
        "tool",
        "Llama a la herramienta indicada en tool, con input como argumentos. La salida es lo que devuelve la herramienta.",
    ),
    (
        "llm",
        "Pregunta una vez a un modelo, sin herramientas. input es el mensaje del usuario. La salida es la respuesta, en JSON si hay un schema.",
    ),
    (
        "agent",
        "Deja que un modelo llame a herramientas hasta que responda. La salida es su última respuesta.",
    ),
    ("decision", "Pasa la salida anterior sin cambios, y las aristas que salen de él eligen el camino."),
    ("noop", "No hace nada: pasa la salida anterior sin cambios."),
    ("log", "Pasa su entrada sin cambios y la registra en la traza."),
    ("set", "Calcula los valores de with.values. La salida es un objeto con esos valores."),
    (
        "wait",
        "Espera ms milisegundos, o hasta la hora until, y pasa la salida anterior sin cambios. Si la hora ya ha pasado, no espera.",
    ),
    (
        "approve",
        "Pregunta a una persona. La salida es approved, rejected o el valor con que la persona sustituyó la entrada. La ejecución puede pausarse aquí y reanudarse más tarde.",
    ),
    ("parallel", "Ejecuta sus branches a la vez. La salida es un objeto con la última salida de cada rama."),
    ("map", "Ejecuta do para cada elemento de su entrada. La salida es una lista, en el mismo orden."),
    ("graph", "Ejecuta el grafo que contiene, en un ámbito propio."),
    (
        "plan",
        "Deja que un modelo planifique a qué herramientas llamar para una petición y comprueba el plan. No llama a ninguna.",
    ),
    ("gather", "Hace las llamadas de un plan de herramientas. Si una falla, las demás siguen."),
    (
        "react",
        "Deja que un modelo razone durante un turno. La salida indica por dónde sigue la ejecución: finalize_answer, web_research o execute_tools.",
    ),
    ("execute_tools", "Hace las llamadas que acaba de pedir un nodo react."),
    ("discovery", "Busca un plan que ya haga lo que se pide."),
    ("parameter_discovery", "Encuentra los valores de una petición y los sustituye por referencias."),
    ("requirements_analysis", "Determina qué pide una petición, sin sus valores, o qué hay que preguntar."),
    ("component_browsing", "Elige las herramientas y los tipos de nodo que un plan puede usar."),
    ("planning", "Redacta el plan en lenguaje corriente."),
    ("workflow_generator", "Genera el archivo del plan a partir del plan redactado."),
    ("parameter_mapping", "Rellena las entradas del plan generado con la petición."),
    ("validator", "Comprueba el plan generado y decide si hace falta otro."),
    ("result_preparation", "Prepara la respuesta para el usuario."),
    ("init", "Nombre antiguo de noop."),
    ("format_output", "Nombre antiguo de noop."),
    ("error_handler", "Nombre antiguo de noop."),
    ("terminal", "Nombre antiguo de noop."),
    ("validation", "Nombre antiguo de decision."),
    ("llm_call", "Nombre antiguo de llm."),
];

pub(super) const ENUM_VALUES: &[(&str, &str)] = &[
    (
        "A text that a tool returns is parsed as JSON; text that is not JSON fails the call.",
        "El texto que devuelve una herramienta se lee como JSON. Si no lo es, la llamada falla.",
    ),
    (
        "When all have completed; the first failure fails the node.",
        "Cuando todos han terminado. El primer fallo hace que falle el nodo.",
    ),
    (
        "When the first has completed; its output alone counts.",
        "Cuando ha terminado el primero. Solo cuenta su salida.",
    ),
    (
        "When all have ended; each result is `{status, value}` or `{status, error}`.",
        "Cuando todos han terminado, con éxito o sin él. Cada resultado es {status, value} o {status, error}.",
    ),
    ("The run completed.", "La ejecución se completó."),
    (
        "A node failed and no edge handles the failure, or a limit was exceeded.",
        "Un nodo falló y ninguna arista trata el error, o se superó un límite.",
    ),
    ("The run waits for an approval.", "La ejecución espera una aprobación."),
    ("The run was cancelled.", "La ejecución fue cancelada."),
];

/// Key, names, descriptions, and the value's kind.
type SchemaKeyword = (&'static str, [&'static str; 2], [&'static str; 2], &'static str);

pub(super) const SCHEMA_KEYWORDS: &[SchemaKeyword] = &[
    ("type", ["Kind", "Tipo"], ["What kind of value it is.", "Qué tipo de valor es."], "type"),
    (
        "description",
        ["Description", "Descripción"],
        ["What it means, for people and models.", "Qué significa, para personas y modelos."],
        "string",
    ),
    (
        "properties",
        ["Parts", "Propiedades"],
        ["The parts of a map, by name.", "Las propiedades de un objeto, por nombre."],
        "schemas",
    ),
    (
        "required",
        ["Parts that must be there", "Propiedades obligatorias"],
        [
            "The names of the parts that have to be there.",
            "Los nombres de las propiedades que no pueden faltar.",
        ],
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
        ["The smallest allowed number.", "El número más pequeño permitido."],
        "number",
    ),
    (
        "maximum",
        ["Most", "Máximo"],
        ["The largest allowed number.", "El número más grande permitido."],
        "number",
    ),
    (
        "minLength",
        ["Shortest", "Longitud mínima"],
        ["How many characters a text has at least.", "Cuántos caracteres debe tener el texto como mínimo."],
        "count",
    ),
    (
        "maxLength",
        ["Longest", "Longitud máxima"],
        ["How many characters a text has at most.", "Cuántos caracteres puede tener el texto como máximo."],
        "count",
    ),
    (
        "pattern",
        ["Pattern", "Patrón"],
        [
            "A regular expression that the text matches.",
            "Una expresión regular con la que debe coincidir el texto.",
        ],
        "string",
    ),
    (
        "format",
        ["Format", "Formato"],
        ["What the text is: email, date, uri…", "Qué contiene el texto: email, date, uri…"],
        "string",
    ),
    (
        "title",
        ["Title", "Título"],
        ["What it is called, for people.", "El nombre que se muestra a las personas."],
        "string",
    ),
];
