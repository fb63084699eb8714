//! Screen reader texts for nodes, edges and keyboard modes.

crate::i18n::messages! {
    /// Screen reader texts for the canvas.
    Announcement {
        Whole: "Drawing, {} nodes, {} edges", "Dibujo, {} nodos, {} aristas";
        Hint: "Arrow keys go from node to node, Enter edits, C connects, N adds a node, question mark lists all keys.", "Las flechas van de nodo en nodo, Intro edita, C conecta, N añade un nodo, el signo de interrogación muestra todas las teclas.";
        Start: "start", "inicio";
        Closed: "group, closed", "grupo, cerrado";
        Open: "group, open", "grupo, abierto";
        OneOut: "1 edge out", "1 arista sale";
        Out: "{} edges out", "{} aristas salen";
        OneIn: "1 edge in", "1 arista llega";
        In: "{} edges in", "{} aristas llegan";
        Edge: "edge from {} to {}", "arista de {} a {}";
        If: "if {}", "si {}";
        OnFailure: "on failure, if {}", "si falla y {}";
        Otherwise: "otherwise", "en otro caso";
        Taken: "taken by the run", "la tomó la ejecución";
        Running: "running", "en marcha";
        Waiting: "waiting", "esperando";
        Done: "done", "terminado";
        Failed: "failed", "falló";
        Skipped: "passed by", "no visitado";
        Stopped: "stopped before it", "detenida antes";
        Breakpoint: "breakpoint", "punto de parada";
        Pinned: "output given", "salida fijada";
        SelectedOf: "one of {} selected", "uno de {} seleccionados";
        NotSelected: "not selected", "no seleccionado";
        OneProblem: "1 problem", "1 problema";
        Problems: "{} problems", "{} problemas";
        LeftOut: "{} more before", "{} más antes";
        Moving: "Move: arrow keys move, with Shift further, Enter drops, Escape puts back", "Mover: las flechas mueven, con Mayús más lejos, Intro suelta, Escape devuelve";
        Moved: "moved by {}, {}", "movido {}, {}";
        Dropped: "dropped", "soltado";
        MoveCancelled: "put back", "devuelto";
        Connecting: "Connect {} to: arrow keys or letters choose, Enter connects, Escape leaves off. {}", "Conectar {} con: las flechas o letras eligen, Intro conecta, Escape cancela. {}";
        Target: "{}, {} of {}", "{}, {} de {}";
        Connected: "connected {} to {}", "{} conectado con {}";
        NoTarget: "no node fits {}", "ningún nodo coincide con {}";
        NothingToConnect: "no further edge can leave here", "no puede salir otra arista de aquí";
        ConnectCancelled: "not connected", "sin conectar";
        NothingThere: "nothing there", "no hay nada ahí";
        SelectedOne: "1 selected", "1 seleccionado";
        SelectedAll: "{} selected", "{} seleccionados";
        Unselected: "nothing selected", "nada seleccionado";
        Added: "added {}", "{} añadido";
        Removed: "removed", "eliminado";
        Copied: "copied", "copiado";
        Pasted: "pasted", "pegado";
        Inside: "inside", "dentro";
        InsideOf: "branch {}", "rama {}";
        LeadsTo: "to {}", "a {}";
    }
}
