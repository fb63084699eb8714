//! Names of the settings of node types in both languages, with Spanish descriptions.

use super::Row;
use super::rows::{row, with_prefix};

/// Texts of each setting, in the form of [`super::rows::ROWS`].
pub(super) const ROWS: &[Row] = &[
    // Values and waits.
    row(
        "values",
        "Values",
        "Valores",
        "",
        "Los valores por nombre, en su orden. Cada uno puede ser una plantilla o contener plantillas.",
    ),
    row(
        "ms",
        "Time (ms)",
        "Tiempo (ms)",
        "",
        "Cuántos milisegundos espera la ejecución. Puede ser una plantilla.",
    ),
    row(
        "until",
        "Until",
        "Hasta",
        "",
        "La hora en que termina la espera, como 2026-12-01T08:00:00Z. Puede ser una plantilla.",
    ),
    row(
        "model",
        "Model",
        "Modelo",
        "default",
        "A cuál de los modelos de la ejecución se pregunta. Puede ser una plantilla.",
    ),
    row(
        "system",
        "Instructions",
        "Instrucciones",
        "",
        "Las instrucciones antes de todo lo demás. Puede ser una plantilla.",
    ),
    row(
        "schema",
        "Form of the answer",
        "Forma de la respuesta",
        "",
        "JSON Schema de la respuesta; la salida es entonces el JSON, y si no el texto.",
    ),
    row("max_tokens", "Most tokens", "Máximo de tokens", "", "El máximo de tokens de una respuesta."),
    row(
        "conversation",
        "Conversation",
        "Conversación",
        "",
        "El nombre con el que se guarda lo dicho para nodos posteriores del mismo ámbito.",
    ),
    row(
        "temperature",
        "Temperature",
        "Temperatura",
        "",
        "Con cuánta libertad elige el modelo sus palabras, de 0 a 2; no se envía si no se dice.",
    ),
    row(
        "templates",
        "Templates",
        "Plantillas",
        "true",
        "false deja tal cual ${…} en los textos de este nodo.",
    ),
    row(
        "max_turns",
        "Most turns",
        "Máximo de turnos",
        "8",
        "Cuántas veces se pregunta al modelo como máximo.",
    ),
    row(
        "trusted",
        "Trusted parameters",
        "Parámetros de confianza",
        "user_email",
        "Parámetros que solo la ejecución puede rellenar, de su contexto.",
    ),
    row(
        "deadline_ms",
        "Deadline (ms)",
        "Plazo (ms)",
        "",
        "Cuánto puede tardar el modelo antes de que se avise, en milisegundos.",
    ),
    row(
        "parse",
        "Read results as",
        "Leer resultados como",
        "",
        "Cómo se lee un texto que da una herramienta: como texto si no se dice. Con json, un texto que no lo es hace fallar la llamada.",
    ),
    row("join", "Done when", "Termina cuando", "all", "Cuándo está hecho el nodo."),
    row(
        "call_timeout_ms",
        "Time for one call (ms)",
        "Tiempo por llamada (ms)",
        "",
        "Cuánto puede durar una llamada, en milisegundos. Si dura más, ha fallado, y las otras siguen.",
    ),
    with_prefix(
        "How many calls",
        row("concurrency", "Calls at once", "Llamadas a la vez", "1", "Cuántas llamadas se hacen a la vez."),
    ),
    row(
        "concurrency",
        "At once",
        "A la vez",
        "",
        "Cuántos grafos se ejecutan a la vez: 8 de map, todos los de parallel si no se dice.",
    ),
    row(
        "plan",
        "Form of the plan",
        "Forma del plan",
        "",
        "JSON Schema del plan que entrega el modelo; {query, rationale} si no se dice.",
    ),
];
