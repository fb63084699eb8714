//! What the frame of the page says: its regions, its commands, its messages.

crate::words::words! {
    /// The frame of the page.
    Shell {
        Text: "Text", "Texto";
        Drawing: "Drawing", "Dibujo";
        Inspector: "Inspector", "Inspector";
        Panels: "Panels", "Paneles";
        Problems: "Problems", "Problemas";
        Run: "Run", "Ejecución";
        Undo: "Undo", "Deshacer";
        Redo: "Redo", "Rehacer";
        Delete: "Delete", "Eliminar";
        Duplicate: "Duplicate", "Duplicar";
        SelectAll: "Select all", "Seleccionar todo";
        SelectNothing: "Select nothing", "No seleccionar nada";
        ZoomIn: "Zoom in", "Acercar";
        ZoomOut: "Zoom out", "Alejar";
        ZoomReset: "Zoom to 100 %", "Tamaño real";
        ZoomFit: "Fit the drawing", "Ajustar el dibujo";
        ZoomSelection: "Zoom to the selection", "Acercar la selección";
        Tidy: "Tidy up", "Ordenar";
        ThemeSwitch: "Light or dark", "Claro u oscuro";
        LanguageSwitch: "Language", "Idioma";
        Undone: "undone: {}", "deshecho: {}";
        Redone: "done again: {}", "rehecho: {}";
        NothingToUndo: "nothing to undo", "no hay nada que deshacer";
        NothingToRedo: "nothing to redo", "no hay nada que rehacer";
        Commands: "Commands", "Órdenes";
        Gallery: "Gallery", "Galería";
        Connections: "Connections", "Conexiones";
        Request: "From a request", "Desde una petición";
    }
}
