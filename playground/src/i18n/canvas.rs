//! Texts of the canvas.

crate::i18n::messages! {
    /// Canvas texts.
    Canvas {
        Plan: "Plan canvas", "Lienzo del plan";
        Hint:
            "Use the arrow keys to move between nodes. Press ? for all keys. The text pane and the outline show the same plan as text.",
            "Use las flechas para moverse entre los nodos. Pulse ? para ver todas las teclas. El texto y el esquema muestran el mismo plan como texto.";
        Node: "node", "nodo";
        Edge: "edge", "arista";
        EdgeName: "from {} to {}", "de {} a {}";
        EdgeIf: "from {} to {}, if {}", "de {} a {}, si {}";
        EdgeOnFailure: "from {} to {}, on failure, if {}", "de {} a {}, al fallar, si {}";
        Start: "start", "inicio";
        ConnectFrom: "Connect from {}", "Conectar desde {}";
        OpenGroup: "Expand {}", "Expandir {}";
        CloseGroup: "Collapse {}", "Contraer {}";
        InsertBetween: "Insert a node between {} and {}", "Insertar un nodo entre {} y {}";
        RemoveBetween: "Delete the edge from {} to {}", "Eliminar la arista de {} a {}";
        Problems: "{} problems", "{} problemas";
        OneProblem: "1 problem", "1 problema";
        Running: "running", "en curso";
        Waiting: "waiting", "en espera";
        Done: "done", "hecho";
        Rejected: "rejected", "rechazado";
        Failed: "failed", "fallido";
        Skipped: "skipped", "omitido";
        Stopped: "paused here", "en pausa aquí";
        EarlierResult: "earlier result", "resultado anterior";
        EarlierPlan: "from an earlier version of the plan", "de una versión anterior del plan";
        Taken: "taken", "tomada";
        ConditionFailed: "its condition failed", "su condición ha fallado";
        NotTaken: "not taken", "no tomada";
        Breakpoint: "breakpoint", "punto de interrupción";
        Pinned: "output pinned", "salida fijada";
        OtherGraph: "is in another graph", "está en otro grafo";
        SameNode: "a loop needs a condition", "un bucle necesita una condición";
        Duplicate: "this edge already exists", "esta arista ya existe";
        Connected: "connected {} to {}", "{} conectado con {}";
        ConnectHint: "Choose the target node. Press Escape to cancel.",
            "Elija el nodo de destino. Pulse Escape para cancelar.";
        TapTarget: "Tap the target node.", "Toque el nodo de destino.";
        AddNode: "Add a node", "Añadir un nodo";
        NodeType: "Node type", "Tipo de nodo";
        SelectionActions: "Selection", "Selección";
        NoType: "No matching type.", "Ningún tipo coincide.";
        Condition: "Condition of the edge from {} to {}", "Condición de la arista de {} a {}";
        ConditionEmpty: "always", "siempre";
        Proposals: "Suggestions", "Sugerencias";
        Stale: "The canvas is out of date: line {} has an error.",
            "El lienzo no está actualizado: hay un error en la línea {}.";
        GoToLine: "Go to line {}", "Ir a la línea {}";
        Missing: "missing", "falta";
        Empty: "No nodes yet", "Todavía no hay nodos";
        EmptyHint: "Add the first node here or in the text.", "Añada el primer nodo aquí o en el texto.";
        View: "View", "Vista";
        Zoom: "Zoom: {} %", "Zoom: {} %";
        Minimap: "Minimap", "Minimapa";
        Grid: "Snap to grid", "Ajustar a la cuadrícula";
    }
}
