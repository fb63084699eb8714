//! Texts of runs and edge explanations.

crate::i18n::messages! {
    /// Run texts.
    Run {
        Controls: "Run", "Ejecución";
        Start: "Run", "Ejecutar";
        Resume: "Resume", "Reanudar";
        Pause: "Pause", "Pausar";
        Step: "Step", "Paso";
        StepOver: "Step over", "Paso por encima";
        Stop: "Stop", "Detener";
        Timeline: "Timeline", "Cronología";
        Values: "Values", "Valores";
        Tests: "Tests", "Pruebas";
        Trace: "Trace", "Traza";
        Input: "Input", "Entrada";
        InputHint: "text or JSON", "texto o JSON";
        RunInput: "Run input", "Entrada de la ejecución";
        Speed: "Speed", "Velocidad";
        NoDelay: "No delay", "Sin pausa";
        ShortDelay: "Half a second per node", "Medio segundo por nodo";
        LongDelay: "Two seconds per node", "Dos segundos por nodo";
        NoRun:
            "No run yet. Run the plan to see the input and output of each node, and why each edge was taken.",
            "Todavía no hay ninguna ejecución. Ejecute el plan para ver la entrada y la salida de cada nodo, y por qué se tomó cada arista.";
        RunPosition: "Run position", "Posición en la ejecución";
        RunPositionOf: "event {} of {}, at {}", "evento {} de {}, a los {}";
        Earlier: "Previous node", "Nodo anterior";
        Later: "Next node", "Nodo siguiente";
        Latest: "Latest", "Último";
        ZoomIn: "Zoom in on time", "Ampliar la escala de tiempo";
        ZoomOut: "Zoom out of time", "Reducir la escala de tiempo";
        Node: "Node", "Nodo";
        State: "State", "Estado";
        Began: "Start", "Inicio";
        Took: "Duration", "Duración";
        Bars: "Bars", "Barras";
        Visits: "Visits", "Visitas";
        Running: "running", "en curso";
        Waiting: "waiting", "en espera";
        Done: "done", "hecho";
        Failed: "failed", "fallido";
        Rejected: "rejected", "rechazada";
        VisitRejected: "rejected", "rechazado";
        Abandoned: "abandoned", "abandonado";
        Visit: "visit {} of {}", "visita {} de {}";
        SelectVisit: "Select a node to see its input and output.",
            "Seleccione un nodo para ver su entrada y su salida.";
        VisitBefore: "Previous visit", "Visita anterior";
        VisitAfter: "Next visit", "Visita siguiente";
        Output: "Output", "Salida";
        LastOutput: "Last output", "Última salida";
        Failure: "Error", "Error";
        Asked: "Request", "Petición";
        Answer: "Answer", "Respuesta";
        FailedAttempts: "Failed attempts", "Intentos fallidos";
        Again: "retry after {}", "reintento después de {}";
        SoFar: "So far", "Hasta ahora";
        Thinking: "Thinking", "Razonamiento";
        Whole: "Show all", "Mostrar todo";
        Copy: "Copy", "Copiar";
        Pin: "Pin output", "Fijar la salida";
        Unpin: "Unpin output", "Dejar de fijar la salida";
        Fork: "Fork from here", "Bifurcar desde aquí";
        ForkHint: "The run continues from here with this answer. Only nodes that depend on it run again.",
            "La ejecución continúa desde aquí con esta respuesta. Solo se repiten los nodos que dependen de ella.";
        ForkGo: "Fork", "Bifurcar";
        Cancel: "Cancel", "Cancelar";
        NoJson: "not valid JSON", "JSON no válido";
        Retry: "Retry the failed call", "Reintentar la llamada fallida";
        Why: "Why this edge", "Por qué esta arista";
        WhyMatched: "taken: its condition was the first to be true", "tomada: su condición fue la primera que se cumplió";
        WhyFallback: "taken: no condition was true", "tomada: no se cumplió ninguna condición";
        WhyNotMatched: "its condition was false", "su condición no se cumplió";
        WhyFailed: "its condition failed", "su condición ha fallado";
        WhyUnusedFallback: "not needed: another condition was true", "no hizo falta: se cumplió otra condición";
        WhyNotEvaluated: "not evaluated", "no evaluada";
        ComparedValues: "was", "era";
        Missing: "missing", "no existía";
        ToEnd: "no edge was taken: the run ends here", "no se tomó ninguna arista: la ejecución termina aquí";
        NotDecided: "no decision at this run position yet", "todavía no hay ninguna decisión en esta posición";
        Otherwise: "otherwise", "en otro caso";
        Completed: "run completed in {}", "ejecución completada en {}";
        RunFailed: "run failed: {}", "la ejecución ha fallado: {}";
        OtherPlan: "this run used another version of the plan: {}", "esta ejecución usó otra versión del plan: {}";
        ConditionOf: "the condition of the edge {} → {} could not be evaluated: {}",
            "no se pudo evaluar la condición de la arista {} → {}: {}";
        Cancelled: "run stopped", "ejecución detenida";
        PausedAt: "paused before {}", "en pausa antes de {}";
        Paused: "paused", "en pausa";
        Started: "running", "en curso";
        OneNodeVisit: "1 node visit", "1 visita a un nodo";
        NodeVisits: "{} node visits", "{} visitas a nodos";
        OneCall: "1 call", "1 llamada";
        Calls: "{} calls", "{} llamadas";
        OneRetry: "1 retry", "1 reintento";
        Retries: "{} retries", "{} reintentos";
        CostOfRun: "Cost of a run: {}", "Coste de una ejecución: {}";
        CostUpTo: "at most {}", "como máximo {}";
        CostNoLimit: "{} without limit", "{} sin límite";
        CostExpected: "expected {}, the mean of {} runs", "esperado {}, la media de {} ejecuciones";
        CostExpectedOne: "expected {}, as the recorded run", "esperado {}, como la ejecución grabada";
        CostHint: "The page has example prices. What providers charge may differ.",
            "La página usa precios de ejemplo. Los proveedores pueden cobrar otra cosa.";
        CostMost: "At most", "Como máximo";
        CostMean: "Mean", "Media";
        CostMax: "Highest", "El más alto";
        CostToolCalls: "Tool calls", "Llamadas a herramientas";
        CostModelTurns: "Model turns", "Turnos del modelo";
        CostInputTokens: "Input tokens", "Tokens de entrada";
        CostOutputTokens: "Output tokens", "Tokens de salida";
        CostUsd: "US dollars", "Dólares";
        CostOneToolCall: "1 tool call", "1 llamada a herramienta";
        CostSomeToolCalls: "{} tool calls", "{} llamadas a herramientas";
        CostOneModelTurn: "1 model turn", "1 turno del modelo";
        CostSomeModelTurns: "{} model turns", "{} turnos del modelo";
        CostUnbounded: "unbounded", "sin límite";
        CostUnknown: "unknown", "desconocido";
        TokensOfOne: "1 input token, {} output, {} cached", "1 token de entrada, {} de salida, {} en caché";
        TokensOf: "{} input tokens, {} output, {} cached", "{} tokens de entrada, {} de salida, {} en caché";
        Stub: "Run with stubs", "Ejecutar con stubs";
        StubHint: "Adds a stub for each handler, tool and model that is not connected. A stub returns its input.",
            "Añade un stub por cada handler, herramienta o modelo sin conexión. Un stub devuelve su entrada.";
        Stubs: "Stubs", "Stubs";
        StubsHint: "A stubs file answers instead of handlers, tools and models, and pins outputs.",
            "Un archivo de stubs responde en lugar de handlers, herramientas y modelos, y fija salidas.";
        SaveStubs: "Save stubs", "Guardar los stubs";
        GoTo: "Go to {}", "Ir a {}";
        RunTests: "Run tests", "Ejecutar las pruebas";
        NoTests: "This plan has no tests. Write them under `tests` in the text.",
            "Este plan no tiene pruebas. Escríbalas en `tests`, en el texto.";
        TestsDone: "{} passed, {} failed", "superadas: {}, fallidas: {}";
        Passed: "passed", "superada";
        TestFailed: "failed", "fallida";
        TestRun: "Run this test here", "Ejecutar aquí esta prueba";
        Expected: "expected", "se esperaba";
        Got: "actual", "se obtuvo";
        SaveReport: "Save report", "Guardar el informe";
        SaveTrace: "Save trace", "Guardar la traza";
        SaveCassette: "Save recording", "Guardar la grabación";
        LoadCassette: "Replay a recording", "Reproducir una grabación";
        AsksPerson: "The run waits for your answer", "La ejecución espera su respuesta";
        AsksToolApproval: "{} requests approval to call {}", "{} pide aprobación para llamar a {}";
        AsksApproval: "{} requests approval", "{} pide aprobación";
        CallsNext: "Then it calls {} with:", "Después llama a {} con:";
        Approve: "Approve", "Aprobar";
        Reject: "Reject", "Rechazar";
        Instead: "Answer with another value", "Responder con otro valor";
        InsteadLabel: "Another value", "Otro valor";
        Send: "Send", "Enviar";
        Decline: "Decline", "Rechazar";
        AskedByServer: "Asked by the server {}", "Lo pide el servidor {}";
        DefaultIs: "Default: {}", "Valor predeterminado: {}";
        Stands: "Paused", "En pausa";
        StandsBefore: "Paused before {}", "En pausa antes de {}";
        StandsPausedAt: "Paused at {}", "En pausa en {}";
        ByBreakpoint: "breakpoint", "punto de interrupción";
        ByStep: "step", "paso";
        ByPause: "paused by you", "pausada por usted";
        StandsRunning: "Running", "En curso";
        StandsAt: "Running {}", "En curso: {}";
        StandsAsks: "Waiting for your answer to {}", "En espera de su respuesta en {}";
        StandsAsking: "Waiting for your answer to a server", "En espera de su respuesta a un servidor";
        StandsCompleted: "Run completed in {}", "Ejecución completada en {}";
        StandsFailedAt: "Failed at {}", "Ha fallado en {}";
        StandsRejected: "Rejected: {} · run ended after {}", "Rechazado: {} · ejecución terminada tras {}";
        NotStartedOne: "Not started: 1 problem", "No se ha iniciado: 1 problema";
        NotStarted: "Not started: {} problems", "No se ha iniciado: {} problemas";
        StandsFailed: "Failed: {}", "Ha fallado: {}";
        PlanChanged: "the plan has changed since this run began", "el plan ha cambiado desde que empezó esta ejecución";
        GoesOnEarlier: "the plan has changed; this run continues with the earlier version",
            "el plan ha cambiado; esta ejecución sigue con la versión anterior";
        ResumesEarlierPlan: "the run continues with the earlier version of the plan",
            "la ejecución continúa con la versión anterior del plan";
        RunNewPlan: "Run the new version", "Ejecutar la versión nueva";
        StopAndRunNewPlan: "Stop, and run the new version", "Detener y ejecutar la versión nueva";
        StandsStopped: "Run stopped", "Ejecución detenida";
        History: "Runs of this plan ({})", "Ejecuciones de este plan ({})";
        HistoryHint: "Select a run to see it again. Press Compare on two runs to see their first difference.",
            "Seleccione una ejecución para verla de nuevo. Pulse Comparar en dos para ver su primera diferencia.";
        HistoryUnsaved: "The browser did not store these runs: its storage may be full. They stay until you leave the page.",
            "El navegador no guardó estas ejecuciones: puede que su almacenamiento esté lleno. Se conservan hasta que salga de la página.";
        RunNumber: "Run {}", "Ejecución {}";
        ForkOf: "fork of run {}", "bifurcación de la ejecución {}";
        Compare: "Compare", "Comparar";
        CompareRun: "Compare run {}", "Comparar la ejecución {}";
        RunsDiffer: "Runs {} and {} differ first at visit {}", "Las ejecuciones {} y {} difieren primero en la visita {}";
        RunsAgree: "Runs {} and {} agree in every visit", "Las ejecuciones {} y {} coinciden en todas las visitas";
        PlanVersion: "plan {}", "plan {}";
        PlanChangedBetween: "The plan was changed between the two runs.", "El plan cambió entre las dos ejecuciones.";
        FirstDifference: "first difference", "primera diferencia";
        Needed: "{} is required", "{} es obligatorio";
        Visiting: "The server asks you to open this address:", "El servidor le pide que abra esta dirección:";
        SaveAsTest: "Save as test", "Guardar como prueba";
        SaveTestHint: "The recorded answers become stubs, so the test makes no call. Secrets are removed.",
            "Las respuestas grabadas pasan a ser stubs, así que la prueba no hace ninguna llamada. Se eliminan los secretos.";
        TestExpects: "The test expects", "La prueba espera";
        ExpectOutcome: "the outcome", "el resultado";
        ExpectLast: "the last output", "la última salida";
        ExpectPath: "the path", "el recorrido";
        ExpectCalls: "the number of calls", "el número de llamadas";
        OutputOf: "the output of", "la salida de";
        TestIntoPlan: "Add to the plan", "Añadir al plan";
        DownloadTest: "Download the test", "Descargar la prueba";
        TestAdded: "The plan has a new test.", "El plan tiene una prueba nueva.";
        Help: "help: {}", "ayuda: {}";
    }
}
