//! Screen reader texts of the canvas.

crate::i18n::messages! {
    /// Screen reader texts.
    Announcement {
        Whole: "Canvas, {}, {}", "Lienzo, {}, {}";
        OneNode: "1 node", "1 nodo";
        Nodes: "{} nodes", "{} nodos";
        OneEdge: "1 edge", "1 arista";
        Edges: "{} edges", "{} aristas";
        Start: "start", "inicio";
        Closed: "group, collapsed", "grupo, contraído";
        Open: "group, expanded", "grupo, expandido";
        OneOut: "1 outgoing edge", "1 arista saliente";
        Out: "{} outgoing edges", "{} aristas salientes";
        OneIn: "1 incoming edge", "1 arista entrante";
        In: "{} incoming edges", "{} aristas entrantes";
        Edge: "edge from {} to {}", "arista de {} a {}";
        If: "if {}", "si {}";
        OnFailure: "on failure, if {}", "si falla y {}";
        Otherwise: "otherwise", "en otro caso";
        Taken: "taken by the run", "tomada por la ejecución";
        ConditionFailed: "its condition failed", "su condición ha fallado";
        Running: "running", "en curso";
        Waiting: "waiting", "en espera";
        Done: "done", "hecho";
        Rejected: "rejected", "rechazado";
        Failed: "failed", "fallido";
        Skipped: "skipped", "omitido";
        Stopped: "paused before it", "en pausa antes de él";
        Breakpoint: "breakpoint", "punto de interrupción";
        Pinned: "output pinned", "salida fijada";
        SelectedOf: "one of {} selected", "uno de los {} seleccionados";
        NotSelected: "not selected", "no seleccionado";
        OneProblem: "1 problem", "1 problema";
        Problems: "{} problems", "{} problemas";
        OneLeftOut: "1 earlier announcement omitted", "1 aviso anterior omitido";
        LeftOut: "{} earlier announcements omitted", "{} avisos anteriores omitidos";
        Moving: "Move: arrow keys move, Shift moves further, Enter drops, Escape cancels",
            "Mover: las flechas mueven, Mayús mueve más, Intro suelta, Escape cancela";
        Moved: "moved by {}, {}", "movido {}, {}";
        Dropped: "dropped", "soltado";
        MoveCancelled: "move cancelled", "movimiento cancelado";
        Connecting: "Connect {} to: arrow keys or letters choose, Enter connects, Escape cancels. {}",
            "Conectar {} con: las flechas o letras eligen, Intro conecta, Escape cancela. {}";
        Target: "{}, {} of {}", "{}, {} de {}";
        Connected: "connected {} to {}", "{} conectado con {}";
        NoTarget: "no matching node: {}", "ningún nodo coincide: {}";
        NothingToConnect: "no more edges can leave this node", "no pueden salir más aristas de este nodo";
        ConnectCancelled: "connection cancelled", "conexión cancelada";
        NothingThere: "no node in that direction", "no hay ningún nodo en esa dirección";
        SelectedOne: "1 selected", "1 seleccionado";
        SelectedAll: "{} selected", "{} seleccionados";
        Unselected: "selection cleared", "selección borrada";
        Added: "added {}", "{} añadido";
        Removed: "removed {}", "se ha eliminado {}";
        RemovedOne: "removed 1 item", "se ha eliminado 1 elemento";
        RemovedAll: "removed {} items", "se han eliminado {} elementos";
        Copied: "copied", "copiado";
        Pasted: "pasted", "pegado";
        Inside: "nested graph", "grafo anidado";
        InsideOf: "branch {}", "rama {}";
        LeadsTo: "to {}", "a {}";
    }
}
