//! Texts of the canvas.

crate::i18n::messages! {
    /// Texts of the canvas.
    Canvas {
        Plan: "Drawing of the plan", "Dibujo del plan";
        Hint: "Arrow keys go from node to node. Press ? for all keys. The text pane and the outline say the same in words.", "Las flechas van de nodo en nodo. Pulsa ? para ver todas las teclas. El texto y el esquema dicen lo mismo con palabras.";
        Node: "node", "nodo";
        Edge: "edge", "arista";
        EdgeName: "from {} to {}", "de {} a {}";
        EdgeIf: "from {} to {}, if {}", "de {} a {}, si {}";
        EdgeOnFailure: "from {} to {}, on failure, if {}", "de {} a {}, al fallar, si {}";
        Start: "start", "inicio";
        ConnectFrom: "Connect from {}", "Conectar desde {}";
        OpenGroup: "Show what is inside {}", "Mostrar lo que hay en {}";
        CloseGroup: "Hide what is inside {}", "Ocultar lo que hay en {}";
        InsertBetween: "Insert a node between {} and {}", "Insertar un nodo entre {} y {}";
        Problems: "{} problems", "{} problemas";
        OneProblem: "1 problem", "1 problema";
        Running: "running", "en marcha";
        Waiting: "waiting", "en espera";
        Done: "done", "terminado";
        Failed: "failed", "fallido";
        Skipped: "skipped", "omitido";
        Stopped: "stopped here", "detenido aquí";
        Taken: "taken", "tomada";
        NotTaken: "not taken", "no tomada";
        Breakpoint: "breakpoint", "punto de parada";
        Pinned: "output given", "salida fijada";
        Visits: "{} visits", "{} visitas";
        OtherGraph: "stands in another graph", "está en otro grafo";
        SameNode: "needs a condition first", "necesita antes una condición";
        Duplicate: "this edge exists already", "esta arista ya existe";
        Connected: "connected {} to {}", "{} conectado con {}";
        ConnectHint: "Choose a node to connect to. Escape takes it back.", "Elige el nodo de destino. Escape lo cancela.";
        AddNode: "Add a node", "Añadir un nodo";
        NodeType: "Type of node", "Tipo de nodo";
        NoType: "No type fits.", "Ningún tipo coincide.";
        Condition: "Condition of the edge from {} to {}", "Condición de la arista de {} a {}";
        ConditionEmpty: "always", "siempre";
        ConditionWrite: "add a condition", "añadir una condición";
        Proposals: "Proposals", "Propuestas";
        Stale: "Line {} can't be read, so the drawing is not up to date.", "La línea {} no se puede leer, así que el dibujo no está al día.";
        GoToLine: "Go to line {}", "Ir a la línea {}";
        Missing: "missing", "falta";
        Empty: "Nothing here yet", "Todavía no hay nada";
        EmptyHint: "Add the first node, or write it in the text.", "Añade el primer nodo o escríbelo en el texto.";
        View: "View", "Vista";
        Zoom: "Zoom: {} %", "Ampliación: {} %";
        Minimap: "Overview", "Vista general";
        Grid: "Snap to the grid", "Ajustar a la cuadrícula";
        Branch: "branch {}", "rama {}";
        KindTool: "Call a tool", "Llamar a una herramienta";
        KindLlm: "Ask a model once", "Preguntar una vez a un modelo";
        KindAgent: "Let a model use tools", "Dejar que un modelo use herramientas";
        KindPlan: "Let a model plan tool calls", "Dejar que un modelo planifique llamadas";
        KindGather: "Make the planned calls", "Hacer las llamadas planificadas";
        KindReact: "Think and act in turns", "Pensar y actuar por turnos";
        KindDecision: "Choose the way on", "Elegir el camino";
        KindNoop: "Pass the value on", "Pasar el valor";
        KindLog: "Note a value", "Anotar un valor";
        KindApprove: "Ask a person", "Preguntar a una persona";
        KindParallel: "Run branches side by side", "Ejecutar ramas en paralelo";
        KindMap: "Run a graph for each item", "Ejecutar un grafo por elemento";
        KindGraph: "Run a graph inside", "Ejecutar un grafo dentro";
        KindOther: "Handled by the host", "Lo atiende el anfitrión";
    }
}
