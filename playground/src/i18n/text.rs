//! Texts of text pane and problems. The editor uses `js/editor/i18n.ts`.

crate::i18n::messages! {
    /// Text pane texts.
    Text {
        Plan: "Plan text", "Texto del plan";
        Opening: "Opening the editor…", "Abriendo el editor…";
        Failed: "The editor could not be loaded: {}", "No se ha podido cargar el editor: {}";
        TabLeaves: "Tab leaves the text. {}: Tab indents.", "Tab sale del texto. {}: Tab aplica sangría.";
        TabIndents: "Esc, then Tab leaves the text. {}: Tab leaves.",
            "Esc y luego Tab sale del texto. {}: Tab sale.";
        None: "No problems", "Sin problemas";
        OneError: "1 error", "1 error";
        Errors: "{} errors", "{} errores";
        OneWarning: "1 warning", "1 aviso";
        Warnings: "{} warnings", "{} avisos";
        OneHint: "1 hint", "1 sugerencia";
        Hints: "{} hints", "{} sugerencias";
        Error: "Error", "Error";
        Warning: "Warning", "Aviso";
        Hint: "Hint", "Sugerencia";
        Place: "line {}, column {}", "línea {}, columna {}";
        Fix: "Fix", "Corregir";
        FixOf: "Fix: {}", "Corregir: {}";
        More: "and {} more", "y {} más";
        List: "Problems of the plan", "Problemas del plan";
        Fixed: "fixed: {}", "corregido: {}";
    }
}
