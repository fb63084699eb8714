//! One-line descriptions of types.

use stepgraph_core::kind::BUILT_IN;

crate::i18n::messages! {
    /// Type descriptions.
    NodeTypes {
        Tool: "Calls a tool of an MCP server", "Llama a una herramienta de un servidor MCP";
        Llm: "Calls a language model", "Llama a un modelo de lenguaje";
        Agent: "Lets a model call tools until it has an answer",
            "Deja que un modelo llame a herramientas hasta tener una respuesta";
        Plan: "Lets a model plan tool calls", "Deja que un modelo planifique llamadas a herramientas";
        Gather: "Makes the planned tool calls and collects the results",
            "Hace las llamadas planificadas y reúne los resultados";
        React: "Lets a model reason for one turn", "Deja que un modelo razone durante un turno";
        ExecuteTools: "Makes the tool calls of a reasoning model", "Hace las llamadas de un modelo que razona";
        Decision: "Chooses the next edge by its conditions", "Elige la siguiente arista según sus condiciones";
        Noop: "Passes its input on", "Pasa su entrada sin cambios";
        Log: "Passes its input on and logs it in the trace", "Pasa su entrada y la registra en la traza";
        Set: "Computes named values", "Calcula valores con nombre";
        Wait: "Waits for some time, or until a time", "Espera un tiempo o hasta una hora";
        Approve: "Waits for approval", "Espera una aprobación";
        Parallel: "Runs several graphs in parallel", "Ejecuta varios grafos en paralelo";
        Map: "Runs a graph for each item of a list", "Ejecuta un grafo por cada elemento de una lista";
        Graph: "Runs a nested graph", "Ejecuta un grafo anidado";
    }
}

/// Most common first.
pub const NODE_TYPES: [(&str, NodeTypes); 16] = [
    ("tool", NodeTypes::Tool),
    ("llm", NodeTypes::Llm),
    ("decision", NodeTypes::Decision),
    ("agent", NodeTypes::Agent),
    ("log", NodeTypes::Log),
    ("noop", NodeTypes::Noop),
    ("set", NodeTypes::Set),
    ("wait", NodeTypes::Wait),
    ("approve", NodeTypes::Approve),
    ("parallel", NodeTypes::Parallel),
    ("map", NodeTypes::Map),
    ("graph", NodeTypes::Graph),
    ("plan", NodeTypes::Plan),
    ("gather", NodeTypes::Gather),
    ("react", NodeTypes::React),
    ("execute_tools", NodeTypes::ExecuteTools),
];

// New core types need descriptions.
const _: () = assert!(BUILT_IN.len() == NODE_TYPES.len());
