//! What the text pane and the list of problems say. What stands inside the editor is told by its own table, `js/editor/i18n.ts`.

crate::i18n::messages! {
    /// The text pane and the problems.
    Text {
        Plan: "Plan as text", "Plan como texto";
        Opening: "Opening the text…", "Abriendo el texto…";
        Failed: "The editor could not be loaded: {}", "No se pudo cargar el editor: {}";
        None: "No problems", "Sin problemas";
        Count: "errors: {}, warnings: {}, hints: {}", "errores: {}, avisos: {}, sugerencias: {}";
        Error: "Error", "Error";
        Warning: "Warning", "Aviso";
        Hint: "Hint", "Sugerencia";
        Place: "line {}, column {}", "línea {}, columna {}";
        Fix: "Fix", "Corregir";
        FixOf: "Fix: {}", "Corregir: {}";
        More: "and {} more", "y {} más";
        List: "What is wrong with the plan", "Qué falla en el plan";
        Fixed: "fixed: {}", "corregido: {}";
    }
}
